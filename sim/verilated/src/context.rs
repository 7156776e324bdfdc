use cxx::UniquePtr;

use crate::ffi::bridge::{self, VerilatedContext};

/// What a model is told before it is built.
///
/// ```
/// let context = verilated::Context::new().randomized(7).plusargs(["+verbose"]);
/// ```
#[derive(Clone, Debug)]
pub struct Context {
    random_seed: u32,
    random_reset: i32,
    assertions: bool,
    plusargs: Vec<String>,
}

impl Default for Context {
    fn default() -> Self {
        Context::new()
    }
}

impl Context {
    /// Assertions on; everything that the RTL leaves without a value is zero.
    pub fn new() -> Context {
        Context { random_seed: 1, random_reset: 0, assertions: true, plusargs: Vec::new() }
    }

    /// Registers without an initial value start with random bits, and `$random` starts from `seed`.
    /// The first part asks for a model built with `verilated_build::Unknown::Unique`.
    pub fn randomized(mut self, seed: u32) -> Context {
        self.random_seed = seed;
        self.random_reset = 2;
        self
    }

    /// Takes [`randomized`](Context::randomized) back. Coverage of bits needs it: random bits that
    /// reset clears count as used.
    pub fn zeroed(mut self) -> Context {
        self.random_reset = 0;
        self
    }

    /// Whether immediate and concurrent assertions are checked from the start.
    pub fn assertions(mut self, on: bool) -> Context {
        self.assertions = on;
        self
    }

    /// What `$test$plusargs` and `$value$plusargs` find, each with its `+`.
    pub fn plusargs<I: IntoIterator<Item = S>, S: Into<String>>(mut self, plusargs: I) -> Context {
        self.plusargs.extend(plusargs.into_iter().map(Into::into));
        self
    }

    pub(crate) fn build(&self) -> Result<UniquePtr<VerilatedContext>, cxx::Exception> {
        // Verilator wants a seed of 31 bits, and takes zero for "any".
        let seed = (self.random_seed & 0x7FFF_FFFF).max(1) as i32;
        bridge::new_context(seed, self.random_reset, self.assertions, &self.plusargs)
    }
}
