//! How a part reaches another part.
//!
//! Parts on one core call each other, so that a frame goes through all parts that it needs without
//! a stop. The queue between two parts on one core carries what is rare, and what cannot be done at
//! once. A part on the other core is reached by its queue alone. A part that has pushed a frequent
//! entry tells the other core ([`nic_device::Device::tell`]). For rare entries the core does so, at
//! the end of its turn.
//!
//! `IS_HERE` is a constant of the image, so only one of both ways is in the code.

use nic_device::Device;
use nic_handoff::Reader;

use crate::frame::Frame;
use crate::messages::Answer;
use crate::places::{Places, Settings};

/// The transmitter.
pub trait Transmits {
    /// Whether it runs on the same core.
    const IS_HERE: bool;
    /// Whether pages may be missing, so that a frame cannot be asked for.
    const MAY_MISS: bool;
    /// A frame whose data were asked for.
    type Asked;
    /// Before the parts begin: what a core needs that sends answers for a transmitter elsewhere.
    fn start_apart(
        &mut self,
        _dev: &mut impl Device,
        _settings: &Settings,
        _places: &Places,
        _sessions: impl Fn(u32) -> u8,
    ) {
    }
    /// The same, later: a peer has another session.
    fn greet_apart(&mut self, _peer: u32, _session: u8) {}
    /// What stands for a transmitter counts the frames that its core may take without a look at the
    /// queues to the other core: one of them less.
    fn is_allowed(&mut self) -> bool {
        false
    }
    /// So many frames may be taken in that way, unless an answer has to go by the queue.
    fn allow(&mut self, _frames: u32) {}
    /// Sends an answer. False: it has to wait, so it goes by the queue.
    fn answer(&mut self, dev: &mut impl Device, kind: Answer, node: u32, numbers: u32) -> bool;
    /// Whether [`Self::ask`] or [`Self::ask_page`] may be called: nothing stands before the frame.
    fn is_ready(&mut self, dev: &mut impl Device) -> bool;
    /// Asks for the data of a frame, and [`Self::close`] follows. `length`: of its message. `None`:
    /// a page is missing, and [`crate::sender::Sender::wake`] will say when it may be there.
    fn ask(&mut self, dev: &mut impl Device, record: u32, frame: u32, length: u32) -> Option<Self::Asked>;
    /// The same of a message of one frame, whose data are together at a bus address. `None`: it
    /// has to wait.
    fn ask_page(&mut self, dev: &mut impl Device, record: u32, address: u32, bytes: u32) -> Option<Self::Asked>;
    /// Reads the list page at a bus address for the new message of a record, if there is room. A
    /// list page that is gone when a frame needs it is read again.
    fn load_list(&mut self, dev: &mut impl Device, record: u32, address: u32);
    /// Writes the header of a frame, and lets it leave behind its data.
    fn close(&mut self, dev: &mut impl Device, asked: Self::Asked, header: Header);
}

/// What the header of a frame says of its message.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The node that it goes to.
    pub node: u32,
    /// The number of the message.
    pub number: u16,
    /// Bytes of the message.
    pub length: u32,
    /// Frames in a collection.
    pub collection_frames: u32,
    /// The word of tag and distances, in a first frame.
    pub tag_word: u32,
}

/// The first frame of a message.
#[derive(Clone, Copy, Debug)]
pub struct First {
    /// Bytes of the message.
    pub length: u32,
    /// Bytes that its receive has room for.
    pub room: u32,
    /// Its data are on their way to host memory.
    pub is_placed: bool,
}

impl First {
    /// Nothing is known of the message, and nothing on its way.
    pub const NOTHING: First = First { length: 0, room: 0, is_placed: false };
}

/// The receiver.
pub trait Receives {
    /// Whether it runs on the same core.
    const IS_HERE: bool;
    /// Whether [`Self::begin`] and [`Self::go_on`] may be called: nothing stands before the frame.
    fn is_ready(&mut self, dev: &mut impl Device) -> bool;
    /// Whether the receiver ends short messages in the turn of their frame ([`Self::end_whole`]).
    const ENDS_AT_ONCE: bool;
    /// Whether a frame may be taken without a look at [`Self::is_ready`] and the queues
    /// ([`Transmits::allow`]).
    fn is_allowed(&mut self) -> bool;
    /// So many frames may be taken in that way.
    fn allow(&mut self, frames: u32);
    /// A message begins in a receive: its data are on their way to host memory, if it is short.
    /// [`Self::begin`] or [`Self::end_whole`] follows.
    fn place_first(&mut self, dev: &mut impl Device, record: u32, frame: &Frame) -> First;
    /// Keeps the books of the message. `first`: what [`Self::place_first`] has returned.
    fn begin(&mut self, dev: &mut impl Device, record: u32, frame: &Frame, first: First);
    /// Ends the receive of a message whose data are on their way. False: they have not arrived, and
    /// nothing was done.
    fn end_whole(&mut self, dev: &mut impl Device, record: u32, frame: &Frame, length: u32) -> bool;
    /// A frame of a message that has begun.
    fn go_on(&mut self, dev: &mut impl Device, record: u32, frame: &Frame);
}

/// The sender.
pub trait Sends {
    /// Whether it runs on the same core.
    const IS_HERE: bool;
    /// A node has so many free receive buffers.
    fn has_room(&mut self, dev: &mut impl Device, node: u32, room: u32);
    /// A node has answered a frame.
    fn answered(&mut self, dev: &mut impl Device, kind: Answer, node: u32, numbers: u32);
}

/// The sorter.
pub trait Sorts {
    /// Whether it runs on the same core.
    const IS_HERE: bool;
    /// A message of a node is complete.
    fn completed(&mut self, dev: &mut impl Device, node: u32, number: u16);
}

/// What a part has left in a queue from the other core, when it was told of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entry {
    /// Nothing.
    None,
    /// An entry that waits for room, or for its turn.
    Frequent,
    /// An entry that is left to the turn that looks at everything.
    Rare,
}

impl Entry {
    /// An entry was served. `was_known`: whether the reader knew of it before this turn
    /// ([`Reader::knows_entry`]).
    #[inline(always)]
    pub(crate) fn after<const N: usize, const LOG2: u32>(reader: &Reader<N, LOG2>, was_known: bool) -> Entry {
        match was_known || reader.knows_entry() {
            true => Entry::Frequent,
            false => Entry::None,
        }
    }
}
