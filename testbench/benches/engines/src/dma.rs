//! Drives both host DMA engines, with a PCI master that may delay, fail, and leave data undefined
//! wherever its contract permits.

use std::collections::VecDeque;

use nic_layout::registers::{dma_read, dma_write, Offset};
use nic_layout::ring::{DMA_AHEAD_SHIFT, DMA_DESCRIPTOR_BYTES};
use verilated::{Context, Model};

use crate::memory::{Grants, HostMemory, Request, Sram};
use crate::{bit, waves, BenchDma, Chance, REMEDY};

/// One of the two host DMA engines (docs/dma.md).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Moves data from host memory to SRAM.
    HostRead,
    /// Moves data from SRAM to host memory.
    HostWrite,
}

impl Engine {
    /// Both engines, in the order of their numbers.
    pub const BOTH: [Engine; 2] = [Engine::HostRead, Engine::HostWrite];

    /// The offset of a register of this engine. `of_read` is the offset of the same register of the
    /// host-read engine.
    pub fn register(self, of_read: Offset) -> Offset {
        match self {
            Engine::HostRead => of_read,
            Engine::HostWrite => Offset(of_read.0 - dma_read::CONTROL.offset().0 + dma_write::CONTROL.offset().0),
        }
    }
}

/// The contents of a descriptor (docs/dma.md).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Descriptor {
    /// The bus address in host memory.
    pub host_address: u32,
    /// The address in the SRAM.
    pub sram_address: u32,
    /// The number of bytes to move.
    pub length_bytes: u16,
    /// Whether the end of the descriptor sets an event.
    pub event: bool,
    /// Whether the end of the descriptor hands a frame to the MAC.
    pub assist: bool,
    /// In a host read: the bytes for the following descriptors that its command reads beyond its
    /// own.
    pub ahead_bytes: u16,
}

/// The speed of the neighbours: for each the percentage of clocks in which it acts.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The SRAM grants a request.
    pub grant: u32,
    /// The PCI master takes a command.
    pub command: u32,
    /// The PCI master delivers a word of a host read.
    pub beat: u32,
    /// The PCI master takes a word of a host write.
    pub data: u32,
    /// The PCI master reports the end of a host write.
    pub done: u32,
}

impl Pace {
    /// Every neighbour acts in each clock.
    pub const FULL: Pace = Pace { grant: 100, command: 100, beat: 100, data: 100, done: 100 };
    /// Every neighbour makes random waits.
    pub const RAGGED: Pace = Pace { grant: 60, command: 40, beat: 70, data: 70, done: 40 };
}

/// An error that the PCI bus reports for one command.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The status that the bus reports (`nic_pkg::pci_status_e`).
    pub status: u8,
    /// The words that move before the error, at most one less than the command has.
    pub after_words: u32,
}

/// An observation at the pins. It is logged with the clock in which it was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// The register PRODUCER is written.
    ProducerWritten,
    /// The PCI master takes a command.
    Command {
        /// The engine.
        engine: Engine,
        /// The bus address.
        address: u32,
        /// The number of bytes.
        length_bytes: u16,
    },
    /// The first word of a command moves.
    FirstData(Engine),
    /// The last word of a host read moves, or the master reports the end of a host write.
    LastBeat(Engine),
    /// An engine writes to the SRAM.
    SramWrite {
        /// The engine.
        engine: Engine,
        /// The number of the 64-bit word.
        word: u32,
        /// The byte enables.
        enables: u8,
        /// The data.
        data: u64,
    },
    /// The event of a descriptor that ended well.
    EventDone(Engine),
    /// The event of a descriptor that ended with an error.
    EventError(Engine),
    /// The pulse that hands a frame to the MAC.
    Assist,
    /// The probe at the start of a descriptor.
    ProbeStart(Engine),
    /// The probe at the end of a descriptor.
    ProbeDone(Engine),
}

struct ReadJob {
    address: u32,
    length_bytes: u32,
    word: u32,
    words: u32,
    fault: Option<Fault>,
    offered: Option<(u64, bool, u8)>,
}

#[derive(Default)]
struct WriteMaster {
    command: Option<(u32, u16, Option<Fault>)>,
    words: Vec<u64>,
    ready: bool,
}

/// The status of a command that a reset of its engine ended (`nic_pkg::PCI_STOPPED`).
pub const STOPPED: u8 = 6;
/// The most clocks from a change of `stop_o` until the PCI master has said that it sees it: both
/// crossings, where the clock of the bus is the slower one.
pub const STOP_CLOCKS_MAX: u32 = 30;

