//! The sender's window of a message, against sets of collections.

use std::collections::BTreeSet;

use nic_collections::{Acknowledged, Window};
use nic_device::Place;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Send,
    Acknowledge(u32),
}

fn steps() -> impl Strategy<Value = (u32, u32, Vec<Step>)> {
    (1..200_u32, 1..=8_u32).prop_flat_map(|(frames, size)| {
        let step = prop_oneof![3 => Just(Step::Send), 1 => (0..frames + 9).prop_map(Step::Acknowledge)];
        (Just(frames), Just(size), proptest::collection::vec(step, 0..600))
    })
}

fn play(frames: u32, size: u32, steps: &[Step], limit: impl Fn(bool) -> u32) {
    let mut words = vec![0; Window::WORDS as usize];
    let window = Window::at(Place(0));
    window.start(&mut words, frames, size);
    let collections = frames.div_ceil(size);
    let (mut next, mut accepted) = (0, BTreeSet::new());
    for step in steps {
        let oldest = (0..).find(|collection| !accepted.contains(collection)).unwrap();
        let sent = if next == frames { collections } else { next / size };
        match *step {
            Step::Send => {
                let may = next < frames && next / size < oldest + limit(!accepted.is_empty());
                let taken = window.next(&mut words);
                assert_eq!(taken.is_some(), may, "frame {next}");
                if let Some(taken) = taken {
                    let is_last = next + 1 == frames || (next + 1) % size == 0;
                    assert_eq!((taken.frame, taken.collection, taken.is_last), (next, next / size, is_last));
                    next += 1;
                }
            }
            Step::Acknowledge(frame) => {
                let collection = frame / size;
                let expected = if frame >= frames || collection >= sent && !accepted.contains(&collection) {
                    Acknowledged::Strange
                } else if !accepted.insert(collection) {
                    Acknowledged::Again
                } else {
                    Acknowledged::New(collection)
                };
                assert_eq!(window.acknowledge(&mut words, frame), expected);
            }
        }
        let oldest = (0..).find(|collection| !accepted.contains(collection)).unwrap();
        let sent = if next == frames { collections } else { next / size };
        assert_eq!((window.oldest(&words), window.sent(&words)), (oldest, sent));
        assert_eq!(window.is_matched(&words), !accepted.is_empty());
        assert_eq!(window.is_complete(&words), accepted.len() as u32 == collections);
        for collection in oldest.saturating_sub(2)..(oldest + 16).min(collections) {
            let is_waiting = collection < sent && !accepted.contains(&collection);
            assert_eq!(window.is_waiting(&words, collection), is_waiting, "collection {collection}");
            let first = collection * size;
            assert_eq!(window.frames_of(&words, collection), first..(first + size).min(frames));
        }
    }
}

fn documented(is_matched: bool) -> u32 {
    if is_matched {
        16
    } else {
        4
    }
}

proptest! {
    #[test]
    fn frames_are_sent_as_the_window_allows((frames, size, steps) in steps()) {
        play(frames, size, &steps, documented);
    }
}

#[test]
fn another_limit_is_found() {
    let steps = vec![Step::Send; 30];
    play(100, 3, &steps, documented);
    assert!(std::panic::catch_unwind(|| play(100, 3, &steps, |_| 3)).is_err());
}
