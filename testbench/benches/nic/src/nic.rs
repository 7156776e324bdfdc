//! Drives the whole NIC at its pins: on one side a PCI slot with host memory, on the other a link
//! that is looped back.

use host_pci::mock::MockMemory;
use host_pci::{Answer, Bus, BusAddr, BusError, Settings, SettingsError, Transaction, TransactionId, Violation};
use nic_layout::registers::{Bits, Readable, Register, Writable};
use sim_pins::{PciControl, PciDrive, PciLines, PciPin, Ps};
use sim_time::{Clock, ClockSet, Scheduler};
use verilated::{Context, Model};

use crate::models::{FastNic, WatchedNic, WatchedPair};

/// The number of the core clock in the scheduler.
pub const CLOCK_CORE: usize = 0;
/// The number of the PCI clock.
pub const CLOCK_PCI: usize = 1;
/// The number of the transmit clock of the link.
pub const CLOCK_GMII_TX: usize = 2;
/// The number of the receive clock of the link.
pub const CLOCK_GMII_RX: usize = 3;

/// The mask of the gated clocks of both cores, whose numbers follow the others.
const ALL_CORES: u32 = 0b11 << 4;

/// The bus address to which the tests map BAR 0.
pub const BAR0: u32 = 0xE000_0000;
/// The bus address to which the tests map BAR 1.
pub const BAR1: u32 = 0xE800_0000;

/// The number of probes (`nic_pkg::PROBE_*`).
pub const PROBES: usize = 11;

/// The limit of an access in PCI clocks: no correct access takes longer.
const PATIENCE_PCI_CYCLES: u64 = 20_000;

/// The reason why a test of the NIC cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum NicError {
    /// An error of the model, for example a failed assertion.
    #[error(transparent)]
    Model(#[from] verilated::Error),
    /// The settings of the bus are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A transaction ended with an error.
    #[error("{transaction:?}: {error}")]
    Bus {
        /// The transaction.
        transaction: Transaction,
        /// The error.
        error: BusError,
    },
    /// A wait took too long.
    #[error("{wanted} did not come within {PATIENCE_PCI_CYCLES} PCI clocks")]
    Watchdog {
        /// The event that did not come.
        wanted: String,
    },
    /// Rules of the bus were broken.
    #[error("the bus was violated: {0:?}")]
    Violations(Vec<Violation>),
}

/// The pins of `nic_top`, the same for all of its variants.
pub trait NicPins: Model {
    /// Builds the model.
    fn new(context: Context) -> Result<Self, verilated::Error>;
    /// The levels and enables that the NIC has driven since its last PCI clock.
    fn drive(&self) -> PciDrive;
    /// Sets the PCI inputs to the levels of the lines.
    fn apply(&self, lines: &PciLines);
    /// Connects the outputs of the transmitter with the inputs of the receiver.
    fn loop_link(&self);
    /// Sets the inputs of the receiver to idle.
    fn idle_link(&self);
    /// The word on the trace port of core A, if there is one.
    fn trace(&self) -> Option<u32>;
    /// The word on the trace port of core B, if there is one.
    fn trace_b(&self) -> Option<u32>;
    /// The levels of the probes, a bit for each.
    fn probe(&self) -> u16;
    /// The cores that need the next clock: core A in bit 0, core B in bit 1.
    fn cores_want_clock(&self) -> u8;
}

