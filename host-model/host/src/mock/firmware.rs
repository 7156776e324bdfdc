//! What the scripted firmware does when a core is released, a command comes, or a doorbell rings.

use nic_layout::boot::{
    BootError, ReplyState, Sections, BOOT_BLOCK_ADDRESS, BOOT_MAGIC, BOOT_READY, BOOT_REFUSED, BOOT_REPLY_ADDRESS,
    CAUSE_CRASH, CRASH_RECORD_ADDRESS, REQUEST_WORDS,
};
use nic_layout::keeper::{self, KeeperReply, KeeperRequest};
use nic_layout::personality::emp::pair::{self, PairReply, PairRequest, PAIR_MAGIC};
use nic_layout::post::{ProcessStatus, POST_DESCRIPTOR_BYTES, POST_QUEUE_ENTRIES};
use nic_layout::ring::{COMMAND_ASSIGN, COMMAND_CLOSE, COMMAND_MASK};
use nic_layout::tables::{ProcessEntry, ENTRY_ASSIGNED, ENTRY_OPEN, NEXT_OWNER};
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};
use sim_pins::Ps;

use super::nic::{AssignScript, BootScript, MockNic};

impl MockNic {
    pub(super) fn release_core_b(&mut self) {
        if self.sram_read::<PairRequest>(pair::AREA_ADDRESS + pair::REQUEST).magic == PAIR_MAGIC {
            let reply = PairReply { state: BOOT_READY, ..PairReply::default() };
            return self.sram_write(pair::AREA_ADDRESS + pair::REPLY, &reply);
        }
        let request: KeeperRequest = self.sram_read(keeper::AREA_ADDRESS + keeper::REQUEST);
        let mut reply = KeeperReply { state: BOOT_READY, ..KeeperReply::default() };
        match self.boot_b {
            BootScript::Silent => return,
            BootScript::Crash(record) => return self.crash_b(record),
            BootScript::Refuse(error) => {
                reply = KeeperReply { state: BOOT_REFUSED, error: error.words()[0], ..reply };
            }
            BootScript::Ready if request.magic != keeper::KEEPER_MAGIC => reply.state = BOOT_REFUSED,
            BootScript::Ready => {}
        }
        self.sram_write(keeper::AREA_ADDRESS + keeper::REPLY, &reply);
    }

    pub(super) fn release_core(&mut self) {
        let mut reply = self.layout();
        match self.boot {
            BootScript::Silent => return,
            BootScript::Crash(record) => {
                self.sram_write(CRASH_RECORD_ADDRESS, &record);
                self.raise(CAUSE_CRASH);
                return;
            }
            BootScript::Refuse(error) => return self.refuse(error),
            BootScript::Ready => {
                if let Err(error) = Sections::parse(&self.request(), BOOT_MAGIC) {
                    return self.refuse(error);
                }
            }
        }
        if let Some(spoil) = self.spoil_reply {
            spoil(&mut reply);
        }
        // Firmware clears its tables before it says that they are there.
        let tables = self.layout();
        self.sram[tables.post_queues as usize..tables.free as usize].fill(0);
        let bytes = reply.bytes();
        self.sram[BOOT_REPLY_ADDRESS as usize..][..bytes.len()].copy_from_slice(&bytes);
    }

    fn refuse(&mut self, error: BootError) {
        let reply = ReplyState { state: BOOT_REFUSED, error: error.words(), personality: 0 };
        self.sram_write(BOOT_REPLY_ADDRESS, &reply);
    }

    /// The words of the boot request.
    pub fn request(&self) -> [u32; REQUEST_WORDS] {
        self.sram_read(BOOT_BLOCK_ADDRESS)
    }

    /// Obeys those commands that are about post queues.
    pub(super) fn obey(&mut self, command: u32) {
        let slot = (command >> 4 & 0xF) as usize;
        let next = self.process_entry(NEXT_OWNER);
        match (command & COMMAND_MASK, self.assigns) {
            (COMMAND_CLOSE, _) if slot < PROCESS_SLOTS => self.consumed[slot] = 0,
            (COMMAND_ASSIGN, AssignScript::State(state)) => self.set_sram_word(next, state),
            (COMMAND_ASSIGN, AssignScript::IfDrained) if slot < PROCESS_SLOTS => {
                let rung = self.doorbells.iter().rev().find(|(page, _)| *page == slot).map(|(_, value)| *value);
                let mut entry: ProcessEntry = self.sram_read(self.process_entry(slot));
                if entry.state == ENTRY_OPEN
                    && !self.completes_posts
                    && rung.is_some_and(|rung| rung != self.consumed[slot])
                {
                    return;
                }
                entry.status.ended = self.consumed[slot];
                let next_entry: ProcessEntry = self.sram_read(next);
                self.consumed[slot] = next_entry.status.ended;
                self.sram_write(self.process_entry(slot), &next_entry);
                self.sram_write(next, &ProcessEntry { state: ENTRY_ASSIGNED, status: entry.status, ..next_entry });
            }
            _ => {}
        }
    }

    pub(super) fn doorbell(&mut self, at: Ps, slot: usize, value: u32) {
        self.doorbells.push((slot, value));
        if !self.completes_posts || slot >= PROCESS_SLOTS {
            return;
        }
        while self.consumed[slot] != value {
            let index = self.consumed[slot] % POST_QUEUE_ENTRIES;
            let queue = self.layout().post_queues + slot as u32 * PAGE_BYTES;
            self.posts.push((slot, self.sram_read(queue + index * POST_DESCRIPTOR_BYTES)));
            self.consumed[slot] = self.consumed[slot].wrapping_add(1);
        }
        let status = ProcessStatus { ended: value, ..ProcessStatus::default() };
        self.write_status(at, slot, status);
    }
}
