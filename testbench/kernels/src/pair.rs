//! Runs the image `pair` on two cores with one SRAM, clock by clock, and measures the latency of an
//! event from one core to the other.

use nic_kernels::report::{pair as words, DONE};
use nic_layout::registers::event_b;
use nic_layout::CORE_REGISTER_BASE;
use verilated::{Context, Error as ModelError, Model};

use crate::generated::BenchPair;
use crate::images;
use crate::machine::SRAM_BYTES;
use crate::Error;

const PERIOD_PS: u64 = 10_000;

/// The number of ports of the SRAM (`nic_pkg::sram_port_e`).
pub const PORTS: usize = 9;

/// The number of SRAM ports that engines use: link and DMA.
pub const ENGINES: usize = 4;

/// The observations of one core in one clock.
#[derive(Clone, Copy, Default, Debug)]
pub struct CoreClock {
    /// The word on the trace port, if there is one.
    pub trace: Option<u32>,
    /// Whether the core sleeps.
    pub sleeps: bool,
    /// Whether an instruction retired.
    pub retires: bool,
    /// The address of the store that retired, if one did.
    pub store: Option<u32>,
}

/// The model `bench_pair` with an image in its SRAM.
pub struct Pair {
    model: BenchPair,
    clocks: u64,
    /// The clocks that each port of the SRAM has waited for its present request.
    waited: [u64; PORTS],
    /// The longest wait of each port of the SRAM so far, in clocks, by the number of the port.
    pub waited_max: [u64; PORTS],
}

impl Pair {
    /// Loads an image into the SRAM, with `setting` in words of the boot block. Both cores leave
    /// reset with the next clock. An error of the model.
    pub fn new(setting: &[(u32, u32)]) -> Result<Pair, Error> {
        let image = images::pair()?;
        let mut pair =
            Pair { model: BenchPair::new(Context::new())?, clocks: 0, waited: [0; PORTS], waited_max: [0; PORTS] };
        pair.model.rst_ni.set(0);
        pair.model.core_rst_ni.set(0);
        pair.model.boot_addr_i.set(image.entry);
        pair.tick()?;
        pair.tick()?;
        pair.model.rst_ni.set(1);
        let mut sram = vec![0u8; SRAM_BYTES as usize];
        for segment in &image.segments {
            let start = segment.address.0 as usize;
            sram[start..start + segment.bytes.len()].copy_from_slice(&segment.bytes);
        }
        for &(at, word) in setting {
            sram[at as usize..at as usize + 4].copy_from_slice(&word.to_le_bytes());
        }
        pair.model.host_we_i.set(1);
        pair.model.host_req_i.set(1);
        for (i, word) in sram.chunks_exact(8).enumerate() {
            pair.model.host_addr_i.set(8 * i as u32);
            pair.model.host_wdata_i.set(u64::from_le_bytes(word.try_into().expect("eight bytes")));
            pair.tick()?;
        }
        pair.model.host_req_i.set(0);
        pair.model.host_we_i.set(0);
        pair.model.core_rst_ni.set(3);
        pair.clocks = 0;
        Ok(pair)
    }

    fn tick(&mut self) -> Result<(), ModelError> {
        self.clocks += 1;
        self.model.tick(self.clocks * PERIOD_PS, 1)
    }

    /// Sets the cores that are out of reset from the next clock on, a bit for each.
    pub fn let_run(&self, cores: u8) {
        self.model.core_rst_ni.set(cores);
    }

    /// The number of clocks since the cores left reset.
    pub fn clocks(&self) -> u64 {
        self.clocks
    }

    /// Sets the event "a frame was received" from the next clock on.
    pub fn raise_event(&self, level: bool) {
        self.model.event_mac_rx_i.set_bool(level);
    }

    /// Sets the engines that ask for the SRAM from the next clock on, a bit for each. A bit stays
    /// set: the engines do not hold a request themselves.
    pub fn engines(&self, asking: u8) {
        self.model.engine_req_i.set(asking);
    }

    /// Sets whether the host asks for a word of the SRAM from the next clock on.
    pub fn host_reads(&self, asks: bool) {
        self.model.host_req_i.set_bool(asks);
    }

