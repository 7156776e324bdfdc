//! Waiting until a device has written own memory: each poll begins at a multiple of a period, and
//! costs what the platform says.

use sim_pins::Ps;

use super::extension::Extension;
use super::process::Process;
use crate::address::UserVirt;
use crate::events::{EventKind, Subject};
use crate::memory::{MemoryError, Watch};

impl<X: Extension> Process<X> {
    /// Polls own bytes until `arrived` accepts them. `message` names the wait in the trace.
    pub async fn wait_bytes(
        &self,
        address: UserVirt,
        len_bytes: u32,
        message: u32,
        arrived: impl Fn(&[u8]) -> bool,
    ) -> Result<(), MemoryError> {
        let subject = Subject::Arrival { pid: self.pid(), message };
        self.note(subject, EventKind::WaitBegin);
        let watch = self.0.memory.borrow_mut().watch(self.pid(), address, len_bytes)?;
        let mut failure = None;
        self.poll(&watch, Some(subject), || match self.load(address, len_bytes) {
            Ok(bytes) => arrived(&bytes),
            Err(error) => {
                failure = Some(error);
                true
            }
        })
        .await;
        self.note(subject, EventKind::ArrivalSeen);
        failure.map_or(Ok(()), Err)
    }

    /// Polls until `condition` holds; it can change only by a write that `watch` sees. A poll that
    /// finds the cached bytes takes `poll_unchanged_ns`. A poll that finds bytes which a device
    /// wrote takes `poll_changed_ns` more.
    pub(super) async fn poll(&self, watch: &Watch, subject: Option<Subject>, mut condition: impl FnMut() -> bool) {
        let sim = self.0.cpu.sim().clone();
        let period = Ps::from_ns(self.0.costs.poll_unchanged_ns);
        let begin = sim.now();
        loop {
            let written = watch.written();
            let held = condition();
            if held {
                // Its last miss was paid for before it was looked at; a first look pays here.
                if sim.now() == begin {
                    self.0.cpu.charge("poll", Ps::from_ns(self.0.costs.poll_changed_ns)).await;
                }
                return;
            }
            written.await;
            if let Some(subject) = subject {
                self.note(subject, EventKind::ArrivalWritten);
            }
            // The poll that finds it begins at the next multiple of the period.
            let polls = (sim.now() - begin).0.div_ceil(period.0);
            sim.sleep_until(begin + Ps(polls * period.0)).await;
            self.0.cpu.charge("poll", Ps::from_ns(self.0.costs.poll_changed_ns)).await;
        }
    }
}
