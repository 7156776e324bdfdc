//! Memory of a process for messages of one size.

use host_model::address::UserVirt;

use crate::workload::places::{self, Places};

/// Memory of a process for messages of one size, used in turn.
pub(super) struct Slots {
    pub(super) start: UserVirt,
    pub(super) stride_bytes: u32,
    pub(super) count: u32,
    /// Where messages go whose page shall not be in the NIC's cache.
    pub(super) cold: Option<Cold>,
}

impl Slots {
    pub(super) fn at(&self, turn: u32) -> UserVirt {
        match self.cold.filter(|cold| places::misses(turn, cold.ratio)) {
            Some(cold) => cold.at(turn, self.stride_bytes),
            None => self.start + turn % self.count * self.stride_bytes,
        }
    }

    /// So many messages were played.
    pub(super) fn played(&mut self, count: u32) {
        if let Some(cold) = &mut self.cold {
            cold.before += places::turns(count, cold.ratio);
        }
    }
}

/// Lines of one set of the NIC's cache, more than the set can hold.
#[derive(Clone, Copy)]
pub(super) struct Cold {
    pub(super) region: UserVirt,
    pub(super) places: Places,
    /// Share of messages that go there.
    pub(super) ratio: f64,
    /// Messages that went there in earlier plays.
    pub(super) before: u32,
}

impl Cold {
    /// The place of a message: the next line, and in each line one message behind the other.
    pub(super) fn at(&self, turn: u32, stride_bytes: u32) -> UserVirt {
        let number = self.before + places::turns(turn, self.ratio);
        let round = number / self.places.cold_places();
        let in_line = round % (self.places.line_bytes() / stride_bytes).max(1) * stride_bytes;
        self.region + self.places.cold(number) + in_line
    }
}
