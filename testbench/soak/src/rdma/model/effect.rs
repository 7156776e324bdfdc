//! The values that a byte may have after posts that may have overlapped.

use std::collections::BTreeMap;
use std::ops::Range;

use super::seen::{Buffer, BufferName, Direction, End, Life, Post, Time};
use super::verdict::Verdict;

/// Bytes that came, or may have come, to the memory of a process.
pub(super) struct Effect<'a> {
    /// Offsets in that memory.
    pub(super) range: Range<u32>,
    begin: Time,
    /// The time by which the bytes came; `None` if they may never come.
    end: Option<Time>,
    /// Process and number of a write: the writes of a process are made in the order of their
    /// numbers. `None` for a read.
    order: Option<(Life, u32)>,
    /// Whether all bytes have come for certain.
    certain: bool,
    /// The bytes; `None` if they are unknown.
    data: Option<&'a [u8]>,
}

impl Effect<'_> {
    fn before(&self, other: &Effect) -> bool {
        self.end.is_some_and(|end| end < other.begin) || self.ordered_before(other.order)
    }

    fn ordered_before(&self, other: Option<(Life, u32)>) -> bool {
        self.order.zip(other).is_some_and(|(own, other)| own.0 == other.0 && own.1 < other.1)
    }

    fn covers(&self, part: &Range<u32>) -> bool {
        self.range.start <= part.start && part.end <= self.range.end
    }
}

/// An inspection of memory, by a read or by the comparison.
pub(super) struct Look {
    /// The earliest time at which a byte may have been read.
    pub begin: Time,
    /// The latest time at which a byte may have been read.
    pub end: Time,
    /// Process and number of the read: the writes that the process posted before come first.
    pub order: Option<(Life, u32)>,
}

/// Cuts a range where an effect begins or ends.
///
/// Returns for each part the effects that may be seen there, and whether the bytes from before all
/// effects may still be there.
fn parts<'e, 'd>(
    effects: &'e [Effect<'d>],
    range: Range<u32>,
    look: &Look,
) -> Vec<(Range<u32>, Vec<&'e Effect<'d>>, bool)> {
    let near: Vec<&Effect> =
        effects.iter().filter(|effect| effect.range.start < range.end && range.start < effect.range.end).collect();
    let mut cuts: Vec<u32> = near.iter().flat_map(|effect| [effect.range.start, effect.range.end]).collect();
    cuts.extend([range.start, range.end]);
    cuts.retain(|cut| range.start <= *cut && *cut <= range.end);
    cuts.sort_unstable();
    cuts.dedup();
    let part = |pair: &[u32]| {
        let part = pair[0]..pair[1];
        let here: Vec<&Effect> = near.iter().copied().filter(|effect| effect.covers(&part)).collect();
        // Effects that were there for certain at the time of the look.
        let there: Vec<&Effect> = here
            .iter()
            .copied()
            .filter(|effect| {
                effect.certain && (effect.end.is_some_and(|end| end <= look.begin) || effect.ordered_before(look.order))
            })
            .collect();
        let possible: Vec<&Effect> = here
            .iter()
            .copied()
            .filter(|effect| effect.begin <= look.end && !there.iter().any(|later| effect.before(later)))
            .collect();
        (part, possible, there.is_empty())
    };
    cuts.windows(2).map(part).collect()
}

/// Compares the bytes of a range with the values that they may have.
///
/// Returns the number of compared bytes, and the number of bytes with several right values.
///
/// # Errors
/// The offset of the first byte with a wrong value.
pub(super) fn compare(
    effects: &[Effect],
    range: Range<u32>,
    look: &Look,
    before: &[u8],
    found: impl Fn(u32) -> u8,
) -> Result<(u64, u64), u32> {
    let (mut bytes, mut open) = (0, 0);
    for (part, possible, before_is) in parts(effects, range, look) {
        let ways = possible.len() + usize::from(before_is);
        bytes += u64::from(part.end - part.start);
        open += if ways > 1 { u64::from(part.end - part.start) } else { 0 };
        for at in part {
            let value = found(at);
            let right = before_is && before[at as usize] == value
                || possible
                    .iter()
                    .any(|effect| effect.data.is_none_or(|data| data[(at - effect.range.start) as usize] == value));
            if !right {
                return Err(at);
            }
        }
    }
    Ok((bytes, open))
}

/// The effect of a post, and the process whose memory it may change. `None` if the post can change
/// no memory.
pub(super) fn effect<'a>(
    post: &'a Post,
    verdict: Verdict,
    buffers: &BTreeMap<BufferName, Buffer>,
) -> Option<(Life, Effect<'a>)> {
    let name = post.buffer.filter(|_| post.right_key)?;
    let buffer = buffers.get(&name)?;
    if buffer.ended.is_some_and(|ended| ended < post.begin) {
        return None;
    }
    let end = post.end.map(|(at, _)| at);
    // A post that may end well has moved its bytes if it was seen to end well.
    let certain = match verdict {
        Verdict::Well => true,
        Verdict::WellOrRefused | Verdict::WellOrNot | Verdict::Anything => matches!(post.end, Some((_, End::Well))),
        Verdict::Refused | Verdict::BadMemory | Verdict::RefusedOrBadMemory => false,
    };
    match &post.direction {
        Direction::Write { data, .. } => {
            // The receiver accepts the frames that lie before the end of the buffer.
            let inside = (data.len() as u32).min(buffer.bytes.saturating_sub(post.offset));
            if !buffer.may_write || inside == 0 {
                return None;
            }
            let start = buffer.start + post.offset;
            let order = Some((post.by, post.number));
            let range = start..start + inside;
            let data = Some(&data[..inside as usize]).filter(|_| !post.hole);
            Some((name.owner, Effect { range, begin: post.begin, end: end.filter(|_| certain), order, certain, data }))
        }
        Direction::Read { to, bytes, found } => {
            let beyond = u64::from(post.offset) + u64::from(*bytes) > u64::from(buffer.bytes);
            if *bytes == 0 || !buffer.may_read || beyond {
                return None;
            }
            let data = found.as_deref().filter(|_| certain);
            let range = *to..*to + *bytes;
            let certain = data.is_some();
            Some((
                post.by,
                Effect { range, begin: post.begin, end: end.filter(|_| certain), order: None, certain, data },
            ))
        }
    }
}
