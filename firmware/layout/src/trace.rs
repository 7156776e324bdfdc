//! Trace markers: where the firmware is (docs/interfaces.md, Core ports).
//!
//! One marker for each step, so that the time of a message can be split by function. A marker ends
//! the step that the one before it began. In the list below, the number of a marker is followed by
//! the name of the stage that the marker begins.

/// CSR that the core puts on its trace port.
pub const TRACE_CSR: u16 = 0x7C0;

macro_rules! markers {
    ($($(#[$doc:meta])* $name:ident = $id:literal => $stage:literal,)*) => {
        /// A step of the firmware. Its documentation says what its argument is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Marker { $($(#[$doc])* $name = $id,)* }

        impl Marker {
            /// All markers.
            pub const ALL: &'static [Marker] = &[$(Marker::$name,)*];

            /// The name of the marker.
            pub const fn name(self) -> &'static str {
                match self { $(Marker::$name => stringify!($name),)* }
            }

            /// The stage that the marker begins: what the firmware does from here to its next
            /// marker.
            pub const fn stage(self) -> &'static str {
                match self { $(Marker::$name => $stage,)* }
            }

            /// The marker with this number.
            pub const fn from_id(id: u8) -> Option<Marker> {
                match id { $($id => Some(Marker::$name),)* _ => None }
            }
        }
    };
}

