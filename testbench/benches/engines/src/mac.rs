//! Drives the MAC between an SRAM and a link, in three clocks.

use std::collections::VecDeque;

use nic_layout::registers::{mac_rx, mac_tx, Offset};
use verilated::{Context, Model};

use crate::ethernet::{LinkSymbol, LINK_IDLE};
use crate::memory::{Request, Sram};
use crate::{bit, waves, BenchMac, Chance, REMEDY};

/// The periods of the three clocks.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    /// The core clock, in ps.
    pub core_ps: u64,
    /// The transmit clock, in ps.
    pub tx_ps: u64,
    /// The receive clock, in ps.
    pub rx_ps: u64,
}

impl Clocks {
    /// Core 88 MHz, link 125 MHz. The peer's clock is 100 ppm fast.
    pub const TIGON2: Clocks = Clocks { core_ps: 11_364, tx_ps: 8_000, rx_ps: 7_999 };
    /// Core 133 MHz, link 160 MHz. The peer's clock is faster by 1 ps in each period, the least
    /// that whole picoseconds permit.
    pub const LANAI9: Clocks = Clocks { core_ps: 7_519, tx_ps: 6_250, rx_ps: 6_249 };
    /// The clocks of both platforms.
    pub const PLATFORMS: [Clocks; 2] = [Clocks::TIGON2, Clocks::LANAI9];
}

/// An observation at the pins. It is logged with the time of the clock edge before which it was
/// seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// The register PRODUCER of the transmitter is written.
    ProducerWritten,
    /// The event of a frame that was sent.
    EventTx,
    /// The event of a frame that was received.
    EventRx,
    /// The event of an error.
    EventError,
    /// The probe at the start of a frame that is sent.
    ProbeTxStart,
    /// The probe at the end of a frame that is sent.
    ProbeTxDone,
    /// The probe at the end of a frame that is received.
    ProbeRxDone,
    /// The probe at a received frame that is dropped.
    ProbeRxDrop,
    /// The MAC writes to the SRAM.
    SramWrite {
        /// The number of the 64-bit word.
        word: u32,
        /// The byte enables.
        enables: u8,
        /// The data.
        data: u64,
    },
    /// TX_EN rose or fell.
    TxEnable(bool),
    /// RX_DV fell.
    RxEnd,
}

/// The SRAM port of the receiver, with the higher priority.
pub const RX_PORT: usize = 0;
/// The SRAM port of the transmitter.
pub const TX_PORT: usize = 1;

const CORE: u32 = 1;
const TX: u32 = 2;
const RX: u32 = 4;

/// The model of the MAC, with the SRAM, the register bus and the link around it.
pub struct MacBench {
    model: BenchMac,
    seed: u64,
    clocks: Clocks,
    next_ps: [u64; 3],
    /// The time in ps.
    pub now_ps: u64,
    /// The source of all chance.
    pub chance: Chance,
    /// The SRAM.
    pub sram: Sram,
    answer: Option<(usize, u64)>,
    /// Whether answers of the SRAM are withheld, for a test that the checkers notice it.
    pub mute_sram: bool,
    /// The symbols that arrive on the link, one for each receive clock; idle when empty.
    pub incoming: VecDeque<LinkSymbol>,
    last_incoming: LinkSymbol,
    /// The symbols that were sent, one for each transmit clock.
    pub sent: Vec<LinkSymbol>,
    /// The observations so far, each with its time in ps.
    pub seen: Vec<(u64, Seen)>,
}

impl MacBench {
    /// A bench after reset. The MAC is disabled; the SRAM holds noise from the seed.
    pub fn new(clocks: Clocks, seed: u64) -> MacBench {
        let mut chance = Chance::new(seed);
        let mut model = BenchMac::new(Context::new().randomized(seed as u32)).expect("the model builds");
        if let Some(path) = waves("mac", seed) {
            model.open_fst(path, 0).expect("waves can be written");
        }
        let phase = |chance: &mut Chance, period: u64| 1 + chance.word() % period;
        let next_ps =
            [phase(&mut chance, clocks.core_ps), phase(&mut chance, clocks.tx_ps), phase(&mut chance, clocks.rx_ps)];
        let mut bench = MacBench {
            model,
            seed,
            clocks,
            next_ps,
            now_ps: 0,
            sram: Sram::new(&mut chance),
            chance,
            answer: None,
            mute_sram: false,
            incoming: VecDeque::new(),
            last_incoming: LINK_IDLE,
            sent: Vec::new(),
            seen: Vec::new(),
        };
        bench.reset();
        bench
    }

