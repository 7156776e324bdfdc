//! The physical pages of a node: contents, which of them are allocated, and which are pinned.

use std::collections::VecDeque;

use bitvec::vec::BitVec;
use nic_layout::PAGE_BYTES;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::error::MemoryError;
use crate::address::PhysPage;

pub type PageBytes = [u8; PAGE_BYTES as usize];

/// What a device reads from a page that it may not touch.
pub const POISON_BYTE: u8 = 0xDB;

pub struct Pages {
    /// Pages that hold anything but zeros.
    contents: Vec<Option<Box<PageBytes>>>,
    allocated: BitVec,
    pinned: BitVec,
    pin_counts: Vec<u16>,
    /// First in, first out: a page that was freed stays poisoned for as long as others can be
    /// given.
    free: VecDeque<u32>,
    pinned_pages_max: usize,
    pinned_pages: usize,
}

impl Pages {
    /// Pages are given out in an order drawn from `seed`, so that neighbours in an address space
    /// are none in memory.
    pub fn new(page_count: u32, pinned_pages_max: u32, seed: u64) -> Pages {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut order: Vec<u32> = (0..page_count).collect();
        for last in (1..order.len()).rev() {
            let other = (u64::from(random.next_u32()) * (last as u64 + 1)) >> 32;
            order.swap(last, other as usize);
        }
        let count = page_count as usize;
        Pages {
            contents: vec![None; count],
            allocated: BitVec::repeat(false, count),
            pinned: BitVec::repeat(false, count),
            pin_counts: vec![0; count],
            free: order.into(),
            pinned_pages_max: pinned_pages_max as usize,
            pinned_pages: 0,
        }
    }

    pub fn count(&self) -> u32 {
        self.contents.len() as u32
    }

    pub fn is_allocated(&self, page: PhysPage) -> bool {
        self.allocated.get(page.0 as usize).is_some_and(|bit| *bit)
    }

    #[inline]
    pub fn is_pinned(&self, page: PhysPage) -> bool {
        self.pinned.get(page.0 as usize).is_some_and(|bit| *bit)
    }

    pub fn pinned_pages(&self) -> usize {
        self.pinned_pages
    }

    /// A page of zeros.
    pub fn allocate(&mut self) -> Result<PhysPage, MemoryError> {
        let page = self.free.pop_front().ok_or(MemoryError::OutOfPages)?;
        self.allocated.set(page as usize, true);
        Ok(PhysPage(page))
    }

    /// Frees a page, which must not be pinned.
    pub fn free(&mut self, page: PhysPage) {
        let index = page.0 as usize;
        assert!(self.is_allocated(page) && !self.is_pinned(page), "freeing page {page:?}");
        self.allocated.set(index, false);
        self.contents[index] = None;
        self.free.push_back(page.0);
    }

    pub fn pin(&mut self, page: PhysPage) -> Result<(), MemoryError> {
        let index = page.0 as usize;
        assert!(self.is_allocated(page), "pinning a page that nobody has");
        if self.pin_counts[index] == 0 {
            if self.pinned_pages == self.pinned_pages_max {
                return Err(MemoryError::TooManyPinned { pages_max: self.pinned_pages_max });
            }
            self.pinned_pages += 1;
            self.pinned.set(index, true);
        }
        self.pin_counts[index] += 1;
        Ok(())
    }

    pub fn unpin(&mut self, page: PhysPage) {
        let index = page.0 as usize;
        assert!(self.pin_counts[index] > 0, "unpinning page {page:?}, which is not pinned");
        self.pin_counts[index] -= 1;
        if self.pin_counts[index] == 0 {
            self.pinned_pages -= 1;
            self.pinned.set(index, false);
        }
    }

    pub fn read(&self, page: PhysPage, offset: usize, bytes: &mut [u8]) {
        match &self.contents[page.0 as usize] {
            Some(contents) => bytes.copy_from_slice(&contents[offset..offset + bytes.len()]),
            None => bytes.fill(0),
        }
    }

    pub fn write(&mut self, page: PhysPage, offset: usize, bytes: &[u8]) {
        let contents = &mut self.contents[page.0 as usize];
        let contents = contents.get_or_insert_with(|| Box::new([0; PAGE_BYTES as usize]));
        contents[offset..offset + bytes.len()].copy_from_slice(bytes);
    }
}
