//! The whole NIC at its pins: a PCI slot with host memory on one side, a link whose ends meet on the other.

use host_pci::mock::MockMemory;
use host_pci::{Answer, Bus, BusAddr, BusError, Settings, SettingsError, Transaction, TransactionId, Violation};
use nic_layout::registers::{Bits, Readable, Register, Writable};
use sim_pins::{PciControl, PciDrive, PciLines, PciPin, Ps};
use sim_time::{Clock, Scheduler};
use verilated::{Context, Model};

use crate::models::{FastNic, WatchedNic, WatchedPair};

pub const CLOCK_CORE: usize = 0;
pub const CLOCK_PCI: usize = 1;
pub const CLOCK_GMII_TX: usize = 2;
pub const CLOCK_GMII_RX: usize = 3;

/// The clocks of the cores, behind the others.
const ALL_CORES: u32 = 0b11 << 4;

/// Where the tests map the BARs.
pub const BAR0: u32 = 0xE000_0000;
pub const BAR1: u32 = 0xE800_0000;

/// As `nic_pkg::PROBE_*`.
pub const PROBES: usize = 11;

/// No single access takes longer.
const PATIENCE_PCI_CYCLES: u64 = 20_000;

#[derive(Debug, thiserror::Error)]
pub enum NicError {
    #[error(transparent)]
    Model(#[from] verilated::Error),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("{transaction:?}: {error}")]
    Bus { transaction: Transaction, error: BusError },
    #[error("{wanted} did not come within {PATIENCE_PCI_CYCLES} PCI clocks")]
    Watchdog { wanted: String },
    #[error("the bus was violated: {0:?}")]
    Violations(Vec<Violation>),
}

/// The pins of `nic_top`, in whatever variant it was built.
pub trait NicPins: Model {
    fn new(context: Context) -> Result<Self, verilated::Error>;
    /// What the NIC has driven since its last PCI clock.
    fn drive(&self) -> PciDrive;
    fn apply(&self, lines: &PciLines);
    /// Puts what the transmitter sends on the receiver.
    fn loop_link(&self);
    fn idle_link(&self);
    fn trace(&self) -> Option<u32>;
    /// Of core B.
    fn trace_b(&self) -> Option<u32>;
    fn probe(&self) -> u16;
    /// Which cores want the next clock: core A in bit 0.
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
                    (PciPin::Req, &self.pci_req_no, 1),
                ] {
                    levels.set(pin, level.is_high());
                    enables.set(pin, enable != 0);
                }
                // Open drain: enabled is pulled low.
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

/// What a NIC shows at its pins in one instant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Seen {
    pub at: Ps,
    /// The bus as it would be if nobody else drove it: levels that the NIC does not drive mean nothing.
    pub lines: PciLines,
    pub trace: Option<u32>,
    pub trace_b: Option<u32>,
    pub probe: u16,
}

/// A NIC in its slot, with the clocks of the `tigon2` platform. Its link is looped back.
pub struct Nic<M> {
    pub model: M,
    pub bus: Bus,
    pub memory: MockMemory,
    /// What the core wrote to its trace port.
    pub trace: Vec<u32>,
    /// What core B wrote to its own.
    pub trace_b: Vec<u32>,
    /// Pulses of each probe so far.
    pub probes: [u64; PROBES],
    /// All that was on the pins, if it is to be kept.
    pub seen: Option<Vec<Seen>>,
    /// No core's clock stops while it sleeps.
    pub keep_core_clocks_running: bool,
    /// Clocks that core A, and core B, did not want.
    pub clocks_unwanted: [u64; 2],
    clocks: Scheduler<4>,
    now: Ps,
}

impl<M: NicPins> Nic<M> {
    /// Out of reset, nothing configured.
    pub fn new(settings: Settings, seed: u32) -> Result<Nic<M>, NicError> {
        Nic::with_context(settings, Context::new().randomized(seed))
    }

    /// The same with contents of memories and registers at the start as the context says.
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
        // Random contents, those of the reset synchronisers too, last until these have seen the pad.
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
            clocks,
            now: Ps::ZERO,
        };
        nic.until("the end of reset", |nic| nic.bus.is_out_of_reset().then_some(()))?;
        Ok(nic)
    }

    pub fn now(&self) -> Ps {
        self.now
    }

    pub fn model_assertions(&mut self, on: bool) {
        self.model.set_assertions(on);
    }

    pub fn core_cycles(&self) -> u64 {
        self.clocks.cycles(CLOCK_CORE)
    }

    /// The next instant at which a clock rises.
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
        let mut rising = instant.rising.0;
        if instant.rising.contains(CLOCK_CORE) {
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
        if instant.rising.contains(CLOCK_CORE) {
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

    pub fn run_core_cycles(&mut self, cycles: u64) -> Result<(), NicError> {
        let end = self.core_cycles() + cycles;
        while self.core_cycles() < end {
            self.step()?;
        }
        Ok(())
    }

    /// Steps until `condition` gives something.
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

    /// One access of the CPU, to its end on the bus.
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

    /// Hands an access to the bridge and goes on.
    pub fn submit(&mut self, transaction: Transaction) -> TransactionId {
        self.bus.submit(transaction)
    }

    pub fn config_read(&mut self, register: u8) -> Result<u32, NicError> {
        let device = self.bus.settings().nic_device;
        Ok(self.access(Transaction::config_read(device, register))?[0])
    }

    pub fn config_write(&mut self, register: u8, data: u32) -> Result<(), NicError> {
        let device = self.bus.settings().nic_device;
        self.access(Transaction::config_write(device, register, data)).map(drop)
    }

    /// Maps the BARs and lets the NIC use the bus.
    pub fn configure(&mut self) -> Result<(), NicError> {
        self.config_write(0x0C, 0x0000_4008)?; // latency timer 64, cache line of 8 dwords
        self.config_write(0x10, BAR0)?;
        self.config_write(0x14, BAR1)?;
        self.config_write(0x04, 0x0146) // memory, master, parity response, SERR#
    }

    pub fn read<T: Bits, A: Readable>(&mut self, register: Register<T, A>) -> Result<T, NicError> {
        let at = BusAddr(BAR0 + register.offset().0);
        Ok(T::from_bits(self.access(Transaction::read_dword(at))?[0]))
    }

    pub fn write<T: Bits, A: Writable>(&mut self, register: Register<T, A>, value: T) -> Result<(), NicError> {
        let at = BusAddr(BAR0 + register.offset().0);
        self.access(Transaction::write_dword(at, value.to_bits())).map(drop)
    }

    pub fn sram_write(&mut self, address: u32, words: &[u32]) -> Result<(), NicError> {
        self.access(Transaction::write_dwords(BusAddr(BAR1 + address), words)).map(drop)
    }

    pub fn sram_read(&mut self, address: u32, dwords: usize) -> Result<Vec<u32>, NicError> {
        let mut data = Vec::new();
        // A cache line at a time, as CPUs read.
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

    /// INTA# as it stands on the bus.
    pub fn inta_is_low(&self) -> bool {
        self.model.drive().enables.get(PciPin::Inta)
    }

    /// Fails if a rule of the bus was broken since the beginning.
    pub fn check_bus(&mut self) -> Result<(), NicError> {
        let violations = self.bus.take_violations();
        if violations.is_empty() {
            Ok(())
        } else {
            Err(NicError::Violations(violations))
        }
    }
}
