//! Messages that wait, because their peer is slow or the path to it is narrow.
//!
//! A peer is *slow* while it has few free receive buffers (E-40). A path is *narrow* after a
//! time-out: frames were lost, so fewer collections may be in flight on it, and time-outs follow
//! the round trips that are measured on it. Messages to other peers do not wait.
//!
//! [`stage::PACED`] marks the messages to such a peer. Nothing here is run for other messages.

use nic_collections::Window;
use nic_device::{Device, Place};
use nic_layout::counter::Counter;

use super::state::{has_come, stage, Sender, INTERVAL_MAX};
use crate::header::NODE_MASK;
use crate::places::{path, send_record as record};

/// Collections in flight on a path that has just become narrow: what may be sent before the first
/// acknowledgement of a message.
const FIRST_LIMIT: u32 = 4;
/// Beyond so many a path is wide.
const LIMIT_MAX: u32 = 16;
/// A limit grows by one when so many times as many collections were accepted. The queue of a switch
/// is much longer than what a path needs, so there is no haste, and each loss costs a time-out.
const GROWTH: u32 = 16;
/// The timer of the paces.
const PACE_TIMER: usize = 1;

impl Sender {
    #[inline(always)]
    pub(super) fn path(&self, node: u32) -> Place {
        self.paths.plus((node & NODE_MASK as u32) * path::BYTES)
    }

    fn is_paced(&self, dev: &impl Device, node: u32) -> bool {
        let at = self.path(node);
        dev.get(at, path::LEVEL) | dev.get(at, path::LIMIT) != 0
    }

    /// A path of which nothing is known.
    pub(super) fn clear_path(&mut self, dev: &mut impl Device, node: u32) {
        let at = self.path(node);
        for word in (0..path::BYTES).step_by(4) {
            dev.put(at, word, 0);
        }
        dev.put(at, path::TIMED, path::NONE);
    }

    /// A peer has started again, and all messages to it have ended.
    #[cold]
    pub(super) fn forget_path(&mut self, dev: &mut impl Device, node: u32) {
        if self.is_paced(dev, node) {
            self.paced -= 1;
            self.weigh();
        }
        self.clear_path(dev, node);
    }

    /// Decides whether a short message may be sent at once.
    pub(super) fn weigh(&mut self) {
        self.is_plain = self.command.is_none() && self.paced == 0;
    }

    /// The state of a message that begins.
    pub(super) fn first_state(&self, dev: &impl Device, node: u32) -> u32 {
        match self.paced != 0 && self.is_paced(dev, node) {
            true => stage::SENDING | stage::PACED,
            false => stage::SENDING,
        }
    }

    /// An acknowledgement says how many receive buffers of a peer are free.
    #[inline(never)]
    pub(super) fn note_room(&mut self, dev: &mut impl Device, node: u32, room: u32) {
        let (at, level) = (self.path(node), self.settings.level(room));
        let before = dev.get(at, path::LEVEL);
        if level == before {
            return;
        }
        let was_paced = self.is_paced(dev, node);
        if level > before {
            dev.count(Counter::PeersSlowed);
        }
        if before == 0 {
            dev.put(at, path::DUE, dev.now());
        }
        dev.put(at, path::LEVEL, level);
        self.settle(dev, node, was_paced);
    }

    /// Frames to a peer were lost.
    #[cold]
    pub(super) fn narrow(&mut self, dev: &mut impl Device, node: u32) {
        let (at, now) = (self.path(node), dev.now());
        let limit = dev.get(at, path::LIMIT);
        // Once in a round trip: one loss makes several time-outs.
        if limit != 0 && now.wrapping_sub(dev.get(at, path::LOWERED)) < self.time_out(dev, node) {
            return;
        }
        let was_paced = self.is_paced(dev, node);
        let lower = if limit == 0 { FIRST_LIMIT } else { (limit / 2).max(1) };
        dev.put(at, path::LIMIT, lower);
        dev.put(at, path::LOWERED, now);
        dev.put(at, path::ACCEPTED, 0);
        dev.count(Counter::PathsNarrowed);
        self.settle(dev, node, was_paced);
    }

    /// The messages to a peer get a pace, or lose it.
    fn settle(&mut self, dev: &mut impl Device, node: u32, was_paced: bool) {
        let is_paced = self.is_paced(dev, node);
        if is_paced == was_paced {
            return;
        }
        self.paced = if is_paced { self.paced + 1 } else { self.paced - 1 };
        self.weigh();
        let mut next = 0;
        while let Some(record) = self.under_way.next(next) {
            next = record + 1;
            let sent = self.record(record);
            if dev.get(sent, record::NODE_NUMBER) & 0xFFFF != node {
                continue;
            }
            let state = dev.get(sent, record::STATE);
            dev.put(sent, record::STATE, if is_paced { state | stage::PACED } else { state & !stage::PACED });
        }
        if is_paced {
            self.gather(dev, node);
            return self.count_flying(dev);
        }
        // In the order of their numbers: a peer drops a message that comes before an older one.
        while let Some((_, record)) = self.first_waiting(dev, node) {
            self.waiting.remove(record);
            self.ready.push(record);
        }
    }

