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
use crate::case::{Case, Cluster, NODES_MAX};
use crate::clusters::{cluster, cluster_of_nodes};
use crate::language::{Compared, Operation, Seat};
use crate::messages::plant::Plant;
use crate::random::Random;

/// Bytes that one operation writes at most: more than the window of a stream.
pub const BYTES_MAX: u32 = 80_000;

/// The kinds, as reports and lists name them.
const KINDS: [&str; 1] = ["write"];

/// A process writes so many bytes to its stream to another node, and the process there reads them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Op {
    /// The node that writes.
    pub node: usize,
    /// The node that reads.
    pub to: usize,
    /// Bytes, at least one.
    pub bytes: u32,
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Op { node, to, bytes } = self;
        write!(f, "{} {node} {to} {bytes}", KINDS[0])
    }
}

impl FromStr for Op {
    type Err = Error;

    fn from_str(line: &str) -> Result<Op> {
        let wrong = || request_error!("operation {line:?}: must be a kind, node, receiver and bytes");
        let numbers = line.trim().strip_prefix(KINDS[0]).ok_or_else(wrong)?;
        let numbers: Vec<usize> = numbers.split_whitespace().flat_map(str::parse).collect();
        match numbers[..] {
            [node, to, bytes] if (1..=BYTES_MAX as usize).contains(&bytes) => Ok(Op { node, to, bytes: bytes as u32 }),
            _ => Err(wrong()),
        }
    }
}

impl Operation for Op {
    const LANGUAGE: &'static str = "streams";
    const KINDS: &'static [&'static str] = &KINDS;
    type Plant = Plant;
    type Shared = Compared;

    fn kind_name(&self) -> &'static str {
        KINDS[0]
    }

    fn simpler(&self) -> Vec<Op> {
        let shorter = [1, self.bytes / 2].map(|bytes| Op { bytes, ..*self });
        shorter.into_iter().filter(|op| (1..self.bytes).contains(&op.bytes)).collect()
    }

    fn draw(seed: u64, number: u64, ops: Range<usize>) -> Case<Op> {
        let mut random = Random::new(seed, number);
        // There is no image for two cores.
        let cluster = Cluster { cores: 1, ..cluster(&mut random) };
        let cluster = cluster_of_nodes(cluster, &mut random);
        let nodes = cluster.topology.nodes.min(NODES_MAX);
        let ops = (0..random.index(ops)).map(|_| {
            let node = random.index(0..nodes);
            let short = random.flag();
            let most = if short { 100 } else { BYTES_MAX };
            Op { node, to: (node + random.index(1..nodes)) % nodes, bytes: random.number(1..=most) }
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

    #[test]
    fn a_number_names_a_case_that_is_its_own_text() {
        for number in 0..20 {
            let case = Op::draw(1, number, 50..90);
            assert_eq!(case, Op::draw(1, number, 50..90));
            assert_eq!(case.to_string().parse::<Case<Op>>().expect("its own text"), case);
            assert!(case.ops.iter().all(|op| (1..=BYTES_MAX).contains(&op.bytes) && op.node != op.to));
        }
    }

    #[test]
    fn text_that_is_no_operation_is_refused() {
        for line in ["read 0 1 4", "write 0 1", "write 0 1 80001", "write 0 x 4", "write 0 1 0"] {
            assert!(line.parse::<Op>().is_err(), "{line}");
        }
        assert_eq!("write 1 0 12".parse::<Op>().expect("an operation").to_string(), "write 1 0 12");
    }
}
