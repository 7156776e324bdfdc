//! The VMH cache against its model, and the invariants that the model does not state.

use nic_device::Words;
use nic_layout::vmh::{
    key, VmhGeometry, KEY_RESERVED, KEY_STATE_MASK, KEY_VALID, NO_TRANSLATION, RECEIVE_LOCK_SHIFT, SEND_LOCK_SHIFT,
};
use nic_lookup::check::{page_number, replay, Answer, CacheOp, Failure, InMemory, Target};
use nic_lookup::{fill_words, Path};
use proptest::prelude::*;

type Small<const W: u32> = InMemory<256, 8, W>;

fn small(ways: u32) -> VmhGeometry {
    VmhGeometry { entries: 256, line_entries: 8, ways }
}

fn text(ops: &[CacheOp]) -> String {
    ops.iter().map(|op| format!("{op}\n")).collect()
}

fn ops(geometry: VmhGeometry, count: usize) -> impl Strategy<Value = Vec<CacheOp>> {
    prop::collection::vec(any::<u64>().prop_map(move |random| CacheOp::draw(random, geometry)), 1..count)
}

fn agrees<T: Target>(geometry: VmhGeometry, ops: &[CacheOp], target: &mut T) -> Result<(), TestCaseError>
where
    T::Error: std::fmt::Debug,
{
    replay(geometry, ops, target).map_err(|failure| TestCaseError::fail(format!("{failure:?} in\n{}", text(ops))))?;
    Ok(())
}

proptest! {
    #[test]
    fn two_ways_agree_with_the_model(list in ops(small(2), 300)) {
        agrees(small(2), &list, &mut Small::<2>::default())?;
    }

    #[test]
    fn four_ways_agree_with_the_model(list in ops(small(4), 300)) {
        agrees(small(4), &list, &mut Small::<4>::default())?;
    }

    #[test]
    fn eight_ways_agree_with_the_model(list in ops(small(8), 300)) {
        agrees(small(8), &list, &mut Small::<8>::default())?;
    }

    #[test]
    fn a_single_set_agrees_with_the_model(list in ops(VmhGeometry { entries: 16, line_entries: 8, ways: 2 }, 200)) {
        agrees(VmhGeometry { entries: 16, line_entries: 8, ways: 2 }, &list, &mut InMemory::<16, 8, 2>::default())?;
    }

    #[test]
    fn the_recommended_geometry_agrees_with_the_model(list in ops(VmhGeometry::RECOMMENDED, 300)) {
        agrees(VmhGeometry::RECOMMENDED, &list, &mut InMemory::<16384, 64, 4>::default())?;
    }

    #[test]
    fn lists_survive_as_text(list in ops(small(4), 50)) {
        let back: Vec<CacheOp> = text(&list).lines().map(|line| line.parse().unwrap()).collect();
        prop_assert_eq!(back, list);
    }

    /// INV-13: after any list no tag is in two ways; INV-14: the replacement word is a permutation.
    #[test]
    fn no_tag_is_there_twice(list in ops(small(4), 300)) {
        let mut target = Small::<4>::default();
        agrees(small(4), &list, &mut target)?;
        for set in 0..small(4).sets() {
            let mut tags: Vec<u32> = (0..4)
                .map(|way| target.words.read(small(4).key_offset(set * 4 + way)))
                .filter(|key| key & KEY_STATE_MASK != 0)
                .map(|key| key & !KEY_STATE_MASK)
                .collect();
            let count = tags.len();
            tags.sort_unstable();
            tags.dedup();
            prop_assert_eq!(tags.len(), count);
            let recency = target.words.read(small(4).replacement_offset(set));
            let mut ways: Vec<u32> = (0..4).map(|position| (recency >> (4 * position)) & 0xF).collect();
            ways.sort_unstable();
            prop_assert_eq!(ways, vec![0, 1, 2, 3]);
        }
    }

    /// Whatever a hostile host writes into the cache, an operation answers only what the memory
    /// says and changes only words of its set, and a reset repairs all.
    #[test]
    fn damaged_words_do_no_harm(
        before in ops(small(4), 100),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u32>(), any::<bool>()), 1..64),
        after in ops(small(4), 100),
        repaired in ops(small(4), 100),
    ) {
        let mut target = Small::<4>::default();
        for op in before {
            step(&mut target, op);
        }
        for (index, word, is_flip) in damage {
            let index = index.index(target.words.len());
            // A garbled word, or one with a bit flipped.
            target.words[index] = if is_flip { target.words[index] ^ 1 << (word % 32) } else { word };
        }
        for op in after {
            let old = target.words.clone();
            let answer = step(&mut target, op);
            if let Err(what) = answers_the_memory(small(4), op, answer, &old, &target.words) {
                prop_assert!(false, "{what}: {op} answered {answer:?}");
            }
        }
        let cache = target.cache;
        cache.reset(&mut target.words);
        agrees(small(4), &repaired, &mut target)?;
    }
}

