use crate::agent::{Agent, AgentHabits};
use crate::master::{Burst, BurstEnd};
use crate::target::{AddressPhase, Claim, Refusal, TargetBackend};
use crate::{BusAddr, BusError, Command, MasterHabits, Misbehaviour, Word};
use sim_pins::{PciControl, PciDrive, PciLines, PciPin, Ps};
use std::collections::VecDeque;

/// What the mock looks like to the host.
#[derive(Clone, Debug)]
pub struct MockNicSettings {
    /// Vendor number in configuration space.
    pub vendor: u16,
    /// Device number in configuration space.
    pub device: u16,
    /// Sizes of BAR 0 and BAR 1, powers of two from 16.
    pub bar_bytes: [u32; 2],
    /// DEVSEL# at this clock after the address phase: 1 (fast) to 3 (slow).
    pub devsel_clock: u32,
    /// First TRDY# at this clock after the address phase.
    pub first_clock: u32,
    /// Wait states before each further beat, as a target.
    pub beat_wait_clocks: u32,
    /// Disconnects bursts at multiples of this; 0: never.
    pub boundary_bytes: u32,
    /// Wait states before each beat, as a master.
    pub irdy_wait_clocks: u32,
    /// Asks for 64 bits in a 64-bit slot.
    pub asks_64: bool,
    /// Words in one DMA transaction at most.
    pub burst_words: usize,
    /// Keeps each write of the host for [`MockNic::next_host_write`].
    pub records_host_writes: bool,
}

impl Default for MockNicSettings {
    fn default() -> MockNicSettings {
        MockNicSettings {
            vendor: 0x1234,
            device: 0x5678,
            bar_bytes: [0x2_0000, 0x8_0000],
            devsel_clock: 2,
            first_clock: 4,
            beat_wait_clocks: 0,
            boundary_bytes: 0,
            irdy_wait_clocks: 0,
            asks_64: true,
            burst_words: 64,
            records_host_writes: false,
        }
    }
}

/// The end of a DMA of the mock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DmaCompletion {
    /// When the transaction had ended.
    pub at: Ps,
    /// What a read brought; empty for a write.
    pub result: Result<Vec<u32>, BusError>,
}

/// A dword that the host wrote into a BAR: what a register or a doorbell would hear.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostWrite {
    /// Number of the base address register: 0 or 1.
    pub bar: usize,
    /// Offset in that BAR, a multiple of 4.
    pub offset_bytes: u32,
    /// The bytes that were written.
    pub word: Word,
}

#[derive(Clone, Debug)]
struct Dma {
    command: Command,
    addr: BusAddr,
    words: Vec<Word>,
    done: usize,
    bad_parity: bool,
}

/// What the mock's target side stands on: configuration space and the memory of two BARs.
#[derive(Debug)]
struct Space {
    settings: MockNicSettings,
    config: [u32; 16],
    bars: [Vec<u8>; 2],
    misbehaviour: Misbehaviour,
    /// What the running transaction is on: configuration space, or a BAR and its base.
    selected: Option<(usize, u32)>,
    host_writes: VecDeque<HostWrite>,
}

const COMMAND: usize = 1;
const TIMER: usize = 3;
const BAR_0: usize = 4;
const MEMORY_ENABLE: u32 = 1 << 1;
const MASTER_ENABLE: u32 = 1 << 2;
const PARITY_RESPONSE: u32 = 1 << 6;

/// A NIC for tests of the bus and of drivers: two BARs with plain memory behind them, a
/// configuration header, and a master that does the DMA it is told to, one at a time and in order.
#[derive(Debug)]
pub struct MockNic {
    agent: Agent,
    space: Space,
    queue: VecDeque<Dma>,
    completions: VecDeque<DmaCompletion>,
    /// Clocks until the parity of the DMA at the front is known; it has moved all its words.
    settling: Option<u8>,
    error: Option<BusError>,
    interrupt: bool,
    slot_64_bit: bool,
    master_habits: MasterHabits,
    drive: PciDrive,
}

impl MockNic {
    /// A NIC with these settings, in the state after reset.
    pub fn new(settings: MockNicSettings) -> MockNic {
        let mut config = [0; 16];
        config[0] = u32::from(settings.device) << 16 | u32::from(settings.vendor);
        config[2] = 0x0200_0001;
        config[15] = 0x0100;
        let bars = settings.bar_bytes.map(|bytes| vec![0; bytes as usize]);
        let master_habits = MasterHabits { irdy_wait_clocks: settings.irdy_wait_clocks, ..MasterHabits::default() };
        MockNic {
            agent: Agent::new(),
            space: Space {
                settings,
                config,
                bars,
                misbehaviour: Misbehaviour::default(),
                selected: None,
                host_writes: VecDeque::new(),
            },
            queue: VecDeque::new(),
            completions: VecDeque::new(),
            settling: None,
            error: None,
            interrupt: false,
            slot_64_bit: false,
            master_habits,
            drive: PciDrive::NONE,
        }
    }

