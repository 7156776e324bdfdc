//! The two ways in which a command ends badly.

use thiserror::Error;

/// What `main` turns into an exit status.
#[derive(Debug, Error)]
pub enum Error {
    /// The request was wrong: names the key, the value, and what would have been right. Exit status 2.
    #[error("{0}")]
    Request(String),
    /// The run failed, or a check was violated. Exit status 1.
    #[error("{0}")]
    Failed(String),
}

impl Error {
    pub fn exit_status(&self) -> u8 {
        match self {
            Error::Request(_) => 2,
            Error::Failed(_) => 1,
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
