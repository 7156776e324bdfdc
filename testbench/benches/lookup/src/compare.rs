//! Runs one list of operations on three caches: a plain model, the firmware's cache in host memory,
//! and a NIC.
//!
//! Every answer of both caches must be the answer of the model. In host memory the invariants are
//! checked after each step. At the end both memories must be equal, word for word, in every set
//! that the list touched. Then everything outstanding is completed, and after that no line may be
//! locked or reserved.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use nic_device::Words;
use nic_layout::vmh::VmhGeometry;
use nic_lookup::check::{CacheOp, Coverage, Failure, Target, Walk};
use nicscope_scenario::error::{Error, Result};

use crate::geometry::{host_cache, ranges_of, word_name, HostCache, GARBAGE};
use crate::invariants::{self, Broken};
use nicscope_probe::Probe;

/// The cache that is compared with the cache in host memory: a NIC, or a cache that a test has made
/// wrong.
pub trait Subject: Target<Error = Error> {
    /// The geometry of the cache.
    fn geometry(&self) -> VmhGeometry;
    /// Makes an empty cache in memory that holds garbage.
    fn begin(&mut self) -> Result<()>;
    /// Reads the words at a byte offset of the cache.
    fn read(&mut self, offset: u32, count: u32) -> Result<Vec<u32>>;
    /// Fills sets with garbage again, whatever the result of the list was.
    fn end(&mut self, sets: &BTreeSet<u32>) -> Result<()>;
}

impl Subject for Probe {
    fn geometry(&self) -> VmhGeometry {
        Probe::geometry(self)
    }

    fn begin(&mut self) -> Result<()> {
        self.reset()
    }

    fn read(&mut self, offset: u32, count: u32) -> Result<Vec<u32>> {
        Probe::read(self, offset, count)
    }

    fn end(&mut self, sets: &BTreeSet<u32>) -> Result<()> {
        for &set in sets {
            for range in ranges_of(self.geometry(), set) {
                self.write(range.start, vec![GARBAGE; range.len() / 4])?;
            }
        }
        Ok(())
    }
}

/// A difference between the caches.
#[derive(Debug)]
pub enum Disagreement {
    /// An answer of the cache in host memory differs from the model's.
    Host(Failure<std::convert::Infallible>),
    /// An answer of the NIC differs from the model's, or is missing.
    Nic(Failure<Error>),
    /// An invariant is broken.
    Invariant {
        /// The cache: in host memory, or on the NIC.
        whose: &'static str,
        /// The step after which it was found in host memory: its index and its operation. `None`:
        /// at the end.
        step: Option<(usize, CacheOp)>,
        /// The invariant.
        broken: Broken,
    },
    /// A word of the memories differs at the end.
    Memory {
        /// The meaning of the word.
        word: String,
        /// Its value in host memory.
        host: u32,
        /// Its value on the NIC.
        nic: u32,
    },
    /// The machine failed, so the caches could not be compared.
    Machine(Error),
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn failure<E: fmt::Display>(f: &mut fmt::Formatter<'_>, whose: &str, failure: &Failure<E>) -> fmt::Result {
            match failure {
                Failure::Mismatch { index, op, expected, got } => {
                    write!(f, "step {index}, `{op}`: the model answers {expected:?}, {whose} answers {got:?}")
                }
                Failure::Target { index, op, error } => write!(f, "step {index}, `{op}`, on {whose}: {error}"),
            }
        }
        match self {
            Disagreement::Host(wrong) => failure(f, "the cache in host memory", wrong),
            Disagreement::Nic(wrong) => failure(f, "the NIC", wrong),
            Disagreement::Invariant { whose, step: Some((index, op)), broken } => {
                write!(f, "after step {index}, `{op}`, in {whose}: {broken}")
            }
            Disagreement::Invariant { whose, step: None, broken } => write!(f, "at the end, in {whose}: {broken}"),
            Disagreement::Memory { word, host, nic } => {
                write!(f, "at the end the {word} is {nic:#010x} on the NIC, {host:#010x} in host memory")
            }
            Disagreement::Machine(error) => write!(f, "{error}"),
        }
    }
}

impl From<Error> for Disagreement {
    fn from(error: Error) -> Disagreement {
        Disagreement::Machine(error)
    }
}

/// The sets that the operations of a list can touch.
pub fn sets_of(geometry: VmhGeometry, ops: &[CacheOp]) -> BTreeSet<u32> {
    ops.iter()
        .filter_map(|op| match op {
            CacheOp::Use { page, .. } | CacheOp::Invalidate { page, .. } => Some(geometry.set_of(*page)),
            CacheOp::Unlock { .. } | CacheOp::Fill { .. } | CacheOp::Release { .. } => None,
        })
        .collect()
}

