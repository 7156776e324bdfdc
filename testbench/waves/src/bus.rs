//! The transactions of a PCI bus, in words, decoded from its lines.

use sim_pins::Ps;

use super::tracks::{Track, IDLE};
use super::WaveFile;

/// The lines as they stand at one rising edge of the bus clock.
struct Lines {
    frame: bool,
    irdy: bool,
    trdy: bool,
    stop: bool,
    devsel: bool,
    granted: bool,
    ad: u32,
    command: u32,
}

/// A transaction under way.
struct Transaction {
    begin: Ps,
    by_nic: bool,
    verb: &'static str,
    address: u32,
    words: u32,
    stopped: bool,
    claimed: bool,
}

impl Transaction {
    fn text(&self) -> String {
        let who = if self.by_nic { "NIC" } else { "host" };
        let end = match (self.claimed, self.words, self.stopped) {
            (false, ..) => " unclaimed".into(),
            (_, 0, true) => " retry".into(),
            (_, 1, _) => String::new(),
            (_, words, _) => format!(" x{words}"),
        };
        format!("{who} {} {:08x}{end}", self.verb, self.address)
    }
}

/// The verb for a bus command (PCI 2.2, section 3.1.1). Dual address cycles and special cycles do
/// not occur here.
fn verb(command: u32) -> &'static str {
    match command {
        0b0110 | 0b1100 | 0b1110 => "reads",
        0b0111 | 0b1111 => "writes",
        0b1010 => "config reads",
        0b1011 => "config writes",
        _ => "command",
    }
}

/// The transactions on the bus of a node whose lines are in the file. The track is empty if the
/// file lacks a line.
pub fn track(file: &WaveFile, node: usize) -> Track {
    let line = |name: &str| file.find(&format!("node{node}.pci.{name}")).map(|signal| Cursor { signal, next: 0 });
    let names = ["frame_n", "irdy_n", "trdy_n", "stop_n", "devsel_n", "gnt_n", "ad", "cbe_n"];
    let (Some(clock), Some(mut cursors)) =
        (file.find(&format!("node{node}.pci.clk")), names.into_iter().map(line).collect::<Option<Vec<_>>>())
    else {
        return Track::new();
    };
    let edges = clock.changes.iter().filter(|(_, value)| value == "1").map(|(at, _)| *at);
    let mut decoder = Decoder::default();
    for at in edges {
        let mut number = |index: usize| low_word(cursors[index].before(at));
        let lines = Lines {
            frame: number(0) == 0,
            irdy: number(1) == 0,
            trdy: number(2) == 0,
            stop: number(3) == 0,
            devsel: number(4) == 0,
            granted: number(5) == 0,
            ad: number(6),
            command: number(7) & 0xF,
        };
        decoder.edge(at, &lines);
    }
    decoder.track
}

#[derive(Default)]
struct Decoder {
    track: Track,
    under_way: Option<Transaction>,
    /// GNT# of the NIC at the previous edge.
    granted_before: bool,
    /// Whether a transaction was under way at that edge.
    busy_before: bool,
}

impl Decoder {
    fn edge(&mut self, at: Ps, lines: &Lines) {
        match &mut self.under_way {
            None if lines.frame && !self.busy_before => {
                self.under_way = Some(Transaction {
                    begin: at,
                    by_nic: self.granted_before,
                    verb: verb(lines.command),
                    address: lines.ad,
                    words: 0,
                    stopped: false,
                    claimed: false,
                });
            }
            None => {}
            Some(transaction) => {
                transaction.claimed |= lines.devsel;
                transaction.words += u32::from(lines.irdy && lines.trdy);
                transaction.stopped |= lines.stop;
                let ends = !lines.frame && lines.irdy && (lines.trdy || lines.stop);
                let given_up = !lines.frame && !lines.irdy;
                if ends || given_up {
                    self.track.push((transaction.begin, transaction.text()));
                    self.track.push((at, IDLE.into()));
                    self.under_way = None;
                }
            }
        }
        self.granted_before = lines.granted;
        self.busy_before = self.under_way.is_some();
    }
}

/// Walks through the changes of a signal.
struct Cursor<'a> {
    signal: &'a super::Signal,
    next: usize,
}

impl<'a> Cursor<'a> {
    /// The value that a clock edge at this time samples.
    fn before(&mut self, at: Ps) -> &'a str {
        while self.signal.changes.get(self.next).is_some_and(|(time, _)| *time < at) {
            self.next += 1;
        }
        match self.next {
            0 => "",
            next => &self.signal.changes[next - 1].1,
        }
    }
}

/// The low 32 bits; unknown bits count as ones, as on lines with pull-ups.
fn low_word(bits: &str) -> u32 {
    match bits {
        "" => u32::MAX,
        bits => bits.bytes().fold(0, |word: u32, bit| word << 1 | u32::from(bit != b'0')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SignalKind;

    /// The lines as text, one character for each clock of 10 ps. A signal has its value one clock
    /// before the edge that samples it.
    fn decode(lines: &[(&str, &str)], ad: &[u32], command: u32) -> Vec<(u64, String)> {
        let mut file = WaveFile::default();
        let clocks = ad.len();
        let clock = file.add(&["node0", "pci", "clk"], SignalKind::Bits(1));
        for edge in 0..clocks as u64 {
            file.change(clock, Ps(edge * 10 + 10), "1");
            file.change(clock, Ps(edge * 10 + 15), "0");
        }
        for name in ["frame_n", "irdy_n", "trdy_n", "stop_n", "devsel_n", "gnt_n"] {
            let id = file.add(&["node0", "pci", name], SignalKind::Bits(1));
            let text = lines.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
            for edge in 0..clocks {
                let low = text.as_bytes().get(edge) == Some(&b'_');
                file.change(id, Ps(edge as u64 * 10), if low { "0" } else { "1" });
            }
        }
        let id = file.add(&["node0", "pci", "ad"], SignalKind::Bits(32));
        for (edge, word) in ad.iter().enumerate() {
            file.change(id, Ps(edge as u64 * 10), format!("{word:032b}"));
        }
        let id = file.add(&["node0", "pci", "cbe_n"], SignalKind::Bits(8));
        file.change(id, Ps(0), format!("{command:08b}"));
        track(&file, 0).into_iter().map(|(at, text)| (at.0, text)).collect()
    }

    #[test]
    fn a_burst_of_the_host_is_one_transaction() {
        let track = decode(
            &[("frame_n", "^__^^^"), ("irdy_n", "^^__^^"), ("devsel_n", "^^__^^"), ("trdy_n", "^^__^^")],
            &[0, 0xF000_1400, 1, 2, 0, 0],
            0b0111,
        );
        assert_eq!(track, [(20, "host writes f0001400 x2".into()), (40, String::new())]);
    }

    #[test]
    fn a_retry_moves_nothing_and_a_grant_tells_the_nic() {
        let track = decode(
            &[
                ("gnt_n", "__^^^^"),
                ("frame_n", "^__^^^"),
                ("irdy_n", "^^___^"),
                ("devsel_n", "^^___^"),
                ("stop_n", "^^___^"),
            ],
            &[0, 0x1234_0008, 0, 0, 0, 0],
            0b0110,
        );
        assert_eq!(track[0], (20, "NIC reads 12340008 retry".into()));
        assert_eq!(track.len(), 2);
    }

    #[test]
    fn lines_that_are_not_in_the_file_make_no_track() {
        assert!(track(&WaveFile::default(), 0).is_empty());
    }
}
