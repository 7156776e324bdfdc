//! The operations, and how lists of them are drawn.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::future::Future;
use std::ops::Range;
use std::str::FromStr;

use nic_layout::personality::echo::DATA_BYTES_MAX;
use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::request_error;

use super::play;
use crate::case::{Case, Cluster, NODES_MAX};
use crate::clusters::{cluster, cluster_of_nodes};
use crate::language::{Compared, Operation, Seat};
use crate::random::Random;

/// Processes of a node.
pub const PROCESSES: usize = 3;

/// The kinds, as reports and lists name them.
const KINDS: [&str; 5] = ["send", "wait", "end", "kill", "settle"];

/// What an operation does. The numbers are the places in [`KINDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum What {
    /// The process sends a message.
    Send,
    /// The process waits for its messages.
    Wait,
    /// The process waits for its messages, and ends. A successor takes its place.
    End,
    /// The process ends while messages are under way. A successor takes its place.
    Kill,
    /// All nodes wait until nothing moves.
    Settle,
}

const WHAT: [What; 5] = [What::Send, What::Wait, What::End, What::Kill, What::Settle];

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// What it does.
    pub what: What,
    /// The node that does it. [`What::Settle`] is for all nodes.
    pub node: usize,
    /// The place of the process on its node.
    pub process: usize,
    /// The receiver of a message.
    pub to: usize,
    /// The bytes of a message.
    pub bytes: u32,
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Op { what, node, process, to, bytes } = self;
        write!(f, "{} {node} {process} {to} {bytes}", KINDS[*what as usize])
    }
}

impl FromStr for Op {
    type Err = Error;

    fn from_str(line: &str) -> Result<Op> {
        let wrong = || request_error!("operation {line:?}: must be a kind, node, process, receiver and bytes");
        let (kind, numbers) = line.trim().split_once(' ').ok_or_else(wrong)?;
        let what = KINDS.iter().position(|name| *name == kind).ok_or_else(wrong)?;
        let numbers: Vec<usize> = numbers.split(' ').flat_map(str::parse).collect();
        match numbers[..] {
            [node, process, to, bytes] if process < PROCESSES && bytes <= DATA_BYTES_MAX as usize => {
                Ok(Op { what: WHAT[what], node, process, to, bytes: bytes as u32 })
            }
            _ => Err(wrong()),
        }
    }
}

impl Operation for Op {
    const LANGUAGE: &'static str = "echo";
    const KINDS: &'static [&'static str] = &KINDS;
    type Plant = ();
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
        let cluster = cluster(&mut random);
        let cluster = cluster_of_nodes(cluster, &mut random);
        let nodes = cluster.topology.nodes.min(NODES_MAX);
        let ops = (0..random.index(ops)).map(|_| {
            let node = random.index(0..nodes);
            Op {
                what: WHAT[random.weighted(&[80, 8, 3, 4, 5])],
                node,
                process: random.index(0..PROCESSES),
                to: (node + random.index(1..nodes)) % nodes,
                bytes: random.number(0..=DATA_BYTES_MAX),
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
        play::play(seat)
    }
}
