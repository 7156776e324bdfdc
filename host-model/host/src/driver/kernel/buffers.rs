//! Frames in memory of the kernel, and the rings in which the NIC finds them. Two frames share a
//! page, so none crosses one.

use std::rc::Rc;

use nic_layout::personality::kernel::{
    FRAME_BYTES_MAX, MAILBOX_RECEIVE, MAILBOX_SEND, PREFIX_BYTES, RECEIVE_ENTRY_BYTES, RING_ENTRIES, SEND_ENTRY_BYTES,
};
use nic_layout::registers::mailbox;
use nic_layout::PAGE_BYTES;

use crate::address::{PhysPage, Pid, SramAddr, UserVirt, VirtPage};
use crate::driver::core::context::Context;
use crate::driver::core::device::Device;
use crate::memory::MemoryError;

/// The kernel's own address space: no process has this number.
const KERNEL: Pid = Pid(0);
const BUFFER_BYTES: u32 = PAGE_BYTES / 2;
const _: () = assert!(FRAME_BYTES_MAX + PREFIX_BYTES <= BUFFER_BYTES);
/// Frames to send lie before frames that arrive.
const PAGES: u32 = 2 * RING_ENTRIES * BUFFER_BYTES / PAGE_BYTES;

/// The buffers, and how far the rings are. Numbers are free-running.
pub(super) struct Buffers {
    context: Rc<Context>,
    pages: Vec<PhysPage>,
    sends: SramAddr,
    receives: SramAddr,
    /// Frames that were given to the NIC, and that the NIC has read.
    sent: u32,
    read: u32,
    /// Buffers that were given to the NIC, and that were taken back with a frame.
    given: u32,
    taken: u32,
    /// Buffers that the NIC has filled.
    filled: u32,
}

impl Buffers {
    /// Pins all buffers. The NIC has none.
    ///
    /// # Errors
    /// There is no memory.
    pub fn new(context: Rc<Context>, sends: SramAddr, receives: SramAddr) -> Result<Buffers, MemoryError> {
        let pages = {
            let mut memory = context.memory().borrow_mut();
            // It outlives a reset of the NIC.
            if !memory.has_space(KERNEL) {
                memory.create_space(KERNEL);
            }
            let mut pages = Vec::new();
            for page in (0..PAGES).map(VirtPage) {
                if !memory.is_mapped(KERNEL, page) {
                    memory.add_page(KERNEL, page)?;
                }
                pages.push(memory.pin(KERNEL, page)?);
            }
            pages
        };
        Ok(Buffers { context, pages, sends, receives, sent: 0, read: 0, given: 0, taken: 0, filled: 0 })
    }

    /// Pinned pages.
    pub fn pins(&self) -> usize {
        self.pages.len()
    }

    /// Unpins all buffers. The NIC was reset.
    pub fn unpin(&mut self) {
        let mut memory = self.context.memory().borrow_mut();
        self.pages.drain(..).for_each(|page| memory.unpin(page));
    }

    fn place_of(number: u32, is_send: bool) -> UserVirt {
        let first = if is_send { 0 } else { RING_ENTRIES };
        UserVirt((first + number % RING_ENTRIES) * BUFFER_BYTES)
    }

    fn bus_address(&self, at: UserVirt) -> u32 {
        let page = self.pages.get((at.0 / PAGE_BYTES) as usize).copied().unwrap_or(PhysPage(0));
        page.start().on_bus().0 + at.0 % PAGE_BYTES
    }

    /// What the NIC says in its mailbox. Counts that are impossible change nothing.
    pub fn hear(&mut self, word: u32) {
        let ahead = |now: u32, then: u32| u32::from((now as u16).wrapping_sub(then as u16));
        let (filled, read) = (ahead(word, self.filled), ahead(word >> 16, self.read));
        if filled <= self.given.wrapping_sub(self.filled) && read <= self.sent.wrapping_sub(self.read) {
            self.filled = self.filled.wrapping_add(filled);
            self.read = self.read.wrapping_add(read);
        } else {
            self.context.count(|counts| counts.rejected_producers += 1);
        }
    }

    /// Whether a frame can be given to the NIC.
    pub fn has_room(&self) -> bool {
        self.sent.wrapping_sub(self.read) < RING_ENTRIES
    }

    /// Puts a frame in the next buffer. Gives the entry of the ring, where it goes, and the
    /// producer index behind it. There must be room.
    pub fn put(&mut self, frame: &[u8]) -> Result<(SramAddr, [u32; 2], u32), MemoryError> {
        let at = Buffers::place_of(self.sent, true);
        self.context.memory().borrow_mut().write(KERNEL, at, frame)?;
        let entry = self.sends + self.sent % RING_ENTRIES * SEND_ENTRY_BYTES;
        self.sent = self.sent.wrapping_add(1);
        Ok((entry, [self.bus_address(at), frame.len() as u32], self.sent))
    }

    /// The oldest frame that has arrived and was not taken.
    pub fn take(&mut self) -> Result<Option<Vec<u8>>, MemoryError> {
        if self.taken == self.filled {
            return Ok(None);
        }
        let at = Buffers::place_of(self.taken, false);
        self.taken = self.taken.wrapping_add(1);
        let memory = self.context.memory();
        let mut length = [0; 4];
        memory.borrow_mut().read(KERNEL, at, &mut length)?;
        // The NIC may write anything there.
        let mut frame = vec![0; u32::from_le_bytes(length).min(FRAME_BYTES_MAX) as usize];
        memory.borrow_mut().read(KERNEL, at + PREFIX_BYTES, &mut frame)?;
        Ok(Some(frame))
    }

    /// How many buffers the NIC can get.
    pub fn free(&self) -> u32 {
        RING_ENTRIES - self.given.wrapping_sub(self.taken)
    }

    /// The buffers that the NIC can get: entries of the ring side by side, and the producer index
    /// behind them. `None`: the NIC has all.
    pub fn give(&mut self) -> Option<(SramAddr, Vec<u32>, u32)> {
        let count = self.free().min(RING_ENTRIES - self.given % RING_ENTRIES);
        if count == 0 {
            return None;
        }
        let entry = self.receives + self.given % RING_ENTRIES * RECEIVE_ENTRY_BYTES;
        let addresses = (0..count)
            .map(|index| self.bus_address(Buffers::place_of(self.given.wrapping_add(index), false)))
            .collect();
        self.given = self.given.wrapping_add(count);
        Some((entry, addresses, self.given))
    }
}

/// Writes a frame's entry and its index to the NIC.
pub(super) async fn post(device: &Device, (entry, words, producer): (SramAddr, [u32; 2], u32)) {
    device.write_sram(entry, &words).await;
    device.write(mailbox::TO_NIC.at(MAILBOX_SEND), producer).await;
}

/// Writes free buffers and their index to the NIC.
pub(super) async fn supply(device: &Device, (entry, words, producer): (SramAddr, Vec<u32>, u32)) {
    device.write_sram(entry, &words).await;
    device.write(mailbox::TO_NIC.at(MAILBOX_RECEIVE), producer).await;
}
