use nic_layout::post::POST_QUEUE_ENTRIES;
use nic_layout::PROCESS_SLOTS;

use crate::PostId;

const RECORDS: usize = PROCESS_SLOTS * POST_QUEUE_ENTRIES as usize;

/// The progress of one post. Bits 5:0 count what the post waits for: its frames in flight, and the
/// data that it has asked for. Bit 6: all frames are issued. Bit 7: the post has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record(u8);

impl Record {
    const EMPTY: Record = Record(0);
    const ISSUED: u8 = 1 << 6;
    const FAILED: u8 = 1 << 7;
    const FIRST_HALF: Record = Record(Self::ISSUED | Self::FAILED);

    #[inline(always)]
    fn is_complete(self) -> bool {
        self.0 & !Self::FAILED == Self::ISSUED
    }

    #[inline(always)]
    fn has_failed(self) -> bool {
        self.0 & Self::FAILED != 0
    }
}

/// The progress of each post of each slot, one byte each.
///
/// The table is apart from [`crate::Posts`] because it is long: its owner keeps it behind the words
/// that every frame needs.
#[derive(Clone, Copy, Debug)]
pub struct Records([Record; RECORDS]);

impl Default for Records {
    fn default() -> Self {
        Self::new()
    }
}

impl Records {
    /// Largest number of frames of one post in flight.
    pub const FRAMES_MAX: u32 = 62;

    /// No post is outstanding. All bytes are zero.
    pub const fn new() -> Records {
        Records([Record::EMPTY; RECORDS])
    }

    /// Records that a frame of the post was sent, or that the post has asked for data.
    #[inline(always)]
    pub fn add_frame(&mut self, id: PostId) {
        self.0[id.record()].0 += 1;
    }

    /// Records that a frame of the post has ended, or that its data have come. True if the post is
    /// complete now.
    #[inline(always)]
    pub fn end_frame(&mut self, id: PostId) -> bool {
        let record = &mut self.0[id.record()];
        record.0 = record.0.wrapping_sub(1);
        record.is_complete()
    }

    /// Records that all frames of the post are issued.
    #[inline(always)]
    pub fn issue(&mut self, id: PostId) {
        self.0[id.record()].0 |= Record::ISSUED;
    }

    /// Records that the entry is the first half of a post whose other half is the next entry. The
    /// first half ends as soon as the posts before it have ended. It counts as failed without an
    /// error, so that no counter includes it.
    #[inline(always)]
    pub fn be_first_half(&mut self, id: PostId) {
        self.0[id.record()] = Record::FIRST_HALF;
    }

    #[inline(always)]
    pub(crate) fn is_complete(&self, id: PostId) -> bool {
        self.0[id.record()].is_complete()
    }

    #[inline(always)]
    pub(crate) fn has_failed(&self, id: PostId) -> bool {
        self.0[id.record()].has_failed()
    }

    /// Marks the post as failed. False if it has failed before.
    pub(crate) fn fail(&mut self, id: PostId) -> bool {
        let record = &mut self.0[id.record()];
        let is_first = !record.has_failed();
        record.0 |= Record::FAILED;
        is_first
    }

    /// Clears the record for the next post at this place of the queue.
    #[inline(always)]
    pub(crate) fn clear(&mut self, id: PostId) {
        self.0[id.record()] = Record::EMPTY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_is_complete_when_issued_and_all_its_frames_have_ended() {
        let (mut records, id) = (Records::new(), PostId::new(3, 9));
        records.add_frame(id);
        records.add_frame(id);
        assert!(!records.end_frame(id));
        records.issue(id);
        assert!(!records.is_complete(id));
        assert!(records.end_frame(id));
        assert!(!records.has_failed(id));
        assert!(records.fail(id) && !records.fail(id));
        assert!(records.is_complete(id) && records.has_failed(id));
        assert!(!records.is_complete(PostId::new(3, 10)));
    }
}
