//! A debugger that reaches the chip only through the registers of the debug module (RISC-V Debug
//! 1.0, chapter 3).

use std::fmt::Debug;

use nic_layout::registers::debug::{
    Abstractcs, Command, Dmcontrol, Dmstatus, Sbcs, ABSTRACTCS, COMMAND, DATA, DMCONTROL, DMSTATUS, PROGBUF,
    SBADDRESS0, SBCS, SBDATA0,
};
use nic_layout::registers::{Bits, Offset, Readable, Register, Writable};

/// The number of reads of a status register after which a wait fails.
const PATIENCE: u32 = 10_000;

/// Access to the registers of the debug module, at their offsets in the register page.
pub trait Dmi {
    /// The error of an access.
    type Error: Debug;
    /// Reads a register.
    fn read(&mut self, at: Offset) -> Result<u32, Self::Error>;
    /// Writes a register.
    fn write(&mut self, at: Offset, value: u32) -> Result<(), Self::Error>;
}

/// The numbers of the CSRs for debugging (RISC-V Debug 1.0, chapters 4 and 5).
pub mod csr {
    /// The trigger that the next registers show.
    pub const TSELECT: u32 = 0x7A0;
    /// The type and the settings of a trigger.
    pub const TDATA1: u32 = 0x7A1;
    /// The address or value that a trigger compares.
    pub const TDATA2: u32 = 0x7A2;
    /// The types that a trigger can have.
    pub const TINFO: u32 = 0x7A4;
    /// Whether triggers may fire in machine mode.
    pub const TCONTROL: u32 = 0x7A5;
    /// The control and the cause of debug mode.
    pub const DCSR: u32 = 0x7B0;
    /// The address at which the hart resumes.
    pub const DPC: u32 = 0x7B1;
    /// A word for the debugger.
    pub const DSCRATCH0: u32 = 0x7B2;
    /// A second word for the debugger.
    pub const DSCRATCH1: u32 = 0x7B3;
}

/// Fields of `dcsr`.
pub mod dcsr {
    /// `ebreak` in machine mode enters debug mode.
    pub const EBREAKM: u32 = 1 << 15;
    /// Interrupts are permitted in a step.
    pub const STEPIE: u32 = 1 << 11;
    /// The hart halts after one instruction.
    pub const STEP: u32 = 1 << 2;
    /// debugver 4, stopcount, prv 3.
    pub const FIXED: u32 = 4 << 28 | 1 << 10 | 3;
}

/// `dcsr.cause`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// `ebreak`.
    Ebreak = 1,
    /// A trigger.
    Trigger = 2,
    /// A halt request.
    HaltRequest = 3,
    /// The end of a step.
    Step = 4,
}

/// Fields of `tdata1` of type mcontrol6.
pub mod mcontrol6 {
    /// The type mcontrol6.
    pub const TYPE: u32 = 6 << 28;
    /// Only debug mode may write the trigger.
    pub const DMODE: u32 = 1 << 27;
    /// The trigger hit before the instruction was executed.
    pub const HIT_BEFORE: u32 = 1 << 22;
    /// The trigger hit after the instruction was executed.
    pub const HIT_AFTER: u32 = 1 << 25 | 1 << 22;
    /// The data are compared, and not the address.
    pub const SELECT_DATA: u32 = 1 << 21;
    /// Only accesses of 8 bits.
    pub const SIZE_8: u32 = 1 << 16;
    /// Only accesses of 16 bits.
    pub const SIZE_16: u32 = 2 << 16;
    /// Only accesses of 32 bits.
    pub const SIZE_32: u32 = 3 << 16;
    /// The trigger enters debug mode; else it raises a breakpoint exception.
    pub const ACTION_DEBUG: u32 = 1 << 12;
    /// `tdata2` names a range of a power of two, aligned to its size.
    pub const MATCH_NAPOT: u32 = 1 << 7;
    /// The trigger may fire in machine mode.
    pub const M: u32 = 1 << 6;
    /// The trigger compares instructions.
    pub const EXECUTE: u32 = 1 << 2;
    /// The trigger compares stores.
    pub const STORE: u32 = 1 << 1;
    /// The trigger compares loads.
    pub const LOAD: u32 = 1;
    /// A trigger that enters debug mode. Further bits choose the instructions that it compares.
    pub const DEBUG: u32 = TYPE | DMODE | ACTION_DEBUG | M;
}

/// The error of an abstract command (`abstractcs.cmderr`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandError {
    /// A command was under way.
    Busy,
    /// The command is not supported.
    NotSupported,
    /// The command raised an exception.
    Exception,
    /// The hart was not in the state, halted or running, that the command needs.
    HaltResume,
    /// A bus error.
    Bus,
    /// Another error.
    Other,
}

