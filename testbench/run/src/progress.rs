//! Progress on standard error, on a terminal only.

use std::cell::Cell;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use sim_pins::Ps;

/// A line that tells what runs, the simulated time, the speed, and the time left. Wall time shows here and nowhere else.
pub struct Progress {
    bar: ProgressBar,
    times: Mutex<Cell<Times>>,
}

#[derive(Clone, Copy)]
struct Times {
    start: Instant,
    drawn: Instant,
    /// When the first part of the work was done: before lies the boot, which says nothing about the rest.
    first: Option<(Instant, f64)>,
}

impl Progress {
    pub fn new(what: String) -> Progress {
        match std::io::stderr().is_terminal() {
            true => Progress::drawn(ProgressBar::new_spinner(), what),
            false => Progress::hidden(),
        }
    }

    /// For a run among others that have one bar together.
    pub fn hidden() -> Progress {
        Progress::drawn(ProgressBar::hidden(), String::new())
    }

    fn drawn(bar: ProgressBar, what: String) -> Progress {
        bar.set_style(ProgressStyle::with_template("{spinner} {prefix}: {msg}").expect("the template is valid"));
        bar.set_prefix(what);
        let now = Instant::now();
        Progress { bar, times: Mutex::new(Cell::new(Times { start: now, drawn: now, first: None })) }
    }

    /// Called between windows; draws ten times a second. `share` of the work is done, 0 to 1.
    pub fn at(&self, simulated: Ps, share: f64) {
        if self.bar.is_hidden() {
            return;
        }
        let cell = self.times.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let (mut times, now) = (cell.get(), Instant::now());
        if now - times.drawn < Duration::from_millis(100) {
            return;
        }
        times.drawn = now;
        if share > 0.0 && times.first.is_none() {
            times.first = Some((now, share));
        }
        cell.set(times);
        let speed = simulated.as_us_f64() / (now - times.start).as_secs_f64().max(1e-9);
        let left = times.first.and_then(|(first, done)| time_left(now - first, share - done, 1.0 - share));
        let left = left.map_or(String::new(), |left| format!(", about {} s left", left.as_secs() + 1));
        self.bar.set_message(format!("{:.3} ms simulated, {speed:.0} us a second{left}", simulated.as_us_f64() / 1e3));
        self.bar.tick();
    }
}

/// What the rest takes, if a part of the work took `spent`.
fn time_left(spent: Duration, done: f64, rest: f64) -> Option<Duration> {
    if done <= 0.0 {
        return None;
    }
    Duration::try_from_secs_f64(spent.as_secs_f64() * rest.max(0.0) / done).ok()
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_in_proportion() {
        assert_eq!(time_left(Duration::from_secs(10), 0.25, 0.75), Some(Duration::from_secs(30)));
        assert_eq!(time_left(Duration::from_secs(10), 1.0, -0.1), Some(Duration::ZERO));
        assert_eq!(time_left(Duration::from_secs(10), 0.0, 1.0), None);
        assert_eq!(time_left(Duration::from_secs(10), f64::MIN_POSITIVE, 1.0), None);
    }
}
