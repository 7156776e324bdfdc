//! The CBH cache against its model, and the invariants that the model does not state.

use std::collections::BTreeMap;

use nic_device::Words;
use nic_layout::cbh::{
    cbh, entry, CbhGeometry, Descriptor, BUFFER_ID_MAX, STATE_EMPTY, STATE_INVALID, STATE_MASK, STATE_RESERVED,
    STATE_VALID,
};
use nic_layout::key::{Key, KeyWidth};
use nic_lookup::cbh_fill_words;
use nic_lookup::check::{descriptor, replay_cbh, CbhAnswer, CbhCoverage, CbhInMemory, CbhModel, CbhOp, CbhTarget};
use proptest::prelude::*;

type Small<const W: u32> = CbhInMemory<32, W>;

fn small(ways: u32) -> CbhGeometry {
    CbhGeometry { entries: 32, ways, ..CbhGeometry::RECOMMENDED }
}

fn ops(geometry: CbhGeometry, count: usize) -> impl Strategy<Value = Vec<CbhOp>> {
    prop::collection::vec(any::<u64>().prop_map(move |random| CbhOp::draw(random, geometry)), 1..count)
}

/// What the memory of a cache must say after any step: no tag twice and each in its set (INV-13),
/// the order a permutation (INV-14), and reserved what the driver owes, nothing else (INV-16).
fn check_memory(geometry: CbhGeometry, words: &Vec<u32>, model: &CbhModel) {
    let word = |number: u32, offset: u32| words.read(geometry.entry_offset(number) + offset);
    let state = |number| word(number, entry::STATE) & STATE_MASK;
    let mut tags: Vec<u32> = Vec::new();
    for number in (0..geometry.entries).filter(|&number| state(number) != STATE_EMPTY) {
        let tag = word(number, entry::CBH);
        assert_eq!(geometry.set_of(tag), number / geometry.ways, "INV-13: {tag:#x} is in entry {number}");
        assert!(!tags.contains(&tag), "INV-13: {tag:#x} is there twice");
        tags.push(tag);
    }
    for set in 0..geometry.sets() {
        let order = words.read(geometry.replacement_offset(set));
        let mut ways: Vec<u32> = (0..geometry.ways).map(|position| (order >> (4 * position)) & 0xF).collect();
        ways.sort_unstable();
        assert!(ways.into_iter().eq(0..geometry.ways), "INV-14: set {set} has the order {order:#x}");
    }
    let reserved = (0..geometry.entries).filter(|&number| state(number) == STATE_RESERVED);
    let mut owed = model.reserved().to_vec();
    owed.sort_unstable();
    assert!(reserved.eq(owed), "INV-16: reserved is not what the driver owes");
}

fn agrees<const E: u32, const W: u32>(ops: &[CbhOp]) -> Result<(), TestCaseError> {
    agrees_with::<E, W, 64>(ops)?;
    agrees_with::<E, W, 128>(ops)
}

fn agrees_with<const E: u32, const W: u32, const K: u32>(ops: &[CbhOp]) -> Result<(), TestCaseError> {
    let key = KeyWidth::built(K);
    let (geometry, mut target) = (CbhGeometry { entries: E, ways: W, key }, CbhInMemory::<E, W, K>::default());
    let replayed = replay_cbh(geometry, ops, &mut target, |model, target| {
        check_memory(geometry, &target.words, model);
    });
    replayed.map_err(|failure| TestCaseError::fail(format!("{failure:?}")))?;
    Ok(())
}

