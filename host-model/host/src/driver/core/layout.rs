//! Where the firmware has put what the core of the driver knows: its boot reply, believed only as
//! far as it is possible (INV-35).

use nic_layout::boot::{BootError, CountersReply, PostsReply, RingsReply, Section, Sections, REPLY_MAGIC};
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

    /// The section of a type, if the reply has it.
    ///
    /// # Errors
    /// [`DriverError::BootReply`]: it is too short.
    pub fn optional<S: Section>(&self) -> Result<Option<S>, DriverError> {
        match Sections::parse(&self.words, REPLY_MAGIC)?.get() {
            Ok(section) => Ok(Some(section)),
            Err(BootError::MissingSection(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
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

/// The structures that the core of the driver knows. A NIC without post queues has only the
/// counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NicLayout {
    posts: Option<PostLayout>,
    rings: Option<RingLayout>,
    /// SRAM address of the firmware's counters.
    pub counters: SramAddr,
}

/// Post queues, and the table of their processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PostLayout {
    queues: SramAddr,
    /// Post queues of the NIC, from slot 0.
    pub queue_count: usize,
    process_table: SramAddr,
    /// The width of every key.
    pub key_width: KeyWidth,
}

/// The rings that the NIC writes for the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RingLayout {
    misses: SramAddr,
    notifications: SramAddr,
}

const POST_QUEUE_BYTES: u32 = POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES;

impl NicLayout {
    /// Checks what the reply says. `counter_words`: words of the personality's counter area.
    ///
    /// # Errors
    ///
    /// [`DriverError::BadLayout`] if a structure does not lie in the SRAM, or a count is
    /// impossible; [`DriverError::BootReply`] if a section is too short.
    pub fn check(reply: &Reply, counter_words: usize) -> Result<NicLayout, DriverError> {
        let CountersReply { counters } = reply.section()?;
        Ok(NicLayout {
            posts: reply.optional()?.map(|posts| PostLayout::check(reply, posts)).transpose()?,
            rings: reply.optional()?.map(|rings| RingLayout::check(reply, rings)).transpose()?,
            counters: reply.place("counters", counters, counter_words * 4, 4)?,
        })
    }

    /// The post queues.
    ///
    /// # Errors
    /// [`DriverError::NoPostQueues`].
    pub fn posts(&self) -> Result<PostLayout, DriverError> {
        self.posts.ok_or(DriverError::NoPostQueues)
    }

    /// The rings.
    ///
    /// # Errors
    /// [`DriverError::NoRings`].
    pub fn rings(&self) -> Result<RingLayout, DriverError> {
        self.rings.ok_or(DriverError::NoRings)
    }
}

impl PostLayout {
    fn check(reply: &Reply, posts: PostsReply) -> Result<PostLayout, DriverError> {
        let queue_count = posts.post_queue_count as usize;
        if !(1..=PROCESS_SLOTS).contains(&queue_count) {
            return Err(DriverError::BadLayout { what: "post_queue_count", value: posts.post_queue_count });
        }
        let key_width = KeyWidth::from_bits(posts.key_bits)
            .ok_or(DriverError::BadLayout { what: "key_bits", value: posts.key_bits })?;
        let queues_bytes = queue_count * POST_QUEUE_BYTES as usize;
        let processes_bytes = (NEXT_OWNER + 1) * size_of::<ProcessEntry>();
        Ok(PostLayout {
            queues: reply.place("post_queues", posts.post_queues, queues_bytes, POST_QUEUE_BYTES)?,
            queue_count,
            process_table: reply.place("process_table", posts.process_table, processes_bytes, 4)?,
            key_width,
        })
    }

    /// SRAM address of the post queue of a slot.
    pub fn queue(&self, slot: usize) -> SramAddr {
        self.queues + slot as u32 * POST_QUEUE_BYTES
    }

    /// SRAM address of the process entry of a slot.
    pub fn process_entry(&self, slot: usize) -> SramAddr {
        self.process_table + (slot * size_of::<ProcessEntry>()) as u32
    }
}

impl RingLayout {
    fn check(reply: &Reply, rings: RingsReply) -> Result<RingLayout, DriverError> {
        let misses_bytes = MISS_RING_ENTRIES as usize * size_of::<MissEntry>();
        let notify_bytes = NOTIFY_RING_ENTRIES as usize * size_of::<NotifyEntry>();
        Ok(RingLayout {
            misses: reply.place("miss_ring", rings.miss_ring, misses_bytes, 4)?,
            notifications: reply.place("notify_ring", rings.notify_ring, notify_bytes, 4)?,
        })
    }

    /// The entry of a free-running index: masked, wherever the index came from.
    pub fn miss_entry(&self, index: u32) -> SramAddr {
        self.misses + (index % MISS_RING_ENTRIES) * size_of::<MissEntry>() as u32
    }

    /// As [`Self::miss_entry`].
    pub fn notify_entry(&self, index: u32) -> SramAddr {
        self.notifications + (index % NOTIFY_RING_ENTRIES) * size_of::<NotifyEntry>() as u32
    }
}
