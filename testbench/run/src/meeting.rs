//! How processes on different nodes find each other: what a daemon over another network would do for them.
//!
//! It takes simulated time, and the same time for any number of threads: what is published at `t` can be seen from `t` plus a fixed
//! delay on, which is longer than any window in which nodes run ahead of each other.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use host_model::executor::Sim;
use sim_pins::Ps;

const POLL: Ps = Ps::from_us(5);

type Board<T> = BTreeMap<(String, usize), (Ps, T)>;

/// A board on which every node publishes under names, and all read. Clones are the same board.
pub struct Meeting<T> {
    nodes: usize,
    /// From publishing to seeing.
    delay: Ps,
    board: Arc<Mutex<Board<T>>>,
}

impl<T> Clone for Meeting<T> {
    fn clone(&self) -> Self {
        Meeting { nodes: self.nodes, delay: self.delay, board: self.board.clone() }
    }
}

impl<T: Clone + Send> Meeting<T> {
    /// `window` is how far nodes may run ahead of each other.
    pub fn new(nodes: usize, window: Ps) -> Meeting<T> {
        Meeting { nodes, delay: Ps::from_us(10) + window + window, board: Arc::default() }
    }

    /// Publishes `value` of `node` under `name`, waits until all nodes have done so, and returns all values in the order of the nodes.
    /// Nodes leave the meeting within one polling interval of each other.
    pub async fn exchange(&self, sim: &Sim, name: &str, node: usize, value: T) -> Vec<T> {
        self.lock().insert((name.to_string(), node), (sim.now(), value));
        loop {
            if let Some(all) = self.visible(name, sim.now()) {
                return all;
            }
            // Aligned, so that nodes that started at different times look at the same times.
            let next = Ps((sim.now().0 / POLL.0 + 1) * POLL.0);
            sim.sleep_until(next).await;
        }
    }

    fn visible(&self, name: &str, now: Ps) -> Option<Vec<T>> {
        let board = self.lock();
        (0..self.nodes)
            .map(|node| {
                let (at, value) = board.get(&(name.to_string(), node))?;
                (*at + self.delay <= now).then(|| value.clone())
            })
            .collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Board<T>> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
