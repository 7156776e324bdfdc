//! Each rule fires: a node that behaves is let be, and one step that is wrong is named by its number.

use std::collections::BTreeMap;

use nic_layout::cbh::{cbh, entry, valid, CbhGeometry, STATE_INVALID};
use nic_layout::fetch::{directory_offset, directory_word, table_offset, table_slot};
use nic_layout::frame::{word, FrameKind, FLAG_LAST, FLAG_NOTIFY};
use nic_layout::key::KeyWidth;
use nic_layout::post::{PostError, OP_WRITE};
use nic_layout::registers::mailbox;
use nic_layout::ring::{COMMAND_ASSIGN, COMMAND_CLOSE, COMMAND_FORGET_BUFFER, COMMAND_INVALIDATE};
use nic_layout::tables::{NEXT_OWNER, PERMIT_READ, PERMIT_WRITE};
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
const DIRECTORIES_AT: u32 = 0x5_0000;
const VMH: VmhGeometry = VmhGeometry { entries: 64, line_entries: 8, ways: 2 };
const CBH: CbhGeometry = CbhGeometry { entries: 8, ways: 2, key: KeyWidth::Bits64 };

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
    width: KeyWidth,
}

const WRITE: Frame = Frame {
    kind: FrameKind::Write,
    flags: FLAG_LAST,
    sequence: 0,
    offset: 0,
    bytes: 64,
    key: KEY,
    width: KeyWidth::Bits64,
};

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
            post_queue_count: 2,
            directories: Some(DIRECTORIES_AT),
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
            self.monitor.received(self.at, symbol);
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
    symbols_of(0, 1, frame, acknowledge)
}

/// What goes the other way.
fn turned_symbols(frame: Frame, acknowledge: u32) -> Vec<LinkSymbol> {
    symbols_of(1, 0, frame, acknowledge)
}

