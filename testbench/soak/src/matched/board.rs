//! The model. It knows what was sent, which receives are open, and what happened to nodes since the
//! last comparison; and says whether the end of a message may be.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nic_layout::personality::emp::descriptor::{Failure, RESERVED_TAG_MIN};
use nicscope_run::workload::app::pattern;
use nicscope_scenario::error::{Error, Result, Statement};
use sim_pins::Ps;

use super::number::Number;
use crate::case::Cluster;
use crate::language::Compared;

/// The tag of all messages that a hostile process posts beside its own.
pub const TAG: u16 = 0xBAD;

/// The time from an entry on the board until other nodes see it: longer than a node may run ahead
/// of the others.
pub const SEEN_AFTER: Ps = Ps::from_us(2);

/// Messages of so many bytes are never alike: the first word of a pattern has one number.
const NEVER_ALIKE_BYTES: u32 = 8;
/// Patterns that are tried for a shorter message, so that it has bytes of its own.
const PATTERNS: u32 = 2048;
/// The step from one of them to the next: more than the patterns of the numbers of a list.
const PATTERN_STEP: u32 = 1 << 20;

/// How a send has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It may still be delivered.
    Open,
    /// Its process knows that it was accepted.
    Done,
    /// Its process knows that it has failed.
    Failed,
    /// Its process has ended without knowing.
    Lost,
}

/// A message that was posted.
#[derive(Clone, Debug)]
pub struct Sent {
    pub number: Number,
    /// Which pattern its bytes are.
    pub pattern: u32,
    pub node: usize,
    pub to: usize,
    pub tag: u16,
    pub bytes: u32,
    pub end: End,
    /// A receive has brought it.
    pub has_come: bool,
}

/// What a receive asks for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub source: Option<usize>,
    pub tag: Option<u16>,
}

impl Wanted {
    fn takes(&self, sent: &Sent) -> bool {
        let is_tag = match self.tag {
            Some(tag) => tag == sent.tag,
            None => sent.tag < RESERVED_TAG_MIN,
        };
        is_tag && self.source.is_none_or(|source| source == sent.node)
    }
}

/// What happened to a node since the last comparison: causes of failures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Causes {
    /// Its process has given sends up.
    pub gave_sends_up: bool,
    /// Its process has given receives up.
    pub gave_receives_up: bool,
    /// A process of it has ended with open messages.
    pub was_killed: bool,
    /// Its NIC was reset.
    pub was_reset: bool,
    /// Its process was hostile.
    pub is_hostile: bool,
    /// The least room of its receives.
    pub least_room: Option<u32>,
}

/// A new session of a node.
#[derive(Clone, Debug)]
pub struct News {
    pub node: usize,
    pub session: u32,
    /// When other nodes see it.
    pub visible: Ps,
    /// Nodes that have told their drivers.
    pub heeded: usize,
}

/// What the nodes of a case share.
#[derive(Debug, Default)]
pub struct Board {
    pub sends: Vec<Sent>,
    /// Open receives, by node and number.
    pub receives: BTreeMap<(usize, Number), Wanted>,
    pub causes: Vec<Causes>,
    pub news: Vec<News>,
    /// Bursts that their nodes have come to, and when other nodes see it.
    bursts: BTreeMap<u32, Ps>,
    counts: BTreeMap<&'static str, u64>,
}

/// The board, behind a lock.
#[derive(Clone)]
pub struct Common {
    board: Arc<Mutex<Board>>,
    pub compared: Compared,
}

/// An error of a statement that does not hold.
pub fn broken(invariant: u8, what: impl std::fmt::Display) -> Error {
    let statement = Statement::Invariant(invariant);
    Error::broken(statement, format!("{statement}: {what}"))
}

impl Common {
    pub fn new(cluster: &Cluster, compared: Compared) -> Common {
        let causes = vec![Causes::default(); cluster.topology.nodes];
        Common { board: Arc::new(Mutex::new(Board { causes, ..Board::default() })), compared }
    }

    pub fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts of decisions, by name.
    pub fn decided(&self) -> BTreeMap<&'static str, u64> {
        self.lock().counts.clone()
    }
}

