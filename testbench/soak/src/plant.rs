//! What tests break on purpose between the product and those who look at it: each statement must be seen to fail.

use std::rc::Rc;

use host_model::address::Pid;
use nic_layout::tables::PID_MAX;
use sim_pins::Ps;

use super::actor::Life;
use super::node::State;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// The last byte of what arrived is another.
    WrongByte,
    /// The byte behind it is another.
    ByteBeside,
    /// A byte of what was read is another.
    WrongRead,
    /// Somebody who listens hears twice, or nothing.
    ToldTwice,
    ToldNever,
    /// A post with a wrong key has the right one; a good post a wrong one.
    KeyMends,
    KeyBreaks,
    /// Writes of a process overtake each other.
    OutOfOrder,
    /// A withdrawal is not told to the driver.
    BufferStays,
    /// An end is not seen.
    EndUnseen,
    /// A page stays pinned, and a line reserved, when all processes have ended.
    PinStays,
    LinesStay,
    /// A page is not pinned for a while, though the NIC holds it.
    PinGoes,
}

fn flip(state: &State, life: &Life, at: u32) {
    let address = life.base + at;
    let stored = life.process.load(address, 1).and_then(|byte| life.process.store(address, &[!byte[0]]));
    if let Err(error) = stored {
        state.fail(error);
    }
}

/// A message that notifies has come; it ends in front of `end`.
pub(super) fn after_arrival(state: &Rc<State>, life: &Life, end: u32) {
    match state.plant {
        Some(Plant::WrongByte) if end > 0 => flip(state, life, end - 1),
        Some(Plant::ByteBeside) => flip(state, life, end),
        Some(Plant::PinGoes) if end > 0 => pin_goes(state, life, end - 1),
        _ => {}
    }
}

pub(super) fn after_read(state: &State, life: &Life, to: u32, bytes: u32) {
    if state.plant == Some(Plant::WrongRead) && bytes > 0 {
        flip(state, life, to);
    }
}

/// The page is pinned again before its process ends.
fn pin_goes(state: &Rc<State>, life: &Life, at: u32) {
    let (state, pid, page) = (state.clone(), life.process.pid(), (life.base + at).page());
    let sim = state.sim().clone();
    sim.spawn("unpin", async move {
        let memory = state.handle.memory();
        let target = match memory.borrow_mut().touch(pid, page) {
            Ok(target) => target,
            Err(error) => return state.fail(error),
        };
        if !memory.borrow().is_pinned(target) {
            return;
        }
        state.count_pending(1);
        memory.borrow_mut().unpin(target);
        state.sim().sleep_for(Ps::from_us(300)).await;
        if let Err(error) = memory.borrow_mut().pin(pid, page) {
            state.fail(error);
        }
        state.count_pending(-1);
    });
}

/// A page of nobody who lives, and only where something was ever filled, so that it takes an operation to show.
pub(super) fn pin_a_page(state: &State) {
    if state.handle.driver().counts().fills == 0 {
        return;
    }
    let mut memory = state.handle.memory().borrow_mut();
    let ghost = Pid(PID_MAX);
    memory.create_space(ghost);
    let pinned = memory.reserve(ghost, 1).and_then(|address| memory.pin(ghost, address.page()));
    if let Err(error) = pinned {
        drop(memory);
        state.fail(error);
    }
}

/// The first post of a pair is rung behind the second.
pub(super) fn lateness(number: u32) -> Ps {
    Ps::from_us(if number / 2 % 2 == 0 { 200 } else { 100 })
}
