//! The numbers of a peer, against a map of all of them.

use std::collections::BTreeMap;

use nic_collections::{Numbers, State};
use proptest::prelude::*;

/// As the crate has it.
const AHEAD_MAX: u64 = 0x7000;

/// A peer that keeps the rules: numbers below `first` are complete on its side, at most 256 are in
/// use.
#[derive(Clone, Debug)]
enum Step {
    /// The first frame of the message so far behind the newest, or the next one.
    First {
        back: u64,
        tag_distance: u64,
    },
    Complete(u64),
    Fail(u64),
    /// A frame of any number.
    Look(i64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..6_u64, 0..5_u64).prop_map(|(back, tag_distance)| Step::First { back, tag_distance }),
        3 => (0..300_u64).prop_map(Step::Complete),
        1 => (0..300_u64).prop_map(Step::Fail),
        2 => (-300..600_i64).prop_map(Step::Look),
    ];
    proptest::collection::vec(step, 1..1500)
}

/// Numbers of 64 bits; the crate has 16 of them.
fn play(start: u64, steps: &[Step]) {
    let mut words = vec![0x5A5A_5A5A; Numbers::BYTES as usize / 4 + 2];
    let mut numbers = Numbers::start(&mut words, 4);
    // Goes to where the numbers wrap.
    for number in 0..start {
        numbers.matched(&mut words, number as u16, 1);
        numbers.complete(&mut words, number as u16);
    }
    let (mut states, mut newest) = (BTreeMap::<u64, State>::new(), start.checked_sub(1));
    let expected = |states: &BTreeMap<u64, State>, newest: Option<u64>, number: u64| match newest {
        Some(newest) if number + 256 <= newest => State::Old,
        Some(newest) if number > newest + AHEAD_MAX => State::Old,
        _ if number < start => State::Complete,
        _ => states.get(&number).copied().unwrap_or(State::Unseen),
    };
    for step in steps {
        let next = newest.map_or(0, |newest| newest + 1);
        match *step {
            Step::First { back, tag_distance } => {
                // Some numbers are passed over: their first frames are lost.
                let number = next + 5 - back;
                let lowest = (start..).find(|number| !states.contains_key(number)).unwrap();
                // The oldest that the peer knows to be open is at or before the lowest that is not matched.
                if number >= lowest + 256 || states.contains_key(&number) || number < start {
                    continue;
                }
                let oldest = lowest.min(number);
                let is_after_all = numbers.is_after_all(number as u16, (number - oldest) as u32);
                assert_eq!(is_after_all, lowest >= number, "number {number}, lowest {lowest}");
                if tag_distance <= number {
                    let of_tag = expected(&states, newest, number - tag_distance);
                    let is_after_tag = numbers.is_after_tag(&words, number as u16, tag_distance as u32);
                    let is_newer = newest.is_none_or(|newest| number - tag_distance > newest + AHEAD_MAX);
                    if !is_newer {
                        assert_eq!(is_after_tag, tag_distance == 0 || of_tag != State::Unseen);
                    }
                }
                let receive = number as u32 % 440;
                numbers.matched(&mut words, number as u16, receive);
                states.insert(number, State::Matched(receive));
                newest = Some(newest.map_or(number, |newest| newest.max(number)));
            }
            Step::Complete(back) | Step::Fail(back) => {
                let Some(number) = next.checked_sub(back + 1) else { continue };
                let is_failure = matches!(step, Step::Fail(_));
                if matches!(expected(&states, newest, number), State::Matched(_)) {
                    states.insert(number, if is_failure { State::Failed } else { State::Complete });
                    match is_failure {
                        true => numbers.fail(&mut words, number as u16),
                        false => numbers.complete(&mut words, number as u16),
                    }
                }
            }
            Step::Look(ahead) => {
                let Some(number) = next.checked_add_signed(ahead) else { continue };
                if newest.is_some() {
                    assert_eq!(numbers.look(&words, number as u16), expected(&states, newest, number), "{number}");
                }
            }
        }
    }
    assert_eq!((words[0], *words.last().unwrap()), (0x5A5A_5A5A, 0x5A5A_5A5A));
}

