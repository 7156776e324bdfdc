//! Many runs at once, with a bar on a terminal.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use nicscope_scenario::error::Result;

/// Does `work` for every item, `jobs` at a time, and returns the results in the order of the items.
/// After an error nothing new is begun.
pub fn each<T: Sync, R: Send>(
    what: &str,
    jobs: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let bar = bar(what, items.len() as u64);
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Vec<Mutex<Option<Result<R>>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let worker = || {
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            let result = work(item);
            stop.fetch_or(result.is_err(), Ordering::Relaxed);
            *results[index].lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(result);
            bar.inc(1);
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.clamp(1, items.len().max(1))).map(|_| scope.spawn(worker)).collect();
        for thread in threads {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
    bar.finish_and_clear();
    let results =
        results.into_iter().map(|result| result.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()));
    // What was never begun lies behind an error, or beside one that another thread met.
    let mut done = Vec::with_capacity(items.len());
    let mut skipped = false;
    for result in results {
        match result {
            Some(result) => done.push(result?),
            None => skipped = true,
        }
    }
    assert!(!skipped, "only an error leaves items undone");
    Ok(done)
}

fn bar(what: &str, length: u64) -> ProgressBar {
    let bar = match std::io::stderr().is_terminal() {
        true => ProgressBar::new(length),
        false => ProgressBar::hidden(),
    };
    let style = ProgressStyle::with_template("{prefix}: {pos} of {len} {wide_bar} {elapsed}{left}");
    bar.set_style(style.expect("the template is valid").with_key(
        "left",
        |state: &ProgressState, text: &mut dyn Write| {
            // Nothing is known before the first is done.
            if state.pos() > 0 {
                let _ = write!(text, ", about {} s left", state.eta().as_secs() + 1);
            }
        },
    ));
    bar.set_prefix(what.to_string());
    bar.enable_steady_tick(std::time::Duration::from_millis(500));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;
    use nicscope_scenario::failed;

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..100).collect();
        for jobs in [0, 1, 3, 200] {
            assert_eq!(each("squares", jobs, &items, |item| Ok(item * item)).unwrap()[99], 9801);
        }
        assert!(each("nothing", 2, &[] as &[u32], |item| Ok(*item)).unwrap().is_empty());
    }

    #[test]
    fn an_error_ends_the_work() {
        let begun = AtomicUsize::new(0);
        let items: Vec<u32> = (0..1000).collect();
        let error = each("failing", 2, &items, |&item| {
            begun.fetch_add(1, Ordering::Relaxed);
            match item {
                3 => Err(failed!("item 3")),
                _ => Ok(()),
            }
        });
        assert_eq!(error.unwrap_err().to_string(), "item 3");
        assert!(begun.into_inner() < 1000);
    }
}