/// One operation as the machine and a driver do it that fills each line at once; operations that
/// name past misses do nothing.
fn step(target: &mut Small<4>, op: CacheOp) -> Option<Answer> {
    let Ok(answer) = match op {
        CacheOp::Use { path, pid, page } => target.use_page(path, pid, page),
        CacheOp::Invalidate { pid, page } => target.invalidate(pid, page),
        CacheOp::Unlock { nth } => target.unlock(Path::Send, nth % 32),
        _ => return None,
    };
    if let (Answer::Reserved { line }, CacheOp::Use { pid, page, .. }) = (answer, op) {
        if page & 1 == 0 {
            let miss_key = key(pid, small(4).line_page(page), KEY_RESERVED);
            let Ok(()) = target.fill(line, miss_key, &|page| page_number(pid, page));
        }
    }
    Some(answer)
}

/// Whether an answer follows from the words before the operation, and whether nothing else changed
/// than it may change.
fn answers_the_memory(
    geometry: VmhGeometry,
    op: CacheOp,
    answer: Option<Answer>,
    old: &Vec<u32>,
    new: &Vec<u32>,
) -> Result<(), String> {
    let changed: Vec<u32> =
        (0..old.len() as u32).filter(|&word| old[word as usize] != new[word as usize]).map(|word| word * 4).collect();
    let key_of = |words: &Vec<u32>, line| words.read(geometry.key_offset(line));
    let locks_of = |words: &Vec<u32>, line| words.read(geometry.state_offset(line));
    let allow = |allowed: &[u32]| match changed.iter().find(|offset| !allowed.contains(offset)) {
        Some(offset) => Err(format!("byte {offset} changed")),
        None => Ok(()),
    };
    let says = |is_so: bool, what: &str| if is_so { Ok(()) } else { Err(what.to_string()) };
    match (op, answer) {
        (CacheOp::Use { path, pid, page }, Some(answer)) => {
            let (set, wanted) = (geometry.set_of(page), key(pid, geometry.line_page(page), KEY_VALID));
            let lines = set * geometry.ways..(set + 1) * geometry.ways;
            let order = geometry.replacement_offset(set);
            let reserved = wanted ^ (KEY_VALID ^ KEY_RESERVED);
            match answer {
                Answer::Hit { line, entry } => {
                    says(lines.contains(&line) && key_of(old, line) == wanted, "no valid line has this tag")?;
                    let index = page % geometry.line_entries;
                    says(entry == old.read(geometry.entry_offset(line, index)), "the entry is another")?;
                    let shift = if path == Path::Send { SEND_LOCK_SHIFT } else { RECEIVE_LOCK_SHIFT };
                    let locked = locks_of(old, line).wrapping_add(1 << shift);
                    says(locks_of(new, line) == locked, "the line is not locked once more")?;
                    allow(&[order, geometry.state_offset(line)])
                }
                Answer::Reserved { line } => {
                    says(lines.contains(&line), "the line is of another set")?;
                    says(key_of(old, line) & KEY_STATE_MASK != KEY_RESERVED, "the line was reserved")?;
                    says(locks_of(old, line) == 0, "the line was locked")?;
                    let is_filled = key_of(new, line) == wanted;
                    says(is_filled || key_of(new, line) == reserved, "the line has another tag")?;
                    let entries = (0..geometry.line_entries).map(|index| geometry.entry_offset(line, index));
                    let filled = entries.filter(|_| is_filled);
                    allow(&[order, geometry.key_offset(line)].into_iter().chain(filled).collect::<Vec<_>>())
                }
                Answer::Pending => {
                    says(lines.clone().any(|line| key_of(old, line) == reserved), "no line of this tag is reserved")?;
                    allow(&[])
                }
                Answer::NoWay => allow(&[]),
                other => Err(format!("{other:?} is no answer to a lookup")),
            }
        }
        (CacheOp::Invalidate { pid, page }, Some(answer)) => {
            let (set, tag) = (geometry.set_of(page), key(pid, geometry.line_page(page), 0));
            let has_tag = |line: &u32| {
                let found = key_of(old, *line);
                found & KEY_STATE_MASK != 0 && found & !KEY_STATE_MASK == tag
            };
            let line = (set * geometry.ways..(set + 1) * geometry.ways)
                .find(|line| has_tag(line) && key_of(new, *line) & KEY_STATE_MASK == 0);
            match (answer, line) {
                (Answer::Done, Some(line)) => allow(&[geometry.replacement_offset(set), geometry.key_offset(line)]),
                (Answer::Nothing, None) => allow(&[]),
                _ => Err("the line is not forgotten".into()),
            }
        }
        (CacheOp::Unlock { nth }, Some(answer)) => {
            let state = geometry.state_offset(nth % 32);
            let was_locked = old.read(state) & 0xFFFF << SEND_LOCK_SHIFT != 0;
            says((answer == Answer::Done) == was_locked, "a lock that was not there is ended")?;
            let fewer = old.read(state).wrapping_sub(u32::from(was_locked) << SEND_LOCK_SHIFT);
            says(new.read(state) == fewer, "not one lock ended")?;
            allow(&[state])
        }
        _ => allow(&[]),
    }
}

