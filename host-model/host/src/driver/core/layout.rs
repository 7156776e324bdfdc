//! Where the firmware has put what every personality has: its boot reply, believed only as far as
//! it is possible (INV-35).

use nic_layout::boot::{CountersReply, PostsReply, RingsReply, Section, Sections, REPLY_MAGIC};
use nic_layout::counter::Counter;
use nic_layout::key::KeyWidth;
use nic_layout::post::{POST_DESCRIPTOR_BYTES, POST_QUEUE_ENTRIES};
use nic_layout::tables::{MissEntry, NotifyEntry, ProcessEntry, MISS_RING_ENTRIES, NEXT_OWNER, NOTIFY_RING_ENTRIES};
use nic_layout::PROCESS_SLOTS;

use super::error::DriverError;
use crate::address::SramAddr;

/// The boot reply of a firmware that is ready. Services read their own sections of it.
#[derive(Clone, Debug)]
pub struct Reply {
    personality: u32,
    words: Vec<u32>,
    sram_bytes: u32,
}

impl Reply {
    /// `words`: from the head of the sections on. `sram_bytes`: of the NIC.
    ///
    /// # Errors
    /// [`DriverError::BootReply`]: head or directory are impossible.
    pub fn new(personality: u32, words: Vec<u32>, sram_bytes: u32) -> Result<Reply, DriverError> {
        Sections::parse(&words, REPLY_MAGIC)?;
        Ok(Reply { personality, words, sram_bytes })
    }

    /// The number of the firmware's personality.
    pub fn personality(&self) -> u32 {
        self.personality
    }

    /// The section of a type.
    ///
    /// # Errors
    /// [`DriverError::BootReply`]: it is missing or too short.
    pub fn section<S: Section>(&self) -> Result<S, DriverError> {
        Ok(Sections::parse(&self.words, REPLY_MAGIC)?.get()?)
    }

    /// Size of the SRAM in bytes; every structure that the reply names must lie in it.
    pub fn sram_bytes(&self) -> u32 {
        self.sram_bytes
    }

    /// The place of a structure that is named `what`, if it lies in the SRAM.
    pub fn place(&self, what: &'static str, start: u32, bytes: usize, alignment: u32) -> Result<SramAddr, DriverError> {
        let end = u64::from(start) + bytes as u64;
        if start % alignment != 0 || end > u64::from(self.sram_bytes) {
            return Err(DriverError::BadLayout { what, value: start });
        }
        Ok(SramAddr(start))
    }
}

/// The structures that every personality has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NicLayout {
    post_queues: SramAddr,
    /// Post queues of the NIC, from slot 0.
    pub post_queue_count: usize,
    process_table: SramAddr,
    miss_ring: SramAddr,
    notify_ring: SramAddr,
    /// SRAM address of the firmware's counters.
    pub counters: SramAddr,
    /// The width of every key.
    pub key_width: KeyWidth,
}

const POST_QUEUE_BYTES: u32 = POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES;

impl NicLayout {
    /// Checks what the reply says of the structures that every personality has.
    ///
    /// # Errors
    ///
    /// [`DriverError::BadLayout`] if a structure does not lie in the SRAM, or a count is
    /// impossible.
    pub fn check(reply: &Reply) -> Result<NicLayout, DriverError> {
        let posts: PostsReply = reply.section()?;
        let rings: RingsReply = reply.section()?;
        let CountersReply { counters } = reply.section()?;
        let post_queue_count = posts.post_queue_count as usize;
        if !(1..=PROCESS_SLOTS).contains(&post_queue_count) {
            return Err(DriverError::BadLayout { what: "post_queue_count", value: posts.post_queue_count });
        }
        let key_width = KeyWidth::from_bits(posts.key_bits)
            .ok_or(DriverError::BadLayout { what: "key_bits", value: posts.key_bits })?;
        let queues_bytes = post_queue_count * POST_QUEUE_BYTES as usize;
        let processes_bytes = (NEXT_OWNER + 1) * size_of::<ProcessEntry>();
        let misses_bytes = MISS_RING_ENTRIES as usize * size_of::<MissEntry>();
        let notify_bytes = NOTIFY_RING_ENTRIES as usize * size_of::<NotifyEntry>();
        Ok(NicLayout {
            post_queues: reply.place("post_queues", posts.post_queues, queues_bytes, POST_QUEUE_BYTES)?,
            post_queue_count,
            process_table: reply.place("process_table", posts.process_table, processes_bytes, 4)?,
            miss_ring: reply.place("miss_ring", rings.miss_ring, misses_bytes, 4)?,
            notify_ring: reply.place("notify_ring", rings.notify_ring, notify_bytes, 4)?,
            counters: reply.place("counters", counters, Counter::COUNT * 4, 4)?,
            key_width,
        })
    }

    /// SRAM address of the post queue of a slot.
    pub fn post_queue(&self, slot: usize) -> SramAddr {
        self.post_queues + slot as u32 * POST_QUEUE_BYTES
    }

    /// SRAM address of the process entry of a slot.
    pub fn process_entry(&self, slot: usize) -> SramAddr {
        self.process_table + (slot * size_of::<ProcessEntry>()) as u32
    }

    /// The entry of a free-running index: masked, wherever the index came from.
    pub fn miss_entry(&self, index: u32) -> SramAddr {
        self.miss_ring + (index % MISS_RING_ENTRIES) * size_of::<MissEntry>() as u32
    }

    /// As [`Self::miss_entry`].
    pub fn notify_entry(&self, index: u32) -> SramAddr {
        self.notify_ring + (index % NOTIFY_RING_ENTRIES) * size_of::<NotifyEntry>() as u32
    }
}
