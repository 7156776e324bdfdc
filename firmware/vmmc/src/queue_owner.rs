//! A post queue goes from one process to another (M-52).
//!
//! The driver has taken the queue's pages from the process that had them, so no post can come; it asks again until none is left. What a slot knows of its process
//! then is no more than its entry of the process table and the status, both of which change here; the queue itself the driver clears before the next one sees it.

use nic_layout::counter::Counter;
use nic_layout::plant::{is_planted, Plant};
use nic_layout::post::ProcessStatus;
use nic_layout::tables::{ENTRY_ASSIGNED, ENTRY_OPEN, NEXT_OWNER};
use nic_layout::trace::Marker;
use nic_layout::PROCESS_SLOTS;
use nic_plan::PROCESS_ENTRY_BYTES;

use crate::{Machine, Tables};
use nic_device::Device;

/// Offsets in an entry of the process table.
const STATE: u32 = 0;
const PID: u32 = 4;
const STATUS_ADDRESS: u32 = 8;
const STATUS: u32 = 16;

impl<T: Tables> Machine<T> {
    /// Gives a queue to the next process, unless posts of the one that has it are under way.
    #[cold]
    pub(crate) fn assign_queue(&mut self, dev: &mut impl Device, slot_number: usize) {
        if slot_number >= PROCESS_SLOTS || slot_number >= self.settings.post_queue_count as usize {
            dev.count(Counter::MailboxesWild);
            return;
        }
        // What has ended, and was not seen to since nobody awaited it.
        self.process_deferred(dev);
        self.on_dma_write(dev);
        let entry = self.entry_address(slot_number);
        if dev.read(entry + STATE) == ENTRY_OPEN && !self.is_drained(dev, slot_number) {
            return;
        }
        let left = self.status[slot_number % PROCESS_SLOTS];
        // Nothing is under way, so nothing is lost; what is late means nothing to the next owner.
        self.close_slot(dev, slot_number);

        let next = self.entry_address(NEXT_OWNER);
        let status = ProcessStatus {
            refused: dev.read(next + STATUS),
            last_error: dev.read(next + STATUS + 4),
            last_error_index: dev.read(next + STATUS + 8),
            ended: dev.read(next + STATUS + 12),
        };
        let pid = dev.read(next + PID);
        let status_address = dev.read(next + STATUS_ADDRESS);
        dev.write(entry + PID, pid);
        dev.write(entry + STATUS_ADDRESS, status_address);
        write_status(dev, entry, status);
        dev.write(entry + STATE, ENTRY_OPEN);
        self.status[slot_number % PROCESS_SLOTS] = status;
        let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
        slot.pid = pid;
        (slot.producer, slot.fetched, slot.ended) = (status.ended, status.ended, status.ended);

        write_status(dev, next, left);
        dev.write(next + STATE, ENTRY_ASSIGNED);
        dev.trace(Marker::QueueAssigned, slot_number as u32);
    }

    /// All that was rung has ended, and the process has its status.
    fn is_drained(&self, dev: &impl Device, slot_number: usize) -> bool {
        let slot = &self.slots[slot_number % PROCESS_SLOTS];
        let status_is_late = (self.status_dirty | self.status_busy) >> slot_number & 1 != 0;
        is_planted(Plant::BusyQueue) || (slot.producer == slot.ended && !status_is_late && !dev.is_rung(slot_number))
    }

    fn entry_address(&self, number: usize) -> u32 {
        self.settings.process_table + number as u32 * PROCESS_ENTRY_BYTES
    }
}

fn write_status(dev: &mut impl Device, entry: u32, status: ProcessStatus) {
    let words = [status.refused, status.last_error, status.last_error_index, status.ended];
    for (at, word) in (entry + STATUS..).step_by(4).zip(words) {
        dev.write(at, word);
    }
}