markers! {
    /// Start-up done, the loop begins. Argument: node.
    Ready = 0x01 => "Ready",
    /// Nothing is pending; the core waits.
    Idle = 0x02 => "firmware idle",
    /// An event is served. Argument: its number.
    Dispatch = 0x03 => "dispatch",

    /// A doorbell was taken. Argument: process slot.
    DoorbellTaken = 0x10 => "read descriptor",
    /// A descriptor was read and is legal; not of a post that carries its data, whose next marker
    /// is `TransmitPosted`. Argument: message (low bits).
    PostRead = 0x11 => "prepare frame",
    /// A post ended badly. Argument: `PostError`, and the process slot from bit 8 on.
    PostRefused = 0x12 => "refuse post",
    /// A post waits for a translation. Argument: process slot.
    PostParked = 0x13 => "parked",
    /// A post waits for the window, a buffer or a ring. Argument: process slot.
    PostBlocked = 0x14 => "blocked",
    /// A post queue has another owner. Argument: process slot.
    QueueAssigned = 0x15 => "queue assigned",

    // Steps: markers without an argument, which take one clock ([`STEP_MAX`]).
    /// The number of a descriptor was taken from its mailbox.
    MailboxTaken = 0x16 => "read descriptor",
    /// The data of a frame are asked for next.
    FrameBegun = 0x17 => "ask for data",
    /// A message of one frame has its number: its header is written next.
    MessageOpened = 0x18 => "header",
    /// A posted receive is looked for.
    MatchBegun = 0x19 => "match",
    /// A frame and its message fit together: its data are placed next.
    FrameSorted = 0x1A => "place data",
    /// The last byte of a message is in host memory.
    MessagePlaced = 0x1B => "return descriptor",
    /// A posted receive can be matched.
    ReceiveTaken = 0x1C => "receive taken",

    /// A lookup of the send path begins. Argument: page.
    LookupBegin = 0x20 => "lookup",
    /// The same of the receive path.
    ReceiveLookupBegin = 0x29 => "lookup",
    /// It hit and locked the line. Argument: line.
    LookupHit = 0x21 => "after lookup hit",
    /// It found no line. Argument: process.
    LookupMiss = 0x22 => "reserve line, raise miss",
    /// The line is there, the page is not. Argument: line.
    LookupFault = 0x23 => "fault",
    /// A line is reserved and the driver told. Argument: line.
    MissRaised = 0x24 => "parked",
    /// The driver reported fills. Argument: free-running consumer index of the miss ring (low
    /// bits).
    FillSeen = 0x25 => "fill seen",
    /// A command of the driver is obeyed. Argument: the command (low bits).
    Command = 0x26 => "command",
    /// The descriptor of a frame's buffer was found in the CBH cache. Argument: its entry.
    BufferHit = 0x27 => "checks",
    /// No valid one was. Argument: the CBH word (low bits).
    BufferMiss = 0x28 => "reserve entry, raise miss",
    /// A line is reserved and locked, and its translations are read from the host's table.
    /// Argument: line.
    FetchBegun = 0x2B => "begin fetch",
    /// The line holds them. Argument: line.
    FetchFilled = 0x2C => "line filled",
    /// They came too late: the line was taken away. Argument: line.
    FetchLost = 0x2D => "fetch came to nothing",
    /// The table has no such page, or the bus failed: the driver is told of the line. Argument:
    /// line.
    FetchUnfilled = 0x2E => "fetch came to nothing",
    /// They would be fetched, but the ring of host reads is full. Argument: process.
    FetchStalled = 0x2F => "fetch came to nothing",
    /// A line is unlocked without DMA: a frame needs another one too, which is missing, or a read
    /// waits for its turn. Argument: bit 23 path (1 receive), line.
    Unlocked = 0x2A => "miss",

    /// The DMA of a frame's data is posted; without data: nothing waits for them. Argument:
    /// sequence (low bits).
    DmaReadPosted = 0x30 => "header",
    /// The header is in the transmit buffer. Argument: sequence (low bits).
    HeaderBuilt = 0x31 => "release",
    /// The frame is in the transmit ring, and its release is posted. Argument: sequence (low bits).
    TransmitPosted = 0x32 => "next frame",
    /// A host-read DMA has ended. Argument: the line that is unlocked, [`NO_LINE`] if it needed
    /// none.
    DmaReadDone = 0x33 => "end of DMA read",
    /// A frame is sent again. Argument: sequence (low bits).
    Retransmit = 0x34 => "retransmission",
    /// A retransmission timer expired. Argument: node.
    Timeout = 0x35 => "time-out",
    /// A peer is given up. Argument: node.
    PeerLost = 0x36 => "peer lost",

    /// A frame is taken from the ring. Argument: its ring index.
    ReceiveBegin = 0x40 => "read header",
    /// It is ours by type and source. Argument: sequence (low bits).
    ReceiveHeader = 0x41 => "find buffer",
    /// The DMA of its data is posted. Argument: sequence (low bits).
    DmaWritePosted = 0x43 => "bookkeeping",
    /// It is accepted. Argument: sequence (low bits).
    Accepted = 0x44 => "accepted",
    /// It is dropped. Argument: the `Counter` that says why.
    Dropped = 0x45 => "drop",
    /// It is refused, but acknowledged. Argument: the `Counter` that says why.
    Refused = 0x46 => "drop",
    /// A host-write DMA has ended. Argument: the line that is unlocked, [`NO_LINE`] if it needed
    /// none.
    DmaWriteDone = 0x47 => "end of DMA write",

    /// A frame whose translation is missing is held. Argument: node that it came from.
    FrameHeld = 0x4C => "hold",
    /// It is judged again. Argument: node that it came from.
    FrameRetaken = 0x4D => "take held frame",
    /// A read of another node is taken. Argument: its place in the queue.
    ReadTaken = 0x48 => "read taken",
    /// The driver is told of a notification. Argument: free-running producer index (low bits).
    NotifyRaised = 0x4A => "notification",

    /// An acknowledgement is handed to the MAC. Argument: next sequence expected (low bits).
    AckSent = 0x50 => "acknowledge",
    /// An acknowledgement freed frames. Argument: the sequence it carried (low bits).
    AckReceived = 0x51 => "acknowledgement",
    /// A status page is being written. Argument: bits 23:20 process slot, posts ended (low bits).
    StatusWritten = 0x52 => "status",

    /// The sender of a frame is told that it missed, and that it may send again. Argument: next
    /// sequence expected (low bits).
    MissedSent = 0x53 => "tell of the miss",
    RestartSent = 0x54 => "ask for the frame",
    /// A frame of ours missed there, or may be sent again. Argument: next sequence that the peer
    /// expects (low bits).
    MissedReceived = 0x55 => "told of a miss",
    RestartReceived = 0x56 => "restart",

    /// A cache operation begins, of the cache probe. Argument: ring index.
    ProbeBegin = 0x60 => "ProbeBegin",
    /// It ended. Argument: ring index.
    ProbeEnd = 0x61 => "ProbeEnd",

    /// Core B begins to add up the counters of core A. Argument: how often it did before.
    KeeperBegin = 0x70 => "adds up counters",
    /// It has. Argument: equations that do not hold.
    KeeperEnd = 0x71 => "waits for the next round",

    /// A posted receive takes a message. Argument: record of the receive.
    MessageMatched = 0x80 => "place data",
    /// A message is in host memory, and its descriptor is the host's again. Argument: record of the
    /// receive.
    MessageReceived = 0x81 => "acknowledge",
    /// A message has ended at its sender. Argument: record of the send.
    MessageSent = 0x82 => "message sent",
    /// No posted receive matches a message. Argument: both numbers of its frame (low bits).
    MessageRefused = 0x83 => "refuse message",
    /// A peer has refused a message of this node. Argument: record of the send.
    RefusalReceived = 0x84 => "refusal",

    /// A core asks for the semaphore, in an image of two cores that share parts. Argument:
    /// [`FOR_BUFFER`] or [`FOR_CLAIM`].
    SemaphoreAsked = 0x88 => "semaphore",
    /// It owns the semaphore. Argument: as before.
    SemaphoreOwned = 0x89 => "semaphore owned",
    /// The other core was told of an entry in a queue. Argument: 1 if its event was set, 0 if it
    /// was pending.
    PeerTold = 0x8A => "other core told",
    /// A receive of the host was posted: it is the youngest. Argument: record of the receive.
    ReceivePosted = 0x90 => "receive posted",
    /// The host gave up a receive that no message has taken. Argument: record of the receive.
    ReceiveGivenUp = 0x91 => "receive given up",
    /// A message is given up at its receiver. Argument: record of the receive.
    ReceiveFailed = 0x92 => "give message up",
    /// A message is given up at its sender. Argument: record of the send.
    SendGivenUp = 0x93 => "give message up",
    /// All messages to a peer have ended, and their numbers begin at 0 again. Argument: node.
    NumbersForgotten = 0x94 => "numbers of a peer",

    /// The firmware stops. Argument: `mcause`, or 0 for a panic.
    Crash = 0xFF => "Crash",
}

