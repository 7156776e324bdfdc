//! When posted writes reach the bus; kept if `Settings::reports_deliveries` asks for it.

use crate::{BusError, TransactionId};
use sim_pins::Ps;
use std::collections::VecDeque;

/// A posted write has been accepted by its target, or has failed, long after its CPU went on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// The posted write.
    pub id: TransactionId,
    /// Two clocks after the last data, when PERR# is known.
    pub at: Ps,
    /// Why it failed, if it did.
    pub result: Result<(), BusError>,
}

/// A submission, and the entries of the write buffer that hold its words.
#[derive(Debug)]
struct Spread {
    id: TransactionId,
    first_serial: u64,
    /// Unknown until the last word is in.
    last_serial: Option<u64>,
    error: Option<BusError>,
}

#[derive(Debug)]
pub(crate) struct Deliveries {
    on: bool,
    /// In order of submission, so also of their last entries.
    spreads: VecDeque<Spread>,
    done: VecDeque<Delivery>,
}

impl Deliveries {
    pub fn new(on: bool) -> Deliveries {
        Deliveries { on, spreads: VecDeque::new(), done: VecDeque::new() }
    }

    pub fn next(&mut self) -> Option<Delivery> {
        self.done.pop_front()
    }

    /// Words of `id` have entered, the first of them into entry `first_serial`; `last_serial` is
    /// known with the last one.
    pub fn entered(&mut self, id: TransactionId, first_serial: u64, last_serial: Option<u64>) {
        if !self.on {
            return;
        }
        match self.spreads.back_mut() {
            Some(spread) if spread.id == id => spread.last_serial = last_serial,
            _ => self.spreads.push_back(Spread { id, first_serial, last_serial, error: None }),
        }
    }

    /// The entry has left the buffer for good.
    pub fn left(&mut self, at: Ps, serial: u64, result: Result<(), BusError>) {
        if let Err(error) = result {
            for spread in &mut self.spreads {
                if spread.first_serial <= serial && spread.last_serial.is_none_or(|last| serial <= last) {
                    spread.error.get_or_insert(error);
                }
            }
        }
        while self.spreads.front().is_some_and(|spread| spread.last_serial.is_some_and(|last| last <= serial)) {
            let Some(Spread { id, error, .. }) = self.spreads.pop_front() else {
                return;
            };
            self.done.push_back(Delivery { id, at, result: error.map_or(Ok(()), Err) });
        }
    }

    /// RST#: what is still in the buffer is lost.
    pub fn reset(&mut self, at: Ps) {
        let lost = self.spreads.drain(..).filter(|spread| spread.last_serial.is_some());
        self.done.extend(lost.map(|spread| Delivery { id: spread.id, at, result: Err(BusError::Reset) }));
    }
}