#[test]
fn an_answer_that_the_memory_does_not_give_is_noticed() {
    let (geometry, mut target) = (small(4), Small::<4>::default());
    let op = CacheOp::Use { path: Path::Send, pid: 1, page: 2 };
    let line = match step(&mut target, op) {
        Some(Answer::Reserved { line }) => line,
        other => panic!("{other:?}"),
    };
    let old = target.words.clone();
    let hit = step(&mut target, op);
    let judge = |answer, new: &Vec<u32>| answers_the_memory(geometry, op, answer, &old, new);
    assert_eq!(judge(hit, &target.words), Ok(()));
    let Some(Answer::Hit { entry, .. }) = hit else { panic!("{hit:?}") };
    let other_line = Some(Answer::Hit { line: line ^ 1, entry });
    assert_eq!(judge(other_line, &target.words), Err("no valid line has this tag".into()));
    let other_entry = Some(Answer::Hit { line, entry: entry ^ 1 });
    assert_eq!(judge(other_entry, &target.words), Err("the entry is another".into()));
    assert_eq!(judge(hit, &old), Err("the line is not locked once more".into()));
    let beside = geometry.key_offset(line ^ 1);
    target.words.write(beside, 7);
    assert_eq!(judge(hit, &target.words), Err(format!("byte {beside} changed")));
}

#[test]
fn drawn_lists_meet_every_answer() {
    let mut state = 1u64;
    let list: Vec<CacheOp> = (0..5000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            CacheOp::draw(state ^ state >> 29, small(4))
        })
        .collect();
    let coverage = replay(small(4), &list, &mut Small::<4>::default()).unwrap();
    let counts = [
        coverage.hits,
        coverage.reserved,
        coverage.pending,
        coverage.no_way,
        coverage.fills,
        coverage.unlocks,
        coverage.invalidations,
    ];
    assert!(counts.iter().all(|&count| count > 20), "{coverage:?}");
}

