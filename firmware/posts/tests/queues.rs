//! Post queues without a link: random processes, frames and host writes, held against a dull model.

use std::collections::VecDeque;

use nic_device::mock::Hardware;
use nic_device::{Device as _, Words as _};
use nic_dma::HostWrites;
use nic_fair::RunQueue;
use nic_layout::counter::Counter;
use nic_layout::post::{PostError, ProcessStatus, NO_POST, POST_QUEUE_ENTRIES};
use nic_layout::tables::{ENTRY_ASSIGNED, ENTRY_OPEN, NEXT_OWNER};
use nic_posts::{Owner, PostId, Posts, PostsConfig, Records, StatusTag};
use proptest::prelude::*;

const PROCESS_TABLE: u32 = 0x1000;
const POST_QUEUES: u32 = 0x2000;
const POST_ERRORS: u32 = 0xB000;
const COUNTERS: u32 = 0xC000;
const SLOTS: usize = 3;
const REFUSED: [Counter; 8] = [
    Counter::PostsRefusedOperation,
    Counter::PostsRefusedNode,
    Counter::PostsRefusedLength,
    Counter::PostsRefusedLocal,
    Counter::PostsRefusedPeer,
    Counter::PostsRefusedBus,
    Counter::PostsRefusedOwner,
    Counter::PostsRefusedImport,
];

/// The slot of a status.
#[derive(Clone, Copy)]
struct Tag(usize);

impl StatusTag for Tag {
    fn status(slot: usize) -> Tag {
        Tag(slot)
    }
}

/// The layer under test, its device, and what the processes were told.
struct Bench {
    dev: Hardware,
    run: RunQueue,
    posts: Posts<u32>,
    records: Records,
    writes: HostWrites<Tag>,
    /// The words of each host write under way, as they were when it was posted.
    words: VecDeque<[u32; 4]>,
    told: [ProcessStatus; SLOTS],
}

impl Bench {
    fn new() -> Bench {
        let mut dev = Hardware::new(0x1_0000);
        dev.sram.fill(0);
        dev.count_at(COUNTERS);
        let mut posts = Posts::new(0);
        let config = PostsConfig {
            process_table: PROCESS_TABLE,
            post_queues: POST_QUEUES,
            post_queue_count: SLOTS as u32,
            post_errors: POST_ERRORS,
        };
        posts.start(&mut dev, &config);
        let nothing = ProcessStatus { last_error_index: NO_POST, ..ProcessStatus::default() };
        let mut bench = Bench {
            dev,
            run: RunQueue::EMPTY,
            posts,
            records: Records::new(),
            writes: HostWrites::new(Tag(0)),
            words: VecDeque::new(),
            told: [nothing; SLOTS],
        };
        (0..SLOTS).for_each(|slot| bench.set_entry(slot, ENTRY_OPEN));
        bench
    }

    fn set_entry(&mut self, slot: usize, state: u32) {
        let at = PROCESS_TABLE + 32 * slot as u32;
        self.dev.write(at + 4, 100 + slot as u32);
        self.dev.write(at + 8, (slot as u32 + 1) << 12);
        self.dev.write(at, state);
    }

    fn counter(&self, counter: Counter) -> u32 {
        self.dev.read(COUNTERS + counter.offset())
    }

    fn ring(&mut self, slot: usize, producer: u32) -> (bool, Option<usize>) {
        self.dev.doorbells |= 1 << slot;
        self.dev.doorbell_values[slot] = producer;
        self.posts.on_doorbell(&mut self.dev, &mut self.run, &mut self.writes)
    }

    fn settle(&mut self, slot: usize) {
        self.posts.settle(&mut self.dev, &mut self.records, &mut self.writes, slot);
    }

    /// The words of host writes that were posted since the last call.
    fn watch_writes(&mut self) {
        for at in self.words.len()..self.dev.writes.len() {
            let (_, sram, control) = self.dev.writes[at];
            assert_eq!(control & 0xFFFF, 16);
            self.words.push_back(std::array::from_fn(|word| self.dev.read(sram + 4 * word as u32)));
        }
    }

    /// The oldest host write ends. False if there is none.
    fn end_write(&mut self) -> bool {
        let Some((bus, sram, _)) = self.dev.writes.pop_front() else { return false };
        self.dev.write_consumer = self.dev.write_consumer.wrapping_add(1);
        let words: [u32; 4] = std::array::from_fn(|word| self.dev.read(sram + 4 * word as u32));
        assert_eq!(self.words.pop_front(), Some(words), "a status changed while it was written");
        let slot = (bus >> 12) as usize - 1;
        let [refused, last_error, last_error_index, ended] = words;
        assert!(ended.wrapping_sub(self.told[slot].ended) <= POST_QUEUE_ENTRIES, "a status went back");
        self.told[slot] = ProcessStatus { refused, last_error, last_error_index, ended };
        true
    }