proptest! {
    #[test]
    fn every_number_has_its_state(steps in steps()) {
        play(0, &steps);
    }

    #[test]
    fn numbers_wrap(steps in steps()) {
        play(0xFFF0, &steps);
    }

    /// A peer that breaks the rules harms no other.
    #[test]
    fn any_peer_stays_in_its_table(calls in proptest::collection::vec((0..6_u8, any::<u16>(), 0..256_u32), 1..400)) {
        let mut words = vec![0x5A5A_5A5A; Numbers::BYTES as usize / 4 + 2];
        let mut numbers = Numbers::start(&mut words, 4);
        for (call, number, value) in calls {
            match call {
                0 => numbers.matched(&mut words, number, value),
                1 => numbers.complete(&mut words, number),
                2 => numbers.fail(&mut words, number),
                5 => numbers.matched_whole(&mut words, number),
                3 => drop(numbers.is_after_all(number, value)),
                _ => drop(numbers.is_after_tag(&words, number, value)),
            }
            if let State::Matched(receive) = numbers.look(&words, number) {
                prop_assert!(receive < 440);
            }
        }
        prop_assert_eq!((words[0], *words.last().unwrap()), (0x5A5A_5A5A, 0x5A5A_5A5A));
    }
}

#[test]
fn a_message_may_be_matched_and_complete_at_once() {
    for first in [0, 0xFFFE_u16] {
        let mut words = vec![0; Numbers::BYTES as usize / 4];
        let mut numbers = Numbers::start(&mut words, 0);
        numbers.pass_over(first);
        for (number, receive) in (0..4_u16).map(|ahead| first.wrapping_add(ahead)).zip(1..) {
            match number % 2 {
                0 => numbers.matched_whole(&mut words, number),
                _ => numbers.matched(&mut words, number, receive),
            }
            let state = if number % 2 == 0 { State::Complete } else { State::Matched(receive) };
            assert_eq!(numbers.look(&words, number), state, "{number}");
            assert!(numbers.is_after_all(number.wrapping_add(1), 1), "{number} was matched");
        }
    }
}

#[test]
fn messages_that_never_came_are_passed_over() {
    for ahead in [255_u16, 256, 257, 300, 5000, AHEAD_MAX as u16] {
        let mut words = vec![0; Numbers::BYTES as usize / 4];
        let mut numbers = Numbers::start(&mut words, 0);
        numbers.matched(&mut words, 0, 7);
        assert_eq!(numbers.look(&words, ahead), State::Unseen);
        assert!(numbers.is_after_all(ahead, 0), "its sender knows that all before have ended");
        numbers.matched(&mut words, ahead, 9);
        assert_eq!(numbers.look(&words, ahead), State::Matched(9));
        let first = if ahead < 256 { State::Matched(7) } else { State::Old };
        assert_eq!(numbers.look(&words, 0), first);
        assert_eq!(numbers.look(&words, ahead - 1), State::Unseen);
    }
    let mut words = vec![0; Numbers::BYTES as usize / 4];
    let mut numbers = Numbers::start(&mut words, 0);
    numbers.matched(&mut words, 0, 7);
    numbers.matched(&mut words, AHEAD_MAX as u16 + 1, 9);
    assert_eq!(numbers.look(&words, 0), State::Matched(7), "a number too far ahead changes nothing");
}

#[test]
fn a_message_that_was_lost_holds_up_those_that_must_wait_for_it() {
    let mut words = vec![0; Numbers::BYTES as usize / 4];
    let mut numbers = Numbers::start(&mut words, 0);
    // Message 0 is lost; 1 has the same tag, 2 another.
    assert!(!numbers.is_after_tag(&words, 1, 1) && numbers.is_after_tag(&words, 2, 0));
    assert!(!numbers.is_after_all(2, 2));
    numbers.matched(&mut words, 2, 9);
    assert_eq!(numbers.look(&words, 0), State::Unseen);
    numbers.matched(&mut words, 0, 4);
    assert!(numbers.is_after_tag(&words, 1, 1) && numbers.is_after_all(1, 1));
    assert!(!numbers.is_after_all(3, 3), "message 1 was not matched");
    assert!(numbers.is_after_all(3, 0), "its sender says that it was");
}