    /// What the mock drives since the last edge.
    pub fn drive(&self) -> &PciDrive {
        &self.drive
    }

    /// Contents of a BAR.
    pub fn bar(&self, idx: usize) -> &[u8] {
        &self.space.bars[idx]
    }

    /// Contents of a BAR, to be changed by the test.
    pub fn bar_mut(&mut self, idx: usize) -> &mut [u8] {
        &mut self.space.bars[idx]
    }

    /// The next write of the host, in the order of the bus.
    pub fn next_host_write(&mut self) -> Option<HostWrite> {
        self.space.host_writes.pop_front()
    }

    /// What the mock does to the host's transactions.
    pub fn misbehaviour(&mut self) -> &mut Misbehaviour {
        &mut self.space.misbehaviour
    }

    /// How the mock behaves as a master. Its latency timer is in its configuration space.
    pub fn master_habits(&mut self) -> &mut MasterHabits {
        &mut self.master_habits
    }

    /// The level of the cause behind INTA#.
    pub fn set_interrupt(&mut self, asserted: bool) {
        self.interrupt = asserted;
    }

    /// Queues a read of host memory. It waits for the master enable bit.
    pub fn dma_read(&mut self, addr: BusAddr, dwords: usize) {
        let command = Command::MemoryReadMultiple;
        self.queue.push_back(Dma { command, addr, words: vec![Word::full(0); dwords], done: 0, bad_parity: false });
    }

    /// Queues a write to host memory.
    pub fn dma_write(&mut self, addr: BusAddr, words: Vec<Word>) {
        self.queue.push_back(Dma { command: Command::MemoryWrite, addr, words, done: 0, bad_parity: false });
    }

    /// The oldest end of a DMA that was not taken yet; `None` if there is none.
    pub fn next_dma_completion(&mut self) -> Option<DmaCompletion> {
        self.completions.pop_front()
    }

    /// Whether no DMA waits or is under way.
    pub fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    /// Takes the lines of this edge and advances by one clock.
    pub fn rising_edge(&mut self, at: Ps, lines: &PciLines) {
        if lines.low(PciPin::Rst) {
            self.reset(lines);
            return;
        }
        let command = self.space.config[COMMAND];
        self.feed(command & MASTER_ENABLE != 0);
        let latency_timer_clocks = self.space.config[TIMER] >> 8 & 0xFF;
        let habits = AgentHabits {
            master: MasterHabits { latency_timer_clocks, ..self.master_habits },
            reports_parity: command & PARITY_RESPONSE != 0,
        };
        let granted = lines.low(PciPin::Gnt);
        let report = self.agent.advance(lines, granted, &habits, &mut self.space);
        if report.bad_data_read || report.bad_data_sent {
            if let Some(dma) = self.queue.front_mut() {
                dma.bad_parity = true;
            }
        }
        if let Some(left) = self.settling {
            self.settling = Some(left - 1);
            if left == 1 {
                self.complete(at);
            }
        }
        if let Some(ended) = report.ended {
            self.ended(ended.end, ended.words);
        }
        self.drive = *self.agent.drive();
        put(&mut self.drive, PciPin::Req, !self.agent.master.wants_bus());
        if self.interrupt {
            put(&mut self.drive, PciPin::Inta, false);
        }
    }

    fn reset(&mut self, lines: &PciLines) {
        self.agent.reset();
        self.drive = PciDrive::NONE;
        self.queue.clear();
        self.settling = None;
        self.error = None;
        self.space.config[COMMAND] = 0;
        self.space.config[BAR_0..BAR_0 + 2].fill(0);
        self.slot_64_bit = lines.low(PciPin::Req64);
    }

    fn feed(&mut self, enabled: bool) {
        let Some(dma) = self.queue.front() else {
            return;
        };
        if !enabled || self.settling.is_some() || !self.agent.master.is_free() {
            return;
        }
        let address = dma.addr + 4 * dma.done as u32;
        let ask_64 = self.slot_64_bit && self.space.settings.asks_64;
        let rest = dma.words[dma.done..].iter().copied().take(self.space.settings.burst_words);
        self.agent.master.load(Burst { command: dma.command, address, idsel: false, ask_64 }, rest);
    }

    fn ended(&mut self, end: BurstEnd, moved: usize) {
        let Some(dma) = self.queue.front_mut() else {
            return;
        };
        let is_read = dma.command.is_read();
        if is_read {
            dma.words[dma.done..][..moved].copy_from_slice(&self.agent.master.words()[..moved]);
        }
        dma.done += moved;
        self.error = match end {
            BurstEnd::MasterAbort => Some(BusError::MasterAbort),
            BurstEnd::TargetAbort => Some(BusError::TargetAbort),
            _ if dma.done == dma.words.len() => None,
            _ => return,
        };
        self.settling = Some(if is_read { 1 } else { 2 });
    }

