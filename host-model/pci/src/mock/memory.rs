use crate::{BusAddr, HostMemory, MemoryFault};
use std::ops::Range;

/// Flat memory from address 0, with holes that fault.
#[derive(Clone, Debug)]
pub struct MockMemory {
    bytes: Vec<u8>,
    poisoned: Vec<Range<u32>>,
    /// Accesses by the bus, for tests that count them.
    pub reads: u64,
    /// Writes by the bus.
    pub writes: u64,
}

impl MockMemory {
    /// Memory of zeros from bus address 0.
    pub fn new(size_bytes: usize) -> MockMemory {
        MockMemory { bytes: vec![0; size_bytes], poisoned: Vec::new(), reads: 0, writes: 0 }
    }

    /// Claimed, but every access faults.
    pub fn poison(&mut self, range: Range<u32>) {
        self.poisoned.push(range);
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The contents, to be changed by the test.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    fn check(&self, addr: BusAddr, len: usize) -> Result<Range<usize>, MemoryFault> {
        let range = addr.0 as usize..addr.0 as usize + len;
        let poisoned =
            self.poisoned.iter().any(|hole| (hole.start as usize) < range.end && range.start < hole.end as usize);
        if poisoned {
            return Err(MemoryFault { address: addr, reason: "poisoned" });
        }
        if range.end > self.bytes.len() {
            return Err(MemoryFault { address: addr, reason: "beyond the end" });
        }
        Ok(range)
    }
}

impl HostMemory for MockMemory {
    fn read(&mut self, addr: BusAddr, buf: &mut [u8]) -> Result<(), MemoryFault> {
        let range = self.check(addr, buf.len())?;
        self.reads += 1;
        buf.copy_from_slice(&self.bytes[range]);
        Ok(())
    }

    fn write(&mut self, addr: BusAddr, bytes: &[u8], byte_enables: u8) -> Result<(), MemoryFault> {
        let range = self.check(addr, bytes.len())?;
        self.writes += 1;
        for (k, (to, from)) in self.bytes[range].iter_mut().zip(bytes).enumerate() {
            if byte_enables >> k & 1 != 0 {
                *to = *from;
            }
        }
        Ok(())
    }

    fn claims(&self, addr: BusAddr) -> bool {
        (addr.0 as usize) < self.bytes.len()
    }

    fn permits(&self, addr: BusAddr, _is_write: bool) -> Result<(), MemoryFault> {
        self.check(addr, 4).map(|_| ())
    }
}
