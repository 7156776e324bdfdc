//! Ends of messages: polls of the first byte of a descriptor (facts E-26).

use nic_layout::personality::emp::descriptor::{stat, Failure};
use sim_pins::Ps;

use super::error::MessageError;
use super::extension::Messages;
use super::post::Transfer;
use crate::events::{EventKind, Subject};
use crate::library::process::Process;

/// The message that a receive has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The node that sent it.
    pub node: u16,
    /// Its tag.
    pub tag: u16,
    /// Its length.
    pub bytes: u32,
}

impl Process<Messages> {
    /// Looks once, which is one read of the bus. `None`: the message has not ended.
    ///
    /// # Errors
    /// The message has failed, or a read of the NIC.
    pub async fn test(&self, transfer: &Transfer) -> Result<Option<()>, MessageError> {
        let device = self.nic()?;
        let at = self.show(&device, transfer.number).await;
        let begin = self.0.cpu.sim().now();
        let stat = device.pio.read(at).await? as u8;
        if stat != stat::POSTED {
            self.was_taken(transfer);
        }
        if stat == stat::DONE {
            self.note_end(transfer, begin);
        }
        match stat {
            stat::DONE => Ok(Some(())),
            stat::POSTED | stat::TAKEN => Ok(None),
            other => Err(match Failure::of_stat(other) {
                Some(failure) => MessageError::Failed(failure),
                None => MessageError::WildStat { number: transfer.number, stat: other },
            }),
        }
    }

    /// The end of a message that has a number. `begin`: of the read that has seen it.
    fn note_end(&self, transfer: &Transfer, begin: Ps) {
        let Some(message) = transfer.message else { return };
        let pid = self.pid();
        let (subject, seen) = match transfer.is_send {
            true => (Subject::Post { pid, index: transfer.number, message }, EventKind::StatusSeen),
            false => (Subject::Arrival { pid, message }, EventKind::ArrivalSeen),
        };
        self.0.log.record(begin, subject.note(EventKind::PollBegin));
        self.note(subject, seen);
    }

    /// Polls until the message has ended. A send: its receiver has the message (facts E-38).
    ///
    /// # Errors
    /// The message has failed, or a read of the NIC.
    pub async fn wait_message(&self, transfer: &Transfer) -> Result<(), MessageError> {
        while self.test(transfer).await?.is_none() {}
        Ok(())
    }

    /// What a receive that has ended has taken: three reads of the bus.
    ///
    /// # Errors
    /// A read of the NIC fails.
    pub async fn arrival(&self, transfer: &Transfer) -> Result<Arrival, MessageError> {
        let device = self.nic()?;
        let at = self.show(&device, transfer.number).await;
        let (head, tag) = (device.pio.read(at).await?, device.pio.read(at + 4).await?);
        let bytes = device.pio.read(at + 8).await?;
        Ok(Arrival { node: (head >> 16) as u16, tag: tag as u16, bytes })
    }
}