    /// Resets the MAC in all three clocks.
    pub fn reset(&mut self) {
        let set = |model: &BenchMac, level| {
            model.rst_ni.set(level);
            model.rst_tx_ni.set(level);
            model.rst_rx_ni.set(level);
        };
        set(&self.model, 0);
        self.answer = None;
        for _ in 0..10 {
            self.clock();
        }
        set(&self.model, 1);
        self.sent.clear();
        self.seen.clear();
    }

    /// Advances to the next edge of the core clock, and through it. Panics with the rule, the time
    /// and the seed if a checker fires.
    pub fn clock(&mut self) {
        if let Err(error) = self.try_clock() {
            panic!("seed {}, {} ps: {error}; {REMEDY}", self.seed, self.now_ps);
        }
    }

    /// Advances to the next edge of the core clock, and through it. An error if a checker fires.
    pub fn try_clock(&mut self) -> Result<(), verilated::Error> {
        while self.edge()? & CORE == 0 {}
        Ok(())
    }

    /// Advances by a number of core clocks.
    pub fn clocks(&mut self, count: usize) {
        for _ in 0..count {
            self.clock();
        }
    }

    /// Advances to the next edge, or edges at one time. Returns the clocks that rise, as a mask.
    fn edge(&mut self) -> Result<u32, verilated::Error> {
        self.now_ps = *self.next_ps.iter().min().expect("three clocks");
        let periods = [self.clocks.core_ps, self.clocks.tx_ps, self.clocks.rx_ps];
        let mut rising = 0;
        for (clock, (next_ps, period_ps)) in self.next_ps.iter_mut().zip(periods).enumerate() {
            if *next_ps == self.now_ps {
                *next_ps += period_ps;
                rising |= 1 << clock;
            }
        }
        if rising & RX != 0 {
            let symbol = self.incoming.pop_front().unwrap_or(LINK_IDLE);
            if self.last_incoming.enable && !symbol.enable {
                self.log(Seen::RxEnd);
            }
            self.last_incoming = symbol;
            self.model.gmii_rxd_i.set(symbol.data);
            self.model.gmii_rx_dv_i.set_bool(symbol.enable);
            self.model.gmii_rx_er_i.set_bool(symbol.error);
        }
        if rising & CORE != 0 {
            self.play_sram()?;
            self.sample();
        }
        self.model.tick(self.now_ps, rising)?;
        if rising & TX != 0 {
            let m = &self.model;
            let symbol = LinkSymbol {
                data: m.gmii_txd_o.get(),
                enable: m.gmii_tx_en_o.is_high(),
                error: m.gmii_tx_er_o.is_high(),
            };
            if self.sent.last().is_some_and(|last| last.enable) != symbol.enable {
                self.log(Seen::TxEnable(symbol.enable));
            }
            self.sent.push(symbol);
        }
        if rising & CORE != 0 {
            self.model.reg_sel_i.set(0);
            self.model.assist_i.set(0);
        }
        Ok(rising)
    }

    fn play_sram(&mut self) -> Result<(), verilated::Error> {
        let answer = self.answer.take().filter(|_| !self.mute_sram);
        let m = &mut self.model;
        m.sram_rvalid_i.set(answer.map_or(0, |(port, _)| 1 << port));
        m.sram_rdata_i.set(answer.map_or_else(|| self.chance.word(), |(_, word)| word));
        m.sram_gnt_i.set(0);
        m.eval()?;
        if m.rst_ni.get() == 0 {
            return Ok(());
        }
        let requests = m.sram_req_o.get();
        let granted = self.sram.arbitrate([bit(requests, RX_PORT), bit(requests, TX_PORT)], &mut self.chance);
        if let Some(port) = granted {
            m.sram_gnt_i.set(1 << port);
            m.eval()?;
            let (word, write) = match port {
                RX_PORT if m.rx_sram_we_o.is_high() => {
                    (m.rx_sram_addr_o.get(), Some((m.rx_sram_be_o.get(), m.rx_sram_wdata_o.get())))
                }
                RX_PORT => (m.rx_sram_addr_o.get(), None),
                _ => (m.tx_sram_addr_o.get(), None),
            };
            self.answer = self.sram.access(Request { word, write }).map(|word| (port, word));
            if let Some((enables, data)) = write {
                self.log(Seen::SramWrite { word, enables, data });
            }
        }
        Ok(())
    }

