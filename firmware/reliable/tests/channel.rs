//! Two endpoints over a channel that loses, duplicates and reorders (INV-27, 29 to 33).

use std::collections::VecDeque;

use nic_reliable::{AckDue, Acknowledged, Arrival, Expired, ReceiveState, SendWindow};
use proptest::prelude::*;

const WINDOW: u32 = 8;
const INTERVAL: u64 = 40;
const ACK_FRAMES: u32 = 4;
const ACK_DELAY: u64 = 10;

/// One choice for each thing that the channel or the receiver may do wrong.
#[derive(Clone, Copy, Debug)]
struct Fault {
    lose: bool,
    duplicate: bool,
    delay: u64,
    /// The receiver drops the frame as on a miss.
    miss: bool,
}

fn fault() -> impl Strategy<Value = Fault> {
    (0u32..10, 0u32..10, prop_oneof![4 => 1u64..3, 1 => 1u64..60], 0u32..10).prop_map(
        |(lose, duplicate, delay, miss)| Fault { lose: lose < 2, duplicate: duplicate < 2, delay, miss: miss < 2 },
    )
}

struct Channel<T> {
    /// Arrival time, item.
    items: Vec<(u64, T)>,
}

impl<T: Copy> Channel<T> {
    fn send(&mut self, now: u64, item: T, fault: Fault) {
        if !fault.lose {
            self.items.push((now + fault.delay, item));
        }
        if fault.duplicate {
            self.items.push((now + 2 * fault.delay + 1, item));
        }
    }

    fn arrivals(&mut self, now: u64) -> Vec<T> {
        let due = self.items.iter().filter(|(at, _)| *at <= now).map(|(_, item)| *item).collect();
        self.items.retain(|(at, _)| *at > now);
        due
    }
}

proptest! {
    #[test]
    fn every_frame_arrives_once_and_in_order(
        first in prop_oneof![Just(0u32), Just(u32::MAX - 5), Just(i32::MAX as u32 - 3), any::<u32>()],
        count in 1u32..40,
        faults in prop::collection::vec(fault(), 1..60),
    ) {
        // After the drawn faults the channel is good, as loss below 1 promises in the long run.
        let mut faults: VecDeque<Fault> = faults.into();
        let mut next_fault = move || faults.pop_front().unwrap_or(Fault { lose: false, duplicate: false, delay: 1, miss: false });

        let mut sender = SendWindow::new(first);
        let mut receiver = ReceiveState::new(first);
        let (mut frames, mut acks) = (Channel { items: Vec::new() }, Channel { items: Vec::new() });
        let mut deadline: Option<u64> = None;
        let mut ack_deadline: Option<u64> = None;
        let mut resend: Option<u32> = None;
        let mut delivered = Vec::new();
        let mut acknowledged = 0;
        let mut now = 0;
        while acknowledged < count {
            now += 1;
            prop_assert!(now < 100_000, "no progress");

            // Sender.
            if let Some(sequence) = resend {
                if sequence == sender.next() {
                    resend = None;
                } else {
                    frames.send(now, sequence, next_fault());
                    resend = Some(sequence.wrapping_add(1));
                }
            } else if sender.in_flight() < WINDOW && sender.next().wrapping_sub(first) < count {
                let sequence = sender.issue();
                deadline.get_or_insert(now + INTERVAL);
                frames.send(now, sequence, next_fault());
            }
            if deadline.is_some_and(|deadline| deadline <= now) {
                match sender.expire(u32::MAX, now as u32) {
                    Expired::Nothing => deadline = None,
                    Expired::Resend => {
                        resend = Some(sender.oldest());
                        deadline = Some(now + u64::from(sender.interval(INTERVAL as u32)));
                    }
                    Expired::GiveUp => prop_assert!(false, "no limit was given"),
                }
            }
            for ack in acks.arrivals(now) {
                match sender.acknowledge(ack) {
                    Acknowledged::Frames(frames) => {
                        acknowledged += frames;
                        deadline = (sender.in_flight() != 0).then_some(now + INTERVAL);
                        if resend.is_some_and(|sequence| (sequence.wrapping_sub(ack) as i32) < 0) {
                            resend = Some(ack);
                        }
                    }
                    Acknowledged::Nothing => {}
                    Acknowledged::Wild => prop_assert!(false, "acknowledgement {ack:#x} of what was not sent"),
                }
            }

            // Receiver.
            for sequence in frames.arrivals(now) {
                let owes = match receiver.classify(sequence) {
                    Arrival::InOrder if next_fault().miss => false,
                    Arrival::InOrder => {
                        delivered.push(sequence);
                        receiver.advance();
                        true
                    }
                    Arrival::Duplicate => true,
                    Arrival::Gap => false,
                };
                if owes {
                    let last = sequence.wrapping_sub(first) == count - 1;
                    match receiver.owe(last, ACK_FRAMES) {
                        AckDue::Now => ack_deadline = Some(now),
                        AckDue::Soon => ack_deadline = Some(now + ACK_DELAY),
                        AckDue::Waiting => prop_assert!(ack_deadline.is_some()),
                    }
                }
            }
            if ack_deadline.is_some_and(|deadline| deadline <= now) {
                // INV-29: never beyond what was delivered.
                prop_assert_eq!(receiver.acknowledgement().wrapping_sub(first) as usize, delivered.len());
                acks.send(now, receiver.acknowledgement(), next_fault());
                receiver.acknowledged();
                ack_deadline = None;
            }
        }
        let expected: Vec<u32> = (0..count).map(|index| first.wrapping_add(index)).collect();
        prop_assert_eq!(delivered, expected);
    }

    /// Acknowledgements that anything may have written into the frame.
    #[test]
    fn any_acknowledgement_leaves_the_window_sound(first in any::<u32>(), steps in prop::collection::vec(any::<(bool, u32)>(), 1..200)) {
        let mut window = SendWindow::new(first);
        for (near, acknowledge) in steps {
            if window.in_flight() < WINDOW {
                window.issue();
            }
            let (oldest, in_flight) = (window.oldest(), window.in_flight());
            let acknowledge = if near { oldest.wrapping_add(acknowledge % 16).wrapping_sub(4) } else { acknowledge };
            match window.acknowledge(acknowledge) {
                Acknowledged::Frames(frames) => prop_assert!((1..=in_flight).contains(&frames) && window.in_flight() == in_flight - frames),
                _ => prop_assert_eq!((window.oldest(), window.in_flight()), (oldest, in_flight)),
            }
        }
    }
}
