//! Time-outs of collections.

use nic_collections::Window;
use nic_device::{Device, Place};
use nic_layout::counter::Counter;
use nic_layout::nodes::NodeSet;
use nic_layout::personality::emp::descriptor::Failure;
use nic_layout::personality::emp::{ABORTS_MAX, WINDOW_COLLECTIONS};
use nic_layout::ring::Event;
use nic_layout::trace::Marker;

use super::peer::NONE;
use super::state::{due_at, has_come, stage, Sender, INTERVAL_MAX};
use crate::header::NODE_MASK;
use crate::places::{path, send_record as record};

/// The pause after the first refusal is this part of the first interval.
const FIRST_PAUSE: u32 = 16;
/// A message of which some timer has expired is looked at so many times in the first interval.
const TICKS: u32 = 2;
/// A peer that was told so often again that a message is given up, and has answered none, is told
/// of few messages until it answers.
///
/// A process may close with many messages whose peer is dead. To tell the peer of each, again and
/// again, would take longer than an interval.
const UNANSWERED_MAX: u32 = 8;
/// Messages that are looked at in one turn.
const LOOKS: u32 = 8;
/// Turns with other events in which a round gives way, one after the other.
///
/// The looks of one turn take as long as several frames. While many messages are open and a path is
/// narrow, there is nearly always a round, and the one frame that may be under way needs some
/// turns.
const WAYS_MAX: u32 = 8;

impl Sender {
    /// Looks for collections whose time has come. The timer has fired, or a round goes on.
    ///
    /// A round looks at all messages, at [`LOOKS`] in one call: frames that arrive meanwhile do not
    /// wait for the others. Between calls it gives way to other events. `frames_wait`: frames have
    /// arrived here. Frames after the first make no event.
    #[cold]
    #[inline(never)]
    pub fn on_timer(&mut self, dev: &mut impl Device, frames_wait: bool) {
        self.is_timer_set = false;
        if self.look_from == 0 {
            // What is sent from now on has its time after this.
            self.wait = self.settings.resend_cycles;
        } else if self.gave_way < WAYS_MAX
            && (frames_wait || !self.ready.is_empty() || dev.pending() & !Event::Timer0.bit() != 0)
        {
            self.gave_way += 1;
            return dev.raise(Event::Timer0);
        }
        self.gave_way = 0;
        let mut told = 0;
        for _ in 0..LOOKS {
            let Some(record) = self.under_way.next(self.look_from) else { return self.end_round(dev) };
            self.look_from = record + 1;
            let state = dev.get(self.record(record), record::STATE);
            match state & stage::MASK {
                stage::SENDING => {
                    let wait = self.look_at(dev, record, state);
                    self.hasten_round(wait);
                }
                stage::ABORTING => {
                    told = self.abort_again(dev, record, told);
                    self.hasten_round(self.settings.resend_cycles / TICKS);
                }
                _ => {}
            }
        }
        dev.raise(Event::Timer0);
    }

    fn end_round(&mut self, dev: &mut impl Device) {
        self.look_from = 0;
        if self.under_way.is_empty() {
            return;
        }
        if self.paced != 0 {
            self.hasten_round(self.settings.resend_cycles / TICKS);
            self.count_flying(dev);
        }
        let due = dev.now().wrapping_add(self.wait);
        self.hasten_timer(dev, due);
    }

    /// The next round begins so many clocks after this one, or earlier.
    fn hasten_round(&mut self, wait: u32) {
        self.wait = self.wait.min(wait);
    }

    /// Looks at the collections of a message. The clocks until it is looked at again.
    fn look_at(&mut self, dev: &mut impl Device, record: u32, state: u32) -> u32 {
        let sent = self.record(record);
        if state & stage::LATE == 0 {
            // Nothing was sent again, so timers expire in the order of the collections.
            let window = Window::at(sent.plus(record::WINDOW));
            let oldest = window.oldest(dev);
            if oldest == window.sent(dev) {
                return self.settings.resend_cycles;
            }
            let (now, due) = (dev.now(), dev.get(sent, due_at(oldest)));
            if !has_come(now, due) {
                return due.wrapping_sub(now);
            }
            self.be_late(dev, sent, self.settings.resend_cycles);
        }
        self.look_at_late(dev, record, sent, state);
        self.settings.resend_cycles / TICKS
    }

