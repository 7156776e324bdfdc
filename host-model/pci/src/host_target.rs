//! Main memory behind the bridge's target side.

use crate::misbehave::Misbehaviour;
use crate::target::{AddressPhase, Claim, Refusal, TargetBackend};
use crate::write_buffer::WriteBuffer;
use crate::{BusAddr, FaultAnswer, HostMemory, Incident, MemoryFault, Settings};
use sim_pins::Ps;

/// What the bridge remembers as a target.
#[derive(Debug, Default)]
pub(crate) struct HostTarget {
    pub misbehaviour: Misbehaviour,
    /// Bytes of the current cache line, fetched ahead for the running read.
    line: [u8; 32],
    line_start: u32,
    line_len: u32,
    /// A read that waits until the posted writes up to a serial number have left.
    fence: Option<(BusAddr, u64)>,
}

impl HostTarget {
    pub fn reset(&mut self) {
        self.line_len = 0;
        self.fence = None;
    }

    /// True when a read at this address must still wait for posted writes.
    fn must_wait(&mut self, addr: BusAddr, writes: &WriteBuffer) -> bool {
        match self.fence {
            Some((_, serial)) if !writes.has_flushed(serial) => true,
            Some((waiting, _)) if waiting == addr => {
                self.fence = None;
                false
            }
            _ if writes.is_empty() => {
                self.fence = None;
                false
            }
            _ => {
                self.fence = Some((addr, writes.last_serial()));
                true
            }
        }
    }
}

/// The target for the length of one clock, with everything it needs.
pub(crate) struct Serving<'a> {
    pub at: Ps,
    pub host: &'a mut HostTarget,
    pub memory: &'a mut dyn HostMemory,
    pub writes: &'a WriteBuffer,
    pub settings: &'a Settings,
    pub incidents: &'a mut Vec<Incident>,
}

impl Serving<'_> {
    /// Records the fault and says what to do about it.
    fn fault(&mut self, fault: MemoryFault, is_write: bool) -> Result<(), Refusal> {
        self.incidents.push(Incident::MemoryFault { at: self.at, fault, is_write });
        match self.settings.on_fault {
            FaultAnswer::TargetAbort => Err(Refusal),
            FaultAnswer::Ignore => Ok(()),
        }
    }

    fn fetch(&mut self, addr: BusAddr, len: u32) -> Result<(), MemoryFault> {
        self.host.line_len = 0;
        self.memory.read(addr, &mut self.host.line[..len as usize])?;
        self.host.line_start = addr.0;
        self.host.line_len = len;
        Ok(())
    }
}

impl TargetBackend for Serving<'_> {
    fn claim(&mut self, phase: &AddressPhase) -> Option<Claim> {
        if !phase.command.is_memory() || !self.memory.claims(phase.address.dword()) {
            return None;
        }
        self.host.line_len = 0;
        let is_read = phase.command.is_read();
        let mut claim = Claim {
            devsel_clock: self.settings.devsel_clock,
            first_clock: if is_read { self.settings.read_first_clock } else { self.settings.write_first_clock },
            beat_wait_clocks: self.settings.beat_wait_clocks,
            line_wait_clocks: self.settings.line_wait_clocks,
            line_bytes: self.settings.cache_line_bytes,
            boundary_bytes: self.settings.boundary_bytes,
            // Only linear bursts are supported (PCI 2.3, section 3.2.2.2).
            single: phase.address.0 & 3 != 0,
            wide: self.settings.bus_64_bit && self.settings.target_64_bit,
            acts: Default::default(),
        };
        if is_read && self.settings.reads_push_posted_writes && self.host.must_wait(phase.address, self.writes) {
            claim.acts.retry = true;
        } else {
            claim.acts = self.host.misbehaviour.next();
        }
        Some(claim)
    }

    fn permits(&mut self, address: BusAddr, is_write: bool) -> Result<(), Refusal> {
        match self.memory.permits(address, is_write) {
            Ok(()) => Ok(()),
            Err(fault) => self.fault(fault, is_write),
        }
    }

    fn read(&mut self, address: BusAddr, wide: bool, last: bool) -> Result<u64, Refusal> {
        let beat_bytes = if wide { 8 } else { 4 };
        let offset = address.0.wrapping_sub(self.host.line_start);
        let is_here = offset < self.host.line_len && offset + beat_bytes <= self.host.line_len;
        if !is_here {
            let line_bytes = self.settings.cache_line_bytes;
            let to_line_end = line_bytes - (address.0 & (line_bytes - 1));
            let ahead = if last { beat_bytes } else { to_line_end };
            let fetched = self.fetch(address, ahead).or_else(|fault| {
                // What lies behind the beat may be somebody else's; the beat itself decides.
                if ahead > beat_bytes {
                    self.fetch(address, beat_bytes)
                } else {
                    Err(fault)
                }
            });
            if let Err(fault) = fetched {
                self.fault(fault, false)?;
                return Ok(u64::MAX);
            }
        }
        let start = address.0.wrapping_sub(self.host.line_start) as usize;
        let mut bytes = [0; 8];
        bytes[..beat_bytes as usize].copy_from_slice(&self.host.line[start..][..beat_bytes as usize]);
        Ok(u64::from_le_bytes(bytes))
    }

    fn write(&mut self, address: BusAddr, data: u64, byte_enables: u8, wide: bool) -> Result<(), Refusal> {
        if byte_enables == 0 {
            return Ok(());
        }
        let bytes = data.to_le_bytes();
        match self.memory.write(address, &bytes[..if wide { 8 } else { 4 }], byte_enables) {
            Ok(()) => Ok(()),
            Err(fault) => self.fault(fault, true),
        }
    }
}
