//! The latency of events and of the semaphore, seen at the pins.

use nicscope_kernels::{dispatch, images, machine::Machine};

#[test]
fn an_event_reaches_its_handler_and_the_semaphore_is_taken() {
    let clocks = dispatch::measure().unwrap_or_else(|error| panic!("{error}"));
    // The clocks: the event is pending, the core is told; address, word, decode, execute,
    // retirement of the handler's first instruction.
    assert_eq!(clocks.event_to_handler, 6, "{clocks:?}");
    // To take it: a store, a load and a branch. To release it: a store.
    assert!((4..=12).contains(&clocks.semaphore_taken), "{clocks:?}");
    assert!((2..=6).contains(&clocks.semaphore_released), "{clocks:?}");
}

#[test]
fn a_core_without_events_sleeps_on() {
    let mut machine = Machine::new(&images::dispatch().unwrap(), 0).unwrap();
    let clocks: Vec<_> = (0..2_000).map(|_| machine.clock().unwrap()).collect();
    assert_eq!(clocks.iter().filter(|clock| clock.trace.is_some()).count(), 1, "only where the handler is");
    assert!(clocks[1_000..].iter().all(|clock| clock.sleeps && clock.retired.is_none()));
}
