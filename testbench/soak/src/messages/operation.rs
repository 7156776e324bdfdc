//! The operations, and how lists of them are drawn.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::future::Future;
use std::marker::PhantomData;
use std::ops::Range;
use std::str::FromStr;

use nicscope_run::workload::messages::Messages;
use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::request_error;

use super::node;
use super::plant::Plant;
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

/// An operation on the messages of `M`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Op<M> {
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
    /// The messages.
    pub messages: PhantomData<M>,
}

impl<M> Display for Op<M> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Op { what, node, process, to, bytes, .. } = self;
        write!(f, "{} {node} {process} {to} {bytes}", KINDS[*what as usize])
    }
}

impl<M: Messages> FromStr for Op<M> {
    type Err = Error;

    fn from_str(line: &str) -> Result<Op<M>> {
        let wrong = || request_error!("operation {line:?}: must be a kind, node, process, receiver and bytes");
        let (kind, numbers) = line.trim().split_once(' ').ok_or_else(wrong)?;
        let what = KINDS.iter().position(|name| *name == kind).ok_or_else(wrong)?;
        let numbers: Vec<usize> = numbers.split(' ').flat_map(str::parse).collect();
        match numbers[..] {
            [node, process, to, bytes] if process < PROCESSES && bytes <= M::BYTES_MAX as usize => {
                Ok(Op { what: WHAT[what], node, process, to, bytes: bytes as u32, messages: PhantomData })
            }
            _ => Err(wrong()),
        }
    }
}

impl<M: Messages> Operation for Op<M> {
    const LANGUAGE: &'static str = "messages";
    const KINDS: &'static [&'static str] = &KINDS;
    type Plant = Plant;
    type Shared = Compared;

    fn kind_name(&self) -> &'static str {
        KINDS[self.what as usize]
    }

    fn simpler(&self) -> Vec<Op<M>> {
        let shorter = [0, self.bytes / 2].map(|bytes| Op { bytes, ..*self });
        shorter.into_iter().filter(|op| op.bytes < self.bytes).collect()
    }

    fn draw(seed: u64, number: u64, ops: Range<usize>) -> Case<Op<M>> {
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
                bytes: random.number(0..=M::BYTES_MAX),
                messages: PhantomData,
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

    fn play(seat: Seat<Op<M>>) -> impl Future<Output = Result<NodeReport>> + 'static {
        node::play(seat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use nic_layout::post::PostDescriptor;

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Short;

    impl Messages for Short {
        const BYTES_MAX: u32 = 12;

        fn post(_node: usize, message: u32, bytes: &[u8]) -> PostDescriptor {
            PostDescriptor { message, ..PostDescriptor::default() }.carrying(bytes)
        }

        fn has_returned(_operation: u8) -> bool {
            true
        }
    }

    #[test]
    fn a_number_names_a_case_that_is_its_own_text_and_every_kind_occurs() {
        let cases: Vec<Case<Op<Short>>> = (0..20).map(|number| Op::draw(1, number, 50..90)).collect();
        assert_eq!(cases[3], Op::draw(1, 3, 50..90));
        for case in &cases {
            assert_eq!(case.to_string().parse::<Case<Op<Short>>>().expect("its own text"), *case);
            assert!(case.ops.iter().all(|op| op.bytes <= Short::BYTES_MAX && op.node != op.to));
        }
        let kinds: BTreeSet<&str> = cases.iter().flat_map(|case| &case.ops).map(|op| op.kind_name()).collect();
        assert_eq!(kinds, KINDS.into());
    }

    #[test]
    fn text_that_is_no_operation_is_refused() {
        for line in ["sing 0 0 1 4", "send 0 0 1", "send 0 3 1 4", "send 0 0 1 13", "send 0 0 x 4", "settle"] {
            assert!(line.parse::<Op<Short>>().is_err(), "{line}");
        }
        assert_eq!("send 1 2 0 12".parse::<Op<Short>>().expect("an operation").to_string(), "send 1 2 0 12");
    }

    #[test]
    fn shorter_messages_are_simpler() {
        let op: Op<Short> = "send 0 0 1 12".parse().expect("an operation");
        assert_eq!(op.simpler().iter().map(|op| op.bytes).collect::<Vec<_>>(), [0, 6]);
        assert!(Op { bytes: 0, ..op }.simpler().is_empty());
    }
}
