//! An SRAM with one grant per clock, and host memory that refuses wild accesses.

use crate::Chance;

pub const SRAM_BYTES: usize = 65536;

/// When a port's request is granted.
#[derive(Clone, Copy, Debug)]
pub enum Grants {
    Always,
    Never,
    /// In each clock with this probability.
    Percent(u32),
    /// After so many clocks of waiting, each time.
    After(u32),
}

struct Port {
    grants: Grants,
    waited_cycles: u32,
}

/// What a port asks for in one clock.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub word: u32,
    /// Byte enables and data of a write.
    pub write: Option<(u8, u64)>,
}

/// Two ports; port 0 goes first.
pub struct Sram {
    pub bytes: Vec<u8>,
    ports: [Port; 2],
}

impl Sram {
    /// Full of noise, so that a byte that should have been written shows.
    pub fn new(chance: &mut Chance) -> Sram {
        let port = || Port { grants: Grants::Always, waited_cycles: 0 };
        Sram { bytes: chance.bytes(SRAM_BYTES), ports: [port(), port()] }
    }

    pub fn set_grants(&mut self, port: usize, grants: Grants) {
        self.ports[port].grants = grants;
    }

    /// Which port is granted in this clock.
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

    /// Performs a granted access; a read returns its word.
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

    pub fn word32(&self, at: u32) -> u32 {
        let at = at as usize;
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes"))
    }

    pub fn set_word32(&mut self, at: u32, value: u32) {
        self.bytes[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }
}

pub const HOST_BASE: u32 = 0x9ABC_0000;
pub const HOST_BYTES: usize = 1 << 18;

/// A stretch of host memory on the bus.
pub struct HostMemory {
    pub bytes: Vec<u8>,
}

impl HostMemory {
    pub fn new(chance: &mut Chance) -> HostMemory {
        HostMemory { bytes: chance.bytes(HOST_BYTES) }
    }

    pub fn index(address: u32) -> usize {
        let index = address.wrapping_sub(HOST_BASE) as usize;
        assert!(index < HOST_BYTES, "wild access to bus address {address:#010x}");
        index
    }
}
