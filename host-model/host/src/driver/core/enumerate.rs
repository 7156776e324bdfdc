//! Finding the NIC on the bus, and giving it addresses (PCI Local Bus Specification 2.3, chapter
//! 6).

use nic_layout::registers::ident;

use super::device::{Device, Resources};
use super::error::DriverError;
use crate::address::BusAddr;
use crate::bus::BusFault;
use crate::pio::Pio;
use crate::platform::Platform;

const NIC_ID: u32 = 0x4943_4E53;
const NOBODY: u32 = u32::MAX;
/// Devices whose IDSEL can hang on AD[31:16].
const DEVICES: u8 = 16;

const REGISTER_ID: u8 = 0x00;
const REGISTER_COMMAND: u8 = 0x04;
const REGISTER_LINE_AND_TIMER: u8 = 0x0C;
const REGISTER_BAR: [u8; 2] = [0x10, 0x14];
const REGISTER_INTERRUPT: u8 = 0x3C;

const COMMAND_MEMORY: u32 = 1 << 1;
const COMMAND_MASTER: u32 = 1 << 2;
const COMMAND_PARITY: u32 = 1 << 6;
const COMMAND_SERR: u32 = 1 << 8;

const BAR_IO: u32 = 1;
const BAR_TYPE: u32 = 0b110;
const BAR_PREFETCHABLE: u32 = 1 << 3;
const BAR_FLAGS: u32 = 0xF;

/// Where the host's bridge forwards to the bus; above any memory of a platform.
const WINDOW_START: u32 = 0xE000_0000;
/// The input of the interrupt controller; only software reads it back.
const INTERRUPT_LINE: u32 = 11;
const REGISTER_BAR_BYTES: u32 = 128 * 1024;

/// Finds the NIC, assigns its addresses and lets it on the bus.
pub async fn enumerate(pio: &Pio, platform: &Platform) -> Result<Device, DriverError> {
    let slot = find(pio).await?;
    // Nothing may answer while the addresses are unknown.
    pio.config_write(slot, REGISTER_COMMAND, 0).await?;
    let registers = size(pio, slot, 0).await?;
    let sram = size(pio, slot, 1).await?;
    if registers.bytes != REGISTER_BAR_BYTES || registers.prefetchable {
        return Err(registers.wrong(0, "131072 bytes of memory, not prefetchable"));
    }
    if !sram.bytes.is_power_of_two() || sram.bytes > 1 << 28 {
        return Err(sram.wrong(1, "the SRAM as memory, a power of two"));
    }
    // The larger first, so that both lie at multiples of their size.
    let (sram_start, registers_start) = if sram.bytes >= registers.bytes {
        (WINDOW_START, WINDOW_START + sram.bytes)
    } else {
        (WINDOW_START + registers.bytes, WINDOW_START)
    };
    pio.config_write(slot, REGISTER_BAR[0], registers_start).await?;
    pio.config_write(slot, REGISTER_BAR[1], sram_start).await?;
    let pci = &platform.pci;
    let line_and_timer = u32::from(pci.cache_line_dwords) | u32::from(pci.latency_timer_clocks) << 8;
    pio.config_write(slot, REGISTER_LINE_AND_TIMER, line_and_timer).await?;
    pio.config_write(slot, REGISTER_INTERRUPT, INTERRUPT_LINE).await?;
    let command = COMMAND_MEMORY | COMMAND_MASTER | COMMAND_PARITY | COMMAND_SERR;
    pio.config_write(slot, REGISTER_COMMAND, command).await?;
    let resources =
        Resources { registers: BusAddr(registers_start), sram: BusAddr(sram_start), sram_bytes: sram.bytes };
    let device = Device { pio: pio.clone(), resources };
    identify(&device, platform).await?;
    Ok(device)
}

async fn find(pio: &Pio) -> Result<u8, DriverError> {
    let mut found = Vec::new();
    for device in 0..DEVICES {
        match pio.config_read(device, REGISTER_ID).await {
            Ok(NIC_ID) => return Ok(device),
            Ok(NOBODY) | Err(BusFault::MasterAbort) => {}
            Ok(other) => found.push(other),
            Err(fault) => return Err(fault.into()),
        }
    }
    Err(DriverError::NoDevice { found })
}

struct Bar {
    bytes: u32,
    prefetchable: bool,
    kind: &'static str,
}

impl Bar {
    fn wrong(&self, bar: usize, needed: &'static str) -> DriverError {
        DriverError::WrongBar { bar, bytes: self.bytes, kind: self.kind, needed }
    }
}

/// Writes ones: the address bits that stay zero tell the size (section 6.2.5.1).
async fn size(pio: &Pio, device: u8, bar: usize) -> Result<Bar, DriverError> {
    pio.config_write(device, REGISTER_BAR[bar], u32::MAX).await?;
    let read = pio.config_read(device, REGISTER_BAR[bar]).await?;
    let prefetchable = read & BAR_PREFETCHABLE != 0;
    let kind = match (read & BAR_IO != 0, prefetchable) {
        (true, _) => "I/O space",
        (false, true) => "prefetchable memory",
        (false, false) => "memory, not prefetchable",
    };
    let bytes = (!(read & !BAR_FLAGS)).wrapping_add(1);
    let bar_found = Bar { bytes, prefetchable, kind };
    if read & BAR_IO != 0 || read & BAR_TYPE != 0 || bytes == 0 {
        return Err(bar_found.wrong(bar, "memory with a 32-bit address"));
    }
    Ok(bar_found)
}

async fn identify(device: &Device, platform: &Platform) -> Result<(), DriverError> {
    let read = device.read(ident::ID).await?;
    if read != ident::ID_RESET {
        return Err(DriverError::WrongId { read });
    }
    let (version, known) = (device.read(ident::VERSION).await?, ident::VERSION_RESET);
    if version.major() != known.major() {
        return Err(DriverError::WrongVersion { read: version.major(), known: known.major() });
    }
    let (nic, platform) = (device.read(ident::SRAM_BYTES).await?, platform.sram.bytes);
    if nic != platform || device.resources.sram_bytes != nic {
        return Err(DriverError::WrongSramBytes { nic, platform });
    }
    Ok(())
}
