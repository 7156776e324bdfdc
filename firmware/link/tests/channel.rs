//! Two links over a channel that loses, doubles and delays frames: no caches, no posts.

mod mock;

use mock::Mock;
use nic_device::{Device as _, Words as _};
use nic_dma::{HostReads, ReadTag};
use nic_layout::counter::Counter;
use nic_layout::frame::link::{FrameKind, FLAG_LAST};
use nic_layout::frame::rdma::{word, HEADER_BYTES};
use nic_link::{Framing, Link, LinkConfig, Overdue, ACK_TIMER, RETRANSMIT_TIMER};
use nic_reliable::Arrival;
use proptest::prelude::*;

/// The owner of a frame is its number in the order of sending.
#[derive(Clone, Copy, Debug)]
struct Numbered;

impl Framing for Numbered {
    type Owner = u32;
    const NO_OWNER: u32 = u32::MAX;
    const HEADER_BYTES: u32 = HEADER_BYTES as u32;
    const MARK: u32 = 0;
}

#[derive(Clone, Copy)]
struct Release;

impl ReadTag for Release {
    const RELEASE: Release = Release;
}

const RECEIVE: u32 = 0x8000;
const FLAGS: u8 = FLAG_LAST;
const SESSION: u32 = 7;

struct End {
    dev: Mock,
    link: Link<Numbered>,
    reads: HostReads<Release>,
    peer: usize,
    sent: u32,
    /// Owners of frames that were acknowledged, and that were given up, in this order.
    acknowledged: Vec<u32>,
    abandoned: Vec<u32>,
    /// Message words of frames that were accepted.
    accepted: Vec<u32>,
}

impl End {
    fn new(node: u32, retransmit_limit: u32) -> End {
        End::of_session(node, retransmit_limit, SESSION)
    }

    fn of_session(node: u32, retransmit_limit: u32, session: u32) -> End {
        let mut end = End {
            dev: Mock::new(0x1_0000),
            link: Link::new(),
            reads: HostReads::new(Release),
            peer: 1 - node as usize,
            sent: 0,
            acknowledged: Vec::new(),
            abandoned: Vec::new(),
            accepted: Vec::new(),
        };
        end.dev.count_at(0xF000);
        let config = LinkConfig {
            node,
            node_count: 2,
            session,
            window_frames: 5,
            ack_frames: 3,
            ack_cycles: 9,
            retransmit_cycles: 60,
            retransmit_limit,
            tx_buffers: 0x1000,
            tx_buffer_count: 8,
            buffer_bytes: 64,
            ack_buffers: 0x4000,
        };
        end.link.start(&mut end.dev, &config);
        end
    }

    fn counter(&self, counter: Counter) -> u32 {
        self.dev.read(0xF000 + counter.offset())
    }

    fn send(&mut self) -> bool {
        if self.link.check_room(&self.reads, self.peer, 1).is_err() {
            return false;
        }
        let Some(buffer) = self.link.ready_buffer(&mut self.dev) else { return false };
        self.dev.write(buffer + word::TYPE, word::kind(FrameKind::WRITE, FLAG_LAST));
        self.dev.write(buffer + word::MESSAGE, self.sent);
        self.link.send(&mut self.dev, &mut self.reads, self.peer, 0, self.sent);
        self.sent += 1;
        true
    }

    /// The peer has another session from now on.
    fn restart_peer(&mut self, session: u32) {
        let ended = self.link.restart_peer(&mut self.dev, self.peer, session);
        for sequence in ended.sequences() {
            self.abandoned.push(self.link.take_back(self.peer, sequence));
        }
    }

    fn process_acknowledge(&mut self, node: usize, acknowledge: u32) {
        let Some(ended) = self.link.acknowledge(&mut self.dev, node, acknowledge) else { return };
        for sequence in ended.sequences() {
            self.acknowledged.push(self.link.take_back(node, sequence));
        }
        self.link.after_acknowledgement(&mut self.dev, node, false);
        self.link.skip_acknowledged(node);
    }

    /// `Err`: the counter of a frame that this node drops.
    fn receive(&mut self, frame: &[u32]) -> Result<(), Counter> {
        for (at, &word) in (RECEIVE..).step_by(4).zip(frame) {
            self.dev.write(at, word);
        }
        let at = self.dev.place(RECEIVE);
        let (type_word, node_length) = (frame[3], frame[4]);
        let bytes = 4 * frame.len() as u32;
        let node = self.link.check_source::<false>(&self.dev, at, (type_word, FLAGS), node_length, bytes)?;
        let acknowledge = self.dev.get(at, word::ACKNOWLEDGE);
        if type_word & word::KIND_MASK == word::kind(FrameKind::WRITE, 0) {
            match self.link.classify(node, self.dev.get(at, word::SEQUENCE)) {
                Arrival::InOrder => {
                    self.accepted.push(self.dev.get(at, word::MESSAGE));
                    self.link.advance(node);
                    self.link.owe_ack(&mut self.dev, node, false);
                }
                Arrival::Duplicate => self.link.owe_ack(&mut self.dev, node, true),
                Arrival::Gap => {}
            }
        }
        self.process_acknowledge(node, acknowledge);
        Ok(())
    }