/// Runs a list on all three caches. The subject is ready for another list afterwards, whatever the
/// result was.
pub fn compare(subject: &mut impl Subject, ops: &[CacheOp]) -> std::result::Result<Coverage, Disagreement> {
    let geometry = subject.geometry();
    let sets = sets_of(geometry, ops);
    let mut host = host_cache(geometry)?;
    let expected = on_host(geometry, ops, &sets, host.as_mut())?;
    subject.begin()?;
    let verdict = on_nic(subject, ops, &sets, &expected);
    subject.end(&sets)?;
    verdict
}

/// Compares the memories after the list.
fn on_host(
    geometry: VmhGeometry,
    ops: &[CacheOp],
    sets: &BTreeSet<u32>,
    host: &mut dyn HostCache,
) -> std::result::Result<Vec<u32>, Disagreement> {
    let mut walk = Walk::new(geometry);
    for (index, &op) in ops.iter().enumerate() {
        let before = host.words().clone();
        let answer = walk.step(op, host).map_err(Disagreement::Host)?;
        invariants::check_step(geometry, &before, host.words(), op, answer)
            .and_then(|()| invariants::check(geometry, host.words(), sets.iter().copied(), walk.model()))
            .map_err(|broken| Disagreement::Invariant { whose: "host memory", step: Some((index, op)), broken })?;
    }
    let memory = host.words().clone();
    end_outstanding(&mut walk, host).map_err(Disagreement::Host)?;
    invariants::check(geometry, host.words(), sets.iter().copied(), walk.model())
        .map_err(|broken| Disagreement::Invariant { whose: "host memory", step: None, broken })?;
    Ok(memory)
}

/// Completes everything outstanding: the driver fills reserved lines, and DMA ends (INV-15,
/// INV-16).
fn end_outstanding<T: Target + ?Sized>(walk: &mut Walk, target: &mut T) -> std::result::Result<(), Failure<T::Error>> {
    while !walk.model().reserved().is_empty() {
        walk.step(CacheOp::Fill { nth: 0, seed: 0 }, target)?;
    }
    while !walk.model().references().is_empty() {
        walk.step(CacheOp::Unlock { nth: 0 }, target)?;
    }
    Ok(())
}

fn on_nic(
    subject: &mut impl Subject,
    ops: &[CacheOp],
    sets: &BTreeSet<u32>,
    host: &[u32],
) -> std::result::Result<Coverage, Disagreement> {
    let geometry = subject.geometry();
    let mut walk = Walk::new(geometry);
    for &op in ops {
        walk.step(op, subject).map_err(Disagreement::Nic)?;
    }
    let coverage = walk.coverage();
    let mut memory = host.to_vec();
    let sound = |memory: &Vec<u32>, walk: &Walk| {
        invariants::check(geometry, memory, sets.iter().copied(), walk.model())
            .map_err(|broken| Disagreement::Invariant { whose: "the NIC", step: None, broken })
    };
    for range in sets.iter().flat_map(|&set| ranges_of(geometry, set)) {
        read_into(&mut memory, subject, range)?;
    }
    sound(&memory, &walk)?;
    same(geometry, host, &memory)?;
    end_outstanding(&mut walk, subject).map_err(Disagreement::Nic)?;
    for &set in sets {
        let [keys, states, ..] = ranges_of(geometry, set);
        read_into(&mut memory, subject, keys)?;
        read_into(&mut memory, subject, states)?;
    }
    sound(&memory, &walk)?;
    Ok(coverage)
}

fn read_into(memory: &mut Vec<u32>, subject: &mut impl Subject, range: Range<u32>) -> Result<()> {
    let words = subject.read(range.start, range.len() as u32 / 4)?;
    range.step_by(4).zip(words).for_each(|(offset, word)| memory.write(offset, word));
    Ok(())
}

/// The first word that differs, if any does.
pub fn same(geometry: VmhGeometry, host: &[u32], nic: &[u32]) -> std::result::Result<(), Disagreement> {
    let different = host.iter().zip(nic).position(|(host, nic)| host != nic);
    match different {
        None => Ok(()),
        Some(index) => Err(Disagreement::Memory {
            word: word_name(geometry, 4 * index as u32),
            host: host[index],
            nic: nic[index],
        }),
    }
}
