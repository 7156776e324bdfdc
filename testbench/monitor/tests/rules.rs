//! Each rule fires: a node that behaves is let be, and one step that is wrong is named by its number.

use std::collections::BTreeMap;

use nic_layout::cbh::{cbh, entry, valid, CbhGeometry, STATE_INVALID};
use nic_layout::frame::{word, FrameKind, FLAG_LAST, FLAG_NOTIFY};
use nic_layout::post::OP_WRITE;
use nic_layout::registers::mailbox;
use nic_layout::ring::{COMMAND_CLOSE, COMMAND_FORGET_BUFFER, COMMAND_INVALIDATE};
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};
use nic_layout::trace::{self, Marker};
use nic_layout::vmh::{key, VmhGeometry, KEY_EMPTY, KEY_VALID, NO_TRANSLATION};
use nic_monitor::{Monitor, Pins, Places, Transfer};
use sim_pins::{LinkSymbol, Ps};

const SRAM: u32 = 0x8000_0000;
const REGISTERS: u32 = 0x9000_0000;
const VMH_AT: u32 = 0x1_0000;
const CBH_AT: u32 = 0x2_0000;
const TABLE_AT: u32 = 0x3_0000;
const QUEUES_AT: u32 = 0x4_0000;
const VMH: VmhGeometry = VmhGeometry { entries: 64, line_entries: 8, ways: 2 };
const CBH: CbhGeometry = CbhGeometry { entries: 8, ways: 2 };

const PID: u32 = 5;
/// A page of the process, its line, and its physical page.
const PAGE: u32 = 0x40;
const LINE: u32 = 1;
const FRAME: u32 = 0x123;
const HOLE: u32 = 0x41;
/// A buffer that begins there.
const BUFFER: u32 = cbh(PID, 2);
const ENTRY: u32 = 5;
const KEY: [u32; 2] = [0xAB, 0xCD];
const LENGTH: u32 = 4096;

struct Host(BTreeMap<(u32, u32), u32>);

impl Pins for Host {
    fn pinned(&self, pid: u32, page: u32) -> Option<u32> {
        self.0.get(&(pid, page)).copied()
    }
}

struct Bench {
    monitor: Monitor,
    host: Host,
    at: Ps,
}

/// A frame of node 1 to node 0.
#[derive(Clone, Copy)]
struct Frame {
    kind: FrameKind,
    flags: u8,
    sequence: u32,
    offset: u32,
    bytes: u32,
    key: [u32; 2],
}

const WRITE: Frame = Frame { kind: FrameKind::Write, flags: FLAG_LAST, sequence: 0, offset: 0, bytes: 64, key: KEY };

impl Bench {
    /// A process has posted a write from its page; both caches are empty.
    fn new() -> Bench {
        let places = Places {
            registers: REGISTERS,
            sram: SRAM,
            sram_bytes: 0x8_0000,
            vmh_cache: VMH_AT,
            vmh: VMH,
            cbh_cache: CBH_AT,
            cbh: CBH,
            process_table: TABLE_AT,
            post_queues: QUEUES_AT,
            host_pages: 0x1000,
        };
        let mut monitor = Monitor::new(0);
        monitor.place(places);
        let mut bench = Bench { monitor, host: Host(BTreeMap::from([((PID, PAGE), FRAME)])), at: Ps::from_us(1) };
        bench.write(SRAM + TABLE_AT + 4, PID).write(SRAM + TABLE_AT + 8, 0x77_0000);
        bench.write(SRAM + QUEUES_AT, u32::from(OP_WRITE)).write(SRAM + QUEUES_AT + 4, 100);
        bench.write(SRAM + QUEUES_AT + 8, PAGE << 12);
        bench
    }

