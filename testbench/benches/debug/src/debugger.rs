//! A debugger that reaches the chip through the registers of the debug module and in no other way.

use std::fmt::Debug;

use nic_layout::registers::debug::{
    Abstractcs, Command, Dmcontrol, Dmstatus, Sbcs, ABSTRACTCS, COMMAND, DATA, DMCONTROL, DMSTATUS, PROGBUF,
    SBADDRESS0, SBCS, SBDATA0,
};
use nic_layout::registers::{Bits, Offset, Readable, Register, Writable};

/// Reads of a status register before it counts as stuck.
const PATIENCE: u32 = 10_000;

/// Access to the debug module's registers, at their offsets in the register page.
pub trait Dmi {
    type Error: Debug;
    fn read(&mut self, at: Offset) -> Result<u32, Self::Error>;
    fn write(&mut self, at: Offset, value: u32) -> Result<(), Self::Error>;
}

/// CSRs of debugging.
pub mod csr {
    pub const TSELECT: u32 = 0x7A0;
    pub const TDATA1: u32 = 0x7A1;
    pub const TDATA2: u32 = 0x7A2;
    pub const TINFO: u32 = 0x7A4;
    pub const TCONTROL: u32 = 0x7A5;
    pub const DCSR: u32 = 0x7B0;
    pub const DPC: u32 = 0x7B1;
    pub const DSCRATCH0: u32 = 0x7B2;
    pub const DSCRATCH1: u32 = 0x7B3;
}

/// Fields of `dcsr`.
pub mod dcsr {
    pub const EBREAKM: u32 = 1 << 15;
    pub const STEPIE: u32 = 1 << 11;
    pub const STEP: u32 = 1 << 2;
    /// debugver 4, stopcount, prv 3.
    pub const FIXED: u32 = 4 << 28 | 1 << 10 | 3;
}

/// `dcsr.cause`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    Ebreak = 1,
    Trigger = 2,
    HaltRequest = 3,
    Step = 4,
}

/// Fields of `tdata1` of type mcontrol6.
pub mod mcontrol6 {
    pub const TYPE: u32 = 6 << 28;
    pub const DMODE: u32 = 1 << 27;
    pub const HIT_BEFORE: u32 = 1 << 22;
    pub const HIT_AFTER: u32 = 1 << 25 | 1 << 22;
    pub const SELECT_DATA: u32 = 1 << 21;
    pub const SIZE_8: u32 = 1 << 16;
    pub const SIZE_16: u32 = 2 << 16;
    pub const SIZE_32: u32 = 3 << 16;
    pub const ACTION_DEBUG: u32 = 1 << 12;
    pub const MATCH_NAPOT: u32 = 1 << 7;
    pub const M: u32 = 1 << 6;
    pub const EXECUTE: u32 = 1 << 2;
    pub const STORE: u32 = 1 << 1;
    pub const LOAD: u32 = 1;
    /// Enter debug mode; the rest says on what.
    pub const DEBUG: u32 = TYPE | DMODE | ACTION_DEBUG | M;
}

/// `abstractcs.cmderr`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandError {
    Busy,
    NotSupported,
    Exception,
    HaltResume,
    Bus,
    Other,
}

impl CommandError {
    fn from_bits(bits: u32) -> Option<CommandError> {
        use CommandError::*;
        Some([Busy, NotSupported, Exception, HaltResume, Bus, Other, Other][bits.checked_sub(1)? as usize])
    }
}

pub struct Debugger<D> {
    pub dmi: D,
    hart: u32,
}

/// `regno` of x0 and up.
const GPR: u32 = 0x1000;

/// A 32-bit transfer, to data0 unless `with_write` follows.
pub fn transfer(regno: u32) -> Command {
    Command::default().with_aarsize(2).with_transfer(true).with_regno(regno)
}

impl<D: Dmi> Debugger<D> {
    /// Wakes the debug module and looks at hart 0.
    pub fn new(dmi: D) -> Result<Debugger<D>, D::Error> {
        let mut debugger = Debugger { dmi, hart: 0 };
        debugger.control(|control| control)?;
        Ok(debugger)
    }

    pub fn get<T: Bits, A: Readable>(&mut self, register: Register<T, A>) -> Result<T, D::Error> {
        self.dmi.read(register.offset()).map(T::from_bits)
    }

    pub fn set<T: Bits, A: Writable>(&mut self, register: Register<T, A>, value: T) -> Result<(), D::Error> {
        self.dmi.write(register.offset(), value.to_bits())
    }

    // ---- Harts ----------------------------------------------------------------------

    /// Which hart everything else is about.
    pub fn select(&mut self, hart: u32) -> Result<(), D::Error> {
        self.hart = hart;
        self.control(|control| control)
    }

    /// Writes dmcontrol for the selected hart.
    pub fn control(&mut self, change: impl Fn(Dmcontrol) -> Dmcontrol) -> Result<(), D::Error> {
        self.set(DMCONTROL, change(Dmcontrol::default().with_dmactive(true).with_hartsello(self.hart)))
    }

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

