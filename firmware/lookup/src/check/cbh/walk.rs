//! A target and the model side by side.

use nic_layout::cbh::CbhGeometry;

use super::model::Content;
use super::{descriptor, CbhAnswer, CbhModel, CbhOp, CbhTarget};

/// How often each answer came: a list that never hits tests little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CbhCoverage {
    pub hits: u32,
    pub negative_hits: u32,
    pub reserved: u32,
    pub pending: u32,
    pub no_way: u32,
    pub forgotten: u32,
}

impl CbhCoverage {
    fn add(&mut self, answer: CbhAnswer) {
        *match answer {
            CbhAnswer::Valid { .. } => &mut self.hits,
            CbhAnswer::Invalid => &mut self.negative_hits,
            CbhAnswer::Reserved { .. } => &mut self.reserved,
            CbhAnswer::Pending => &mut self.pending,
            CbhAnswer::NoWay => &mut self.no_way,
            CbhAnswer::Done => &mut self.forgotten,
            CbhAnswer::Nothing => return,
        } += 1;
    }

    /// The rarest answer.
    pub fn least(&self) -> u32 {
        let counts = [self.hits, self.negative_hits, self.reserved, self.pending, self.no_way, self.forgotten];
        counts.into_iter().min().unwrap_or(0)
    }
}

/// Step `index` answered other than the model.
#[derive(Debug)]
pub struct CbhFailure {
    pub index: usize,
    pub op: CbhOp,
    pub expected: CbhAnswer,
    pub got: CbhAnswer,
}

/// Runs a list on a target whose cache is empty, and compares each answer with the model. `look`
/// sees the model after each step.
pub fn replay_cbh<T: CbhTarget>(
    geometry: CbhGeometry,
    ops: &[CbhOp],
    target: &mut T,
    mut look: impl FnMut(&CbhModel, &T),
) -> Result<CbhCoverage, CbhFailure> {
    let mut model = CbhModel::new(geometry);
    let mut coverage = CbhCoverage::default();
    for (index, &op) in ops.iter().enumerate() {
        let answers = match op {
            CbhOp::Use { cbh } => Some((model.use_buffer(cbh), target.use_buffer(cbh))),
            CbhOp::Forget { cbh } => Some((model.forget(cbh), target.forget(cbh))),
            CbhOp::Fill { nth, .. } | CbhOp::Deny { nth } | CbhOp::Release { nth } => {
                if !model.reserved.is_empty() {
                    let number = model.reserved.remove(nth as usize % model.reserved.len());
                    answer(op, number, &mut model, target);
                }
                None
            }
        };
        if let Some((expected, got)) = answers {
            if expected != got {
                return Err(CbhFailure { index, op, expected, got });
            }
            coverage.add(got);
        }
        look(&model, target);
    }
    Ok(coverage)
}

/// The driver serves the miss of a reserved entry.
fn answer(op: CbhOp, number: u32, model: &mut CbhModel, target: &mut impl CbhTarget) {
    let cbh = model.awaited(number);
    let entry = &mut model.entries[number as usize];
    match op {
        CbhOp::Fill { seed, .. } => {
            let descriptor = descriptor(model.geometry.key, seed, cbh);
            *entry = Content::Valid { cbh, descriptor };
            target.fill(number, &descriptor);
        }
        CbhOp::Deny { .. } => {
            *entry = Content::Invalid { cbh };
            target.deny(number);
        }
        _ => {
            *entry = Content::Empty;
            target.release(number);
        }
    }
}