macro_rules! nic_pins {
    ($model:ident) => {
        impl NicPins for $model {
            fn new(context: Context) -> Result<Self, verilated::Error> {
                $model::new(context)
            }

            fn drive(&self) -> PciDrive {
                let mut levels = PciControl::from_bits(PciLines::IDLE.control.bits());
                let mut enables = PciControl::from_bits(0);
                for (pin, level, enable) in [
                    (PciPin::Frame, &self.pci_frame_no, self.pci_frame_oe_o.get()),
                    (PciPin::Irdy, &self.pci_irdy_no, self.pci_irdy_oe_o.get()),
                    (PciPin::Trdy, &self.pci_trdy_no, self.pci_trdy_oe_o.get()),
                    (PciPin::Stop, &self.pci_stop_no, self.pci_stop_oe_o.get()),
                    (PciPin::Devsel, &self.pci_devsel_no, self.pci_devsel_oe_o.get()),
                    (PciPin::Perr, &self.pci_perr_no, self.pci_perr_oe_o.get()),
                    (PciPin::Req64, &self.pci_req64_no, self.pci_req64_oe_o.get()),
                    (PciPin::Ack64, &self.pci_ack64_no, self.pci_ack64_oe_o.get()),
                    (PciPin::Par, &self.pci_par_o, self.pci_par_oe_o.get()),
                    (PciPin::Par64, &self.pci_par64_o, self.pci_par64_oe_o.get()),
                    (PciPin::Req, &self.pci_req_no, self.pci_req_oe_o.get()),
                ] {
                    levels.set(pin, level.is_high());
                    enables.set(pin, enable != 0);
                }
                // The pads are open drain: an enabled output pulls the pin low.
                for (pin, enable) in
                    [(PciPin::Serr, self.pci_serr_oe_o.get()), (PciPin::Inta, self.pci_inta_oe_o.get())]
                {
                    levels.set(pin, false);
                    enables.set(pin, enable != 0);
                }
                PciDrive {
                    levels: PciLines { control: levels, ad: self.pci_ad_o.get(), cbe_n: self.pci_cbe_no.get() },
                    enables,
                    ad_enable: self.pci_ad_oe_o.get(),
                    cbe_enable: self.pci_cbe_oe_o.get(),
                }
            }

            fn apply(&self, lines: &PciLines) {
                self.pci_ad_i.set(lines.ad);
                self.pci_cbe_ni.set(lines.cbe_n);
                for (pin, input) in [
                    (PciPin::Frame, &self.pci_frame_ni),
                    (PciPin::Irdy, &self.pci_irdy_ni),
                    (PciPin::Trdy, &self.pci_trdy_ni),
                    (PciPin::Stop, &self.pci_stop_ni),
                    (PciPin::Devsel, &self.pci_devsel_ni),
                    (PciPin::Perr, &self.pci_perr_ni),
                    (PciPin::Serr, &self.pci_serr_ni),
                    (PciPin::Req64, &self.pci_req64_ni),
                    (PciPin::Ack64, &self.pci_ack64_ni),
                    (PciPin::Par, &self.pci_par_i),
                    (PciPin::Par64, &self.pci_par64_i),
                    (PciPin::Gnt, &self.pci_gnt_ni),
                    (PciPin::Idsel, &self.pci_idsel_i),
                    (PciPin::Rst, &self.pci_rst_ni),
                ] {
                    input.set_bool(lines.high(pin));
                }
            }

            fn loop_link(&self) {
                self.gmii_rxd_i.set(self.gmii_txd_o.get());
                self.gmii_rx_dv_i.set(self.gmii_tx_en_o.get());
                self.gmii_rx_er_i.set(self.gmii_tx_er_o.get());
            }

            fn idle_link(&self) {
                self.gmii_rxd_i.set(0);
                self.gmii_rx_dv_i.set(0);
                self.gmii_rx_er_i.set(0);
            }

            fn trace(&self) -> Option<u32> {
                self.trace_a_valid_o.is_high().then(|| self.trace_a_data_o.get())
            }

            fn trace_b(&self) -> Option<u32> {
                self.trace_b_valid_o.is_high().then(|| self.trace_b_data_o.get())
            }

            fn probe(&self) -> u16 {
                self.probe_o.get()
            }

            fn cores_want_clock(&self) -> u8 {
                self.core_a_clock_o.get() | self.core_b_clock_o.get() << 1
            }
        }
    };
}

nic_pins!(WatchedNic);
nic_pins!(WatchedPair);
nic_pins!(FastNic);

/// The outputs of a NIC at one time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Seen {
    /// The time.
    pub at: Ps,
    /// The lines of the bus if no other agent drove it. Levels that the NIC does not drive mean
    /// nothing.
    pub lines: PciLines,
    /// The word on the trace port of core A, if there is one.
    pub trace: Option<u32>,
    /// The word on the trace port of core B, if there is one.
    pub trace_b: Option<u32>,
    /// The levels of the probes, a bit for each.
    pub probe: u16,
}

/// A NIC in its slot, with the clocks of the `tigon2` platform. Its link is looped back.
pub struct Nic<M> {
    /// The model.
    pub model: M,
    /// The platform's side of the bus.
    pub bus: Bus,
    /// Host memory.
    pub memory: MockMemory,
    /// The words that core A wrote to its trace port.
    pub trace: Vec<u32>,
    /// The words that core B wrote to its trace port.
    pub trace_b: Vec<u32>,
    /// The number of pulses of each probe so far.
    pub probes: [u64; PROBES],
    /// The outputs at each time, if they are to be kept.
    pub seen: Option<Vec<Seen>>,
    /// Whether the cores keep their clocks while they sleep.
    pub keep_core_clocks_running: bool,
    /// The number of clocks that core A, and core B, did not need.
    pub clocks_unwanted: [u64; 2],
    /// The clocks that stand still at the pins of the NIC. The bus and the scheduler go on.
    pub stopped: ClockSet,
    clocks: Scheduler<4>,
    now: Ps,
}