/// The words that the master takes before it takes their command.
const WRITE_RUN_AHEAD_WORDS: usize = 4;

/// The model of both engines, with the memories, the register bus and the PCI master around it.
pub struct DmaBench {
    model: BenchDma,
    seed: u64,
    /// The source of all chance.
    pub chance: Chance,
    /// The SRAM.
    pub sram: Sram,
    /// Host memory.
    pub host: HostMemory,
    /// The speed of the neighbours.
    pub pace: Pace,
    /// The faults of the coming commands of each engine, in order. When the queue is empty,
    /// commands end well.
    pub faults: [VecDeque<Option<Fault>>; 2],
    /// The number of the clock.
    pub cycle: u64,
    /// The observations so far, each with its clock.
    pub seen: Vec<(u64, Seen)>,
    /// The answer of the SRAM that is on its way: port and word.
    answer: Option<(usize, u64)>,
    /// Whether answers of the SRAM are withheld, for a test that the checkers notice it.
    pub mute_sram: bool,
    read_job: Option<ReadJob>,
    write: WriteMaster,
    /// What the master has seen of the stop of each engine.
    stops: [bool; 2],
    /// The levels of each stop that are on their way to it, the oldest first.
    stop_lines: [VecDeque<bool>; 2],
    /// Whether the master reports an end that the engine did not ask for, for a test that the
    /// checkers notice it.
    pub stray_done: bool,
}

fn words_of(address: u32, length_bytes: u16) -> u32 {
    ((address & 7) + length_bytes as u32).div_ceil(8)
}

impl DmaBench {
    /// A bench after reset. Both engines are disabled; memories hold noise from the seed.
    pub fn new(seed: u64) -> DmaBench {
        let mut chance = Chance::new(seed);
        let mut model = BenchDma::new(Context::new().randomized(seed as u32)).expect("the model builds");
        if let Some(path) = waves("dma", seed) {
            model.open_fst(path, 0).expect("waves can be written");
        }
        let mut bench = DmaBench {
            model,
            seed,
            sram: Sram::new(&mut chance),
            host: HostMemory::new(&mut chance),
            chance,
            pace: Pace::FULL,
            faults: Default::default(),
            cycle: 0,
            seen: Vec::new(),
            answer: None,
            mute_sram: false,
            read_job: None,
            write: WriteMaster::default(),
            stops: [false; 2],
            stop_lines: Default::default(),
            stray_done: false,
        };
        let clocks = bench.chance.below(STOP_CLOCKS_MAX + 1);
        bench.set_stop_clocks(clocks);
        bench.reset();
        bench
    }

    /// The clocks from a change of an engine's stop until the PCI master sees it. `new` draws them.
    pub fn set_stop_clocks(&mut self, clocks: u32) {
        self.stop_lines = [(); 2].map(|()| vec![false; clocks as usize].into());
    }

    /// Resets the engines and the PCI master for four clocks.
    pub fn reset(&mut self) {
        self.model.rst_ni.set(0);
        for _ in 0..4 {
            self.read_job = None;
            self.write = WriteMaster::default();
            self.stop_lines.iter_mut().for_each(|line| line.iter_mut().for_each(|level| *level = false));
            self.answer = None;
            self.clock();
        }
        self.seen.clear();
        self.model.rst_ni.set(1);
    }

    /// Advances by one clock. Panics with the rule, the clock and the seed if a checker fires.
    pub fn clock(&mut self) {
        if let Err(error) = self.try_clock() {
            panic!("seed {}, clock {}: {error}; {REMEDY}", self.seed, self.cycle);
        }
    }

    /// Advances by one clock. An error if a checker fires.
    pub fn try_clock(&mut self) -> Result<(), verilated::Error> {
        self.drive();
        self.model.eval()?;
        self.grant()?;
        self.sample();
        self.model.tick(self.cycle * 10_000, 1)?;
        self.cycle += 1;
        self.model.reg_sel_i.set(0);
        Ok(())
    }

