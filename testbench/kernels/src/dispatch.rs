//! The latency of events and of the semaphore, measured at the pins and at the trace port.

use nic_kernels::report::dispatch::{ASKS, FREE, OWNS};

use crate::images;
use crate::machine::Machine;
use crate::Error;

/// The longest latency of all rounds, in clocks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dispatch {
    /// From the first clock in which the event is pending to the clock in which the handler's first
    /// instruction retires. The core slept before.
    pub event_to_handler: u64,
    /// From the clock in which the last instruction before the request retires, to the clock in
    /// which the first instruction retires that knows that the core owns the semaphore.
    pub semaphore_taken: u64,
    /// From that clock to the clock in which the first instruction retires that knows that the
    /// semaphore is free again.
    pub semaphore_released: u64,
}

/// The number of rounds. Each round sleeps for another time.
const ROUNDS: u64 = 16;

/// The limit of a wait in clocks: far more than any round takes.
const CLOCKS_MAX: u64 = 1_000;

/// Runs the image `dispatch` for all rounds. An error if the image cannot be built, or if its
/// program does not behave as expected.
pub fn measure() -> Result<Dispatch, Error> {
    let mut machine = Machine::new(&images::dispatch()?, 0)?;
    let mut longest = Dispatch::default();
    let handler = next_word(&mut machine)?;
    for round in 0..ROUNDS {
        sleep(&mut machine)?;
        for _ in 0..round {
            machine.clock()?;
        }
        machine.raise_event(true);
        machine.clock()?;
        machine.raise_event(false);
        let pending = machine.clocks();
        let handled = retirement(&mut machine, handler)?;
        let asks = word(&mut machine, ASKS)?;
        // The instruction in front of each marker is the first that knows.
        let owns = before_word(&mut machine, OWNS)?;
        let free = before_word(&mut machine, FREE)?;
        longest.event_to_handler = longest.event_to_handler.max(handled - pending);
        longest.semaphore_taken = longest.semaphore_taken.max(owns - asks);
        longest.semaphore_released = longest.semaphore_released.max(free - owns);
    }
    Ok(longest)
}

fn sleep(machine: &mut Machine) -> Result<(), Error> {
    for _ in 0..CLOCKS_MAX {
        if machine.clock()?.sleeps {
            return Ok(());
        }
    }
    Err(stuck(machine, "the core does not sleep".into()))
}

/// The clock in which the instruction at an address retires.
fn retirement(machine: &mut Machine, pc: u32) -> Result<u64, Error> {
    for _ in 0..CLOCKS_MAX {
        if machine.clock()?.retired.is_some_and(|retired| retired.pc == pc) {
            return Ok(machine.clocks());
        }
    }
    Err(stuck(machine, format!("nothing retires at {pc:#x}")))
}

/// The next word on the trace port.
fn next_word(machine: &mut Machine) -> Result<u32, Error> {
    for _ in 0..CLOCKS_MAX {
        if let Some(word) = machine.clock()?.trace {
            return Ok(word);
        }
    }
    Err(stuck(machine, "nothing on the trace port".into()))
}

/// The clock in which this word stands on the trace port. It must be the next word there.
fn word(machine: &mut Machine, expected: u32) -> Result<u64, Error> {
    match next_word(machine)? {
        word if word == expected => Ok(machine.clocks()),
        other => Err(stuck(machine, format!("{other:#x} on the trace port instead of {expected}"))),
    }
}

/// The clock in which the instruction retires that comes before the store of this word to the trace
/// port.
fn before_word(machine: &mut Machine, expected: u32) -> Result<u64, Error> {
    let mut before = machine.clocks();
    for _ in 0..CLOCKS_MAX {
        let clock = machine.clock()?;
        match clock.trace {
            Some(word) if word == expected => return Ok(before),
            Some(other) => return Err(stuck(machine, format!("{other:#x} on the trace port instead of {expected}"))),
            None if clock.retired.is_some() => before = machine.clocks(),
            None => {}
        }
    }
    Err(stuck(machine, "nothing on the trace port".into()))
}

fn stuck(machine: &Machine, what: String) -> Error {
    Error::Program { image: "dispatch".into(), what, clocks: machine.clocks(), pc: 0 }
}
