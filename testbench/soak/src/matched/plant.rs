//! Defects that tests plant between the product and the model of messages.

use nicscope_scenario::error::Statement;

use crate::language::Planted;

/// A planted defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// The last byte of a message is changed after its arrival.
    WrongByte,
    /// A message is reported twice.
    ToldTwice,
    /// A message that has come is not reported.
    ToldNever,
    /// A page stays pinned when all processes have ended.
    PinStays,
}

/// All defects, and how each is found.
pub const PLANTED: [Planted<Plant>; 4] = [
    Planted { plant: Plant::WrongByte, breaks: &[Statement::Invariant(27)] },
    Planted { plant: Plant::ToldTwice, breaks: &[Statement::Invariant(27)] },
    Planted { plant: Plant::ToldNever, breaks: &[Statement::Invariant(28)] },
    Planted { plant: Plant::PinStays, breaks: &[Statement::Invariant(36)] },
];