proptest! {
    #[test]
    fn one_way_agrees_with_the_model(list in ops(small(1), 300)) {
        agrees::<32, 1>(&list)?;
    }

    #[test]
    fn two_ways_agree_with_the_model(list in ops(small(2), 300)) {
        agrees::<32, 2>(&list)?;
    }

    #[test]
    fn four_ways_agree_with_the_model(list in ops(small(4), 300)) {
        agrees::<32, 4>(&list)?;
    }

    #[test]
    fn eight_ways_agree_with_the_model(list in ops(small(8), 300)) {
        agrees::<32, 8>(&list)?;
    }

    #[test]
    fn a_single_set_agrees_with_the_model(list in ops(CbhGeometry { entries: 4, ..CbhGeometry::RECOMMENDED }, 200)) {
        agrees::<4, 4>(&list)?;
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
            target.words[index] = if is_flip { target.words[index] ^ 1 << (word % 32) } else { word };
        }
        for op in after {
            let old = target.words.clone();
            let answer = step(&mut target, op);
            if let Err(what) = answers_the_memory(small(4), op, answer, &old, &target.words) {
                prop_assert!(false, "{what}: {op:?} answered {answer:?}");
            }
        }
        target.cache.reset(&mut target.words);
        let replayed = replay_cbh(small(4), &repaired, &mut target, |_, _| ());
        prop_assert!(replayed.is_ok(), "{replayed:?}");
    }
}

/// One operation as the machine and a driver do it that serves each miss of an even identifier at
/// once; operations that name past misses do nothing.
fn step(target: &mut Small<4>, op: CbhOp) -> Option<CbhAnswer> {
    match op {
        CbhOp::Use { cbh } => {
            let answer = target.use_buffer(cbh);
            if let (CbhAnswer::Reserved { number }, 0) = (answer, cbh & 1) {
                target.fill(number, &descriptor(KeyWidth::Bits64, 0, cbh));
            }
            Some(answer)
        }
        CbhOp::Forget { cbh } => Some(target.forget(cbh)),
        _ => None,
    }
}

/// Whether an answer follows from the words before the operation, and whether nothing else changed
/// than it may change.
fn answers_the_memory(
    geometry: CbhGeometry,
    op: CbhOp,
    answer: Option<CbhAnswer>,
    old: &Vec<u32>,
    new: &Vec<u32>,
) -> Result<(), String> {
    let changed: Vec<u32> =
        (0..old.len() as u32).filter(|&word| old[word as usize] != new[word as usize]).map(|word| word * 4).collect();
    let allow = |allowed: &dyn Fn(u32) -> bool| match changed.iter().find(|&&offset| !allowed(offset)) {
        Some(offset) => Err(format!("byte {offset} changed")),
        None => Ok(()),
    };
    let says = |is_so: bool, what: &str| if is_so { Ok(()) } else { Err(what.to_string()) };
    let word = |words: &Vec<u32>, number: u32, offset: u32| words.read(geometry.entry_offset(number) + offset);
    let state = |words: &Vec<u32>, number| word(words, number, entry::STATE) & STATE_MASK;
    let within = |number: u32| geometry.entry_offset(number)..geometry.entry_offset(number + 1);
    let (CbhOp::Use { cbh } | CbhOp::Forget { cbh }) = op else { return allow(&|_| false) };
    let set = geometry.set_of(cbh);
    let (order, mut numbers) = (geometry.replacement_offset(set), set * geometry.ways..(set + 1) * geometry.ways);
    let names = |number: u32, wanted: u32| word(old, number, entry::CBH) == cbh && state(old, number) == wanted;
    match answer {
        Some(CbhAnswer::Valid { number, descriptor }) => {
            says(numbers.contains(&number) && names(number, STATE_VALID), "no valid entry names the buffer")?;
            let start = word(old, number, entry::START);
            says(descriptor.start_address == start, "the descriptor is another")?;
            allow(&|offset| offset == order)
        }
        Some(CbhAnswer::Invalid) => {
            says(numbers.any(|number| names(number, STATE_INVALID)), "no entry denies the buffer")?;
            allow(&|offset| offset == order)
        }
        Some(CbhAnswer::Pending) => {
            // A state that no party writes counts as reserved: the frame is dropped, and nothing is
            // read.
            let known = [STATE_EMPTY, STATE_VALID, STATE_INVALID];
            let awaits = |number| word(old, number, entry::CBH) == cbh && !known.contains(&state(old, number));
            says(numbers.any(awaits), "no entry of the buffer is reserved")?;
            allow(&|_| false)
        }
        Some(CbhAnswer::Reserved { number }) => {
            says(numbers.contains(&number), "the entry is of another set")?;
            says(state(old, number) != STATE_RESERVED, "the entry was reserved")?;
            says(word(new, number, entry::CBH) == cbh, "the entry names another buffer")?;
            allow(&|offset| offset == order || within(number).contains(&offset))
        }
        Some(CbhAnswer::NoWay) | None => allow(&|_| false),
        Some(CbhAnswer::Done | CbhAnswer::Nothing) => {
            let was_there = answer == Some(CbhAnswer::Done);
            let gone = numbers.find(|&number| {
                let was_known = word(old, number, entry::CBH) == cbh && state(old, number) != STATE_EMPTY;
                was_known && state(new, number) == STATE_EMPTY
            });
            says(gone.is_some() == was_there, "the buffer is not forgotten")?;
            let keys_are_gone = |number| word(new, number, entry::KEY_0) == 0 && word(new, number, entry::KEY_1) == 0;
            says(gone.is_none_or(keys_are_gone), "its key is still there")?;
            allow(&|offset| gone.is_some_and(|number| offset == order || within(number).contains(&offset)))
        }
    }
}

