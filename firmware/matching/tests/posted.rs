//! Posted receives against a list in the order of posting.

use nic_device::Words;
use nic_matching::{Found, Hashed, Linear, Message, Posted, Want, RESERVED_TAG_MIN};
use proptest::prelude::*;

const RECEIVES: u32 = 40;

#[derive(Clone, Debug)]
enum Step {
    Post(u32, Want),
    Take(Message),
    Cancel(u32),
}

/// Few nodes and tags, so that many match.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let tag = || prop_oneof![3 => 0..3_u16, 1 => RESERVED_TAG_MIN - 1..=RESERVED_TAG_MIN];
    let want = (proptest::option::of(0..3_u8), proptest::option::of(tag()));
    let message = (0..3_u8, tag(), any::<bool>(), any::<bool>());
    let step = prop_oneof![
        3 => (0..RECEIVES, want).prop_map(|(receive, (source, tag))| Step::Post(receive, Want { source, tag })),
        3 => message.prop_map(|(source, tag, after_tag, after_all)| Step::Take(Message {
            source,
            tag,
            after_tag: after_tag || after_all,
            after_all,
        })),
        1 => (0..RECEIVES).prop_map(Step::Cancel),
    ];
    proptest::collection::vec(step, 0..300)
}

/// The rule, word by word.
fn find(posted: &[(u32, Want)], message: Message) -> Found {
    let is_match = |want: &Want| {
        let is_tag = match want.tag {
            Some(tag) => tag == message.tag,
            None => message.tag < RESERVED_TAG_MIN,
        };
        want.source.is_none_or(|source| source == message.source) && is_tag
    };
    match posted.iter().find(|(_, want)| is_match(want)) {
        None => Found::Nothing,
        Some((_, want)) if want.tag.is_some() && !message.after_tag => Found::Early,
        Some((_, want)) if want.tag.is_none() && !message.after_all => Found::Early,
        Some((receive, _)) => Found::Receive(*receive),
    }
}

/// What a message finds; the receive that it takes is posted no longer.
fn take<P: Posted>(posted: &mut P, words: &mut Vec<u32>, message: Message) -> Found {
    let found = posted.find(words, message);
    if let Found::Receive(receive) = found {
        posted.remove(words, receive);
    }
    found
}

fn play<P: Posted>(steps: &[Step]) {
    let bytes = P::bytes(RECEIVES);
    let mut words = vec![0x5A5A_5A5A; bytes as usize / 4 + 4];
    let mut posted = P::new(8, RECEIVES);
    posted.clear(&mut words);
    let mut model: Vec<(u32, Want)> = Vec::new();
    for step in steps {
        match *step {
            Step::Post(receive, want) => {
                if model.iter().all(|(other, _)| *other != receive) {
                    posted.post(&mut words, receive, want);
                    model.push((receive, want));
                }
            }
            Step::Take(message) => {
                let found = find(&model, message);
                assert_eq!(take(&mut posted, &mut words, message), found, "{message:?}");
                model.retain(|(receive, _)| found != Found::Receive(*receive));
            }
            Step::Cancel(receive) => {
                let was_posted = model.iter().any(|(other, _)| *other == receive);
                assert_eq!(posted.cancel(&mut words, receive), was_posted);
                model.retain(|(other, _)| *other != receive);
            }
        }
        assert_eq!(posted.posted() as usize, model.len());
    }
    let behind = 8 + bytes;
    assert_eq!([words.read(0), words.read(4), words.read(behind)], [0x5A5A_5A5A; 3], "words beside the receives");
}

