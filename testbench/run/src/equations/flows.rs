//! Equations of flows: a receiver has compared all messages and bytes that a sender has sent to it.

use std::collections::BTreeMap;

use nicscope_account::results::{Equation, FlowSum};

use crate::cluster::ClusterOutput;

pub(super) fn equations(output: &ClusterOutput) -> Vec<Equation> {
    let of_flow = |flow: FlowSum| {
        let name = format!("node {} to node {}", flow.from, flow.to);
        [
            Equation::new(
                format!("{name}: messages that were sent = messages that were compared"),
                flow.messages,
                flow.compared_messages,
            ),
            Equation::new(
                format!("{name}: bytes that were sent = bytes that were compared"),
                flow.bytes,
                flow.compared_bytes,
            ),
        ]
    };
    sums(output).into_iter().flat_map(of_flow).collect()
}

/// Messages and bytes by sender and receiver, warm-up included. Empty without a workload of flows.
pub(crate) fn sums(output: &ClusterOutput) -> Vec<FlowSum> {
    let mut sums: BTreeMap<(usize, usize), FlowSum> = BTreeMap::new();
    for (node, report) in output.nodes.iter().enumerate().filter_map(|(node, of)| Some((node, of.outcome.as_ref()?))) {
        let flow = |from, to| FlowSum { from, to, messages: 0, bytes: 0, compared_messages: 0, compared_bytes: 0 };
        for (&to, sent) in &report.flows.sent {
            let sum = sums.entry((node, to)).or_insert(flow(node, to));
            (sum.messages, sum.bytes) = (sent.messages, sent.bytes);
        }
        for (&from, compared) in &report.flows.compared {
            let sum = sums.entry((from, node)).or_insert(flow(from, node));
            (sum.compared_messages, sum.compared_bytes) = (compared.messages, compared.bytes);
        }
    }
    sums.into_values().collect()
}