    /// The line of the page is filled.
    fn filled() -> Bench {
        let mut bench = Bench::new();
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::MissRaised, LINE);
        bench.fill();
        bench
    }

    /// So is the entry of the buffer.
    fn with_buffer() -> Bench {
        let mut bench = Bench::filled();
        bench.arrive(WRITE).mark(Marker::ReceiveBegin, 0).mark(Marker::ReceiveHeader, 0);
        bench.mark(Marker::BufferMiss, BUFFER & trace::ARGUMENT_MASK).mark(Marker::MissRaised, ENTRY);
        bench.mark(Marker::Dropped, 0);
        let permissions = valid(PERMIT_WRITE | PERMIT_READ);
        for (offset, value) in [
            (entry::START, PAGE << 12),
            (entry::LENGTH, LENGTH),
            (entry::KEY_0, KEY[0]),
            (entry::KEY_1, KEY[1]),
            (entry::STATE, permissions),
        ] {
            bench.write(SRAM + CBH_AT + CBH.entry_offset(ENTRY) + offset, value);
        }
        bench
    }

    fn fill(&mut self) -> &mut Bench {
        for index in 0..VMH.line_entries {
            let value = if index == 0 { FRAME } else { NO_TRANSLATION };
            self.write(SRAM + VMH_AT + VMH.entry_offset(LINE, index), value);
        }
        self.write(SRAM + VMH_AT + VMH.key_offset(LINE), key(PID, PAGE, KEY_VALID))
    }

    fn transfer(&mut self, by_nic: bool, is_write: bool, address: u32, value: u32) -> &mut Bench {
        self.at = Ps(self.at.0 + 30_000);
        let transfer = Transfer { at: self.at, by_nic, is_write, address, data: value.into(), byte_enables: 0xF };
        self.monitor.transfers(&[transfer], &self.host);
        self
    }

    fn write(&mut self, address: u32, value: u32) -> &mut Bench {
        self.transfer(false, true, address, value)
    }

    fn mailbox(&mut self, index: usize, value: u32) -> &mut Bench {
        self.write(REGISTERS + mailbox::TO_NIC.at(index).offset().0, value)
    }

    /// The driver commands, and the firmware obeys.
    fn command(&mut self, word: u32) -> &mut Bench {
        self.mailbox(1, word).mark(Marker::Command, word & trace::ARGUMENT_MASK)
    }

    /// The driver reads that it was obeyed.
    fn answered(&mut self, word: u32) -> &mut Bench {
        self.transfer(false, false, REGISTERS + mailbox::TO_HOST.at(1).offset().0, word)
    }

    fn mark(&mut self, marker: Marker, argument: u32) -> &mut Bench {
        self.at = Ps(self.at.0 + 30_000);
        self.monitor.marker(self.at, trace::word(marker, argument), &self.host);
        self
    }

    fn hit(&mut self) -> &mut Bench {
        self.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupHit, LINE)
    }

    fn arrive(&mut self, frame: Frame) -> &mut Bench {
        for symbol in symbols(frame, 0) {
            self.monitor.received(symbol);
        }
        self
    }

    /// A frame up to its buffer, which hits.
    fn take(&mut self, frame: Frame) -> &mut Bench {
        self.arrive(frame).mark(Marker::ReceiveBegin, 1).mark(Marker::ReceiveHeader, frame.sequence);
        self.mark(Marker::BufferHit, ENTRY)
    }

    /// A frame from begin to end, but for its DMA.
    fn accept(&mut self, frame: Frame) -> &mut Bench {
        self.take(frame).mark(Marker::ReceiveLookupBegin, PAGE).mark(Marker::LookupHit, LINE);
        self.mark(Marker::Accepted, frame.sequence)
    }

    fn broken(&self) -> Option<u8> {
        self.monitor.violation().map(|violation| violation.invariant)
    }
}