    /// The same for a message of which some timer has expired: they expire in any order.
    fn look_at_late(&mut self, dev: &mut impl Device, record: u32, sent: Place, state: u32) {
        let window = Window::at(sent.plus(record::WINDOW));
        let (now, mut again) = (dev.now(), dev.get(sent, record::AGAIN));
        let before = again;
        let is_refused = state & stage::REFUSED != 0;
        let was_dropped = state & (stage::REFUSED | stage::EARLY) != 0;
        // A message that was refused is tried with one collection.
        let end = if is_refused { window.oldest(dev) + 1 } else { window.sent(dev) };
        for collection in window.oldest(dev)..end {
            let bit = 1 << (collection % WINDOW_COLLECTIONS);
            if window.is_waiting(dev, collection)
                && again & bit == 0
                && has_come(now, dev.get(sent, due_at(collection)))
            {
                again |= bit;
            }
        }
        if again == before {
            return;
        }
        dev.count(Counter::Timeouts);
        dev.trace(Marker::Timeout, record);
        let tries = dev.get(sent, record::TRIES) + 1;
        if tries > self.settings.resend_limit {
            // The peer does not answer, so it is not told that the message is given up.
            return self.fail(dev, record, Failure::Unreachable, stage::QUIET);
        }
        let interval = dev.get(sent, record::INTERVAL);
        dev.put(sent, record::TRIES, tries);
        dev.put(sent, record::INTERVAL, (2 * interval).min(INTERVAL_MAX * self.settings.resend_cycles));
        dev.put(sent, record::AGAIN, again);
        let state = dev.get(sent, record::STATE);
        dev.put(sent, record::STATE, state & !stage::EARLY);
        match state & stage::PACED != 0 && !is_refused {
            // Older messages to the peer go first: frames of this one may be dropped until they are
            // matched.
            true => self.wait_in_line(dev, record),
            false => self.ready.push(record),
        }
        if !was_dropped {
            self.narrow(dev, dev.get(sent, record::NODE_NUMBER) & 0xFFFF);
        }
    }

    /// Gives values to the words of time-outs. Most messages end without them.
    fn be_late(&mut self, dev: &mut impl Device, sent: Place, interval: u32) {
        let state = dev.get(sent, record::STATE);
        dev.put(sent, record::STATE, state | stage::LATE);
        dev.put(sent, record::TRIES, 0);
        dev.put(sent, record::INTERVAL, interval);
        dev.put(sent, record::AGAIN, 0);
        dev.put(sent, record::AGAIN_FRAME, 0);
    }

    /// A peer has accepted a collection of a message of which some timer has expired.
    pub(super) fn be_heard(&mut self, dev: &mut impl Device, sent: Place, collection: u32) {
        let state = dev.get(sent, record::STATE);
        dev.put(sent, record::STATE, state & !stage::REFUSED);
        dev.put(sent, record::TRIES, 0);
        dev.put(sent, record::INTERVAL, self.settings.resend_cycles);
        let mut again = dev.get(sent, record::AGAIN) & !(1 << (collection % WINDOW_COLLECTIONS));
        if state & stage::REFUSED != 0 {
            // The peer has dropped the other collections with the first.
            let window = Window::at(sent.plus(record::WINDOW));
            for other in window.oldest(dev)..window.sent(dev) {
                if window.is_waiting(dev, other) {
                    again |= 1 << (other % WINDOW_COLLECTIONS);
                }
            }
        }
        dev.put(sent, record::AGAIN, again);
    }

