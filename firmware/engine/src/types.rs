use nic_layout::frame::link::word;

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
    /// The number of the protocol, 0 to `nic_layout::frame::link::PROTOCOL_MAX`. It stands in the
    /// type word of every frame, so NICs of different protocols take no frame of each other.
    const PROTOCOL: u8;
    /// The bits in which type words differ from those of protocol 0.
    const MARK: u32 = word::protocol(Self::PROTOCOL);
    /// The kind of most data frames: a type word without flags.
    const KIND: u32;
    /// The flags that a data frame may have, `nic_layout::frame::link::FLAG_*`.
    const FLAGS: u8;
    /// Largest number of host reads of a frame, its release included.
    const FRAME_READS: u32;
    /// Largest number of host writes of a frame.
    const FRAME_WRITES: u32;
}
