//! The memory of one node.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use nic_layout::PAGE_BYTES;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_pins::Ps;

use super::error::{Counts, DmaDirection, DmaFault, DmaViolation, MemoryError};
use super::pages::{Pages, POISON_BYTE};
use super::space::AddressSpace;
use super::watch::{Piece, Watch, Watches};
use crate::address::{pages_of, BusAddr, HostPhys, PhysPage, Pid, UserVirt, VirtPage};

/// Violations kept in full; later ones are only counted.
const VIOLATIONS_KEPT: usize = 64;

/// The memory of one node.
pub struct Memory {
    pages: Pages,
    spaces: BTreeMap<Pid, AddressSpace>,
    watches: Rc<RefCell<Watches>>,
    violations: Vec<DmaViolation>,
    counts: Counts,
    /// Pages that were unpinned, if somebody wants to know.
    unpinned: Option<Vec<PhysPage>>,
    /// How many of a thousand pins of [`Self::try_pin`] fail.
    refusals: Option<(ChaCha8Rng, u32)>,
}

impl Memory {
    /// Memory of `page_count` pages, of which `pinned_pages_max` may be pinned at the same time.
    /// `seed` decides which physical pages processes get.
    pub fn new(page_count: u32, pinned_pages_max: u32, seed: u64) -> Memory {
        Memory {
            pages: Pages::new(page_count, pinned_pages_max, seed),
            spaces: BTreeMap::new(),
            watches: Rc::new(RefCell::new(Watches::new(page_count))),
            violations: Vec::new(),
            counts: Counts::default(),
            unpinned: None,
            refusals: None,
        }
    }

    /// Pages of the node.
    pub fn page_count(&self) -> u32 {
        self.pages.count()
    }

    /// The first accesses of devices that INV-26 forbids; [`Counts::dma_violations`] counts all.
    pub fn violations(&self) -> &[DmaViolation] {
        &self.violations
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        Counts { pinned_now: self.pages.pinned_pages() as u64, ..self.counts }
    }

    /// Whether the page is pinned.
    pub fn is_pinned(&self, page: PhysPage) -> bool {
        self.pages.is_pinned(page)
    }

    // ---- Address spaces -------------------------------------------------------------------------

    /// Gives a process an empty address space.
    ///
    /// # Panics
    ///
    /// If the process has one.
    pub fn create_space(&mut self, pid: Pid) {
        let before = self.spaces.insert(pid, AddressSpace::default());
        assert!(before.is_none(), "process {} exists", pid.0);
    }

    /// Frees all pages of a process. The driver has unpinned them before.
    pub fn destroy_space(&mut self, pid: Pid) -> Result<(), MemoryError> {
        let space = self.spaces.remove(&pid).ok_or(MemoryError::NoSuchProcess(pid))?;
        for (_, page) in space.resident.iter() {
            self.pages.free(page);
        }
        Ok(())
    }

    /// Reserves `bytes`, from the start of a page.
    pub fn reserve(&mut self, pid: Pid, bytes: u32) -> Result<UserVirt, MemoryError> {
        self.space(pid)?.reserve(bytes).ok_or(MemoryError::OutOfAddresses(pid))
    }

    /// Lets the process use this page.
    pub fn add_page(&mut self, pid: Pid, page: VirtPage) -> Result<(), MemoryError> {
        self.space(pid)?.add_page(page);
        Ok(())
    }

    /// All pages that a process has reserved, once each, whether it has touched them or not.
    pub fn reserved_pages(&self, pid: Pid) -> Vec<VirtPage> {
        self.spaces.get(&pid).map_or_else(Vec::new, |space| space.reserved().collect())
    }

    /// Whether the process may touch the page.
    pub fn is_mapped(&self, pid: Pid, page: VirtPage) -> bool {
        self.spaces.get(&pid).is_some_and(|space| space.contains(page))
    }

    /// Whether the process has touched the page.
    pub fn is_resident(&self, pid: Pid, page: VirtPage) -> bool {
        self.spaces.get(&pid).is_some_and(|space| space.resident.get(page).is_some())
    }

