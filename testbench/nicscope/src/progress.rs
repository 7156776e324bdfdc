//! Progress on standard error, on a terminal only.

use std::cell::Cell;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use sim_pins::Ps;

/// A line that tells what runs, the simulated time and the speed. Wall time shows here and nowhere else.
pub struct Progress {
    bar: ProgressBar,
    since: Mutex<Cell<(Instant, Instant)>>,
}

impl Progress {
    pub fn new(what: String) -> Progress {
        let bar = match std::io::stderr().is_terminal() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        bar.set_style(ProgressStyle::with_template("{spinner} {prefix}: {msg}").expect("the template is valid"));
        bar.set_prefix(what);
        let now = Instant::now();
        Progress { bar, since: Mutex::new(Cell::new((now, now))) }
    }

    /// Called between windows; draws ten times a second.
    pub fn at(&self, simulated: Ps) {
        if self.bar.is_hidden() {
            return;
        }
        let times = self.since.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let ((start, drawn), now) = (times.get(), Instant::now());
        if now - drawn < Duration::from_millis(100) {
            return;
        }
        times.set((start, now));
        let speed = simulated.as_us_f64() / (now - start).as_secs_f64().max(1e-9);
        self.bar.set_message(format!("{:.3} ms simulated, {speed:.0} us a second", simulated.as_us_f64() / 1e3));
        self.bar.tick();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