/// The semaphore is for the receive ring: a buffer goes back.
pub const FOR_BUFFER: u32 = 1;
/// The semaphore is for the claim of a part.
pub const FOR_CLAIM: u32 = 2;

/// Markers up to this number fit the immediate operand of an instruction, so a marker without an
/// argument takes one clock.
pub const STEP_MAX: u8 = 31;

/// In place of a line: none.
pub const NO_LINE: u16 = u16::MAX;

/// What is left of an argument.
pub const ARGUMENT_MASK: u32 = 0xFF_FFFF;

/// The word on the trace port: the number of the marker in its lowest byte, where the core adds it
/// in one instruction without a constant.
pub const fn word(marker: Marker, argument: u32) -> u32 {
    argument << 8 | marker as u32
}

/// The marker and argument of a word.
pub const fn parse(word: u32) -> Option<(Marker, u32)> {
    match Marker::from_id(word as u8) {
        Some(marker) => Some((marker, word >> 8)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marker_survives_the_port() {
        for &marker in Marker::ALL {
            assert_eq!(parse(word(marker, 0xFF12_3456)), Some((marker, 0x12_3456)));
        }
        assert_eq!(parse(0), None);
    }

    #[test]
    fn every_marker_begins_a_stage_that_tables_can_print() {
        for &marker in Marker::ALL {
            let stage = marker.stage();
            assert!(!stage.is_empty() && stage.len() <= 32 && stage.trim() == stage, "{stage:?}");
        }
        assert_eq!(Marker::PostParked.stage(), Marker::MissRaised.stage());
    }
}