    /// The physical page behind a page of a process: a new one at the first touch.
    pub fn touch(&mut self, pid: Pid, page: VirtPage) -> Result<PhysPage, MemoryError> {
        let space = self.spaces.get_mut(&pid).ok_or(MemoryError::NoSuchProcess(pid))?;
        if let Some(target) = space.resident.get(page) {
            return Ok(target);
        }
        if !space.contains(page) {
            return Err(MemoryError::NotMapped { pid, address: page.start() });
        }
        let target = self.pages.allocate()?;
        space.resident.insert(page, target);
        Ok(target)
    }

    /// Every page that a process has touched, with its contents: all that a device could have
    /// changed. For tests that compare memory before and after.
    pub fn snapshot(&self) -> BTreeMap<(Pid, VirtPage), Vec<u8>> {
        let resident = self
            .spaces
            .iter()
            .flat_map(|(pid, space)| space.resident.iter().map(move |(page, target)| ((*pid, page), target)));
        let contents = |target| {
            let mut bytes = vec![0; PAGE_BYTES as usize];
            self.pages.read(target, 0, &mut bytes);
            bytes
        };
        resident.map(|(place, target)| (place, contents(target))).collect()
    }

    fn space(&mut self, pid: Pid) -> Result<&mut AddressSpace, MemoryError> {
        self.spaces.get_mut(&pid).ok_or(MemoryError::NoSuchProcess(pid))
    }

    // ---- Pins -----------------------------------------------------------------------------------

    /// Pins a page, which is allocated if it never was, and gives its physical page. Pins are
    /// counted: a page that was pinned twice must be unpinned twice.
    pub fn pin(&mut self, pid: Pid, page: VirtPage) -> Result<PhysPage, MemoryError> {
        let target = self.touch(pid, page)?;
        self.pages.pin(target)?;
        self.counts.pins += 1;
        Ok(target)
    }

    /// From now on so many of a thousand pages that a process may do without cannot be pinned, as
    /// where too little memory may be locked.
    pub fn refuse_pins(&mut self, per_mille: u32, seed: u64) {
        self.refusals = (per_mille != 0).then(|| (ChaCha8Rng::seed_from_u64(seed), per_mille));
    }

    /// [`Self::pin`], of such a page.
    pub fn try_pin(&mut self, pid: Pid, page: VirtPage) -> Result<PhysPage, MemoryError> {
        let is_refused = |(random, per_mille): &mut (ChaCha8Rng, u32)| random.next_u32() % 1000 < *per_mille;
        match self.refusals.as_mut().is_some_and(is_refused) {
            true => Err(MemoryError::PinRefused),
            false => self.pin(pid, page),
        }
    }

    /// Takes back one pin of the page.
    pub fn unpin(&mut self, page: PhysPage) {
        self.pages.unpin(page);
        self.counts.unpins += 1;
        if let Some(unpinned) = self.unpinned.as_mut().filter(|_| !self.pages.is_pinned(page)) {
            unpinned.push(page);
        }
    }

    /// The physical page behind a page of a process, if it is pinned.
    pub fn pinned(&self, pid: Pid, page: VirtPage) -> Option<PhysPage> {
        let target = self.spaces.get(&pid)?.resident.get(page)?;
        self.pages.is_pinned(target).then_some(target)
    }

    /// From now on pages that are unpinned are kept for [`Self::take_unpinned`].
    pub fn watch_unpins(&mut self) {
        self.unpinned.get_or_insert_default();
    }

