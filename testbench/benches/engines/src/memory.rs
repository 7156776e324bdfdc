//! An SRAM with one grant in each clock, and host memory that refuses accesses outside its range.

use crate::Chance;

/// The size of the SRAM in bytes.
pub const SRAM_BYTES: usize = 65536;

/// The rule by which requests of a port are granted.
#[derive(Clone, Copy, Debug)]
pub enum Grants {
    /// In each clock.
    Always,
    /// In no clock.
    Never,
    /// In each clock with this probability.
    Percent(u32),
    /// After this many clocks of waiting, each time.
    After(u32),
}

struct Port {
    grants: Grants,
    waited_cycles: u32,
}

/// The request of a port in one clock.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The number of the 64-bit word.
    pub word: u32,
    /// The byte enables and the data of a write. `None` for a read.
    pub write: Option<(u8, u64)>,
}

/// An SRAM with two ports; port 0 has priority.
pub struct Sram {
    /// The contents.
    pub bytes: Vec<u8>,
    ports: [Port; 2],
}

impl Sram {
    /// An SRAM full of noise, so that a byte that was not written by mistake is found.
    pub fn new(chance: &mut Chance) -> Sram {
        let port = || Port { grants: Grants::Always, waited_cycles: 0 };
        Sram { bytes: chance.bytes(SRAM_BYTES), ports: [port(), port()] }
    }

    /// Sets the rule by which requests of a port are granted.
    pub fn set_grants(&mut self, port: usize, grants: Grants) {
        self.ports[port].grants = grants;
    }

    /// The port that is granted in this clock, if one is.
    pub fn arbitrate(&mut self, requests: [bool; 2], chance: &mut Chance) -> Option<usize> {
        let mut granted = None;
        for (number, port) in self.ports.iter_mut().enumerate() {
            let willing = match port.grants {
                Grants::Always => true,
                Grants::Never => false,
                Grants::Percent(percent) => chance.percent(percent),
                Grants::After(cycles) => port.waited_cycles >= cycles,
            };
            if requests[number] && willing && granted.is_none() {
                granted = Some(number);
                port.waited_cycles = 0;
            } else if requests[number] {
                port.waited_cycles += 1;
            }
        }
        granted
    }

    /// Performs a granted access. A read returns its word.
    pub fn access(&mut self, request: Request) -> Option<u64> {
        let at = request.word as usize * 8;
        let word = &mut self.bytes[at..at + 8];
        match request.write {
            None => Some(u64::from_le_bytes(word.try_into().expect("eight bytes"))),
            Some((enables, data)) => {
                for (lane, byte) in data.to_le_bytes().into_iter().enumerate() {
                    if enables >> lane & 1 != 0 {
                        word[lane] = byte;
                    }
                }
                None
            }
        }
    }

    /// The 32-bit word at an address.
    pub fn word32(&self, at: u32) -> u32 {
        let at = at as usize;
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes"))
    }

    /// Sets the 32-bit word at an address.
    pub fn set_word32(&mut self, at: u32, value: u32) {
        self.bytes[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }
}

/// The bus address of host memory.
pub const HOST_BASE: u32 = 0x9ABC_0000;
/// The size of host memory in bytes.
pub const HOST_BYTES: usize = 1 << 18;

/// Host memory on the bus: [`HOST_BYTES`] bytes from [`HOST_BASE`] on.
pub struct HostMemory {
    /// The contents.
    pub bytes: Vec<u8>,
}

impl HostMemory {
    /// Host memory full of noise.
    pub fn new(chance: &mut Chance) -> HostMemory {
        HostMemory { bytes: chance.bytes(HOST_BYTES) }
    }

    /// The index in `bytes` of a bus address. Panics if the address is outside of host memory.
    pub fn index(address: u32) -> usize {
        let index = address.wrapping_sub(HOST_BASE) as usize;
        assert!(index < HOST_BYTES, "wild access to bus address {address:#010x}");
        index
    }
}
