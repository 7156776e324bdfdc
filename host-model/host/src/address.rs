//! One type for each address space, so that they never mix.

use std::fmt;
use std::ops::Add;

pub use host_pci::BusAddr;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT};

macro_rules! address {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
        pub struct $name(pub u32);

        impl Add<u32> for $name {
            type Output = $name;
            fn add(self, bytes: u32) -> $name {
                $name(self.0.wrapping_add(bytes))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#010x}", self.0)
            }
        }
    };
}

address!(
    /// A byte of host memory. The bridge maps memory one to one: see [`HostPhys::on_bus`].
    HostPhys
);
address!(
    /// An address in the space of one process.
    UserVirt
);
address!(
    /// A byte of the NIC's SRAM, as BAR 1 shows it.
    SramAddr
);

impl HostPhys {
    /// The bus address under which a device reaches this byte.
    pub const fn on_bus(self) -> BusAddr {
        BusAddr(self.0)
    }

    /// The page in which the byte lies.
    pub const fn page(self) -> PhysPage {
        PhysPage(self.0 >> PAGE_SHIFT)
    }

    /// Bytes from the start of its page, 0 to 4095.
    pub const fn offset_in_page(self) -> usize {
        (self.0 & (PAGE_BYTES - 1)) as usize
    }
}

impl UserVirt {
    /// The page in which the byte lies.
    pub const fn page(self) -> VirtPage {
        VirtPage(self.0 >> PAGE_SHIFT)
    }

    /// Bytes from the start of its page, 0 to 4095.
    pub const fn offset_in_page(self) -> usize {
        (self.0 & (PAGE_BYTES - 1)) as usize
    }
}

/// Number of a page of host memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PhysPage(pub u32);

impl PhysPage {
    /// Address of the page's first byte.
    pub const fn start(self) -> HostPhys {
        HostPhys(self.0 << PAGE_SHIFT)
    }
}

/// Number of a page in the space of one process: 20 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VirtPage(pub u32);

/// Pages in a 32-bit address space.
pub const VIRT_PAGES: u32 = 1 << (32 - PAGE_SHIFT);

impl VirtPage {
    /// Address of the page's first byte.
    pub const fn start(self) -> UserVirt {
        UserVirt(self.0 << PAGE_SHIFT)
    }
}

/// The pages that `len_bytes` from `start` touch, none for an empty range.
pub fn pages_of(start: UserVirt, len_bytes: u32) -> impl Iterator<Item = VirtPage> {
    let end = u64::from(start.0) + u64::from(len_bytes);
    let first = start.page().0;
    let behind = if len_bytes == 0 { first } else { ((end - 1) >> PAGE_SHIFT) as u32 + 1 };
    (first..behind).map(VirtPage)
}

/// A node of the cluster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u16);

/// A process of one node: the identifier that lookups on the NIC carry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pid(pub u32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_touches_the_pages_it_has_bytes_in() {
        let pages = |start, len| -> Vec<u32> { pages_of(UserVirt(start), len).map(|page| page.0).collect() };
        assert_eq!(pages(0x1000, 0), []);
        assert_eq!(pages(0x1000, 1), [1]);
        assert_eq!(pages(0x1FFF, 2), [1, 2]);
        assert_eq!(pages(0x1000, 0x1000), [1]);
        assert_eq!(pages(0xFFFF_F000, 0x1000), [0xF_FFFF]);
    }
}
