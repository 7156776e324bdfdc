use nic_reliable::is_refused;

/// The device's timer of retransmissions.
pub const RETRANSMIT_TIMER: usize = 0;
/// The device's timer of acknowledgements.
pub const ACK_TIMER: usize = 1;

/// What a protocol puts into frames.
pub trait Framing: Copy {
    /// To what of the protocol a frame belongs.
    type Owner: Copy;
    /// Stands where no owner is.
    const NO_OWNER: Self::Owner;
    /// Bytes of the header of every frame: the link's header, and the protocol's behind it. An
    /// acknowledgement needs 32.
    const HEADER_BYTES: u32;
    /// The bits in which the protocol's type words differ from those of protocol 0
    /// ([`word::kind`]).
    const MARK: u32;
}

/// Why a frame cannot be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// There is no room in the window, the rings or the buffers, or older frames to the peer come
    /// first.
    Full,
    /// The peer is lost.
    Unreachable,
}

/// Frames to one peer that have ended: acknowledged, or given up. Each is to be taken back by
/// [`Link::take_back`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The peer.
    pub node: usize,
    /// The first sequence number.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl Ended {
    /// The sequence numbers.
    #[inline(always)]
    pub fn sequences(self) -> impl Iterator<Item = u32> {
        (0..self.count).map(move |ahead| self.first.wrapping_add(ahead))
    }

    /// Those that `refusals` tell of, which came with the acknowledgement.
    pub fn refused(self, refusals: u32) -> impl Iterator<Item = u32> {
        self.sequences().filter(move |&sequence| is_refused(refusals, sequence))
    }
}

/// What the retransmission timer of a peer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overdue {
    /// Nothing is in flight.
    Idle,
    /// The oldest frame never left: the host or the link is slow, not the peer. The timer runs
    /// again.
    NotSent,
    /// The peer did not acknowledge the oldest frame.
    Unanswered,
}