impl<M: NicPins> Nic<M> {
    /// A NIC after reset, without any configuration. The seed decides the initial contents of
    /// registers and memories.
    pub fn new(settings: Settings, seed: u32) -> Result<Nic<M>, NicError> {
        Nic::with_context(settings, Context::new().randomized(seed))
    }

    /// As [`Nic::new`], with initial contents as the context says.
    pub fn with_context(settings: Settings, context: Context) -> Result<Nic<M>, NicError> {
        let pci_hz = 66_000_000;
        let clocks = Scheduler::new([
            Clock::new(88_000_000, Ps(1_234)),
            Clock::new(pci_hz, Ps(2_345)),
            Clock::new(125_000_000, Ps(567)),
            Clock::new(125_000_000, Ps(567)),
        ]);
        let mut bus = Bus::new(settings)?;
        let mut memory = MockMemory::new(1 << 20);
        let mut model = <M as NicPins>::new(context)?;
        let lines = bus.rising_edge(Ps::ZERO, &PciDrive::NONE, &mut memory);
        model.apply(&lines);
        model.idle_link();
        // Random contents, also of the reset synchronisers, stay until the synchronisers have
        // sampled the pad.
        model.set_assertions(false);
        for at in 0..4 {
            model.tick(at, 0b1111 | ALL_CORES)?;
        }
        model.set_assertions(true);
        let mut nic = Nic {
            model,
            bus,
            memory,
            trace: Vec::new(),
            trace_b: Vec::new(),
            probes: [0; PROBES],
            seen: None,
            keep_core_clocks_running: false,
            clocks_unwanted: [0; 2],
            stopped: ClockSet::EMPTY,
            clocks,
            now: Ps::ZERO,
        };
        nic.until("the end of reset", |nic| nic.bus.is_out_of_reset().then_some(()))?;
        Ok(nic)
    }

    /// The time.
    pub fn now(&self) -> Ps {
        self.now
    }

    /// Switches the assertions of the model on or off.
    pub fn model_assertions(&mut self, on: bool) {
        self.model.set_assertions(on);
    }

    /// The number of core clocks so far.
    pub fn core_cycles(&self) -> u64 {
        self.clocks.cycles(CLOCK_CORE)
    }

    /// The number of PCI clocks of the bus so far.
    pub fn pci_cycles(&self) -> u64 {
        self.clocks.cycles(CLOCK_PCI)
    }

    /// Advances to the next time at which a clock rises.
    #[inline]
    pub fn step(&mut self) -> Result<(), NicError> {
        let instant = self.clocks.advance();
        self.now = instant.at;
        if instant.rising.contains(CLOCK_PCI) {
            let drive = self.model.drive();
            let lines = self.bus.rising_edge(instant.at, &drive, &mut self.memory);
            self.model.apply(&lines);
        }
        if instant.rising.contains(CLOCK_GMII_RX) {
            self.model.loop_link();
        }
        let at_the_pins = ClockSet(instant.rising.0 & !self.stopped.0);
        let mut rising = at_the_pins.0;
        if at_the_pins.contains(CLOCK_CORE) {
            let wanted = self.model.cores_want_clock();
            for (core, unwanted) in self.clocks_unwanted.iter_mut().enumerate() {
                *unwanted += u64::from(wanted >> core & 1 == 0);
            }
            rising |= if self.keep_core_clocks_running { ALL_CORES } else { u32::from(wanted) << 4 };
        }
        self.model.tick(instant.at.0, rising)?;
        if let Some(seen) = &mut self.seen {
            seen.push(Seen {
                at: instant.at,
                lines: self.model.drive().resolve(&PciDrive::NONE).0,
                trace: self.model.trace(),
                trace_b: self.model.trace_b(),
                probe: self.model.probe(),
            });
        }
        if at_the_pins.contains(CLOCK_CORE) {
            self.trace.extend(self.model.trace());
            self.trace_b.extend(self.model.trace_b());
            let mut probe = self.model.probe();
            while probe != 0 {
                self.probes[probe.trailing_zeros() as usize] += 1;
                probe &= probe - 1;
            }
        }
        Ok(())
    }

    /// Advances by a number of core clocks.
    pub fn run_core_cycles(&mut self, cycles: u64) -> Result<(), NicError> {
        let end = self.core_cycles() + cycles;
        while self.core_cycles() < end {
            self.step()?;
        }
        Ok(())
    }