    /// A peer lives, and has no receive for a message yet. After the first refusal the pause is
    /// short: often the receive is posted a moment later. It grows with each further one.
    pub(super) fn pause(&mut self, dev: &mut impl Device, sent: Place, state: u32) {
        dev.put(sent, record::STATE, state | stage::REFUSED);
        if state & stage::LATE != 0 {
            dev.put(sent, record::TRIES, 0);
        } else {
            let interval = self.settings.resend_cycles / FIRST_PAUSE;
            self.be_late(dev, sent, interval);
            let due = dev.now().wrapping_add(interval);
            dev.put(sent, due_at(0), due);
            self.hasten_timer(dev, due);
        }
        self.give_places_back(dev, sent, state);
    }

    /// A peer lives, and has dropped the first frame of a message, since an older one comes first.
    /// When that was matched, this one is sent again ([`Self::let_younger_go`]). Otherwise it is
    /// sent after a first interval.
    pub(super) fn wait_for_older(&mut self, dev: &mut impl Device, sent: Place, state: u32) {
        if state & stage::LATE == 0 {
            self.be_late(dev, sent, self.settings.resend_cycles);
        }
        let late = dev.get(sent, record::STATE);
        dev.put(sent, record::STATE, late | stage::EARLY);
        dev.put(sent, record::TRIES, 0);
        dev.put(sent, record::INTERVAL, self.settings.resend_cycles);
        let due = dev.now().wrapping_add(self.settings.resend_cycles);
        dev.put(sent, due_at(0), due);
        self.give_places_back(dev, sent, state);
    }

    /// The first frame of a message was sent again and is matched: younger open messages that came
    /// before it are sent again, in their order.
    pub(super) fn let_younger_go(&mut self, dev: &mut impl Device, record: u32) {
        let mut younger = dev.get(self.record(record), record::TAG) >> 24;
        while younger != NONE {
            let sent = self.record(younger);
            let state = dev.get(sent, record::STATE);
            if state & (stage::MASK | stage::EARLY) == stage::SENDING | stage::EARLY {
                dev.put(sent, record::STATE, state & !stage::EARLY);
                dev.put(sent, record::AGAIN, dev.get(sent, record::AGAIN) | 1);
                match state & stage::PACED != 0 {
                    true => self.wait_in_line(dev, younger),
                    false => self.ready.push(younger),
                }
            }
            younger = dev.get(sent, record::TAG) >> 24;
        }
    }

    /// Tells a peer again that a message is given up, if the time has come. `told`: the peers of
    /// other such messages that were looked at before, one bit each. Returns them with this one.
    fn abort_again(&mut self, dev: &mut impl Device, record: u32, told: NodeSet) -> NodeSet {
        let sent = self.record(record);
        let node = dev.get(sent, record::NODE_NUMBER) & NODE_MASK as u32;
        let path = self.path(node);
        let unanswered = dev.get(path, path::UNANSWERED);
        let may_tell = told & 1 << node == 0 || unanswered < UNANSWERED_MAX;
        if may_tell && has_come(dev.now(), dev.get(sent, due_at(0))) {
            let tries = dev.get(sent, record::TRIES) + 1;
            dev.put(sent, record::TRIES, tries);
            if tries > ABORTS_MAX {
                self.end_silently(dev, node);
                return told;
            }
            dev.put(path, path::UNANSWERED, unanswered + 1);
            self.control(dev, record);
        }
        told | 1 << node
    }

    /// A peer does not answer: the messages that it should be told of end.
    fn end_silently(&mut self, dev: &mut impl Device, node: u32) {
        let mut next = 0;
        while let Some(record) = self.under_way.next(next) {
            next = record + 1;
            let sent = self.record(record);
            let state = dev.get(sent, record::STATE);
            if state & stage::MASK == stage::ABORTING && dev.get(sent, record::NODE_NUMBER) & NODE_MASK as u32 == node {
                self.end(dev, record, (state >> stage::STAT_SHIFT) as u8);
            }
        }
    }
}
