//! Two cores on one SRAM.

use nic_kernels::report::pair::{
    ANSWER, COUNTER, JOB, JOB_COUNT, JOB_HAMMER, JOB_MESSAGES, LOCKED, OWNS, QUESTION, ROUNDS,
};
use nicscope_kernels::dispatch;
use nicscope_kernels::pair::{self, Pair, ENGINES};

/// Longest waits for the SRAM in clocks, with two cores (docs/memory.md).
const LINK_WAIT: u64 = 3;
const DMA_WAIT: u64 = 33;
const REST_WAIT: u64 = 19;

#[test]
fn an_event_of_one_core_reaches_the_handler_of_the_other_as_soon_as_one_of_the_hardware() {
    let clocks = pair::event_to_other_core().unwrap_or_else(|error| panic!("{error}"));
    let hardware = dispatch::measure().unwrap_or_else(|error| panic!("{error}")).event_to_handler;
    println!("from the store retiring to the handler's first instruction retiring there: {clocks} clocks");
    // The store retires when it is in the queue, and is carried out in the next clock. The
    // handler's first instruction is the marker, which takes two clocks more than the instruction
    // that `hardware` looks at.
    assert_eq!(clocks, hardware + 1 + 2, "the event is pending in the clock behind that in which the store retires");
}

#[test]
fn either_core_takes_the_free_semaphore_within_eight_clocks() {
    for core in 0..2 {
        let mut pair = Pair::new(&[(JOB, JOB_COUNT), (ROUNDS, 50), (LOCKED, 1)]).unwrap();
        pair.let_run(1 << core);
        let (mut asked, mut known, mut longest, mut taken) = (0, 0, 0, 0);
        while taken < 50 {
            assert!(pair.clocks() < 20_000, "{taken} times");
            let clock = pair.clock().unwrap()[core];
            match clock.trace {
                Some(0) => asked = pair.clocks(),
                Some(OWNS) => {
                    longest = longest.max(known - asked);
                    taken += 1;
                }
                _ => {}
            }
            // The instruction in front of the marker is the first that knows.
            if clock.retires {
                known = pair.clocks();
            }
        }
        println!("core {core}: the semaphore is taken in {longest} clocks");
        assert!((4..=8).contains(&longest), "core {core}: {longest}");
    }
}

fn count(locked: u32, rounds: u32) -> (u32, [Vec<u32>; 2]) {
    let mut pair = Pair::new(&[(JOB, JOB_COUNT), (ROUNDS, rounds), (LOCKED, locked)]).unwrap();
    let said = pair.run(400_000).unwrap_or_else(|error| panic!("{error}"));
    (pair.sram_word(COUNTER).unwrap(), said)
}

#[test]
fn two_cores_count_under_the_semaphore_without_loss() {
    let (counted, said) = count(1, 2_000);
    assert_eq!(counted, 4_000);
    assert!(said.iter().all(|said| said.iter().filter(|&&word| word == OWNS).count() == 2_000));
}

/// The test above can fail: it does without the semaphore.
#[test]
fn without_the_semaphore_counts_are_lost() {
    let (counted, _) = count(0, 2_000);
    assert!((2_000..4_000).contains(&counted), "{counted}");
}

#[test]
fn clocks_by_cause_sum_up_to_all_while_the_cores_contend() {
    let mut pair = Pair::new(&[(JOB, JOB_COUNT), (ROUNDS, 500), (LOCKED, 1)]).unwrap();
    pair.engines(0b1011);
    for said in pair.run(400_000).unwrap_or_else(|error| panic!("{error}")) {
        let &[.., clocks, sum, sram, semaphore] = said.as_slice() else { panic!("{said:?}") };
        println!("{clocks} clocks, {sram} lost to the SRAM, {semaphore} to the semaphore");
        assert_eq!(clocks, sum);
        assert!(sram > 100 && semaphore > 1_000, "{sram} {semaphore}");
    }
}

#[test]
fn what_a_core_stored_is_there_when_the_other_sees_its_event() {
    let rounds = 500;
    let mut pair = Pair::new(&[(JOB, JOB_MESSAGES), (ROUNDS, rounds)]).unwrap();
    let said = pair.run(200_000).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(said[1], (1..=rounds).collect::<Vec<u32>>(), "core B read each number once, and no other");
    assert!(said[0].is_empty(), "core A read the answer to each");
    assert_eq!((pair.sram_word(QUESTION).unwrap(), pair.sram_word(ANSWER).unwrap()), (rounds, rounds));
}

/// Both cores load, store and miss in their caches, while link, DMA and host ask in every clock.
/// The checker in the bench watches the bounds too.
#[test]
fn both_cores_at_the_sram_with_all_others_wait_within_their_bounds() {
    let mut pair = Pair::new(&[(JOB, JOB_HAMMER), (ROUNDS, 4)]).unwrap();
    pair.engines((1 << ENGINES) - 1);
    pair.host_reads(true);
    pair.run(400_000).unwrap_or_else(|error| panic!("{error}"));
    let waits = pair.waited_max;
    println!("longest waits in clocks: {waits:?}");
    for (port, &wait) in waits.iter().enumerate() {
        let bound = [LINK_WAIT, LINK_WAIT, DMA_WAIT, DMA_WAIT].get(port).copied().unwrap_or(REST_WAIT);
        assert!(wait <= bound, "port {port}: {waits:?}");
        assert!(wait > 0, "port {port} was never in anyone's way: {waits:?}");
    }
}

/// Without other traffic the cores take turns at the SRAM, and wait for each other only.
#[test]
fn two_cores_alone_wait_for_each_other_at_most() {
    let mut pair = Pair::new(&[(JOB, JOB_HAMMER), (ROUNDS, 4)]).unwrap();
    pair.run(200_000).unwrap_or_else(|error| panic!("{error}"));
    let waits = pair.waited_max;
    assert!([4, 5, 7, 8].iter().all(|&port| waits[port] <= 3), "{waits:?}");
    assert!(waits[..ENGINES].iter().all(|&wait| wait == 0));
}
