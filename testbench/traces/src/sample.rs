//! A part of a trace that another cache answers as the whole one was answered.
//!
//! Sets of the cache know nothing of each other, so all accesses to some sets, from the first on, get the answers that they got in the whole trace:
//! hits and misses, lines and entries, evictions included.

use nic_layout::vmh::{key, VmhGeometry, KEY_RESERVED};
use nic_lookup::host::{Answer, Target};

use crate::{page_number, run, Access, Counts};

/// Accesses, and what the cache answered to them in the whole trace.
#[derive(Clone, Debug)]
pub struct Sample {
    pub accesses: Vec<Access>,
    pub answers: Vec<Answer>,
    /// Sets that they fall into.
    pub sets: u32,
}

impl Sample {
    pub fn misses(&self) -> usize {
        self.answers.iter().filter(|answer| matches!(answer, Answer::Reserved { .. })).count()
    }
}

/// Runs the whole trace, and keeps up to `count` accesses to neighbouring sets, from one that the seed chooses on.
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

/// Asks another cache: as [`run`] does, misses are filled and references ended before the next access. It begins empty.
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
            // Wrong, and so seen by whoever compares.
            Answer::Pending | Answer::NoWay | Answer::Done | Answer::Nothing => {}
        }
        answers.push(answer);
    }
    Ok(answers)
}
