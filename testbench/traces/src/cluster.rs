//! The cluster on which the programs run, and what its page traffic is on one NIC.
//!
//! As in the thesis (MN-2, MN-4): four nodes of two processes share memory by pages of 4 KB, and every page has a home. A process that needs a page
//! of another node's fetches it by a remote read: its own NIC looks the page up to receive into, the home's NIC to send from. What a process
//! has written to such a page it sends home by a remote write: its NIC looks the page up to send from, the home's to receive into.
//! Shared memory lies at the same virtual addresses in every process, so that pages of the two processes of a node compete for the same sets.

use nic_lookup::Path;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Access;

pub const NODES: u32 = 4;
pub const PROCESSES_OF_A_NODE: u32 = 2;
pub const RANKS: u32 = NODES * PROCESSES_OF_A_NODE;

/// The node whose NIC is watched.
const WATCHED: u32 = 0;

/// Where shared memory begins: 1 GB.
pub const FIRST_PAGE: u32 = 0x4_0000;

/// A process does so many transfers before others of the cluster have done some, at most.
const BURST_MAX: u32 = 8;

pub const PAGE_BYTES: u64 = nic_layout::PAGE_BYTES as u64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    Fetch,
    /// Changes are sent home.
    Update,
}

/// What processes do between two barriers: each its transfers in its own order.
pub struct Phase {
    transfers: Vec<Vec<(Transfer, u32, u32)>>,
}

impl Phase {
    pub fn new() -> Phase {
        Phase { transfers: vec![Vec::new(); RANKS as usize] }
    }

    /// `rank` moves a page whose home is at `home`. Within a node, memory is shared without the NIC.
    pub fn push(&mut self, rank: u32, transfer: Transfer, page: u32, home: u32) {
        if node(rank) != node(home) {
            self.transfers[rank as usize].push((transfer, page, home));
        }
    }
}

pub const fn node(rank: u32) -> u32 {
    rank / PROCESSES_OF_A_NODE
}

/// As the NIC numbers the processes of its node.
const fn pid(rank: u32) -> u32 {
    1 + rank % PROCESSES_OF_A_NODE
}

/// The lookups of one NIC, phase after phase.
pub struct Watcher {
    random: ChaCha8Rng,
    pub accesses: Vec<Access>,
}

impl Watcher {
    pub fn new(seed: u64) -> Watcher {
        Watcher { random: ChaCha8Rng::seed_from_u64(seed), accesses: Vec::new() }
    }

    pub fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.random.next_u32()) * u64::from(limit)) >> 32) as u32
    }

    /// Everybody gets through the phase, in an order drawn from the seed.
    pub fn run(&mut self, phase: Phase) {
        let mut rest: Vec<(u32, std::vec::IntoIter<_>)> =
            (0..RANKS).zip(phase.transfers).map(|(rank, transfers)| (rank, transfers.into_iter())).collect();
        while !rest.is_empty() {
            let turn = self.below(rest.len() as u32) as usize;
            for _ in 0..=self.below(BURST_MAX) {
                let (rank, transfers) = &mut rest[turn];
                match transfers.next() {
                    Some((transfer, page, home)) => {
                        let rank = *rank;
                        self.see(rank, transfer, page, home);
                    }
                    None => {
                        rest.swap_remove(turn);
                        break;
                    }
                }
            }
        }
    }

    fn see(&mut self, rank: u32, transfer: Transfer, page: u32, home: u32) {
        let (at_rank, at_home) = match transfer {
            Transfer::Fetch => (Path::Receive, Path::Send),
            Transfer::Update => (Path::Send, Path::Receive),
        };
        let mut lookup = |of: u32, path: Path| {
            if node(of) == WATCHED {
                self.accesses.push(Access { path, pid: pid(of), page });
            }
        };
        lookup(rank, at_rank);
        lookup(home, at_home);
    }
}

/// Shared arrays, one behind the other, each from a page boundary on.
pub struct Memory {
    next: u32,
}

impl Memory {
    pub fn new() -> Memory {
        Memory { next: FIRST_PAGE }
    }

    /// First page of so many bytes.
    pub fn take(&mut self, bytes: u64) -> u32 {
        let first = self.next;
        self.next += bytes.div_ceil(PAGE_BYTES) as u32;
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(transfer: Transfer, rank: u32, home: u32) -> Vec<Access> {
        let mut phase = Phase::new();
        phase.push(rank, transfer, 7, home);
        let mut watcher = Watcher::new(1);
        watcher.run(phase);
        watcher.accesses
    }

    #[test]
    fn a_fetch_is_received_here_and_sent_from_home() {
        assert_eq!(seen(Transfer::Fetch, 1, 5), [Access { path: Path::Receive, pid: 2, page: 7 }]);
        assert_eq!(seen(Transfer::Fetch, 5, 0), [Access { path: Path::Send, pid: 1, page: 7 }]);
        assert_eq!(seen(Transfer::Update, 1, 5), [Access { path: Path::Send, pid: 2, page: 7 }]);
        assert_eq!(seen(Transfer::Update, 5, 0), [Access { path: Path::Receive, pid: 1, page: 7 }]);
    }

    #[test]
    fn within_a_node_and_between_others_the_nic_sees_nothing() {
        assert!(seen(Transfer::Fetch, 0, 1).is_empty());
        assert!(seen(Transfer::Update, 2, 6).is_empty());
    }

    #[test]
    fn each_process_keeps_its_order_and_nothing_is_lost() {
        let mut phase = Phase::new();
        for page in 0..200 {
            phase.push(0, Transfer::Fetch, page, 6);
            phase.push(1, Transfer::Update, page, 6);
        }
        let mut watcher = Watcher::new(3);
        watcher.run(phase);
        for pid in [1, 2] {
            let pages: Vec<u32> =
                watcher.accesses.iter().filter(|access| access.pid == pid).map(|access| access.page).collect();
            assert_eq!(pages, (0..200).collect::<Vec<_>>());
        }
        assert!(watcher.accesses.windows(2).any(|pair| pair[0].pid != pair[1].pid));
    }
}
