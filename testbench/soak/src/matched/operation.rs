//! The operations.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::future::Future;
use std::ops::Range;
use std::str::FromStr;

use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::request_error;

use super::board::Common;
use super::number::BURST_MAX;
use super::plant::Plant;
use super::{draw, node};
use crate::case::{Case, Cluster};
use crate::language::{Compared, Operation, Seat};

/// Bytes of the longest message.
pub const BYTES_MAX: u32 = 300_000;

/// The kinds, as reports and lists name them.
const KINDS: [&str; 12] =
    ["send", "receive", "sends", "receives", "again", "cancel", "wait", "end", "kill", "reset", "hostile", "settle"];

/// What an operation does. The numbers are the places in [`KINDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum What {
    /// The process of a node posts a message to a peer.
    Send,
    /// The process posts a receive.
    Receive,
    /// The process posts several messages to a peer. The flags are their count.
    Sends,
    /// The process posts several receives.
    Receives,
    /// The process posts an ended message again, whose descriptor it has kept.
    Again,
    /// The process gives its youngest message up.
    Cancel,
    /// The process waits for a time, and looks at its messages.
    Wait,
    /// The process gives its messages up, and ends. A successor takes its place.
    End,
    /// The process is ended in whatever step it is, after a time.
    Kill,
    /// The NIC is reset under whatever it does, after a time. The peers are told.
    Reset,
    /// The process writes what it must not into descriptors and mailboxes.
    Hostile,
    /// All nodes wait until nothing can be delivered any more, and compare what they have seen.
    Settle,
}

const WHAT: [What; 12] = [
    What::Send,
    What::Receive,
    What::Sends,
    What::Receives,
    What::Again,
    What::Cancel,
    What::Wait,
    What::End,
    What::Kill,
    What::Reset,
    What::Hostile,
    What::Settle,
];

/// The receive takes messages of any node.
pub const ANY_SOURCE: u32 = 1;
/// The receive takes messages of any tag.
pub const ANY_TAG: u32 = 2;
/// The descriptor is kept when the message has ended, for [`What::Again`].
pub const KEEP: u32 = 4;
/// [`What::Again`] and [`What::Cancel`] are of a receive.
pub const OF_RECEIVE: u32 = 1;

/// Neighbours in a burst have so many different lengths.
const LENGTHS: u32 = 5;

/// An operation on messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Op {
    /// What it does.
    pub what: What,
    /// The node that does it. [`What::Settle`] is for all nodes.
    pub node: usize,
    /// The receiver of a message, or the node to receive from.
    pub peer: usize,
    /// The tag.
    pub tag: u16,
    /// Bytes of a message, room of a receive, or a time in us.
    pub bytes: u32,
    /// The flags, how many messages are posted, or which thing a hostile process does.
    pub flags: u32,
}

impl Op {
    /// Everything waits until nothing can be delivered any more.
    pub const SETTLE: Op = Op { what: What::Settle, node: 0, peer: 0, tag: 0, bytes: 0, flags: 0 };

    /// Whether a node of a cluster plays it: its nodes are different ones, and are there.
    pub fn is_of(&self, node: usize, nodes: usize) -> bool {
        self.node == node && self.peer < nodes && self.peer != node
    }

    /// Whether it posts several messages.
    pub fn is_burst(&self) -> bool {
        matches!(self.what, What::Sends | What::Receives)
    }

    /// Whether it posts sends.
    pub fn is_of_send(&self) -> bool {
        matches!(self.what, What::Send | What::Sends)
    }

    /// The operation that posts one of its messages. The lengths of a burst differ, in the same way
    /// on both sides.
    pub fn one(&self, index: u32) -> Op {
        let what = match self.what {
            What::Sends => What::Send,
            What::Receives => What::Receive,
            _ => return *self,
        };
        Op { what, bytes: self.bytes / (1 + index % LENGTHS), flags: 0, ..*self }
    }

    /// Whether it has a flag.
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Op { what, node, peer, tag, bytes, flags } = self;
        write!(f, "{} {node} {peer} tag {tag} bytes {bytes} flags {flags}", KINDS[*what as usize])
    }
}

impl FromStr for Op {
    type Err = Error;

