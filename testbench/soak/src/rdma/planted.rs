//! The effects of planted defects.

use std::rc::Rc;

use host_model::address::Pid;
use nic_layout::tables::PID_MAX;
use sim_pins::Ps;

use super::plant::Plant;
use super::state::{Life, State};

fn flip(state: &State, life: &Life, at: u32) {
    let address = life.base + at;
    let stored = life.process.load(address, 1).and_then(|byte| life.process.store(address, &[!byte[0]]));
    if let Err(error) = stored {
        state.fail(error);
    }
}

/// Plants what follows the arrival of a message that notifies. `end` is the offset behind its last
/// byte, in the memory of the process.
pub(super) fn after_arrival(state: &Rc<State>, life: &Life, end: u32) {
    match state.plant {
        Some(Plant::WrongByte) if end > 0 => flip(state, life, end - 1),
        Some(Plant::ByteBeside) => flip(state, life, end),
        Some(Plant::PinGoes) if end > 0 => pin_goes(state, life, end - 1),
        _ => {}
    }
}

/// Plants what follows the end of a read of `bytes` bytes to offset `to`.
pub(super) fn after_read(state: &State, life: &Life, to: u32, bytes: u32) {
    if state.plant == Some(Plant::WrongRead) && bytes > 0 {
        flip(state, life, to);
    }
}

/// Unpins the page of an offset, and pins it again before its process ends.
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

/// Pins a page of a process that does not exist. It does so only if the driver has filled a line or
/// an entry, so the shortest failing case has an operation.
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

/// The delay of a post's doorbell: the first post of a pair rings after the second.
pub(super) fn lateness(number: u32) -> Ps {
    Ps::from_us(if number / 2 % 2 == 0 { 200 } else { 100 })
}
