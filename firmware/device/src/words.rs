/// Memory of 32-bit words. Offsets are in bytes and multiples of 4.
///
/// On the chip a call is one load or store of SRAM, and each one happens, in program order: the other side of the memory is the driver.
pub trait Words {
    fn read(&self, offset_bytes: u32) -> u32;
    fn write(&mut self, offset_bytes: u32, value: u32);

    /// Where a structure begins, worked out once for all its words.
    #[inline(always)]
    fn place(&self, offset_bytes: u32) -> Place {
        Place(offset_bytes)
    }

    /// The word `distance_bytes` behind a place.
    #[inline(always)]
    fn get(&self, place: Place, distance_bytes: u32) -> u32 {
        self.read(place.0.wrapping_add(distance_bytes))
    }

    #[inline(always)]
    fn put(&mut self, place: Place, distance_bytes: u32, value: u32) {
        self.write(place.0.wrapping_add(distance_bytes), value);
    }

    /// Adds to a word.
    #[inline(always)]
    fn add(&mut self, place: Place, distance_bytes: u32, delta: u32) {
        let value = self.get(place, distance_bytes);
        self.put(place, distance_bytes, value.wrapping_add(delta));
    }
}

/// An address as the memory that made it counts: on the chip a pointer, so that a word of a structure costs one load and no sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place(pub u32);

impl Place {
    #[inline(always)]
    pub const fn plus(self, bytes: u32) -> Place {
        Place(self.0.wrapping_add(bytes))
    }
}

/// Memory of a program that is not firmware. An offset beyond its end panics.
#[cfg(any(test, feature = "host"))]
impl Words for Vec<u32> {
    fn read(&self, offset_bytes: u32) -> u32 {
        self[offset_bytes as usize / 4]
    }

    fn write(&mut self, offset_bytes: u32, value: u32) {
        self[offset_bytes as usize / 4] = value;
    }
}
