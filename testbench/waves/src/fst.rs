//! FST, written by the crate `fst-writer`: bit vectors, and text as packed ASCII.

use std::fs::OpenOptions;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use fst_writer::{
    open_fst, FstFileType, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection, FstVarType,
};
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use super::{padded, scope_steps, SignalKind, WaveFile};

/// Place of the start time in the header block: after its type (1 byte) and its length (8 bytes).
const HEADER_START_TIME: u64 = 9;

impl WaveFile {
    /// Writes the signals as FST with a time unit of 1 ps. An error if the file cannot be written.
    pub fn write_fst(&self, path: &Path) -> Result<()> {
        self.try_write_fst(path).map_err(|error| failed!("cannot write {}: {error}", path.display()))?;
        self.set_start(path).map_err(|error| failed!("cannot write {}: {error}", path.display()))
    }

    /// Corrects the start time in the header. The writer always sets it to 0, and viewers would
    /// show the empty time before the first change.
    fn set_start(&self, path: &Path) -> io::Result<()> {
        let first = self.signals.iter().filter_map(|signal| signal.changes.first()).map(|(at, _)| at.0).min();
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.seek(SeekFrom::Start(HEADER_START_TIME))?;
        file.write_all(&first.unwrap_or(0).to_be_bytes())
    }

    fn try_write_fst(&self, path: &Path) -> fst_writer::Result<()> {
        let times = self.by_time();
        let info = FstInfo {
            // Viewers would add it to every time.
            start_time: 0,
            timescale_exponent: -12,
            version: format!("nicscope {}", env!("CARGO_PKG_VERSION")),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let mut header = open_fst(path, &info)?;
        let mut ids: Vec<Option<FstSignalId>> = vec![None; self.signals.len()];
        let mut outcome = Ok(());
        let open = scope_steps(self, |leave, enter, index, signal| {
            let mut declare = || -> fst_writer::Result<()> {
                for _ in 0..leave {
                    header.up_scope()?;
                }
                for scope in enter {
                    header.scope(scope, "", FstScopeType::Module)?;
                }
                let bits = match signal.kind {
                    SignalKind::Bits(bits) => bits,
                    SignalKind::Text { bytes } => bytes * 8,
                };
                let name = signal.path.last().map_or("", |name| name.as_str());
                let (kind, direction) = (FstVarType::Wire, FstVarDirection::Implicit);
                ids[index] = Some(header.var(name, FstSignalType::bit_vec(bits), kind, direction, None)?);
                Ok(())
            };
            if outcome.is_ok() {
                outcome = declare();
            }
        });
        outcome?;
        for _ in 0..open {
            header.up_scope()?;
        }
        let mut body = header.finish()?;
        for (at, changes) in times {
            body.time_change(at.0)?;
            for (index, value) in changes {
                let id = ids[index].expect("every signal was declared");
                match self.signals[index].kind {
                    SignalKind::Bits(_) => body.signal_change(id, value.as_bytes())?,
                    SignalKind::Text { bytes } => {
                        let bits: String = padded(value, bytes).bytes().map(|byte| format!("{byte:08b}")).collect();
                        body.signal_change(id, bits.as_bytes())?;
                    }
                }
            }
        }
        body.finish()?;
        Ok(())
    }
}
