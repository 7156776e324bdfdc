//! VCD, written by the crate `vcd`: bit vectors, and text as strings.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use vcd::{IdCode, TimescaleUnit, Value, VarType, Writer};

use super::{scope_steps, SignalKind, WaveFile};

impl WaveFile {
    /// Writes the signals as VCD with a time unit of 1 ps. An error if the file cannot be written.
    pub fn write_vcd(&self, path: &Path) -> Result<()> {
        self.try_write_vcd(path).map_err(|error| failed!("cannot write {}: {error}", path.display()))
    }

    fn try_write_vcd(&self, path: &Path) -> io::Result<()> {
        let mut writer = Writer::new(BufWriter::new(File::create(path)?));
        writer.version(&format!("nicscope {}", env!("CARGO_PKG_VERSION")))?;
        writer.timescale(1, TimescaleUnit::PS)?;
        let mut ids: Vec<Option<IdCode>> = vec![None; self.signals.len()];
        let mut outcome = Ok(());
        let open = scope_steps(self, |leave, enter, index, signal| {
            let mut declare = || -> io::Result<()> {
                for _ in 0..leave {
                    writer.upscope()?;
                }
                for scope in enter {
                    writer.add_module(scope)?;
                }
                let name = signal.path.last().map_or("", |name| name.as_str());
                ids[index] = Some(match signal.kind {
                    SignalKind::Bits(bits) => writer.add_wire(bits, name)?,
                    SignalKind::Text { .. } => writer.add_var(VarType::String, 1, name, None)?,
                });
                Ok(())
            };
            if outcome.is_ok() {
                outcome = declare();
            }
        });
        outcome?;
        for _ in 0..open {
            writer.upscope()?;
        }
        writer.enddefinitions()?;
        for (at, changes) in self.by_time() {
            writer.timestamp(at.0)?;
            for (index, value) in changes {
                let id = ids[index].expect("every signal was declared");
                match self.signals[index].kind {
                    SignalKind::Bits(1) => writer.change_scalar(id, value_of(value.as_bytes()[0]))?,
                    SignalKind::Bits(_) => writer.change_vector(id, value.bytes().map(value_of))?,
                    // The format ends a string at white space, and a string must not be empty.
                    SignalKind::Text { .. } if value.is_empty() => writer.change_string(id, "-")?,
                    SignalKind::Text { .. } => writer.change_string(id, &value.replace(' ', "_"))?,
                }
            }
        }
        writer.flush()
    }
}

fn value_of(character: u8) -> Value {
    match character {
        b'0' => Value::V0,
        b'1' => Value::V1,
        b'z' | b'Z' => Value::Z,
        _ => Value::X,
    }
}