proptest! {
    #[test]
    fn a_message_takes_the_oldest_receive_that_it_matches(steps in steps()) {
        play::<Linear>(&steps);
        play::<Hashed>(&steps);
    }

    /// Many nodes and tags, so that hashes of different keys meet.
    #[test]
    fn the_linear_search_is_the_oracle_of_the_hashed_one(
        calls in proptest::collection::vec(
            (0..8_u8, 0..440_u32, 0..64_u8, RESERVED_TAG_MIN - 1900..RESERVED_TAG_MIN + 100, any::<(bool, bool)>()),
            0..2000,
        ),
    ) {
        let mut words = vec![0; (Linear::bytes(440) + Hashed::bytes(440)) as usize / 4];
        let mut linear = Linear::new(0, 440);
        let mut hashed = Hashed::new(Linear::bytes(440), 440);
        linear.clear(&mut words);
        hashed.clear(&mut words);
        let mut posted = std::collections::BTreeSet::new();
        for (call, receive, source, tag, (one, other)) in calls {
            match call {
                0..=4 if posted.insert(receive) => {
                    let want = Want { source: (!one).then_some(source % 4), tag: (!other).then_some(tag) };
                    linear.post(&mut words, receive, want);
                    hashed.post(&mut words, receive, want);
                }
                5 => {
                    let cancelled = linear.cancel(&mut words, receive);
                    prop_assert_eq!(hashed.cancel(&mut words, receive), cancelled);
                    prop_assert_eq!(posted.remove(&receive), cancelled);
                }
                _ => {
                    let message = Message { source: source % 4, tag, after_tag: one || other, after_all: one };
                    let found = take(&mut linear, &mut words, message);
                    prop_assert_eq!(take(&mut hashed, &mut words, message), found);
                    if let Found::Receive(receive) = found {
                        posted.remove(&receive);
                    }
                }
            }
            prop_assert_eq!((linear.posted(), hashed.posted()), (posted.len() as u32, posted.len() as u32));
        }
    }
}

#[test]
fn a_full_array_is_taken_in_the_order_of_posting() {
    let mut words = vec![0; Hashed::bytes(440) as usize / 4];
    let mut posted = Hashed::new(0, 440);
    posted.clear(&mut words);
    for receive in 0..440 {
        // All four classes, in turn.
        let (any_source, any_tag) = (receive & 2 != 0, receive & 1 != 0);
        posted.post(&mut words, receive, Want { source: (!any_source).then_some(1), tag: (!any_tag).then_some(7) });
    }
    let message = Message { source: 1, tag: 7, after_tag: true, after_all: true };
    for receive in 0..440 {
        assert_eq!(take(&mut posted, &mut words, message), Found::Receive(receive));
    }
    assert_eq!(take(&mut posted, &mut words, message), Found::Nothing);
}

/// Receives that are searched from the youngest on.
struct Youngest(Vec<(u32, Want)>);

impl Posted for Youngest {
    const NOWHERE: Youngest = Youngest(Vec::new());

    fn bytes(_receives: u32) -> u32 {
        0
    }

    fn new(_offset_bytes: u32, _receives: u32) -> Youngest {
        Youngest(Vec::new())
    }

    fn clear(&mut self, _words: &mut impl Words) {}

    fn post(&mut self, _words: &mut impl Words, receive: u32, want: Want) {
        self.0.insert(0, (receive, want));
    }

    fn find(&self, _words: &impl Words, message: Message) -> Found {
        find(&self.0, message)
    }

    fn remove(&mut self, _words: &mut impl Words, receive: u32) {
        self.0.retain(|(other, _)| *other != receive);
    }

    fn cancel(&mut self, _words: &mut impl Words, receive: u32) -> bool {
        let before = self.0.len();
        self.0.retain(|(other, _)| *other != receive);
        self.0.len() != before
    }

    fn posted(&self) -> u32 {
        self.0.len() as u32
    }
}

#[test]
fn a_search_from_the_youngest_on_is_found() {
    let any = Want { source: None, tag: None };
    let message = Message { source: 1, tag: 2, after_tag: true, after_all: true };
    let steps = [Step::Post(4, any), Step::Post(9, any), Step::Take(message)];
    play::<Linear>(&steps);
    play::<Hashed>(&steps);
    assert!(std::panic::catch_unwind(|| play::<Youngest>(&steps)).is_err());
}
