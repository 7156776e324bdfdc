//! A target and the model side by side.

use nic_layout::vmh::{key, VmhGeometry, KEY_RESERVED};

use super::model::Content;
use super::{page_number, Answer, CacheOp, Model, Target};

/// How often each answer came: a list that never hits tests little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub hits: u32,
    pub reserved: u32,
    pub pending: u32,
    pub no_way: u32,
    pub fills: u32,
    pub unlocks: u32,
    pub invalidations: u32,
}

impl Coverage {
    pub fn add(&mut self, more: Coverage) {
        self.hits += more.hits;
        self.reserved += more.reserved;
        self.pending += more.pending;
        self.no_way += more.no_way;
        self.fills += more.fills;
        self.unlocks += more.unlocks;
        self.invalidations += more.invalidations;
    }

    /// The rarest answer or operation.
    pub fn least(&self) -> u32 {
        let counts =
            [self.hits, self.reserved, self.pending, self.no_way, self.fills, self.unlocks, self.invalidations];
        counts.into_iter().min().unwrap_or(0)
    }
}

#[derive(Debug)]
pub enum Failure<E> {
    /// Step `index` answered other than the model.
    Mismatch {
        index: usize,
        op: CacheOp,
        expected: Answer,
        got: Answer,
    },
    Target {
        index: usize,
        op: CacheOp,
        error: E,
    },
}

/// A target and the model, one step after another. What a step breaks is found at that step.
pub struct Walk {
    model: Model,
    coverage: Coverage,
    index: usize,
}

impl Walk {
    pub fn new(geometry: VmhGeometry) -> Walk {
        Walk { model: Model::new(geometry), coverage: Coverage::default(), index: 0 }
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// Runs one operation on a target whose cache was empty before the first, and compares the
    /// answer with the model's. `None`: nothing was outstanding, or the driver did it alone.
    pub fn step<T: Target + ?Sized>(
        &mut self,
        op: CacheOp,
        target: &mut T,
    ) -> Result<Option<Answer>, Failure<T::Error>> {
        let index = self.index;
        self.index += 1;
        let failed = |error| Failure::Target { index, op, error };
        let (model, coverage) = (&mut self.model, &mut self.coverage);
        let (expected, got) = match op {
            CacheOp::Use { path, pid, page } => {
                let expected = model.use_page(path, pid, page);
                match expected {
                    Answer::Hit { .. } => coverage.hits += 1,
                    Answer::Reserved { .. } => coverage.reserved += 1,
                    Answer::Pending => coverage.pending += 1,
                    _ => coverage.no_way += 1,
                }
                (expected, target.use_page(path, pid, page).map_err(failed)?)
            }
            CacheOp::Unlock { nth } => {
                if model.references.is_empty() {
                    return Ok(None);
                }
                let (path, line) = model.references.remove(nth as usize % model.references.len());
                model.ways[line as usize].locks[path as usize] -= 1;
                coverage.unlocks += 1;
                (Answer::Done, target.unlock(path, line).map_err(failed)?)
            }
            CacheOp::Fill { nth, seed } => {
                if model.reserved.is_empty() {
                    return Ok(None);
                }
                let line = model.reserved.remove(nth as usize % model.reserved.len());
                let (pid, line_page) = model.fill(line, seed);
                coverage.fills += 1;
                target
                    .fill(line, key(pid, line_page, KEY_RESERVED), &|page| page_number(seed, page))
                    .map_err(failed)?;
                return Ok(None);
            }
            CacheOp::Release { nth } => {
                if model.reserved.is_empty() {
                    return Ok(None);
                }
                let line = model.reserved.remove(nth as usize % model.reserved.len());
                model.ways[line as usize].content = Content::Empty;
                target.release(line).map_err(failed)?;
                return Ok(None);
            }
            CacheOp::Invalidate { pid, page } => {
                coverage.invalidations += 1;
                (model.invalidate(pid, page), target.invalidate(pid, page).map_err(failed)?)
            }
        };
        if expected != got {
            return Err(Failure::Mismatch { index, op, expected, got });
        }
        Ok(Some(got))
    }
}

/// Runs a list on a target and compares each answer with the model.
pub fn replay<T: Target>(
    geometry: VmhGeometry,
    ops: &[CacheOp],
    target: &mut T,
) -> Result<Coverage, Failure<T::Error>> {
    let mut walk = Walk::new(geometry);
    for &op in ops {
        walk.step(op, target)?;
    }
    Ok(walk.coverage())
}