    pub fn until_halted(&mut self) -> Result<(), D::Error> {
        self.until("a halt", |d| Ok(d.status()?.allhalted().then_some(())))
    }

    pub fn halt(&mut self) -> Result<(), D::Error> {
        self.control(|control| control.with_haltreq(true))?;
        self.until_halted()?;
        self.control(|control| control)
    }

    pub fn resume(&mut self) -> Result<(), D::Error> {
        self.control(|control| control.with_resumereq(true))?;
        self.until("an end of the halt", |d| Ok(d.status()?.allresumeack().then_some(())))
    }

    /// One instruction.
    pub fn step(&mut self) -> Result<(), D::Error> {
        let before = self.read_csr(csr::DCSR)?;
        self.write_csr(csr::DCSR, before | dcsr::STEP)?;
        self.resume()?;
        self.until_halted()?;
        self.write_csr(csr::DCSR, before & !dcsr::STEP)
    }

    /// Why the hart halted.
    pub fn cause(&mut self) -> Result<Cause, D::Error> {
        Ok(match self.read_csr(csr::DCSR)? >> 6 & 7 {
            1 => Cause::Ebreak,
            2 => Cause::Trigger,
            3 => Cause::HaltRequest,
            4 => Cause::Step,
            other => panic!("dcsr.cause is {other}"),
        })
    }

    pub fn pc(&mut self) -> Result<u32, D::Error> {
        self.read_csr(csr::DPC)
    }

    // ---- Abstract commands ----------------------------------------------------------

    pub fn abstractcs(&mut self) -> Result<Abstractcs, D::Error> {
        self.get(ABSTRACTCS)
    }

    /// Waits for the end of a command, and clears its error.
    pub fn finish(&mut self) -> Result<Option<CommandError>, D::Error> {
        let end = self.until("the end of a command", |d| {
            let state = d.abstractcs()?;
            Ok((!state.busy()).then_some(state))
        })?;
        self.set(ABSTRACTCS, end)?;
        Ok(CommandError::from_bits(end.cmderr()))
    }

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

    pub fn read_gpr(&mut self, number: u32) -> Result<u32, D::Error> {
        self.read_register(GPR + number)
    }

    pub fn write_gpr(&mut self, number: u32, value: u32) -> Result<(), D::Error> {
        self.write_register(GPR + number, value)
    }

    pub fn read_csr(&mut self, number: u32) -> Result<u32, D::Error> {
        self.read_register(number)
    }

    pub fn write_csr(&mut self, number: u32, value: u32) -> Result<(), D::Error> {
        self.write_register(number, value)
    }

    /// Executes up to two words of code, behind which an `ebreak` stands.
    pub fn execute(&mut self, code: [u32; 2]) -> Result<Option<CommandError>, D::Error> {
        self.set(PROGBUF.at(0), code[0])?;
        self.set(PROGBUF.at(1), code[1])?;
        self.try_command(Command::default().with_postexec(true))
    }

    // ---- Triggers -------------------------------------------------------------------

    pub fn set_trigger(&mut self, number: u32, tdata1: u32, tdata2: u32) -> Result<(), D::Error> {
        self.write_csr(csr::TSELECT, number)?;
        self.write_csr(csr::TDATA1, 0)?;
        // Whether tdata2 is a range decides what it can hold.
        self.write_csr(csr::TDATA1, tdata1 & (mcontrol6::TYPE | mcontrol6::DMODE | mcontrol6::MATCH_NAPOT))?;
        self.write_csr(csr::TDATA2, tdata2)?;
        self.write_csr(csr::TDATA1, tdata1)
    }

    pub fn tdata1(&mut self, number: u32) -> Result<u32, D::Error> {
        self.write_csr(csr::TSELECT, number)?;
        self.read_csr(csr::TDATA1)
    }

    // ---- System bus -----------------------------------------------------------------

    /// `size_log2`: 0 byte, 1 halfword, 2 word. Bits above that size have no meaning on the bus and are zero here.
    pub fn bus_read(&mut self, at: u32, size_log2: u32) -> Result<u32, D::Error> {
        self.set(SBCS, Sbcs::default().with_sbreadonaddr(true).with_sbaccess(size_log2))?;
        self.set(SBADDRESS0, at)?;
        let end = self.bus_finish()?;
        assert_eq!(end.sberror(), 0, "read of {at:#x}");
        Ok(self.get(SBDATA0)? & u32::MAX >> (32 - (8 << size_log2)))
    }

    pub fn bus_write(&mut self, at: u32, size_log2: u32, value: u32) -> Result<(), D::Error> {
        self.set(SBCS, Sbcs::default().with_sbaccess(size_log2))?;
        self.set(SBADDRESS0, at)?;
        self.set(SBDATA0, value)?;
        let end = self.bus_finish()?;
        assert_eq!(end.sberror(), 0, "write of {at:#x}");
        Ok(())
    }

    /// Waits for the end of an access.
    pub fn bus_finish(&mut self) -> Result<Sbcs, D::Error> {
        self.until("the end of a bus access", |d| {
            let state = d.get(SBCS)?;
            Ok((!state.sbbusy()).then_some(state))
        })
    }
}
