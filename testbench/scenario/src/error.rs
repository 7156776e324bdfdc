//! The two ways in which a command ends badly.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A numbered statement that must hold in every run.
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

/// Why a command failed. `main` prints the text and ends with [`Error::exit_status`].
#[derive(Debug, Error)]
pub enum Error {
    /// The request was wrong. The text names the key, the value, and what would have been right.
    /// Exit status 2.
    #[error("{0}")]
    Request(String),
    /// The run failed, or a check was violated. Exit status 1.
    #[error("{0}")]
    Failed(String),
    /// A numbered statement did not hold in the run. Exit status 1.
    #[error("{what}")]
    Broken {
        /// The statement, by its number in the documents.
        statement: Statement,
        /// The text for the user: the node, the simulated time and what was observed.
        what: String,
    },
}

impl Error {
    /// The exit status of the command: 1 after a failure, 2 after a wrong request.
    pub fn exit_status(&self) -> u8 {
        match self {
            Error::Request(_) => 2,
            Error::Failed(_) | Error::Broken { .. } => 1,
        }
    }

    /// The error of a run in which `statement` did not hold; `what` is its text.
    pub fn broken(statement: Statement, what: impl fmt::Display) -> Error {
        Error::Broken { statement, what: what.to_string() }
    }

    /// The statement that did not hold; `None` if the error is none of a numbered statement.
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

/// The result of what a command does: a value, or the [`Error`] with which the command ends.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An [`Error::Request`](crate::error::Error::Request) whose text is made as by `format!`.
#[macro_export]
macro_rules! request_error {
    ($($argument:tt)*) => { $crate::error::Error::Request(format!($($argument)*)) };
}

/// An [`Error::Failed`](crate::error::Error::Failed) whose text is made as by `format!`.
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
