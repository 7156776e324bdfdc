//! Runs lists of operations from a seed, one after another, and shrinks a failing list.

use nic_layout::cbh::CbhGeometry;
use nic_layout::vmh::VmhGeometry;
use nic_lookup::check::{replay, replay_cbh, CacheOp, CbhInMemory, CbhOp, InMemory};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

const LIST_OPERATIONS: usize = 1000;

/// A search on one cache of one geometry.
pub struct Search {
    pub name: &'static str,
    run: fn(&str, ChaCha8Rng, u64) -> Result<u64, String>,
}

impl Search {
    /// Runs the list with a number. Returns the number of its operations.
    pub fn run(&self, seed: u64, list: u64) -> Result<u64, String> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(list);
        (self.run)(self.name, random, list)
    }
}

pub const SEARCHES: [Search; 8] = [
    Search { name: "VMH, 256 entries, 2 ways", run: vmh::<256, 8, 2> },
    Search { name: "VMH, 256 entries, 4 ways", run: vmh::<256, 8, 4> },
    Search { name: "VMH, 256 entries, 8 ways", run: vmh::<256, 8, 8> },
    Search { name: "VMH, one set of 2 ways", run: vmh::<16, 8, 2> },
    Search { name: "CBH, 32 entries, 1 way", run: cbh::<32, 1> },
    Search { name: "CBH, 32 entries, 2 ways", run: cbh::<32, 2> },
    Search { name: "CBH, 32 entries, 4 ways", run: cbh::<32, 4> },
    Search { name: "CBH, one set of 8 ways", run: cbh::<8, 8> },
];

fn vmh<const E: u32, const L: u32, const W: u32>(name: &str, random: ChaCha8Rng, list: u64) -> Result<u64, String> {
    let geometry = VmhGeometry { entries: E, line_entries: L, ways: W };
    let ops = draw(random, |random| CacheOp::draw(random, geometry));
    let fails = |ops: &[CacheOp]| {
        replay(geometry, ops, &mut InMemory::<E, L, W>::default()).err().map(|failure| format!("{failure:?}"))
    };
    judge(name, list, ops, fails, |op| op.to_string())
}

fn cbh<const E: u32, const W: u32>(name: &str, random: ChaCha8Rng, list: u64) -> Result<u64, String> {
    let geometry = CbhGeometry { entries: E, ways: W, ..CbhGeometry::RECOMMENDED };
    let ops = draw(random, |random| CbhOp::draw(random, geometry));
    let fails = |ops: &[CbhOp]| {
        let replayed = replay_cbh(geometry, ops, &mut CbhInMemory::<E, W>::default(), |_, _| {});
        replayed.err().map(|failure| format!("{failure:?}"))
    };
    judge(name, list, ops, fails, |op| format!("{op:?}"))
}

fn draw<O>(mut random: ChaCha8Rng, op: impl Fn(u64) -> O) -> Vec<O> {
    (0..LIST_OPERATIONS).map(|_| op(random.next_u64())).collect()
}

fn judge<O: Copy>(
    name: &str,
    list: u64,
    ops: Vec<O>,
    fails: impl Fn(&[O]) -> Option<String>,
    text: impl Fn(&O) -> String,
) -> Result<u64, String> {
    if fails(&ops).is_none() {
        return Ok(ops.len() as u64);
    }
    let drawn = ops.len();
    let shortest = shorten(ops, &fails);
    let why = fails(&shortest).expect("it failed with every operation that is left");
    let lines: Vec<String> = shortest.iter().map(text).collect();
    Err(format!("{name}: {why}\nlist {list}, shrunk from {drawn} operations to {}:\n{}", lines.len(), lines.join("\n")))
}

/// Takes operations away, first many at once and then fewer, as long as the rest still fails. Every
/// part of a list is a legal list.
fn shorten<O: Copy>(mut ops: Vec<O>, fails: &impl Fn(&[O]) -> Option<String>) -> Vec<O> {
    let mut piece = ops.len().div_ceil(2);
    loop {
        let (mut at, before) = (0, ops.len());
        while at < ops.len() {
            let rest: Vec<O> = ops.iter().take(at).chain(ops.iter().skip(at + piece)).copied().collect();
            match fails(&rest) {
                Some(_) => ops = rest,
                None => at += piece,
            }
        }
        if piece == 1 && ops.len() == before {
            return ops;
        }
        piece = piece.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_agree_and_are_those_of_their_seed() {
        for search in &SEARCHES {
            assert_eq!(search.run(1, 0), Ok(LIST_OPERATIONS as u64), "{}", search.name);
        }
        let first = |seed| draw(ChaCha8Rng::seed_from_u64(seed), |random| random)[0];
        assert!(first(1) == first(1) && first(1) != first(2));
    }

    #[test]
    fn what_fails_is_told_with_nothing_that_it_does_not_need() {
        let fails = |ops: &[u32]| {
            let both = ops.iter().position(|op| *op == 7) < ops.iter().rposition(|op| *op == 9) && ops.contains(&7);
            both.then(|| "7 before 9".to_string())
        };
        let found = judge("numbers", 3, (0..100).collect(), fails, |op| op.to_string());
        assert_eq!(found, Err("numbers: 7 before 9\nlist 3, shrunk from 100 operations to 2:\n7\n9".into()));
    }
}
