use nic_layout::frame::link::word;

/// What a transfer is for, as the protocol says it.
pub trait Note: Copy {
    /// All zero: stands where no transfer is.
    const UNUSED: Self;
    /// The note of a transfer that is not the protocol's: the release of a frame, a status.
    const NONE: Self;
}

/// The note of a protocol whose transfers need none.
impl Note for () {
    const UNUSED: () = ();
    const NONE: () = ();
}

/// The types and constants of a protocol that the layers below it need.
pub trait ProtocolTypes: Copy {
    /// What is kept of the post at the head of a slot while its frames are issued.
    type Head: Copy;
    /// What a host read is for, beside the frame that it fills.
    type ReadNote: Note;
    /// What a host write is for, beside what follows from its end.
    type WriteNote: Note;

    /// All zero: stands where no head is.
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
    /// The flags that a frame of that kind may have.
    const FLAGS: u8;
    /// Host reads that a frame may need, its release included.
    const FRAME_READS: u32;
    /// Host writes that a frame may need.
    const FRAME_WRITES: u32;
}
