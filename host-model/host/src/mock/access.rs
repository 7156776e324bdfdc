//! Accesses of the host to the mock NIC, each in no time.

use nic_layout::registers::{ident, interrupt, mailbox};
use nic_layout::ring::{MAILBOX_COMMAND, MAILBOX_COMMAND_DONE};
use nic_layout::PAGE_BYTES;
use sim_pins::Ps;

use super::nic::{MockNic, Place, Written, MOCK_DEVICE};
use crate::address::BusAddr;
use crate::bus::{BusFault, Request};

const BAR_0_BYTES: u32 = 128 * 1024;
const DOORBELL_SPACE: u32 = 0x1_0000;

impl MockNic {
    fn write_config(&mut self, register: u8, value: u32) {
        let sram_bytes = self.sram.len() as u32;
        let value = match register {
            0x10 => value & !(BAR_0_BYTES - 1),
            0x14 => (value & !(sram_bytes - 1)) | 0x8,
            0x18..=0x24 | 0x30 => 0,
            0x04 => (self.config(4) & 0xFFFF_0000) | (value & 0xFFFF),
            _ => value,
        };
        self.config.insert(register, value);
    }

    fn write_register(&mut self, at: Ps, offset: u32, value: u32) {
        if offset >= DOORBELL_SPACE {
            self.doorbell(at, ((offset - DOORBELL_SPACE) / PAGE_BYTES) as usize, value);
        } else if offset == interrupt::CAUSE.offset().0 {
            let causes = self.register(interrupt::CAUSE) & !value;
            self.set_register(interrupt::CAUSE, causes);
        } else {
            self.registers.insert(offset, value);
            if offset == ident::CORE_CONTROL.offset().0 && value & 1 != 0 {
                self.release_core();
            }
            if offset == ident::CORE_CONTROL.offset().0 && value & 2 != 0 {
                self.release_core_b();
            }
            if offset == mailbox::TO_NIC.at(MAILBOX_COMMAND).offset().0 {
                self.obey(value);
                if let Some(answer) = self.command_answer {
                    self.set_register(mailbox::TO_HOST.at(MAILBOX_COMMAND_DONE), answer(value));
                    self.raise(MAILBOX_COMMAND_DONE as u32);
                }
            }
        }
    }

    fn read_register(&self, offset: u32) -> u32 {
        if offset == interrupt::STATUS.offset().0 {
            return self.register(interrupt::CAUSE) & self.register(interrupt::ENABLE);
        }
        if offset >= DOORBELL_SPACE {
            return 0;
        }
        self.registers.get(&offset).copied().unwrap_or(0)
    }

    fn locate(&self, address: BusAddr) -> Option<Place> {
        if self.config(4) & 2 == 0 {
            return None;
        }
        let (bar_0, bar_1) = (self.config(0x10) & !0xF, self.config(0x14) & !0xF);
        let in_0 = address.0.wrapping_sub(bar_0);
        let in_1 = address.0.wrapping_sub(bar_1);
        if in_0 < BAR_0_BYTES {
            Some(Place::Register(in_0))
        } else if in_1 < self.sram.len() as u32 {
            Some(Place::Sram(in_1))
        } else {
            None
        }
    }

    pub(super) fn carry_out(&mut self, at: Ps, burst: u64, request: &Request) -> Result<u32, BusFault> {
        match request {
            Request::ConfigRead { device, .. } | Request::ConfigWrite { device, .. } if *device != MOCK_DEVICE => {
                Err(BusFault::MasterAbort)
            }
            Request::ConfigRead { register, .. } => Ok(self.config(*register)),
            Request::ConfigWrite { register, value, .. } => {
                self.writes.push(Written { at, place: Place::Config(*register), value: *value, burst });
                self.write_config(*register, *value);
                Ok(0)
            }
            Request::Read { address } => match self.locate(*address).ok_or(BusFault::MasterAbort)? {
                Place::Sram(offset) => Ok(self.sram_word(offset)),
                Place::Register(offset) => Ok(self.read_register(offset)),
                Place::Config(_) => Err(BusFault::MasterAbort),
            },
            Request::Write { address, words } => {
                for (index, word) in words.iter().enumerate() {
                    let place = self.locate(*address + 4 * index as u32).ok_or(BusFault::MasterAbort)?;
                    self.writes.push(Written { at, place, value: *word, burst });
                    match place {
                        Place::Sram(offset) => self.set_sram_word(offset, *word),
                        Place::Register(offset) => self.write_register(at, offset, *word),
                        Place::Config(_) => {}
                    }
                }
                Ok(0)
            }
            Request::Reset => {
                self.reset();
                Ok(0)
            }
        }
    }

    pub(super) fn interrupt(&self) -> bool {
        self.read_register(interrupt::STATUS.offset().0) != 0
    }
}