impl Sent {
    /// Whether a receiver cannot tell it from another message.
    fn is_like(&self, other: &Sent) -> bool {
        (self.node, self.to, self.tag, self.bytes) == (other.node, other.to, other.tag, other.bytes)
            && (self.pattern == other.pattern || self.bytes < NEVER_ALIKE_BYTES && self.content() == other.content())
    }

    /// Its bytes.
    pub fn content(&self) -> Vec<u8> {
        pattern(self.pattern, self.bytes)
    }
}

impl Board {
    pub fn count(&mut self, name: &'static str) {
        *self.counts.entry(name).or_insert(0) += 1;
    }

    /// A node has come to a burst: the number of the operation.
    pub fn come_to_burst(&mut self, op: u32, visible: Ps) {
        self.bursts.entry(op).or_insert(visible);
    }

    /// Whether the node of a burst has come to it, as other nodes see it.
    pub fn is_at_burst(&self, op: u32, now: Ps) -> bool {
        self.bursts.get(&op).is_some_and(|visible| *visible <= now)
    }

    /// A message is about to be posted. Returns its bytes: bytes of its own, if as many messages of
    /// its length can differ.
    pub fn send(&mut self, mut sent: Sent) -> Vec<u8> {
        let is_alike = |sent: &Sent| self.sends.iter().any(|other| other.is_like(sent));
        if sent.bytes < NEVER_ALIKE_BYTES && is_alike(&sent) {
            let first = sent.pattern;
            let tries = if sent.bytes == 0 { 0 } else { PATTERNS };
            for step in 1..=tries {
                sent.pattern = first.wrapping_add(step * PATTERN_STEP);
                if !is_alike(&sent) {
                    break;
                }
            }
            if is_alike(&sent) {
                self.count("messages that look like another one");
            }
        }
        let content = sent.content();
        self.sends.push(sent);
        content
    }

    /// A receive has brought a message. The message was sent, and has not come before.
    ///
    /// # Errors
    /// No such message was sent to the node, or it has come before.
    pub fn come(&mut self, node: usize, source: usize, tag: u16, found: &[u8]) -> Result<()> {
        self.count("messages received");
        let is_it = |sent: &&mut Sent| {
            sent.node == source && sent.to == node && sent.tag == tag && sent.bytes as usize == found.len()
        };
        let has_bytes = |sent: &Sent| sent.content() == found;
        if let Some(sent) = self.sends.iter_mut().filter(is_it).find(|sent| !sent.has_come && has_bytes(sent)) {
            sent.has_come = true;
            return Ok(());
        }
        let (mut why, alike) = ("no such message was sent", self.sends.iter_mut().filter(is_it));
        for sent in alike {
            why = if has_bytes(sent) { "it has come before" } else { "a byte is wrong" };
            if has_bytes(sent) {
                break;
            }
        }
        let (own, other) =
            (self.causes[node].is_hostile, self.causes.get(source).is_some_and(|causes| causes.is_hostile));
        if own || other && tag == TAG {
            self.count("messages of hostile processes");
            return Ok(());
        }
        let bytes = found.len();
        Err(broken(27, format!("node {node} has received {bytes} bytes with tag {tag} from node {source}: {why}")))
    }

