//! The first stage: the interrupt handler. It reads what the NIC has to say, and hands it to the
//! service of the personality (facts M-18).

use std::cell::Cell;
use std::rc::Rc;

use nic_layout::boot::{CrashRecord, CAUSE_CRASH};
use nic_layout::registers::{interrupt, mailbox};
use nic_layout::ring::MAILBOX_COMMAND_DONE;
use sim_pins::Ps;

use super::crash::look_for_crash;
use super::error::DriverError;
use super::service::{Core, Interrupt, Service};
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

    /// Whether INTA# is asserted, as of the last edge.
    pub fn is_asserted(&self) -> bool {
        self.0.asserted.get()
    }

    async fn asserted(&self) {
        self.0.changed.wait_until(|| self.0.asserted.get()).await;
    }
}

/// Causes that the core of the driver serves.
const OWN_CAUSES: u32 = 1 << MAILBOX_COMMAND_DONE | 1 << CAUSE_CRASH;

/// The handler of one NIC's interrupts.
pub struct Handler {
    /// What the handler shares with the rest of the driver.
    pub core: Core,
    /// INTA# of the NIC.
    pub input: InterruptInput,
    /// The service of the personality; it takes the causes that the core does not know.
    pub service: Rc<dyn Service>,
    /// Whether core B runs: its crash record is then read too.
    pub has_core_b: bool,
}

impl Handler {
    /// What is to be enabled.
    pub fn causes(&self) -> u32 {
        OWN_CAUSES | self.service.causes()
    }

    /// Serves interrupts for ever.
    pub fn spawn(self) {
        let sim = self.core.context.sim().clone();
        sim.spawn("interrupt handler", async move {
            let mut number = 0;
            loop {
                self.input.asserted().await;
                if self.core.context.is_over() {
                    return;
                }
                if let Err(error) = self.handle(number).await {
                    // The line may stay asserted: the handler has given up and does not run again.
                    self.core.context.fail(error);
                    return;
                }
                number += 1;
            }
        });
    }

    /// From INTA# to the return from the interrupt. The line is a level: while it stands, this is
    /// called again.
    async fn handle(&self, number: u64) -> Result<(), DriverError> {
        let context = &self.core.context;
        let costs = context.costs();
        let subject = Subject::Interrupt { number };
        // A line that still stands after the last handler is taken again now.
        let asserted_at = context.sim().now();
        context.note(subject, EventKind::InterruptAsserted);
        context.sim().sleep_for(Ps::from_ns(costs.interrupt_delay_ns)).await;
        context.count(|counts| counts.interrupts += 1);
        if !self.input.is_asserted() {
            context.count(|counts| counts.spurious_interrupts += 1);
            return Ok(());
        }
        let cpu = context.cpu("interrupt handler", Priority::Interrupt);
        let handler_at = context.sim().now();
        context.note(subject, EventKind::HandlerStart);
        cpu.charge("handler", Ps::from_ns(costs.interrupt_handler_ns)).await;
        let device = context.device(&cpu)?;
        let causes = device.read(interrupt::STATUS).await?;
        if causes == 0 {
            context.count(|counts| counts.spurious_interrupts += 1);
            return Ok(());
        }
        // Cleared before the mailboxes are read: what comes later raises the line again.
        device.write(interrupt::CAUSE, causes).await;
        for cause in (0..u32::BITS as usize).filter(|cause| causes & self.causes() & 1 << cause != 0) {
            if cause == MAILBOX_COMMAND_DONE {
                let answer = device.read(mailbox::TO_HOST.at(MAILBOX_COMMAND_DONE)).await?;
                self.core.commands.take_answer(answer);
            } else if cause == CAUSE_CRASH as usize {
                look_for_crash(context, &device, self.has_core_b).await?;
                // A cause without a record: the firmware that raised it has not said why.
                return Err(DriverError::Crashed(CrashRecord::default()));
            } else {
                let interrupt = Interrupt { cpu: &cpu, device: &device, cause, asserted_at, handler_at };
                self.service.interrupt(&interrupt).await?;
            }
        }
        if causes & !self.causes() != 0 {
            context.count(|counts| counts.unknown_causes += 1);
        }
        context.note(subject, EventKind::HandlerEnd);
        Ok(())
    }
}
