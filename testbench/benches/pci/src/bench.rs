//! Both clocks, the bus and the core side around one model.

use crate::pins::{apply, drive_of};
use crate::{BenchPci, CoreSide, DmaStatus, ReadResult};
use host_pci::mock::MockMemory;
use host_pci::{Answer, Bus, BusAddr, BusError, Settings, SettingsError, Transaction, TransactionId, Violation, Word};
use sim_pins::{PciDrive, PciLines, PciPin, Ps};
use verilated::{Context, Model as _};

/// Where the bench maps the BARs.
pub const BAR0: u32 = 0x8000_0000;
pub const BAR1: u32 = 0x9000_0000;

const PCI_CLOCK: u32 = 0b01;
const CORE_CLOCK: u32 = 0b10;

/// PCI clocks after which a wait is hopeless.
const WATCHDOG_CLOCKS: u64 = 400_000;

pub struct Setup {
    pub settings: Settings,
    pub pci_period_ps: u64,
    pub core_period_ps: u64,
    pub memory_bytes: usize,
    pub seed: u64,
    /// Command register after reset.
    pub command: u32,
    pub latency_timer: u8,
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

#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    #[error(transparent)]
    Model(#[from] verilated::Error),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("nothing came within {WATCHDOG_CLOCKS} PCI clocks, until {at}, while waiting for {wanted}")]
    Watchdog { at: Ps, wanted: &'static str },
    #[error("the bus was violated: {0:?}")]
    Violations(Vec<Violation>),
}

/// The bus as it stood at one rising edge.
#[derive(Clone, Copy, Debug)]
pub struct BusEdge {
    pub clock: u64,
    pub lines: PciLines,
    pub nic: PciDrive,
}

pub struct Bench {
    pub model: BenchPci,
    pub bus: Bus,
    pub memory: MockMemory,
    pub core: CoreSide,
    pub setup: Setup,
    /// Rising edges of the PCI clock so far.
    pub pci_clocks: u64,
    /// Filled while `recording` is set.
    pub edges: Vec<BusEdge>,
    pub recording: bool,
    /// Inverts PAR on its way from the NIC to the bus.
    pub flip_par: bool,
    now_ps: u64,
    next_pci_ps: u64,
    next_core_ps: u64,
}

impl Bench {
    /// Out of reset, with both BARs mapped and the command register set.
    pub fn new(setup: Setup) -> Result<Bench, BenchError> {
        let mut bench = Bench::in_reset(setup)?;
        bench.until("the end of reset", |bench| bench.bus.is_out_of_reset().then_some(()))?;
        bench.configure()?;
        Ok(bench)
    }

    /// With RST# low.
    pub fn in_reset(setup: Setup) -> Result<Bench, BenchError> {
        let mut model = BenchPci::new(Context::new().randomized(setup.seed as u32))?;
        let mut bus = Bus::new(setup.settings.clone())?;
        let nothing = bus.rising_edge(Ps::ZERO, &PciDrive::NONE, &mut MockMemory::new(0));
        apply(&nothing, &model);
        // Random contents, also of the reset synchronisers, last until those have seen the pad.
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

    pub fn configure(&mut self) -> Result<(), BenchError> {
        let timers = u32::from(self.setup.latency_timer) << 8 | u32::from(self.setup.cache_line_dwords);
        self.config_write(0x0C, timers)?;
        self.config_write(0x10, BAR0)?;
        self.config_write(0x14, BAR1)?;
        self.config_write(0x04, self.setup.command)
    }

    pub fn now(&self) -> Ps {
        Ps(self.now_ps)
    }

    /// What the NIC drives now.
    pub fn drive(&self) -> PciDrive {
        drive_of(&self.model)
    }

    /// The next instant at which a clock rises.
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

    pub fn run_pci_clocks(&mut self, count: u64) -> Result<(), BenchError> {
        let end = self.pci_clocks + count;
        while self.pci_clocks < end {
            self.step()?;
        }
        Ok(())
    }

    /// Steps until `found` gives something.
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

    /// Completions come in the order of the bus; a bench waits for one at a time.
    pub fn complete(&mut self, id: TransactionId) -> Result<Result<Answer, BusError>, BenchError> {
        self.until("a completion", |bench| bench.bus.next_completion().filter(|completion| completion.id == id))
            .map(|completion| completion.result)
    }

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

    pub fn config_read(&mut self, register: u8) -> Result<u32, BenchError> {
        let device = self.setup.settings.nic_device;
        Ok(self.read_of(Transaction::config_read(device, register))?[0])
    }

    pub fn config_write(&mut self, register: u8, data: u32) -> Result<(), BenchError> {
        self.config_write_bytes(register, data, 0xF)
    }

    pub fn config_write_bytes(&mut self, register: u8, data: u32, byte_enables: u8) -> Result<(), BenchError> {
        let device = self.setup.settings.nic_device;
        let answer = self.cpu(Transaction::ConfigWrite { device, function: 0, register, data, byte_enables })?;
        assert_eq!(answer, Ok(Answer::Written));
        Ok(())
    }

    pub fn read_dwords(&mut self, addr: u32, dwords: usize, kind: host_pci::ReadKind) -> Result<Vec<u32>, BenchError> {
        self.read_of(Transaction::MemoryRead { addr: BusAddr(addr), dwords, kind })
    }

    pub fn write_words(&mut self, addr: u32, words: &[Word]) -> Result<(), BenchError> {
        let answer = self.cpu(Transaction::MemoryWrite { addr: BusAddr(addr), words: words.to_vec() })?;
        assert!(matches!(answer, Ok(Answer::Posted | Answer::Written)), "{answer:?}");
        Ok(())
    }

    /// Until the bridge has nothing left to do and the NIC has passed on what it took.
    pub fn settle(&mut self) -> Result<(), BenchError> {
        self.until("an idle bridge", |bench| bench.bus.is_idle().then_some(()))?;
        self.run_pci_clocks(100)
    }

    // ---- The engines' view --------------------------------------------------------------

    pub fn dma_read(&mut self, addr: u32, len_bytes: u16) -> Result<ReadResult, BenchError> {
        self.core.start_read(addr, len_bytes);
        self.until("the end of a DMA read", |bench| bench.core.take_read())
    }

    pub fn dma_write(&mut self, addr: u32, bytes: &[u8]) -> Result<DmaStatus, BenchError> {
        self.core.start_write(addr, bytes);
        self.until("the end of a DMA write", |bench| bench.core.take_write())
    }

    /// Fails if the bus was violated since the last call.
    pub fn judge(&mut self) -> Result<(), BenchError> {
        let violations = self.bus.take_violations();
        if violations.is_empty() {
            Ok(())
        } else {
            Err(BenchError::Violations(violations))
        }
    }

    /// The level of a line now, as a watcher at the slot sees it.
    pub fn nic_enables(&self, pin: PciPin) -> bool {
        self.drive().enables.get(pin)
    }
}
