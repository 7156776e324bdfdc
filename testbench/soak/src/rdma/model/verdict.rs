//! The right ends of a post.

use std::collections::BTreeMap;

use super::seen::{Buffer, BufferName, Direction, Post};

/// The ends that are right for a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Well,
    Refused,
    BadMemory,
    /// The buffer ended before the post did.
    WellOrRefused,
    RefusedOrBadMemory,
    /// The kernel may have refused to pin a page on either side.
    WellOrNot,
    /// The process of the post ended first.
    Anything,
}

impl Verdict {
    /// The verdict on hosts that may refuse to pin a page. Without a translation of its own page
    /// the post ends as with bad memory, and without a translation of the buffer's page it is
    /// refused.
    pub(super) fn where_pins_fail(self) -> Verdict {
        match self {
            Verdict::Well | Verdict::WellOrRefused | Verdict::WellOrNot => Verdict::WellOrNot,
            Verdict::Refused | Verdict::BadMemory | Verdict::RefusedOrBadMemory => Verdict::RefusedOrBadMemory,
            Verdict::Anything => Verdict::Anything,
        }
    }
}

pub(super) fn verdict(post: &Post, buffers: &BTreeMap<BufferName, Buffer>) -> Verdict {
    let (bytes, is_read) = match &post.direction {
        Direction::Write { data, .. } => (data.len() as u64, false),
        Direction::Read { bytes, .. } => (u64::from(*bytes), true),
    };
    let buffer = post.buffer.and_then(|name| buffers.get(&name)).filter(|_| post.right_key);
    let permitted = buffer.filter(|buffer| {
        let right = if is_read { buffer.may_read } else { buffer.may_write };
        let gone = buffer.ended.is_some_and(|ended| ended < post.begin);
        right && !gone && u64::from(post.offset) + bytes <= u64::from(buffer.bytes)
    });
    let Some(permitted) = permitted else {
        return match (post.end.is_some(), post.hole) {
            (true, false) => Verdict::Refused,
            (true, true) => Verdict::RefusedOrBadMemory,
            (false, _) => Verdict::Anything,
        };
    };
    let Some((end, _)) = post.end else { return Verdict::Anything };
    let ends_meanwhile = permitted.end_begun.is_some_and(|begun| begun <= end);
    match (post.hole, ends_meanwhile) {
        (false, false) => Verdict::Well,
        (false, true) => Verdict::WellOrRefused,
        (true, false) => Verdict::BadMemory,
        (true, true) => Verdict::RefusedOrBadMemory,
    }
}
