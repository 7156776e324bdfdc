//! The models made by `build.rs`, and what they have in common.

mod generated {
    #![allow(clippy::all, missing_docs)]

    pub mod core {
        verilated::include_model!("BenchCore");
    }
    pub mod plain {
        verilated::include_model!("BenchCorePlain");
    }
    pub mod sleep {
        verilated::include_model!("BenchSleep");
    }
    pub mod checker {
        verilated::include_model!("BenchObiChecker");
    }
}

pub use generated::checker::BenchObiChecker;
pub use generated::core::BenchCore;
pub use generated::plain::BenchCorePlain;
pub use generated::sleep::BenchSleep;

/// What the bench drives in each clock.
#[derive(Clone, Copy, Default, Debug)]
pub struct Inputs {
    pub reset: bool,
    pub boot_addr: u32,
    pub hart_id: u32,
    pub irq: bool,
    /// The event that `nic.dispatch` serves.
    pub event: Option<u8>,
    pub debug_req: bool,
    /// What only the counters of clocks look at.
    pub sram_waits: bool,
    pub semaphore_waits: bool,
    /// What else is on the core's clock needs it.
    pub busy: bool,
    pub instr: PortInputs,
    /// What answers to the look of the clock before.
    pub look: Option<u32>,
    pub data: PortInputs,
    /// The data of an answer are on the slow inputs; on the others is something else.
    pub data_slow: bool,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct PortInputs {
    pub gnt: bool,
    pub rvalid: bool,
    pub rdata: u32,
    pub err: bool,
}

/// What the core says in each clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outputs {
    pub instr_req: bool,
    pub instr_addr: u32,
    /// The word here is perhaps wanted as an instruction.
    pub look: Option<u32>,
    pub data_req: bool,
    pub data_addr: u32,
    pub data_we: bool,
    pub data_be: u8,
    pub data_wdata: u32,
    pub fence_i: bool,
    pub sleep: bool,
    /// The core wants the next edge of its clock.
    pub clock: bool,
    pub debug_mode: bool,
    pub trace: Option<u32>,
}

/// An instruction as RVFI reports it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rvfi {
    pub order: u64,
    pub insn: u32,
    pub trap: bool,
    pub intr: bool,
    pub rs1: (u8, u32),
    pub rs2: (u8, u32),
    pub rd: (u8, u32),
    pub pc: u32,
    pub next_pc: u32,
    pub mem_addr: u32,
    pub mem_rmask: u8,
    pub mem_wmask: u8,
    pub mem_rdata: u32,
    pub mem_wdata: u32,
}

/// What the tools that judge the tests want: `NICSCOPE_CORE_PLUSARGS`, apart by spaces, chooses a planted defect (tools/mutate);
/// where coverage is collected, nothing starts random.
pub fn judged(context: verilated::Context) -> verilated::Context {
    let plusargs = std::env::var("NICSCOPE_CORE_PLUSARGS").unwrap_or_default();
    let context = context.plusargs(plusargs.split_whitespace());
    match std::env::var_os("NICSCOPE_COVERAGE") {
        Some(_) => context.zeroed(),
        None => context,
    }
}

/// The clocks of a model, bits of the mask of `tick`: that which never stops, and that of the core.
pub const CLOCK_FREE: u32 = 1;
pub const CLOCK_CORE: u32 = 2;

/// A model of `nic_core`, whatever its parameters.
pub trait CoreModel: verilated::Model {
    fn build(context: verilated::Context) -> Result<Self, verilated::Error>;
    fn drive(&self, inputs: &Inputs);
    fn outputs(&self) -> Outputs;
    fn rvfi(&self) -> Option<Rvfi>;
}