fn symbols_of(to: u16, from: u16, frame: Frame, acknowledge: u32) -> Vec<LinkSymbol> {
    let [a, b, c] = word::addresses(to, from);
    let mut words = vec![
        a,
        b,
        c,
        word::kind(frame.kind, frame.flags) ^ word::mark(frame.width),
        word::node_length(1, 0, frame.bytes as u16),
    ];
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
    assert_eq!(goes_on(Frame { width: KeyWidth::Bits128, ..WRITE }), Some(21), "the same, of a longer key");
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
    let parked = |bench: &mut Bench| {
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::MissRaised, LINE);
        bench.mark(Marker::PostParked, 0);
    };
    let asleep = |tries: bool| {
        move |bench: &mut Bench| {
            parked(bench);
            bench.fill().mark(Marker::FillSeen, 1);
            if tries {
                bench.hit();
            }
            bench.mark(Marker::Idle, 0);
        }
    };
    assert_eq!(after(Bench::new(), asleep(true)), None);
    assert_eq!(after(Bench::new(), asleep(false)), Some(10));
    // A post that was refused waits for nothing; that of another slot changes nothing.
    let refused = |slot: u32| {
        move |bench: &mut Bench| {
            parked(bench);
            bench.mark(Marker::PostRefused, PostError::Refused as u32 | slot << 8);
            bench.fill().mark(Marker::FillSeen, 1).mark(Marker::Idle, 0);
        }
    };
    assert_eq!(after(Bench::new(), refused(0)), None);
    assert_eq!(after(Bench::new(), refused(1)), Some(10));
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
fn acknowledgements_keep_to_what_was_sent_and_take_nothing_back() {
    // Of one pair of nodes, whatever the addresses say: both directions are of nodes 0 and 1.
    const ACK: Frame = Frame { kind: FrameKind::Acknowledge, flags: 0, bytes: 0, ..WRITE };
    let sent = |bench: &mut Bench, frame: Frame, acknowledge: u32, turned: bool| {
        for symbol in if turned { turned_symbols(frame, acknowledge) } else { symbols(frame, acknowledge) } {
            bench.monitor.sent(bench.at, symbol);
        }
    };
    let answered = |bench: &mut Bench, acknowledge: u32| {
        for symbol in symbols(ACK, acknowledge) {
            bench.monitor.received(bench.at, symbol);
        }
    };
    // Frames 0 and 1 were sent to node 1.
    let answer = |acknowledge: u32| {
        move |bench: &mut Bench| {
            sent(bench, WRITE, 0, true);
            sent(bench, Frame { sequence: 1, ..WRITE }, 0, true);
            sent(bench, WRITE, 0, true);
            answered(bench, acknowledge);
        }
    };
    for acknowledge in 0..=2 {
        assert_eq!(after(Bench::with_buffer(), answer(acknowledge)), None);
    }
    assert_eq!(after(Bench::with_buffer(), answer(3)), Some(29));
    assert_eq!(after(Bench::with_buffer(), |bench| answered(bench, 3)), None, "of a session that it knows nothing of");

    let told = |kind: FrameKind| {
        move |bench: &mut Bench| {
            bench.accept(WRITE);
            sent(bench, ACK, 1, true);
            sent(bench, Frame { kind, ..ACK }, 0, true);
        }
    };
    assert_eq!(after(Bench::with_buffer(), told(FrameKind::Acknowledge)), Some(29));
    assert_eq!(
        after(Bench::with_buffer(), told(FrameKind::Probe)),
        None,
        "a frame with a number does not cover what was refused"
    );
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

#[test]
fn a_queue_changes_hands_when_its_posts_have_ended_and_what_stood_there_is_gone() {
    const DOORBELL: u32 = REGISTERS + 0x1_0000;
    const HEIR: u32 = PID + 1;
    // Who gets it; three posts of the process have been rung before, and its status goes on from there.
    let give = |bench: &mut Bench| {
        for (offset, value) in [(0, 1), (4, HEIR), (8, 0x78_0000), (28, 40)] {
            bench.write(SRAM + TABLE_AT + NEXT_OWNER as u32 * 32 + offset, value);
        }
        bench.command(COMMAND_ASSIGN).mark(Marker::QueueAssigned, 0).answered(COMMAND_ASSIGN);
    };
    let rung = |ended: u32| {
        move |bench: &mut Bench| {
            bench.write(DOORBELL, 3).mark(Marker::StatusWritten, ended);
            give(bench);
        }
    };
    let clear = |words: u32| {
        move |bench: &mut Bench| {
            give(bench);
            (0..words).for_each(|word| {
                bench.write(SRAM + QUEUES_AT + 4 * word, 0);
            });
            bench.write(SRAM + QUEUES_AT, u32::from(OP_WRITE));
        }
    };
    assert_eq!(after(Bench::new(), rung(3)), None);
    assert_eq!(after(Bench::new(), rung(2)), Some(39));
    // A wild doorbell is no post.
    let wild = |bench: &mut Bench| {
        bench.write(DOORBELL, 0xDEAD_BEEF);
        give(bench);
    };
    assert_eq!(after(Bench::new(), wild), None);
    assert_eq!(after(Bench::new(), clear(8)), None);
    assert_eq!(after(Bench::new(), clear(2)), Some(39));
    // Pages of the one before are nobody's now.
    let strangers = |bench: &mut Bench| {
        give(bench);
        bench.hit();
    };
    assert_eq!(after(Bench::filled(), strangers), Some(21));
    let nowhere = |bench: &mut Bench| {
        bench.mark(Marker::QueueAssigned, 9);
    };
    assert_eq!(after(Bench::new(), nowhere), Some(39));
}

// ---- Lines that the NIC fetches itself ---------------------------------------------------------------------------

/// The physical page of the process's first table.
const TABLE: u32 = 0x555;
/// Its page in the driver's own space, and its word among the directories.
const TABLE_AT_HOST: u32 = directory_offset(table_slot(PID), PAGE) / 4;

/// The process has a table, and its line is being fetched.
fn fetching() -> Bench {
    let mut bench = with_table();
    bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::FetchBegun, LINE);
    bench
}

