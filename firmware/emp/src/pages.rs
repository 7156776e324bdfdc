//! Addresses in descriptors, chains and list pages, and where the DMA of their bytes goes.
//!
//! In the personality `emp` these addresses are physical ([`Physical`]), so nothing is to be done.
//! In `emp-mini` they are virtual, and a page is looked up in a cache that may miss
//! ([`crate::Virtual`]).

use core::fmt::Debug;

use nic_device::{Device, Words};
use nic_layout::boot::{SectionsWriter, REPLY_WORDS};
use nic_lookup::Path;
use nic_plan::Regions;

use crate::places::PagePlaces;

/// The page of an address, which the NIC may use until the transfer has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<L> {
    /// The bus address of the same byte.
    pub address: u32,
    /// The line that is locked.
    pub line: L,
}

/// Why a page cannot be used now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPage {
    /// The driver was told, and will say when it has answered.
    Fill,
    /// Every line of the set is locked or reserved. The end of a transfer makes room.
    Way,
    /// The process has no such page.
    Fault,
}

/// The meaning of addresses. A value is a handle: transmitter and receiver have one each, and what
/// they share lies in the SRAM. So both run on one core if pages may be missing.
pub trait Pages: Copy + Debug {
    /// Before there is memory.
    const NOWHERE: Self;
    /// Whether a page may be missing.
    const MAY_MISS: bool;
    /// The mailboxes by which the driver answers misses, one bit each.
    const MAILBOXES: u32;
    /// What a transfer has of its page until it has ended.
    type Line: Copy + Debug;

    /// Sections that the boot reply has for it.
    const SECTIONS: usize;

    /// Takes the regions that the pages need.
    fn lay_out(regions: &mut impl Regions) -> PagePlaces;
    /// Adds the sections to the boot reply.
    fn reply(places: &PagePlaces, reply: &mut SectionsWriter<REPLY_WORDS>);
    /// The handle of a part. `host_pages`: pages of host memory.
    fn start(words: &mut impl Words, places: &PagePlaces, host_pages: u32) -> Self;
    /// Empties what the handles share.
    fn reset(&self, words: &mut impl Words, places: &PagePlaces);

    /// Looks up the page of an address, and locks its line.
    fn find(&mut self, dev: &mut impl Device, path: Path, address: u32) -> Result<Found<Self::Line>, NoPage>;
    /// The line is held by the transfer with this number, which is posted next.
    fn hold(&self, dev: &mut impl Device, path: Path, transfer: u32, line: Self::Line);
    /// The transfer with this number has ended.
    fn ended(&self, dev: &mut impl Device, path: Path, transfer: u32);
    /// Unlocks a line that no transfer holds.
    fn unlock(&self, dev: &mut impl Device, path: Path, line: Self::Line);

    /// Whether this part waits for an answer of the driver.
    fn is_waiting(&self) -> bool;
    /// This part waits for an answer of the driver.
    fn wait(&mut self);
    /// What this part has not found may be there now.
    fn wake(&mut self);
    /// Whether [`Self::wake`] was called since the last call.
    fn take_wake(&mut self) -> bool;
    /// The driver has answered all misses before this one.
    fn on_filled(&self, dev: &mut impl Device, consumer: u32);
    /// Obeys a command of the driver, as far as it is about pages: a line that it takes away is not
    /// found from now on. The parts pass the command on, and wait for transfers that use the line.
    fn obey(&mut self, dev: &mut impl Device, word: u32);
}

/// Addresses are physical.
#[derive(Clone, Copy, Debug)]
pub struct Physical;

impl Pages for Physical {
    const NOWHERE: Physical = Physical;
    const MAY_MISS: bool = false;
    const MAILBOXES: u32 = 0;
    type Line = ();
    const SECTIONS: usize = 0;

    fn lay_out(_regions: &mut impl Regions) -> PagePlaces {
        PagePlaces::default()
    }

    fn reply(_places: &PagePlaces, _reply: &mut SectionsWriter<REPLY_WORDS>) {}

    fn start(_words: &mut impl Words, _places: &PagePlaces, _host_pages: u32) -> Physical {
        Physical
    }

    fn reset(&self, _words: &mut impl Words, _places: &PagePlaces) {}

    #[inline(always)]
    fn find(&mut self, _dev: &mut impl Device, _path: Path, address: u32) -> Result<Found<()>, NoPage> {
        Ok(Found { address, line: () })
    }

    #[inline(always)]
    fn hold(&self, _dev: &mut impl Device, _path: Path, _transfer: u32, _line: ()) {}

    #[inline(always)]
    fn ended(&self, _dev: &mut impl Device, _path: Path, _transfer: u32) {}

    #[inline(always)]
    fn unlock(&self, _dev: &mut impl Device, _path: Path, _line: ()) {}

    #[inline(always)]
    fn is_waiting(&self) -> bool {
        false
    }

    #[inline(always)]
    fn wait(&mut self) {}

    #[inline(always)]
    fn wake(&mut self) {}

    #[inline(always)]
    fn take_wake(&mut self) -> bool {
        false
    }

    #[inline(always)]
    fn on_filled(&self, _dev: &mut impl Device, _consumer: u32) {}

    #[inline(always)]
    fn obey(&mut self, _dev: &mut impl Device, _word: u32) {}
}
