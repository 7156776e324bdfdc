//! The invariants of the cache's memory. They do not depend on how the firmware reaches a state.

use std::fmt;

use nic_device::Words;
use nic_layout::vmh::{
    key_line_page, key_pid, VmhGeometry, KEY_EMPTY, KEY_RESERVED, KEY_STATE_MASK, KEY_VALID, RECEIVE_LOCK_SHIFT,
    SEND_LOCK_SHIFT,
};
use nic_lookup::check::{Answer, CacheOp, Model};
use nic_lookup::Path;

/// A broken invariant, with the words that break it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The number n of INV-n (docs/invariants.md).
    pub number: u32,
    /// The words that break it.
    pub found: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "INV-{}: {}", self.number, self.found)
    }
}

macro_rules! broken {
    ($number:literal, $($text:tt)*) => { Err(Broken { number: $number, found: format!($($text)*) }) };
}

/// The words of one set, and the first of its lines.
struct Set<'a, M> {
    geometry: VmhGeometry,
    memory: &'a M,
    set: u32,
}

impl<M: Words> Set<'_, M> {
    fn lines(&self) -> std::ops::Range<u32> {
        self.set * self.geometry.ways..(self.set + 1) * self.geometry.ways
    }

    fn key(&self, line: u32) -> u32 {
        self.memory.read(self.geometry.key_offset(line))
    }

    fn locks(&self, line: u32) -> u32 {
        self.memory.read(self.geometry.state_offset(line))
    }

    /// INV-13: at most one line for a tag is valid or reserved. For reserved lines that is also
    /// INV-18.
    fn tags_are_unique(&self) -> Result<(), Broken> {
        let mut seen: Vec<(u32, u32)> = Vec::new();
        for line in self.lines() {
            let key = self.key(line);
            match key & KEY_STATE_MASK {
                KEY_EMPTY => continue,
                KEY_VALID | KEY_RESERVED => {}
                state => return broken!(13, "line {line} has the unknown state {state}"),
            }
            let tag = key & !KEY_STATE_MASK;
            if let Some((other, _)) = seen.iter().find(|(_, known)| *known == tag) {
                let (pid, page) = (key_pid(key), key_line_page(key));
                return broken!(13, "lines {other} and {line} both hold process {pid}, page {page:#x}");
            }
            if self.geometry.set_of(key_line_page(key)) != self.set {
                return broken!(13, "line {line} holds page {:#x}, which is not of its set", key_line_page(key));
            }
            seen.push((line, tag));
        }
        Ok(())
    }

    /// INV-14: the replacement word is a permutation of the ways.
    fn order_is_a_permutation(&self) -> Result<(), Broken> {
        let word = self.memory.read(self.geometry.replacement_offset(self.set));
        let mut ways: Vec<u32> = (0..8).map(|position| word >> (4 * position) & 0xF).collect();
        let surplus = ways.split_off(self.geometry.ways as usize);
        ways.sort_unstable();
        if ways != (0..self.geometry.ways).collect::<Vec<_>>() || surplus.iter().any(|&way| way != 0) {
            return broken!(14, "the order of set {} is {word:#x}", self.set);
        }
        Ok(())
    }

    /// INV-15: the number of locks is the number of references under way.
    fn locks_are_references(&self, model: &Model) -> Result<(), Broken> {
        for line in self.lines() {
            let count = |path| model.references().iter().filter(|&&reference| reference == (path, line)).count() as u32;
            let expected = count(Path::Send) << SEND_LOCK_SHIFT | count(Path::Receive) << RECEIVE_LOCK_SHIFT;
            let found = self.locks(line);
            if found != expected {
                return broken!(15, "line {line} has locks {found:#x}, and references {expected:#x}");
            }
        }
        Ok(())
    }

    /// INV-16: a line is reserved if and only if the driver was told of it and still owes an
    /// answer.
    fn reservations_are_owed(&self, model: &Model) -> Result<(), Broken> {
        for line in self.lines() {
            let reserved = self.key(line) & KEY_STATE_MASK == KEY_RESERVED;
            let owed = model.reserved().contains(&line);
            if reserved != owed {
                return broken!(16, "line {line}: reserved {reserved}, owed by the driver {owed}");
            }
        }
        Ok(())
    }
}

/// Checks the invariants that hold in some sets at any time between operations. `model` has
/// executed the same operations as the cache.
pub fn check(
    geometry: VmhGeometry,
    memory: &impl Words,
    sets: impl IntoIterator<Item = u32>,
    model: &Model,
) -> Result<(), Broken> {
    for set in sets {
        let set = Set { geometry, memory, set };
        set.tags_are_unique()?;
        set.order_is_a_permutation()?;
        set.locks_are_references(model)?;
        set.reservations_are_owed(model)?;
    }
    Ok(())
}

