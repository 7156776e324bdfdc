//! Defects that tests plant between the product and the observers of a case, so that each rule of
//! the model and each check at the end of a case is seen to fail.

/// A planted defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// The last byte of a message that notifies is changed after its arrival.
    WrongByte,
    /// The byte behind a message that notifies is changed after its arrival.
    ByteBeside,
    /// The first byte that a read brought is changed.
    WrongRead,
    /// Each notification is reported twice.
    ToldTwice,
    /// No notification is reported.
    ToldNever,
    /// A post that shall have a wrong key has the right key.
    KeyMends,
    /// A good post has a wrong key.
    KeyBreaks,
    /// Writes of a process overtake each other.
    OutOfOrder,
    /// A withdrawal is reported, but the driver does not get it.
    BufferStays,
    /// The end of a post is not reported.
    EndUnseen,
    /// A page stays pinned when all processes have ended.
    PinStays,
    /// A line of the NIC's cache stays reserved when all processes have ended.
    LinesStay,
    /// A page is unpinned for a while, although the NIC has its translation.
    PinGoes,
}