    fn from_str(line: &str) -> Result<Op> {
        let wrong =
            || request_error!("operation {line:?}: must be a kind, a node, a peer, and `tag`, `bytes` and `flags`");
        let words: Vec<&str> = line.split_whitespace().collect();
        let [kind, node, peer, "tag", tag, "bytes", bytes, "flags", flags] = words[..] else { return Err(wrong()) };
        let what = KINDS.iter().position(|name| *name == kind).ok_or_else(wrong)?;
        let number = |word: &str| word.parse::<u32>().map_err(|_| wrong());
        let op = Op {
            what: WHAT[what],
            node: number(node)? as usize,
            peer: number(peer)? as usize,
            tag: u16::try_from(number(tag)?).map_err(|_| wrong())?,
            bytes: number(bytes)?,
            flags: number(flags)?,
        };
        if op.bytes > BYTES_MAX || op.is_burst() && op.flags > BURST_MAX {
            return Err(wrong());
        }
        Ok(op)
    }
}

impl Operation for Op {
    const LANGUAGE: &'static str = "matched";
    const KINDS: &'static [&'static str] = &KINDS;
    type Plant = Plant;
    type Shared = Common;

    fn kind_name(&self) -> &'static str {
        KINDS[self.what as usize]
    }

    fn simpler(&self) -> Vec<Op> {
        let is_message = matches!(self.what, What::Send | What::Receive);
        let shorter = [0, self.bytes / 2].map(|bytes| Op { bytes, ..*self });
        let plain = Op { flags: 0, ..*self };
        let all = shorter.into_iter().filter(|op| op.bytes < self.bytes);
        let all = all.chain((is_message && plain != *self).then_some(plain));
        let fewer = [self.flags / 2, self.flags.saturating_sub(1)].map(|flags| Op { flags, ..*self });
        let is_fewer = |op: &Op| self.is_burst() && 0 < op.flags && op.flags < self.flags;
        all.chain(fewer.into_iter().filter(is_fewer)).collect()
    }

    fn draw(seed: u64, number: u64, ops: Range<usize>) -> Case<Op> {
        draw::case(seed, number, ops)
    }

    fn share(cluster: &Cluster, compared: Compared) -> Common {
        Common::new(cluster, compared)
    }

    fn decided(shared: &Common) -> BTreeMap<&'static str, u64> {
        shared.decided()
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
        let cases: Vec<Case<Op>> = (0..40).map(|number| Op::draw(1, number, 60..90)).collect();
        assert_eq!(cases[3], Op::draw(1, 3, 60..90));
        for case in &cases {
            assert_eq!(case.to_string().parse::<Case<Op>>().expect("its own text"), *case);
            let is_legal = |op: &Op| op.bytes <= BYTES_MAX && (op.what == What::Settle || op.node != op.peer);
            assert!(case.ops.iter().all(is_legal));
        }
        let kinds: BTreeSet<&str> = cases.iter().flat_map(|case| &case.ops).map(|op| op.kind_name()).collect();
        assert_eq!(kinds, KINDS.into());
    }

    #[test]
    fn text_that_is_no_operation_is_refused() {
        for line in [
            "sing 0 1 tag 1 bytes 4 flags 0",
            "send 0 1",
            "send 0 1 tag 1 bytes 300001 flags 0",
            "send 0 x tag 1 bytes 4 flags 0",
            "send 0 1 tag 65536 bytes 4 flags 0",
            "sends 0 1 tag 1 bytes 4 flags 401",
            "settle",
        ] {
            assert!(line.parse::<Op>().is_err(), "{line}");
        }
        let line = "send 1 0 tag 7 bytes 12 flags 4";
        assert_eq!(line.parse::<Op>().expect("an operation").to_string(), line);
    }

    #[test]
    fn shorter_messages_are_simpler() {
        let op: Op = "send 0 1 tag 1 bytes 12 flags 4".parse().expect("an operation");
        let simpler = op.simpler();
        assert_eq!(simpler.iter().map(|op| op.bytes).collect::<Vec<_>>(), [0, 6, 12]);
        assert!(Op { bytes: 0, flags: 0, ..op }.simpler().is_empty());
        let counts = |op: Op| op.simpler().iter().map(|op| op.flags).collect::<Vec<_>>();
        assert_eq!(counts(Op { what: What::Receives, bytes: 0, flags: 9, ..op }), [4, 8]);
        assert!(counts(Op { what: What::Receives, bytes: 0, flags: 1, ..op }).is_empty());
    }
}