impl CommandError {
    fn from_bits(bits: u32) -> Option<CommandError> {
        use CommandError::*;
        Some([Busy, NotSupported, Exception, HaltResume, Bus, Other, Other][bits.checked_sub(1)? as usize])
    }
}

/// A debugger with a selected hart.
pub struct Debugger<D> {
    /// The access to the debug module.
    pub dmi: D,
    hart: u32,
}

/// The `regno` of x0; the other registers follow.
const GPR: u32 = 0x1000;

/// A command that transfers a register of 32 bits to `data0`; with `with_write`, from `data0`.
pub fn transfer(regno: u32) -> Command {
    Command::default().with_aarsize(2).with_transfer(true).with_regno(regno)
}

impl<D: Dmi> Debugger<D> {
    /// Activates the debug module and selects hart 0.
    pub fn new(dmi: D) -> Result<Debugger<D>, D::Error> {
        let mut debugger = Debugger { dmi, hart: 0 };
        debugger.control(|control| control)?;
        Ok(debugger)
    }

    /// Reads a register of the debug module.
    pub fn get<T: Bits, A: Readable>(&mut self, register: Register<T, A>) -> Result<T, D::Error> {
        self.dmi.read(register.offset()).map(T::from_bits)
    }

    /// Writes a register of the debug module.
    pub fn set<T: Bits, A: Writable>(&mut self, register: Register<T, A>, value: T) -> Result<(), D::Error> {
        self.dmi.write(register.offset(), value.to_bits())
    }

    // ---- Harts ----------------------------------------------------------------------

    /// Selects the hart for all other calls.
    pub fn select(&mut self, hart: u32) -> Result<(), D::Error> {
        self.hart = hart;
        self.control(|control| control)
    }

    /// Writes dmcontrol for the selected hart.
    pub fn control(&mut self, change: impl Fn(Dmcontrol) -> Dmcontrol) -> Result<(), D::Error> {
        self.set(DMCONTROL, change(Dmcontrol::default().with_dmactive(true).with_hartsello(self.hart)))
    }

    /// Reads `dmstatus` for the selected hart.
    pub fn status(&mut self) -> Result<Dmstatus, D::Error> {
        self.get(DMSTATUS)
    }

    fn until<T>(
        &mut self,
        wanted: &str,
        mut poll: impl FnMut(&mut Self) -> Result<Option<T>, D::Error>,
    ) -> Result<T, D::Error> {
        for _ in 0..PATIENCE {
            if let Some(value) = poll(self)? {
                return Ok(value);
            }
        }
        panic!("{wanted} did not come");
    }

    /// Waits until the hart has halted. Panics after many reads.
    pub fn until_halted(&mut self) -> Result<(), D::Error> {
        self.until("a halt", |d| Ok(d.status()?.allhalted().then_some(())))
    }

    /// Halts the hart, and waits until it has halted.
    pub fn halt(&mut self) -> Result<(), D::Error> {
        self.control(|control| control.with_haltreq(true))?;
        self.until_halted()?;
        self.control(|control| control)
    }

    /// Resumes the hart, and waits until it has resumed.
    pub fn resume(&mut self) -> Result<(), D::Error> {
        self.control(|control| control.with_resumereq(true))?;
        self.until("an end of the halt", |d| Ok(d.status()?.allresumeack().then_some(())))
    }

    /// Executes one instruction.
    pub fn step(&mut self) -> Result<(), D::Error> {
        let before = self.read_csr(csr::DCSR)?;
        self.write_csr(csr::DCSR, before | dcsr::STEP)?;
        self.resume()?;
        self.until_halted()?;
        self.write_csr(csr::DCSR, before & !dcsr::STEP)
    }

    /// The reason why the hart halted, from `dcsr`.
    pub fn cause(&mut self) -> Result<Cause, D::Error> {
        Ok(match self.read_csr(csr::DCSR)? >> 6 & 7 {
            1 => Cause::Ebreak,
            2 => Cause::Trigger,
            3 => Cause::HaltRequest,
            4 => Cause::Step,
            other => panic!("dcsr.cause is {other}"),
        })
    }

    /// The address at which the hart resumes, from `dpc`.
    pub fn pc(&mut self) -> Result<u32, D::Error> {
        self.read_csr(csr::DPC)
    }

    // ---- Abstract commands ----------------------------------------------------------

    /// Reads `abstractcs`.
    pub fn abstractcs(&mut self) -> Result<Abstractcs, D::Error> {
        self.get(ABSTRACTCS)
    }

