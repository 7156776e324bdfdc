//! The two timers: each serves all peers.

use nic_device::Device;
use nic_fair::Members;

use super::{Link, NODE_MASK};
use crate::types::{Framing, ACK_TIMER, RETRANSMIT_TIMER};

impl<F: Framing> Link<F> {
    /// Sets the timer of acknowledgements anew for a peer: `ack_cycles` from now.
    #[inline(always)]
    pub fn start_ack_timer(&mut self, dev: &mut impl Device, node: usize) {
        if let Some(due) = self.ack_delay.set(node, dev.now().wrapping_add(self.ack_cycles)) {
            dev.set_timer(ACK_TIMER, due);
        }
    }

    /// The timer of acknowledgements fired: those that are owed are due.
    pub fn expire_acks(&mut self, dev: &mut impl Device) {
        let expired = self.ack_delay.expire(dev.now());
        for node in expired.numbers() {
            if self.peers[node & NODE_MASK].receive.owes() {
                self.acks_due.add(1 << (node & NODE_MASK));
            }
        }
    }

    /// After [`Self::expire_acks`]: sets the timer anew.
    pub fn restart_ack_timer(&mut self, dev: &mut impl Device) {
        if let Some(due) = self.ack_delay.restart() {
            dev.set_timer(ACK_TIMER, due);
        }
    }

    /// Starts the timer unless it runs.
    #[inline(always)]
    pub fn keep_retransmit_timer(&mut self, dev: &mut impl Device, node: usize) {
        if !self.retransmit.is_set(node) {
            self.start_retransmit_timer(dev, node);
        }
    }

    /// Sets the timer anew.
    #[inline(always)]
    pub fn start_retransmit_timer(&mut self, dev: &mut impl Device, node: usize) {
        let interval = self.peers[node & NODE_MASK].window.interval(self.retransmit_cycles);
        if let Some(due) = self.retransmit.set(node, dev.now().wrapping_add(interval)) {
            dev.set_timer(RETRANSMIT_TIMER, due);
        }
    }

    /// The timer of retransmissions fired: the nodes whose time is over.
    pub fn expire_retransmit(&mut self, dev: &impl Device) -> impl Iterator<Item = usize> {
        self.retransmit.expire(dev.now()).numbers()
    }

    /// After [`Self::expire_retransmit`]: sets the timer anew.
    pub fn restart_retransmit_timer(&mut self, dev: &mut impl Device) {
        if let Some(due) = self.retransmit.restart() {
            dev.set_timer(RETRANSMIT_TIMER, due);
        }
    }
}
