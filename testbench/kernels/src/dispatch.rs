//! From an event to the first instruction of its handler, and the semaphore, seen from outside: pins in, trace port out.

use nic_kernels::report::dispatch::{ASKS, FREE, HANDLER, OWNS};

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
    for round in 0..ROUNDS {
        sleep(&mut machine)?;
        for _ in 0..round {
            machine.clock()?;
        }
        machine.raise_event(true);
        machine.clock()?;
        machine.raise_event(false);
        let pending = machine.clocks();
        let handler = word(&mut machine, HANDLER)?;
        let asks = word(&mut machine, ASKS)?;
        let owns = word(&mut machine, OWNS)?;
        let free = word(&mut machine, FREE)?;
        longest.event_to_handler = longest.event_to_handler.max(handler - pending);
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

/// The clock in which the word stands on the trace port, which must be the next to stand there.
fn word(machine: &mut Machine, expected: u32) -> Result<u64, Error> {
    for _ in 0..CLOCKS_MAX {
        match machine.clock()?.trace {
            Some(word) if word == expected => return Ok(machine.clocks()),
            Some(other) => return Err(stuck(machine, format!("{other:#x} on the trace port instead of {expected}"))),
            None => {}
        }
    }
    Err(stuck(machine, format!("no {expected} on the trace port")))
}

fn stuck(machine: &Machine, what: String) -> Error {
    Error::Program { image: "dispatch".into(), what, clocks: machine.clocks(), pc: 0 }
}
