//! Core B of a NIC with two cores: its image, its start, and what it counts. Core B keeps totals of
//! the counters of core A (`nic_layout::keeper`), or runs parts of the personality itself
//! (`nic_layout::personality::emp::pair`).

use std::cell::Cell;
use std::rc::Rc;

use nic_layout::boot::{CrashRecord, Refusal, BOOT_READY, BOOT_REFUSED, LAYOUT_VERSION};
use nic_layout::counter::Counter;
use nic_layout::keeper::{self, KeeperReply, KeeperRequest, KEEPER_MAGIC};
use nic_layout::personality::emp::pair::{self, PairReply, PairRequest, PAIR_MAGIC};
use nic_layout::registers::ident;

use super::boot::{load, wait_for_firmware};
use super::context::Context;
use super::crash::look_for_crash;
use super::device::Device;
use super::duty::Duty;
use super::error::DriverError;
use crate::address::SramAddr;
use crate::elf::{self, Image};
use crate::processor::Cpu;

/// A NIC that is at work makes new totals every 100 us, and one whose core B has crashed may never
/// finish them.
const KEEPER_TRIES: u32 = 100;

/// What core B of a NIC with two cores keeps (`nic_layout::keeper`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Kept {
    /// In the order of `Counter::linked`.
    pub totals: Vec<u64>,
    /// Rounds of summing that core B has completed.
    pub rounds: u32,
    /// Equations of INV-38 that did not hold.
    pub violations: u32,
}

/// The second core, if the NIC has one and it was started.
pub struct CoreB {
    context: Rc<Context>,
    runs: Cell<bool>,
}

impl CoreB {
    /// Core B is taken not to run until its image was started.
    pub fn new(context: Rc<Context>) -> CoreB {
        CoreB { context, runs: Cell::new(false) }
    }

    /// Whether core B was released from reset.
    pub fn runs(&self) -> bool {
        self.runs.get()
    }

    fn duty(&self) -> Duty {
        self.context.options().duty_of_core_b()
    }

    /// Before core A runs: it is told of an SRAM that ends below the area of core B.
    pub async fn load(&self, device: &Device, first: &Image, file: &[u8]) -> Result<Image, DriverError> {
        let cores = device.read(ident::CAPABILITIES).await?.cores();
        if cores < 2 || self.context.platform().core.count < 2 {
            return Err(DriverError::NoCoreB { cores });
        }
        let image = elf::read(file, device.resources.sram_bytes)?;
        let (start, bytes) = (self.duty().area().0, self.duty().area_bytes());
        let area = start + keeper::IMAGE..start + bytes;
        for (image, should) in [(&image, true), (first, false)] {
            for segment in &image.segments {
                let end = segment.address.0 + segment.bytes.len() as u32;
                let inside = segment.address.0 >= area.start && end <= area.end;
                if inside != should {
                    return Err(DriverError::WrongCore { address: segment.address });
                }
            }
        }
        load(&self.context, device, &image).await?;
        Ok(image)
    }

    /// `counters`: those of core A.
    pub async fn start(&self, device: &Device, image: &Image, counters: SramAddr) -> Result<(), DriverError> {
        let context = &self.context;
        let area = self.duty().area();
        device.write_struct(area + keeper::CRASH, &CrashRecord::default()).await;
        match self.duty() {
            Duty::Keeper => {
                let request = KeeperRequest {
                    magic: KEEPER_MAGIC,
                    layout_version: LAYOUT_VERSION,
                    counters: counters.0,
                    period_cycles: context.platform().core_cycles(context.platform().protocol.keeper_us),
                };
                device.write_struct(area + keeper::REPLY, &KeeperReply::default()).await;
                device.write_sram(area + keeper::TOTALS, &[0; 2 * Counter::LINKED_COUNT]).await;
                device.write_struct(area + keeper::REQUEST, &request).await;
            }
            Duty::Parts => {
                let request = PairRequest { magic: PAIR_MAGIC, layout_version: LAYOUT_VERSION };
                device.write_struct(area + pair::REPLY, &PairReply::default()).await;
                device.write_struct(area + pair::REQUEST, &request).await;
            }
        }
        device.write(ident::BOOT_ADDRESS_B, image.entry).await;
        device.write(ident::CORE_CONTROL, ident::CoreControl(0).with_run_a(true).with_run_b(true)).await;
        self.runs.set(true);
        self.await_reply(device).await
    }

    /// Both replies begin with a state and an error.
    async fn await_reply(&self, device: &Device) -> Result<(), DriverError> {
        let context = &self.context;
        let timeout = context.options().boot_timeout;
        let end = context.sim().now() + timeout;
        loop {
            let reply: PairReply = device.read_struct(self.duty().area() + keeper::REPLY).await?;
            match reply.state {
                BOOT_READY => return Ok(()),
                BOOT_REFUSED => return Err(DriverError::BootRefused(Refusal([reply.error, 0]))),
                _ => {}
            }
            look_for_crash(context, device, true).await?;
            if context.sim().now() >= end {
                return Err(DriverError::BootTimeout { after: timeout, state: reply.state });
            }
            wait_for_firmware(context).await;
        }
    }

    /// Where core B counts: the driver adds its counters to those of core A. `None` if core B was
    /// not started, or keeps totals.
    pub fn counters(&self) -> Option<SramAddr> {
        (self.runs() && self.duty() == Duty::Parts).then(|| self.duty().area() + pair::COUNTERS)
    }

    /// What core B keeps, read by PIO between two of its rounds; `None` if core B was not started,
    /// or has another duty.
    pub async fn read(&self, cpu: &Cpu) -> Result<Option<Kept>, DriverError> {
        if !self.runs() || self.duty() != Duty::Keeper {
            return Ok(None);
        }
        let device = self.context.device(cpu)?;
        let area = self.duty().area();
        for _ in 0..KEEPER_TRIES {
            let before: KeeperReply = device.read_struct(area + keeper::REPLY).await?;
            let mut totals = Vec::with_capacity(Counter::LINKED_COUNT);
            for counter in Counter::linked() {
                let at = area + keeper::TOTALS + 2 * counter.offset();
                let (low, high) = (device.read_sram(at).await?, device.read_sram(at + 4).await?);
                totals.push(u64::from(low) | u64::from(high) << 32);
            }
            let after: KeeperReply = device.read_struct(area + keeper::REPLY).await?;
            if before.folds == after.folds && before.folds % 2 == 0 {
                return Ok(Some(Kept { totals, rounds: after.folds / 2, violations: after.violations }));
            }
        }
        Err(DriverError::KeeperBusy { tries: KEEPER_TRIES })
    }
}
