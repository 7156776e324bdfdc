/// What one port of a switch did. Every frame that has begun to arrive is counted in one outcome.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PortCounts {
    /// Frames whose first symbol has arrived.
    pub frames_in: u64,
    /// Frames in: offered to one output port.
    pub forwarded: u64,
    /// Frames in: offered to every other port, because the destination is unknown or a group.
    pub flooded: u64,
    /// Frames in: dropped because of a wrong FCS or a symbol with RX_ER. Only a stored frame is
    /// dropped for it.
    pub dropped_bad_fcs: u64,
    /// Frames in: dropped because they are shorter than 64 bytes, or end before the destination is
    /// known.
    pub dropped_runt: u64,
    /// Frames in: dropped because they are longer than `frame_bytes_max`. Only a stored frame is
    /// dropped for it.
    pub dropped_oversize: u64,
    /// Frames in: dropped because the destination is unknown or a group, and the switch does not
    /// flood.
    pub dropped_unknown: u64,
    /// Frames in: dropped because the destination is at the port on which they came.
    pub dropped_same_port: u64,
    /// Frames in: dropped because the sender did not obey the stop signal, so that the input buffer
    /// is full.
    pub dropped_input_full: u64,
    /// Frames in that have no outcome yet: they are arriving, or wait in the input buffer for room
    /// in an output queue.
    pub undecided: u64,
    /// Among `forwarded` and `flooded`: frames with a wrong FCS or RX_ER, which a cut-through
    /// switch cannot call back.
    pub passed_bad_fcs: u64,
    /// Among `forwarded` and `flooded`: frames cut off at `frame_bytes_max`, with TX_ER as the last
    /// symbol.
    pub passed_truncated: u64,

    /// Frames offered to the output queue of this port.
    pub offered: u64,
    /// Offered: dropped because the queue had no room.
    pub dropped_tail: u64,
    /// Offered: sent to the last symbol.
    pub frames_out: u64,
    /// Bytes of those frames, from the destination address to the FCS.
    pub bytes_out: u64,
    /// Offered: in the queue, or being sent.
    pub queued: u64,
    /// The most bytes that the queue has held, with room reserved for frames whose length was not
    /// known yet.
    pub queue_bytes_peak: u64,
}

/// What a switch did, port by port.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SwitchCounts {
    /// In the order of the ports.
    pub ports: Vec<PortCounts>,
}

impl PortCounts {
    /// Frames in that the input port dropped.
    pub fn dropped_in(&self) -> u64 {
        self.dropped_bad_fcs
            + self.dropped_runt
            + self.dropped_oversize
            + self.dropped_unknown
            + self.dropped_same_port
            + self.dropped_input_full
    }

    /// Whether every frame in, and every frame offered, is in exactly one count.
    pub fn balance(&self) -> bool {
        self.frames_in == self.forwarded + self.flooded + self.dropped_in() + self.undecided
            && self.offered == self.dropped_tail + self.frames_out + self.queued
            && self.passed_bad_fcs + self.passed_truncated <= self.forwarded + self.flooded
    }
}

impl SwitchCounts {
    /// The sum of one count over all ports.
    pub fn total(&self, count: impl Fn(&PortCounts) -> u64) -> u64 {
        self.ports.iter().map(count).sum()
    }

    /// Whether the counts of every port balance, and what the input ports passed on is what the
    /// output queues were offered.
    pub fn balance(&self) -> bool {
        let copies = (self.ports.len() as u64).saturating_sub(1);
        let passed = self.total(|port| port.forwarded) + copies * self.total(|port| port.flooded);
        self.ports.iter().all(PortCounts::balance) && passed == self.total(|port| port.offered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn balanced() -> SwitchCounts {
        let first =
            PortCounts { frames_in: 7, forwarded: 3, flooded: 1, dropped_runt: 2, undecided: 1, ..Default::default() };
        let offered =
            |offered| PortCounts { offered, dropped_tail: 1, frames_out: offered - 2, queued: 1, ..Default::default() };
        SwitchCounts { ports: vec![first, offered(2), offered(3)] }
    }

    #[test]
    fn a_frame_that_is_counted_twice_or_never_breaks_a_sum() {
        assert!(balanced().balance());
        let changes: [fn(&mut PortCounts); 9] = [
            |port| port.frames_in += 1,
            |port| port.forwarded += 1,
            |port| port.flooded += 1,
            |port| port.dropped_unknown += 1,
            |port| port.dropped_input_full += 1,
            |port| port.undecided += 1,
            |port| port.offered += 1,
            |port| port.dropped_tail += 1,
            |port| port.queued += 1,
        ];
        for (i, change) in changes.into_iter().enumerate() {
            for port in 0..3 {
                let mut counts = balanced();
                change(&mut counts.ports[port]);
                assert!(!counts.balance(), "change {i} of port {port}");
            }
        }
    }

    #[test]
    fn the_queues_are_offered_what_the_input_ports_pass() {
        let mut counts = balanced();
        counts.ports[1].offered += 1;
        counts.ports[1].frames_out += 1;
        assert!(counts.ports.iter().all(PortCounts::balance) && !counts.balance());
    }
}
