mod common;

use common::{frame, frames, run_pair, symbols, Planned, Setup, LATENCY};
use proptest::prelude::*;
use sim_fabric::{Corruption, Delay, Duplication, Fault, Loss, LossOfFrames, Outcome};
use sim_pins::Ps;

/// Inter-frame gap in symbols.
const GAP: usize = 12;

fn ten_frames() -> Vec<Planned> {
    (0..10).map(|k| Planned { gap: GAP + 5, bytes: frame(k, 64 + usize::from(k)) }).collect()
}

fn bodies(stream: &[sim_pins::LinkSymbol]) -> Vec<Vec<u8>> {
    frames(stream).into_iter().map(|(_, bytes)| bytes).collect()
}

#[test]
fn symbols_arrive_one_to_one_later_by_the_latency() {
    let plan = ten_frames();
    let [a, b] = run_pair(&plan, &plan, vec![], &Setup::default());
    let sent = symbols(&plan);
    assert_eq!(b.received[..sent.len().min(b.received.len())], sent[..sent.len().min(b.received.len())]);
    assert_eq!(a.received[..600], sent[..600]);
    assert_eq!(b.captured[..], [], "only A's direction is tapped");
    let first = &a.captured[0];
    assert_eq!(first.contents(), &plan[0].bytes[8..]);
    assert_eq!(first.arrival, Some(first.start + LATENCY));
    assert_eq!((first.start, first.end), (Ps(17 * 8_000), Ps((17 + 71) * 8_000)));
}

#[test]
fn exactly_the_frames_that_were_named_are_lost() {
    for lost in 0..10 {
        let faults: Vec<Box<dyn Fault>> = vec![Box::new(LossOfFrames { name: "k-th".into(), frames: vec![lost] })];
        let plan = ten_frames();
        let [a, b] = run_pair(&plan, &[], faults, &Setup::default());
        let mut expected: Vec<_> = plan.iter().map(|planned| planned.bytes.clone()).collect();
        expected.remove(lost as usize);
        assert_eq!(bodies(&b.received), expected);
        assert_eq!((a.counts.sent, a.counts.delivered, a.counts.of_layer("k-th")), (10, 9, 1));
        assert_eq!((a.captured[lost as usize].outcome, a.captured[lost as usize].arrival), (Outcome::Lost, None));
    }
}

#[test]
fn corruption_changes_bytes_but_neither_length_nor_time() {
    let fault = Corruption { name: "bits".into(), probability: 1.0, bytes: 1, offsets: Corruption::ANY_FRAME };
    let plan = ten_frames();
    let [a, b] = run_pair(&plan, &[], vec![Box::new(fault)], &Setup::default());
    let sent = frames(&symbols(&plan));
    for ((sent_edge, sent), (edge, received)) in sent.iter().zip(frames(&b.received)) {
        assert_eq!((*sent_edge, sent.len()), (edge, received.len()));
        assert_eq!(sent.iter().zip(&received).filter(|(s, r)| s != r).count(), 1);
    }
    assert_eq!(a.counts.of_layer("bits"), 10);
}

#[test]
fn a_frame_too_short_to_be_hit_counts_as_delivered() {
    let fault = Corruption { name: "bits".into(), probability: 1.0, bytes: 1, offsets: 60..61 };
    let plan = [Planned { gap: GAP, bytes: frame(1, 20) }, Planned { gap: GAP, bytes: frame(2, 64) }];
    let [a, _] = run_pair(&plan, &[], vec![Box::new(fault)], &Setup { end: Ps::from_us(4), ..Setup::default() });
    assert_eq!((a.counts.delivered, a.counts.of_layer("bits")), (1, 1));
    assert_eq!(a.captured[0].outcome, Outcome::Delivered);
}

#[test]
fn duplicates_follow_their_originals_and_push_the_rest_back() {
    let faults: Vec<Box<dyn Fault>> = vec![Box::new(Duplication { name: "twice".into(), probability: 1.0 })];
    let plan = ten_frames();
    let [a, b] = run_pair(&plan, &[], faults, &Setup::default());
    let received = frames(&b.received);
    let expected: Vec<_> = plan.iter().flat_map(|planned| [planned.bytes.clone(), planned.bytes.clone()]).collect();
    assert_eq!(bodies(&b.received), expected[..received.len()]);
    for pair in received.windows(2) {
        assert_eq!(pair[1].0 - (pair[0].0 + pair[0].1.len()), GAP, "the line is never idle longer than it must");
    }
    assert_eq!((a.counts.sent, a.counts.of_layer("twice")), (10, 10));
    assert_eq!(a.captured.iter().filter(|frame| frame.is_copy).count(), 10);
}

