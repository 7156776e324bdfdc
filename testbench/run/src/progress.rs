//! Progress on standard error, on a terminal only.

use std::cell::Cell;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use sim_pins::Ps;

/// A line that shows the run, the simulated time, the speed, and the time left.
///
/// No other output of a run depends on wall-clock time.
pub struct Progress {
    bar: ProgressBar,
    times: Mutex<Cell<Times>>,
}

#[derive(Clone, Copy)]
struct Times {
    start: Instant,
    drawn: Instant,
    /// The time when the first part of the work was done, and that part. The boot before it tells
    /// nothing about the time of the rest.
    first: Option<(Instant, f64)>,
}

impl Progress {
    /// A line on standard error that begins with `what`. It is hidden if standard error is no
    /// terminal.
    pub fn new(what: String) -> Progress {
        match std::io::stderr().is_terminal() {
            true => Progress::drawn(ProgressBar::new_spinner(), what),
            false => Progress::hidden(),
        }
    }

    /// A hidden line, for a run that shares one line with other runs.
    pub fn hidden() -> Progress {
        Progress::drawn(ProgressBar::hidden(), String::new())
    }

    fn drawn(bar: ProgressBar, what: String) -> Progress {
        bar.set_style(ProgressStyle::with_template("{spinner} {prefix}: {msg}").expect("the template is valid"));
        bar.set_prefix(what);
        let now = Instant::now();
        Progress { bar, times: Mutex::new(Cell::new(Times { start: now, drawn: now, first: None })) }
    }

    /// Draws the line, at most ten times a second. A run calls it between windows. `share` is the
    /// part of the work that is done, 0 to 1.
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

/// The time of a part `rest` of the work, if a part `done` took `spent`.
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
