//! Frames through the NIC, on a device in memory.

use nic_device::mock::Hardware;
use nic_device::{Device, Words};
use nic_layout::boot::{BootError, Sections};
use nic_layout::boot::{LinkRequest, NicRequest, SectionsWriter, REPLY_MAGIC};
use nic_layout::counter::Counter;
use nic_layout::personality::kernel::{
    FramesReply, FRAME_BYTES_MAX, MAILBOX_FRAMES, MAILBOX_RECEIVE, MAILBOX_SEND, PREFIX_BYTES, RING_ENTRIES,
};
use nic_layout::ring::{Event, COMMAND_FENCE, MAC_FLAG_SKIP, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE};
use nic_raw::{Config, Frames, Plan};

const SRAM_BYTES: u32 = 256 * 1024;

fn request(change: impl Fn(&mut LinkRequest)) -> Vec<u32> {
    let mut link = LinkRequest {
        node: 1,
        node_count: 2,
        session: 0,
        frame_data_bytes_max: 1464,
        tx_buffer_count: 4,
        rx_buffer_count: 8,
        buffer_bytes: 1520,
        retransmit_cycles: 22_000,
        retransmit_limit: 64,
        ack_frames: 8,
        ack_cycles: 1760,
    };
    change(&mut link);
    let mut request = SectionsWriter::request(2);
    request.push(&NicRequest { core_hz: 88_000_000, sram_bytes: SRAM_BYTES, host_pages: 1 << 16 });
    request.push(&link);
    request.finish().expect("it fits").to_vec()
}

struct Bench {
    hardware: Hardware,
    frames: Frames,
    plan: Plan,
}

impl Bench {
    fn new() -> Bench {
        let config = Config::read(&request(|_| ())).expect("a request");
        let plan = Plan::of(&config, 0x8000, SRAM_BYTES).expect("it fits");
        let mut bench = Bench { hardware: Hardware::new(SRAM_BYTES), frames: Frames::NOWHERE, plan };
        for counter in 0..Counter::COUNT as u32 {
            bench.hardware.write(plan.counters + 4 * counter, 0);
        }
        bench.hardware.count_at(plan.counters);
        bench.frames.start(&mut bench.hardware, &plan.places);
        bench
    }

    fn count(&self, counter: Counter) -> u32 {
        self.hardware.read(self.plan.counters + counter.offset())
    }

    fn turn(&mut self) {
        while self.hardware.pending & Frames::EVENTS != 0 || self.frames.has_work(&self.hardware) {
            let pending = self.hardware.pending;
            self.frames.turn(&mut self.hardware, pending);
        }
    }

    fn write_mailbox(&mut self, index: usize, value: u32) {
        self.hardware.to_nic[index] = value;
        self.hardware.mailboxes |= 1 << index;
        self.hardware.raise(Event::Mailbox);
        self.turn();
    }

    /// The driver posts frames `from..to` to send, each of 100 bytes.
    fn post(&mut self, from: u32, to: u32) {
        for number in from..to {
            let entry = self.plan.places.sends + number % RING_ENTRIES * 8;
            self.hardware.write(entry, 0x10_0000 + number * 2048);
            self.hardware.write(entry + 4, 100);
        }
        self.write_mailbox(MAILBOX_SEND, to);
    }

    fn end_read(&mut self) {
        self.hardware.reads.pop_front().expect("a read is under way");
        self.hardware.read_consumer = self.hardware.read_consumer.wrapping_add(1);
        self.hardware.released += 1;
        self.hardware.raise(Event::DmaRead);
        self.turn();
    }

    fn leave(&mut self) {
        assert!(self.hardware.released > 0);
        self.hardware.transmit.pop_front().expect("a frame was placed");
        self.hardware.released -= 1;
        self.hardware.transmit_consumer = self.hardware.transmit_consumer.wrapping_add(1);
        self.hardware.raise(Event::MacTx);
        self.turn();
    }

    fn arrive(&mut self, length_bytes: u32) {
        let buffer = self.hardware.receive_free.pop_front().expect("a buffer");
        let index = self.hardware.receive_consumer;
        self.hardware.received.insert(index, (buffer, length_bytes));
        self.hardware.receive_consumer = index.wrapping_add(1);
        self.hardware.raise(Event::MacRx);
        self.turn();
    }
}

