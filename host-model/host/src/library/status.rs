//! The status page: what the NIC says of posts that have ended.

use nic_layout::post::{PostError, ProcessStatus, NIC_WAS_RESET};
use zerocopy::FromBytes;

use super::error::{WriteError, WriteHandle};
use super::extension::Extension;
use super::process::{Process, Told};
use crate::events::{EventKind, Subject};

/// Free-running indices: `a` is less than half a lap before `b`.
fn is_before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

impl<X: Extension> Process<X> {
    /// Waits until the post has ended: its bytes are in the memory where they shall be, or it was
    /// refused. Each handle is waited for once.
    pub async fn wait(&self, handle: WriteHandle) -> Result<(), WriteError> {
        self.update_status()?;
        self.poll_status(|| self.0.ended.borrow().contains_key(&handle.index)).await?;
        let subject = Subject::Post { pid: self.pid(), index: handle.index, message: handle.message };
        self.note(subject, EventKind::StatusSeen);
        let end = self.0.ended.borrow_mut().remove(&handle.index);
        end.expect("the condition that was waited for")
    }

    /// What the process has seen of its status page.
    pub fn status(&self) -> ProcessStatus {
        self.0.seen.get()
    }

    /// Whether the driver has reset the NIC since the process has opened it.
    pub fn nic_was_reset(&self) -> bool {
        self.update_status() == Err(WriteError::NicReset)
    }

    /// Polls the status page until `condition`, which follows from it, holds.
    pub(super) async fn poll_status(&self, condition: impl Fn() -> bool) -> Result<(), WriteError> {
        let ended = self.0.grant.status + std::mem::offset_of!(ProcessStatus, ended) as u32;
        let watch = self.0.memory.borrow_mut().watch(self.pid(), ended, 4)?;
        let mut failure = None;
        self.poll(&watch, None, || match self.update_status() {
            Ok(()) => condition(),
            Err(error) => {
                failure = Some(error);
                true
            }
        })
        .await;
        failure.map_or(Ok(()), Err)
    }

    /// Takes over what the NIC has written to the status page.
    ///
    /// A write of the page comes to memory a piece at a time, first word first, and a process may
    /// look in between: then `refused`, and perhaps the index of the last refusal, tell of posts
    /// whose end is not written yet. That index decides: a refusal among the posts that ended is
    /// the last one, or before it. Counts alone would take the refusal for one of the posts before,
    /// and then pass over its own.
    pub(super) fn update_status(&self) -> Result<(), WriteError> {
        let bytes = self.load(self.0.grant.status, size_of::<ProcessStatus>() as u32)?;
        let now = ProcessStatus::read_from_bytes(&bytes).expect("as many bytes");
        if now.last_error == NIC_WAS_RESET {
            return Err(WriteError::NicReset);
        }
        let before = self.0.seen.get();
        let newly_ended = now.ended.wrapping_sub(before.ended);
        let posted = self.0.posted.get();
        if newly_ended > posted.wrapping_sub(before.ended) {
            return Err(WriteError::WildStatus { ended: now.ended, posted });
        }
        if newly_ended == 0 {
            return Ok(());
        }
        let told = self.0.refusals_told.get();
        let refused = now.refused.wrapping_sub(told.count);
        // A wild doorbell takes the place of the last refusal, and names no post.
        let covered = now.last_error == PostError::BadProducerIndex as u32;
        let (error, last) = (now.last_error, now.last_error_index);
        if !covered && refused != 0 && !is_before(last, now.ended) {
            // Only the end itself is still to be written.
            return Ok(());
        }
        let names_one = !covered && now.refused != 0 && last.wrapping_sub(before.ended) < newly_ended;
        let others_are_well = match (names_one, covered) {
            (true, _) => refused == 1 && !told.perhaps_more,
            (false, true) => refused == 0,
            (false, false) => true,
        };
        if names_one || covered {
            // Of several, some may belong to posts whose end is not written.
            self.0.refusals_told.set(Told { count: now.refused, perhaps_more: refused > 1 });
        } else {
            self.0.refusals_told.set(Told { perhaps_more: false, ..told });
        }
        let mut ended = self.0.ended.borrow_mut();
        for n in 0..newly_ended {
            let index = before.ended.wrapping_add(n);
            if self.0.first_halves.borrow_mut().remove(&index) {
                continue;
            }
            let end = if names_one && last == index {
                Err(WriteError::Refused { index, error })
            } else if others_are_well {
                Ok(())
            } else {
                // More were refused since the last look than are known by their index.
                let refused = refused.min(newly_ended);
                Err(WriteError::Unclear { last_index: now.ended.wrapping_sub(1), refused, error })
            };
            ended.insert(index, end);
        }
        self.0.seen.set(now);
        Ok(())
    }
}