    /// Advances by a number of clocks of the bus.
    pub fn run_pci_cycles(&mut self, cycles: u64) -> Result<(), NicError> {
        let end = self.pci_cycles() + cycles;
        while self.pci_cycles() < end {
            self.step()?;
        }
        Ok(())
    }

    /// Advances until `condition` returns a value. An error after many clocks.
    pub fn until<T>(
        &mut self,
        wanted: &str,
        mut condition: impl FnMut(&mut Nic<M>) -> Option<T>,
    ) -> Result<T, NicError> {
        let end = self.clocks.cycles(CLOCK_PCI) + PATIENCE_PCI_CYCLES;
        while self.clocks.cycles(CLOCK_PCI) < end {
            if let Some(value) = condition(self) {
                return Ok(value);
            }
            self.step()?;
        }
        Err(NicError::Watchdog { wanted: wanted.to_owned() })
    }

    /// Runs one access of the CPU to its end on the bus, and returns the words that were read.
    pub fn access(&mut self, transaction: Transaction) -> Result<Vec<u32>, NicError> {
        let id = self.bus.submit(transaction.clone());
        let result = self.until(&format!("{transaction:?}"), |nic| {
            nic.bus.next_completion().map(|completion| {
                assert_eq!(completion.id, id, "one access at a time");
                completion.result
            })
        })?;
        let answer = result.map_err(|error| NicError::Bus { transaction, error })?;
        match answer {
            Answer::Read(data) => Ok(data),
            Answer::Posted | Answer::Written => {
                self.until("an empty bridge", |nic| nic.bus.is_idle().then_some(()))?;
                Ok(Vec::new())
            }
        }
    }

    /// Passes an access to the bridge, and does not wait for its end.
    pub fn submit(&mut self, transaction: Transaction) -> TransactionId {
        self.bus.submit(transaction)
    }

    /// Reads a word of configuration space.
    pub fn config_read(&mut self, register: u8) -> Result<u32, NicError> {
        let device = self.bus.settings().nic_device;
        Ok(self.access(Transaction::config_read(device, register))?[0])
    }

    /// Writes a word of configuration space.
    pub fn config_write(&mut self, register: u8, data: u32) -> Result<(), NicError> {
        let device = self.bus.settings().nic_device;
        self.access(Transaction::config_write(device, register, data)).map(drop)
    }

    /// Maps both BARs, and permits the NIC to be a master.
    pub fn configure(&mut self) -> Result<(), NicError> {
        self.config_write(0x0C, 0x0000_4008)?; // latency timer 64, cache line of 8 dwords
        self.config_write(0x10, BAR0)?;
        self.config_write(0x14, BAR1)?;
        self.config_write(0x04, 0x0146) // memory, master, parity response, SERR#
    }

    /// Reads a register of BAR 0.
    pub fn read<T: Bits, A: Readable>(&mut self, register: Register<T, A>) -> Result<T, NicError> {
        let at = BusAddr(BAR0 + register.offset().0);
        Ok(T::from_bits(self.access(Transaction::read_dword(at))?[0]))
    }

    /// Writes a register of BAR 0.
    pub fn write<T: Bits, A: Writable>(&mut self, register: Register<T, A>, value: T) -> Result<(), NicError> {
        let at = BusAddr(BAR0 + register.offset().0);
        self.access(Transaction::write_dword(at, value.to_bits())).map(drop)
    }

    /// Writes words to the SRAM, from an offset in BAR 1 on.
    pub fn sram_write(&mut self, address: u32, words: &[u32]) -> Result<(), NicError> {
        self.access(Transaction::write_dwords(BusAddr(BAR1 + address), words)).map(drop)
    }

    /// Reads words of the SRAM, from an offset in BAR 1 on.
    pub fn sram_read(&mut self, address: u32, dwords: usize) -> Result<Vec<u32>, NicError> {
        let mut data = Vec::new();
        // Reads a cache line at a time, as CPUs do.
        while data.len() < dwords {
            let at = address + 4 * data.len() as u32;
            let count = (8 - (at / 4 % 8) as usize).min(dwords - data.len());
            data.extend(self.access(Transaction::MemoryRead {
                addr: BusAddr(BAR1 + at),
                dwords: count,
                kind: host_pci::ReadKind::Plain,
            })?);
        }
        Ok(data)
    }

    /// Whether INTA# is asserted on the bus.
    pub fn inta_is_low(&self) -> bool {
        self.model.drive().enables.get(PciPin::Inta)
    }

    /// Fails if a rule of the bus was broken since the start.
    pub fn check_bus(&mut self) -> Result<(), NicError> {
        let violations = self.bus.take_violations();
        if violations.is_empty() {
            Ok(())
        } else {
            Err(NicError::Violations(violations))
        }
    }
}