    /// The master sees a stop some clocks later, and ends the command that it has.
    fn obey_stops(&mut self) {
        // Before its first clock under reset an engine may show anything.
        let is_reset = self.model.rst_ni.get() == 0;
        for engine in 0..2 {
            let line = &mut self.stop_lines[engine];
            line.push_back(!is_reset && bit(self.model.stop_o.get(), engine));
            self.stops[engine] = line.pop_front().expect("it is as long as before");
        }
        self.model.stop_ack_i.set(u8::from(self.stops[0]) | u8::from(self.stops[1]) << 1);
        let stopped = |after_words| Some(Fault { status: STOPPED, after_words });
        if self.stops[0] {
            if let Some(job) = self.read_job.as_mut().filter(|job| job.fault.is_none()) {
                // A beat that is offered stays.
                job.fault = stopped(job.word + u32::from(job.offered.is_some()));
            }
        }
        if self.stops[1] {
            let moved = self.write.words.len() as u32;
            if let Some((address, length_bytes, fault @ None)) = &mut self.write.command {
                if moved < words_of(*address, *length_bytes) {
                    *fault = stopped(moved);
                }
            }
        }
    }

    /// The pace of the master. It ends commands of an engine that stops, whatever they waited for.
    fn master_pace(&self, engine: Engine, usual: u32) -> u32 {
        if self.stops[engine as usize] {
            usual.max(50)
        } else {
            usual
        }
    }

    fn drive(&mut self) {
        self.obey_stops();
        let read = |usual| self.master_pace(Engine::HostRead, usual);
        let write = |usual| self.master_pace(Engine::HostWrite, usual);
        let pace = Pace {
            command: read(self.pace.command),
            beat: read(self.pace.beat),
            data: write(self.pace.data),
            done: write(self.pace.done),
            ..self.pace
        };
        let write_command = write(self.pace.command);
        let m = &self.model;
        let answer = self.answer.take().filter(|_| !self.mute_sram);
        m.sram_rvalid_i.set(answer.map_or(0, |(port, _)| 1 << port));
        m.sram_rdata_i.set(answer.map_or_else(|| self.chance.word(), |(_, word)| word));
        m.sram_gnt_i.set(0);

        m.read_cmd_ready_i.set_bool(self.read_job.is_none() && self.chance.percent(pace.command));
        if let Some(job) = &mut self.read_job {
            if job.offered.is_none() && self.chance.percent(pace.beat) {
                job.offered = Some(job.next(&self.host, &mut self.chance));
            }
        }
        let offered = self.read_job.as_ref().and_then(|job| job.offered);
        let (data, last, status) = offered.unwrap_or((0x5A5A_5A5A_5A5A_5A5A, false, 0));
        m.read_beat_valid_i.set_bool(offered.is_some());
        m.read_beat_data_i.set(data);
        m.read_beat_last_i.set_bool(last);
        m.read_beat_status_i.set(status);

        let write = &mut self.write;
        m.write_cmd_ready_i.set_bool(write.command.is_none() && self.chance.percent(write_command));
        let room = match write.command {
            Some((address, length_bytes, _)) => words_of(address, length_bytes) as usize,
            None => WRITE_RUN_AHEAD_WORDS,
        };
        write.ready = write.words.len() < room && self.chance.percent(pace.data);
        m.write_data_ready_i.set_bool(write.ready);
        let complete = write.command.is_some() && write.words.len() == room;
        let done = complete && self.chance.percent(pace.done);
        let status = write.command.and_then(|(_, _, fault)| fault).map_or(0, |fault| fault.status);
        m.write_done_valid_i.set_bool(done || self.stray_done);
        m.write_done_status_i.set(if done { status } else { 0 });
        if done {
            self.log(Seen::LastBeat(Engine::HostWrite));
            self.finish_write();
        }
    }

    fn finish_write(&mut self) {
        let (address, length_bytes, fault) = self.write.command.take().expect("a command");
        let words = std::mem::take(&mut self.write.words);
        let moved = fault.map_or(words.len(), |fault| fault.after_words as usize);
        for k in 0..length_bytes as u32 {
            let lane = (address & 7) + k;
            let word = (lane / 8) as usize;
            if word < moved {
                let byte = words[word].to_le_bytes()[lane as usize % 8];
                self.host.bytes[HostMemory::index(address + k)] = byte;
            }
        }
    }