#[test]
fn a_delayed_frame_is_overtaken_and_arrives_whole() {
    struct DelayTheFirst;
    impl Fault for DelayTheFirst {
        fn name(&self) -> &str {
            "late"
        }
        fn fate(&mut self, frame_idx: u64, _: &mut rand_chacha::ChaCha8Rng) -> sim_fabric::Fate {
            match frame_idx {
                0 => sim_fabric::Fate::Delay(Ps::from_us(2)),
                _ => sim_fabric::Fate::Pass,
            }
        }
    }
    let plan = ten_frames();
    let [a, b] = run_pair(&plan, &[], vec![Box::new(DelayTheFirst)], &Setup::default());
    let received = bodies(&b.received);
    let place = received.iter().position(|bytes| *bytes == plan[0].bytes).expect("it arrives");
    assert!(place == 2 || place == 3, "2 us are three frames: {place}");
    let late = a.captured.iter().find(|frame| frame.outcome == Outcome::Delayed).unwrap();
    assert!(late.arrival.unwrap() >= late.start + LATENCY + Ps::from_us(2));
    assert!(a.counts.balance() && a.counts.of_layer("late") == 1);
}

fn every_fault() -> Vec<Box<dyn Fault>> {
    vec![
        Box::new(LossOfFrames { name: "third".into(), frames: vec![2] }),
        Box::new(Loss { name: "loss".into(), probability: 0.2 }),
        Box::new(Corruption { name: "bits".into(), probability: 0.2, bytes: 2, offsets: Corruption::ANY_FRAME }),
        Box::new(Duplication { name: "twice".into(), probability: 0.2 }),
        Box::new(Delay { name: "late".into(), probability: 0.3, by: Ps::from_ns(100)..Ps::from_us(5) }),
    ]
}

fn plan() -> impl Strategy<Value = Vec<Planned>> {
    let planned = (GAP..300usize, 1..120usize, any::<u8>());
    let frames = prop::collection::vec(planned, 0..20);
    frames.prop_map(|all| all.into_iter().map(|(gap, len, k)| Planned { gap, bytes: frame(k, len) }).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn threads_and_windows_change_nothing(a in plan(), b in plan(), seed: u64, window in 7_000..=LATENCY.0) {
        let run_with = |window, threads| {
            let mut setup = Setup { window, threads, seed, ..Setup::default() };
            setup.end = Ps::from_us(60);
            let [a, b] = run_pair(&a, &b, every_fault(), &setup);
            // When a run ends depends on its windows; what happened before does not.
            let upto = a.received.len().min(b.received.len());
            (a, b, upto)
        };
        let (a1, b1, upto1) = run_with(LATENCY, 1);
        let (a2, b2, upto2) = run_with(LATENCY, 2);
        prop_assert_eq!((&a1, &b1), (&a2, &b2));
        let (a3, b3, upto3) = run_with(Ps(window), 2);
        let upto = upto1.min(upto2).min(upto3);
        prop_assert_eq!(&a1.received[..upto], &a3.received[..upto]);
        prop_assert_eq!(&b1.received[..upto], &b3.received[..upto]);
    }

    #[test]
    fn every_frame_ends_in_one_outcome_and_gaps_stay_legal(a in plan(), seed: u64) {
        let [sender, receiver] = run_pair(&a, &[], every_fault(), &Setup { seed, end: Ps::from_us(100), ..Setup::default() });
        prop_assert!(sender.counts.balance());
        let ended: Vec<_> = sender.captured.iter().filter(|frame| !frame.is_copy).collect();
        for (name, outcome) in [("bits", Outcome::Corrupted), ("twice", Outcome::Duplicated)] {
            let captured = ended.iter().filter(|frame| frame.outcome == outcome).count() as u64;
            prop_assert_eq!(captured, sender.counts.of_layer(name));
        }
        let received = frames(&receiver.received);
        for pair in received.windows(2) {
            prop_assert!(pair[1].0 >= pair[0].0 + pair[0].1.len() + GAP);
        }
    }
}

#[test]
fn frames_that_pass_are_untouched_by_the_faults_of_others() {
    let plan = ten_frames();
    let [a, b] = run_pair(&plan, &[], every_fault(), &Setup { seed: 5, ..Setup::default() });
    let received = bodies(&b.received);
    for captured in a.captured.iter().filter(|frame| frame.outcome == Outcome::Delivered) {
        assert!(received.contains(&captured.bytes), "frame {}", captured.frame_idx);
    }
}

#[test]
#[should_panic(expected = "the window must not be longer than the latency")]
fn a_window_longer_than_the_latency_is_found_out() {
    run_pair(&ten_frames(), &[], vec![], &Setup { window: LATENCY + LATENCY, ..Setup::default() });
}
