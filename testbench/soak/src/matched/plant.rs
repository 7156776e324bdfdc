//! Defects that tests plant between the product and the comparison of messages.

use nicscope_scenario::error::Statement;

use crate::language::Planted;

/// A planted defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// A byte that a message is compared with is changed.
    WrongByte,
}

/// All defects, and how each is found.
pub const PLANTED: [Planted<Plant>; 1] = [Planted { plant: Plant::WrongByte, breaks: &[Statement::Invariant(27)] }];