macro_rules! core_model {
    ($model:ty) => {
        impl CoreModel for $model {
            fn build(context: verilated::Context) -> Result<Self, verilated::Error> {
                <$model>::new(judged(context))
            }

            #[inline(always)]
            fn drive(&self, inputs: &Inputs) {
                self.rst_ni.set_bool(!inputs.reset);
                self.boot_addr_i.set(inputs.boot_addr);
                self.hart_id_i.set(inputs.hart_id);
                self.irq_i.set_bool(inputs.irq);
                self.event_valid_i.set_bool(inputs.event.is_some());
                self.event_i.set(inputs.event.unwrap_or(31));
                self.debug_req_i.set_bool(inputs.debug_req);
                self.sram_waits_i.set_bool(inputs.sram_waits);
                self.semaphore_waits_i.set_bool(inputs.semaphore_waits);
                self.busy_i.set_bool(inputs.busy);
                self.instr_gnt_i.set_bool(inputs.instr.gnt);
                self.instr_rvalid_i.set_bool(inputs.instr.rvalid);
                self.instr_rdata_i.set(inputs.instr.rdata);
                self.instr_err_i.set_bool(inputs.instr.err);
                self.look_valid_i.set_bool(inputs.look.is_some());
                self.look_rdata_i.set(inputs.look.unwrap_or(0xDEAD_DEAD));
                self.data_gnt_i.set_bool(inputs.data.gnt);
                self.data_rvalid_i.set_bool(inputs.data.rvalid);
                let (there, elsewhere) = (inputs.data.rdata, !inputs.data.rdata);
                self.data_slow_i.set_bool(inputs.data_slow);
                self.data_rdata_i.set(if inputs.data_slow { elsewhere } else { there });
                self.data_slow_rdata_i.set(if inputs.data_slow { there } else { elsewhere });
                self.data_err_i.set_bool(inputs.data.err);
            }

            #[inline(always)]
            fn outputs(&self) -> Outputs {
                Outputs {
                    instr_req: self.instr_req_o.is_high(),
                    instr_addr: self.instr_addr_o.get(),
                    look: self.look_o.is_high().then(|| self.look_addr_o.get()),
                    data_req: self.data_req_o.is_high(),
                    data_addr: self.data_addr_o.get(),
                    data_we: self.data_we_o.is_high(),
                    data_be: self.data_be_o.get(),
                    data_wdata: self.data_wdata_o.get(),
                    fence_i: self.fence_i_o.is_high(),
                    sleep: self.sleep_o.is_high(),
                    clock: self.clock_o.is_high(),
                    debug_mode: self.debug_mode_o.is_high(),
                    trace: self.trace_valid_o.is_high().then(|| self.trace_data_o.get()),
                }
            }

            #[inline(always)]
            fn rvfi(&self) -> Option<Rvfi> {
                if !self.rvfi_valid.is_high() {
                    return None;
                }
                assert!(!self.rvfi_halt.is_high() && self.rvfi_mode.get() == 3 && self.rvfi_ixl.get() == 1);
                Some(Rvfi {
                    order: self.rvfi_order.get(),
                    insn: self.rvfi_insn.get(),
                    trap: self.rvfi_trap.is_high(),
                    intr: self.rvfi_intr.is_high(),
                    rs1: (self.rvfi_rs1_addr.get(), self.rvfi_rs1_rdata.get()),
                    rs2: (self.rvfi_rs2_addr.get(), self.rvfi_rs2_rdata.get()),
                    rd: (self.rvfi_rd_addr.get(), self.rvfi_rd_wdata.get()),
                    pc: self.rvfi_pc_rdata.get(),
                    next_pc: self.rvfi_pc_wdata.get(),
                    mem_addr: self.rvfi_mem_addr.get(),
                    mem_rmask: self.rvfi_mem_rmask.get(),
                    mem_wmask: self.rvfi_mem_wmask.get(),
                    mem_rdata: self.rvfi_mem_rdata.get(),
                    mem_wdata: self.rvfi_mem_wdata.get(),
                })
            }
        }
    };
}
core_model!(BenchCore);
core_model!(BenchCorePlain);
