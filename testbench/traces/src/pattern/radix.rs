//! Permutation of keys by a digit, which a radix sort does once for each digit.

use serde::{Deserialize, Serialize};

use crate::cluster::{Memory, Phase, Transfer, Watcher, PAGE_BYTES, RANKS};

/// Each process walks through its share of the keys and writes every key to its place in the other
/// array: ordered by digit, then by process. A page of another node is fetched when the first key
/// is written to it. The changed pages go home at the end, in the order of addresses. The values of
/// keys are uniformly distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Radix {
    /// The number of keys: a multiple of the number of processes.
    pub keys: u32,
    /// The number of values of a digit.
    pub radix: u32,
    /// The bytes of a key.
    pub key_bytes: u32,
    /// The number of permutations, to and fro between two arrays.
    pub passes: u32,
}

impl Radix {
    /// The size at which the geometries of the thesis differ (docs/reproduce.md).
    pub const DEFAULT: Radix = Radix { keys: 8 << 20, radix: 1024, key_bytes: 4, passes: 4 };

    fn array_bytes(&self) -> u64 {
        u64::from(self.keys) * u64::from(self.key_bytes)
    }

    fn array_pages(&self) -> u32 {
        self.array_bytes().div_ceil(PAGE_BYTES) as u32
    }

    pub(super) fn pages(&self) -> u32 {
        2 * self.array_pages()
    }

    pub(super) fn run(&self, watcher: &mut Watcher) {
        let mut memory = Memory::new();
        let arrays = [(); 2].map(|()| memory.take(self.array_bytes()));
        for pass in 0..self.passes {
            let to = arrays[(pass + 1) as usize % 2];
            watcher.run_permutation(self, to);
        }
    }
}

impl Watcher {
    fn run_permutation(&mut self, radix: &Radix, to: u32) {
        let share = radix.keys / RANKS;
        let digits: Vec<Vec<u32>> = (0..RANKS).map(|_| (0..share).map(|_| self.below(radix.radix)).collect()).collect();
        // The place of the next key with each digit, for each process.
        let mut places = vec![vec![0u32; radix.radix as usize]; RANKS as usize];
        for (places, digits) in places.iter_mut().zip(&digits) {
            digits.iter().for_each(|&digit| places[digit as usize] += 1);
        }
        let mut next = 0;
        for digit in 0..radix.radix as usize {
            for places in &mut places {
                next += std::mem::replace(&mut places[digit], next);
            }
        }
        let home_of = |page: u32| {
            let first_key = u64::from(page) * PAGE_BYTES / u64::from(radix.key_bytes);
            (first_key / u64::from(share)) as u32
        };
        let (mut fetches, mut updates) = (Phase::new(), Phase::new());
        for (rank, (digits, places)) in (0..).zip(digits.iter().zip(&mut places)) {
            let mut has = vec![false; radix.array_pages() as usize];
            for &digit in digits {
                let place = &mut places[digit as usize];
                let page = (u64::from(*place) * u64::from(radix.key_bytes) / PAGE_BYTES) as u32;
                *place += 1;
                if !std::mem::replace(&mut has[page as usize], true) {
                    fetches.push(rank, Transfer::Fetch, to + page, home_of(page));
                }
            }
            for (page, _) in (0..).zip(&has).filter(|(_, has)| **has) {
                updates.push(rank, Transfer::Update, to + page, home_of(page));
            }
        }
        self.run(fetches);
        self.run(updates);
    }
}
