//! The types of the protocol that the layers below it need.

use core::marker::PhantomData;

use nic_device::DMA_RING_LOG2;
use nic_engine::{Note, ProtocolTypes};
use nic_layout::frame::link::{FrameKind, FLAG_ABORTED, FLAG_LAST};
use nic_layout::frame::rdma::{protocol, word, FLAG_NOTIFY};
use nic_layout::post::{inline_bytes_max, upper_key_bytes};
use nic_layout::trace::NO_LINE;

use crate::head::Head;
use crate::page::Span;
use crate::Tables;

/// The layers below the protocol.
pub(crate) type Layers<T> = nic_engine::Layers<Wire<T>>;

/// Posts, frames and transfers of the protocol, with the tables of a personality.
#[derive(Clone, Copy, Debug)]
pub struct Wire<T>(PhantomData<T>);

/// The line through which a transfer goes, locked until the transfer has ended; or no line.
#[derive(Clone, Copy, Debug)]
pub struct Line(pub(crate) u16);

impl Note for Line {
    const UNUSED: Line = Line(0);
    const NONE: Line = Line(NO_LINE);
}

impl<T: Tables> ProtocolTypes for Wire<T> {
    type Head = Head;
    type ReadNote = Line;
    type WriteNote = Line;
    const NO_HEAD: Head = Head::EMPTY;
    const HEADER_BYTES: u32 = word::data(T::KEY);
    const PROTOCOL: u8 = protocol(T::KEY);
    const KIND: u32 = word::kind(FrameKind::WRITE, 0);
    const FLAGS: u8 = FLAG_LAST | FLAG_ABORTED | FLAG_NOTIFY;
    /// A host read for each page of the data, and the release.
    const FRAME_READS: u32 = T::Span::PAGES_MAX + 1;
    const FRAME_WRITES: u32 = {
        assert!(Self::FRAME_READS < 1 << DMA_RING_LOG2, "the rings have room for a frame");
        T::Span::PAGES_MAX
    };
}

impl<T: Tables> Wire<T> {
    /// Whether keys have 128 bits.
    pub(crate) const IS_WIDE: bool = T::KEY.is_wide();
    /// Bytes of the upper half of the key, which stands in the second entry of a post before its
    /// data.
    pub(crate) const UPPER_KEY_BYTES: u32 = upper_key_bytes(T::KEY, T::HAS_IMPORTS);
    /// Whether every post has a second entry.
    pub(crate) const HAS_SECOND_ENTRY: bool = Self::UPPER_KEY_BYTES != 0;
    /// Largest number of data bytes that a post carries.
    pub(crate) const INLINE_BYTES_MAX: u32 = inline_bytes_max(T::KEY, T::HAS_IMPORTS);
    /// Header of every frame, in bytes.
    pub(crate) const HEADER_BYTES: u32 = <Self as ProtocolTypes>::HEADER_BYTES;
    /// The difference of type words on the link from `word::kind` ([`ProtocolTypes::MARK`]).
    pub(crate) const MARK: u32 = <Self as ProtocolTypes>::MARK;
}
