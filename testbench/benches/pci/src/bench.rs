//! Drives one model with both clocks, the bus and the core side.

use crate::pins::{apply, drive_of};
use crate::{BenchPci, CoreSide, DmaStatus, ReadResult};
use host_pci::mock::MockMemory;
use host_pci::{Answer, Bus, BusAddr, BusError, Settings, SettingsError, Transaction, TransactionId, Violation, Word};
use sim_pins::{PciDrive, PciLines, PciPin, Ps};
use verilated::{Context, Model as _};

/// The bus address to which the bench maps BAR 0.
pub const BAR0: u32 = 0x8000_0000;
/// The bus address to which the bench maps BAR 1.
pub const BAR1: u32 = 0x9000_0000;

const PCI_CLOCK: u32 = 0b01;
const CORE_CLOCK: u32 = 0b10;

/// The PCI clocks after which a wait fails.
const WATCHDOG_CLOCKS: u64 = 400_000;

/// The settings of a bench.
pub struct Setup {
    /// The bus: width, clock, and the behaviour of the platform's side.
    pub settings: Settings,
    /// The period of the PCI clock, in ps.
    pub pci_period_ps: u64,
    /// The period of the core clock, in ps.
    pub core_period_ps: u64,
    /// The size of host memory in bytes.
    pub memory_bytes: usize,
    /// The seed of all that is random.
    pub seed: u64,
    /// The command register after reset (PCI 2.2, 6.2.2).
    pub command: u32,
    /// The latency timer, in PCI clocks (PCI 2.2, 6.2.4).
    pub latency_timer: u8,
    /// The cache line size, in words of 32 bits (PCI 2.2, 6.2.4).
    pub cache_line_dwords: u8,
}

impl Default for Setup {
    /// 64 bits at 66 MHz, core at 88 MHz, everything enabled.
    fn default() -> Setup {
        Setup {
            settings: Settings::default(),
            pci_period_ps: 15_152,
            core_period_ps: 11_364,
            memory_bytes: 1 << 20,
            seed: 1,
            command: 0x0146,
            latency_timer: 64,
            cache_line_dwords: 8,
        }
    }
}

/// The reason why a bench cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// An error of the model, for example a failed assertion.
    #[error(transparent)]
    Model(#[from] verilated::Error),
    /// The settings of the bus are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A wait took too long.
    #[error("nothing came within {WATCHDOG_CLOCKS} PCI clocks, until {at}, while waiting for {wanted}")]
    Watchdog {
        /// The time at which the wait ended.
        at: Ps,
        /// The event that did not come.
        wanted: &'static str,
    },
    /// Rules of the bus were broken.
    #[error("the bus was violated: {0:?}")]
    Violations(Vec<Violation>),
}

/// The bus at one rising edge.
#[derive(Clone, Copy, Debug)]
pub struct BusEdge {
    /// The number of the PCI clock.
    pub clock: u64,
    /// The levels of the lines.
    pub lines: PciLines,
    /// The levels and enables that the NIC drives.
    pub nic: PciDrive,
}

/// A model of `nic_pci`, with the platform's side of the bus, host memory and the core side.
pub struct Bench {
    /// The model.
    pub model: BenchPci,
    /// The platform's side of the bus.
    pub bus: Bus,
    /// Host memory.
    pub memory: MockMemory,
    /// The core side.
    pub core: CoreSide,
    /// The settings.
    pub setup: Setup,
    /// The number of rising edges of the PCI clock so far.
    pub pci_clocks: u64,
    /// The bus at each rising edge while `recording` was set.
    pub edges: Vec<BusEdge>,
    /// Whether the bus is recorded at each rising edge.
    pub recording: bool,
    /// Whether PAR is inverted on its way from the NIC to the bus.
    pub flip_par: bool,
    now_ps: u64,
    next_pci_ps: u64,
    next_core_ps: u64,
}

