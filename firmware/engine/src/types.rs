/// The protocol's note beside a transfer: what the transfer is for.
pub trait Note: Copy {
    /// Fills places that hold no transfer. All zero.
    const UNUSED: Self;
    /// The note of a transfer of the layers: the release of a frame, a status.
    const NONE: Self;
}

/// The note of a protocol whose transfers need none.
impl Note for () {
    const UNUSED: () = ();
    const NONE: () = ();
}

/// The types and constants of a protocol that the layers below it need.
pub trait ProtocolTypes: Copy {
    /// The protocol's state of the post at the head of a slot while its frames are issued.
    type Head: Copy;
    /// The note of a host read. The frame that the read fills is kept besides.
    type ReadNote: Note;
    /// The note of a host write. [`crate::WriteEnd`] is kept besides.
    type WriteNote: Note;

    /// Fills places that hold no head. All zero.
    const NO_HEAD: Self::Head;

    /// Header of every frame in bytes: the link's header, and the protocol's behind it.
    const HEADER_BYTES: u32;
    /// The protocol's type words are those of `nic_layout::frame::word::kind`, XORed with this
    /// mark. So a NIC of another protocol takes no frame of this one.
    const MARK: u32;
    /// The kind of the protocol's data frames: a type word without flags and without the mark.
    const KIND: u32;
    /// The flags that a data frame may have, `nic_layout::frame::FLAG_*`.
    const FLAGS: u8;
    /// Largest number of host reads of a frame, its release included.
    const FRAME_READS: u32;
    /// Largest number of host writes of a frame.
    const FRAME_WRITES: u32;
}
