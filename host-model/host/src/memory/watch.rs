//! Waiting for a device to write certain bytes.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use bitvec::vec::BitVec;

use crate::address::PhysPage;
use crate::executor::{Notified, Notify};

/// Bytes `start..end` of one physical page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    pub page: PhysPage,
    pub start: usize,
    pub end: usize,
}

/// Everything that is watched. In the common case no task waits for the written bytes; the bitmap
/// keeps that case to one look.
pub struct Watches {
    watched: BitVec,
    entries: Vec<Rc<Entry>>,
}

pub struct Entry {
    pieces: Vec<Piece>,
    written: Notify,
}

impl Watches {
    pub fn new(page_count: u32) -> Watches {
        Watches { watched: BitVec::repeat(false, page_count as usize), entries: Vec::new() }
    }

    pub fn add(&mut self, pieces: Vec<Piece>) -> Rc<Entry> {
        for piece in &pieces {
            self.watched.set(piece.page.0 as usize, true);
        }
        let entry = Rc::new(Entry { pieces, written: Notify::new() });
        self.entries.push(entry.clone());
        entry
    }

    fn remove(&mut self, entry: &Rc<Entry>) {
        self.entries.retain(|other| !Rc::ptr_eq(other, entry));
        for piece in &entry.pieces {
            let still = self.entries.iter().any(|other| other.touches_page(piece.page));
            self.watched.set(piece.page.0 as usize, still);
        }
    }

    #[inline]
    pub fn written(&self, page: PhysPage, start: usize, end: usize) {
        if self.watched[page.0 as usize] {
            self.wake(page, start, end);
        }
    }

    #[cold]
    fn wake(&self, page: PhysPage, start: usize, end: usize) {
        for entry in &self.entries {
            let hit = entry.pieces.iter().any(|piece| piece.page == page && piece.start < end && start < piece.end);
            if hit {
                entry.written.notify();
            }
        }
    }
}

impl Entry {
    fn touches_page(&self, page: PhysPage) -> bool {
        self.pieces.iter().any(|piece| piece.page == page)
    }
}

/// A watch over bytes of a process. It ends when it is dropped.
pub struct Watch {
    pub(super) watches: Weak<RefCell<Watches>>,
    pub(super) entry: Rc<Entry>,
}

impl Watch {
    /// Completes at the next write of a device to any of the bytes.
    pub fn written(&self) -> Notified {
        self.entry.written.notified()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(watches) = self.watches.upgrade() {
            watches.borrow_mut().remove(&self.entry);
        }
    }
}
