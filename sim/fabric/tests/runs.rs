use std::ops::ControlFlow;
use std::sync::mpsc;

use sim_fabric::{run, Activity, Ending, Node, RunOptions};
use sim_pins::Ps;

/// Counts windows; fails, panics or finishes when told.
struct Counter {
    now: Ps,
    windows: u64,
    finish_after: u64,
    fail_after: Option<u64>,
    panic_after: Option<u64>,
}

impl Counter {
    fn new(finish_after: u64) -> Counter {
        Counter { now: Ps::ZERO, windows: 0, finish_after, fail_after: None, panic_after: None }
    }
}

impl Node for Counter {
    type Error = String;
    type Output = u64;

    fn run_until(&mut self, end: Ps) -> Result<Activity, String> {
        self.windows += 1;
        if Some(self.windows) == self.fail_after {
            return Err("told to fail".into());
        }
        if Some(self.windows) == self.panic_after {
            panic!("told to panic");
        }
        self.now = end;
        Ok(if self.windows < self.finish_after { Activity::Busy } else { Activity::Finished })
    }

    fn now(&self) -> Ps {
        self.now
    }

    fn finish(self) -> u64 {
        self.windows
    }
}

fn options(threads: usize) -> RunOptions<'static> {
    RunOptions { window: Ps(100), end: Ps(1_000_000), threads, between_windows: None }
}

fn builders(nodes: Vec<Counter>) -> Vec<impl FnOnce() -> Result<Counter, String> + Send> {
    nodes.into_iter().map(|node| move || Ok(node)).collect()
}

#[test]
fn a_run_ends_when_all_nodes_have_finished() {
    for threads in 1..=3 {
        let nodes = vec![Counter::new(3), Counter::new(7), Counter::new(1)];
        let run = run(builders(nodes), options(threads));
        assert_eq!(run.ending, Ending::AllFinished { at: Ps(700) });
        assert_eq!(run.outputs, [Some(7), Some(7), Some(7)]);
    }
}

#[test]
fn the_last_window_is_cut_to_the_end() {
    let run = run(builders(vec![Counter::new(u64::MAX)]), RunOptions { end: Ps(250), ..options(1) });
    assert_eq!((run.ending, &run.outputs[..]), (Ending::TimeIsUp { at: Ps(250) }, &[Some(3)][..]));
}

#[test]
fn the_earliest_failure_ends_the_run_with_node_and_time() {
    for threads in 1..=3 {
        let mut nodes = vec![Counter::new(u64::MAX), Counter::new(u64::MAX), Counter::new(u64::MAX)];
        nodes[1].fail_after = Some(5);
        nodes[2].fail_after = Some(5);
        let run = run(builders(nodes), options(threads));
        assert_eq!(run.ending, Ending::Failed { node: 1, at: Ps(400), error: "told to fail".into() });
        assert_eq!(
            run.outputs,
            [Some(5), Some(5), Some(5)],
            "the others end their window and are there to be looked at"
        );
    }
}

#[test]
fn a_node_that_cannot_be_built_ends_the_run_before_it_begins() {
    type Builder = Box<dyn FnOnce() -> Result<Counter, String> + Send>;
    let builders: Vec<Builder> = vec![Box::new(|| Ok(Counter::new(9))), Box::new(|| Err("no such part".into()))];
    let run = run(builders, options(2));
    assert_eq!(run.ending, Ending::Failed { node: 1, at: Ps(0), error: "no such part".into() });
    assert_eq!(run.outputs, [Some(0), None]);
}

#[test]
fn a_run_may_be_interrupted_between_windows() {
    let (sender, times) = mpsc::channel();
    let mut watch = move |at: Ps| {
        sender.send(at).unwrap();
        if at < Ps(300) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let nodes = vec![Counter::new(u64::MAX), Counter::new(u64::MAX)];
    let run = run(builders(nodes), RunOptions { between_windows: Some(&mut watch), ..options(2) });
    assert_eq!(run.ending, Ending::Interrupted { at: Ps(300) });
    assert_eq!(times.try_iter().collect::<Vec<_>>(), [0, 100, 200, 300].map(Ps));
}

#[test]
#[should_panic(expected = "told to panic")]
fn a_panic_of_a_node_ends_all_threads() {
    let mut nodes = vec![Counter::new(u64::MAX), Counter::new(u64::MAX)];
    nodes[1].panic_after = Some(3);
    run(builders(nodes), RunOptions { end: Ps::MAX, ..options(2) });
}
