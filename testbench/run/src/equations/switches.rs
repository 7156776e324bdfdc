//! Equations of cables and switches.

use nicscope_account::results::Equation;
use sim_fabric::{End, PortCounts};

use super::of_node::OfNode;
use crate::cluster::ClusterOutput;

/// The cables of a run.
fn cables(output: &ClusterOutput) -> Vec<[End; 2]> {
    output.topology.cables(output.nodes.len()).expect("the run had this topology")
}

/// The other end of the cable at `end`.
fn other_end(cables: &[[End; 2]], end: End) -> End {
    let own = cables.iter().find(|cable| cable.contains(&end)).expect("every end has a cable");
    own[usize::from(own[0] == end)]
}

/// The name of the end of a cable for the user, and the number of frames that began there. The
/// number is `None` if the NIC there was reset: then its MAC has counted anew.
fn begun_at(output: &ClusterOutput, end: End) -> (String, Option<u64>) {
    match end {
        End::Node(node) => {
            let report = output.nodes[node].outcome.as_ref();
            let begun = report.map_or(0, |report| report.totals.rtl("mac_rx_started"));
            (format!("the MAC of node {node}"), (output.nodes[node].resets == 0).then_some(begun))
        }
        End::Switch { switch, port } => {
            let counts = &output.switches[switch].counts.ports[port];
            (format!("switch {switch}, port {port}"), Some(counts.frames_in))
        }
    }
}

/// The frames that a node put on its cable began at the other end.
pub(super) fn cable_of_a_node(node: &OfNode) -> Vec<Equation> {
    let end = other_end(&cables(node.output), End::Node(node.index));
    let (what, begun) = begun_at(node.output, end);
    let statement = match end {
        End::Node(_) => "frames on the link - lost + doubled = frames that the peer's MAC began".to_owned(),
        End::Switch { .. } => format!("frames on the link - lost + doubled = frames that began at {what}"),
    };
    begun.map(|begun| node.equation(&statement, node.node.frames.arriving(), begun)).into_iter().collect()
}

/// The sums of each port of each switch, and of the port's cable.
pub(super) fn ports(output: &ClusterOutput) -> Vec<Equation> {
    let mut equations = Vec::new();
    let cables = cables(output);
    for (switch, found) in output.switches.iter().enumerate() {
        for (port, counts) in found.counts.ports.iter().enumerate() {
            let name = format!("switch {switch}, port {port}");
            equations.extend(of_a_port(&name, counts, found.links[port].sent));
            let end = other_end(&cables, End::Switch { switch, port });
            let (mut what, begun) = begun_at(output, end);
            if matches!(end, End::Switch { .. }) {
                what.push(',');
            }
            let statement = format!("{name}: frames on the link - lost + doubled = frames that {what} began");
            equations.extend(begun.map(|begun| Equation::new(statement, found.links[port].arriving(), begun)));
        }
        let ports = found.counts.ports.len() as u64;
        equations.push(Equation::new(
            format!("switch {switch}: frames offered to queues = forwarded + (ports - 1) x flooded"),
            found.counts.total(|port| port.offered),
            found.counts.total(|port| port.forwarded) + (ports - 1) * found.counts.total(|port| port.flooded),
        ));
    }
    equations
}

/// The sums of one port. `on_the_link` is the number of frames that the port put on its cable.
fn of_a_port(name: &str, counts: &PortCounts, on_the_link: u64) -> [Equation; 3] {
    [
        Equation::new(
            format!("{name}: frames in = forwarded + flooded + each way to drop one + undecided"),
            counts.frames_in,
            counts.forwarded + counts.flooded + counts.dropped_in() + counts.undecided,
        ),
        Equation::new(
            format!("{name}: frames offered to the queue = dropped at its tail + out + queued"),
            counts.offered,
            counts.dropped_tail + counts.frames_out + counts.queued,
        ),
        Equation::new(format!("{name}: frames out of the queue = frames on the link"), counts.frames_out, on_the_link),
    ]
}