#[test]
fn an_answer_that_the_memory_does_not_give_is_noticed() {
    let (geometry, mut target) = (small(4), Small::<4>::default());
    let op = CbhOp::Use { cbh: 2 };
    let Some(CbhAnswer::Reserved { number }) = step(&mut target, op) else { panic!("it is there") };
    let old = target.words.clone();
    let found = step(&mut target, op);
    assert_eq!(answers_the_memory(geometry, op, found, &old, &target.words), Ok(()));
    let other = CbhOp::Use { cbh: 2 + 32 };
    assert_eq!(
        answers_the_memory(geometry, other, found, &old, &target.words),
        Err("no valid entry names the buffer".into())
    );
    let forget = CbhOp::Forget { cbh: 2 };
    let kept = answers_the_memory(geometry, forget, Some(CbhAnswer::Done), &old, &old);
    assert_eq!(kept, Err("the buffer is not forgotten".into()));
    let beside = geometry.entry_offset(number ^ 1);
    target.words.write(beside, 7);
    assert_eq!(answers_the_memory(geometry, op, found, &old, &target.words), Err(format!("byte {beside} changed")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_recommended_geometry_agrees_with_the_model(list in ops(CbhGeometry::RECOMMENDED, 100)) {
        agrees::<1024, 4>(&list)?;
    }
}

/// What host and network may do to a cache whose driver serves its misses from a table of
/// registered buffers.
#[derive(Clone, Copy, Debug)]
enum HostOp {
    Frame {
        id: u32,
    },
    Register {
        id: u32,
        seed: u32,
    },
    Deregister {
        id: u32,
    },
    /// The driver serves the oldest miss.
    Serve,
}

fn host_op() -> impl Strategy<Value = HostOp> {
    // Twelve identifiers of one set of two ways.
    let id = || (0u32..12).prop_map(|n| n * 16);
    prop_oneof![
        6 => id().prop_map(|id| HostOp::Frame { id }),
        2 => (id(), any::<u32>()).prop_map(|(id, seed)| HostOp::Register { id, seed }),
        1 => id().prop_map(|id| HostOp::Deregister { id }),
        4 => Just(HostOp::Serve),
    ]
}

proptest! {
    /// A hit is what the table holds (INV-20), a buffer that was deregistered is not hit (INV-19),
    /// and a registered buffer is not refused, whatever was known of its identifier before
    /// (M-45).
    #[test]
    fn the_cache_agrees_with_the_table_of_the_host(list in prop::collection::vec(host_op(), 1..300)) {
        let mut target = CbhInMemory::<32, 2>::default();
        let mut table: BTreeMap<u32, Descriptor> = BTreeMap::new();
        // Entry and buffer of each miss that the driver has not served.
        let mut misses: Vec<(u32, u32)> = Vec::new();
        for op in list {
            match op {
                HostOp::Frame { id } => match target.use_buffer(cbh(1, id)) {
                    CbhAnswer::Valid { descriptor, .. } => prop_assert_eq!(table.get(&id), Some(&descriptor)),
                    CbhAnswer::Invalid => prop_assert_eq!(table.get(&id), None),
                    // INV-18: no other miss is outstanding for this buffer.
                    CbhAnswer::Reserved { number } => {
                        prop_assert!(misses.iter().all(|miss| miss.1 != id));
                        misses.push((number, id));
                    }
                    CbhAnswer::Pending => prop_assert!(misses.iter().any(|miss| miss.1 == id)),
                    _ => prop_assert_eq!(misses.len(), 2),
                },
                HostOp::Register { id, seed } => {
                    table.insert(id, descriptor(KeyWidth::Bits64, seed, id));
                    target.forget(cbh(1, id));
                    misses.retain(|miss| miss.1 != id);
                }
                HostOp::Deregister { id } => {
                    table.remove(&id);
                    target.forget(cbh(1, id));
                    misses.retain(|miss| miss.1 != id);
                }
                HostOp::Serve if misses.is_empty() => {}
                HostOp::Serve => {
                    let (number, id) = misses.remove(0);
                    match table.get(&id) {
                        Some(descriptor) => target.fill(number, descriptor),
                        None => target.deny(number),
                    }
                }
            }
        }
    }
}

fn drawn(count: u32) -> Vec<CbhOp> {
    let mut state = 1u64;
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            CbhOp::draw(state ^ state >> 29, small(4))
        })
        .collect()
}