    /// Advances by one clock, and returns the observations of both cores after it. An error of the
    /// model.
    pub fn clock(&mut self) -> Result<[CoreClock; 2], Error> {
        self.tick()?;
        let waits = self.model.waits_o.get();
        for port in 0..PORTS {
            self.waited[port] = if waits >> port & 1 == 1 { self.waited[port] + 1 } else { 0 };
            self.waited_max[port] = self.waited_max[port].max(self.waited[port]);
        }
        let m = &self.model;
        let core = |valid: bool, data: u32, sleeps: bool, retires: bool, store: bool, address: u32| CoreClock {
            trace: valid.then_some(data),
            sleeps,
            retires,
            store: store.then_some(address),
        };
        let a_stores = m.rvfi_a_valid_o.is_high() && m.rvfi_a_store_o.is_high();
        let b_stores = m.rvfi_b_valid_o.is_high() && m.rvfi_b_store_o.is_high();
        Ok([
            core(
                m.trace_a_valid_o.is_high(),
                m.trace_a_data_o.get(),
                m.sleep_a_o.is_high(),
                m.rvfi_a_valid_o.is_high(),
                a_stores,
                m.rvfi_a_addr_o.get(),
            ),
            core(
                m.trace_b_valid_o.is_high(),
                m.trace_b_data_o.get(),
                m.sleep_b_o.is_high(),
                m.rvfi_b_valid_o.is_high(),
                b_stores,
                m.rvfi_b_addr_o.get(),
            ),
        ])
    }

    /// Runs until both cores have sent `DONE`. Returns the number of clocks, and the words that
    /// each core sent before.
    pub fn run(&mut self, clocks_max: u64) -> Result<[Vec<u32>; 2], Error> {
        let mut said = [Vec::new(), Vec::new()];
        let mut done = [false; 2];
        while done != [true; 2] {
            if self.clocks > clocks_max {
                return Err(self.stuck(format!("not done: {done:?}")));
            }
            for (core, clock) in self.clock()?.into_iter().enumerate() {
                match clock.trace {
                    Some(DONE) => done[core] = true,
                    Some(word) => said[core].push(word),
                    None => {}
                }
            }
        }
        Ok(said)
    }

    /// Reads a word of the SRAM through the host's port, while the cores sleep.
    pub fn sram_word(&mut self, at: u32) -> Result<u32, Error> {
        self.model.host_addr_i.set(at & !7);
        self.model.host_req_i.set(1);
        self.tick()?;
        self.model.host_req_i.set(0);
        let both = self.model.host_rdata_o.get();
        Ok(if at & 4 == 0 { both as u32 } else { (both >> 32) as u32 })
    }

    fn stuck(&self, what: String) -> Error {
        Error::Program { image: "pair".into(), what, clocks: self.clocks, pc: 0 }
    }
}

/// The number of rounds in each direction. Each round sleeps for another time.
const ROUNDS: u64 = 16;

/// The limit of a wait in clocks: far more than start-up or any round takes.
const CLOCKS_MAX: u64 = 5_000;

/// The longest latency of an event between the cores, in clocks: from the retirement of the store
/// that sets an event of the other core, to the retirement of the first instruction of the handler
/// there. Both cores slept before. Both directions are measured.
pub fn event_to_other_core() -> Result<u64, Error> {
    let mut longest = 0;
    for sender in 0..2 {
        let mut pair = Pair::new(&[(words::JOB, words::JOB_EVENTS), (words::SENDER, sender as u32)])?;
        for round in 0..ROUNDS {
            sleep(&mut pair)?;
            for _ in 0..round {
                pair.clock()?;
            }
            pair.raise_event(true);
            pair.clock()?;
            pair.raise_event(false);
            longest = longest.max(one_event(&mut pair, sender)?);
        }
    }
    Ok(longest)
}

fn sleep(pair: &mut Pair) -> Result<(), Error> {
    for _ in 0..CLOCKS_MAX {
        if pair.clock()?.iter().all(|core| core.sleeps) {
            return Ok(());
        }
    }
    Err(pair.stuck("the cores do not sleep".into()))
}

fn one_event(pair: &mut Pair, sender: usize) -> Result<u64, Error> {
    let set = CORE_REGISTER_BASE + event_b::SET.offset().0;
    let mut stored = None;
    for _ in 0..CLOCKS_MAX {
        let clock = pair.clock()?;
        if clock[sender].store == Some(set) {
            stored = Some(pair.clocks());
        }
        match (clock[1 - sender].trace, stored) {
            (Some(words::HANDLER), Some(stored)) => return Ok(pair.clocks() - stored),
            (Some(word), _) => return Err(pair.stuck(format!("{word:#x} on the trace port without an event"))),
            (None, _) => {}
        }
    }
    Err(pair.stuck("the event does not come".into()))
}