    fn grant(&mut self) -> Result<(), verilated::Error> {
        // Before its first clock under reset an engine may make any request.
        if self.model.rst_ni.get() == 0 {
            return Ok(());
        }
        let requests = self.model.sram_req_o.get();
        for port in 0..2 {
            self.sram.set_grants(port, Grants::Percent(self.pace.grant));
        }
        let granted = self.sram.arbitrate([bit(requests, 0), bit(requests, 1)], &mut self.chance);
        if let Some(port) = granted {
            self.model.sram_gnt_i.set(1 << port);
            self.model.eval()?;
            let m = &self.model;
            let (word, we, enables, data) = match port {
                0 => (
                    m.read_sram_addr_o.get(),
                    m.read_sram_we_o.get(),
                    m.read_sram_be_o.get(),
                    m.read_sram_wdata_o.get(),
                ),
                _ => (
                    m.write_sram_addr_o.get(),
                    m.write_sram_we_o.get(),
                    m.write_sram_be_o.get(),
                    m.write_sram_wdata_o.get(),
                ),
            };
            let write = (we != 0).then_some((enables, data));
            self.answer = self.sram.access(Request { word, write }).map(|word| (port, word));
            if write.is_some() {
                self.log(Seen::SramWrite { engine: Engine::BOTH[port], word, enables, data });
            }
        }
        Ok(())
    }

    fn sample(&mut self) {
        let m = &self.model;
        if m.rst_ni.get() == 0 {
            return;
        }
        let mut seen = Vec::new();
        for (number, engine) in Engine::BOTH.into_iter().enumerate() {
            let pulses = [
                (m.event_done_o.get(), Seen::EventDone(engine)),
                (m.event_error_o.get(), Seen::EventError(engine)),
                (m.probe_start_o.get(), Seen::ProbeStart(engine)),
                (m.probe_done_o.get(), Seen::ProbeDone(engine)),
            ];
            seen.extend(pulses.into_iter().filter(|(bus, _)| bit(*bus, number)).map(|(_, seen)| seen));
        }
        if m.assist_o.is_high() {
            seen.push(Seen::Assist);
        }
        if m.read_cmd_valid_o.is_high() && m.read_cmd_ready_i.get() != 0 {
            let (address, length_bytes) = (m.read_cmd_addr_o.get(), m.read_cmd_len_bytes_o.get());
            assert!(length_bytes > 0, "a command of no bytes");
            let fault = self.faults[0].pop_front().flatten();
            let words = words_of(address, length_bytes);
            self.read_job =
                Some(ReadJob { address, length_bytes: length_bytes as u32, word: 0, words, fault, offered: None });
            seen.push(Seen::Command { engine: Engine::HostRead, address, length_bytes });
        }
        if m.read_beat_valid_i.get() != 0 && m.read_beat_ready_o.is_high() {
            let job = self.read_job.as_mut().expect("a job");
            let (_, last, _) = job.offered.take().expect("a beat");
            if job.word == 0 {
                seen.push(Seen::FirstData(Engine::HostRead));
            }
            job.word += 1;
            if last {
                seen.push(Seen::LastBeat(Engine::HostRead));
                self.read_job = None;
            }
        }
        if m.write_cmd_valid_o.is_high() && m.write_cmd_ready_i.get() != 0 {
            let (address, length_bytes) = (m.write_cmd_addr_o.get(), m.write_cmd_len_bytes_o.get());
            assert!(length_bytes > 0, "a command of no bytes");
            let fault = self.faults[1].pop_front().flatten();
            self.write.command = Some((address, length_bytes, fault));
            seen.push(Seen::Command { engine: Engine::HostWrite, address, length_bytes });
        }
        if m.write_data_valid_o.is_high() && self.write.ready {
            if self.write.words.is_empty() {
                seen.push(Seen::FirstData(Engine::HostWrite));
            }
            self.write.words.push(m.write_data_o.get());
        }
        for one in seen {
            self.log(one);
        }
    }

    fn log(&mut self, seen: Seen) {
        self.seen.push((self.cycle, seen));
    }

    // ---- Registers -------------------------------------------------------------------

    fn access(&mut self, offset: Offset, write: Option<(u32, u8)>) {
        let m = &self.model;
        let engine = (offset.0 - dma_read::CONTROL.offset().0) / 0x80;
        m.reg_sel_i.set(1 << engine);
        m.reg_addr_i.set(offset.0);
        m.reg_we_i.set_bool(write.is_some());
        m.reg_be_i.set(write.map_or(0xF, |(_, enables)| enables));
        m.reg_wdata_i.set(write.map_or(0, |(value, _)| value));
    }

    /// Writes a register of an engine, in one clock.
    pub fn write(&mut self, engine: Engine, of_read: Offset, value: u32) {
        if of_read == dma_read::PRODUCER.offset() {
            self.log(Seen::ProducerWritten);
        }
        self.access(engine.register(of_read), Some((value, 0xF)));
        self.clock();
    }

    /// Writes the enabled bytes of a register of an engine, in one clock.
    pub fn write_some_bytes(&mut self, engine: Engine, of_read: Offset, value: u32, enables: u8) {
        self.access(engine.register(of_read), Some((value, enables)));
        self.clock();
    }