#[test]
fn drawn_lists_meet_every_answer() {
    let coverage: CbhCoverage = replay_cbh(small(4), &drawn(5000), &mut Small::<4>::default(), |_, _| {}).unwrap();
    assert!(coverage.least() > 20, "{coverage:?}");
}

/// A cache that goes wrong in one way.
struct Broken(Small<4>, Defect);

#[derive(Clone, Copy, Debug)]
enum Defect {
    /// A valid entry is searched for by its identifier alone.
    AnyProcess,
    /// An entry that is reserved may be given away.
    StealsReserved,
    /// A buffer that is forgotten leaves its negative entry.
    KeepsNegative,
    /// Uses change no order.
    ForgetsUses,
}

impl CbhTarget for Broken {
    fn use_buffer(&mut self, cbh: u32) -> CbhAnswer {
        let Broken(cache, defect) = self;
        let order = small(4).replacement_offset(small(4).set_of(cbh));
        let before = cache.words.read(order);
        match defect {
            Defect::AnyProcess => cache.use_buffer(cbh & BUFFER_ID_MAX),
            Defect::StealsReserved => {
                let answer = cache.use_buffer(cbh);
                if let CbhAnswer::Reserved { number } = answer {
                    // Forgotten as reserved, though the driver owes it.
                    cache.release(number);
                }
                answer
            }
            Defect::KeepsNegative => cache.use_buffer(cbh),
            Defect::ForgetsUses => {
                let answer = cache.use_buffer(cbh);
                if matches!(answer, CbhAnswer::Valid { .. }) {
                    cache.words.write(order, before);
                }
                answer
            }
        }
    }

    fn forget(&mut self, cbh: u32) -> CbhAnswer {
        let Broken(cache, defect) = self;
        match defect {
            Defect::AnyProcess => cache.forget(cbh & BUFFER_ID_MAX),
            Defect::KeepsNegative if matches!(cache.use_buffer(cbh), CbhAnswer::Invalid) => CbhAnswer::Done,
            _ => cache.forget(cbh),
        }
    }

