//! Signals from files that Verilator wrote, read by the crate `wellen`.

use std::path::Path;

use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;
use wellen::simple;

use super::{SignalKind, WaveFile};

/// A signal of the new file that is made from a bit vector of another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The scopes and the name in the new file, outermost scope first.
    pub path: Vec<String>,
    /// The part of the vector that is taken.
    pub take: Take,
}

/// The function from the value of a bit vector to the value of the new signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// The vector as it is.
    Whole,
    /// One bit of a vector, 0 the lowest.
    Bit(u32),
    /// Whether any bit is set.
    AnyBit,
    /// A single bit, inverted.
    Inverse,
    /// A program counter without its lowest bit, which is always 0 and is added.
    HalfwordAddress,
}

impl Take {
    fn bits(self, bits: u32) -> u32 {
        match self {
            Take::Whole => bits,
            Take::Bit(_) | Take::AnyBit | Take::Inverse => 1,
            Take::HalfwordAddress => bits + 1,
        }
    }

    /// The new value, from a string of bits, the most significant first.
    fn value(self, bits: &str) -> String {
        match self {
            Take::Whole => bits.into(),
            Take::Bit(bit) => {
                bits.chars().rev().nth(bit as usize).expect("the vector has the bit that is taken").to_string()
            }
            Take::AnyBit if bits.contains('1') => "1".into(),
            Take::AnyBit if bits.contains(['x', 'z']) => "x".into(),
            Take::AnyBit => "0".into(),
            Take::Inverse => match bits {
                "0" => "1".into(),
                "1" => "0".into(),
                other => other.into(),
            },
            Take::HalfwordAddress => format!("{bits}0"),
        }
    }
}

impl WaveFile {
    /// Adds the signals that `choose` returns for each bit vector of a file; `choose` gets the path
    /// of the vector, scopes and name joined by dots. Only changes between `from` and `to` are
    /// taken. The value at the beginning of the window becomes a change at that time.
    pub fn import(&mut self, file: &Path, choose: impl Fn(&str) -> Vec<Choice>, from: Ps, to: Ps) -> Result<()> {
        let mut wave = simple::read(file).map_err(|error| failed!("cannot read {}: {error}", file.display()))?;
        let scale = wave.hierarchy().timescale().and_then(|scale| Some((scale.factor, scale.unit.to_exponent()?)));
        let ps_per_unit = match scale {
            Some((factor, exponent)) if (-12..=0).contains(&exponent) => {
                u64::from(factor) * 10u64.pow((exponent + 12) as u32)
            }
            _ => return Err(failed!("{}: its time unit is missing or below 1 ps", file.display())),
        };
        let hierarchy = wave.hierarchy();
        let mut chosen = Vec::new();
        for var in hierarchy.all_vars().filter(|var| hierarchy[*var].is_bit_vector(hierarchy)) {
            let var = &hierarchy[var];
            if let Some(bits) = var.length(hierarchy) {
                let choices = choose(&var.full_name(hierarchy)).into_iter();
                chosen.extend(choices.map(|choice| (choice, bits, var.signal_ref())));
            }
        }
        let refs: Vec<_> = chosen.iter().map(|(_, _, signal)| *signal).collect();
        wave.load_signals(&refs);
        for (Choice { path, take }, bits, signal) in chosen {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let id = self.add(&path, SignalKind::Bits(take.bits(bits)));
            let Some(signal) = wave.get_signal(signal) else {
                continue;
            };
            let mut last = None;
            for (time_index, value) in signal.iter_changes() {
                let at = Ps(wave.time_table()[time_index as usize] * ps_per_unit).max(from);
                if at > to {
                    break;
                }
                let Some(value) = value.to_bit_string().map(|bits| take.value(&bits)) else {
                    continue;
                };
                // A change of the vector need not change the bit.
                if last.as_ref() != Some(&value) {
                    self.replace(id, at, value.clone());
                    last = Some(value);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_vector_are_taken() {
        assert_eq!(Take::Bit(0).value("0110"), "0");
        assert_eq!(Take::Bit(2).value("0110"), "1");
        assert_eq!((Take::AnyBit.value("0010"), Take::AnyBit.value("0000")), ("1".into(), "0".into()));
        assert_eq!(Take::Inverse.value("1"), "0");
        assert_eq!((Take::HalfwordAddress.value("101"), Take::HalfwordAddress.bits(31)), ("1010".into(), 32));
    }
}
