//! A model with one clock.

use std::ops::{Deref, DerefMut};

use verilated::{Error, Model};

/// Long enough for every digit of a cycle number in a message: cycle n is at n nanoseconds.
const PERIOD_PS: u64 = 1_000;

/// A model and the number of clocks it has seen.
pub struct Clocked<M> {
    model: M,
    cycle: u64,
}

impl<M: Model> Clocked<M> {
    pub fn new(model: M) -> Clocked<M> {
        Clocked { model, cycle: 0 }
    }

    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// One rising edge, which samples the inputs as they are.
    pub fn clock(&mut self) -> Result<(), Error> {
        self.cycle += 1;
        self.model.tick(self.cycle * PERIOD_PS, 1)
    }

    /// Brings outputs that depend on inputs of the same clock up to date.
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
