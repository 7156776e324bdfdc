//! Wave files of nicscope: signals of several models, and the activities of hosts and firmware, on
//! one time axis.
//!
//! Verilator writes one FST file for each model. A [`WaveFile`] takes signals from several of these
//! files, adds text tracks (the activities of the driver, the miss thread and the firmware), and is
//! written as FST or VCD.

pub mod bus;
pub mod chosen;
mod fst;
pub mod import;
pub mod picture;
pub mod savefile;
pub mod scenes;
pub mod shots;
pub mod tracks;
mod vcd;
pub mod when;

use std::collections::BTreeMap;

use sim_pins::Ps;

/// The type of the values of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// A bit vector, with its number of bits.
    Bits(u32),
    /// Text. FST stores it as packed ASCII, so every value of a signal has the same number of
    /// bytes, padded with spaces.
    Text {
        /// The bytes of each value.
        bytes: u32,
    },
}

/// A signal of a [`WaveFile`] with its values over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The scopes and the name, outermost scope first.
    pub path: Vec<String>,
    /// The type of the values.
    pub kind: SignalKind,
    /// The changes in the order of time. Bits are characters '0', '1', 'x', 'z', most significant
    /// first; text stands as it is.
    pub(crate) changes: Vec<(Ps, String)>,
}

impl Signal {
    /// The changes in the order of time: a time, and the value from that time on. The value of a
    /// bit vector is a string of '0', '1', 'x' and 'z', most significant bit first.
    pub fn changes(&self) -> &[(Ps, String)] {
        &self.changes
    }
}

/// The format in which a [`WaveFile`] is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveFileFormat {
    /// Fast signal trace, the compressed format of GTKWave.
    Fst,
    /// Value change dump (IEEE 1364, clause 18), plain text.
    Vcd,
}

/// Signals with their changes on one time axis.
#[derive(Clone, Debug, Default)]
pub struct WaveFile {
    signals: Vec<Signal>,
}

/// Refers to a signal of a [`WaveFile`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalId(usize);

impl WaveFile {
    /// Adds a signal without changes. `path` names its scopes and last the signal.
    pub fn add(&mut self, path: &[&str], kind: SignalKind) -> SignalId {
        self.signals.push(Signal {
            path: path.iter().map(|part| part.to_string()).collect(),
            kind,
            changes: Vec::new(),
        });
        SignalId(self.signals.len() - 1)
    }

    /// Records that a signal has a value from a time on.
    ///
    /// # Panics
    /// If the time is before the last change of this signal.
    pub fn change(&mut self, id: SignalId, at: Ps, value: impl Into<String>) {
        let changes = &mut self.signals[id.0].changes;
        assert!(changes.last().is_none_or(|(last, _)| *last <= at), "changes of a signal are recorded in order");
        changes.push((at, value.into()));
    }

    /// Records a change. It replaces a change of the signal at the same time.
    fn replace(&mut self, id: SignalId, at: Ps, value: String) {
        match self.signals[id.0].changes.last_mut() {
            Some((last, kept)) if *last == at => *kept = value,
            _ => self.change(id, at, value),
        }
    }

    /// The signal with that path, scopes and name joined by dots.
    pub fn find(&self, path: &str) -> Option<&Signal> {
        self.signals.iter().find(|signal| signal.path.iter().map(String::as_str).eq(path.split('.')))
    }

    /// All signals, in the order in which they were added.
    pub fn signals(&self) -> &[Signal] {
        &self.signals
    }

    /// The changes of all signals by time. If a signal changes several times at one time, the last
    /// value counts.
    fn by_time(&self) -> BTreeMap<Ps, BTreeMap<usize, &str>> {
        let mut times: BTreeMap<Ps, BTreeMap<usize, &str>> = BTreeMap::new();
        for (index, signal) in self.signals.iter().enumerate() {
            for (at, value) in &signal.changes {
                times.entry(*at).or_default().insert(index, value);
            }
        }
        times
    }

