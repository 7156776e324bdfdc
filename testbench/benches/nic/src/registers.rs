//! Drives the register blocks, with a host and two cores that access them.

use nic_layout::registers::{Bits, Offset, Readable, Register, Writable};
use verilated::{Context, Error};

use crate::clocked::Clocked;
use crate::models::BenchRegisters;

/// The master of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The host, through BAR 0 or BAR 1.
    Host,
    /// Core A.
    Core,
    /// Core B.
    CoreB,
}

/// The byte enables of a whole word.
pub const ALL_BYTES: u8 = 0xF;

/// The limit of an access in clocks. A test fails if an access takes longer.
const PATIENCE_CYCLES: u32 = 100;

/// The model of the register blocks, with the SRAM behind the host's port.
pub struct RegisterBench {
    /// The model.
    pub model: Clocked<BenchRegisters>,
}

impl RegisterBench {
    /// A bench after reset. Storage that reset does not set has random contents from the seed.
    pub fn new(seed: u32) -> Result<RegisterBench, Error> {
        let mut model = Clocked::new(BenchRegisters::new(Context::new().randomized(seed))?);
        model.rst_ni.set(0);
        model.host_valid_i.set(0);
        model.core_req_i.set(0);
        model.core_b_req_i.set(0);
        model.other_req_i.set(0);
        model.event_set_i.set(0);
        model.sleep_a_i.set(0);
        model.sleep_b_i.set(0);
        for _ in 0..3 {
            model.clock()?;
        }
        model.rst_ni.set(1);
        Ok(RegisterBench { model })
    }

    /// Writes a register.
    pub fn write<T: Bits, A: Writable>(&mut self, who: Who, register: Register<T, A>, value: T) -> Result<(), Error> {
        self.write_bytes(who, register.offset(), value.to_bits(), ALL_BYTES)
    }

    /// Reads a register.
    pub fn read<T: Bits, A: Readable>(&mut self, who: Who, register: Register<T, A>) -> Result<T, Error> {
        self.read_offset(who, register.offset()).map(T::from_bits)
    }

    /// Writes the enabled bytes of the register at an offset.
    pub fn write_bytes(&mut self, who: Who, at: Offset, value: u32, bytes: u8) -> Result<(), Error> {
        match who {
            Who::Host => {
                self.present_host(false, at.0, Some((value, bytes)), 1);
                self.accept_host()
            }
            Who::Core => {
                self.present_core(at, Some((value, bytes)));
                self.accept_core()
            }
            Who::CoreB => {
                self.present_core_b(at, Some((value, bytes)));
                self.accept_core_b()
            }
        }
    }

    /// Reads the register at an offset.
    pub fn read_offset(&mut self, who: Who, at: Offset) -> Result<u32, Error> {
        match who {
            Who::Host => Ok(self.host_read(false, at.0, 1)?[0]),
            Who::Core => {
                self.present_core(at, None);
                self.accept_core()?;
                Ok(self.model.rdata_o.get())
            }
            Who::CoreB => {
                self.present_core_b(at, None);
                self.accept_core_b()?;
                Ok(self.model.rdata_o.get())
            }
        }
    }

    /// The host writes the enabled bytes of a word of the SRAM.
    pub fn sram_write(&mut self, address: u32, value: u32, bytes: u8) -> Result<(), Error> {
        self.present_host(true, address, Some((value, bytes)), 1);
        self.accept_host()
    }

    /// The host reads words of the SRAM.
    pub fn sram_read(&mut self, address: u32, dwords: u8) -> Result<Vec<u32>, Error> {
        self.host_read(true, address, dwords)
    }

    /// Puts a host access on the pins without a clock.
    pub fn present_host(&mut self, in_sram: bool, address: u32, write: Option<(u32, u8)>, dwords: u8) {
        let (value, bytes) = write.unwrap_or((0, ALL_BYTES));
        let m = &self.model;
        m.host_valid_i.set(1);
        m.host_in_sram_i.set_bool(in_sram);
        m.host_addr_i.set(address);
        m.host_we_i.set_bool(write.is_some());
        m.host_be_i.set(bytes);
        m.host_wdata_i.set(value);
        m.host_read_dwords_i.set(dwords);
    }

    /// Puts a core access on the pins without a clock.
    pub fn present_core(&mut self, at: Offset, write: Option<(u32, u8)>) {
        let (value, bytes) = write.unwrap_or((0, ALL_BYTES));
        let m = &self.model;
        m.core_req_i.set(1);
        m.core_addr_i.set(at.0);
        m.core_we_i.set_bool(write.is_some());
        m.core_be_i.set(bytes);
        m.core_wdata_i.set(value);
    }

    /// Puts an access of core B on the pins without a clock.
    pub fn present_core_b(&mut self, at: Offset, write: Option<(u32, u8)>) {
        let (value, bytes) = write.unwrap_or((0, ALL_BYTES));
        let m = &self.model;
        m.core_b_req_i.set(1);
        m.core_b_addr_i.set(at.0);
        m.core_b_we_i.set_bool(write.is_some());
        m.core_b_be_i.set(bytes);
        m.core_b_wdata_i.set(value);
    }

    /// Advances until the host's access is taken, and removes it from the pins.
    pub fn accept_host(&mut self) -> Result<(), Error> {
        for _ in 0..PATIENCE_CYCLES {
            self.model.settle()?;
            let ready = self.model.host_ready_o.is_high();
            self.model.clock()?;
            if ready {
                self.model.host_valid_i.set(0);
                return self.model.settle();
            }
        }
        panic!("host access not taken after {PATIENCE_CYCLES} clocks");
    }

    /// Advances until the core's access is taken, and removes it from the pins.
    pub fn accept_core(&mut self) -> Result<(), Error> {
        for _ in 0..PATIENCE_CYCLES {
            self.model.settle()?;
            let granted = self.model.core_gnt_o.is_high();
            self.model.clock()?;
            if granted {
                self.model.core_req_i.set(0);
                return self.model.settle();
            }
        }
        panic!("core access not taken after {PATIENCE_CYCLES} clocks");
    }

    /// Advances until the access of core B is taken, and removes it from the pins.
    pub fn accept_core_b(&mut self) -> Result<(), Error> {
        for _ in 0..PATIENCE_CYCLES {
            self.model.settle()?;
            let granted = self.model.core_b_gnt_o.is_high();
            self.model.clock()?;
            if granted {
                self.model.core_b_req_i.set(0);
                return self.model.settle();
            }
        }
        panic!("access of core B not taken after {PATIENCE_CYCLES} clocks");
    }

    fn host_read(&mut self, in_sram: bool, address: u32, dwords: u8) -> Result<Vec<u32>, Error> {
        self.present_host(in_sram, address, None, dwords);
        let mut data = Vec::new();
        for _ in 0..PATIENCE_CYCLES {
            self.model.settle()?;
            let ready = self.model.host_ready_o.is_high();
            self.model.clock()?;
            if ready {
                self.model.host_valid_i.set(0);
                self.model.settle()?;
            }
            if self.model.host_rsp_valid_o.is_high() {
                data.push(self.model.host_rsp_data_o.get());
                let last = self.model.host_rsp_last_o.is_high();
                assert_eq!(last, data.len() == usize::from(dwords), "last is on the last dword");
                if last {
                    return Ok(data);
                }
            }
        }
        panic!("host read not answered after {PATIENCE_CYCLES} clocks");
    }
}