/// Checks the invariants of one operation: the memory before and after it.
pub fn check_step(
    geometry: VmhGeometry,
    before: &impl Words,
    after: &impl Words,
    op: CacheOp,
    answer: Option<Answer>,
) -> Result<(), Broken> {
    let page = match op {
        CacheOp::Use { page, .. } | CacheOp::Invalidate { page, .. } => page,
        // Operations of the driver and the end of DMA touch no tag but their own.
        CacheOp::Unlock { .. } | CacheOp::Fill { .. } | CacheOp::Release { .. } => return Ok(()),
    };
    let set = geometry.set_of(page);
    let (before, after) = (Set { geometry, memory: before, set }, Set { geometry, memory: after, set });
    for line in before.lines() {
        let (old, new) = (before.key(line), after.key(line));
        let held = before.locks(line) != 0 || old & KEY_STATE_MASK == KEY_RESERVED;
        let given_up = new == KEY_EMPTY && matches!(op, CacheOp::Invalidate { .. });
        if held && new != old && !given_up {
            return broken!(15, "line {line}, locked or reserved, changed its key from {old:#x} to {new:#x}");
        }
        let CacheOp::Use { pid, page, .. } = op else { continue };
        let same_tag = (key_pid(old), key_line_page(old)) == (pid, geometry.line_page(page));
        if same_tag && old & KEY_STATE_MASK == KEY_RESERVED && answer != Some(Answer::Pending) {
            return broken!(18, "line {line} is reserved for the page already, and the answer was {answer:?}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{host_cache, SMALL};
    use nic_layout::vmh::key;

    /// The invariant that is broken in an empty cache if one word is wrong.
    fn verdict(offset: u32, word: u32) -> u32 {
        let mut memory = host_cache(SMALL).expect("it exists").words().clone();
        memory.write(offset, word);
        check(SMALL, &memory, 0..SMALL.sets(), &Model::new(SMALL)).expect_err("the word is wrong").number
    }

    #[test]
    fn an_empty_cache_is_sound() {
        let cache = host_cache(SMALL).expect("it exists");
        assert_eq!(check(SMALL, cache.words(), 0..SMALL.sets(), &Model::new(SMALL)), Ok(()));
    }

    #[test]
    fn each_invariant_finds_what_breaks_it() {
        assert_eq!(verdict(SMALL.key_offset(2), key(1, 0, KEY_VALID)), 13, "a page of another set");
        assert_eq!(verdict(SMALL.key_offset(2), key(1, 8, 3)), 13, "no such state");
        assert_eq!(verdict(SMALL.replacement_offset(1), 0x11), 14);
        assert_eq!(verdict(SMALL.replacement_offset(1), 0x210), 14, "a way too many");
        assert_eq!(verdict(SMALL.state_offset(1), 1), 15);
        assert_eq!(verdict(SMALL.key_offset(2), key(1, 8, KEY_RESERVED)), 16);
    }

    #[test]
    fn a_tag_in_two_ways_is_found() {
        let mut memory = host_cache(SMALL).expect("it exists").words().clone();
        memory.write(SMALL.key_offset(2), key(1, 8, KEY_VALID));
        memory.write(SMALL.key_offset(3), key(1, 8, KEY_RESERVED));
        let broken = check(SMALL, &memory, [1], &Model::new(SMALL)).expect_err("twice");
        assert_eq!(broken.to_string(), "INV-13: lines 2 and 3 both hold process 1, page 0x8");
    }

    #[test]
    fn a_step_that_takes_a_held_line_is_found() {
        let empty = host_cache(SMALL).expect("it exists").words().clone();
        let mut reserved = empty.clone();
        reserved.write(SMALL.key_offset(0), key(1, 0, KEY_RESERVED));
        let look = |pid| CacheOp::Use { path: Path::Send, pid, page: 0 };
        let mut stolen = reserved.clone();
        stolen.write(SMALL.key_offset(0), key(2, 0, KEY_RESERVED));
        let number = |result: Result<(), Broken>| result.expect_err("it is wrong").number;
        let answer = Some(Answer::Reserved { line: 0 });
        assert_eq!(number(check_step(SMALL, &reserved, &stolen, look(2), answer)), 15);
        assert_eq!(number(check_step(SMALL, &reserved, &reserved, look(1), Some(Answer::Reserved { line: 1 }))), 18);
        assert_eq!(check_step(SMALL, &reserved, &reserved, look(1), Some(Answer::Pending)), Ok(()));
        assert_eq!(
            check_step(SMALL, &reserved, &empty, CacheOp::Invalidate { pid: 1, page: 0 }, Some(Answer::Done)),
            Ok(())
        );
    }
}
