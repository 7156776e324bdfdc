//! Commands to the firmware: one at a time, each answered with its own value (docs of
//! `nic_layout::ring`).

use std::cell::Cell;
use std::rc::Rc;

use nic_layout::registers::mailbox;
use nic_layout::ring::{MAILBOX_ARGUMENT, MAILBOX_COMMAND};
use sim_pins::Ps;

use super::context::Context;
use super::error::DriverError;
use crate::events::{EventKind, Subject};
use crate::executor::{until, Lock, Notify};
use crate::processor::Cpu;

/// The way of one driver's commands to its firmware.
pub struct Commands {
    context: Rc<Context>,
    turn: Lock,
    outstanding: Cell<Option<u32>>,
    answered: Notify,
}

impl Commands {
    /// No command is outstanding.
    pub fn new(context: Rc<Context>) -> Commands {
        Commands { context, turn: Lock::default(), outstanding: Cell::new(None), answered: Notify::new() }
    }

    /// Sends a command and waits until the firmware has obeyed it.
    pub async fn send(&self, cpu: &Cpu, command: u32) -> Result<(), DriverError> {
        self.send_about(cpu, command, None).await
    }

    /// The same for a command that takes the firmware `more` time than others, whatever comes.
    pub async fn send_long(&self, cpu: &Cpu, command: u32, more: Ps) -> Result<(), DriverError> {
        self.send_within(cpu, command, None, self.context.options().command_timeout + more).await
    }

    /// The same, with what the command is about in a mailbox of its own.
    pub async fn send_about(&self, cpu: &Cpu, command: u32, argument: Option<u32>) -> Result<(), DriverError> {
        self.send_within(cpu, command, argument, self.context.options().command_timeout).await
    }

    /// Waits until the firmware has taken what processes have written to these mailboxes, one bit
    /// each: it may take the command that follows before them.
    ///
    /// # Errors
    /// The NIC was reset, or it takes none in the time that a command may take.
    pub async fn wait_for_mailboxes(&self, cpu: &Cpu, mailboxes: u32, command: u32) -> Result<(), DriverError> {
        let context = &self.context;
        let device = context.device(cpu)?;
        let after = context.options().command_timeout;
        let end = context.sim().now() + after;
        while device.read(mailbox::PENDING).await? & mailboxes != 0 {
            context.check_current()?;
            if context.sim().now() > end {
                return Err(context.failure().unwrap_or(DriverError::CommandTimeout { command, after }));
            }
        }
        Ok(())
    }

    async fn send_within(&self, cpu: &Cpu, command: u32, argument: Option<u32>, after: Ps) -> Result<(), DriverError> {
        let context = &self.context;
        let device = context.device(cpu)?;
        let turn = self.turn.acquire().await;
        context.check_current()?;
        let subject = Subject::Command { number: context.counts().commands };
        context.count(|counts| counts.commands += 1);
        self.outstanding.set(Some(command));
        context.note(subject, EventKind::CommandIssued);
        if let Some(argument) = argument {
            device.write(mailbox::TO_NIC.at(MAILBOX_ARGUMENT), argument).await;
        }
        device.write(mailbox::TO_NIC.at(MAILBOX_COMMAND), command).await;
        let answered = self.answered.wait_until(|| self.outstanding.get().is_none());
        let in_time = until(context.sim(), context.sim().now() + after, answered).await;
        self.outstanding.set(None);
        drop(turn);
        context.check_current()?;
        match in_time {
            Some(()) => {
                context.note(subject, EventKind::CommandAnswered);
                Ok(())
            }
            None => Err(context.failure().unwrap_or(DriverError::CommandTimeout { command, after })),
        }
    }

    /// The NIC was reset: no answer will come.
    pub(in crate::driver) fn abandon(&self) {
        self.outstanding.set(None);
        self.answered.notify();
    }

    /// In the interrupt handler: the NIC says that it has obeyed.
    pub(in crate::driver) fn take_answer(&self, answer: u32) {
        if self.outstanding.get() == Some(answer) {
            self.outstanding.set(None);
            self.answered.notify();
        } else {
            self.context.count(|counts| counts.wild_answers += 1);
        }
    }
}