    /// Whether a frame of the first record of [`Self::ready`](Sender) may be sent now. If not, the
    /// record waits.
    #[cold]
    #[inline(never)]
    pub(super) fn may_leave(
        &mut self,
        dev: &mut impl Device,
        record: u32,
        sent: Place,
        state: u32,
        is_again: bool,
    ) -> bool {
        let (node, now) = (dev.get(sent, record::NODE_NUMBER) & 0xFFFF, dev.now());
        let (at, window) = (self.path(node), Window::at(sent.plus(record::WINDOW)));
        if !is_again && !window.may_send(dev) {
            self.ready.pop();
            self.let_one_go(dev, node);
            return false;
        }
        // Whether the peer has a receive now for a message that it has refused. This takes no place in
        // flight: the pauses of the message grow, and after a loss it would hold its place for one.
        let is_trial = is_again && state & stage::REFUSED != 0;
        let first = if is_trial { None } else { self.first_waiting(dev, node) };
        if first.is_some_and(|(rank, _)| rank < self.rank(dev, record)) {
            self.hold(dev, node);
            self.let_one_go(dev, node);
            return false;
        }
        let level = dev.get(at, path::LEVEL);
        if level != 0 {
            let due = dev.get(at, path::DUE);
            if !has_come(now, due) {
                self.hold(dev, node);
                self.hasten_pace(dev, due);
                return false;
            }
        }
        let begins = if is_again { dev.get(sent, record::AGAIN_FRAME) == 0 } else { window.begins(dev) };
        if begins && !is_trial {
            let (limit, flying) = (dev.get(at, path::LIMIT), dev.get(at, path::FLYING));
            if limit != 0 && flying >= limit {
                self.hold(dev, node);
                return false;
            }
            dev.put(at, path::FLYING, flying + 1);
            if !is_again && dev.get(at, path::TIMED) == path::NONE {
                dev.put(at, path::TIMED, record | window.sent(dev) << 16);
                dev.put(at, path::TIMED_SINCE, now);
            }
        }
        if level != 0 {
            dev.put(at, path::DUE, now.wrapping_add(self.settings.pace_cycles(level)));
        }
        true
    }

