//! What a core does for messages that the NIC matches, in the steps of Table 3.1 of the thesis.
//!
//! Each time between two markers of a core belongs to one step, so the steps and the sleep add up
//! to the whole time. The time from an event to the marker behind it belongs to the step of the
//! marker.

use nic_layout::trace::Marker;
use sim_pins::Ps;

use crate::log::{Core, NodeLog, Probe};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Posts of sends, and the records of messages that are sent.
    SendBookkeeping,
    /// Frames that leave: their data and their headers.
    Transmission,
    /// Acknowledgements that come.
    ReceiveAcknowledgement,
    /// Posts of receives; frames that are classified and matched.
    ReceiveBookkeeping,
    /// Frames that are entered into the books of their message; ends of messages.
    ReceiveFrame,
    /// Data on their way to host memory.
    Receiving,
    /// Acknowledgements that leave.
    SendAcknowledgement,
    /// Anything else: commands, dispatch without work.
    Other,
}

impl Step {
    /// All steps, in the order of the table.
    pub const ALL: [Step; 8] = [
        Step::SendBookkeeping,
        Step::Transmission,
        Step::ReceiveAcknowledgement,
        Step::ReceiveBookkeeping,
        Step::ReceiveFrame,
        Step::Receiving,
        Step::SendAcknowledgement,
        Step::Other,
    ];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Step::SendBookkeeping => "send bookkeeping",
            Step::Transmission => "transmission",
            Step::ReceiveAcknowledgement => "receive acknowledgement",
            Step::ReceiveBookkeeping => "receive bookkeeping",
            Step::ReceiveFrame => "receive frame",
            Step::Receiving => "receiving",
            Step::SendAcknowledgement => "send acknowledgement",
            Step::Other => "other",
        }
    }
}

/// What a core did in a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Time of each step, in the order of [`Step::ALL`].
    times: [Ps; Step::ALL.len()],
    /// Time in which the core slept.
    pub asleep: Ps,
    /// The whole time.
    pub whole: Ps,
}

impl Steps {
    /// What a core of a node did from its first marker to its last in this time.
    pub fn of(log: &NodeLog, core: Core, from: Ps, to: Ps) -> Steps {
        let markers: Vec<(Ps, Marker)> = log.markers_of(core, from, to).map(|(at, marker, _)| (at, marker)).collect();
        let mut steps = Steps::default();
        let mut step = Step::Other;
        for (index, pair) in markers.windows(2).enumerate() {
            let [(begin, marker), (end, next)] = [pair[0], pair[1]];
            let mut woken = begin;
            if marker == Marker::Idle {
                woken = wakes(log, core, next, begin, end);
                step = woken_for(core, next, behind(&markers[index + 2..]));
                steps.asleep += woken - begin;
            } else {
                step = begun_by(core, marker, behind(&markers[index + 1..])).unwrap_or(step);
            }
            let time = &mut steps.times[step as usize];
            *time += end - woken;
            steps.whole += end - begin;
        }
        steps
    }

    /// The time of a step.
    pub fn time(&self, step: Step) -> Ps {
        self.times[step as usize]
    }

    /// What is missing in the sum of steps and sleep: zero, or a bug of ours.
    pub fn difference_ps(&self) -> i128 {
        let sum: u64 = self.times.iter().map(|time| time.0).sum();
        i128::from(self.whole.0) - i128::from(sum + self.asleep.0)
    }
}

/// When the core woke that was idle at `from` and came to the marker `next` at `to`.
fn wakes(log: &NodeLog, core: Core, next: Marker, from: Ps, to: Ps) -> Ps {
    let cause = match next {
        Marker::MailboxTaken => Some(Probe::Mailbox),
        Marker::ReceiveBegin => Some(Probe::MacRxDone),
        Marker::MessagePlaced => Some(Probe::DmaWriteDone),
        _ => None,
    };
    let woken = match cause {
        Some(probe) => log.first_pulse(probe, from),
        // The other core has set its event.
        None => told_by(log, core, from, to),
    };
    woken.filter(|at| *at <= to).unwrap_or(to)
}

/// When the other core first told this one of an entry.
fn told_by(log: &NodeLog, core: Core, from: Ps, to: Ps) -> Option<Ps> {
    let other = if core == Core::A { Core::B } else { Core::A };
    log.markers_of(other, from, to)
        .find(|(_, marker, is_set)| *marker == Marker::PeerTold && *is_set != 0)
        .map(|it| it.0)
}

/// The first marker that says what the core does: waits for the semaphore are part of it.
fn behind(markers: &[(Ps, Marker)]) -> Option<Marker> {
    let is_wait = |marker: &Marker| matches!(marker, Marker::SemaphoreAsked | Marker::SemaphoreOwned);
    markers.iter().map(|(_, marker)| *marker).find(|marker| !is_wait(marker))
}

/// What a core does from its wake-up to its first marker, with the marker behind that.
fn woken_for(core: Core, first: Marker, next: Option<Marker>) -> Step {
    match first {
        // These stand at the end of their steps.
        Marker::DmaWritePosted => Step::Receiving,
        Marker::AckSent => Step::SendAcknowledgement,
        _ => begun_by(core, first, next).unwrap_or(Step::Other),
    }
}

