//! A deterministic executor in simulated time, for one thread.
//!
//! Contract:
//! * Tasks run in the order of their wake-ups: by time, and among wake-ups of one instant in the
//!   order in which they were asked for (timers) or given (notifications).
//! * Between two wake-ups no time passes: what a task does is instantaneous, until it awaits.
//! * [`Executor::run_until`] is called with times that do not go back. It serves each wake-up at
//!   its own time, also when it is called later.
//! * There is no wall clock and no hash order in it: the same calls give the same order.

mod ready;
mod run;
mod sim;
mod sleep;
mod sync;
mod task;
mod timers;

pub use run::Executor;
pub use sim::{until, Sim};
pub use sleep::Sleep;
pub use sync::{Channel, Lock, LockGuard, Notified, Notify};
pub use task::Task;
