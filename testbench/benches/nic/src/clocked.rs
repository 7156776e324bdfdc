//! A model with one clock, and the count of its clocks.

use std::ops::{Deref, DerefMut};

use verilated::{Error, Model};

/// The period of the clock in ps. Cycle n is at n nanoseconds, so that a time in a message shows
/// the number of the cycle.
const PERIOD_PS: u64 = 1_000;

/// A model, and the number of its clocks so far.
pub struct Clocked<M> {
    model: M,
    cycle: u64,
}

impl<M: Model> Clocked<M> {
    /// A model that has had no clock yet.
    pub fn new(model: M) -> Clocked<M> {
        Clocked { model, cycle: 0 }
    }

    /// The number of clocks so far.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// One rising edge, which samples the inputs. An error of the model, for example a failed
    /// assertion.
    pub fn clock(&mut self) -> Result<(), Error> {
        self.cycle += 1;
        self.model.tick(self.cycle * PERIOD_PS, 1)
    }

    /// Updates outputs that depend on inputs of the same clock.
    pub fn settle(&mut self) -> Result<(), Error> {
        self.model.eval()
    }
}

impl<M> Deref for Clocked<M> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.model
    }
}

impl<M> DerefMut for Clocked<M> {
    fn deref_mut(&mut self) -> &mut M {
        &mut self.model
    }
}