    fn complete(&mut self, at: Ps) {
        self.settling = None;
        let Some(dma) = self.queue.pop_front() else {
            return;
        };
        let error = self.error.take().or(dma.bad_parity.then_some(BusError::Parity));
        let result = match error {
            Some(error) => Err(error),
            None if dma.command.is_read() => Ok(dma.words.iter().map(|word| word.data).collect()),
            None => Ok(Vec::new()),
        };
        self.completions.push_back(DmaCompletion { at, result });
    }
}

fn put(drive: &mut PciDrive, pin: PciPin, level: bool) {
    let (mask, levels) = (pin.mask(), drive.levels.control.bits());
    drive.enables = PciControl::from_bits(drive.enables.bits() | mask);
    drive.levels.control = PciControl::from_bits(if level { levels | mask } else { levels & !mask });
}

const CONFIG: usize = 2;

impl Space {
    fn find(&self, phase: &AddressPhase) -> Option<(usize, u32)> {
        if phase.command.is_config() {
            let selected = phase.idsel && phase.address.0 & 3 == 0 && phase.address.0 & 0x700 == 0;
            return selected.then_some((CONFIG, phase.address.0 & !0xFF));
        }
        if !phase.command.is_memory() || self.config[COMMAND] & MEMORY_ENABLE == 0 {
            return None;
        }
        (0..2).find_map(|idx| {
            let base = self.config[BAR_0 + idx] & !0xF;
            let inside = base != 0 && phase.address.0.wrapping_sub(base) < self.settings.bar_bytes[idx];
            inside.then_some((idx, base))
        })
    }

    fn write_config(&mut self, register: usize, data: u32, byte_enables: u8) {
        let writable = match register {
            COMMAND => MEMORY_ENABLE | MASTER_ENABLE | PARITY_RESPONSE | 1 << 8,
            TIMER => 0xFFFF,
            BAR_0 => !(self.settings.bar_bytes[0] - 1),
            5 => !(self.settings.bar_bytes[1] - 1),
            15 => 0xFF,
            _ => 0,
        };
        let lanes =
            (0..4).filter(|lane| byte_enables >> lane & 1 != 0).fold(0, |mask, lane| mask | 0xFFu32 << (8 * lane));
        let mask = writable & lanes;
        self.config[register] = (self.config[register] & !mask) | (data & mask);
    }
}

impl TargetBackend for Space {
    fn claim(&mut self, phase: &AddressPhase) -> Option<Claim> {
        self.selected = self.find(phase);
        let (space, _) = self.selected?;
        Some(Claim {
            devsel_clock: self.settings.devsel_clock,
            first_clock: self.settings.first_clock,
            beat_wait_clocks: self.settings.beat_wait_clocks,
            line_wait_clocks: 0,
            line_bytes: 32,
            boundary_bytes: self.settings.boundary_bytes,
            single: space == CONFIG || phase.address.0 & 3 != 0,
            wide: false,
            acts: self.misbehaviour.next(),
        })
    }

    fn read(&mut self, address: BusAddr, _wide: bool, _last: bool) -> Result<u64, Refusal> {
        let (space, base) = self.selected.ok_or(Refusal)?;
        let offset = address.0.wrapping_sub(base) as usize;
        if space == CONFIG {
            return Ok(self.config.get(offset / 4).copied().unwrap_or(0).into());
        }
        let bytes = self.bars[space].get(offset..offset + 4).ok_or(Refusal)?;
        Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    fn write(&mut self, address: BusAddr, data: u64, byte_enables: u8, _wide: bool) -> Result<(), Refusal> {
        let (space, base) = self.selected.ok_or(Refusal)?;
        let offset = address.0.wrapping_sub(base) as usize;
        if space == CONFIG {
            if offset / 4 < self.config.len() {
                self.write_config(offset / 4, data as u32, byte_enables);
            }
            return Ok(());
        }
        let bytes = self.bars[space].get_mut(offset..offset + 4).ok_or(Refusal)?;
        for (lane, byte) in bytes.iter_mut().enumerate() {
            if byte_enables >> lane & 1 != 0 {
                *byte = (data >> (8 * lane)) as u8;
            }
        }
        if self.settings.records_host_writes {
            let word = Word { data: data as u32, byte_enables };
            self.host_writes.push_back(HostWrite { bar: space, offset_bytes: offset as u32, word });
        }
        Ok(())
    }

    fn permits(&mut self, _address: BusAddr, _is_write: bool) -> Result<(), Refusal> {
        Ok(())
    }
}