impl Bench {
    /// A bench after reset, with both BARs mapped and the command register set.
    pub fn new(setup: Setup) -> Result<Bench, BenchError> {
        let mut bench = Bench::in_reset(setup)?;
        bench.until("the end of reset", |bench| bench.bus.is_out_of_reset().then_some(()))?;
        bench.configure()?;
        Ok(bench)
    }

    /// A bench with RST# low.
    pub fn in_reset(setup: Setup) -> Result<Bench, BenchError> {
        let mut model = BenchPci::new(Context::new().randomized(setup.seed as u32))?;
        let mut bus = Bus::new(setup.settings.clone())?;
        let nothing = bus.rising_edge(Ps::ZERO, &PciDrive::NONE, &mut MockMemory::new(0));
        apply(&nothing, &model);
        // Random contents, also of the reset synchronisers, stay until the synchronisers have
        // sampled the pad.
        model.set_assertions(false);
        for clock in 0..4 {
            model.tick(clock, PCI_CLOCK | CORE_CLOCK)?;
        }
        model.set_assertions(true);
        Ok(Bench {
            model,
            bus,
            memory: MockMemory::new(setup.memory_bytes),
            core: CoreSide::new(setup.seed),
            pci_clocks: 0,
            edges: Vec::new(),
            recording: false,
            flip_par: false,
            now_ps: 0,
            next_pci_ps: setup.pci_period_ps,
            next_core_ps: setup.core_period_ps / 3,
            setup,
        })
    }

    /// Sets the timers, maps both BARs, and sets the command register.
    pub fn configure(&mut self) -> Result<(), BenchError> {
        let timers = u32::from(self.setup.latency_timer) << 8 | u32::from(self.setup.cache_line_dwords);
        self.config_write(0x0C, timers)?;
        self.config_write(0x10, BAR0)?;
        self.config_write(0x14, BAR1)?;
        self.config_write(0x04, self.setup.command)
    }

    /// The time.
    pub fn now(&self) -> Ps {
        Ps(self.now_ps)
    }

    /// The levels and enables that the NIC drives now.
    pub fn drive(&self) -> PciDrive {
        drive_of(&self.model)
    }

    /// Advances to the next time at which a clock rises.
    pub fn step(&mut self) -> Result<(), BenchError> {
        self.now_ps = self.next_pci_ps.min(self.next_core_ps);
        let mut rising = 0;
        if self.now_ps == self.next_pci_ps {
            self.next_pci_ps += self.setup.pci_period_ps;
            self.pci_clocks += 1;
            rising |= PCI_CLOCK;
            let mut nic = self.drive();
            if self.flip_par {
                let par = nic.levels.control.get(PciPin::Par);
                nic.levels.control.set(PciPin::Par, !par);
            }
            let lines = self.bus.rising_edge(Ps(self.now_ps), &nic, &mut self.memory);
            if self.recording {
                self.edges.push(BusEdge { clock: self.pci_clocks, lines, nic });
            }
            apply(&lines, &self.model);
        }
        if self.now_ps == self.next_core_ps {
            self.next_core_ps += self.setup.core_period_ps;
            rising |= CORE_CLOCK;
            self.core.before_edge(&self.model);
        }
        self.model.tick(self.now_ps, rising)?;
        if rising & CORE_CLOCK != 0 {
            self.core.after_edge(&self.model);
        }
        Ok(())
    }

    /// Advances by a number of PCI clocks.
    pub fn run_pci_clocks(&mut self, count: u64) -> Result<(), BenchError> {
        let end = self.pci_clocks + count;
        while self.pci_clocks < end {
            self.step()?;
        }
        Ok(())
    }

    /// Advances until `found` returns a value. An error after many clocks.
    pub fn until<T>(
        &mut self,
        wanted: &'static str,
        mut found: impl FnMut(&mut Bench) -> Option<T>,
    ) -> Result<T, BenchError> {
        let end = self.pci_clocks + WATCHDOG_CLOCKS;
        loop {
            if let Some(value) = found(self) {
                return Ok(value);
            }
            if self.pci_clocks > end {
                return Err(BenchError::Watchdog { at: self.now(), wanted });
            }
            self.step()?;
        }
    }