fn symbols(frame: Frame, acknowledge: u32) -> Vec<LinkSymbol> {
    let [a, b, c] = word::addresses(0, 1);
    let mut words = vec![a, b, c, word::kind(frame.kind, frame.flags), word::node_length(1, 0, frame.bytes as u16)];
    words.extend([
        frame.sequence,
        acknowledge,
        BUFFER,
        frame.offset,
        frame.key[0],
        frame.key[1],
        0,
        frame.bytes,
        0,
        0,
        0,
    ]);
    let bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    let mut crc = u32::MAX;
    for byte in &bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    let all = [&[0x55; 7][..], &[0xD5], &bytes, &(!crc).to_le_bytes()].concat();
    let on_wire = all.into_iter().map(|data| LinkSymbol { data, enable: true, error: false });
    on_wire.chain([LinkSymbol { data: 0, enable: false, error: false }]).collect()
}

#[test]
fn a_node_that_behaves_is_let_be() {
    let mut bench = Bench::with_buffer();
    bench.hit().transfer(true, false, FRAME << 12, 0).mark(Marker::DmaReadDone, LINE);
    bench.accept(WRITE).transfer(true, true, FRAME << 12, 0).mark(Marker::DmaWriteDone, LINE);
    bench.transfer(true, true, 0x77_0000, 0);
    bench.mark(Marker::LookupBegin, HOLE).mark(Marker::LookupFault, LINE);
    let command = key(PID, PAGE, COMMAND_INVALIDATE);
    bench.command(command).answered(command).mark(Marker::Idle, 0);
    bench.monitor.unpinned(bench.at, FRAME);
    bench.monitor.finish(bench.at);
    assert_eq!(bench.monitor.violation(), None);
}

/// The rule that one wrong step breaks.
fn after(mut bench: Bench, step: impl FnOnce(&mut Bench)) -> Option<u8> {
    assert_eq!(bench.monitor.violation(), None);
    step(&mut bench);
    bench.broken()
}

#[test]
fn dma_belongs_to_a_lookup_of_that_path_in_its_bytes() {
    let bytes = |address, is_write| {
        after(Bench::with_buffer(), |bench| {
            bench.accept(WRITE).transfer(true, is_write, address, 0);
        })
    };
    assert_eq!(bytes((FRAME << 12) + 60, true), None);
    assert_eq!(bytes((FRAME << 12) + 64, true), Some(21), "behind the frame's data");
    assert_eq!(bytes(FRAME << 12, false), Some(21), "of the other path");
    assert_eq!(bytes((FRAME + 1) << 12, true), Some(21), "another page");
    assert_eq!(bytes(0x77_0010, true), Some(21), "behind the status");
}

#[test]
fn dma_stays_in_pages_that_are_pinned_for_the_process() {
    let unpinned = |bench: &mut Bench| {
        bench.hit();
        bench.host.0.clear();
        bench.transfer(true, false, FRAME << 12, 0);
    };
    assert_eq!(after(Bench::filled(), unpinned), Some(26));
    let late = |bench: &mut Bench| {
        bench.host.0.clear();
        bench.hit();
    };
    assert_eq!(after(Bench::filled(), late), Some(17));
    let of_another = |bench: &mut Bench| {
        bench.host.0.insert((PID, PAGE), FRAME + 1);
        bench.fill();
    };
    let mut reserved = Bench::new();
    reserved.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::MissRaised, LINE);
    assert_eq!(after(reserved, of_another), Some(17));
    let while_cached = |bench: &mut Bench| bench.monitor.unpinned(bench.at, FRAME);
    assert_eq!(after(Bench::filled(), while_cached), Some(17));
}