    /// Whether a failure has a cause.
    ///
    /// # Errors
    /// It has none.
    pub fn failed(&mut self, node: usize, what: &str, peer: Option<usize>, bytes: u32, failure: Failure) -> Result<()> {
        self.count(match failure {
            Failure::Cancelled => "failures: cancelled",
            Failure::Aborted => "failures: aborted",
            Failure::Truncated => "failures: truncated",
            Failure::PeerRestarted => "failures: peer restarted",
            Failure::Unreachable => "failures: unreachable",
            Failure::BadDescriptor | Failure::BadList | Failure::BadAddress | Failure::BusError => {
                "failures: bad descriptors"
            }
        });
        let own = self.causes[node];
        let is_send = what == "send";
        let any = |has: &dyn Fn(&Causes) -> bool| match peer {
            Some(peer) => has(&self.causes[peer]),
            None => self.causes.iter().any(has),
        };
        let has_cause = own.is_hostile
            || match failure {
                Failure::Cancelled if is_send => own.gave_sends_up,
                Failure::Cancelled => own.gave_receives_up,
                Failure::Aborted if is_send => any(&|peer| {
                    let is_short = peer.least_room.is_some_and(|room| room < bytes);
                    peer.gave_receives_up || peer.was_killed || peer.was_reset || peer.is_hostile || is_short
                }),
                Failure::Aborted => {
                    any(&|peer| peer.gave_sends_up || peer.was_killed || peer.was_reset || peer.is_hostile)
                }
                // A receive whose room is `bytes`.
                Failure::Truncated => {
                    !is_send
                        && (self.sends.iter().any(|sent| sent.to == node && sent.bytes > bytes)
                            || self.causes.iter().any(|causes| causes.is_hostile))
                }
                Failure::PeerRestarted | Failure::Unreachable => any(&|peer| peer.was_reset),
                Failure::BadDescriptor | Failure::BadList | Failure::BadAddress | Failure::BusError => false,
            };
        match has_cause {
            true => Ok(()),
            false => Err(broken(
                33,
                format!("a {what} of node {node} with {bytes} bytes has failed without a cause: {failure:?}"),
            )),
        }
    }

    /// Whether a message of a node may still be delivered: it is open, and so is a receive that it
    /// matches. Hostile nodes deliver nothing for certain.
    pub fn may_move(&self, node: usize) -> bool {
        let is_open = |sent: &&Sent| {
            sent.end == End::Open
                && (sent.node == node || sent.to == node)
                && !self.causes[sent.node].is_hostile
                && !self.causes[sent.to].is_hostile
        };
        let has_receive = |sent: &Sent| {
            self.receives
                .range((sent.to, Number::FIRST)..(sent.to + 1, Number::FIRST))
                .any(|(_, wanted)| wanted.takes(sent))
        };
        // A receive of any tag takes no message behind one with a reserved tag that has not come.
        let may_wait = |sent: &Sent| {
            let is_before = |other: &Sent| {
                (other.node, other.to) == (sent.node, sent.to)
                    && other.number < sent.number
                    && other.end == End::Open
                    && !other.has_come
                    && other.tag >= RESERVED_TAG_MIN
            };
            self.sends.iter().any(|other| is_before(other) && !has_receive(other))
        };
        self.sends.iter().filter(is_open).any(|sent| has_receive(sent) && !may_wait(sent))
    }

    /// All messages have ended: what was accepted has come.
    ///
    /// # Errors
    /// A message was accepted, and no process has received it.
    pub fn settle(&mut self, node: usize) -> Result<()> {
        let causes = self.causes[node];
        if causes.was_killed || causes.was_reset || causes.is_hostile {
            return Ok(());
        }
        let is_lost = |sent: &Sent| {
            sent.to == node && sent.end == End::Done && !sent.has_come && !self.causes[sent.node].is_hostile
        };
        // Messages of no bytes look alike, and so do very many of one byte (`send`). If one of them
        // failed and another came, the model may have noted the wrong one. So as many of them must have
        // come as were accepted.
        let is_in_place_of = |sent: &Sent| sent.has_come && sent.end != End::Done;
        for sent in self.sends.iter().filter(|sent| is_lost(sent)) {
            let alike = || self.sends.iter().filter(|other| other.is_like(sent));
            if alike().filter(|other| is_lost(other)).count() > alike().filter(|other| is_in_place_of(other)).count() {
                let Sent { node: source, tag, bytes, number, .. } = sent;
                return Err(broken(28, format!("message {number} with tag {tag} and {bytes} bytes of node {source} was accepted, and node {node} has not received it")));
            }
        }
        Ok(())
    }

