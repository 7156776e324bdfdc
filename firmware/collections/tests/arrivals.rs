//! Frames of a message at its receiver, against a set of frames.

use std::cell::Cell;
use std::collections::BTreeSet;

use nic_collections::{Arrival, Arrivals, InOrder};
use nic_device::Place;
use proptest::prelude::*;

const WINDOW: u32 = 16;

struct Model {
    frames: u32,
    size: u32,
    there: BTreeSet<u32>,
}

impl Model {
    fn collection(&self, collection: u32) -> BTreeSet<u32> {
        (collection * self.size..((collection + 1) * self.size).min(self.frames)).collect()
    }

    fn is_full(&self, collection: u32) -> bool {
        self.collection(collection).is_subset(&self.there)
    }

    fn oldest(&self) -> u32 {
        (0..).find(|&collection| collection * self.size >= self.frames || !self.is_full(collection)).unwrap()
    }

    fn arrive(&mut self, frame: u32) -> Arrival {
        let collection = frame / self.size;
        if frame >= self.frames || collection >= self.oldest() + WINDOW {
            return Arrival::Beyond;
        }
        if !self.there.insert(frame) {
            return Arrival::Again { is_complete: self.is_full(collection) };
        }
        Arrival::New { completes: self.is_full(collection) }
    }
}

fn play(frames: u32, size: u32, arriving: &[u32], take: impl Fn(Arrivals, &mut Vec<u32>, u32) -> Arrival) {
    // The words before and behind are somebody else's.
    let mut words = vec![0x5A5A_5A5A; 2 + Arrivals::WORDS as usize + 1];
    let arrivals = Arrivals::at(Place(8));
    arrivals.start(&mut words, frames, size);
    let mut model = Model { frames, size, there: BTreeSet::new() };
    for &frame in arriving {
        assert_eq!(take(arrivals, &mut words, frame), model.arrive(frame), "frame {frame}");
        assert_eq!(arrivals.is_complete(&words), model.there.len() as u32 == frames);
    }
    assert_eq!((words[0], words[1], words[2 + Arrivals::WORDS as usize]), (0x5A5A_5A5A, 0x5A5A_5A5A, 0x5A5A_5A5A));
}

/// Takes frames in order by a copy of what the arrivals know, and others by the arrivals.
fn take_with(copy: &Cell<Option<InOrder>>, arrivals: Arrivals, words: &mut Vec<u32>, frame: u32) -> Arrival {
    match copy.take() {
        Some(mut in_order) if in_order.next() == frame && !in_order.is_at_last() => {
            let completes = in_order.arrive(words, Place(8));
            copy.set(Some(in_order));
            Arrival::New { completes }
        }
        _ => {
            let arrival = arrivals.arrive(words, frame);
            copy.set(arrivals.in_order(words));
            arrival
        }
    }
}

/// Frames of a message in about their order, some twice, some far ahead.
fn lists() -> impl Strategy<Value = (u32, u32, Vec<u32>)> {
    (1..300_u32, 1..=8_u32).prop_flat_map(|(frames, size)| {
        let list = proptest::collection::vec((0..frames + 40, 0..30_u32, any::<bool>()), 0..900);
        let list = list.prop_map(move |steps| {
            let mut next = 0;
            let step = |(any, back, in_order): (u32, u32, bool)| {
                if !in_order {
                    return any;
                }
                next += 1;
                (next - 1_u32).saturating_sub(back % 3)
            };
            steps.into_iter().map(step).collect::<Vec<u32>>()
        });
        (Just(frames), Just(size), list)
    })
}

proptest! {
    #[test]
    fn frames_come_in_any_order((frames, size, arriving) in lists()) {
        play(frames, size, &arriving, |arrivals, words, frame| arrivals.arrive(words, frame));
        let copy = Cell::new(None);
        play(frames, size, &arriving, |arrivals, words, frame| take_with(&copy, arrivals, words, frame));
    }
}

#[test]
fn a_message_of_the_most_frames_is_taken_in_order() {
    for size in 1..=8 {
        let all: Vec<u32> = (0..4000).collect();
        play(4000, size, &all, |arrivals, words, frame| arrivals.arrive(words, frame));
        let copy = Cell::new(None);
        play(4000, size, &all, |arrivals, words, frame| take_with(&copy, arrivals, words, frame));
    }
}

/// The model finds a receiver that forgets a frame, and a receiver that takes every collection for
/// complete.
#[test]
fn planted_faults_are_found() {
    let forgets = |arrivals: Arrivals, words: &mut Vec<u32>, frame: u32| {
        if frame == 7 {
            return Arrival::New { completes: false };
        }
        arrivals.arrive(words, frame)
    };
    let hasty = |arrivals: Arrivals, words: &mut Vec<u32>, frame: u32| match arrivals.arrive(words, frame) {
        Arrival::New { .. } => Arrival::New { completes: true },
        other => other,
    };
    let list = (0..20).chain(0..20).collect::<Vec<_>>();
    assert!(std::panic::catch_unwind(|| play(20, 3, &list, forgets)).is_err());
    assert!(std::panic::catch_unwind(|| play(20, 3, &list, hasty)).is_err());
}