    /// Waits for the end of a command. Returns its error, if there was one, and clears it.
    pub fn finish(&mut self) -> Result<Option<CommandError>, D::Error> {
        let end = self.until("the end of a command", |d| {
            let state = d.abstractcs()?;
            Ok((!state.busy()).then_some(state))
        })?;
        self.set(ABSTRACTCS, end)?;
        Ok(CommandError::from_bits(end.cmderr()))
    }

    /// Starts an abstract command and waits for its end. Returns its error, if there was one.
    pub fn try_command(&mut self, command: Command) -> Result<Option<CommandError>, D::Error> {
        self.set(COMMAND, command)?;
        self.finish()
    }

    fn command(&mut self, command: Command) -> Result<(), D::Error> {
        let error = self.try_command(command)?;
        assert_eq!(error, None, "{command:x?}");
        Ok(())
    }

    fn read_register(&mut self, regno: u32) -> Result<u32, D::Error> {
        self.command(transfer(regno))?;
        self.get(DATA.at(0))
    }

    fn write_register(&mut self, regno: u32, value: u32) -> Result<(), D::Error> {
        self.set(DATA.at(0), value)?;
        self.command(transfer(regno).with_write(true))
    }

    /// Reads an integer register.
    pub fn read_gpr(&mut self, number: u32) -> Result<u32, D::Error> {
        self.read_register(GPR + number)
    }

    /// Writes an integer register.
    pub fn write_gpr(&mut self, number: u32, value: u32) -> Result<(), D::Error> {
        self.write_register(GPR + number, value)
    }

    /// Reads a CSR.
    pub fn read_csr(&mut self, number: u32) -> Result<u32, D::Error> {
        self.read_register(number)
    }

    /// Writes a CSR.
    pub fn write_csr(&mut self, number: u32, value: u32) -> Result<(), D::Error> {
        self.write_register(number, value)
    }

    /// Executes at most two words of code in the program buffer; an `ebreak` stands behind them.
    pub fn execute(&mut self, code: [u32; 2]) -> Result<Option<CommandError>, D::Error> {
        self.set(PROGBUF.at(0), code[0])?;
        self.set(PROGBUF.at(1), code[1])?;
        self.try_command(Command::default().with_postexec(true))
    }

    // ---- Triggers -------------------------------------------------------------------

    /// Sets a trigger.
    pub fn set_trigger(&mut self, number: u32, tdata1: u32, tdata2: u32) -> Result<(), D::Error> {
        self.write_csr(csr::TSELECT, number)?;
        self.write_csr(csr::TDATA1, 0)?;
        // The match mode decides which values `tdata2` can hold, so it is set first.
        self.write_csr(csr::TDATA1, tdata1 & (mcontrol6::TYPE | mcontrol6::DMODE | mcontrol6::MATCH_NAPOT))?;
        self.write_csr(csr::TDATA2, tdata2)?;
        self.write_csr(csr::TDATA1, tdata1)
    }

    /// Reads `tdata1` of a trigger.
    pub fn tdata1(&mut self, number: u32) -> Result<u32, D::Error> {
        self.write_csr(csr::TSELECT, number)?;
        self.read_csr(csr::TDATA1)
    }

    // ---- System bus -----------------------------------------------------------------

    /// Reads memory over the system bus. `size_log2`: 0 byte, 1 halfword, 2 word. Bits above that
    /// size have no meaning on the bus and are zero here.
    pub fn bus_read(&mut self, at: u32, size_log2: u32) -> Result<u32, D::Error> {
        self.set(SBCS, Sbcs::default().with_sbreadonaddr(true).with_sbaccess(size_log2))?;
        self.set(SBADDRESS0, at)?;
        let end = self.bus_finish()?;
        assert_eq!(end.sberror(), 0, "read of {at:#x}");
        Ok(self.get(SBDATA0)? & u32::MAX >> (32 - (8 << size_log2)))
    }

    /// Writes memory over the system bus; `size_log2` as in a read.
    pub fn bus_write(&mut self, at: u32, size_log2: u32, value: u32) -> Result<(), D::Error> {
        self.set(SBCS, Sbcs::default().with_sbaccess(size_log2))?;
        self.set(SBADDRESS0, at)?;
        self.set(SBDATA0, value)?;
        let end = self.bus_finish()?;
        assert_eq!(end.sberror(), 0, "write of {at:#x}");
        Ok(())
    }

    /// Waits for the end of an access over the system bus.
    pub fn bus_finish(&mut self) -> Result<Sbcs, D::Error> {
        self.until("the end of a bus access", |d| {
            let state = d.get(SBCS)?;
            Ok((!state.sbbusy()).then_some(state))
        })
    }
}
