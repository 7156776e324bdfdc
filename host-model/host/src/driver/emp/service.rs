//! Locked pages, physical addresses, and where the descriptors are.

use std::rc::Rc;

use async_trait::async_trait;
use nic_layout::personality::emp::boot::{MessagesReply, MessagesRequest};
use nic_layout::personality::emp::descriptor::{Page, BANKS_BYTES, BANK_BYTES, SEND_DESCRIPTORS};
use nic_layout::personality::emp::{ABORTS_MAX, COUNTERS, MAILBOX_RECEIVE, MAILBOX_SEND, PERSONALITY};
use nic_layout::personality::emp_mini;
use nic_layout::ring::{admit, COMMAND_CLOSE};
use nic_layout::PAGE_BYTES;
use sim_pins::Ps;

use crate::address::{pages_of, Pid, SramAddr, UserVirt, VirtPage};
use crate::driver::core::error::DriverError;
use crate::driver::core::layout::Reply;
use crate::driver::core::pins::WaterMarks;
use crate::driver::core::service::{Core, Interrupt, Service, ServiceEntry};
use crate::driver::mini::Translations;
use crate::platform::Platform;
use crate::processor::Cpu;

/// Bytes of a frame on the wire beside what is behind Ethernet's header: the header, FCS, preamble
/// and gap.
const WIRE_BYTES: u64 = 14 + 4 + 8 + 12;

/// Core clocks in which the NIC gives up one of many messages and tells its peer, with room to
/// spare: about 2300 were seen.
const TELL_CYCLES: u64 = 4000;

/// Core clocks that the longest frame takes on the wire, which carries a byte in each clock.
fn frame_cycles(platform: &Platform, mtu_bytes: u32) -> u32 {
    ((u64::from(mtu_bytes) + WIRE_BYTES) * platform.core.clock_hz).div_ceil(platform.link.clock_hz) as u32
}

/// The service of EMP.
pub struct Emp {
    core: Core,
    descriptors: SramAddr,
    /// In `emp-mini` processes post virtual addresses, and pages are pinned when the NIC misses
    /// them.
    translations: Option<Translations>,
}

impl Emp {
    /// The service's entry in the list of services.
    pub const ENTRY: ServiceEntry = ServiceEntry {
        personality: PERSONALITY,
        counters: COUNTERS,
        request: Some(|platform, options, request| {
            if let Some(messages) = options.messages {
                let marks = messages.flow_control;
                request.offer(&MessagesRequest {
                    mtu_bytes: messages.mtu_bytes,
                    collection_frames: messages.collection_frames,
                    resend_cycles: platform.core_cycles(messages.resend_us),
                    frame_cycles: marks.map_or(0, |_| frame_cycles(platform, messages.mtu_bytes)),
                    slow_below: marks.map_or(0, |marks| marks.slow_below),
                    slower_below: marks.map_or(0, |marks| marks.slower_below),
                });
            }
        }),
        make: |core, reply| Ok(Rc::new(Emp::new(core, reply, None)?)),
    };

    /// The entry of `emp-mini`.
    pub const MINI: ServiceEntry = ServiceEntry {
        personality: emp_mini::PERSONALITY,
        counters: emp_mini::COUNTERS,
        // The request has one section for both.
        request: None,
        make: |core, reply| Ok(Rc::new(Emp::new(core, reply, Some(Translations::new(core, reply)?))?)),
    };

    fn new(core: &Core, reply: &Reply, translations: Option<Translations>) -> Result<Emp, DriverError> {
        let MessagesReply { descriptors } = reply.section()?;
        let descriptors = reply.place("descriptors", descriptors, BANKS_BYTES as usize, BANK_BYTES)?;
        Ok(Emp { core: core.clone(), descriptors, translations })
    }

    /// SRAM address of the first bank of descriptors.
    pub fn descriptors(&self) -> SramAddr {
        self.descriptors
    }

    /// The translations, if processes post virtual addresses.
    pub fn translations(&self) -> Option<&Translations> {
        self.translations.as_ref()
    }

    /// Microseconds until a collection that was not acknowledged is sent again for the first time;
    /// 0 if the firmware's default holds.
    pub fn resend_us(&self) -> u64 {
        self.core.context.options().messages.map_or(0, |messages| messages.resend_us)
    }