    fn fill(&mut self, number: u32, descriptor: &Descriptor) {
        self.0.fill(number, descriptor);
    }

    fn deny(&mut self, number: u32) {
        self.0.deny(number);
    }

    fn release(&mut self, number: u32) {
        self.0.release(number);
    }
}

#[test]
fn the_model_notices_what_is_planted() {
    for defect in [Defect::AnyProcess, Defect::StealsReserved, Defect::KeepsNegative, Defect::ForgetsUses] {
        let mut broken = Broken(Small::default(), defect);
        assert!(replay_cbh(small(4), &drawn(5000), &mut broken, |_, _| {}).is_err(), "{defect:?} is not noticed");
    }
}

#[test]
fn a_fill_is_one_ascending_run_and_writes_the_state_last() {
    for key in KeyWidth::ALL {
        let geometry = CbhGeometry { key, ..small(4) };
        let writes: Vec<(u32, u32)> = cbh_fill_words(geometry, 3, &descriptor(key, 7, 1)).collect();
        let (upper, run) = writes.split_at(key.words() - 2);
        let at = |writes: &[(u32, u32)]| -> Vec<u32> {
            writes.iter().map(|(offset, _)| offset - geometry.entry_offset(3)).collect()
        };
        assert_eq!(at(run), [4, 8, 12, 16, 20]);
        assert_eq!(at(upper), [entry::KEY_2, entry::KEY_3][..upper.len()]);
        assert_eq!(run[4].1 & STATE_MASK, STATE_VALID);
    }
}

#[test]
fn a_second_miss_on_a_reserved_entry_is_only_pending() {
    let mut target = Small::<4>::default();
    assert!(matches!(target.use_buffer(cbh(1, 5)), CbhAnswer::Reserved { .. }));
    assert_eq!(target.use_buffer(cbh(1, 5)), CbhAnswer::Pending);
    assert!(matches!(target.use_buffer(cbh(2, 5)), CbhAnswer::Reserved { .. }), "another process");
}

#[test]
fn a_set_without_a_free_way_says_so_and_stays_as_it_is() {
    let mut target = Small::<2>::default();
    for id in [0, 16] {
        assert!(matches!(target.use_buffer(cbh(1, id)), CbhAnswer::Reserved { .. }));
    }
    let before = target.words.clone();
    assert_eq!(target.use_buffer(cbh(1, 32)), CbhAnswer::NoWay);
    assert_eq!(target.words, before);
}

#[test]
fn a_forgotten_buffer_leaves_no_key() {
    const KEY: Key = [0x1234_5678, 0x9ABC_DEF0, 0x0FED_CBA9, 0x8765_4321];
    let mut target = CbhInMemory::<32, 4, 128>::default();
    let CbhAnswer::Reserved { number } = target.use_buffer(cbh(1, 5)) else { panic!("not reserved") };
    target.fill(number, &Descriptor { key: KEY, ..Descriptor::default() });
    assert!(KEY.iter().all(|word| target.words.contains(word)));
    assert_eq!(target.forget(cbh(1, 5)), CbhAnswer::Done);
    assert!(!target.words.iter().any(|word| KEY.contains(word)));
    assert_eq!(target.forget(cbh(1, 5)), CbhAnswer::Nothing);
}

/// M-43, M-45.
#[test]
fn a_negative_entry_is_hit_until_its_buffer_is_registered() {
    let mut target = Small::<4>::default();
    let CbhAnswer::Reserved { number } = target.use_buffer(cbh(1, 5)) else { panic!("not reserved") };
    target.deny(number);
    assert_eq!(target.use_buffer(cbh(1, 5)), CbhAnswer::Invalid);
    assert_eq!(target.words.read(small(4).entry_offset(number) + entry::STATE), STATE_INVALID);
    assert_eq!(target.forget(cbh(1, 5)), CbhAnswer::Done);
    assert!(matches!(target.use_buffer(cbh(1, 5)), CbhAnswer::Reserved { .. }));
}