#[test]
fn what_a_frame_may_is_asked_before_it_goes_on() {
    let goes_on = |frame: Frame| {
        after(Bench::with_buffer(), |bench| {
            bench.take(frame).mark(Marker::ReceiveLookupBegin, PAGE);
        })
    };
    assert_eq!(goes_on(WRITE), None);
    assert_eq!(goes_on(Frame { key: [KEY[0], 1], ..WRITE }), Some(21));
    assert_eq!(goes_on(Frame { offset: LENGTH - 63, ..WRITE }), Some(22));
    let without_buffer = |bench: &mut Bench| {
        bench.arrive(WRITE).mark(Marker::ReceiveBegin, 1).mark(Marker::ReceiveHeader, 0).mark(Marker::Accepted, 0);
    };
    assert_eq!(after(Bench::with_buffer(), without_buffer), Some(21));
    let of_a_stranger = |bench: &mut Bench| {
        bench.take(WRITE).mark(Marker::ReceiveLookupBegin, PAGE + 1);
        bench.mark(Marker::LookupHit, LINE);
    };
    assert_eq!(after(Bench::with_buffer(), of_a_stranger), Some(21), "the page is not the frame's");
    let without_post = |bench: &mut Bench| {
        bench.write(SRAM + QUEUES_AT + 8, 0x7_0000).hit();
    };
    assert_eq!(after(Bench::filled(), without_post), Some(21), "no post names the page");
}

#[test]
fn hits_are_of_lines_that_hold_the_page() {
    let hit = |line| {
        after(Bench::filled(), |bench| {
            bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupHit, line);
        })
    };
    assert_eq!(hit(LINE), None);
    assert_eq!(hit(99), Some(20));
    let other_page = |bench: &mut Bench| {
        bench.mark(Marker::LookupBegin, PAGE + 8).mark(Marker::LookupHit, LINE);
    };
    assert_eq!(after(Bench::filled(), other_page), Some(20));
    let fault = |bench: &mut Bench| {
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupFault, LINE);
    };
    assert_eq!(after(Bench::filled(), fault), Some(20), "it has a translation");
    let unseen = |bench: &mut Bench| {
        bench.at = Ps::from_us(100);
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::PostParked, 0);
    };
    assert_eq!(after(Bench::filled(), unseen), Some(20), "it is there");
    let other_buffer = |bench: &mut Bench| {
        bench.mark(Marker::BufferHit, 0);
    };
    assert_eq!(after(Bench::with_buffer(), other_buffer), Some(19), "nothing was ever there");
}

#[test]
fn what_was_taken_away_is_not_used_and_not_revived() {
    let line = key(PID, PAGE, COMMAND_INVALIDATE);
    let hit = |bench: &mut Bench| {
        bench.command(line).hit();
    };
    assert_eq!(after(Bench::filled(), hit), Some(19));
    let buffer = |bench: &mut Bench| {
        bench.mailbox(3, BUFFER).command(COMMAND_FORGET_BUFFER);
        bench.take(WRITE);
    };
    assert_eq!(after(Bench::with_buffer(), buffer), Some(19));
    let under_way = |command: u32| {
        move |bench: &mut Bench| {
            bench.hit().command(command).answered(command);
        }
    };
    assert_eq!(after(Bench::filled(), under_way(line)), Some(19));
    assert_eq!(after(Bench::filled(), under_way(COMMAND_CLOSE)), Some(36));
    let revived = |bench: &mut Bench| {
        bench.command(line).fill();
    };
    let mut reserved = Bench::new();
    reserved.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::MissRaised, LINE);
    assert_eq!(after(reserved, revived), Some(19));
}

#[test]
fn a_line_is_answered_once_for_what_it_waits_for_and_before_it_is_called_served() {
    let reserved = || {
        let mut bench = Bench::new();
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::MissRaised, LINE);
        bench
    };
    let at = SRAM + VMH_AT + VMH.key_offset(LINE);
    let key_of = |value: u32| {
        move |bench: &mut Bench| {
            bench.write(at, value);
        }
    };
    assert_eq!(after(reserved(), key_of(KEY_EMPTY)), None);
    assert_eq!(after(reserved(), key_of(key(PID + 1, PAGE, KEY_VALID))), Some(16));
    assert_eq!(after(Bench::filled(), key_of(key(PID, PAGE, KEY_VALID))), Some(16));
    let served = |bench: &mut Bench| {
        bench.mailbox(0, 1);
    };
    assert_eq!(after(reserved(), served), Some(16));
    assert_eq!(after(Bench::filled(), served), None);
    let forgotten = |bench: &mut Bench| bench.monitor.finish(Ps::from_us(1_000_000));
    assert_eq!(after(reserved(), forgotten), Some(16));
    let denied_twice = |bench: &mut Bench| {
        bench.write(SRAM + CBH_AT + CBH.entry_offset(ENTRY) + entry::STATE, STATE_INVALID);
    };
    assert_eq!(after(Bench::with_buffer(), denied_twice), Some(16));
    let locks = |bench: &mut Bench| {
        bench.write(SRAM + VMH_AT + VMH.state_offset(0), 0);
    };
    assert_eq!(after(Bench::new(), locks), Some(15), "locks are not the host's");
}

