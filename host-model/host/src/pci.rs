//! The host's software on the pin-level bus of `host-pci`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use host_pci::{
    Answer, BusError, HostMemory, Incident, MemoryFault, Settings, SettingsError, Transaction, TransactionId,
};
use sim_pins::{PciDrive, PciLines, Ps};

use crate::address::BusAddr;
use crate::bus::{Bus, BusFault, Completion, Request, RequestId};
use crate::memory::{DmaDirection, Memory};
use crate::platform::Platform;

/// The bus of `host-pci`, with the node's memory behind its bridge.
pub struct PciBus {
    bus: host_pci::Bus,
    memory: BridgedMemory,
    requests: BTreeMap<TransactionId, RequestId>,
    incidents: Vec<Incident>,
    reset_clocks: u32,
    /// The reset that is under way.
    reset: Option<RequestId>,
}

impl PciBus {
    /// The settings that a platform asks for.
    pub fn settings(platform: &Platform) -> Settings {
        let bridge = &platform.bridge;
        Settings {
            bus_64_bit: platform.pci.width_bits == 64,
            target_64_bit: platform.pci.width_bits == 64,
            devsel_clock: bridge.devsel_clock,
            read_first_clock: bridge.read_first_clock,
            write_first_clock: bridge.write_first_clock,
            beat_wait_clocks: bridge.beat_wait_clocks,
            line_wait_clocks: bridge.line_wait_clocks,
            boundary_bytes: bridge.boundary_bytes,
            // The posted writes are those of `BusPort`, so that each tells when it has reached the
            // NIC.
            posted_write_lines: 0,
            ..Settings::default()
        }
    }

    /// A bus with these settings around the memory of the node.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names the setting that is impossible.
    pub fn new(settings: Settings, memory: Rc<RefCell<Memory>>) -> Result<PciBus, SettingsError> {
        Ok(PciBus {
            reset_clocks: settings.reset_clocks,
            reset: None,
            bus: host_pci::Bus::new(settings)?,
            memory: BridgedMemory { at: Ps::ZERO, memory },
            requests: BTreeMap::new(),
            incidents: Vec::new(),
        })
    }

    /// The bus itself: counters, listener, faults to inject.
    pub fn bus(&mut self) -> &mut host_pci::Bus {
        &mut self.bus
    }

    /// The bus itself, to look at.
    pub fn bus_ref(&self) -> &host_pci::Bus {
        &self.bus
    }
}

impl Bus for PciBus {
    fn submit(&mut self, id: RequestId, request: Request) {
        let transaction = match request {
            Request::ConfigRead { device, register } => Transaction::config_read(device, register),
            Request::ConfigWrite { device, register, value } => Transaction::config_write(device, register, value),
            Request::Read { address } => Transaction::read_dword(address),
            Request::Write { address, words } => Transaction::write_dwords(address, &words),
            Request::Reset => {
                self.bus.start_reset(self.memory.at, self.reset_clocks);
                self.reset = Some(id);
                return;
            }
        };
        self.requests.insert(self.bus.submit(transaction), id);
    }

    #[inline]
    fn take_completion(&mut self) -> Option<Completion> {
        let Some(completion) = self.bus.next_completion() else {
            let id = self.reset.filter(|_| self.bus.is_out_of_reset())?;
            self.reset = None;
            return Some(Completion { id, at: self.memory.at, result: Ok(0) });
        };
        let id = self.requests.remove(&completion.id).expect("each submitted once, ended once");
        let result = match completion.result {
            Ok(Answer::Read(dwords)) => Ok(dwords.first().copied().unwrap_or(0)),
            Ok(Answer::Posted | Answer::Written) => Ok(0),
            Err(error) => Err(error.into()),
        };
        Some(Completion { id, at: completion.at, result })
    }

    #[inline]
    fn rising_edge(&mut self, at: Ps, nic: &PciDrive) -> PciLines {
        self.memory.at = at;
        self.bus.rising_edge(at, nic, &mut self.memory)
    }

    #[inline]
    fn interrupt(&self) -> bool {
        self.bus.interrupt().asserted
    }

    fn is_idle(&self) -> bool {
        self.reset.is_none() && self.bus.is_idle()
    }

    fn take_violations(&mut self) -> Vec<String> {
        self.incidents.extend(self.bus.take_incidents());
        let broken = self.bus.take_violations();
        let broken = broken.iter().map(|violation| format!("{violation:?}"));
        // A refused DMA is told by the memory, a failed CPU write by the port.
        let incidents = self
            .incidents
            .drain(..)
            .filter(|incident| !matches!(incident, Incident::MemoryFault { .. } | Incident::PostedWriteLost { .. }));
        broken.chain(incidents.map(|incident| format!("{incident:?}"))).collect()
    }
}

impl From<BusError> for BusFault {
    fn from(error: BusError) -> BusFault {
        match error {
            BusError::MasterAbort => BusFault::MasterAbort,
            BusError::TargetAbort => BusFault::TargetAbort,
            BusError::Parity => BusFault::Parity,
            BusError::RetryLimit => BusFault::RetryLimit,
            BusError::Reset => BusFault::Reset,
        }
    }
}

/// Memory as the bridge reaches it. What a device may not touch is refused before data move, and
/// recorded (INV-26).
struct BridgedMemory {
    at: Ps,
    memory: Rc<RefCell<Memory>>,
}

impl HostMemory for BridgedMemory {
    fn read(&mut self, addr: BusAddr, buf: &mut [u8]) -> Result<(), MemoryFault> {
        self.memory.borrow_mut().dma_read(self.at, addr, buf);
        Ok(())
    }

    fn write(&mut self, addr: BusAddr, bytes: &[u8], byte_enables: u8) -> Result<(), MemoryFault> {
        let mut memory = self.memory.borrow_mut();
        let all = ((1_u16 << bytes.len()) - 1) as u8;
        if byte_enables & all == all {
            memory.dma_write(self.at, addr, bytes);
            return Ok(());
        }
        for (index, byte) in bytes.iter().enumerate() {
            if byte_enables >> index & 1 != 0 {
                memory.dma_write(self.at, addr + index as u32, std::slice::from_ref(byte));
            }
        }
        Ok(())
    }

    fn claims(&self, addr: BusAddr) -> bool {
        let mut memory = self.memory.borrow_mut();
        let claims = memory.contains(addr);
        if !claims {
            // No other agent on this bus has memory for a device: the address is wild.
            memory.dma_outside(self.at, addr);
        }
        claims
    }

    fn permits(&self, addr: BusAddr, is_write: bool) -> Result<(), MemoryFault> {
        let direction = if is_write { DmaDirection::Write } else { DmaDirection::Read };
        let mut memory = self.memory.borrow_mut();
        memory
            .dma_permits(self.at, addr, direction)
            .map_err(|fault| MemoryFault { address: addr, reason: fault.reason() })
    }
}
