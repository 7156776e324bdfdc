//! Signals from files that Verilator wrote, read by the wellen crate.

use std::path::Path;

use sim_pins::Ps;
use wellen::simple;

use super::{SignalKind, WaveFile};
use crate::error::Result;
use crate::failed;

impl WaveFile {
    /// Copies the signals whose path (scopes and name joined by dots) `wanted` accepts, under the scope `under`, as far as they change
    /// between two times. The value at the beginning of the window becomes a change there.
    pub fn import(&mut self, file: &Path, under: &str, wanted: impl Fn(&str) -> bool, from: Ps, to: Ps) -> Result<()> {
        let mut wave = simple::read(file).map_err(|error| failed!("cannot read {}: {error}", file.display()))?;
        let scale = wave.hierarchy().timescale().and_then(|scale| Some((scale.factor, scale.unit.to_exponent()?)));
        let ps_per_unit = match scale {
            Some((factor, exponent)) if (-12..=0).contains(&exponent) => {
                u64::from(factor) * 10u64.pow((exponent + 12) as u32)
            }
            _ => return Err(failed!("{}: its time unit is missing or below 1 ps", file.display())),
        };
        let chosen: Vec<_> = {
            let hierarchy = wave.hierarchy();
            hierarchy
                .all_vars()
                .filter(|var| hierarchy[*var].is_bit_vector(hierarchy))
                .filter_map(|var| {
                    let var = &hierarchy[var];
                    let path = var.full_name(hierarchy);
                    let bits = var.length(hierarchy)?;
                    wanted(&path).then(|| (path, bits, var.signal_ref()))
                })
                .collect()
        };
        let refs: Vec<_> = chosen.iter().map(|(_, _, signal)| *signal).collect();
        wave.load_signals(&refs);
        for (path, bits, signal) in chosen {
            let parts: Vec<&str> = std::iter::once(under).chain(path.split('.')).collect();
            let id = self.add(&parts, SignalKind::Bits(bits));
            let Some(signal) = wave.get_signal(signal) else {
                continue;
            };
            let mut before = None;
            for (time_index, value) in signal.iter_changes() {
                let at = Ps(wave.time_table()[time_index as usize] * ps_per_unit);
                let Some(value) = value.to_bit_string() else {
                    continue;
                };
                if at < from {
                    before = Some(value);
                } else if at <= to {
                    if let Some(value) = before.take().filter(|_| at > from) {
                        self.change(id, from, value);
                    }
                    before = None;
                    self.change(id, at, value);
                }
            }
            if let Some(value) = before {
                self.change(id, from, value);
            }
        }
        Ok(())
    }
}
