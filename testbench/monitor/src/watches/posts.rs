//! Post queues: a queue that changes its owner is drained and cleared (INV-39), and posts that wait
//! for a translation try again (INV-10).

use nic_layout::ring::COMMAND_CLOSE;
use nic_layout::tables::{ProcessEntry, MISS_RING_ENTRIES, NEXT_OWNER};
use nic_layout::trace::{Marker, ARGUMENT_MASK};
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};

use super::Watch;
use crate::broken::{broken, Broken};
use crate::context::{Context, Side};
use crate::Pins;
use nic_layout::post::POST_QUEUE_ENTRIES;

const PROCESS_ENTRY_BYTES: u32 = size_of::<ProcessEntry>() as u32;
/// The size of the table of processes, with the entry of the process that gets the next queue.
const TABLE_BYTES: u32 = (NEXT_OWNER as u32 + 1) * PROCESS_ENTRY_BYTES;
/// Offset of the doorbells in BAR 0 (docs/interfaces.md).
const DOORBELL_PAGES: u32 = 0x1_0000;

/// Words of an entry of the table of processes.
mod word {
    pub const PID: u32 = 4;
    pub const STATUS_ADDRESS: u32 = 8;
    pub const ENDED: u32 = 28;
}

#[derive(Clone)]
struct Slot {
    /// The words of the queue that are not zero, and the words among them that a former process
    /// left there.
    filled: Vec<bool>,
    foreign: Vec<bool>,
    /// Posts that were rung, and posts that have ended according to the status page; both
    /// free-running.
    rung: u32,
    ended: u32,
    /// Whether its next post waits for a translation.
    is_parked: bool,
    /// Whether it waited when fills were reported, so that it must try again.
    is_awaited: bool,
}

/// The process that gets the next queue, as the driver wrote it.
#[derive(Clone, Copy, Default)]
struct Next {
    pid: u32,
    status_address: u32,
    ended: u32,
}

/// Post queues, and what processes have posted.
pub struct Posts {
    slots: Vec<Slot>,
    next: Next,
    /// Misses that the driver was told of, and misses that it reported as served; both
    /// free-running.
    raised: u32,
    served: u32,
}

impl Watch for Posts {
    fn host_writes(&mut self, context: &mut Context, _pins: &dyn Pins, address: u32, value: u32) -> Result<(), Broken> {
        let places = &context.places;
        let doorbell = address.wrapping_sub(places.registers + DOORBELL_PAGES);
        let Some(posts) = places.posts else { return Ok(()) };
        if let Some(at) = places.in_sram(address) {
            let queues = posts.queue_count * PAGE_BYTES;
            if let Some(offset) = within(at, posts.process_table, TABLE_BYTES) {
                self.write_table(context, offset, value);
            } else if let Some(offset) = within(at, posts.queues, queues) {
                return self.write_queue(context, (offset / PAGE_BYTES) as usize, offset % PAGE_BYTES, value);
            }
        } else if doorbell / PAGE_BYTES < PROCESS_SLOTS as u32 {
            self.ring((doorbell / PAGE_BYTES) as usize, value);
        }
        Ok(())
    }

    fn marker(&mut self, context: &mut Context, _pins: &dyn Pins, marker: Marker, argument: u32) -> Result<(), Broken> {
        match marker {
            Marker::LookupBegin => {
                for (number, slot) in self.slots.iter_mut().enumerate() {
                    if slot.is_parked && context.posted.has(number, argument, Side::From) {
                        (slot.is_parked, slot.is_awaited) = (false, false);
                    }
                }
            }
            Marker::MissRaised => self.raised = self.raised.wrapping_add(1),
            Marker::FillSeen => self.fill_seen(argument),
            Marker::FetchFilled | Marker::FetchLost | Marker::FetchUnfilled => self.await_parked(),
            Marker::Command => {
                if let Some(command) = context.commands.obeyed().filter(|command| command.kind() == COMMAND_CLOSE) {
                    if let Some(slot) = self.slots.get_mut(command.slot()) {
                        (slot.rung, slot.ended, slot.is_parked, slot.is_awaited) = (0, 0, false, false);
                    }
                }
            }
            Marker::PostParked => self.park(argument, true),
            Marker::PostBlocked => self.park(argument, false),
            // The post waits no longer: its owner may have turned down an earlier frame.
            Marker::PostRefused => self.park(argument >> 8, false),
            Marker::StatusWritten => self.ended((argument >> 20) as usize, argument, 0xF_FFFF),
            Marker::QueueAssigned => return self.assign(context, argument as usize),
            Marker::Idle => return self.idle(),
            _ => {}
        }
        Ok(())
    }
}

impl Default for Posts {
    fn default() -> Posts {
        let none = vec![false; PAGE_BYTES as usize / 4];
        let slot = Slot { filled: none.clone(), foreign: none, rung: 0, ended: 0, is_parked: false, is_awaited: false };
        Posts { slots: vec![slot; PROCESS_SLOTS], next: Next::default(), raised: 0, served: 0 }
    }
}

