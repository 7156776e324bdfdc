use std::fmt;
use std::ops::Add;

/// An address in PCI memory space, as it stands on AD[31:0].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct BusAddr(pub u32);

impl BusAddr {
    /// The address of the dword that holds this byte.
    pub const fn dword(self) -> BusAddr {
        BusAddr(self.0 & !3)
    }

    /// True at the first byte of an aligned block of `block_bytes`, a power of two.
    pub const fn starts_block(self, block_bytes: u32) -> bool {
        self.0 & (block_bytes - 1) == 0
    }
}

impl Add<u32> for BusAddr {
    type Output = BusAddr;
    /// Wraps as AD[31:0] does.
    fn add(self, bytes: u32) -> BusAddr {
        BusAddr(self.0.wrapping_add(bytes))
    }
}

impl fmt::Display for BusAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.0)
    }
}
