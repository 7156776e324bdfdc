//! A part of a trace for which another cache gives the answers of the whole trace.
//!
//! The sets of the cache are independent. So all accesses to some sets, from the first access on,
//! get the answers that they got in the whole trace: hits and misses, lines and entries, evictions
//! included.

use nic_layout::vmh::{key, VmhGeometry, KEY_RESERVED};
use nic_lookup::host::{Answer, Target};

use crate::{page_number, run, Access, Counts};

/// A part of a trace with its answers.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The accesses, in the order of the trace.
    pub accesses: Vec<Access>,
    /// The answer of the cache to each access, in the whole trace.
    pub answers: Vec<Answer>,
    /// The number of sets to which the accesses belong.
    pub sets: u32,
}

impl Sample {
    /// The number of accesses that missed.
    pub fn misses(&self) -> usize {
        self.answers.iter().filter(|answer| matches!(answer, Answer::Reserved { .. })).count()
    }
}

/// Runs the whole trace. Keeps at most `count` accesses to neighbouring sets; the seed chooses the
/// first set. Returns them with the counts of the whole trace.
pub fn sample(geometry: VmhGeometry, accesses: &[Access], count: usize, seed: u64) -> (Sample, Counts) {
    let sets = geometry.sets();
    let mut by_set = vec![0usize; sets as usize];
    for access in accesses {
        by_set[geometry.set_of(access.page) as usize] += 1;
    }
    let first = (seed % u64::from(sets)) as u32;
    let mut chosen = vec![false; sets as usize];
    let mut found = 0;
    for set in (0..sets).map(|distance| ((first + distance) % sets) as usize) {
        if found >= count {
            break;
        }
        chosen[set] = by_set[set] > 0;
        found += by_set[set];
    }
    let mut sample = Sample {
        accesses: Vec::with_capacity(count),
        answers: Vec::with_capacity(count),
        sets: chosen.iter().filter(|&&chosen| chosen).count() as u32,
    };
    let counts = run(geometry, accesses, &mut |index, answer| {
        let access = accesses[index];
        if sample.accesses.len() < count && chosen[geometry.set_of(access.page) as usize] {
            sample.accesses.push(access);
            sample.answers.push(answer);
        }
    });
    (sample, counts)
}

/// Runs accesses through another cache, which must be empty. As in [`run`], misses are filled and
/// lines are unlocked before the next access. Returns the answers, or the first error of the cache.
pub fn replay<T: Target>(target: &mut T, geometry: VmhGeometry, accesses: &[Access]) -> Result<Vec<Answer>, T::Error> {
    let mut answers = Vec::with_capacity(accesses.len());
    for &Access { path, pid, page } in accesses {
        let answer = target.use_page(path, pid, page)?;
        match answer {
            Answer::Hit { line, .. } => {
                target.unlock(path, line)?;
            }
            Answer::Reserved { line } => {
                target.fill(line, key(pid, geometry.line_page(page), KEY_RESERVED), &page_number)?
            }
            // These answers are wrong. The caller finds them when it compares.
            Answer::Pending | Answer::NoWay | Answer::Done | Answer::Nothing => {}
        }
        answers.push(answer);
    }
    Ok(answers)
}
