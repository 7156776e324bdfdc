//! Transmissions of a frame, and what the node at the other end makes of them.

use nic_layout::frame::link::FrameKind;
use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::host;
use super::way::{same_low_bits, Leg, PathError, Way};
use crate::account::Clock;
use crate::log::{NodeLog, Probe, SentFrame};
use crate::route::Passage;

impl<'a> Way<'a> {
    /// All transmissions of the last frame of a kind, up to the transmission that is accepted.
    pub(super) fn flights(&mut self, kind: FrameKind) -> Result<(), PathError> {
        let leg = self.leg(kind)?;
        for (index, attempt) in leg.attempts.iter().enumerate() {
            let accepted = self.flight(&leg, attempt)?;
            match leg.attempts.get(index + 1) {
                // Accepted, or received and lost from sight: a later copy changes nothing.
                _ if accepted => break,
                Some(next) => {
                    // The next copy may leave before this one is judged.
                    self.marks.retain(|mark| mark.at <= next.start);
                    self.wait_for_retransmission(&leg, attempt, next);
                }
                None => return Err(self.journey.missing("its last frame was never accepted")),
            }
        }
        Ok(())
    }

    /// The first copy of a frame that came into the receive ring of the other node, and when.
    /// `None` if the network has lost it, or the MAC has dropped it.
    pub(super) fn stored(&self, frame: &SentFrame, sender: usize, receiver: usize) -> Option<(Passage<'a>, Ps)> {
        let log = self.journey.logs[receiver];
        self.journey.network.passages(sender, frame).into_iter().find_map(|passage| {
            // The frame is in the ring well before another one of the smallest size can end. So if it
            // was dropped, that shows first.
            let stored = log.first_pulse(Probe::MacRxDone, passage.arrived)?;
            let dropped = log.first_pulse(Probe::MacRxDrop, passage.arrived);
            dropped.is_none_or(|dropped| dropped > stored).then_some((passage, stored))
        })
    }

    /// A frame on its way to the receive ring of the other node. When it is there, if it comes.
    pub(super) fn arrive(&mut self, frame: &SentFrame, sender: usize, receiver: usize) -> Option<Ps> {
        let network = self.journey.network;
        let Some((passage, stored)) = self.stored(frame, sender, receiver) else {
            match network.passages(sender, frame).first() {
                Some(dropped) => self.pass(frame, dropped, sender, receiver),
                None => self.mark(frame.start, sender, Clock::Link, "link: frame"),
            }
            return None;
        };
        self.pass(frame, &passage, sender, receiver);
        self.mark(stored, receiver, Clock::Core, "event waits");
        Some(stored)
    }

    /// A frame on its way through cables and switches.
    fn pass(&mut self, frame: &SentFrame, passage: &Passage<'_>, sender: usize, receiver: usize) {
        let latency = self.journey.network.latency();
        // When the frame began to leave what it has passed last, and when it had left it.
        let (mut start, mut end) = (frame.start, frame.end);
        for (switch, hop) in &passage.hops {
            // The first symbol travels alone: the wait for the others is part of the reception.
            self.leave(start, hop.first_in - latency, sender, "link: latency");
            let stages = [
                (hop.first_in, "receive"),
                (hop.decided, "waits for room"),
                (hop.admitted, "forward"),
                (hop.ready, "waits in the queue"),
            ];
            for (at, stage) in stages {
                self.mark(at, sender, Clock::Link, format!("switch {switch}: {stage}"));
            }
            (start, end) = (hop.first_out, hop.last_out);
        }
        let arrived = passage.arrived;
        self.leave(start, arrived - latency - (end - start), sender, "link: frame");
        self.mark(arrived - latency, sender, Clock::Link, "link: latency");
        self.mark(arrived, receiver, Clock::Link, "MAC: end of frame to the ring");
    }

    /// A frame that was to leave at `start` and is on the cable from `begins` on: a fault of the
    /// cable has held it back, or what that has doubled.
    fn leave(&mut self, start: Ps, begins: Ps, sender: usize, stage: &'static str) {
        if begins > start {
            self.mark(start, sender, Clock::Link, "link: held back");
        }
        self.mark(begins, sender, Clock::Link, stage);
    }

