//! From an event to the first instruction of its handler, and the semaphore, seen from outside: pins in, trace port out.

use nic_kernels::report::dispatch::{ASKS, FREE, OWNS};

use crate::images;
use crate::machine::Machine;
use crate::Error;

/// The longest of all rounds, in clocks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dispatch {
    /// From the first clock in which the event is pending to the clock in which the handler's first instruction retires. The core
    /// slept.
    pub event_to_handler: u64,
    /// From the clock in which the last instruction before the request retires to that in which the first one retires that
    /// knows the semaphore owned.
    pub semaphore_taken: u64,
    /// The same for giving it back.
    pub semaphore_released: u64,
}

/// Each after another time of sleep.
const ROUNDS: u64 = 16;

/// Far more than any round takes.
const CLOCKS_MAX: u64 = 1_000;

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
        // The instructions in front of the markers are the first that know.
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

/// The clock in which the word stands on the trace port, which must be the next to stand there.
fn word(machine: &mut Machine, expected: u32) -> Result<u64, Error> {
    match next_word(machine)? {
        word if word == expected => Ok(machine.clocks()),
        other => Err(stuck(machine, format!("{other:#x} on the trace port instead of {expected}"))),
    }
}

/// The clock in which the instruction in front of that retires which puts the word on the trace port.
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
