//! Frames that come to nothing, and the acknowledgement of the message.

use host_model::events::EventKind;
use nic_layout::personality::emp::frame::{ACK, REFUSED};
use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::super::flight::waits_for_time_out;
use super::super::way::{PathError, Way};
use super::facts::Facts;
use super::frame::{sent, Sent};
use crate::account::Clock;
use crate::log::{Core, Probe};

impl Way<'_> {
    /// A transmission that came to nothing: the receiver refuses the message, or the frame is lost.
    /// The message waits until its sender sends again.
    pub(super) fn lose(&mut self, facts: &Facts<'_>, attempt: &Sent<'_>) -> Result<(), PathError> {
        let (journey, sender, receiver) = (self.journey, self.journey.sender, self.journey.receiver);
        let waits = waits_for_time_out(journey.role(sender));
        let Some((taken, core)) = self.fly(attempt.frame, sender, receiver) else {
            self.mark(self.last(), sender, Clock::Core, waits);
            return self.wake(facts);
        };
        let log = journey.logs[receiver];
        let is_over = |marker: Marker| matches!(marker, Marker::ReceiveBegin | Marker::Idle);
        let over = log.markers_of(core, Ps(taken.0 + 1), Ps::MAX).find(|(_, marker, _)| is_over(*marker));
        let over = over.map_or(taken, |(at, ..)| at);
        let refused = log.find(taken, over, |marker, _| marker == Marker::MessageRefused);
        let answer = refused.and_then(|(at, _)| {
            let mut answers = sent(log, sender, at, Ps::MAX);
            answers.find(|answer| answer.header.kind == REFUSED && answer.header.of_message() == facts.number)
        });
        let Some(answer) = answer else {
            self.work(receiver, core, taken, over);
            self.mark(over, sender, Clock::Core, waits);
            return self.wake(facts);
        };
        self.answer(answer, receiver, (taken, core))?;
        let Some((heard, core)) = self.fly(answer.frame, receiver, sender) else {
            self.mark(self.last(), sender, Clock::Core, waits);
            return self.wake(facts);
        };
        let is_own = |marker, argument| marker == Marker::RefusalReceived && argument == facts.send;
        let known = journey.logs[sender].find(heard, Ps::MAX, is_own).map_or(heard, |(at, _)| at);
        self.work(sender, core, heard, known);
        self.mark(known, sender, Clock::Core, "waits for the sender's pause");
        self.wake(facts)
    }

    /// The timer of the sender.
    fn wake(&mut self, facts: &Facts<'_>) -> Result<(), PathError> {
        let (journey, from) = (self.journey, self.last());
        let is_own = |marker, argument| marker == Marker::Timeout && argument == facts.send;
        let (at, _) = journey.logs[journey.sender]
            .find(from, Ps::MAX, is_own)
            .ok_or_else(|| journey.missing("it was never sent again"))?;
        self.mark(at, journey.sender, Clock::Core, "sender: time-out");
        Ok(())
    }

    /// An answer of a node, from where a core begins it to the first byte on the wire.
    fn answer(&mut self, answer: Sent<'_>, node: usize, (from, core): (Ps, Core)) -> Result<(), PathError> {
        let log = self.journey.logs[node];
        let start = answer.frame.start;
        let mac = log
            .last_pulse(Probe::MacTxStart, start)
            .filter(|at| *at >= from)
            .ok_or_else(|| self.journey.missing("the MAC never fetched its answer"))?;
        let handed = log.find_last(from, mac, |marker, _| marker == Marker::AckSent);
        let (handed, transmitter) = handed.unwrap_or((mac, core));
        if transmitter == core {
            self.work(node, core, from, handed);
        } else {
            let is_idle = |marker: Marker| matches!(marker, Marker::ReceiveBegin | Marker::Idle);
            let mut after = log.markers_of(core, Ps(from.0 + 1), handed).filter(|(_, marker, _)| is_idle(*marker));
            let passed = after.next().map_or(handed, |(at, ..)| at);
            self.work(node, core, from, passed);
            self.mark(passed, node, Clock::Core, "handed over, waits for the other core");
            self.work(node, transmitter, passed, handed);
        }
        self.mark(handed, node, Clock::Core, "MAC: descriptor");
        self.mark(mac, node, Clock::Core, "MAC: data to the link's clock");
        Ok(())
    }

    /// From the message that is there to the sender whose descriptor says so.
    pub(in crate::path) fn acknowledgement(&mut self) -> Result<(), PathError> {
        let facts = self.facts()?;
        let (journey, sender, receiver) = (self.journey, self.journey.sender, self.journey.receiver);
        let (received, core) = facts.received;
        let ended = journey.logs[sender]
            .find(received, Ps::MAX, |marker, argument| marker == Marker::MessageSent && argument == facts.send)
            .ok_or_else(|| journey.missing("the sender never ended it"))?;
        let answers: Vec<Sent<'_>> = sent(journey.logs[receiver], sender, received, ended.0)
            .filter(|answer| answer.header.kind == ACK && answer.header.of_message() == facts.number)
            .collect();
        // The one that ended the message: another may be on its way then.
        let taken = |answer: &Sent<'_>| self.taken(answer.frame, receiver, sender).map(|(at, _)| at);
        let heard = answers.iter().enumerate().filter_map(|(index, answer)| Some((taken(answer)?, index)));
        let (_, last) = heard
            .filter(|(at, _)| *at <= ended.0)
            .max()
            .ok_or_else(|| journey.missing("no acknowledgement of it was taken"))?;
        let answer = answers[last];
        if last == 0 {
            self.answer(answer, receiver, (received, core))?;
        } else {
            self.mark(received, sender, Clock::Core, waits_for_time_out(journey.role(sender)));
        }
        let (heard, core) = self
            .fly(answer.frame, receiver, sender)
            .ok_or_else(|| journey.missing("its acknowledgement was never taken"))?;
        if core == ended.1 {
            self.work(sender, core, heard, ended.0);
        } else {
            self.mark(heard, sender, Clock::Core, "handed over, waits for the other core");
            self.work(sender, ended.1, heard, ended.0);
        }
        Ok(())
    }

    /// From the descriptor that says so to the sending process that sees it.
    pub(in crate::path) fn seen_by_the_sender(&mut self) -> Result<(), PathError> {
        let facts = self.facts()?;
        let (journey, node) = (self.journey, self.journey.sender);
        let log = journey.logs[node];
        let ended = log
            .find(facts.received.0, Ps::MAX, |marker, argument| marker == Marker::MessageSent && argument == facts.send)
            .map_or(facts.received.0, |(at, _)| at);
        let poll = log.post(journey.message, EventKind::PollBegin).ok_or_else(|| journey.missing("no PollBegin"))?;
        self.poll(node, ended, poll);
        Ok(())
    }
}