    /// Pages that are pinned no more, since the last call.
    pub fn take_unpinned(&mut self) -> Vec<PhysPage> {
        self.unpinned.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Whether pages were unpinned since the pages that were unpinned were taken last.
    #[inline]
    pub fn has_unpinned(&self) -> bool {
        self.unpinned.as_ref().is_some_and(|unpinned| !unpinned.is_empty())
    }

    // ---- Access by the process ------------------------------------------------------------------

    /// Reads as the process does, over page boundaries.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] if a page is missing; nothing is read then.
    pub fn read(&mut self, pid: Pid, address: UserVirt, bytes: &mut [u8]) -> Result<(), MemoryError> {
        let mut done = 0;
        for piece in self.pieces(pid, address, bytes.len() as u32)? {
            let len = piece.end - piece.start;
            self.pages.read(piece.page, piece.start, &mut bytes[done..done + len]);
            done += len;
        }
        Ok(())
    }

    /// Writes as the process does, over page boundaries.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] if a page is missing; nothing is written then.
    pub fn write(&mut self, pid: Pid, address: UserVirt, bytes: &[u8]) -> Result<(), MemoryError> {
        let mut done = 0;
        for piece in self.pieces(pid, address, bytes.len() as u32)? {
            let len = piece.end - piece.start;
            self.pages.write(piece.page, piece.start, &bytes[done..done + len]);
            done += len;
        }
        Ok(())
    }

    /// Whether there is an address space of this number.
    pub fn has_space(&self, pid: Pid) -> bool {
        self.spaces.contains_key(&pid)
    }

    /// Wakes what waits for a device to write anywhere in a page: the kernel has written there.
    pub fn wake_watches(&self, page: PhysPage) {
        self.watches.borrow().written(page, 0, PAGE_BYTES as usize);
    }

    /// Watches bytes of a process for writes of devices.
    pub fn watch(&mut self, pid: Pid, address: UserVirt, len_bytes: u32) -> Result<Watch, MemoryError> {
        let pieces = self.pieces(pid, address, len_bytes)?;
        let entry = self.watches.borrow_mut().add(pieces);
        Ok(Watch { watches: Rc::downgrade(&self.watches), entry })
    }

    fn pieces(&mut self, pid: Pid, address: UserVirt, len_bytes: u32) -> Result<Vec<Piece>, MemoryError> {
        let end = u64::from(address.0) + u64::from(len_bytes);
        if end > 1 << 32 {
            return Err(MemoryError::NotMapped { pid, address: UserVirt(u32::MAX) });
        }
        let mut pieces = Vec::new();
        for page in pages_of(address, len_bytes) {
            let first = u64::from(page.start().0);
            let start = first.max(u64::from(address.0)) - first;
            let end = end.min(first + u64::from(PAGE_BYTES)) - first;
            pieces.push(Piece { page: self.touch(pid, page)?, start: start as usize, end: end as usize });
        }
        Ok(pieces)
    }

    // ---- Access by devices ----------------------------------------------------------------------

    /// A device reads bytes of one page.
    pub fn dma_read(&mut self, at: Ps, address: BusAddr, bytes: &mut [u8]) {
        let physical = HostPhys(address.0);
        debug_assert!(physical.offset_in_page() + bytes.len() <= PAGE_BYTES as usize);
        if self.pages.is_pinned(physical.page()) {
            self.pages.read(physical.page(), physical.offset_in_page(), bytes);
        } else {
            self.violate(at, address, DmaDirection::Read);
            bytes.fill(POISON_BYTE);
        }
    }

    /// A device writes bytes of one page.
    pub fn dma_write(&mut self, at: Ps, address: BusAddr, bytes: &[u8]) {
        let physical = HostPhys(address.0);
        debug_assert!(physical.offset_in_page() + bytes.len() <= PAGE_BYTES as usize);
        if self.pages.is_pinned(physical.page()) {
            let offset = physical.offset_in_page();
            self.pages.write(physical.page(), offset, bytes);
            self.watches.borrow().written(physical.page(), offset, offset + bytes.len());
        } else {
            self.violate(at, address, DmaDirection::Write);
        }
    }

    /// Whether there is memory at all.
    pub fn contains(&self, address: BusAddr) -> bool {
        HostPhys(address.0).page().0 < self.pages.count()
    }

    /// Asks before data move; a refusal is recorded as the violation that it is.
    pub fn dma_permits(&mut self, at: Ps, address: BusAddr, direction: DmaDirection) -> Result<(), DmaFault> {
        if self.pages.is_pinned(HostPhys(address.0).page()) {
            return Ok(());
        }
        Err(self.violate(at, address, direction))
    }

    /// A device asks for an address outside the memory. No target will answer, and the direction of
    /// the data is not known.
    pub fn dma_outside(&mut self, at: Ps, address: BusAddr) {
        self.violate(at, address, DmaDirection::Unknown);
    }

    #[cold]
    fn violate(&mut self, at: Ps, address: BusAddr, direction: DmaDirection) -> DmaFault {
        let page = HostPhys(address.0).page();
        let fault = if !self.contains(address) {
            DmaFault::Outside
        } else if self.pages.is_allocated(page) {
            DmaFault::Unpinned
        } else {
            DmaFault::Foreign
        };
        self.counts.dma_violations += 1;
        if self.violations.len() < VIOLATIONS_KEPT {
            self.violations.push(DmaViolation { at, address, direction, fault });
        }
        fault
    }
}
