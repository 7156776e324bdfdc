//! Sums of counters that must agree (INV-38): each part of a run gives its own.

mod caches;
mod counters;
mod driver;
mod flows;
mod mac;
mod of_node;
mod switches;

use nicscope_account::results::Equation;

use crate::cluster::ClusterOutput;
use of_node::OfNode;

pub(crate) use flows::sums as sums_of_flows;

/// The parts of a node that give equations, in the order in which these are printed.
const PARTS_OF_A_NODE: [fn(&OfNode) -> Vec<Equation>; 9] = [
    counters::within_the_sets,
    counters::kept_by_core_b,
    caches::seen_by_the_monitor,
    mac::frames,
    switches::cable_of_a_node,
    driver::misses_read,
    driver::notifications,
    driver::misses_served,
    driver::page_faults,
];

/// The parts of a whole run that give equations.
const PARTS_OF_A_RUN: [fn(&ClusterOutput) -> Vec<Equation>; 2] = [switches::ports, flows::equations];

/// All equations of a run: first of each node whose task has returned, then of switches and flows.
pub fn equations(output: &ClusterOutput) -> Vec<Equation> {
    let mut equations = Vec::new();
    for (index, node) in output.nodes.iter().enumerate() {
        if let Some(report) = &node.outcome {
            let node = OfNode { output, index, node, report };
            equations.extend(PARTS_OF_A_NODE.iter().flat_map(|part| part(&node)));
        }
    }
    equations.extend(PARTS_OF_A_RUN.iter().flat_map(|part| part(output)));
    equations
}