    /// One transmission: the frame on the link, and what the receiver made of it. True when it was
    /// accepted.
    fn flight(&mut self, leg: &Leg<'_>, frame: &SentFrame) -> Result<bool, PathError> {
        let journey = self.journey;
        let (sender, receiver) = (leg.from, leg.to);
        let log = journey.logs[receiver];
        let sequence = frame.data.map_or(0, |data| data.sequence);
        let Some(stored) = self.arrive(frame, sender, receiver) else {
            return Ok(false);
        };
        let Some((mut header, ..)) = header_of(log, stored, sequence) else {
            return Ok(false);
        };
        let mut from = stored;
        let (decided, verdict) = loop {
            let mut judged = log.markers(header, Ps::MAX);
            let Some((decided, verdict, _)) = judged.find(|(_, marker, _)| is_verdict(leg.kind, *marker)) else {
                return Err(journey.missing(&format!("the {} never decided on it", journey.role(receiver))));
            };
            self.core_work(receiver, from, decided);
            if verdict != Marker::FrameHeld {
                break (decided, verdict);
            }
            let Some((retaken, again)) = retaken(log, decided, sequence) else {
                return Err(journey.missing("it was held for ever"));
            };
            self.mark(decided, receiver, Clock::Core, "held, waits for the host");
            for (at, clock, stage) in host::stages(log, from, retaken).into_iter().filter(|(at, ..)| *at >= decided) {
                self.mark(at, receiver, clock, stage);
            }
            (from, header) = (retaken, again);
        };
        if verdict == Marker::Dropped {
            // The host may be at work on the miss before the firmware has dropped the frame.
            let waits = (Clock::Core, waits_for_time_out(journey.role(sender)));
            let host = host::stages(log, stored, decided).pop().map(|(_, clock, stage)| (clock, stage));
            let (clock, stage) = host.filter(|(_, stage)| stage != host::MISS_SERVED).unwrap_or(waits);
            self.mark(decided, receiver, clock, stage);
        }
        Ok(verdict == accepts(leg.kind))
    }

    /// Between a dropped frame and its next copy: the host serves the miss, then the time-out runs
    /// out.
    fn wait_for_retransmission(&mut self, leg: &Leg<'_>, attempt: &SentFrame, next: &SentFrame) {
        let (sender, receiver) = (leg.from, leg.to);
        let role = self.journey.role(sender);
        let from = self.last();
        let sequence = attempt.data.map_or(0, |data| data.sequence);
        let again = self.journey.logs[sender]
            .markers(from, next.start)
            .rfind(|(_, marker, argument)| *marker == Marker::Retransmit && same_low_bits(*argument, sequence));
        let cause = self.journey.logs[sender]
            .markers(from, again.map_or(next.start, |(at, ..)| at))
            .rfind(|(_, marker, _)| matches!(marker, Marker::Timeout | Marker::RestartReceived));
        let until = cause.or(again).map_or(next.start, |(at, ..)| at);
        let (waits, begins) = match cause {
            Some((_, Marker::RestartReceived, _)) => {
                (format!("waits for the {role} to be told"), format!("{role}: restart"))
            }
            _ => (waits_for_time_out(role), format!("{role}: time-out")),
        };
        // What the miss service does lies within the wait; after it the message waits for the sender.
        let mut stages = host::stages(self.journey.logs[receiver], from, until);
        if let Some(last) = stages.last_mut() {
            last.2 = waits;
        }
        for (at, clock, stage) in stages {
            self.mark(at, receiver, clock, stage);
        }
        if let Some((at, ..)) = cause {
            self.mark(at, sender, Clock::Core, begins);
        }
        if let Some((at, ..)) = again {
            self.mark(at, sender, Clock::Core, format!("{role}: retransmission to the MAC"));
        }
    }
}

/// Where a frame is judged, again perhaps.
fn header_of(log: &NodeLog, from: Ps, sequence: u32) -> Option<(Ps, Marker, u32)> {
    log.markers(from, Ps::MAX)
        .find(|(_, marker, argument)| *marker == Marker::ReceiveHeader && same_low_bits(*argument, sequence))
}

/// When a held frame is taken again, and when it is judged again. A copy of the frame may arrive
/// meanwhile, and is dropped.
fn retaken(log: &NodeLog, from: Ps, sequence: u32) -> Option<(Ps, Ps)> {
    let mut again = log.markers(from, Ps::MAX).filter(|(_, marker, _)| *marker == Marker::FrameRetaken);
    again.find_map(|(at, ..)| {
        let (judged, _, argument) = log.markers(at, Ps::MAX).find(|(_, marker, _)| *marker == Marker::ReceiveHeader)?;
        same_low_bits(argument, sequence).then_some((at, judged))
    })
}

/// The marker by which the firmware accepts a frame: with data, the post of their DMA.
fn accepts(kind: FrameKind) -> Marker {
    match kind {
        FrameKind::READ => Marker::Accepted,
        _ => Marker::DmaWritePosted,
    }
}

/// How the judgement of a frame ends.
fn is_verdict(kind: FrameKind, marker: Marker) -> bool {
    marker == accepts(kind) || matches!(marker, Marker::Dropped | Marker::Refused | Marker::FrameHeld)
}

pub(super) fn waits_for_time_out(role: &str) -> String {
    format!("waits for the {role}'s time-out")
}
