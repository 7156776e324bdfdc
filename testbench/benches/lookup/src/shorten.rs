//! Shortens a failing list further than proptest does, which removes one operation at a time. It
//! removes everything behind the first failure, and pairs of operations.

use nic_lookup::check::CacheOp;

/// The longest list of which pairs are tried: a longer list has too many pairs.
const PAIRS_OPS_MAX: usize = 32;

/// The shortest list that can be reached, with the reason for which it fails. `fails` returns the
/// reason of a list, if it fails.
pub fn shorten(
    ops: Vec<CacheOp>,
    reason: String,
    mut fails: impl FnMut(&[CacheOp]) -> Option<String>,
) -> (Vec<CacheOp>, String) {
    let (mut ops, mut reason) = (ops, reason);
    loop {
        let shorter = candidates(&ops).find_map(|ops| fails(&ops).map(|reason| (ops, reason)));
        match shorter {
            Some(shorter) => (ops, reason) = shorter,
            None => return (ops, reason),
        }
    }
}

/// Candidates: first the beginnings of the list, then the list without any one or two operations.
fn candidates(ops: &[CacheOp]) -> impl Iterator<Item = Vec<CacheOp>> + '_ {
    let beginnings = (1..ops.len()).map(|count| ops[..count].to_vec());
    let count = if ops.len() <= PAIRS_OPS_MAX { ops.len() } else { 0 };
    let pairs = (0..count).flat_map(move |first| (first..count).map(move |second| (first, second)));
    let without = pairs.map(|(first, second)| {
        let kept = ops.iter().enumerate().filter(|&(index, _)| index != first && index != second);
        kept.map(|(_, &op)| op).collect::<Vec<CacheOp>>()
    });
    beginnings.chain(without.filter(|ops| !ops.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list whose operations differ by their numbers.
    fn list(numbers: impl IntoIterator<Item = u32>) -> Vec<CacheOp> {
        numbers.into_iter().map(|nth| CacheOp::Unlock { nth }).collect()
    }

    #[test]
    fn what_goes_only_together_is_taken_together() {
        // The list fails with 7, but only if it has both 3 and 5 or neither.
        let fails = |ops: &[CacheOp]| {
            let has = |nth| ops.contains(&CacheOp::Unlock { nth });
            (has(7) && has(3) == has(5)).then(|| format!("{} operations", ops.len()))
        };
        let (ops, reason) = shorten(list(0..20), String::new(), fails);
        assert_eq!((ops, reason.as_str()), (list([7]), "1 operations"));
    }

    #[test]
    fn a_list_that_cannot_be_shorter_stays() {
        let whole = list(0..4);
        let (ops, reason) = shorten(whole.clone(), "as it was".into(), |ops| (ops == whole).then(String::new));
        assert_eq!((ops, reason.as_str()), (whole, "as it was"));
    }
}
