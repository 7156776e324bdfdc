/// Memory of 32-bit words. Offsets are in bytes and multiples of 4.
///
/// On the chip a call is one load or store of SRAM, and each one happens, in program order: the other side of the memory is the driver.
pub trait Words {
    fn read(&self, offset_bytes: u32) -> u32;
    fn write(&mut self, offset_bytes: u32, value: u32);

    /// Adds to a word.
    #[inline(always)]
    fn add(&mut self, offset_bytes: u32, delta: u32) {
        let value = self.read(offset_bytes);
        self.write(offset_bytes, value.wrapping_add(delta));
    }
}

/// Memory of a host test. An offset beyond its end panics.
#[cfg(any(test, feature = "check"))]
impl Words for Vec<u32> {
    fn read(&self, offset_bytes: u32) -> u32 {
        self[offset_bytes as usize / 4]
    }

    fn write(&mut self, offset_bytes: u32, value: u32) {
        self[offset_bytes as usize / 4] = value;
    }
}
