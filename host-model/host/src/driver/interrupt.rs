//! The first stage: the interrupt handler. It reads what the NIC has to say, and wakes whoever acts on it (facts M-18), or acts itself
//! ([`super::MissService::Interrupt`]).

use std::cell::Cell;
use std::rc::Rc;

use nic_layout::boot::{CrashRecord, CAUSE_CRASH};
use nic_layout::registers::{interrupt, mailbox};
use nic_layout::ring::{MAILBOX_COMMAND_DONE, MAILBOX_MISS, MAILBOX_NOTIFY};
use sim_pins::Ps;

use super::error::DriverError;
use super::Driver;
use crate::events::{EventKind, Subject};
use crate::executor::Notify;
use crate::processor::Priority;

/// INTA# at the interrupt controller: a level.
#[derive(Clone, Default)]
pub struct InterruptInput(Rc<Input>);

#[derive(Default)]
struct Input {
    asserted: Cell<bool>,
    since: Cell<Ps>,
    changed: Notify,
}

impl InterruptInput {
    /// Called at each clock edge of the bus, with the level that stood before it.
    #[inline]
    pub fn set(&self, at: Ps, asserted: bool) {
        if asserted != self.0.asserted.get() {
            self.0.asserted.set(asserted);
            self.0.since.set(at);
            self.0.changed.notify();
        }
    }

    pub fn is_asserted(&self) -> bool {
        self.0.asserted.get()
    }

    async fn asserted(&self) {
        self.0.changed.wait_until(|| self.0.asserted.get()).await;
    }
}

impl Driver {
    pub(super) fn spawn_interrupt_handler(&self) {
        let driver = self.clone();
        self.0.sim.spawn("interrupt handler", async move {
            let mut number = 0;
            loop {
                driver.0.interrupt.asserted().await;
                if let Err(error) = driver.handle(number).await {
                    // The line may stay asserted: nobody will come for it again.
                    driver.fail(error);
                    return;
                }
                number += 1;
            }
        });
    }

    /// From INTA# to the return from the interrupt. The line is a level: while it stands, this is called again.
    async fn handle(&self, number: u64) -> Result<(), DriverError> {
        let costs = &self.0.platform.host;
        let subject = Subject::Interrupt { number };
        // A line that still stands after the last handler is taken again now.
        let asserted_at = self.0.sim.now();
        self.note(subject, EventKind::InterruptAsserted);
        self.0.sim.sleep_for(Ps::from_ns(costs.interrupt_delay_ns)).await;
        self.count(|counts| counts.interrupts += 1);
        if !self.0.interrupt.is_asserted() {
            self.count(|counts| counts.spurious_interrupts += 1);
            return Ok(());
        }
        let cpu = self.cpu("interrupt handler", Priority::Interrupt);
        let handler_at = self.0.sim.now();
        self.note(subject, EventKind::HandlerStart);
        cpu.charge("handler", Ps::from_ns(costs.interrupt_handler_ns)).await;
        let device = self.device(&cpu)?;
        let causes = device.read(interrupt::STATUS).await?;
        if causes == 0 {
            self.count(|counts| counts.spurious_interrupts += 1);
            return Ok(());
        }
        // Cleared before the mailboxes are read: what comes later raises the line again.
        device.write(interrupt::CAUSE, causes).await;
        if causes & 1 << MAILBOX_MISS != 0 {
            let producer = device.read(mailbox::TO_HOST.at(MAILBOX_MISS)).await?;
            self.take_misses(&cpu, &device, producer, asserted_at, handler_at).await?;
        }
        if causes & 1 << MAILBOX_COMMAND_DONE != 0 {
            let answer = device.read(mailbox::TO_HOST.at(MAILBOX_COMMAND_DONE)).await?;
            self.take_answer(answer);
        }
        if causes & 1 << MAILBOX_NOTIFY != 0 {
            let producer = device.read(mailbox::TO_HOST.at(MAILBOX_NOTIFY)).await?;
            self.take_notifications(&device, producer).await?;
        }
        if causes & 1 << CAUSE_CRASH != 0 {
            self.look_for_crash(&device).await?;
            // A cause without a record: whoever raised it has not said why.
            return Err(DriverError::Crashed(CrashRecord::default()));
        }
        let known = 1 << MAILBOX_MISS | 1 << MAILBOX_COMMAND_DONE | 1 << MAILBOX_NOTIFY | 1 << CAUSE_CRASH;
        if causes & !known != 0 {
            self.count(|counts| counts.unknown_causes += 1);
        }
        self.note(subject, EventKind::HandlerEnd);
        Ok(())
    }
}
