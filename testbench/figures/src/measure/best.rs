//! Times of work that is done several times: the least disturbed one counts.

use std::fs;
use std::time::Instant;

use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

/// The least of several times.
pub struct Best {
    pub seconds: f64,
}

impl Default for Best {
    fn default() -> Self {
        Best { seconds: f64::INFINITY }
    }
}

impl Best {
    /// On the clock on the wall.
    pub fn wall<T>(&mut self, work: impl FnOnce() -> T) -> Result<T> {
        let start = Instant::now();
        let value = work();
        self.seconds = self.seconds.min(start.elapsed().as_secs_f64());
        Ok(value)
    }

    /// Processor time of this thread only. Other work on the machine disturbs it less than wall
    /// time.
    pub fn processor<T>(&mut self, work: impl FnOnce() -> T) -> Result<T> {
        let start = processor_seconds()?;
        let value = work();
        self.seconds = self.seconds.min(processor_seconds()? - start);
        Ok(value)
    }
}

/// Processor time of this thread.
pub fn processor_seconds() -> Result<f64> {
    let path = "/proc/thread-self/schedstat";
    let text = fs::read_to_string(path).map_err(|error| failed!("{path}: {error}; bar 5 needs Linux"))?;
    let ns: Option<f64> = text.split(' ').next().and_then(|first| first.parse().ok());
    ns.map(|ns| ns / 1e9).ok_or_else(|| failed!("{path}: its first word is no number"))
}