fn with_table() -> Bench {
    let mut bench = Bench::new();
    bench.host.0.insert((0, TABLE_AT_HOST), TABLE);
    bench.write(SRAM + DIRECTORIES_AT + 4 * TABLE_AT_HOST, directory_word(TABLE));
    bench
}

/// The first entries of the line come over the bus.
fn come(bench: &mut Bench, entries: &[u32]) {
    for (n, entry) in (0..).zip(entries) {
        bench.transfer(true, false, (TABLE << 12) + table_offset(PAGE) + 4 * n, *entry);
    }
}

/// The line of the page: it alone has a translation.
const ENTRIES: [u32; 8] = {
    let mut entries = [NO_TRANSLATION; 8];
    entries[0] = FRAME;
    entries
};

fn fetched() -> Bench {
    let mut bench = fetching();
    come(&mut bench, &ENTRIES);
    bench.mark(Marker::DmaReadDone, LINE).mark(Marker::FetchFilled, LINE);
    bench
}

#[test]
fn a_line_may_be_fetched_lost_and_left_to_the_driver() {
    let mut bench = fetched();
    bench.hit().transfer(true, false, FRAME << 12, 0).mark(Marker::DmaReadDone, LINE);
    bench.mark(Marker::LookupBegin, HOLE).mark(Marker::LookupFault, LINE);
    assert_eq!(bench.monitor.seen().fetches_filled, 1);

    let mut lost = fetching();
    lost.command(key(PID, PAGE, COMMAND_INVALIDATE));
    come(&mut lost, &ENTRIES);
    lost.mark(Marker::DmaReadDone, LINE).mark(Marker::FetchLost, LINE).answered(key(PID, PAGE, COMMAND_INVALIDATE));

    let mut unfilled = fetching();
    come(&mut unfilled, &[NO_TRANSLATION; 8]);
    unfilled.mark(Marker::DmaReadDone, LINE).mark(Marker::FetchUnfilled, LINE).mark(Marker::MissRaised, LINE);
    unfilled.fill().hit();

    let mut stalled = with_table();
    stalled.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::FetchStalled, PID);
    stalled.mark(Marker::PostBlocked, 0);
    for mut bench in [bench, lost, unfilled, stalled] {
        bench.monitor.finish(bench.at);
        assert_eq!(bench.monitor.violation(), None);
    }
}

#[test]
fn a_fetch_reads_the_table_of_its_process_and_nothing_else() {
    let begin = |bench: &mut Bench| {
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::FetchBegun, LINE);
    };
    assert_eq!(after(with_table(), begin), None);
    assert_eq!(after(Bench::new(), begin), Some(21), "there is no table");
    let mut unpinned = with_table();
    unpinned.host.0.remove(&(0, TABLE_AT_HOST));
    assert_eq!(after(unpinned, begin), Some(26));
    // The process ends: its table is taken from the NIC, behind the look into the directory or before it.
    let word = SRAM + DIRECTORIES_AT + 4 * TABLE_AT_HOST;
    let meanwhile = |bench: &mut Bench| {
        bench
            .mark(Marker::LookupBegin, PAGE)
            .mark(Marker::LookupMiss, PID)
            .write(word, 0)
            .mark(Marker::FetchBegun, LINE);
    };
    assert_eq!(after(with_table(), meanwhile), None);
    let before = |bench: &mut Bench| {
        bench
            .mark(Marker::LookupBegin, PAGE)
            .write(word, 0)
            .mark(Marker::LookupMiss, PID)
            .mark(Marker::FetchBegun, LINE);
    };
    assert_eq!(after(with_table(), before), Some(21), "there is no table any more");
    let elsewhere = |bench: &mut Bench| {
        bench.transfer(true, false, (TABLE + 1) << 12, 0);
    };
    assert_eq!(after(fetching(), elsewhere), Some(21));
    let again = |bench: &mut Bench| {
        bench.mark(Marker::LookupBegin, HOLE).mark(Marker::LookupMiss, PID).mark(Marker::FetchBegun, 0);
    };
    assert_eq!(after(fetching(), again), Some(18), "it is being fetched");
    let for_nobody = |bench: &mut Bench| {
        bench.mark(Marker::FetchBegun, LINE);
    };
    assert_eq!(after(with_table(), for_nobody), Some(18));
    let unlooked = |bench: &mut Bench| {
        bench.monitor.unpinned(bench.at, TABLE);
    };
    assert_eq!(after(fetching(), unlooked), Some(17), "the table is let go");
}

