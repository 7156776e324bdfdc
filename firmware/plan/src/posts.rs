//! Post queues and the process table.

use nic_layout::boot::{BootError, PostsReply, PostsRequest};
use nic_layout::key::KeyWidth;
use nic_layout::post::POST_QUEUE_ENTRIES;
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};

use crate::{Piece, Regions, Use};

/// Bytes of an entry of the process table.
pub const PROCESS_ENTRY_BYTES: u32 = 32;
/// Entries of the process table: one for each slot, and the entry of the process that gets the next
/// queue ([`nic_layout::tables::NEXT_OWNER`]).
pub const PROCESS_ENTRIES: u32 = SLOTS + 1;
/// Bytes of the errors of one queue: four bits for each entry.
pub const POST_ERROR_BYTES: u32 = POST_QUEUE_ENTRIES / 2;

const SLOTS: u32 = PROCESS_SLOTS as u32;
const OWNER: &str = "posts";

/// From the process table to the upper half of the key of the post at work in a slot, if keys have
/// 128 bits.
pub const fn upper_key(slot: u32) -> u32 {
    PROCESS_ENTRIES * PROCESS_ENTRY_BYTES + slot * KeyWidth::Bits128.upper_bytes()
}

/// Checks the section of the request. Gives the number of queues, 0 if the driver leaves it open.
///
/// # Errors
/// [`BootError::PostQueuesOutOfRange`]: more queues than slots.
pub fn check(request: &PostsRequest) -> Result<u32, BootError> {
    match request.post_queues > SLOTS {
        true => Err(BootError::PostQueuesOutOfRange),
        false => Ok(request.post_queues),
    }
}

/// Takes the regions of the process table and of the errors of `count` queues.
pub fn plan_tables(count: u32, key: KeyWidth, regions: &mut impl Regions) -> PostPlaces {
    let process_table = regions.take(
        OWNER,
        16,
        &[
            Piece::new("process table", Use::Pch, PROCESS_ENTRIES, PROCESS_ENTRY_BYTES),
            Piece::new("upper halves of keys", Use::Pch, SLOTS, key.upper_bytes()),
        ],
    );
    let post_errors = regions.take(OWNER, 8, &[Piece::new("errors of posts", Use::Pch, count, POST_ERROR_BYTES)]);
    PostPlaces { process_table, post_errors, post_queues: 0, post_queue_count: count, key }
}

/// Where processes post. SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostPlaces {
    /// Behind it the upper halves of the keys of posts ([`upper_key`]).
    pub process_table: u32,
    /// Errors of posts that have failed.
    pub post_errors: u32,
    /// On a page boundary: each queue is a page that one process can reach.
    pub post_queues: u32,
    /// Number of post queues.
    pub post_queue_count: u32,
    /// Width of the keys of posts.
    pub key: KeyWidth,
}

impl PostPlaces {
    /// Takes the region of the queues too. It stands last, because it has to begin with a page.
    pub fn with_queues(self, regions: &mut impl Regions) -> PostPlaces {
        let queues = Piece::new("post queues", Use::Pch, self.post_queue_count, PAGE_BYTES);
        PostPlaces { post_queues: regions.take(OWNER, PAGE_BYTES, &[queues]), ..self }
    }

    /// The section of the reply.
    pub const fn reply(&self) -> PostsReply {
        PostsReply {
            post_queues: self.post_queues,
            post_queue_count: self.post_queue_count,
            process_table: self.process_table,
            key_bits: self.key.bits(),
        }
    }
}
