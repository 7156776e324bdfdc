//! Two parts that any core may run. The source makes entries and pushes them, the sink pops them.
//!
//! The state of a part is what any core may run next, so it is behind a mutex of the test that no
//! core ever finds locked.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use nic_device::Words;
use nic_handoff::{tell, Claims, Core, Queue, Reader, Writer};

use super::{CoreBell, Lock, Sram, Word};

type Ring = Queue<1, 1>;

const SOURCE: u32 = 0;
const SINK: u32 = 1;

/// SRAM: the claims, the entries that the source has yet to make, the queue.
const TO_MAKE: u32 = Claims::bytes();
const QUEUE: u32 = TO_MAKE + 4;
const SRAM_BYTES: u32 = QUEUE + Ring::bytes();

/// Where the entries come from: numbers of them.
#[derive(Clone, Copy)]
pub struct Work {
    /// They wait in the queue.
    pub waiting: u32,
    /// The source makes them.
    pub made: u32,
    /// The hardware pushes them, and tells core B.
    pub arriving: u32,
}

/// What both cores see.
#[derive(Clone)]
pub struct Node {
    pub sram: Sram,
    pub lock: Lock,
    pub bells: [CoreBell; 2],
    /// 1 while a core runs the part.
    runs: [Word; 2],
    /// The same in bits. `loom` does not see it, so it adds no interleavings.
    running: Arc<AtomicU32>,
    pub source: Arc<Mutex<Writer<1, 1>>>,
    /// The reader, and the entries popped.
    sink: Arc<Mutex<(Reader<1, 1>, u32)>>,
    /// All entries have been popped.
    pub over: Word,
    pub total: u32,
}

impl Node {
    pub fn new(work: Work) -> Node {
        let mut sram = Sram::new(SRAM_BYTES);
        let queue = Ring::at(&sram, QUEUE);
        Claims::at(&sram, 0, Core::A).clear(&mut sram);
        queue.clear(&mut sram);
        sram.write(TO_MAKE, work.made);
        let mut source = queue.writer(&sram);
        (0..work.waiting).for_each(|number| source.push(&mut sram, [number]));
        Node {
            lock: Lock::new(),
            bells: [CoreBell::new(), CoreBell::new()],
            runs: [Word::new(0), Word::new(0)],
            running: Arc::default(),
            source: Arc::new(Mutex::new(source)),
            sink: Arc::new(Mutex::new((queue.reader(&sram), 0))),
            over: Word::new(0),
            total: work.waiting + work.made + work.arriving,
            sram,
        }
    }

    /// The parts with work, as any core sees them.
    pub fn ready(&self) -> u32 {
        let queue = Ring::at(&self.sram, QUEUE);
        let source = self.sram.read(TO_MAKE) > 0 && queue.has_room(&self.sram, 1);
        let sink = !queue.is_empty(&self.sram);
        u32::from(source) << SOURCE | u32::from(sink) << SINK
    }

    fn run_source(&mut self, other: &mut CoreBell) {
        let mut source = self.source.try_lock().expect("two cores have one state");
        let to_make = self.sram.read(TO_MAKE);
        if to_make > 0 && source.room(&self.sram) > 0 {
            source.push(&mut self.sram, [self.total - to_make]);
            self.sram.write(TO_MAKE, to_make - 1);
            tell(other);
        }
    }

    fn run_sink(&mut self) {
        let mut sink = self.sink.try_lock().expect("two cores have one state");
        let (reader, popped) = &mut *sink;
        if let Some(found) = reader.pop(&mut self.sram) {
            assert_eq!(found, [*popped], "the entry popped is not the one pushed");
            *popped += 1;
            if *popped == self.total {
                self.over.put(1);
                self.bells.iter_mut().for_each(tell);
            }
        }
    }

    /// Runs an event of a part. `both` becomes true if the other core runs the other part.
    pub fn run(&mut self, part: u32, other: &mut CoreBell, both: &AtomicBool) {
        assert_eq!(self.runs[part as usize].put(1), 0, "two cores run one part");
        both.fetch_or(self.running.fetch_or(1 << part, SeqCst) != 0, SeqCst);
        match part {
            SOURCE => self.run_source(other),
            _ => self.run_sink(),
        }
        self.running.fetch_and(!(1 << part), SeqCst);
        self.runs[part as usize].put(0);
    }
}