#[test]
fn what_was_fetched_is_what_came_and_pages_of_the_process() {
    let fill = |entries: &[u32]| {
        let entries = entries.to_vec();
        after(fetching(), move |bench| {
            come(bench, &entries);
            bench.mark(Marker::DmaReadDone, LINE).mark(Marker::FetchFilled, LINE);
        })
    };
    assert_eq!(fill(&ENTRIES), None);
    assert_eq!(fill(&ENTRIES[..7]), Some(20), "one is missing");
    assert_eq!(fill(&[NO_TRANSLATION; 8]), Some(20), "the page has none");
    let mut stranger = ENTRIES;
    stranger[3] = FRAME + 1;
    assert_eq!(fill(&stranger), Some(17), "a page that is not pinned for the process");
    let unpinned = |bench: &mut Bench| {
        bench.monitor.unpinned(bench.at, FRAME);
    };
    assert_eq!(after(fetched(), unpinned), Some(17), "the NIC holds it");
}

#[test]
fn a_fetch_ends_once_and_fills_nothing_that_was_taken_away() {
    let taken = || {
        let mut bench = fetching();
        bench.command(key(PID, PAGE, COMMAND_INVALIDATE));
        come(&mut bench, &ENTRIES);
        bench
    };
    for (marker, number) in
        [(Marker::FetchFilled, Some(19)), (Marker::FetchUnfilled, Some(19)), (Marker::FetchLost, None)]
    {
        let end = |bench: &mut Bench| {
            bench.mark(Marker::DmaReadDone, LINE).mark(marker, LINE);
        };
        assert_eq!(after(taken(), end), number, "{marker:?}");
    }
    let answered_early = |bench: &mut Bench| {
        bench.answered(key(PID, PAGE, COMMAND_INVALIDATE));
    };
    assert_eq!(after(taken(), answered_early), Some(19));
    let given_up = |bench: &mut Bench| {
        bench.mark(Marker::DmaReadDone, LINE).mark(Marker::FetchLost, LINE);
    };
    assert_eq!(after(fetching(), given_up), Some(16));
    let twice = |bench: &mut Bench| {
        bench.mark(Marker::FetchFilled, LINE);
    };
    assert_eq!(after(fetched(), twice), Some(16));
    let by_the_driver = |bench: &mut Bench| {
        bench.fill();
    };
    assert_eq!(after(fetching(), by_the_driver), Some(16), "the driver owes it nothing");
    let never = |bench: &mut Bench| bench.monitor.finish(Ps::from_us(100_000));
    assert_eq!(after(fetching(), never), Some(16));
    let victim = |bench: &mut Bench| {
        bench.command(key(PID, PAGE, COMMAND_INVALIDATE));
        bench.mark(Marker::LookupBegin, PAGE + 64).mark(Marker::LookupMiss, PID).mark(Marker::FetchBegun, LINE);
    };
    assert_eq!(after(fetching(), victim), Some(15), "the transfer goes there");
    let asleep = |bench: &mut Bench| {
        bench.mark(Marker::PostParked, 0);
        come(bench, &ENTRIES);
        bench.mark(Marker::DmaReadDone, LINE).mark(Marker::FetchFilled, LINE).mark(Marker::Idle, 0);
    };
    assert_eq!(after(fetching(), asleep), Some(10), "a post waited for it");
}
