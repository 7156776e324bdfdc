//! Registration: which pages are pinned, when, and until when. One policy is one implementation of
//! [`Registration`].

use async_trait::async_trait;

use super::error::DriverError;
use super::service::Core;
use crate::address::{Pid, VirtPage};
use crate::events::{EventKind, Subject};
use crate::executor::LockGuard;
use crate::processor::Cpu;

/// What pages are wanted for.
pub enum Use {
    /// A buffer was registered, of which the NIC learns at its first use. The lock of the NIC's
    /// caches comes along: a policy that needs it not gives it back at once.
    Export(LockGuard),
    /// Memory is registered of which the NIC learns now.
    Register,
    /// A post that is about to be made uses the pages; the lock as above.
    Post(LockGuard),
    /// The NIC has missed on the line of these pages, which it has reserved. The caller holds the
    /// lock.
    Miss(Subject),
}

/// A policy of pinning. What it does is charged to the `cpu` of the task that asks.
#[async_trait(?Send)]
pub trait Registration {
    /// Makes pages usable, as far as this use asks for it. Gives whether any page was not pinned
    /// before.
    async fn acquire(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage], reason: Use) -> Result<bool, DriverError>;

    /// The registration of these pages ends. Policies that let pins age out do nothing (facts
    /// M-44).
    async fn release(&self, _cpu: &Cpu, _pid: Pid, _pages: &[VirtPage]) -> Result<(), DriverError> {
        Ok(())
    }

    /// Makes room for `missing` of `pages`, which are not pinned, or refuses. Gives how many others
    /// were unpinned for it; the caller charges.
    async fn room(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage], missing: usize) -> Result<u32, DriverError>;

    /// Pages of a process beside these that replacement could unpin, whatever the water marks say.
    fn pages_that_may_go(&self, _pid: Pid, _pages: &[VirtPage]) -> usize {
        0
    }

    /// Whether a post of these pages needs no [`Use::Post`].
    fn is_ready(&self, _pid: Pid, _pages: &[VirtPage]) -> bool {
        true
    }

    /// A process ends: the NIC finds nothing of its pages by itself any more.
    async fn hide(&self, _cpu: &Cpu, _pid: Pid) -> Result<(), DriverError> {
        Ok(())
    }

    /// First pages of the lines that the NIC may have taken without the driver.
    fn lines_taken(&self, _pid: Pid) -> Vec<VirtPage> {
        Vec::new()
    }

    /// A process has ended.
    fn close(&self, _pid: Pid) {}

    /// Pages that are pinned for the policy itself.
    fn own_pins(&self) -> usize {
        0
    }
}

/// What policies that pin have in common: pins those of `pages` that exist and are not pinned,
/// after the policy has made room, and charges. Gives them; those that could not be pinned are
/// counted. `subject`: the miss that it is for.
pub async fn pin_missing(
    core: &Core,
    policy: &dyn Registration,
    cpu: &Cpu,
    pid: Pid,
    pages: &[VirtPage],
    subject: Option<Subject>,
) -> Result<Vec<VirtPage>, DriverError> {
    let Core { context, pins, .. } = core;
    let missing = pins.missing(pid, pages);
    if missing.pages.is_empty() {
        return Ok(missing.pages);
    }
    let unpinned = policy.room(cpu, pid, pages, missing.pages.len()).await?;
    pins.judge_room(pid, missing.pages.len(), || policy.pages_that_may_go(pid, pages));
    if unpinned > 0 {
        pins.charge_unpin(cpu, unpinned).await;
    }
    let note = |kind| subject.into_iter().for_each(|subject| context.note(subject, kind));
    note(EventKind::PinStart);
    pins.charge_pin(cpu, &missing).await;
    let pinned = pins.pin(pid, &missing.pages);
    context.count(|counts| counts.pin_failures += u64::from(pinned.failed));
    note(EventKind::PinEnd);
    Ok(missing.pages)
}
