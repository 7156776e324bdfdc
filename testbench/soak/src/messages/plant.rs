//! Defects that tests plant between the product and the comparison of messages.

/// A planted defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// A byte that a message is compared with is changed while the message is under way.
    WrongByte,
}