    /// Indices of the signals in the order of their paths, so that each scope is opened once.
    fn in_scope_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.signals.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (&self.signals[a].path, &self.signals[b].path);
            a[..a.len() - 1].cmp(&b[..b.len() - 1]).then_with(|| a.last().cmp(&b.last()))
        });
        order
    }
}

/// Calls `step` for each signal in scope order: with the number of scopes to leave, the scopes to
/// enter, the index and the signal. Returns the number of scopes that are open at the end.
fn scope_steps<'a>(file: &'a WaveFile, mut step: impl FnMut(usize, &'a [String], usize, &'a Signal)) -> usize {
    let mut open: &[String] = &[];
    for index in file.in_scope_order() {
        let signal = &file.signals[index];
        let scopes = &signal.path[..signal.path.len() - 1];
        let common = open.iter().zip(scopes).take_while(|(a, b)| a == b).count();
        step(open.len() - common, &scopes[common..], index, signal);
        open = scopes;
    }
    open.len()
}

/// Text cut or padded to the width of its track.
fn padded(text: &str, bytes: u32) -> String {
    let mut ascii: String = text.chars().map(|c| if c.is_ascii() { c } else { '?' }).take(bytes as usize).collect();
    while ascii.len() < bytes as usize {
        ascii.push(' ');
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::*;

    fn under(scope: &str, path: &str) -> import::Choice {
        let path = std::iter::once(scope).chain(path.split('.')).map(str::to_string).collect();
        import::Choice { path, take: import::Take::Whole }
    }

    fn sample() -> WaveFile {
        let mut file = WaveFile::default();
        let bit = file.add(&["node0", "nic", "irq"], SignalKind::Bits(1));
        let word = file.add(&["node0", "ad"], SignalKind::Bits(32));
        let text = file.add(&["node1", "driver"], SignalKind::Text { bytes: 8 });
        file.change(bit, Ps(0), "0");
        file.change(bit, Ps(1500), "1");
        file.change(word, Ps(0), "x".repeat(32));
        file.change(word, Ps(700), format!("{:032b}", 0xDEAD_BEEFu32));
        file.change(text, Ps(0), "idle");
        file.change(text, Ps(900), "pin pages of the line");
        file
    }

    #[test]
    fn both_formats_read_back_alike() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["sample.fst", "sample.vcd"] {
            let path = dir.path().join(name);
            match name.ends_with("fst") {
                true => sample().write_fst(&path).unwrap(),
                false => sample().write_vcd(&path).unwrap(),
            }
            let mut back = WaveFile::default();
            back.import(&path, |path| vec![under("copy", path)], Ps::ZERO, Ps::MAX).unwrap();
            let values = |path: &[&str]| {
                let signal = back.signals().iter().find(|signal| signal.path == path).expect("the signal is there");
                signal.changes.clone()
            };
            assert_eq!(
                values(&["copy", "node0", "nic", "irq"]),
                [(Ps(0), "0".into()), (Ps(1500), "1".into())],
                "{name}"
            );
            assert_eq!(values(&["copy", "node0", "ad"])[1], (Ps(700), format!("{:032b}", 0xDEAD_BEEFu32)), "{name}");
        }
    }

    #[test]
    fn an_import_keeps_the_window_and_the_value_at_its_start() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sample.fst");
        sample().write_fst(&path).unwrap();
        let mut back = WaveFile::default();
        let irq = |path: &str| path.ends_with("irq").then(|| under("w", path)).into_iter().collect();
        back.import(&path, irq, Ps(1000), Ps(2000)).unwrap();
        assert_eq!(back.signals().len(), 1);
        assert_eq!(back.signals()[0].changes, [(Ps(1000), "0".into()), (Ps(1500), "1".into())]);
    }

    #[test]
    fn a_file_that_is_no_wave_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bad.fst");
        std::fs::write(&path, b"not a wave").unwrap();
        let error = WaveFile::default().import(&path, |_| Vec::new(), Ps::ZERO, Ps::MAX).unwrap_err();
        assert!(error.to_string().contains("bad.fst"));
    }
}