    /// Everything was compared.
    pub fn forget(&mut self) {
        self.sends.clear();
        self.receives.clear();
        self.causes.fill(Causes::default());
        self.count("comparisons");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(op: u32, tag: u16) -> Sent {
        let number = Number { op, ..Number::FIRST };
        let pattern = number.pattern();
        Sent { number, pattern, node: 1, to: 0, tag, bytes: 0, end: End::Open, has_come: false }
    }

    fn may_move(sends: &[Sent], wanted: Wanted) -> bool {
        let board = Board {
            sends: sends.to_vec(),
            receives: BTreeMap::from([((0, Number { op: 9, index: 1 }), wanted)]),
            causes: vec![Causes::default(); 2],
            ..Board::default()
        };
        assert_eq!(board.may_move(0), board.may_move(1));
        board.may_move(0)
    }

    /// Node 1 sends two messages of no bytes to node 0; one fails, one is accepted. The receiver
    /// cannot tell which has come.
    #[test]
    fn of_messages_that_are_alike_as_many_have_come_as_were_accepted() {
        let settled = |ends: &[End], come: u32| {
            let mut board = Board { causes: vec![Causes::default(); 2], ..Board::default() };
            board.sends = ends.iter().zip(0..).map(|(end, op)| Sent { end: *end, ..sent(op, 5) }).collect();
            for _ in 0..come {
                board.come(0, 1, 5, &[]).expect("it was sent");
            }
            board.settle(0).is_ok()
        };
        assert!(settled(&[End::Failed, End::Done], 1));
        assert!(!settled(&[End::Failed, End::Done], 0));
        assert!(!settled(&[End::Failed, End::Done, End::Done], 1));
        assert!(settled(&[End::Done, End::Failed, End::Done], 2));
    }

    /// Node 1 sends messages of one byte to node 0, all with one tag. One is given up and comes all
    /// the same. Another one is accepted and lost.
    #[test]
    fn short_messages_have_bytes_of_their_own_so_the_loss_of_one_is_seen() {
        let mut board = Board { causes: vec![Causes::default(); 2], ..Board::default() };
        let contents: Vec<Vec<u8>> = (0..200).map(|op| board.send(Sent { bytes: 1, ..sent(op, 5) })).collect();
        let different: std::collections::BTreeSet<&Vec<u8>> = contents.iter().collect();
        assert_eq!(different.len(), contents.len());
        for (op, content) in contents.iter().enumerate() {
            board.sends[op].end = if op == 70 { End::Failed } else { End::Done };
            if op != 90 {
                board.come(0, 1, 5, content).expect("it was sent");
            }
        }
        let error = board.settle(0).expect_err("message 90 is lost").to_string();
        assert!(error.contains("message 90 with tag 5"), "{error}");
    }

    #[test]
    fn messages_that_cannot_differ_are_sent_and_counted() {
        let mut board = Board { causes: vec![Causes::default(); 2], ..Board::default() };
        for op in 0..257 {
            board.send(Sent { bytes: 1, ..sent(op, 5) });
            board.send(Sent { bytes: 0, ..sent(op, u16::from(op > 0)) });
        }
        assert_eq!(board.counts["messages that look like another one"], 1 + 255);
    }

    #[test]
    fn a_node_is_at_a_burst_when_others_can_see_it() {
        let mut board = Board::default();
        board.come_to_burst(7, Ps::from_us(3));
        board.come_to_burst(7, Ps::from_us(5));
        let at = |op, us| board.is_at_burst(op, Ps::from_us(us));
        assert!(!at(7, 2) && at(7, 3) && !at(8, 3));
    }

    #[test]
    fn a_message_may_wait_behind_one_with_a_reserved_tag_until_that_has_come() {
        let any = Wanted { source: None, tag: None };
        let of_library = sent(0, RESERVED_TAG_MIN);
        assert!(may_move(&[sent(1, 5)], any));
        assert!(!may_move(std::slice::from_ref(&of_library), any));
        assert!(!may_move(&[of_library.clone(), sent(1, 5)], any));
        // Its sender does not know yet that it has come.
        let has_come = Sent { has_come: true, ..of_library.clone() };
        assert!(may_move(&[has_come, sent(1, 5)], any));
        assert!(
            may_move(&[sent(0, 5), Sent { number: Number { op: 1, index: 0 }, ..of_library }], any),
            "only behind it"
        );
    }
}