    fn see_to_writes(&mut self) {
        while let Some(Tag(slot)) = self.writes.oldest_ended(self.dev.dma_write_consumer()) {
            self.posts.on_status_written(slot, self.writes.ended());
            self.writes.retire();
        }
        self.posts.write_statuses(&mut self.dev, &mut self.writes);
        self.watch_writes();
    }
}

/// What the model keeps of an entry of a queue that was read.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    frames: u32,
    is_issued: bool,
    is_half: bool,
    error: Option<PostError>,
}

#[derive(Clone, Debug, Default)]
struct Process {
    rung: u32,
    read: u32,
    ended: u32,
    entries: VecDeque<Entry>,
    refused: u32,
    last_error: Option<(PostError, u32)>,
}

impl Process {
    /// Ends entries from the oldest on. How many ended well, and badly.
    fn settle(&mut self) -> (u32, u32) {
        let (mut well, mut badly) = (0, 0);
        let is_complete = |entry: &&Entry| entry.is_issued && entry.frames == 0;
        while let Some(entry) = self.entries.front().filter(is_complete).copied() {
            self.entries.pop_front();
            if let Some(error) = entry.error {
                badly += 1;
                self.last_error = Some((error, self.ended));
            } else if !entry.is_half {
                well += 1;
            }
            self.ended = self.ended.wrapping_add(1);
        }
        self.refused += badly;
        (well, badly)
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Rings for so many more posts; beyond the room of the queue the doorbell is wild.
    Ring(usize, u32),
    Read(usize),
    /// Reads two entries that are one post.
    ReadTwo(usize),
    Send(usize, bool),
    Refuse(usize, u32),
    EndFrame(prop::sample::Index),
    FailFrame(prop::sample::Index, u32),
    EndWrite,
    SeeToWrites,
    Close(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let slot = || 0..SLOTS;
    prop_oneof![
        4 => (slot(), prop_oneof![9 => 0u32..5, 1 => any::<u32>()]).prop_map(|(slot, more)| Step::Ring(slot, more)),
        4 => slot().prop_map(Step::Read),
        1 => slot().prop_map(Step::ReadTwo),
        8 => (slot(), any::<bool>()).prop_map(|(slot, is_last)| Step::Send(slot, is_last)),
        1 => (slot(), 1u32..6).prop_map(|(slot, error)| Step::Refuse(slot, error)),
        6 => any::<prop::sample::Index>().prop_map(Step::EndFrame),
        1 => (any::<prop::sample::Index>(), 7u32..10).prop_map(|(frame, error)| Step::FailFrame(frame, error)),
        2 => Just(Step::EndWrite),
        2 => Just(Step::SeeToWrites),
        1 => slot().prop_map(Step::Close),
    ]
}

/// The bench beside the model.
struct Both {
    bench: Bench,
    processes: [Process; SLOTS],
    /// Frames in flight: owner, slot, and number of the post; `None` for the slot once it was
    /// closed.
    frames: Vec<(Owner, Option<(usize, u32)>)>,
    well: u32,
    badly: u32,
    closed: u32,
}

impl Both {
    fn new() -> Both {
        let processes = Default::default();
        Both { bench: Bench::new(), processes, frames: Vec::new(), well: 0, badly: 0, closed: 0 }
    }

    fn post(&mut self, slot: usize, number: u32) -> &mut Entry {
        let process = &mut self.processes[slot];
        &mut process.entries[number.wrapping_sub(process.ended) as usize]
    }

    /// Whether the head of a slot is a post with frames to be issued.
    fn is_at_work(&self, slot: usize) -> bool {
        self.processes[slot].entries.back().is_some_and(|head| !head.is_issued)
    }

    fn read(&mut self, slot: usize, is_half: bool) {
        let process = &mut self.processes[slot];
        let index = self.bench.posts.next_index(slot);
        assert_eq!(index, (process.read != process.rung).then_some(process.read));
        let Some(index) = index else { return };
        process.read = index.wrapping_add(1);
        process.entries.push_back(Entry { is_half, is_issued: is_half, ..Entry::default() });
        if is_half {
            self.bench.posts.fetch_first_half(&mut self.bench.records, slot);
        } else {
            let has_more = self.bench.posts.fetch_up_to(slot, index.wrapping_add(1));
            assert_eq!(has_more, process.read != process.rung);
            self.bench.posts.set_sending(slot, true);
        }
        assert_eq!(self.bench.posts.head_id(slot), PostId::new(slot, index));
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Ring(slot, more) => self.ring(slot, more),
            Step::Read(slot) if !self.is_at_work(slot) => self.read(slot, false),
            Step::ReadTwo(slot) if !self.is_at_work(slot) && self.rang_two(slot) => {
                self.read(slot, true);
                self.read(slot, false);
            }
            Step::Send(slot, is_last) if self.is_at_work(slot) => self.send(slot, is_last),
            Step::Refuse(slot, error) if self.is_at_work(slot) => {
                let error = PostError::from_word(error).unwrap();
                let number = self.processes[slot].read.wrapping_sub(1);
                let Bench { dev, posts, records, writes, .. } = &mut self.bench;
                posts.refuse(dev, records, writes, slot, error);
                let post = self.post(slot, number);
                post.is_issued = true;
                post.error.get_or_insert(error);
            }
            Step::EndFrame(at) if !self.frames.is_empty() => {
                let (owner, post) = self.frames.swap_remove(at.index(self.frames.len()));
                let settle = self.bench.posts.end_frame(&mut self.bench.records, owner);
                self.bench.posts.note_complete(settle);
                let Some((slot, number)) = post else { return assert_eq!(settle, 0) };
                let post = self.post(slot, number);
                post.frames -= 1;
                assert_eq!(settle, u32::from(post.is_issued && post.frames == 0) << slot);
            }
            Step::FailFrame(at, error) if !self.frames.is_empty() => {
                let (owner, post) = self.frames[at.index(self.frames.len())];
                let error = PostError::from_word(error).unwrap();
                let Bench { dev, run, posts, records, writes, .. } = &mut self.bench;
                posts.fail_frame(dev, records, run, writes, owner, error);
                let Some((slot, number)) = post else { return };
                let post = self.post(slot, number);
                post.error.get_or_insert(error);
                post.is_issued = true;
            }
            Step::EndWrite => {
                self.bench.end_write();
            }
            Step::SeeToWrites => self.bench.see_to_writes(),
            Step::Close(slot) => self.close(slot),
            _ => {}
        }
    }

    fn ring(&mut self, slot: usize, more: u32) {
        let process = &mut self.processes[slot];
        let producer = process.rung.wrapping_add(more);
        let is_legal = more <= POST_QUEUE_ENTRIES - process.rung.wrapping_sub(process.ended);
        let accepted = self.bench.ring(slot, producer);
        assert_eq!(accepted, (is_legal, is_legal.then_some(slot)));
        if is_legal {
            process.rung = producer;
            assert_eq!(self.bench.posts.pid(slot), 100 + slot as u32);
        } else {
            process.last_error = Some((PostError::BadProducerIndex, producer));
        }
    }

    fn rang_two(&self, slot: usize) -> bool {
        self.bench.posts.next_index(slot).is_some() && self.bench.posts.has_two(slot)
    }

    fn send(&mut self, slot: usize, is_last: bool) {
        let number = self.processes[slot].read.wrapping_sub(1);
        if self.post(slot, number).frames == Records::FRAMES_MAX {
            return;
        }
        let id = self.bench.posts.head_id(slot);
        self.bench.records.add_frame(id);
        self.bench.posts.set_sending(slot, !is_last);
        if is_last {
            self.bench.records.issue(id);
        }
        self.frames.push((self.bench.posts.owner(id), Some((slot, number))));
        let post = self.post(slot, number);
        post.frames += 1;
        post.is_issued = is_last;
    }

    /// The driver closes a slot, and opens it for another process.
    fn close(&mut self, slot: usize) {
        // What is on its way to the old status page must have gone.
        while self.bench.end_write() {}
        self.bench.see_to_writes();
        while self.bench.end_write() {}
        self.bench.see_to_writes();
        let Bench { dev, run, posts, records, .. } = &mut self.bench;
        posts.close(dev, records, run, slot);
        let open = self.processes[slot].entries.iter().filter(|entry| !entry.is_half).count();
        self.closed += open as u32;
        self.processes[slot] = Process::default();
        self.bench.told[slot] = ProcessStatus { last_error_index: NO_POST, ..ProcessStatus::default() };
        for (_, post) in &mut self.frames {
            *post = post.filter(|(of, _)| *of != slot);
        }
    }

    /// Each post ends once, in the order of its slot, as soon as the layer says that it is
    /// complete.
    fn check(&mut self) {
        // The next post of a slot whose head has failed has its turn.
        while self.bench.run.pop().is_some() {}
        while let Some(slot) = self.bench.posts.next_unsettled() {
            self.bench.settle(slot);
        }
        for process in &mut self.processes {
            let (well, badly) = process.settle();
            self.well += well;
            self.badly += badly;
        }
        let refused: u32 = REFUSED.into_iter().map(|counter| self.bench.counter(counter)).sum();
        assert_eq!((self.bench.counter(Counter::PostsCompleted), refused), (self.well, self.badly));
        assert_eq!(self.bench.counter(Counter::PostsClosed), self.closed);
        // First halves that nothing follows yet.
        (0..SLOTS).for_each(|slot| self.bench.settle(slot));
        self.bench.watch_writes();
    }

    /// When all host writes have ended, each status page says what the model says.
    fn check_pages(&mut self) {
        self.bench.see_to_writes();
        while self.bench.end_write() {
            self.bench.see_to_writes();
        }
        assert!(!self.bench.posts.status_is_behind());
        for (told, process) in self.bench.told.iter().zip(&self.processes) {
            let (last_error, last_error_index) =
                process.last_error.map_or((0, NO_POST), |(error, at)| (error as u32, at));
            let expected =
                ProcessStatus { refused: process.refused, last_error, last_error_index, ended: process.ended };
            assert_eq!(*told, expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn posts_end_once_in_order_and_the_pages_say_so(steps in prop::collection::vec(step(), 1..250)) {
        let mut both = Both::new();
        for step in steps {
            both.step(step);
            both.check();
        }
        both.check_pages();
    }
}

#[test]
fn a_wild_doorbell_changes_nothing_but_the_last_error() {
    let mut bench = Bench::new();
    assert_eq!(bench.ring(1, 5), (true, Some(1)));
    for wild in [4, 129, u32::MAX, 1 << 31] {
        assert_eq!(bench.ring(1, wild), (false, None));
        assert_eq!((bench.posts.next_index(1), bench.posts.fetched(1)), (Some(0), 0));
        bench.watch_writes();
        while bench.end_write() {}
        bench.see_to_writes();
        let ProcessStatus { refused, last_error, last_error_index, ended } = bench.told[1];
        assert_eq!((refused, last_error, last_error_index, ended), (0, PostError::BadProducerIndex as u32, wild, 0));
    }
    assert_eq!(bench.ring(1, 128), (true, Some(1)));
    assert_eq!(bench.counter(Counter::DoorbellsWild), 4);
}

#[test]
fn a_doorbell_of_a_closed_slot_and_of_no_slot_is_ignored() {
    let mut bench = Bench::new();
    bench.set_entry(2, 0);
    for page in [2, 8, 15] {
        assert_eq!(bench.ring(page, 1), (false, None));
    }
    assert_eq!(bench.posts.next_index(2), None);
    assert_eq!((bench.counter(Counter::DoorbellsClosed), bench.dev.writes.len()), (3, 0));
}

#[test]
fn a_slot_that_rings_while_others_wait_comes_behind_them_and_once() {
    let mut bench = Bench::new();
    bench.run.push(2);
    assert_eq!(bench.ring(0, 1), (true, None));
    assert_eq!(bench.ring(0, 2), (true, None));
    bench.run.block(1 << 1);
    assert_eq!(bench.ring(1, 1), (true, None), "it waits, and is woken by what it waits for");
    let order: Vec<usize> = std::iter::from_fn(|| bench.run.pop()).collect();
    assert_eq!(order, [2, 0]);
}

#[test]
fn a_queue_changes_hands_only_when_it_is_drained() {
    let mut bench = Bench::new();
    let is_drained = |bench: &Bench| bench.posts.is_drained(&bench.dev, 0);
    assert!(is_drained(&bench) && bench.posts.has_queue(2) && !bench.posts.has_queue(3));
    bench.ring(0, 1);
    assert!(!is_drained(&bench), "a post was rung");
    let id = PostId::new(0, 0);
    bench.posts.fetch_up_to(0, 1);
    bench.records.add_frame(id);
    bench.records.issue(id);
    assert!(bench.records.end_frame(id));
    assert!(bench.posts.settle_one(&mut bench.dev, &mut bench.records, &mut bench.writes, id));
    bench.watch_writes();
    assert!(!is_drained(&bench), "its status is being written");
    bench.end_write();
    bench.see_to_writes();
    assert!(is_drained(&bench));

    let next = PROCESS_TABLE + 32 * NEXT_OWNER as u32;
    for (word, value) in [ENTRY_OPEN, 77, 1 << 12, 0, 4, 8, 3, 1000].into_iter().enumerate() {
        bench.dev.write(next + 4 * word as u32, value);
    }
    let Bench { dev, run, posts, records, .. } = &mut bench;
    posts.assign(dev, records, run, 0);
    let words: Vec<u32> = (0..8).map(|word| bench.dev.read(next + 4 * word)).collect();
    assert_eq!(words, [ENTRY_ASSIGNED, 77, 1 << 12, 0, 0, 0, NO_POST, 1], "where the one before it was");
    assert_eq!((bench.posts.pid(0), bench.posts.next_index(0), bench.posts.fetched(0)), (77, None, 1000));
    bench.dev.doorbells = 1;
    assert!(!is_drained(&bench), "a doorbell was not taken yet");
}
