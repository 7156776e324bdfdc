//! What core B of a NIC with two cores does, and where its area lies in the SRAM.

use nic_layout::keeper;
use nic_layout::personality::emp::pair;

use crate::address::SramAddr;

/// The work of core B.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Duty {
    /// Core B adds up the counters of core A.
    #[default]
    Keeper,
    /// Core B runs parts of EMP, and has counters of its own.
    Parts,
}

impl Duty {
    /// Where the area of core B begins in the SRAM. Core A has what lies below.
    pub const fn area(self) -> SramAddr {
        match self {
            Duty::Keeper => SramAddr(keeper::AREA_ADDRESS),
            Duty::Parts => SramAddr(pair::AREA_ADDRESS),
        }
    }

    /// Bytes of the area, which ends with the SRAM.
    pub const fn area_bytes(self) -> u32 {
        match self {
            Duty::Keeper => keeper::AREA_BYTES,
            Duty::Parts => pair::AREA_BYTES,
        }
    }
}