#[test]
fn frames_leave_in_order_and_no_more_than_there_are_buffers() {
    let mut bench = Bench::new();
    bench.post(0, 6);
    assert_eq!(bench.hardware.reads.len(), 4, "a read for each transmit buffer");
    let lengths: Vec<u32> = bench.hardware.transmit.iter().map(|(_, control)| control & 0xFFFF).collect();
    assert_eq!(lengths, [100; 4]);
    for sent in 0..6 {
        assert_eq!(bench.hardware.reads.front().expect("a read").0, 0x10_0000 + sent * 2048);
        bench.end_read();
        bench.leave();
    }
    assert_eq!(bench.count(Counter::FramesToMac), 6);
    // The next of 16 frames that were read tells the host.
    assert_eq!(bench.hardware.causes & 1 << MAILBOX_FRAMES, 0);
    for number in 6..16 {
        bench.post(number, number + 1);
        bench.end_read();
        bench.leave();
    }
    assert_eq!(bench.hardware.to_host[MAILBOX_FRAMES], 16 << 16);
}

#[test]
fn a_frame_fills_the_next_buffer_of_the_host_behind_its_length() {
    let mut bench = Bench::new();
    for number in 0..2 {
        bench.hardware.write(bench.plan.places.receives + 4 * number, 0x20_0000 + number * 2048);
    }
    bench.write_mailbox(MAILBOX_RECEIVE, 2);
    let free = bench.hardware.receive_free.len();
    bench.arrive(60);
    bench.arrive(1514);
    bench.arrive(60);
    let writes: Vec<_> = bench.hardware.writes.iter().copied().collect();
    assert_eq!(writes.len(), 2);
    assert_eq!((writes[0].0, writes[0].2 & 0xFFFF), (0x20_0000, 60 + PREFIX_BYTES));
    assert_eq!((writes[1].0, writes[1].2 & 0xFFFF), (0x20_0800, 1514 + PREFIX_BYTES));
    assert_eq!(bench.hardware.read(writes[1].1), 1514);
    assert_eq!((bench.count(Counter::FramesPlaced), bench.count(Counter::FramesUnplaced)), (2, 1));
    bench.hardware.writes.clear();
    bench.hardware.write_consumer = 2;
    bench.hardware.raise(Event::DmaWrite);
    bench.turn();
    assert_eq!(bench.hardware.to_host[MAILBOX_FRAMES], 2);
    assert_eq!(bench.hardware.receive_free.len(), free, "all buffers are back");
}

#[test]
fn impossible_indices_are_ignored() {
    let mut bench = Bench::new();
    bench.write_mailbox(MAILBOX_SEND, RING_ENTRIES + 1);
    bench.write_mailbox(MAILBOX_RECEIVE, u32::MAX);
    assert_eq!(bench.count(Counter::MailboxesWild), 2);
    assert!(bench.hardware.reads.is_empty());
}

#[test]
fn a_frame_that_cannot_be_read_does_not_leave() {
    let mut bench = Bench::new();
    bench.post(0, 2);
    bench.hardware.reads.pop_front();
    bench.hardware.read_consumer = 1;
    bench.hardware.read_halted = true;
    bench.hardware.raise(Event::DmaError);
    bench.turn();
    assert!(!bench.hardware.read_halted);
    assert_ne!(bench.hardware.transmit.front().expect("it was placed").1 & MAC_FLAG_SKIP, 0);
    assert_eq!((bench.hardware.released, bench.count(Counter::DmaReadErrors)), (1, 1));
}

#[test]
fn a_command_is_answered_behind_the_transfers_before_it() {
    let mut bench = Bench::new();
    bench.post(0, 1);
    bench.write_mailbox(MAILBOX_COMMAND, COMMAND_FENCE);
    assert_ne!(bench.hardware.to_host[MAILBOX_COMMAND_DONE], COMMAND_FENCE);
    bench.end_read();
    assert_eq!(bench.hardware.to_host[MAILBOX_COMMAND_DONE], COMMAND_FENCE);
}

#[test]
fn a_wild_request_is_refused_and_the_reply_names_the_rings() {
    let refused = |change: &dyn Fn(&mut LinkRequest)| Config::read(&request(change)).unwrap_err();
    assert_eq!(refused(&|link| link.node = 2), BootError::NodeOutOfRange);
    assert_eq!(refused(&|link| link.buffer_bytes = FRAME_BYTES_MAX / 8 * 8 - 8), BootError::BufferSize);
    assert_eq!(refused(&|link| link.tx_buffer_count = 1), BootError::BufferCount);
    let bench = Bench::new();
    let mut reply = bench.plan.reply();
    let sections = Sections::parse(reply.finish().expect("it fits"), REPLY_MAGIC).expect("a reply");
    let FramesReply { sends, receives } = sections.get().expect("the rings");
    assert_eq!((sends, receives), (bench.plan.places.sends, bench.plan.places.receives));
    assert_eq!(Plan::of(&bench.plan.config, 0x8000, bench.plan.free - 1), Err(BootError::DoesNotFitSram));
}