    /// Reads a register of an engine, in one clock.
    pub fn read(&mut self, engine: Engine, of_read: Offset) -> u32 {
        self.access(engine.register(of_read), None);
        self.clock();
        self.model.reg_rdata_o.get()
    }

    // ---- What tests want done ------------------------------------------------------------

    /// Sets up a ring and enables the engine. The indices start at `index`.
    pub fn start_ring(&mut self, engine: Engine, base: u32, log2: u32, index: u16) {
        self.write(engine, dma_read::CONTROL.offset(), 0);
        self.write(engine, dma_read::RING_BASE.offset(), base);
        self.write(engine, dma_read::RING_LOG2.offset(), log2);
        self.write(engine, dma_read::CONSUMER.offset(), index as u32);
        self.write(engine, dma_read::PRODUCER.offset(), index as u32);
        self.write(engine, dma_read::CONTROL.offset(), 1);
        self.seen.clear();
    }

    /// Resets an engine through its register CONTROL, and waits until that is done.
    pub fn reset_engine(&mut self, engine: Engine) {
        self.write(engine, dma_read::CONTROL.offset(), dma_read::Control(0).with_reset(true).0);
        self.until("the end of the reset", |b| b.read(engine, dma_read::CONTROL.offset()) & 2 == 0);
    }

    /// Writes a descriptor into its place in the ring, with noise in the status word. Returns the
    /// address of the place.
    pub fn put_descriptor(&mut self, base: u32, log2: u32, index: u16, descriptor: Descriptor) -> u32 {
        let at = base + (index as u32 & ((1 << log2) - 1)) * DMA_DESCRIPTOR_BYTES;
        self.sram.set_word32(at, descriptor.host_address);
        self.sram.set_word32(at + 4, descriptor.sram_address);
        let flags = (descriptor.event as u32) << 16 | (descriptor.assist as u32) << 17;
        let ahead = (descriptor.ahead_bytes as u32) << DMA_AHEAD_SHIFT;
        self.sram.set_word32(at + 8, descriptor.length_bytes as u32 | flags | ahead);
        self.sram.set_word32(at + 12, 0x1BAD_0000);
        at
    }

    /// Reads the register CONSUMER of an engine.
    pub fn consumer(&mut self, engine: Engine) -> u16 {
        self.read(engine, dma_read::CONSUMER.offset()) as u16
    }

    /// Advances until the condition holds. Panics after many clocks.
    pub fn until(&mut self, what: &str, mut holds: impl FnMut(&mut DmaBench) -> bool) {
        for _ in 0..200_000 {
            if holds(self) {
                return;
            }
            self.clock();
        }
        let consumers = Engine::BOTH.map(|engine| self.consumer(engine));
        panic!("seed {}: {what} does not come; consumers {consumers:?}", self.seed);
    }

    /// The number of observations of a kind.
    pub fn count(&self, wanted: impl Fn(&Seen) -> bool) -> usize {
        self.seen.iter().filter(|(_, seen)| wanted(seen)).count()
    }

    /// The clock of the first observation of a kind. Panics if there was none.
    pub fn first(&self, wanted: impl Fn(&Seen) -> bool) -> u64 {
        self.seen.iter().find(|(_, seen)| wanted(seen)).expect("it was seen").0
    }

    /// Whether an engine requests the SRAM.
    pub fn requests_sram(&self) -> bool {
        self.model.sram_req_o.get() != 0
    }

    /// Whether an engine offers a command to the PCI master.
    pub fn commands(&self) -> bool {
        self.model.read_cmd_valid_o.is_high() || self.model.write_cmd_valid_o.is_high()
    }
}

impl ReadJob {
    /// The next word: data, with noise outside the command's bytes; whether it is the last; the
    /// status.
    fn next(&self, host: &HostMemory, chance: &mut Chance) -> (u64, bool, u8) {
        if let Some(fault) = self.fault {
            if self.word == fault.after_words.min(self.words - 1) {
                return (chance.word(), true, fault.status);
            }
        }
        let mut bytes = chance.word().to_le_bytes();
        for (lane, byte) in bytes.iter_mut().enumerate() {
            let k = (8 * self.word + lane as u32).wrapping_sub(self.address & 7);
            if k < self.length_bytes {
                *byte = host.bytes[HostMemory::index(self.address + k)];
            }
        }
        (u64::from_le_bytes(bytes), self.word + 1 == self.words, 0)
    }
}
