//! The models that `build.rs` makes, and their common interface.

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

/// The time at the pins in a clock since reset: each half changes with each clock, and neither is
/// like a count of clocks.
pub fn time_at(clock: u64) -> u64 {
    clock.wrapping_mul(0x0000_0007_0000_0003).wrapping_add(0x0123_4567_89AB_CDEF)
}

/// The inputs of the core in a clock.
#[derive(Clone, Copy, Default, Debug)]
pub struct Inputs {
    /// Reset, active high.
    pub reset: bool,
    /// The address of the first instruction after reset.
    pub boot_addr: u32,
    /// The number of the hart.
    pub hart_id: u32,
    /// The time ([`time_at`]).
    pub time: u64,
    /// The interrupt line.
    pub irq: bool,
    /// The event that `nic.dispatch` serves.
    pub event: Option<u8>,
    /// The request to enter debug mode.
    pub debug_req: bool,
    /// A wait of the SRAM. Only the counters of lost clocks look at it.
    pub sram_waits: bool,
    /// A wait for the semaphore. Only the counters of lost clocks look at it.
    pub semaphore_waits: bool,
    /// Whether another block on the core's clock needs it.
    pub busy: bool,
    /// The port of instructions.
    pub instr: PortInputs,
    /// The answer to the look of the previous clock, if a word was found.
    pub look: Option<u32>,
    /// The port of data.
    pub data: PortInputs,
    /// Whether the data of an answer are on the slow inputs. The other inputs then carry nonsense.
    pub data_slow: bool,
}

/// The inputs of one memory port (OBI).
#[derive(Clone, Copy, Default, Debug)]
pub struct PortInputs {
    /// Grant of a request.
    pub gnt: bool,
    /// An answer is valid.
    pub rvalid: bool,
    /// The word of the answer.
    pub rdata: u32,
    /// Whether the answer is a bus error.
    pub err: bool,
}

/// The outputs of the core in a clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outputs {
    /// A request on the port of instructions.
    pub instr_req: bool,
    /// The address of that request.
    pub instr_addr: u32,
    /// The address of a look: the word there may be the next instruction.
    pub look: Option<u32>,
    /// A request on the port of data.
    pub data_req: bool,
    /// The address of that request.
    pub data_addr: u32,
    /// Whether that request is a write.
    pub data_we: bool,
    /// The byte enables of that request.
    pub data_be: u8,
    /// The word that is written.
    pub data_wdata: u32,
    /// A `fence.i` retires: caches of instructions must be emptied.
    pub fence_i: bool,
    /// The core sleeps.
    pub sleep: bool,
    /// Whether the core needs the next edge of its clock.
    pub clock: bool,
    /// The core is in debug mode.
    pub debug_mode: bool,
    /// The word on the trace port, if there is one.
    pub trace: Option<u32>,
}

/// A retired instruction as RVFI reports it. Names are those of RVFI's signals.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rvfi {
    /// The number of the instruction in the order of retirement.
    pub order: u64,
    /// The encoding.
    pub insn: u32,
    /// Whether the instruction trapped.
    pub trap: bool,
    /// Whether it is the first instruction of a trap handler.
    pub intr: bool,
    /// The first register that is read, and its value.
    pub rs1: (u8, u32),
    /// The second register that is read, and its value.
    pub rs2: (u8, u32),
    /// The register that is written, and its value; 0 if none is.
    pub rd: (u8, u32),
    /// The address of the instruction.
    pub pc: u32,
    /// The address of the next instruction.
    pub next_pc: u32,
    /// The address of its access to memory.
    pub mem_addr: u32,
    /// The bytes of the word that are read, a bit for each.
    pub mem_rmask: u8,
    /// The bytes of the word that are written, a bit for each.
    pub mem_wmask: u8,
    /// The word that is read.
    pub mem_rdata: u32,
    /// The word that is written.
    pub mem_wdata: u32,
}

/// The arguments of a model. Tools that judge the tests set them: `NICSCOPE_CORE_PLUSARGS`,
/// separated by spaces, chooses a planted defect (tools/mutate). Where coverage is collected, no
/// register starts at a random value.
pub fn judged(context: verilated::Context) -> verilated::Context {
    let plusargs = std::env::var("NICSCOPE_CORE_PLUSARGS").unwrap_or_default();
    let context = context.plusargs(plusargs.split_whitespace());
    match std::env::var_os("NICSCOPE_COVERAGE") {
        Some(_) => context.zeroed(),
        None => context,
    }
}

/// The clock of a model that never stops: a bit of the mask of `tick`.
pub const CLOCK_FREE: u32 = 1;
/// The clock of a model that stops while the core sleeps: a bit of the mask of `tick`.
pub const CLOCK_CORE: u32 = 2;

/// A model of `nic_core`, with any parameters.
pub trait CoreModel: verilated::Model {
    /// Builds the model. An error of Verilator's runtime.
    fn build(context: verilated::Context) -> Result<Self, verilated::Error>;
    /// Sets all inputs.
    fn drive(&self, inputs: &Inputs);
    /// Reads all outputs.
    fn outputs(&self) -> Outputs;
    /// The instruction that retires in this clock, if one does. `None` in a model without RVFI.
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
                self.time_i.set(inputs.time);
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
