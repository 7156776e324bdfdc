//! The central arbiter: round robin between the NIC and the bridge, hidden behind running
//! transactions.

use crate::pins::bus_idle;
use sim_pins::{PciLines, PciPin};

/// The two agents that can be masters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentId {
    /// The host bridge.
    Bridge,
    /// The NIC in its slot.
    Nic,
}

impl AgentId {
    /// Both agents of the bus.
    pub const ALL: [AgentId; 2] = [AgentId::Bridge, AgentId::Nic];

    /// The other agent of the two.
    pub const fn other(self) -> AgentId {
        match self {
            AgentId::Bridge => AgentId::Nic,
            AgentId::Nic => AgentId::Bridge,
        }
    }

    /// The name for messages.
    pub const fn name(self) -> &'static str {
        match self {
            AgentId::Bridge => "bridge",
            AgentId::Nic => "NIC",
        }
    }
}

/// The agent that holds GNT# while no agent requests the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parking {
    /// The bridge.
    Bridge,
    /// The agent that used the bus last.
    LastUser,
}

/// What the arbiter does to the NIC on purpose.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct GrantFaults {
    /// The NIC gets no GNT#.
    pub starve_nic: bool,
    /// GNT# goes away so many clocks after the NIC's FRAME#, whether or not another agent asks.
    pub remove_after_clocks: Option<u32>,
}

/// Clocks that a granted agent may leave an idle bus unused while the other waits (PCI 2.3, section
/// 3.4.1: "broken master").
const BROKEN_MASTER_CLOCKS: u32 = 16;

#[derive(Debug)]
pub(crate) struct Arbiter {
    parking: Parking,
    grant: Option<AgentId>,
    last_user: AgentId,
    /// The granted agent has started a transaction since it was granted.
    used: bool,
    master: Option<AgentId>,
    frame_was_low: bool,
    frame_clocks: u32,
    unused_clocks: u32,
    pub faults: GrantFaults,
}

impl Arbiter {
    pub fn new(parking: Parking) -> Arbiter {
        Arbiter {
            parking,
            grant: None,
            last_user: AgentId::Bridge,
            used: false,
            master: None,
            frame_was_low: false,
            frame_clocks: 0,
            unused_clocks: 0,
            faults: GrantFaults::default(),
        }
    }

    pub fn reset(&mut self) {
        *self = Arbiter { faults: self.faults, ..Arbiter::new(self.parking) };
    }

    /// Whose GNT# is asserted since the last edge.
    pub fn grant(&self) -> Option<AgentId> {
        self.grant
    }

    /// One clock: REQ# of both and the lines at this edge. `nic_drives_frame` tells whose
    /// transaction begins.
    pub fn advance(&mut self, lines: &PciLines, bridge_asks: bool, nic_drives_frame: bool) {
        let nic_asks = lines.low(PciPin::Req) && !self.faults.starve_nic;
        let asks = |agent: AgentId| match agent {
            AgentId::Bridge => bridge_asks,
            AgentId::Nic => nic_asks,
        };
        let frame_low = lines.low(PciPin::Frame);
        let idle = bus_idle(lines);
        if frame_low && !self.frame_was_low {
            let user = if nic_drives_frame { AgentId::Nic } else { AgentId::Bridge };
            self.master = Some(user);
            self.last_user = user;
            self.used = self.grant == Some(user);
            self.frame_clocks = 0;
        } else {
            self.frame_clocks += 1;
        }
        self.frame_was_low = frame_low;
        if idle {
            self.master = None;
        }

        let Some(holder) = self.grant else {
            // No agent was granted for a clock, so AD and PAR have had their turnaround.
            self.grant = self.choose(&asks);
            self.used = false;
            self.unused_clocks = 0;
            return;
        };
        if holder == AgentId::Nic && (self.faults.starve_nic || self.grant_runs_out()) {
            self.grant = None;
            return;
        }
        let other = holder.other();
        if !idle {
            self.unused_clocks = 0;
            // Hidden arbitration. No gap is needed: the bus is busy, so no agent drives AD because
            // of GNT#.
            if self.used && asks(other) {
                self.grant = Some(other);
                self.used = false;
            }
            return;
        }
        self.unused_clocks += 1;
        let waits_in_vain = !asks(holder) || self.used || self.unused_clocks > BROKEN_MASTER_CLOCKS;
        let parks_elsewhere = !asks(holder) && self.parking == Parking::Bridge && holder == AgentId::Nic;
        if (asks(other) && waits_in_vain) || parks_elsewhere {
            self.grant = None;
        }
    }

    fn grant_runs_out(&self) -> bool {
        self.master == Some(AgentId::Nic)
            && self.faults.remove_after_clocks.is_some_and(|clocks| self.frame_clocks >= clocks)
    }

    /// Round robin, else the parking place.
    fn choose(&self, asks: &impl Fn(AgentId) -> bool) -> Option<AgentId> {
        let next = self.last_user.other();
        if asks(next) {
            Some(next)
        } else if asks(self.last_user) {
            Some(self.last_user)
        } else if self.grant_runs_out() {
            None
        } else {
            match self.parking {
                Parking::LastUser if !(self.last_user == AgentId::Nic && self.faults.starve_nic) => {
                    Some(self.last_user)
                }
                _ => Some(AgentId::Bridge),
            }
        }
    }
}