    /// System call `mlock`: the pages of these bytes stay in memory until the process ends (facts
    /// E-15).
    ///
    /// # Errors
    /// The process has ended, has no such page, or may not lock so many.
    pub async fn lock(&self, cpu: &Cpu, pid: Pid, start: UserVirt, bytes: u32) -> Result<(), DriverError> {
        self.core.context.system_call(cpu).await;
        self.pin(cpu, pid, &pages_of(start, bytes).collect::<Vec<_>>()).await
    }

    /// System call `mlockall`: every page that the process has reserved stays in memory until the
    /// process ends (facts E-15). What it reserves later is not locked.
    ///
    /// # Errors
    /// The process has ended, or may not lock so many pages.
    pub async fn lock_all(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        let context = &self.core.context;
        context.system_call(cpu).await;
        let pages = context.memory().borrow().reserved_pages(pid);
        self.pin(cpu, pid, &pages).await
    }

    async fn pin(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage]) -> Result<(), DriverError> {
        let pins = &self.core.pins;
        let missing = pins.missing(pid, pages);
        pins.charge_pin(cpu, &missing).await;
        pins.pin(pid, pages);
        pins.all(pid, pages)?;
        Ok(())
    }

    /// The ioctl of the driver: the pages of these bytes, by their physical addresses, in order
    /// (facts E-14). The first and the last may be shorter than a page.
    ///
    /// # Errors
    /// [`DriverError::NotLocked`]: a page may go at any time.
    pub async fn translate(&self, cpu: &Cpu, pid: Pid, start: UserVirt, bytes: u32) -> Result<Vec<Page>, DriverError> {
        let Core { context, pins, .. } = &self.core;
        context.system_call(cpu).await;
        let (mut pages, mut at, mut left) = (Vec::new(), start, bytes);
        while left > 0 {
            let in_page = at.offset_in_page() as u32;
            let run = (PAGE_BYTES - in_page).min(left);
            let frame = pins.get(pid, at.page()).ok_or(DriverError::NotLocked { address: at })?;
            let address = frame.start().on_bus().0 + in_page;
            pages.push(Page { address: address.into(), bytes: run as u16 });
            (at, left) = (at + run, left - run);
        }
        Ok(pages)
    }
}

#[async_trait(?Send)]
impl Service for Emp {
    fn processes_max(&self) -> usize {
        1
    }

    fn causes(&self) -> u32 {
        self.translations.as_ref().map_or(0, |_| Translations::CAUSES)
    }

    fn start(self: Rc<Self>) {
        if let Some(translations) = &self.translations {
            translations.start();
        }
    }

    async fn interrupt(&self, interrupt: &Interrupt<'_>) -> Result<(), DriverError> {
        match &self.translations {
            Some(translations) => translations.take(interrupt).await,
            None => Ok(()),
        }
    }

    /// The NIC looks addresses up in the space of this process from now on.
    async fn admit(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        match &self.translations {
            Some(_) => self.core.commands.send(cpu, admit(pid.0)).await,
            None => Ok(()),
        }
    }

    /// Gives every message of the process up. The fence that follows waits for what was begun.
    ///
    /// The NIC tells peers of these messages, and a peer may be silent: it is dead, or it has
    /// started again and takes nothing of the time before.
    async fn hide(&self, cpu: &Cpu, _pid: Pid) -> Result<(), DriverError> {
        let told = u64::from(ABORTS_MAX + 1) * self.resend_us() * 3 / 2
            + TELL_CYCLES * u64::from(SEND_DESCRIPTORS) * 1_000_000 / self.core.context.platform().core.clock_hz;
        // A post that the NIC has not taken would begin after the NIC has said that all have ended.
        let posts = 1 << MAILBOX_SEND | 1 << MAILBOX_RECEIVE;
        self.core.commands.wait_for_mailboxes(cpu, posts, COMMAND_CLOSE).await?;
        self.core.commands.send_long(cpu, COMMAND_CLOSE, Ps::from_us(told)).await
    }

    async fn close(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        match &self.translations {
            Some(translations) => translations.lines.close(cpu, pid).await,
            None => Ok(()),
        }
    }

    async fn set_water_marks(&self, cpu: &Cpu, pid: Pid, marks: WaterMarks) -> Result<(), DriverError> {
        match &self.translations {
            Some(translations) => translations.lines.set_water_marks(cpu, pid, marks).await,
            None => Err(DriverError::NoWaterMarks),
        }
    }

    fn outstanding(&self) -> u32 {
        self.translations.as_ref().map_or(0, Translations::outstanding)
    }

    fn unbalanced(&self) -> Vec<String> {
        self.translations.as_ref().and_then(Translations::unbalanced).into_iter().collect()
    }
}
