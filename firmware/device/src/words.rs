/// Memory of 32-bit words. Offsets are in bytes and multiples of 4.
///
/// On the chip each call is one load or store of SRAM. None is left out and their order is the
/// program's, because the driver reads and writes the same memory.
pub trait Words {
    /// The word at an offset.
    fn read(&self, offset_bytes: u32) -> u32;
    /// Stores a word at an offset.
    fn write(&mut self, offset_bytes: u32, value: u32);

    /// The place of a structure at an offset, computed once for all accesses to its words.
    #[inline(always)]
    fn place(&self, offset_bytes: u32) -> Place {
        Place(offset_bytes)
    }

    /// The word `distance_bytes` behind a place.
    #[inline(always)]
    fn get(&self, place: Place, distance_bytes: u32) -> u32 {
        self.read(place.0.wrapping_add(distance_bytes))
    }

    /// Stores the word `distance_bytes` behind a place.
    #[inline(always)]
    fn put(&mut self, place: Place, distance_bytes: u32, value: u32) {
        self.write(place.0.wrapping_add(distance_bytes), value);
    }

    /// Adds `delta` to the word `distance_bytes` behind a place, modulo 2^32.
    #[inline(always)]
    fn add(&mut self, place: Place, distance_bytes: u32, delta: u32) {
        let value = self.get(place, distance_bytes);
        self.put(place, distance_bytes, value.wrapping_add(delta));
    }
}

/// An address in the form that its memory ([`Words`]) wants. On the chip it is a pointer, so that
/// a word of a structure costs one load and no addition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place(pub u32);

impl Place {
    /// The place `bytes` bytes further on.
    #[inline(always)]
    pub const fn plus(self, bytes: u32) -> Place {
        Place(self.0.wrapping_add(bytes))
    }
}

/// Memory of a program on the host. An offset beyond its end panics.
#[cfg(any(test, feature = "host"))]
impl Words for Vec<u32> {
    fn read(&self, offset_bytes: u32) -> u32 {
        self[offset_bytes as usize / 4]
    }

    fn write(&mut self, offset_bytes: u32, value: u32) {
        self[offset_bytes as usize / 4] = value;
    }
}
