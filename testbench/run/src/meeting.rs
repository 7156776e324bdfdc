//! Exchanges and barriers of the processes of all nodes, over the management network.

use host_management::{Daemon, ManagementError, Message};
use host_model::address::NodeId;
use host_model::driver::DriverError;
use host_model::executor::Sim;
use host_model::library::Export;
use host_model::platform::Management;
use host_model::processor::Priority;
use sim_pins::Ps;

use crate::node::Handle;

/// Nodes leave a meeting at a multiple of this time.
const STEP: Ps = Ps::from_us(5);
/// Bytes of the headers of a message and of the name of its meeting, at most.
const HEAD_BYTES: u32 = 64;
/// The tag of sessions that are announced, and of answers to them.
const SESSION: &str = "session";
const SESSION_TOLD: &str = "session told";

/// A value that the daemons of a run carry.
#[derive(Clone, Debug)]
pub enum Carried<T> {
    /// A value of a meeting.
    Met {
        /// When the node of the value came.
        at: Ps,
        /// What the node gives to the others.
        value: T,
    },
    /// A value that a node publishes or sends.
    Named(T),
    /// The session of a node that has started again.
    Session(u32),
}

impl<T> Carried<T> {
    /// The value itself.
    fn value(self) -> T {
        match self {
            Carried::Met { value, .. } | Carried::Named(value) => value,
            Carried::Session(_) => unreachable!("sessions have a tag of their own"),
        }
    }

    /// When its node came to a meeting.
    fn at(&self) -> Ps {
        match self {
            Carried::Met { at, .. } => *at,
            Carried::Named(_) | Carried::Session(_) => Ps::ZERO,
        }
    }
}

impl<T: Message> Message for Carried<T> {
    fn wire_bytes(&self) -> u32 {
        match self {
            Carried::Met { at, value } => size_of_val(at) as u32 + value.wire_bytes(),
            Carried::Named(value) => value.wire_bytes(),
            Carried::Session(session) => size_of_val(session) as u32,
        }
    }
}

impl From<Export> for Carried<Export> {
    fn from(export: Export) -> Carried<Export> {
        Carried::Named(export)
    }
}

impl From<Carried<Export>> for Export {
    fn from(carried: Carried<Export>) -> Export {
        carried.value()
    }
}

/// A node's access to the meetings of all nodes. Clones are the same access.
///
/// At a meeting each node gives a value and gets the values of all nodes. The daemons carry the
/// values, so a meeting takes the time of an exchange ([`Daemon::exchange`]), which ends at another
/// time on each node. The nodes shall go on together, so each value carries the time at which its
/// node came. All nodes then wait for the same time, which depends on the last of these times and
/// on the values. The clocks of the hosts are assumed to be synchronous.
#[derive(Clone)]
pub struct Meeting<T> {
    daemon: Daemon<Carried<T>>,
    sim: Sim,
    costs: Management,
}

impl<T: Message> Meeting<T> {
    /// The meetings of the host of `daemon`, whose simulated time is `sim`.
    pub fn new(daemon: Daemon<Carried<T>>, sim: Sim, costs: Management) -> Meeting<T> {
        Meeting { daemon, sim, costs }
    }

    /// The daemon of the host, for values that are not of a meeting.
    pub fn daemon(&self) -> &Daemon<Carried<T>> {
        &self.daemon
    }

    /// Gives `value` of this node to all nodes, waits until all nodes have come, and returns all
    /// values in the order of the nodes. Every node calls it with the same name.
    pub async fn exchange(&self, name: &str, value: T) -> Vec<T> {
        let own = Carried::Met { at: self.sim.now(), value };
        let all = self.daemon.exchange(name, own).await;
        let last = all.iter().map(Carried::at).max().unwrap_or_default();
        let bytes = all.iter().map(Message::wire_bytes).sum();
        let leave = Ps((last + span(all.len(), bytes, &self.costs)).0.next_multiple_of(STEP.0));
        if self.sim.now() < leave {
            self.sim.sleep_until(leave).await;
        }
        all.into_iter().map(Carried::value).collect()
    }
}

impl<T: Message> Meeting<T> {
    /// Tells every other host that the NIC of this host has started again with `session`. Returns
    /// when each driver there has told its NIC (INV-31). Each of the hosts has to call
    /// [`Self::heed_session`].
    ///
    /// # Errors
    /// None: every host exists.
    pub async fn announce_session(&self, session: u32) -> Result<(), ManagementError> {
        let others = || (0..self.daemon.nodes()).filter(|node| *node != self.daemon.node());
        for node in others() {
            self.daemon.send(node, SESSION, Carried::Session(session)).await?;
        }
        for node in others() {
            self.daemon.receive(node, SESSION_TOLD).await?;
        }
        Ok(())
    }

    /// Waits until host `node` announces its next session, and has the driver of this host tell
    /// its NIC. Returns the session.
    ///
    /// # Errors
    /// There is no host `node`, or the driver cannot tell the NIC.
    pub async fn heed_session(&self, node: usize, host: &Handle) -> Result<u32, SessionError> {
        let session = match self.daemon.receive(node, SESSION).await? {
            Carried::Session(session) => session,
            Carried::Met { .. } | Carried::Named(_) => unreachable!("the tag is for sessions"),
        };
        let cpu = host.cpu("management", Priority::KernelThread);
        host.driver().restart_peer(&cpu, NodeId(node as u16), session).await?;
        self.daemon.send(node, SESSION_TOLD, Carried::Session(session)).await?;
        Ok(session)
    }
}

/// Why a host has not learned the session of another.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum SessionError {
    /// The management network cannot serve it.
    #[error(transparent)]
    Management(#[from] ManagementError),
    /// The driver cannot tell the NIC.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

/// Twice the time of an exchange of `bytes` in all on idle hosts: the hosts may have other work.
fn span(nodes: usize, bytes: u32, costs: &Management) -> Ps {
    let rounds = u64::from(nodes.next_power_of_two().trailing_zeros());
    let headers = rounds * u64::from(costs.overhead_bytes + HEAD_BYTES);
    let of_a_round = costs.send_ns + costs.latency_ns + costs.receive_ns;
    let of_hosts = Ps::from_ns(2 * costs.local_ns + rounds * of_a_round);
    let exchange = of_hosts + costs.wire_time(u64::from(bytes) + headers);
    Ps(2 * exchange.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meeting_takes_twice_an_exchange_of_the_values_on_idle_hosts() {
        let costs = Management {
            local_ns: 8_000,
            send_ns: 15_000,
            receive_ns: 30_000,
            latency_ns: 10_000,
            bits_per_s: 100_000_000,
            overhead_bytes: 36,
        };
        // A round of two nodes, and 100 + 100 B at 80 ns.
        assert_eq!(span(2, 100, &costs), Ps::from_us(2 * (16 + 55 + 16)));
        // Five rounds of seventeen nodes, and 700 + 500 B.
        assert_eq!(span(17, 700, &costs), Ps::from_us(2 * (16 + 5 * 55 + 96)));
        assert_eq!(span(1, 0, &costs), Ps::from_us(32));
    }
}
