//! Runs an image on the RTL, clock by clock.

use host_model::elf;
use verilated::{Context, Error, Model};

use crate::generated::BenchKernels;
use crate::retired::Retired;

/// The size of the SRAM in bytes, a parameter of `bench_kernels`.
pub const SRAM_BYTES: u32 = 131_072;

/// The period of the simulated clock in ps. It affects no result: results are counts of clocks.
const PERIOD_PS: u64 = 10_000;

/// The observations of one clock.
#[derive(Clone, Copy, Default, Debug)]
pub struct Clock {
    /// The instruction that retired, if one did.
    pub retired: Option<Retired>,
    /// The word on the trace port, if there is one.
    pub trace: Option<u32>,
    /// Whether the core sleeps.
    pub sleeps: bool,
}

/// The model `bench_kernels` with an image in its SRAM.
pub struct Machine {
    model: BenchKernels,
    clocks: u64,
    /// The link accesses the SRAM in one of this many clocks; 0 for never.
    link_every: u64,
}

impl Machine {
    /// Loads an image into the SRAM; the core leaves reset with the next clock. `link_every` n: the
    /// link accesses the SRAM in one of n clocks; 0 for never. An error of the model.
    pub fn new(image: &elf::Image, link_every: u64) -> Result<Machine, Error> {
        let mut machine = Machine { model: BenchKernels::new(Context::new())?, clocks: 0, link_every };
        let model = &machine.model;
        model.rst_ni.set(0);
        model.core_rst_ni.set(0);
        model.load_req_i.set(0);
        model.link_req_i.set(0);
        model.event_mac_rx_i.set(0);
        model.boot_addr_i.set(image.entry);
        machine.tick()?;
        machine.tick()?;
        machine.model.rst_ni.set(1);
        machine.load(image)?;
        machine.model.core_rst_ni.set(1);
        machine.clocks = 0;
        Ok(machine)
    }

    /// Loads the SRAM. No other port asks, so each clock takes eight bytes.
    fn load(&mut self, image: &elf::Image) -> Result<(), Error> {
        let mut sram = vec![0u8; SRAM_BYTES as usize];
        for segment in &image.segments {
            let start = segment.address.0 as usize;
            sram[start..start + segment.bytes.len()].copy_from_slice(&segment.bytes);
        }
        self.model.load_req_i.set(1);
        for (i, word) in sram.chunks_exact(8).enumerate() {
            self.model.load_addr_i.set(8 * i as u32);
            self.model.load_wdata_i.set(u64::from_le_bytes(word.try_into().expect("eight bytes")));
            self.tick()?;
        }
        self.model.load_req_i.set(0);
        Ok(())
    }

    fn tick(&mut self) -> Result<(), Error> {
        self.clocks += 1;
        self.model.tick(self.clocks * PERIOD_PS, 1)
    }

    /// The number of clocks since the core left reset.
    pub fn clocks(&self) -> u64 {
        self.clocks
    }

    /// Sets the event "a frame was received" from the next clock on.
    pub fn raise_event(&self, level: bool) {
        self.model.event_mac_rx_i.set_bool(level);
    }

    /// Advances by one clock, and returns the values of the pins after it. An error of the model.
    pub fn clock(&mut self) -> Result<Clock, Error> {
        self.model.link_req_i.set_bool(self.link_every != 0 && self.clocks % self.link_every == 0);
        self.tick()?;
        let model = &self.model;
        let retired = model.rvfi_valid_o.is_high().then(|| Retired {
            order: model.rvfi_order_o.get(),
            insn: model.rvfi_insn_o.get(),
            trap: model.rvfi_trap_o.is_high(),
            pc: model.rvfi_pc_o.get(),
            next_pc: model.rvfi_next_pc_o.get(),
            rd: model.rvfi_rd_o.get(),
            rd_value: model.rvfi_rd_value_o.get(),
            rs1: model.rvfi_rs1_o.get(),
            rs2: model.rvfi_rs2_o.get(),
        });
        let trace = model.trace_valid_o.is_high().then(|| model.trace_data_o.get());
        Ok(Clock { retired, trace, sleeps: model.sleep_o.is_high() })
    }
}