/// The step that a marker begins on a core, with the marker behind it. `None`: the step before goes
/// on.
fn begun_by(core: Core, marker: Marker, next: Option<Marker>) -> Option<Step> {
    // A part of the other core goes on.
    let is_handed_over = next == Some(Marker::PeerTold);
    Some(match marker {
        // The sender, whose books these would be, runs on core A.
        Marker::MailboxTaken if core == Core::B || next == Some(Marker::ReceivePosted) => Step::ReceiveBookkeeping,
        Marker::TransmitPosted if core == Core::B => Step::Transmission,
        Marker::MailboxTaken | Marker::PostRead | Marker::TransmitPosted => Step::SendBookkeeping,
        Marker::RefusalReceived | Marker::Timeout => Step::SendBookkeeping,
        Marker::FrameBegun | Marker::MessageOpened => Step::Transmission,
        Marker::ReceiveBegin if matches!(next, Some(Marker::AckReceived | Marker::RefusalReceived)) => {
            Step::ReceiveAcknowledgement
        }
        // A sorter of core B hands answers over to the sender, and frames to the receiver beside it.
        Marker::ReceiveBegin if core == Core::B && is_handed_over => Step::ReceiveAcknowledgement,
        Marker::AckReceived | Marker::MessageSent => Step::ReceiveAcknowledgement,
        Marker::DmaWritePosted if next == Some(Marker::AckSent) => Step::SendAcknowledgement,
        Marker::ReceiveBegin | Marker::MatchBegun => Step::ReceiveBookkeeping,
        Marker::MessageMatched if is_handed_over => Step::ReceiveBookkeeping,
        Marker::ReceiveTaken | Marker::ReceivePosted | Marker::Dropped => Step::ReceiveBookkeeping,
        Marker::MessagePlaced | Marker::DmaWritePosted => Step::ReceiveFrame,
        Marker::MessageReceived if is_handed_over => Step::ReceiveFrame,
        Marker::AckSent if next != Some(Marker::DmaWritePosted) => Step::SendAcknowledgement,
        Marker::MessageMatched | Marker::FrameSorted | Marker::AckSent => Step::Receiving,
        Marker::MessageReceived | Marker::MessageRefused => Step::SendAcknowledgement,
        Marker::SemaphoreAsked | Marker::SemaphoreOwned | Marker::PeerTold => return None,
        _ => Step::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nic_layout::trace;
    use proptest::prelude::*;

    fn log(markers: &[(u64, Marker)], pulses: &[(u64, Probe)]) -> NodeLog {
        NodeLog {
            trace: markers.iter().map(|(at, marker)| (Ps(*at), trace::word(*marker, 0))).collect(),
            probes: pulses.iter().map(|(at, probe)| (Ps(*at), 1 << *probe as u32)).collect(),
            ..NodeLog::default()
        }
    }

    #[test]
    fn a_frame_that_comes_is_bookkeeping_then_receiving_then_an_acknowledgement() {
        let markers = [
            (0, Marker::Idle),
            (120, Marker::ReceiveBegin),
            (200, Marker::MatchBegun),
            (230, Marker::MessageMatched),
            (300, Marker::DmaWritePosted),
            (310, Marker::Idle),
            (500, Marker::MessagePlaced),
            (520, Marker::MessageReceived),
            (560, Marker::AckSent),
            (565, Marker::Idle),
        ];
        let log = log(&markers, &[(100, Probe::MacRxDone), (450, Probe::DmaWriteDone)]);
        let steps = Steps::of(&log, Core::A, Ps::ZERO, Ps::MAX);
        let times = Step::ALL.map(|step| steps.time(step).0);
        // 20 to wake, 80 + 30; 10 after the post, 50 to wake, 20 for the descriptor.
        assert_eq!(times, [0, 0, 0, 130, 80, 70, 45, 0]);
        assert_eq!((steps.asleep.0, steps.difference_ps()), (240, 0));
    }

    #[test]
    fn a_posted_receive_is_receive_bookkeeping() {
        let markers = [
            (0, Marker::MailboxTaken),
            (40, Marker::ReceivePosted),
            (60, Marker::ReceiveTaken),
            (65, Marker::Idle),
            (90, Marker::Idle),
        ];
        let steps = Steps::of(&log(&markers, &[]), Core::A, Ps::ZERO, Ps::MAX);
        assert_eq!((steps.time(Step::ReceiveBookkeeping).0, steps.asleep.0), (65, 25));
    }

    #[test]
    fn a_core_that_the_other_has_told_wakes_then_and_sends_the_acknowledgement() {
        let word = |marker, argument| trace::word(marker, argument);
        let log = NodeLog {
            trace: vec![(Ps(0), word(Marker::ReceiveBegin, 0)), (Ps(100), word(Marker::PeerTold, 1))],
            trace_b: vec![
                (Ps(10), word(Marker::Idle, 0)),
                (Ps(140), word(Marker::AckSent, 0)),
                (Ps(150), word(Marker::Idle, 0)),
            ],
            ..NodeLog::default()
        };
        let [a, b] = Core::BOTH.map(|core| Steps::of(&log, core, Ps::ZERO, Ps::MAX));
        assert_eq!((a.time(Step::ReceiveBookkeeping).0, a.whole.0), (100, 100));
        assert_eq!((b.time(Step::SendAcknowledgement).0, b.asleep.0, b.difference_ps()), (50, 90, 0));
    }

    proptest! {
        #[test]
        fn steps_and_sleep_add_up(list in prop::collection::vec((1u64..1000, 0usize..200), 2..60)) {
            let mut at = 0;
            let mut pulses = Vec::new();
            let markers: Vec<(u64, Marker)> = list.iter().map(|(after, index)| {
                at += after;
                pulses.push((at - after / 2, [Probe::Mailbox, Probe::MacRxDone, Probe::DmaWriteDone][index % 3]));
                (at, Marker::ALL[index % Marker::ALL.len()])
            }).collect();
            let steps = Steps::of(&log(&markers, &pulses), Core::A, Ps::ZERO, Ps::MAX);
            prop_assert_eq!(steps.difference_ps(), 0);
            prop_assert_eq!(steps.whole.0, at - markers[0].0);
        }
    }
}