    /// A message with a pace begins: it waits with the others, and the first of them may go. In the
    /// queue of ready messages it could stand before an older message that waits.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_paced(&mut self, dev: &mut impl Device, node: u32, record: u32) {
        self.wait_in_line(dev, record);
        self.let_one_go(dev, node);
        self.start_timer(dev);
    }

    /// The first record of those that are ready waits, and all others to its peer.
    ///
    /// A younger message that stayed would leave before an older one. The peer would drop its first
    /// frame, which would be sent again after a time-out.
    fn hold(&mut self, dev: &mut impl Device, node: u32) {
        dev.count(Counter::MessagesHeld);
        self.gather(dev, node);
        self.start_timer(dev);
    }

    /// The messages to a peer with a pace that are ready wait instead.
    fn gather(&mut self, dev: &mut impl Device, node: u32) {
        for _ in 0..self.ready.len() {
            let Some(record) = self.ready.front() else { return };
            self.ready.pop();
            match dev.get(self.record(record), record::NODE_NUMBER) & 0xFFFF == node {
                true => self.wait_in_line(dev, record),
                false => self.ready.push(record),
            }
        }
    }

    /// Lets the message to a peer that waits and comes first try again.
    fn let_one_go(&mut self, dev: &mut impl Device, node: u32) {
        if let Some((_, record)) = self.first_waiting(dev, node) {
            self.waiting.remove(record);
            self.ready.push(record);
        }
    }

    /// A message with a pace waits for its turn.
    pub(super) fn wait_in_line(&mut self, dev: &mut impl Device, record: u32) {
        self.waiting.insert(record);
        let sent = self.record(record);
        let is_late = dev.get(sent, record::STATE) & stage::LATE != 0;
        if !Window::at(sent.plus(record::WINDOW)).begins(dev) || is_late && dev.get(sent, record::AGAIN_FRAME) != 0 {
            self.begun.insert(record);
        }
        let node_number = dev.get(sent, record::NODE_NUMBER);
        let from = self.waits_from(dev, node_number);
        let number = (node_number >> 16) as u16;
        if (number.wrapping_sub(from) as i16) < 0 {
            dev.put(self.path(node_number), path::WAITS_FROM, number.into());
        }
    }

    /// A number, before which no message to a peer waits and which is not before the oldest one.
    fn waits_from(&mut self, dev: &mut impl Device, node: u32) -> u16 {
        let (from, oldest) = (dev.get(self.path(node), path::WAITS_FROM) as u16, self.oldest_number(node));
        if (from.wrapping_sub(oldest) as i16) >= 0 {
            return from;
        }
        dev.put(self.path(node), path::WAITS_FROM, oldest.into());
        oldest
    }

    /// The message to a peer that waits and has the least rank, with its rank.
    ///
    /// Many messages may wait, and this is asked for each frame. So a search goes on where the one
    /// before has ended.
    fn first_waiting(&mut self, dev: &mut impl Device, node: u32) -> Option<(u32, u32)> {
        let mut next = 0;
        while let Some(record) = self.begun.next(next) {
            next = record + 1;
            if !self.waiting.has(record) {
                self.begun.remove(record);
            } else if dev.get(self.record(record), record::NODE_NUMBER) & 0xFFFF == node && self.is_within(dev, record)
            {
                return Some((0, record));
            }
        }
        let (mut number, end) = (self.waits_from(dev, node), self.next_number(node).0);
        let mut found = None;
        while found.is_none() && (number.wrapping_sub(end) as i16) < 0 {
            found = self.record_of(dev, node, number).filter(|record| self.waiting.has(*record));
            if found.is_none() {
                number = number.wrapping_add(1);
            }
        }
        dev.put(self.path(node), path::WAITS_FROM, number.into());
        found.map(|record| (self.rank(dev, record), record))
    }

    /// The rank of a message among the messages to its peer. A message in the middle of a
    /// collection has precedence, since its next frame needs no place in flight. Then the oldest
    /// has it, since a younger message with its tag would be dropped before it.
    fn rank(&self, dev: &impl Device, record: u32) -> u32 {
        if self.is_within(dev, record) {
            return 0;
        }
        let node_number = dev.get(self.record(record), record::NODE_NUMBER);
        1 + u32::from(((node_number >> 16) as u16).wrapping_sub(self.oldest_number(node_number)))
    }

    /// Whether the next frame of a message is not the first of its collection.
    fn is_within(&self, dev: &impl Device, record: u32) -> bool {
        let sent = self.record(record);
        let is_again = dev.get(sent, record::STATE) & stage::LATE != 0 && dev.get(sent, record::AGAIN) != 0;
        match is_again {
            true => dev.get(sent, record::AGAIN_FRAME) != 0,
            false => !Window::at(sent.plus(record::WINDOW)).begins(dev),
        }
    }

    /// A collection of a message with a pace was accepted.
    pub(super) fn on_paced_ack(&mut self, dev: &mut impl Device, node: u32, record: u32, collection: u32) {
        let at = self.path(node);
        dev.put(at, path::FLYING, dev.get(at, path::FLYING).saturating_sub(1));
        if dev.get(at, path::TIMED) == record | collection << 16 {
            dev.put(at, path::TIMED, path::NONE);
            let trip = dev.now().wrapping_sub(dev.get(at, path::TIMED_SINCE));
            self.note_trip(dev, at, trip);
        }
        let (limit, accepted) = (dev.get(at, path::LIMIT), dev.get(at, path::ACCEPTED) + 1);
        dev.put(at, path::ACCEPTED, accepted);
        if limit != 0 && accepted >= GROWTH * limit {
            let higher = if limit < LIMIT_MAX { limit + 1 } else { 0 };
            dev.put(at, path::ACCEPTED, 0);
            dev.put(at, path::LIMIT, higher);
            self.settle(dev, node, true);
        }
        self.let_one_go(dev, node);
    }

    /// Means of the round trip and of its differences, as TCP takes them.
    ///
    /// A collection that was sent again counts from its first frame on, so a time-out that is too
    /// short grows. A trip counts up to about twice the mean, though: it may have a whole time-out
    /// in it, since a frame was lost, and such trips must not lengthen the next time-out and by
    /// that themselves.
    fn note_trip(&mut self, dev: &mut impl Device, at: Place, trip: u32) {
        let (mean, spread) = (dev.get(at, path::TRIP), dev.get(at, path::SPREAD));
        let trip = trip.min((mean >> 2) + self.settings.resend_cycles);
        if mean == 0 {
            dev.put(at, path::TRIP, trip << 3);
            return dev.put(at, path::SPREAD, trip << 1);
        }
        let difference = trip.wrapping_sub(mean >> 3) as i32;
        dev.put(at, path::TRIP, mean.wrapping_add(difference as u32));
        dev.put(at, path::SPREAD, spread - (spread >> 2) + difference.unsigned_abs());
    }

    /// The time-out of a path on which round trips were measured; otherwise the first interval.
    fn time_out(&self, dev: &impl Device, node: u32) -> u32 {
        let (at, resend) = (self.path(node), self.settings.resend_cycles);
        ((dev.get(at, path::TRIP) >> 3) + dev.get(at, path::SPREAD)).max(resend).min(INTERVAL_MAX * resend)
    }

    /// The interval of a collection that is sent now, of a message that is late or has a pace.
    #[cold]
    pub(super) fn interval(&self, dev: &impl Device, sent: Place) -> u32 {
        let state = dev.get(sent, record::STATE);
        let late = if state & stage::LATE != 0 { dev.get(sent, record::INTERVAL) } else { 0 };
        match state & stage::PACED != 0 {
            true => late.max(self.time_out(dev, dev.get(sent, record::NODE_NUMBER) & 0xFFFF)),
            false => late.max(self.settings.resend_cycles),
        }
    }

    /// The collections of a message are not in flight any more: its peer has dropped them. `state`:
    /// before that. Other messages to the peer need not wait for this one.
    pub(super) fn give_places_back(&mut self, dev: &mut impl Device, sent: Place, state: u32) {
        // How long the message rests now is no round trip.
        let at = self.path(dev.get(sent, record::NODE_NUMBER));
        let timed = dev.get(at, path::TIMED);
        if timed != path::NONE && self.record(timed & 0xFFFF) == sent {
            dev.put(at, path::TIMED, path::NONE);
        }
        if state & (stage::PACED | stage::REFUSED | stage::EARLY) != stage::PACED {
            return;
        }
        let node = dev.get(sent, record::NODE_NUMBER) & 0xFFFF;
        let (at, places) = (self.path(node), Window::at(sent.plus(record::WINDOW)).in_flight(dev, 0));
        dev.put(at, path::FLYING, dev.get(at, path::FLYING).saturating_sub(places));
        self.let_one_go(dev, node);
    }

    /// Counts what is in flight on each path with a pace, and lets a message of each try again.
    ///
    /// Collections whose frames were not all sent do not count: no timer runs for them, so they
    /// could hold up their own message for ever.
    #[cold]
    pub(super) fn count_flying(&mut self, dev: &mut impl Device) {
        for node in 0..self.settings.node_count {
            let at = self.path(node);
            dev.put(at, path::FLYING, 0);
            // Its message was given up.
            let since = dev.now().wrapping_sub(dev.get(at, path::TIMED_SINCE));
            if since > INTERVAL_MAX * self.settings.resend_cycles {
                dev.put(at, path::TIMED, path::NONE);
            }
        }
        let mut next = 0;
        while let Some(record) = self.under_way.next(next) {
            next = record + 1;
            let sent = self.record(record);
            let state = dev.get(sent, record::STATE);
            let dropped = stage::REFUSED | stage::EARLY;
            if state & (stage::MASK | stage::PACED | dropped) != stage::SENDING | stage::PACED {
                continue;
            }
            let lost = if state & stage::LATE != 0 { dev.get(sent, record::AGAIN) } else { 0 };
            let flying = Window::at(sent.plus(record::WINDOW)).in_flight(dev, lost);
            let at = self.path(dev.get(sent, record::NODE_NUMBER) & 0xFFFF);
            dev.put(at, path::FLYING, dev.get(at, path::FLYING) + flying);
        }
        for node in 0..self.settings.node_count {
            self.let_one_go(dev, node);
        }
    }

    /// Lets the timer of the paces fire at a time, if it would fire later.
    fn hasten_pace(&mut self, dev: &mut impl Device, due: u32) {
        if !self.is_pace_set || (due.wrapping_sub(self.pace_due) as i32) < 0 {
            (self.is_pace_set, self.pace_due) = (true, due);
            dev.set_timer(PACE_TIMER, due);
        }
    }

    /// The timer of the paces has fired: messages to slow peers may go on.
    #[cold]
    pub(crate) fn on_pace(&mut self, dev: &mut impl Device) {
        self.is_pace_set = false;
        for node in 0..self.settings.node_count {
            let at = self.path(node);
            if dev.get(at, path::LEVEL) == 0 {
                continue;
            }
            let due = dev.get(at, path::DUE);
            match has_come(dev.now(), due) {
                true => self.let_one_go(dev, node),
                false => self.hasten_pace(dev, due),
            }
        }
    }
}