#[test]
fn locks_are_the_references_under_way() {
    let unlocked = |bench: &mut Bench| {
        bench.mark(Marker::DmaReadDone, LINE);
    };
    assert_eq!(after(Bench::filled(), unlocked), Some(15));
    let of_the_other_path = |bench: &mut Bench| {
        bench.hit().mark(Marker::Unlocked, 1 << 23 | LINE);
    };
    assert_eq!(after(Bench::filled(), of_the_other_path), Some(15));
    let leaked = |bench: &mut Bench| {
        bench.hit();
        bench.monitor.finish(Ps::from_us(1_000_000));
    };
    assert_eq!(after(Bench::filled(), leaked), Some(15));
}

#[test]
fn the_host_is_asked_once_and_whoever_waits_is_woken() {
    let not_asked = |bench: &mut Bench| {
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::PostParked, 0);
    };
    assert_eq!(after(Bench::new(), not_asked), Some(18));
    let for_nothing = |bench: &mut Bench| {
        bench.mark(Marker::MissRaised, LINE);
    };
    assert_eq!(after(Bench::new(), for_nothing), Some(18));
    let asleep = |tries: bool| {
        move |bench: &mut Bench| {
            bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::MissRaised, LINE);
            bench.mark(Marker::PostParked, 0).fill().mark(Marker::FillSeen, 1);
            if tries {
                bench.hit();
            }
            bench.mark(Marker::Idle, 0);
        }
    };
    assert_eq!(after(Bench::new(), asleep(true)), None);
    assert_eq!(after(Bench::new(), asleep(false)), Some(10));
}

#[test]
fn frames_come_whole_in_order_and_are_acknowledged_when_taken() {
    let never_came = |bench: &mut Bench| {
        bench.mark(Marker::ReceiveBegin, 0).mark(Marker::ReceiveHeader, 7);
    };
    assert_eq!(after(Bench::new(), never_came), Some(11));
    let twice = |bench: &mut Bench| {
        bench.accept(WRITE).accept(WRITE);
    };
    assert_eq!(after(Bench::with_buffer(), twice), Some(27));
    let acknowledge = |number: u32| {
        move |bench: &mut Bench| {
            // To node 1 from node 0: the addresses the other way round matter only for the sum of the number.
            for symbol in symbols(WRITE, number) {
                bench.monitor.sent(bench.at, symbol);
            }
        }
    };
    assert_eq!(after(Bench::with_buffer(), acknowledge(0)), None);
    assert_eq!(after(Bench::with_buffer(), acknowledge(1)), Some(29));
}

#[test]
fn a_write_is_told_when_its_bytes_are_in_memory() {
    let notify = Frame { flags: FLAG_LAST | FLAG_NOTIFY, ..WRITE };
    let told = |is_done: bool| {
        move |bench: &mut Bench| {
            bench.accept(notify);
            if is_done {
                bench.mark(Marker::DmaWriteDone, LINE);
            }
            bench.mark(Marker::NotifyRaised, 1);
        }
    };
    assert_eq!(after(Bench::with_buffer(), told(true)), None);
    assert_eq!(after(Bench::with_buffer(), told(false)), Some(28));
    let of_nothing = |bench: &mut Bench| {
        bench.mark(Marker::NotifyRaised, 1);
    };
    assert_eq!(after(Bench::new(), of_nothing), Some(28));
}
