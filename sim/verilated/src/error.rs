use std::fmt;
use std::io;
use std::path::PathBuf;

/// What can go wrong with a model.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The model stopped by itself.
    #[error(transparent)]
    Stopped(#[from] Box<Stop>),
    /// The model does not exist.
    #[error("{model} could not be built: {reason}")]
    NotBuilt {
        /// Name of the model.
        model: &'static str,
        /// Why, in the words of the C++ side.
        reason: String,
    },
    /// The model cannot write traces of this format.
    #[error("{model} was built without {wanted} traces; ask for them with verilated_build::Model::trace")]
    NoTrace {
        /// Name of the model.
        model: &'static str,
        /// The format that was asked for.
        wanted: &'static str,
    },
    /// A model writes at most one trace at a time.
    #[error("{model} writes a trace already; close that first")]
    TraceIsOpen {
        /// Name of the model.
        model: &'static str,
    },
    /// A trace file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A model that stopped by itself: what, where and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    /// How the model stopped.
    pub kind: StopKind,
    /// RTL file and line; empty and zero where Verilator does not tell.
    pub file: String,
    /// Line in `file`, from 1; 0 where Verilator does not tell.
    pub line: u32,
    /// Simulated time in picoseconds.
    pub time_ps: u64,
    /// The text of the message.
    pub message: String,
}

/// How a model stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopKind {
    /// `$finish`.
    Finish,
    /// A failed assertion, `$error`, `$fatal` or `$stop`. The instant was evaluated to its end.
    Stop,
    /// An error of the Verilator runtime, such as logic that does not settle. The model must not be
    /// evaluated on.
    Fatal,
}

impl Stop {
    /// The message without the time, severity and place that Verilator put before it.
    pub(crate) fn from_parts(kind: u8, file: String, line: u32, time_ps: u64, message: &str) -> Stop {
        let kind = match kind {
            0 => StopKind::Finish,
            1 => StopKind::Stop,
            _ => StopKind::Fatal,
        };
        let place = format!("{}:{line}: ", file.rsplit('/').next().unwrap_or(&file)); // with folders or without
        let message = match message.split_once(&place) {
            Some((_, rest)) => rest,
            None => message,
        };
        let message = match message.trim() {
            "" => "$stop",
            text => text,
        };
        Stop { kind, file, line, time_ps, message: message.to_owned() }
    }
}

impl fmt::Display for Stop {
    /// `rtl/fifo.sv:12 at 1234.567 ns: Assertion failed in TOP.fifo.NeverOverfilled`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:{} ", self.file, self.line)?;
        }
        write!(f, "at {}.{:03} ns: {}", self.time_ps / 1000, self.time_ps % 1000, self.message)
    }
}

impl std::error::Error for Stop {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_loses_what_stop_says_anyway() {
        let text = "[12] %Error: a/b.sv:7: Assertion failed in TOP.b.Held: 'assert' failed.\n";
        let stop = Stop::from_parts(1, "a/b.sv".into(), 7, 12_345, text);
        assert_eq!(stop.message, "Assertion failed in TOP.b.Held: 'assert' failed.");
        assert_eq!(stop.to_string(), "a/b.sv:7 at 12.345 ns: Assertion failed in TOP.b.Held: 'assert' failed.");
    }

    #[test]
    fn a_stop_without_text_is_a_plain_stop() {
        assert_eq!(Stop::from_parts(1, "x.sv".into(), 1, 0, "").message, "$stop");
    }
}