/// A cache that forgets to lock.
struct Unlocked(Small<2>);

impl Target for Unlocked {
    type Error = std::convert::Infallible;

    fn use_page(&mut self, path: Path, pid: u32, page: u32) -> Result<Answer, Self::Error> {
        let answer = self.0.use_page(path, pid, page)?;
        if let Answer::Hit { line, .. } = answer {
            self.0.unlock(path, line)?;
        }
        Ok(answer)
    }

    fn unlock(&mut self, _: Path, _: u32) -> Result<Answer, Self::Error> {
        Ok(Answer::Done)
    }

    fn invalidate(&mut self, pid: u32, page: u32) -> Result<Answer, Self::Error> {
        self.0.invalidate(pid, page)
    }

    fn fill(&mut self, line: u32, miss_key: u32, page_number: &dyn Fn(u32) -> u32) -> Result<(), Self::Error> {
        self.0.fill(line, miss_key, page_number)
    }

    fn release(&mut self, line: u32) -> Result<(), Self::Error> {
        self.0.release(line)
    }
}

#[test]
fn the_model_notices_a_cache_that_does_not_lock() {
    let list: Vec<CacheOp> = "use send 1 0x0\nfill 0 1\nuse send 1 0x0\nuse send 1 0x80\nfill 0 1\nuse send 1 0x100\n"
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    assert!(replay(small(2), &list, &mut Small::<2>::default()).is_ok());
    let Err(Failure::Mismatch { index, .. }) = replay(small(2), &list, &mut Unlocked(Small::default())) else {
        panic!("not noticed");
    };
    assert_eq!(index, 5);
}

#[test]
fn a_fill_writes_the_key_last() {
    let writes: Vec<(u32, u32)> = fill_words(small(4), 3, key(7, 0x40, KEY_RESERVED), |page| page + 1).collect();
    assert_eq!(writes.len(), 9);
    assert_eq!(writes[0], (small(4).entry_offset(3, 0), 0x41));
    assert_eq!(writes[8], (small(4).key_offset(3), key(7, 0x40, KEY_VALID)));
}

#[test]
fn a_second_miss_on_a_reserved_line_is_only_pending() {
    let mut target = Small::<4>::default();
    assert!(matches!(target.use_page(Path::Receive, 1, 5), Ok(Answer::Reserved { .. })));
    assert_eq!(target.use_page(Path::Send, 1, 6), Ok(Answer::Pending));
}

#[test]
fn an_invalidated_line_under_dma_is_not_given_away() {
    let mut target = InMemory::<16, 8, 2>::default();
    for page in [0, 8] {
        let Ok(Answer::Reserved { line }) = target.use_page(Path::Send, 1, page) else { panic!("not reserved") };
        target.fill(line, key(1, page, KEY_RESERVED), &|page| page_number(1, page)).unwrap();
        assert!(matches!(target.use_page(Path::Send, 1, page), Ok(Answer::Hit { .. })));
    }
    assert_eq!(target.invalidate(1, 0), Ok(Answer::Done));
    assert_eq!(target.use_page(Path::Send, 1, 16), Ok(Answer::NoWay));
    assert_eq!(target.unlock(Path::Send, 0), Ok(Answer::Done));
    assert_eq!(target.use_page(Path::Send, 1, 16), Ok(Answer::Reserved { line: 0 }));
}

#[test]
fn a_hole_is_a_hit_without_a_translation() {
    let mut target = Small::<4>::default();
    let Ok(Answer::Reserved { line }) = target.use_page(Path::Send, 1, 10) else { panic!("not reserved") };
    target.fill(line, key(1, 8, KEY_RESERVED), &|page| page_number(1, page)).unwrap();
    assert_eq!(target.use_page(Path::Send, 1, 10), Ok(Answer::Hit { line, entry: NO_TRANSLATION }));
}

#[test]
fn wrong_text_says_what_would_be_right() {
    let error = "use sideways 3".parse::<CacheOp>().unwrap_err();
    assert!(error.to_string().contains("`use sideways 3` is not a cache operation"));
}