    // ---- The CPU's view ---------------------------------------------------------------

    /// Waits for the end of a transaction. Completions come in the order of the bus, and a bench
    /// waits for one at a time.
    pub fn complete(&mut self, id: TransactionId) -> Result<Result<Answer, BusError>, BenchError> {
        self.until("a completion", |bench| bench.bus.next_completion().filter(|completion| completion.id == id))
            .map(|completion| completion.result)
    }

    /// Runs one transaction of the CPU to its end on the bus. The outer error is one of the bench,
    /// the inner error one of the bus.
    pub fn cpu(&mut self, transaction: Transaction) -> Result<Result<Answer, BusError>, BenchError> {
        let id = self.bus.submit(transaction);
        self.complete(id)
    }

    fn read_of(&mut self, transaction: Transaction) -> Result<Vec<u32>, BenchError> {
        match self.cpu(transaction)? {
            Ok(Answer::Read(dwords)) => Ok(dwords),
            other => panic!("the read ended with {other:?}"),
        }
    }

    /// Reads a word of configuration space.
    pub fn config_read(&mut self, register: u8) -> Result<u32, BenchError> {
        let device = self.setup.settings.nic_device;
        Ok(self.read_of(Transaction::config_read(device, register))?[0])
    }

    /// Writes a word of configuration space.
    pub fn config_write(&mut self, register: u8, data: u32) -> Result<(), BenchError> {
        self.config_write_bytes(register, data, 0xF)
    }

    /// Writes the enabled bytes of a word of configuration space.
    pub fn config_write_bytes(&mut self, register: u8, data: u32, byte_enables: u8) -> Result<(), BenchError> {
        let device = self.setup.settings.nic_device;
        let answer = self.cpu(Transaction::ConfigWrite { device, function: 0, register, data, byte_enables })?;
        assert_eq!(answer, Ok(Answer::Written));
        Ok(())
    }

    /// Reads words of 32 bits from the NIC's memory.
    pub fn read_dwords(&mut self, addr: u32, dwords: usize, kind: host_pci::ReadKind) -> Result<Vec<u32>, BenchError> {
        self.read_of(Transaction::MemoryRead { addr: BusAddr(addr), dwords, kind })
    }

    /// Writes words to the NIC's memory; the bridge may post them.
    pub fn write_words(&mut self, addr: u32, words: &[Word]) -> Result<(), BenchError> {
        let answer = self.cpu(Transaction::MemoryWrite { addr: BusAddr(addr), words: words.to_vec() })?;
        assert!(matches!(answer, Ok(Answer::Posted | Answer::Written)), "{answer:?}");
        Ok(())
    }

    /// Advances until the bridge is idle, and the NIC has passed on all that it took.
    pub fn settle(&mut self) -> Result<(), BenchError> {
        self.until("an idle bridge", |bench| bench.bus.is_idle().then_some(()))?;
        self.run_pci_clocks(100)
    }

    // ---- The engines' view --------------------------------------------------------------

    /// Runs a host read of the NIC to its end.
    pub fn dma_read(&mut self, addr: u32, len_bytes: u16) -> Result<ReadResult, BenchError> {
        self.core.start_read(addr, len_bytes);
        self.until("the end of a DMA read", |bench| bench.core.take_read())
    }

    /// Runs a host write of the NIC to its end.
    pub fn dma_write(&mut self, addr: u32, bytes: &[u8]) -> Result<DmaStatus, BenchError> {
        self.core.start_write(addr, bytes);
        self.until("the end of a DMA write", |bench| bench.core.take_write())
    }

    /// Fails if a rule of the bus was broken since the last call.
    pub fn judge(&mut self) -> Result<(), BenchError> {
        let violations = self.bus.take_violations();
        if violations.is_empty() {
            Ok(())
        } else {
            Err(BenchError::Violations(violations))
        }
    }

    /// The level of a line now, as it is at the slot.
    pub fn nic_enables(&self, pin: PciPin) -> bool {
        self.drive().enables.get(pin)
    }
}
