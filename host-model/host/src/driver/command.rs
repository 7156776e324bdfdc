//! Commands to the firmware: one at a time, each answered with its own value (docs of `nic_layout::ring`).

use std::cell::Cell;

use nic_layout::registers::mailbox;
use nic_layout::ring::{COMMAND_INVALIDATE, MAILBOX_ARGUMENT, MAILBOX_COMMAND, MAILBOX_MISS};
use nic_layout::vmh::{key, KEY_RESERVED};

use super::error::DriverError;
use super::miss::{Cache, Suspect};
use super::Driver;
use crate::address::{Pid, UserVirt, VirtPage};
use crate::events::{EventKind, Subject};
use crate::executor::{until, Lock, Notify};
use crate::processor::Cpu;

#[derive(Default)]
pub(super) struct Commands {
    turn: Lock,
    outstanding: Cell<Option<u32>>,
    answered: Notify,
}

impl Driver {
    /// Sends a command and waits until the firmware has obeyed it.
    pub(super) async fn command(&self, cpu: &Cpu, command: u32) -> Result<(), DriverError> {
        self.command_about(cpu, command, None).await
    }

    /// The same, with what the command is about in a mailbox of its own.
    pub(super) async fn command_about(
        &self,
        cpu: &Cpu,
        command: u32,
        argument: Option<u32>,
    ) -> Result<(), DriverError> {
        let device = self.device(cpu)?;
        let commands = &self.0.commands;
        let turn = commands.turn.acquire().await;
        let number = self.counts().commands;
        self.count(|counts| counts.commands += 1);
        commands.outstanding.set(Some(command));
        self.note(Subject::Command { number }, EventKind::CommandIssued);
        if let Some(argument) = argument {
            device.write(mailbox::TO_NIC.at(MAILBOX_ARGUMENT), argument).await;
        }
        device.write(mailbox::TO_NIC.at(MAILBOX_COMMAND), command).await;
        let after = self.0.options.command_timeout;
        let answered = commands.answered.wait_until(|| commands.outstanding.get().is_none());
        let in_time = until(&self.0.sim, self.0.sim.now() + after, answered).await;
        commands.outstanding.set(None);
        drop(turn);
        match in_time {
            Some(()) => {
                self.note(Subject::Command { number }, EventKind::CommandAnswered);
                Ok(())
            }
            None => Err(self.failure().unwrap_or(DriverError::CommandTimeout { command, after })),
        }
    }

    /// In the handler: the NIC says that it has obeyed.
    pub(super) fn take_answer(&self, answer: u32) {
        let commands = &self.0.commands;
        if commands.outstanding.get() == Some(answer) {
            commands.outstanding.set(None);
            commands.answered.notify();
        } else {
            self.count(|counts| counts.wild_answers += 1);
        }
    }

    /// Takes the line that holds this address from the NIC's cache, if it is there, and waits until no DMA uses it. The
    /// pages stay pinned: the next use misses on the NIC and hits in the host's table.
    pub async fn invalidate(&self, cpu: &Cpu, pid: Pid, address: UserVirt) -> Result<(), DriverError> {
        self.check_alive()?;
        let first = VirtPage(self.layout()?.caches()?.geometry.line_page(address.page().0));
        self.invalidate_line(cpu, pid, first).await
    }

    pub(super) async fn invalidate_line(&self, cpu: &Cpu, pid: Pid, first: VirtPage) -> Result<(), DriverError> {
        let _lines = self.0.lines.acquire().await;
        self.take_line_away(cpu, pid, first).await
    }

    /// The same; the caller holds the lock.
    pub(super) async fn take_line_away(&self, cpu: &Cpu, pid: Pid, first: VirtPage) -> Result<(), DriverError> {
        self.command(cpu, key(pid.0, first.0, COMMAND_INVALIDATE)).await?;
        self.suspect(cpu, Cache::Vmh, key(pid.0, first.0, KEY_RESERVED)).await?;
        if let Some(shadow) = &mut self.0.state.borrow_mut().shadow {
            shadow.forget(pid, first);
        }
        Ok(())
    }

    /// What the NIC has just forgotten may have been reserved: then entries in the miss ring have lost their line.
    pub(super) async fn suspect(&self, cpu: &Cpu, cache: Cache, key: u32) -> Result<(), DriverError> {
        let producer = self.device(cpu)?.read(mailbox::TO_HOST.at(MAILBOX_MISS)).await?;
        // The low 16 bits are what the index is known by.
        let served = self.0.served.get();
        let unserved = producer.wrapping_sub(served) & 0xFFFF;
        if unserved != 0 {
            let producer = served.wrapping_add(unserved);
            self.0.state.borrow_mut().suspects.push(Suspect { cache, key, producer });
        }
        Ok(())
    }
}
