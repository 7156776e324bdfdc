//! The operations, and how lists of them are drawn.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::future::Future;
use std::ops::Range;
use std::str::FromStr;

use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::request_error;

use super::node;
use super::plant::Plant;
use crate::case::{Case, Cluster, NODES_MAX};
use crate::clusters::{cluster, cluster_of_nodes};
use crate::language::{Compared, Operation, Seat};
use crate::random::Random;

/// Bytes of the longest message: more than seven pages, so that all formats occur.
pub const BYTES_MAX: u32 = 40_000;

/// The kinds, as reports and lists name them.
const KINDS: [&str; 4] = ["send", "wait", "end", "settle"];

/// What an operation does. The numbers are the places in [`KINDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum What {
    /// A process sends a message, and another posts the receive that takes it.
    Send,
    /// A process waits for its messages of both directions.
    Wait,
    /// A process waits for its messages, and ends. A successor takes its place.
    End,
    /// All nodes wait until nothing moves.
    Settle,
}

const WHAT: [What; 4] = [What::Send, What::Wait, What::End, What::Settle];

/// An operation on messages. The place in the list is the tag of its message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Op {
    /// What it does.
    pub what: What,
    /// The node that does it. [`What::Settle`] is for all nodes.
    pub node: usize,
    /// The receiver of a message.
    pub to: usize,
    /// The bytes of a message.
    pub bytes: u32,
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Op { what, node, to, bytes } = self;
        write!(f, "{} {node} {to} {bytes}", KINDS[*what as usize])
    }
}

impl FromStr for Op {
    type Err = Error;

    fn from_str(line: &str) -> Result<Op> {
        let wrong = || request_error!("operation {line:?}: must be a kind, node, receiver and bytes");
        let (kind, numbers) = line.trim().split_once(' ').ok_or_else(wrong)?;
        let what = KINDS.iter().position(|name| *name == kind).ok_or_else(wrong)?;
        let numbers: Vec<usize> = numbers.split(' ').flat_map(str::parse).collect();
        match numbers[..] {
            [node, to, bytes] if bytes <= BYTES_MAX as usize => {
                Ok(Op { what: WHAT[what], node, to, bytes: bytes as u32 })
            }
            _ => Err(wrong()),
        }
    }
}

impl Operation for Op {
    const LANGUAGE: &'static str = "matched";
    const KINDS: &'static [&'static str] = &KINDS;
    type Plant = Plant;
    type Shared = Compared;

    fn kind_name(&self) -> &'static str {
        KINDS[self.what as usize]
    }

    fn simpler(&self) -> Vec<Op> {
        let shorter = [0, self.bytes / 2].map(|bytes| Op { bytes, ..*self });
        shorter.into_iter().filter(|op| op.bytes < self.bytes).collect()
    }

    fn draw(seed: u64, number: u64, ops: Range<usize>) -> Case<Op> {
        let mut random = Random::new(seed, number);
        // The images for two cores do not exist yet.
        let cluster = Cluster { cores: 1, ..cluster(&mut random) };
        let cluster = cluster_of_nodes(cluster, &mut random);
        let nodes = cluster.topology.nodes.min(NODES_MAX);
        let ops = (0..random.index(ops)).map(|_| {
            let node = random.index(0..nodes);
            let short = random.flag();
            Op {
                what: WHAT[random.weighted(&[88, 6, 3, 3])],
                node,
                to: (node + random.index(1..nodes)) % nodes,
                bytes: random.number(0..=if short { 100 } else { BYTES_MAX }),
            }
        });
        Case { remarks: Vec::new(), ops: ops.collect(), cluster }
    }

    fn share(_cluster: &Cluster, compared: Compared) -> Compared {
        compared
    }

    fn decided(_shared: &Compared) -> BTreeMap<&'static str, u64> {
        BTreeMap::new()
    }

    fn play(seat: Seat<Op>) -> impl Future<Output = Result<NodeReport>> + 'static {
        node::play(seat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_number_names_a_case_that_is_its_own_text_and_every_kind_occurs() {
        let cases: Vec<Case<Op>> = (0..20).map(|number| Op::draw(1, number, 50..90)).collect();
        assert_eq!(cases[3], Op::draw(1, 3, 50..90));
        for case in &cases {
            assert_eq!(case.to_string().parse::<Case<Op>>().expect("its own text"), *case);
            assert!(case.ops.iter().all(|op| op.bytes <= BYTES_MAX && op.node != op.to));
        }
        let kinds: BTreeSet<&str> = cases.iter().flat_map(|case| &case.ops).map(|op| op.kind_name()).collect();
        assert_eq!(kinds, KINDS.into());
    }

    #[test]
    fn text_that_is_no_operation_is_refused() {
        for line in ["sing 0 1 4", "send 0 1", "send 0 1 40001", "send 0 x 4", "settle"] {
            assert!(line.parse::<Op>().is_err(), "{line}");
        }
        assert_eq!("send 1 0 12".parse::<Op>().expect("an operation").to_string(), "send 1 0 12");
    }

    #[test]
    fn shorter_messages_are_simpler() {
        let op: Op = "send 0 1 12".parse().expect("an operation");
        assert_eq!(op.simpler().iter().map(|op| op.bytes).collect::<Vec<_>>(), [0, 6]);
        assert!(Op { bytes: 0, ..op }.simpler().is_empty());
    }
}
