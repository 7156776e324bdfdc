//! Status pages. The NIC writes the ends and errors of posts to the memory of their process by DMA.

use nic_device::{Device, Place};
use nic_dma::{HostWrites, Transfer};
use nic_layout::counter::Counter;
use nic_layout::post::{ProcessStatus, NO_POST};
use nic_layout::ring::DMA_FLAG_EVENT;
use nic_layout::trace::Marker;
use nic_layout::PROCESS_SLOTS;

/// A tag of host writes ([`HostWrites`]) that can stand for the write of a status.
pub trait StatusTag: Copy {
    /// The tag of the write of a slot's status. When a write with this tag has ended, the engine
    /// calls [`crate::Posts::on_status_written`].
    fn status(slot: usize) -> Self;
}

/// The entry of a slot in the process table (`nic_layout::tables::ProcessEntry`), word by word.
pub(crate) mod entry {
    use nic_layout::tables::ProcessEntry;

    /// Bytes of an entry.
    pub const BYTES: u32 = size_of::<ProcessEntry>() as u32;
    pub const STATE: u32 = 0;
    pub const PID: u32 = 4;
    pub const STATUS_ADDRESS: u32 = 8;
    /// Refused, last error, its index, ended.
    pub const STATUS: u32 = 16;
}

/// The content of a status page before the first post.
const NO_STATUS: ProcessStatus = ProcessStatus { refused: 0, last_error: 0, last_error_index: NO_POST, ended: 0 };

/// The status of each slot, and the slots whose page in host memory is out of date.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct StatusPages {
    /// Slots whose page is out of date, one bit each.
    dirty: u32,
    /// Slots whose page is being written, one bit each.
    busy: u32,
    /// For each slot the low 16 bits of the number behind its last write of a status.
    marks: [u16; PROCESS_SLOTS],
    status: [ProcessStatus; PROCESS_SLOTS],
}

impl StatusPages {
    /// All words are 0, so that an image keeps no initial value of them. [`Self::start`] sets the
    /// status of each slot.
    pub(crate) const ZERO: StatusPages = StatusPages {
        dirty: 0,
        busy: 0,
        marks: [0; PROCESS_SLOTS],
        status: [ProcessStatus { refused: 0, last_error: 0, last_error_index: 0, ended: 0 }; PROCESS_SLOTS],
    };

    /// Sets the status of each slot to the status before the first post. Call once, on
    /// [`Self::ZERO`].
    pub(crate) fn start(&mut self) {
        for status in &mut self.status {
            status.last_error_index = NO_STATUS.last_error_index;
        }
    }

    #[inline(always)]
    pub(crate) fn of(&mut self, slot: usize) -> &mut ProcessStatus {
        &mut self.status[slot % PROCESS_SLOTS]
    }

    /// Resets the status of a slot to the status before the first post. Its page is not written.
    pub(crate) fn forget(&mut self, slot: usize) {
        self.status[slot % PROCESS_SLOTS] = NO_STATUS;
        self.dirty &= !(1 << (slot % PROCESS_SLOTS));
    }

    /// Whether a page is out of date.
    #[inline(always)]
    pub(crate) fn are_behind(&self) -> bool {
        self.dirty != 0
    }

    /// The slots whose page is out of date and not being written, one bit each.
    #[inline(always)]
    pub(crate) fn waiting(&self) -> u32 {
        self.dirty & !self.busy
    }

    /// Whether the page of a slot is out of date or being written.
    pub(crate) fn is_late(&self, slot: usize) -> bool {
        (self.dirty | self.busy) >> (slot % PROCESS_SLOTS) & 1 != 0
    }

    /// Writes the page of a slot, or marks it as out of date if that is not possible now. `entry`
    /// is the slot's entry in the process table, `in_sram` the SRAM offset of that entry.
    #[inline(always)]
    pub(crate) fn write<W: StatusTag>(
        &mut self,
        dev: &mut impl Device,
        writes: &mut HostWrites<W>,
        slot: usize,
        entry: Place,
        in_sram: u32,
    ) {
        let bit = 1 << (slot % PROCESS_SLOTS);
        self.dirty |= bit;
        // The DMA engine reads the words in SRAM, so they may change only between two transfers.
        // The consumer index is read because the end of a transfer may not have been handled yet.
        let mark = self.marks[slot % PROCESS_SLOTS];
        let is_busy = self.busy & bit != 0 && (dev.dma_write_consumer().wrapping_sub(mark) as i16) < 0;
        if is_busy || !writes.has_room(1) {
            return;
        }
        self.dirty &= !bit;
        if dev.get(entry, entry::STATE) != 1 {
            return;
        }
        let bus_address = dev.get(entry, entry::STATUS_ADDRESS) & !15;
        let status = self.status[slot % PROCESS_SLOTS];
        put_status(dev, entry, status);
        self.busy |= bit;
        let bytes = size_of::<ProcessStatus>() as u32;
        let transfer = Transfer { bus_address, sram_address: in_sram + entry::STATUS, bytes };
        writes.post(dev, transfer, DMA_FLAG_EVENT, W::status(slot));
        self.marks[slot % PROCESS_SLOTS] = writes.next_number() as u16;
        dev.count(Counter::StatusWrites);
        dev.trace(Marker::StatusWritten, (slot as u32) << 20 | (status.ended & 0xF_FFFF));
    }

    /// Records that host write `number`, which wrote the status of a slot, has ended.
    #[inline(always)]
    pub(crate) fn on_written(&mut self, slot: usize, number: u32) {
        let slot = slot % PROCESS_SLOTS;
        let is_latest = self.marks[slot] == (number as u16).wrapping_add(1);
        self.busy &= !(u32::from(is_latest) << slot);
    }
}

/// Writes a status into an entry of the process table.
#[inline(always)]
pub(crate) fn put_status(dev: &mut impl Device, entry: Place, status: ProcessStatus) {
    dev.put(entry, entry::STATUS, status.refused);
    dev.put(entry, entry::STATUS + 4, status.last_error);
    dev.put(entry, entry::STATUS + 8, status.last_error_index);
    dev.put(entry, entry::STATUS + 12, status.ended);
}

/// Reads the status of an entry.
pub(crate) fn get_status(dev: &impl Device, entry: Place) -> ProcessStatus {
    ProcessStatus {
        refused: dev.get(entry, entry::STATUS),
        last_error: dev.get(entry, entry::STATUS + 4),
        last_error_index: dev.get(entry, entry::STATUS + 8),
        ended: dev.get(entry, entry::STATUS + 12),
    }
}
