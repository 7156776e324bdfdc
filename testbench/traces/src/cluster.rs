//! The cluster on which the programs run, and the lookups that its page traffic causes on one NIC.
//!
//! As in the thesis (MN-2, MN-4), four nodes with two processes each share memory by pages of 4 KB,
//! and every page has a home process. A process fetches a page of another node by a remote read:
//! its own NIC looks the page up on the receive path, the home's NIC on the send path. A process
//! sends its changes of such a page home by a remote write: its own NIC looks the page up on the
//! send path, the home's NIC on the receive path. Shared memory lies at the same virtual addresses
//! in every process, so the pages of the two processes of a node compete for the same sets.

use nic_lookup::Path;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Access;

/// The number of nodes (MN-2).
pub const NODES: u32 = 4;
/// The number of processes on each node (MN-2).
pub const PROCESSES_OF_A_NODE: u32 = 2;
/// The number of processes in the cluster. A process is called by its rank, 0 to 7.
pub const RANKS: u32 = NODES * PROCESSES_OF_A_NODE;

/// The node whose lookups are recorded.
const WATCHED: u32 = 0;

/// The first virtual page of shared memory: address 1 GB.
pub const FIRST_PAGE: u32 = 0x4_0000;

/// The most transfers that one process does before the seed chooses the next process.
const BURST_MAX: u32 = 8;

/// The size of a page in bytes.
pub const PAGE_BYTES: u64 = nic_layout::PAGE_BYTES as u64;

/// The two ways in which a page moves between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// A process fetches a page from its home, by a remote read.
    Fetch,
    /// A process sends the changes of a page to its home, by a remote write.
    Update,
}

/// The transfers between two barriers. Each process does its own in order.
pub struct Phase {
    transfers: Vec<Vec<(Transfer, u32, u32)>>,
}

impl Phase {
    pub fn new() -> Phase {
        Phase { transfers: vec![Vec::new(); RANKS as usize] }
    }

    /// Process `rank` moves a page whose home is process `home`. A move within a node is left out:
    /// its processes share memory without the NIC.
    pub fn push(&mut self, rank: u32, transfer: Transfer, page: u32, home: u32) {
        if node(rank) != node(home) {
            self.transfers[rank as usize].push((transfer, page, home));
        }
    }
}

pub const fn node(rank: u32) -> u32 {
    rank / PROCESSES_OF_A_NODE
}

/// The identifier of a process on the NIC of its node.
const fn pid(rank: u32) -> u32 {
    1 + rank % PROCESSES_OF_A_NODE
}

/// Runs phases, and records the lookups of one NIC.
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

    /// Runs all transfers of a phase. The seed decides which process is next.
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

/// Allocates shared arrays one behind the other. Each begins at a page boundary.
pub struct Memory {
    next: u32,
}

impl Memory {
    pub fn new() -> Memory {
        Memory { next: FIRST_PAGE }
    }

    /// Takes the pages for an array of `bytes`, and returns the first page.
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