    fn sample(&mut self) {
        let m = &self.model;
        if m.rst_ni.get() == 0 {
            return;
        }
        let pulses = [
            (m.event_tx_done_o.get(), Seen::EventTx),
            (m.event_rx_done_o.get(), Seen::EventRx),
            (m.event_error_o.get(), Seen::EventError),
            (m.probe_tx_start_o.get(), Seen::ProbeTxStart),
            (m.probe_tx_done_o.get(), Seen::ProbeTxDone),
            (m.probe_rx_done_o.get(), Seen::ProbeRxDone),
            (m.probe_rx_drop_o.get(), Seen::ProbeRxDrop),
        ];
        for (level, seen) in pulses {
            if level != 0 {
                self.log(seen);
            }
        }
    }

    fn log(&mut self, seen: Seen) {
        self.seen.push((self.now_ps, seen));
    }

    // ---- Registers -------------------------------------------------------------------

    fn access(&mut self, offset: Offset, write: Option<u32>) {
        let m = &self.model;
        m.reg_sel_i.set(if offset < mac_rx::CONTROL.offset() { 1 } else { 2 });
        m.reg_addr_i.set(offset.0);
        m.reg_we_i.set_bool(write.is_some());
        m.reg_be_i.set(0xF);
        m.reg_wdata_i.set(write.unwrap_or(0));
    }

    /// Writes a register, in one clock.
    pub fn write(&mut self, offset: Offset, value: u32) {
        self.access(offset, Some(value));
        self.clock();
        if offset == mac_tx::PRODUCER.offset() {
            self.log(Seen::ProducerWritten);
        }
    }

    /// Reads a register, in one clock.
    pub fn read(&mut self, offset: Offset) -> u32 {
        self.access(offset, None);
        self.clock();
        self.model.reg_rdata_o.get()
    }

    /// Writes a register in the clock in which the assist pulses.
    pub fn write_with_assist(&mut self, offset: Offset, value: u32) {
        self.model.assist_i.set(1);
        self.write(offset, value);
    }

    /// Pulses the assist, by which the host-read engine hands a frame to the MAC.
    pub fn assist(&mut self) {
        self.model.assist_i.set(1);
        self.clock();
    }

    /// Whether the MAC requests the SRAM.
    pub fn requests_sram(&self) -> bool {
        self.model.sram_req_o.get() != 0
    }

    /// Whether the transmitter sends a symbol (TX_EN).
    pub fn sends(&self) -> bool {
        self.model.gmii_tx_en_o.is_high()
    }

    // ---- What tests want done ------------------------------------------------------------

    /// Advances until the condition holds. Panics after many clocks.
    pub fn until(&mut self, what: &str, mut holds: impl FnMut(&mut MacBench) -> bool) {
        for _ in 0..2_000_000 {
            if holds(self) {
                return;
            }
            self.clock();
        }
        panic!("seed {}: {what} does not come", self.seed);
    }

    /// Advances until all symbols have arrived and the MAC has processed them.
    pub fn settle(&mut self) {
        self.until("the end of what the link brings", |b| b.incoming.is_empty());
        self.clocks(60);
    }

    /// The number of times that this was observed.
    pub fn count(&self, wanted: Seen) -> usize {
        self.seen.iter().filter(|(_, seen)| *seen == wanted).count()
    }

    /// The time in ps of the first such observation. Panics if there was none.
    pub fn first(&self, wanted: Seen) -> u64 {
        self.seen.iter().find(|(_, seen)| *seen == wanted).expect("it was seen").0
    }

    /// Core clocks between two times, rounded up.
    pub fn core_cycles(&self, from_ps: u64, to_ps: u64) -> u64 {
        (to_ps - from_ps).div_ceil(self.clocks.core_ps)
    }
}