impl Posts {
    // ---- Queues and their owners ----------------------------------------------------------------

    /// A word at an offset in the table of processes.
    fn write_table(&mut self, context: &mut Context, offset: u32, value: u32) {
        let (number, word) = ((offset / PROCESS_ENTRY_BYTES) as usize, offset % PROCESS_ENTRY_BYTES);
        if number == NEXT_OWNER {
            match word {
                word::PID => self.next.pid = value,
                word::STATUS_ADDRESS => self.next.status_address = value,
                word::ENDED => self.next.ended = value,
                _ => {}
            }
            return;
        }
        match word {
            word::PID if context.posted.pid(number) != value => self.change_hands(context, number, value, 0),
            word::STATUS_ADDRESS => context.posted.set_status_address(number, value),
            _ => {}
        }
    }

    /// A word at an offset in the queue of a slot.
    ///
    /// The driver clears the queue with zeros before its new owner sees it. Any other word is a
    /// post; then no word of another process may be left.
    fn write_queue(&mut self, context: &mut Context, slot: usize, offset: u32, value: u32) -> Result<(), Broken> {
        if let Some(owned) = self.slots.get_mut(slot) {
            let place = offset as usize / 4 % owned.filled.len();
            owned.filled[place] = value != 0;
            owned.foreign[place] = false;
            if let Some(left) = owned.foreign.iter().position(|is_foreign| *is_foreign).filter(|_| value != 0) {
                let pid = context.posted.pid(slot);
                return broken(
                    39,
                    format!(
                        "process {pid} posts in slot {slot}, and word {left} of its queue is what another one left"
                    ),
                );
            }
        }
        context.posted.write(slot, offset, value);
        Ok(())
    }

    fn change_hands(&mut self, context: &mut Context, number: usize, pid: u32, ended: u32) {
        context.posted.set_owner(number, pid);
        if let Some(slot) = self.slots.get_mut(number) {
            slot.foreign.clone_from(&slot.filled);
            (slot.rung, slot.ended) = (ended, ended);
        }
    }

    /// A doorbell. The firmware ignores it if its value is out of range.
    fn ring(&mut self, slot: usize, value: u32) {
        if let Some(slot) = self.slots.get_mut(slot) {
            let free = POST_QUEUE_ENTRIES.wrapping_sub(slot.rung.wrapping_sub(slot.ended));
            if value.wrapping_sub(slot.rung) <= free {
                slot.rung = value;
            }
        }
    }

    /// The status page tells how many posts have ended, by low bits.
    fn ended(&mut self, slot: usize, low_bits: u32, mask: u32) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.ended = slot.ended.wrapping_add(low_bits.wrapping_sub(slot.ended) & mask);
        }
    }

    /// The firmware gives a queue to the next process: all posts of the former process must have
    /// ended.
    fn assign(&mut self, context: &mut Context, number: usize) -> Result<(), Broken> {
        let next = self.next;
        let Some(slot) = self.slots.get(number) else {
            return broken(39, format!("slot {number} gets another owner, and does not exist"));
        };
        let (pid, rung, ended) = (context.posted.pid(number), slot.rung, slot.ended);
        self.change_hands(context, number, next.pid, next.ended);
        context.posted.set_status_address(number, next.status_address);
        match (rung.wrapping_sub(ended) as i32) > 0 {
            true => broken(
                39,
                format!(
                    "slot {number} goes from process {pid} to {}, and posts are under way: {rung} were rung, {ended} have ended",
                    next.pid
                ),
            ),
            false => Ok(()),
        }
    }

    // ---- Posts that wait ------------------------------------------------------------------------

    fn park(&mut self, slot: u32, waits: bool) {
        if let Some(slot) = self.slots.get_mut(slot as usize) {
            (slot.is_parked, slot.is_awaited) = (waits, false);
        }
    }

    /// The driver has reported fills. The low bits of the index are enough: at most a ring of
    /// misses is outstanding.
    fn fill_seen(&mut self, consumer: u32) {
        const { assert!(MISS_RING_ENTRIES < ARGUMENT_MASK) };
        let served = consumer.wrapping_sub(self.served) & ARGUMENT_MASK;
        if served <= self.raised.wrapping_sub(self.served) {
            self.served = self.served.wrapping_add(served);
            self.await_parked();
        }
    }

    fn await_parked(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.is_awaited = slot.is_parked);
    }

    /// The firmware is idle: each slot that waited for a fill has tried again (INV-10).
    fn idle(&self) -> Result<(), Broken> {
        match self.slots.iter().position(|slot| slot.is_awaited) {
            Some(slot) => broken(
                10,
                format!("the firmware sleeps; slot {slot} waited for a fill, fills came, and it did not try again"),
            ),
            None => Ok(()),
        }
    }
}

/// The offset of an address from a start, if it is below a length.
pub(crate) fn within(at: u32, start: u32, bytes: u32) -> Option<u32> {
    Some(at.wrapping_sub(start)).filter(|offset| *offset < bytes)
}
