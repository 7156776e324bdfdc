//! The state of the sender.

use nic_device::{rarely, Device, Place};
use nic_layout::nodes::IMAGE_NODES;
use nic_layout::personality::emp::WINDOW_COLLECTIONS;
use nic_layout::ring::Event;

use super::peer::Peer;
use super::set::{Fifo, Set};
use crate::messages::{FromSorterForSender, FromTransmitterForSender, ToTransmitterOfSender};
use crate::places::{send_record as record, Places, Settings};

/// The part that decides what is sent.
pub struct Sender {
    pub(crate) from_sorter: FromSorterForSender,
    pub(crate) from_transmitter: FromTransmitterForSender,
    pub(crate) to_transmitter: ToTransmitterOfSender,
    /// Something rare waits, here or in a queue from here ([`Self::stir`]).
    pub(crate) is_stirred: bool,
    /// A post that waits: for its peer to forget numbers, or to have started again.
    pub(super) held: Option<u32>,
    /// A command of the driver that was not passed on yet.
    pub(super) command: Option<u32>,
    /// Records before this one are under way for other reasons than the command.
    pub(super) left_from: u32,
    pub(super) is_timer_set: bool,
    /// The record from which the round of the timer goes on; 0: none is under way.
    pub(super) look_from: u32,
    /// Turns in which the round has given way since it looked at a message.
    pub(super) gave_way: u32,
    /// The clocks from the end of the round to the next one.
    pub(super) wait: u32,
    /// When the timer fires, if it is set.
    pub(super) timer_due: u32,
    /// Records whose frames may be sent, the next first.
    pub(super) ready: Fifo,
    /// Records that have something to say to the transmitter, other than frames.
    pub(super) control: Set,
    /// Records of messages that have not ended.
    pub(super) under_way: Set,
    pub(super) places: Places,
    /// The first record.
    pub(super) sends: Place,
    pub(super) settings: Settings,
    pub(super) peers: [Peer; IMAGE_NODES],
    /// No command waits, and no peer has a pace: a short message may be sent at once.
    pub(super) is_plain: bool,
    pub(super) is_pace_set: bool,
    /// When the timer of the paces fires, if it is set.
    pub(super) pace_due: u32,
    /// Peers that are slow, or the path to which is narrow.
    pub(super) paced: u32,
    /// Records that wait for their pace.
    pub(super) waiting: Set,
    /// Records that wait and may be in the middle of a collection, and some that do not wait now.
    pub(super) begun: Set,
    /// The first path.
    pub(super) paths: Place,
}

/// The sides of the queues that the sender has.
pub struct Sides {
    /// From the sorter.
    pub from_sorter: FromSorterForSender,
    /// From the transmitter.
    pub from_transmitter: FromTransmitterForSender,
    /// To the transmitter.
    pub to_transmitter: ToTransmitterOfSender,
}

/// States of a message, in the lowest byte of its word. The next byte has the flags.
pub(super) mod stage {
    /// The host has the record.
    pub const FREE: u32 = 0;
    /// Frames are sent.
    pub const SENDING: u32 = 1;
    /// Everything is accepted. Frames that were sent again may still be read.
    pub const ENDING: u32 = 2;
    /// The message was given up. Frames of it may still be read.
    pub const FAILING: u32 = 3;
    /// The peer is told that the message was given up.
    pub const ABORTING: u32 = 4;
    /// The state without the other bits.
    pub const MASK: u32 = 0xFF;
    /// Frames of the message were sent again.
    pub const RESENT: u32 = 0x100;
    /// Some timer of the message has expired. The words of time-outs have values.
    pub const LATE: u32 = 0x200;
    /// The peer is slow, or the path to it narrow.
    pub const PACED: u32 = 0x400;
    /// The peer need not be told.
    pub const QUIET: u32 = 0x800;
    /// The peer has refused the message, and has accepted nothing of it since. So its frames were
    /// dropped there and not on the way.
    pub const REFUSED: u32 = 0x1000;
    /// The peer has dropped the first frame: an older message comes first. No frame is in flight.
    pub const EARLY: u32 = 0x2000;
    /// The message has one frame, which has left.
    pub const WHOLE: u32 = 0x4000;
    /// From this bit on the first byte that the descriptor gets.
    pub const STAT_SHIFT: u32 = 16;
}

impl Sender {
    /// Before [`Self::start`].
    pub const NOWHERE: Sender = Sender {
        from_sorter: FromSorterForSender::NOWHERE,
        from_transmitter: FromTransmitterForSender::NOWHERE,
        to_transmitter: ToTransmitterOfSender::NOWHERE,
        is_stirred: false,
        held: None,
        command: None,
        left_from: 0,
        is_timer_set: false,
        look_from: 0,
        gave_way: 0,
        wait: 0,
        timer_due: 0,
        ready: Fifo::EMPTY,
        control: Set::EMPTY,
        under_way: Set::EMPTY,
        places: Places::NOWHERE,
        sends: Place(0),
        settings: Settings::NONE,
        peers: [Peer::NEW; IMAGE_NODES],
        is_plain: true,
        is_pace_set: false,
        pace_due: 0,
        paced: 0,
        waiting: Set::EMPTY,
        begun: Set::EMPTY,
        paths: Place(0),
    };

    #[inline(always)]
    pub(super) fn record(&self, record: u32) -> Place {
        self.sends.plus(record * record::BYTES)
    }

    /// Something rare waits, here or in a queue from here: all parts look at everything.
    #[cold]
    pub(crate) fn stir(&mut self, dev: &mut impl Device) {
        self.is_stirred = true;
        dev.raise(Event::Work);
    }

    /// The record has something to say to the transmitter.
    #[cold]
    pub(super) fn control(&mut self, dev: &mut impl Device, record: u32) {
        self.stir(dev);
        self.control.insert(record);
    }

    /// Lets the timer run, if it does not. No time comes before one interval is over.
    #[inline(always)]
    pub(super) fn start_timer(&mut self, dev: &mut impl Device) {
        if !self.is_timer_set {
            rarely();
            let due = dev.now().wrapping_add(self.settings.resend_cycles);
            self.set_timer(dev, due);
        }
    }

    /// Lets the timer fire at a time, if it would fire later.
    #[cold]
    pub(super) fn hasten_timer(&mut self, dev: &mut impl Device, due: u32) {
        if self.look_from != 0 {
            // The round sets the timer at its end.
            self.wait = self.wait.min(due.wrapping_sub(dev.now()));
        }
        if !self.is_timer_set || (due.wrapping_sub(self.timer_due) as i32) < 0 {
            self.set_timer(dev, due);
        }
    }

    pub(super) fn set_timer(&mut self, dev: &mut impl Device, due: u32) {
        (self.is_timer_set, self.timer_due) = (true, due);
        dev.set_timer(TIMER, due);
    }
}

/// The timer of the sender.
const TIMER: usize = 0;

/// The word of a collection's timer.
#[inline(always)]
pub(super) const fn due_at(collection: u32) -> u32 {
    record::DUE + 4 * (collection % WINDOW_COLLECTIONS)
}

/// An interval grows to this many times the first.
pub(super) const INTERVAL_MAX: u32 = 64;

/// Whether a time has come. Times are clock counts that wrap.
pub(super) const fn has_come(now: u32, due: u32) -> bool {
    now.wrapping_sub(due) <= u32::MAX / 2
}