    fn step(&mut self) {
        self.dev.now = self.dev.now.wrapping_add(1);
        while self.dev.step_read() {}
        while self.reads.oldest_ended(self.dev.dma_read_consumer()).is_some() {
            self.reads.retire();
        }
        if self.dev.takes_timer(ACK_TIMER) {
            self.link.expire_acks(&mut self.dev);
            self.link.restart_ack_timer(&mut self.dev);
        }
        if let Some(node) = self.link.next_ack_due() {
            self.link.send_ack(&mut self.dev, &mut self.reads, node);
        }
        if self.dev.takes_timer(RETRANSMIT_TIMER) {
            for node in self.link.expire_retransmit(&self.dev).collect::<Vec<_>>() {
                if self.link.check_overdue(&mut self.dev, node) == Overdue::Unanswered {
                    if let Some(ended) = self.link.retry(&mut self.dev, node) {
                        for sequence in ended.sequences() {
                            self.abandoned.push(self.link.take_back(node, sequence));
                        }
                    }
                }
            }
            self.link.restart_retransmit_timer(&mut self.dev);
        }
        if self.link.resending() != 0 {
            self.link.resend_one(&mut self.dev, &mut self.reads).unwrap();
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Fault {
    lose: bool,
    double: bool,
    delay: u32,
}

fn fault() -> impl Strategy<Value = Fault> {
    (0u32..10, 0u32..10, prop_oneof![4 => 1u32..3, 1 => 1u32..90]).prop_map(|(lose, double, delay)| Fault {
        lose: lose < 2,
        double: double < 2,
        delay,
    })
}

proptest! {
    #[test]
    fn every_frame_of_both_nodes_arrives_once_and_in_order(
        counts in (1u32..40, 0u32..40),
        faults in prop::collection::vec(fault(), 1..120),
    ) {
        let counts = [counts.0, counts.1];
        // After the drawn faults the channel is good.
        let mut faults = faults.into_iter().chain(std::iter::repeat(Fault { lose: false, double: false, delay: 1 }));
        let mut ends = [End::new(0, u32::MAX), End::new(1, u32::MAX)];
        let mut wire: Vec<(u32, usize, Vec<u32>)> = Vec::new();
        let mut before = [0, 0];
        for now in 0.. {
            prop_assert!(now < 100_000, "no progress");
            for node in 0..2 {
                if ends[node].sent < counts[node] {
                    ends[node].send();
                }
                ends[node].step();
                while let Some(frame) = ends[node].dev.step_transmit() {
                    let fault = faults.next().unwrap();
                    if !fault.lose {
                        wire.push((now + fault.delay, 1 - node, frame.clone()));
                    }
                    if fault.double {
                        wire.push((now + 2 * fault.delay + 1, 1 - node, frame));
                    }
                }
            }
            let (due, later): (Vec<_>, Vec<_>) = wire.drain(..).partition(|(at, ..)| *at <= now);
            wire = later;
            for (_, node, frame) in due {
                prop_assert_eq!(ends[node].receive(&frame), Ok(()));
            }
            for node in 0..2 {
                // INV-29: acknowledgements never move back, nor beyond what the other node has accepted.
                prop_assert!(ends[node].acknowledged.len() >= before[node]);
                prop_assert!(ends[node].acknowledged.len() <= ends[1 - node].accepted.len());
                before[node] = ends[node].acknowledged.len();
            }
            if (0..2).all(|node| ends[node].acknowledged.len() as u32 == counts[node]) {
                break;
            }
        }
        for node in 0..2 {
            let all: Vec<u32> = (0..counts[node]).collect();
            prop_assert_eq!(&ends[1 - node].accepted, &all);
            prop_assert_eq!(&ends[node].acknowledged, &all);
            prop_assert_eq!(ends[node].counter(Counter::FramesSent), counts[node]);
            prop_assert_eq!(ends[node].counter(Counter::AcksWild), 0);
        }
    }
}

#[test]
fn a_silent_peer_is_given_up_and_every_frame_ends() {
    let mut end = End::new(0, 3);
    while end.send() {}
    assert_eq!(end.sent, 5, "a window full");
    for _ in 0..2000 {
        end.step();
        while end.dev.step_transmit().is_some() {}
    }
    assert_eq!((end.acknowledged.len(), end.abandoned.as_slice()), (0, [0, 1, 2, 3, 4].as_slice()));
    assert!(end.link.is_lost(1) && !end.send());
    assert_eq!([Counter::PeersLost, Counter::FramesAbandoned].map(|counter| end.counter(counter)), [1, 5]);
    assert_eq!(end.counter(Counter::FramesRetransmitted), 15, "three times each");
}

#[test]
fn frames_that_are_not_ours_are_told_apart_by_their_counter() {
    let session = SESSION as u8;
    let frame = |node: u8, to: u16, from_session: u8, data_bytes: u16| {
        let mut frame = vec![0; 15];
        frame[..3].copy_from_slice(&word::addresses(to, word::station(node, from_session)));
        frame[3] = word::kind(FrameKind::WRITE, FLAG_LAST);
        frame[4] = word::node_length(node, from_session, data_bytes);
        frame
    };
    let mut end = End::new(0, 3);
    let own = word::station(0, session);
    assert_eq!(end.receive(&frame(1, own, session, 12)), Ok(()));
    assert_eq!(end.receive(&frame(1, own, session, 13)), Err(Counter::FramesMalformed), "longer than it is");
    let other = word::station(1, session);
    assert_eq!(end.receive(&frame(1, other, session, 12)), Err(Counter::FramesMalformed), "to another node");
    let earlier = word::station(0, session - 1);
    let malformed = Err(Counter::FramesMalformed);
    assert_eq!(end.receive(&frame(1, earlier, session, 12)), malformed, "to an earlier incarnation of this node");
    assert_eq!(end.receive(&frame(2, own, session, 12)), Err(Counter::FramesStrange), "of no peer");
    assert_eq!(end.receive(&frame(0, own, session, 12)), Err(Counter::FramesStrange), "of this node");
    assert_eq!(end.receive(&frame(1, own, session + 1, 12)), Err(Counter::FramesStrange), "of another session");
    assert_eq!(end.accepted, [0]);
}

proptest! {
    /// INV-31: node 1 starts again at any moment, and node 0 is told of it at any later one, while
    /// frames of both sessions are on the wire in both directions.
    #[test]
    fn nothing_of_an_earlier_incarnation_of_a_peer_is_accepted(
        (restart, told_after) in (0u32..400, 0u32..300),
        faults in prop::collection::vec(fault(), 1..120),
    ) {
        const LATER: u32 = 1_000_000;
        let mut faults = faults.into_iter().chain(std::iter::repeat(Fault { lose: false, double: true, delay: 30 }));
        let mut ends = [End::new(0, u32::MAX), End::new(1, u32::MAX)];
        let mut wire: Vec<(u32, usize, Vec<u32>)> = Vec::new();
        let (mut of_old, mut refused) = (Vec::new(), 0);
        // What node 0 had sent when it was told, and what it had taken of the old node 1.
        let (mut sent_before, mut taken_before) = (0, 0);
        for now in 0..restart + told_after + 5_000 {
            if now == restart {
                let old = std::mem::replace(&mut ends[1], End::of_session(1, u32::MAX, SESSION + 1));
                of_old = old.accepted;
                ends[1].restart_peer(SESSION);
                ends[1].sent = LATER;
            }
            if now == restart + told_after {
                ends[0].restart_peer(SESSION + 1);
                (sent_before, taken_before) = (ends[0].sent, ends[0].accepted.len());
            }
            let is_new = now >= restart + told_after;
            for node in 0..2 {
                let may_send = match node {
                    0 => ends[0].sent < if is_new { sent_before + 20 } else { u32::MAX },
                    _ => ends[1].sent < if now >= restart { LATER + 20 } else { LATER },
                };
                if may_send {
                    ends[node].send();
                }
                ends[node].step();
                while let Some(frame) = ends[node].dev.step_transmit() {
                    let fault = faults.next().unwrap();
                    if !fault.lose {
                        wire.push((now + fault.delay, 1 - node, frame.clone()));
                    }
                    if fault.double {
                        wire.push((now + 2 * fault.delay + 1, 1 - node, frame));
                    }
                }
            }
            let (due, later): (Vec<_>, Vec<_>) = wire.drain(..).partition(|(at, ..)| *at <= now);
            wire = later;
            for (_, node, frame) in due {
                refused += u32::from(ends[node].receive(&frame).is_err());
            }
        }
        // Every frame of node 0 has ended once; of those that ended well the old node 1 took each.
        let mut ended: Vec<u32> = ends[0].acknowledged.iter().chain(&ends[0].abandoned).copied().collect();
        ended.sort_unstable();
        prop_assert_eq!(ended, (0..sent_before + 20).collect::<Vec<_>>());
        let well: Vec<u32> = ends[0].acknowledged.iter().copied().filter(|&frame| frame < sent_before).collect();
        prop_assert!(of_old.starts_with(&well), "{:?} {:?}", of_old, well);
        // The new node 1 took what was sent to it, once and in order, and nothing else; node 0 likewise.
        prop_assert_eq!(&ends[1].accepted, &(sent_before..sent_before + 20).collect::<Vec<_>>());
        prop_assert!(ends[0].accepted[..taken_before].iter().copied().eq(0..taken_before as u32));
        prop_assert_eq!(&ends[0].accepted[taken_before..], &(LATER..LATER + 20).collect::<Vec<_>>());
        prop_assert!(told_after < 100 || refused > 0);
        for end in &ends {
            prop_assert_eq!(end.counter(Counter::AcksWild), 0);
        }
    }
}
