//! The two ways in which a command ends badly.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A numbered statement that must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Statement {
    /// `INV-n`: docs/properties.md.
    Invariant(u8),
    /// `M-n`: docs/requirements.md.
    Requirement(u8),
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Invariant(number) => write!(f, "INV-{number}"),
            Statement::Requirement(number) => write!(f, "M-{number}"),
        }
    }
}

/// What `main` turns into an exit status.
#[derive(Debug, Error)]
pub enum Error {
    /// The request was wrong: names the key, the value, and what would have been right. Exit status 2.
    #[error("{0}")]
    Request(String),
    /// The run failed, or a check was violated. Exit status 1.
    #[error("{0}")]
    Failed(String),
    /// A numbered statement did not hold in the run. Exit status 1.
    #[error("{what}")]
    Broken { statement: Statement, what: String },
}

impl Error {
    pub fn exit_status(&self) -> u8 {
        match self {
            Error::Request(_) => 2,
            Error::Failed(_) | Error::Broken { .. } => 1,
        }
    }

    /// A statement that did not hold.
    pub fn broken(statement: Statement, what: impl fmt::Display) -> Error {
        Error::Broken { statement, what: what.to_string() }
    }

    /// The statement that did not hold, if the error says so.
    pub fn statement(&self) -> Option<Statement> {
        match self {
            Error::Broken { statement, .. } => Some(*statement),
            Error::Request(_) | Error::Failed(_) => None,
        }
    }

    /// The same error with another text.
    pub fn map_text(self, text: impl FnOnce(String) -> String) -> Error {
        match self {
            Error::Request(what) => Error::Request(text(what)),
            Error::Failed(what) => Error::Failed(text(what)),
            Error::Broken { statement, what } => Error::Broken { statement, what: text(what) },
        }
    }
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A request error with formatting.
#[macro_export]
macro_rules! request_error {
    ($($argument:tt)*) => { $crate::error::Error::Request(format!($($argument)*)) };
}

/// A failure with formatting.
#[macro_export]
macro_rules! failed {
    ($($argument:tt)*) => { $crate::error::Error::Failed(format!($($argument)*)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_statement_keeps_its_type_and_ends_with_status_1() {
        let error = Error::broken(Statement::Invariant(19), "node 0: INV-19 at 7.000 ns: so");
        let error = error.map_text(|text| format!("{text} (seed 3)"));
        assert_eq!((error.statement(), error.exit_status()), (Some(Statement::Invariant(19)), 1));
        assert_eq!(error.to_string(), "node 0: INV-19 at 7.000 ns: so (seed 3)");
        assert_eq!(failed!("INV-19 in a text is only a text").statement(), None);
        assert_eq!(Statement::Requirement(6).to_string(), "M-6");
    }
}
