//! Shortens a failing case: takes operations out, first half of them at a time, and then makes the
//! rest simpler.

use std::collections::BTreeSet;

use crate::case::Case;
use crate::language::Operation;

/// The longest list from which each pair of operations is taken out.
const PAIRS_OPS_MAX: usize = 12;

/// The shortest case that is reached within `tries_max` tries, its failure, and the number of
/// tries.
///
/// `fails` plays a case and returns its failure, if it fails.
pub fn shorten<O: Operation, F>(
    case: Case<O>,
    failure: F,
    tries_max: u32,
    mut fails: impl FnMut(&Case<O>) -> Option<F>,
) -> (Case<O>, F, u32) {
    let (mut case, mut failure, mut tries) = (case, failure, 0);
    // A case that was tried once is not tried again.
    let mut tried = BTreeSet::new();
    let mut attempt = |shorter: &Case<O>| {
        if tries >= tries_max || !tried.insert(shorter.to_string()) {
            return None;
        }
        tries += 1;
        fails(shorter)
    };
    loop {
        let before = case.clone();
        let mut part = case.ops.len().div_ceil(2);
        while part > 0 {
            // From the end, so that the operations behind the failure go at once.
            let mut end = case.ops.len();
            while end > 0 {
                let start = end.saturating_sub(part);
                let ops = [&case.ops[..start], &case.ops[end..]].concat();
                let shorter = Case { ops, ..case.clone() };
                if let Some(found) = attempt(&shorter) {
                    (case, failure) = (shorter, found);
                }
                end = start;
            }
            part /= 2;
        }
        if case.ops.len() <= PAIRS_OPS_MAX {
            let count = case.ops.len();
            let pairs = (0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second)));
            for (first, second) in pairs {
                let kept = case.ops.iter().enumerate().filter(|(index, _)| *index != first && *index != second);
                let shorter = Case { ops: kept.map(|(_, op)| op.clone()).collect(), ..case.clone() };
                if let Some(found) = attempt(&shorter) {
                    (case, failure) = (shorter, found);
                    break;
                }
            }
        }
        for cluster in case.cluster.simpler() {
            let simpler = Case { cluster, ..case.clone() };
            if let Some(found) = attempt(&simpler) {
                (case, failure) = (simpler, found);
                break;
            }
        }
        for index in 0..case.ops.len() {
            for op in case.ops[index].simpler() {
                let mut simpler = case.clone();
                simpler.ops[index] = op;
                if let Some(found) = attempt(&simpler) {
                    (case, failure) = (simpler, found);
                    break;
                }
            }
        }
        if case == before {
            return (case, failure, tries);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Cluster, Wire};
    use crate::rdma::operation::Op;

    fn case(us: impl IntoIterator<Item = u32>) -> Case<Op> {
        let cluster = Cluster { wire: Wire { loss: 5, ..Wire::default() }, ..Cluster::PLAIN };
        Case { remarks: Vec::new(), cluster, ops: us.into_iter().map(|us| Op::Pause { node: 0, us }).collect() }
    }

    fn has(case: &Case<Op>, us: u32) -> bool {
        case.ops.contains(&Op::Pause { node: 0, us })
    }

    #[test]
    fn what_is_not_needed_goes() {
        // Fails with 701, but only if 3 and 5 are both present or both absent.
        let fails = |case: &Case<Op>| (has(case, 701) && has(case, 3) == has(case, 5)).then_some(case.ops.len());
        let (shortest, count, tries) = shorten(case((0..400).chain(700..710)), 410, 1000, fails);
        assert_eq!((shortest.ops.len(), count), (1, 1));
        assert_eq!(shortest.cluster, Cluster::PLAIN);
        assert!(has(&shortest, 701) && tries < 200, "{tries} tries");
    }

    #[test]
    fn operations_become_simpler_and_tries_are_bounded() {
        let fails =
            |case: &Case<Op>| case.ops.iter().any(|op| matches!(op, Op::Pause { us, .. } if *us >= 100)).then_some(());
        let (shortest, ..) = shorten(case([900]), (), 1000, fails);
        assert!(has(&shortest, 112), "{shortest}");
        let whole = case(0..50);
        let (shortest, _, tries) = shorten(whole.clone(), (), 7, |case| (*case == whole).then_some(()));
        assert_eq!((shortest, tries), (whole, 7));
    }
}
