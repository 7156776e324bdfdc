use sim_pins::Ps;
use sim_time::Clock;

use crate::fault::{Fault, FaultStack};
use crate::receiver::Receiver;
use crate::transmitter::Transmitter;
use crate::wire::Wire;

/// One end of a link, for a node.
pub struct Port {
    /// The node sends here.
    pub tx: Transmitter,
    /// The node receives here.
    pub rx: Receiver,
}

/// What one direction of a link does.
#[derive(Default)]
pub struct Direction {
    /// The first layer that wants a frame has it.
    pub faults: Vec<Box<dyn Fault>>,
    /// Record every frame.
    pub capture: bool,
}

/// A cable between nodes A and B.
pub struct LinkConfig {
    /// From a pin of one to the same edge at the other's pins. No window may be longer.
    pub latency: Ps,
    /// Transmit clock of end a.
    pub a_clock: Clock,
    /// Transmit clock of end b.
    pub b_clock: Clock,
    /// Latency and faults from end a to end b.
    pub a_to_b: Direction,
    /// Latency and faults from end b to end a.
    pub b_to_a: Direction,
    /// Seed of the faults: the same seed gives the same faults.
    pub seed: u64,
    /// Tells the links of a run apart, so that they do not share their faults.
    pub link_idx: u64,
}

/// Makes the two ends of a link.
///
/// Symbols keep their count: edge k of a receive clock is edge k of the sender's transmit clock,
/// later by the latency. So none is lost or doubled between the clocks.
pub fn link(config: LinkConfig) -> (Port, Port) {
    let LinkConfig { latency, a_clock, b_clock, a_to_b, b_to_a, seed, link_idx } = config;
    let half = |clock: Clock, direction: Direction, half_idx: u64| {
        let wire = Wire::default();
        let faults = FaultStack::new(direction.faults, seed, 2 * link_idx + half_idx);
        let tx = Transmitter::new(wire.clone(), clock, latency, faults, direction.capture);
        (tx, Receiver::new(wire, clock, latency))
    };
    let (a_tx, b_rx) = half(a_clock, a_to_b, 0);
    let (b_tx, a_rx) = half(b_clock, b_to_a, 1);
    (Port { tx: a_tx, rx: a_rx }, Port { tx: b_tx, rx: b_rx })
}
