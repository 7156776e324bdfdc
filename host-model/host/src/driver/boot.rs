//! Starting the NIC: firmware into SRAM with the core held, parameters, release, answer.

use nic_layout::boot::{
    BootReply, BootRequest, CrashRecord, BOOT_BLOCK_ADDRESS, BOOT_MAGIC, BOOT_READY, BOOT_REFUSED, BOOT_REPLY_ADDRESS,
    CAUSE_CRASH, CRASH_RECORD_ADDRESS, LAYOUT_VERSION,
};
use nic_layout::counter::Counter;
use nic_layout::keeper::{self, KeeperReply, KeeperRequest, KEEPER_MAGIC};
use nic_layout::registers::{ident, interrupt};
use nic_layout::ring::{MAILBOX_COMMAND_DONE, MAILBOX_MISS, MAILBOX_NOTIFY};
use sim_pins::Ps;
use zerocopy::IntoBytes;

use super::cbh_table::CbhShadow;
use super::device::{words_of, Device};
use super::enumerate::enumerate;
use super::error::DriverError;
use super::layout::{LookupLayout, NicLayout};
use super::static_tables::StaticTables;
use super::vmh_table::Shadow;
use super::{Driver, DriverOptions, MissService};
use crate::address::SramAddr;
use crate::elf::{self, Image};
use crate::events::{EventKind, Subject};
use crate::platform::Platform;
use crate::processor::Priority;

/// How much of the firmware the driver reads back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verify {
    Nothing,
    /// One word in [`SAMPLE_WORDS`], and the last of each segment.
    Sample,
    Whole,
}

pub const SAMPLE_WORDS: usize = 64;

/// The driver looks for the firmware's answer so often.
const BOOT_POLL: Ps = Ps::from_us(10);

/// Core B adds up the counters so long after core A was busy.
const KEEPER_PERIOD_US: u64 = 100;

impl Driver {
    /// Brings the NIC up with the firmware in `file`, an ELF image. Call it once.
    pub async fn start(&self, file: &[u8]) -> Result<(), DriverError> {
        self.start_cores(file, None).await
    }

    /// The same for a NIC with two cores: `second` is the image of core B, which starts when core A is ready.
    pub async fn start_pair(&self, file: &[u8], second: &[u8]) -> Result<(), DriverError> {
        self.start_cores(file, Some(second)).await
    }

    async fn start_cores(&self, file: &[u8], second: Option<&[u8]>) -> Result<(), DriverError> {
        assert!(self.0.resources.get().is_none(), "the driver is started once");
        let cpu = self.cpu("driver", Priority::KernelThread);
        let device = enumerate(&self.pio(&cpu), &self.0.platform).await?;
        let set = self.0.resources.set(device.resources);
        debug_assert!(set.is_ok());
        self.note(Subject::Boot, EventKind::ResourcesAssigned);

        let image = elf::read(file, device.resources.sram_bytes)?;
        device.write(ident::CORE_CONTROL, ident::CoreControl(0)).await;
        self.load(&device, &image).await?;
        let second = match second {
            Some(file) => Some(self.load_core_b(&device, &image, file).await?),
            None => None,
        };
        device.write(ident::BOOT_ADDRESS, image.entry).await;
        device.write_struct(SramAddr(CRASH_RECORD_ADDRESS), &CrashRecord::default()).await;
        device.write_sram(SramAddr(BOOT_REPLY_ADDRESS), &[0; size_of::<BootReply>() / 4]).await;
        device.write_struct(SramAddr(BOOT_BLOCK_ADDRESS), &boot_request(&self.0.platform, &self.0.options)).await;
        device.write(interrupt::ENABLE, 0).await;
        device.write(ident::CORE_CONTROL, ident::CoreControl(0).with_run_a(true)).await;
        self.note(Subject::Boot, EventKind::CoreReleased);

        let reply = self.await_reply(&device).await?;
        let fetches = self.0.options.miss_service == MissService::Nic;
        let layout = NicLayout::check(&reply, device.resources.sram_bytes, fetches)?;
        let set = self.0.layout.set(layout);
        debug_assert!(set.is_ok());
        self.0.queues.start(layout.post_queue_count);
        {
            let mut state = self.0.state.borrow_mut();
            match layout.lookup {
                LookupLayout::Mini(caches) => {
                    state.shadow = Some(Shadow::new(caches.geometry));
                    state.cbh_shadow = Some(CbhShadow::new(caches.cbh_geometry));
                }
                LookupLayout::Vmmc(tables) => state.static_tables = Some(StaticTables::new(tables.geometry)),
            }
        }
        if let Some(image) = second {
            self.start_core_b(&device, &image, layout.counters).await?;
        }
        self.spawn_interrupt_handler();
        self.spawn_miss_thread();
        let causes = 1 << MAILBOX_MISS | 1 << MAILBOX_COMMAND_DONE | 1 << MAILBOX_NOTIFY | 1 << CAUSE_CRASH;
        device.write(interrupt::ENABLE, causes).await;
        if let Some(lost) = self.0.port.posted_faults().first() {
            return Err(DriverError::Posted { address: lost.address, fault: lost.fault });
        }
        self.0.ready.set(true);
        self.note(Subject::Boot, EventKind::FirmwareReady);
        Ok(())
    }

    async fn load(&self, device: &Device, image: &Image) -> Result<(), DriverError> {
        for segment in &image.segments {
            device.write_sram(segment.address, &words_of(segment.bytes.as_bytes())).await;
        }
        self.note(Subject::Boot, EventKind::FirmwareLoaded);
        let step = match self.0.options.verify {
            Verify::Nothing => return Ok(()),
            Verify::Sample => SAMPLE_WORDS,
            Verify::Whole => 1,
        };
        for segment in &image.segments {
            let words = words_of(segment.bytes.as_bytes());
            let last = words.len() - 1;
            for index in (0..last).step_by(step).chain([last]) {
                let address = segment.address + 4 * index as u32;
                let (written, read) = (words[index], device.read_sram(address).await?);
                if read != written {
                    return Err(DriverError::VerifyFailed { address, written, read });
                }
            }
        }
        self.note(Subject::Boot, EventKind::FirmwareVerified);
        Ok(())
    }

    /// Holds every core in reset. What they were doing is lost; the engines go on.
    pub async fn stop(&self) -> Result<(), DriverError> {
        let cpu = self.cpu("driver", Priority::KernelThread);
        self.device(&cpu)?.write(ident::CORE_CONTROL, ident::CoreControl(0)).await;
        self.0.ready.set(false);
        Ok(())
    }

    /// Before core A runs: it is told of an SRAM that ends below the area of core B.
    async fn load_core_b(&self, device: &Device, first: &Image, file: &[u8]) -> Result<Image, DriverError> {
        let cores = device.read(ident::CAPABILITIES).await?.cores();
        if cores < 2 || self.0.platform.core.count < 2 {
            return Err(DriverError::NoCoreB { cores });
        }
        let image = elf::read(file, device.resources.sram_bytes)?;
        let area = keeper::AREA_ADDRESS + keeper::IMAGE..keeper::AREA_ADDRESS + keeper::AREA_BYTES;
        for (image, should) in [(&image, true), (first, false)] {
            for segment in &image.segments {
                let end = segment.address.0 + segment.bytes.len() as u32;
                let inside = segment.address.0 >= area.start && end <= area.end;
                if inside != should {
                    return Err(DriverError::WrongCore { address: segment.address });
                }
            }
        }
        self.load(device, &image).await?;
        Ok(image)
    }

    async fn start_core_b(&self, device: &Device, image: &Image, counters: SramAddr) -> Result<(), DriverError> {
        let area = SramAddr(keeper::AREA_ADDRESS);
        let request = KeeperRequest {
            magic: KEEPER_MAGIC,
            layout_version: LAYOUT_VERSION,
            counters: counters.0,
            period_cycles: self.0.platform.core_cycles(KEEPER_PERIOD_US),
        };
        device.write_struct(area + keeper::CRASH, &CrashRecord::default()).await;
        device.write_struct(area + keeper::REPLY, &KeeperReply::default()).await;
        device.write_sram(area + keeper::TOTALS, &[0; 2 * Counter::COUNT]).await;
        device.write_struct(area + keeper::REQUEST, &request).await;
        device.write(ident::BOOT_ADDRESS_B, image.entry).await;
        device.write(ident::CORE_CONTROL, ident::CoreControl(0).with_run_a(true).with_run_b(true)).await;
        self.0.has_core_b.set(true);
        let end = self.0.sim.now() + self.0.options.boot_timeout;
        loop {
            let reply: KeeperReply = device.read_struct(area + keeper::REPLY).await?;
            match reply.state {
                BOOT_READY => return Ok(()),
                BOOT_REFUSED => return Err(DriverError::BootRefused { error: reply.error }),
                _ => {}
            }
            self.look_for_crash(device).await?;
            if self.0.sim.now() >= end {
                return Err(DriverError::BootTimeout { after: self.0.options.boot_timeout, state: reply.state });
            }
            self.0.sim.sleep_for(BOOT_POLL).await;
        }
    }

    /// The record of either core is the error.
    pub(super) async fn look_for_crash(&self, device: &Device) -> Result<(), DriverError> {
        let crash: CrashRecord = device.read_struct(SramAddr(CRASH_RECORD_ADDRESS)).await?;
        if crash.kind != 0 {
            self.0.crashed.set(Some(crash));
            return Err(DriverError::Crashed(crash));
        }
        if self.0.has_core_b.get() {
            let crash: CrashRecord = device.read_struct(SramAddr(keeper::AREA_ADDRESS + keeper::CRASH)).await?;
            if crash.kind != 0 {
                self.0.crashed_b.set(Some(crash));
                return Err(DriverError::CrashedB(crash));
            }
        }
        Ok(())
    }

    /// Polls: interrupts are not set up yet.
    async fn await_reply(&self, device: &Device) -> Result<BootReply, DriverError> {
        let address = SramAddr(BOOT_REPLY_ADDRESS);
        let end = self.0.sim.now() + self.0.options.boot_timeout;
        loop {
            let state = device.read_sram(address).await?;
            if state == BOOT_READY || state == BOOT_REFUSED {
                // `state` is written last, so the rest is there.
                let reply: BootReply = device.read_struct(address).await?;
                return match state {
                    BOOT_READY => Ok(reply),
                    _ => Err(DriverError::BootRefused { error: reply.error }),
                };
            }
            let late = self.0.sim.now() >= end;
            self.look_for_crash(device).await?;
            if late {
                return Err(DriverError::BootTimeout { after: self.0.options.boot_timeout, state });
            }
            self.0.sim.sleep_for(BOOT_POLL).await;
        }
    }
}

/// What the driver asks of the firmware. Public, because the firmware's memory map follows from it.
pub fn boot_request(platform: &Platform, options: &DriverOptions) -> BootRequest {
    BootRequest {
        magic: BOOT_MAGIC,
        layout_version: LAYOUT_VERSION,
        node: options.node.0.into(),
        node_count: options.node_count,
        core_hz: platform.core.clock_hz as u32,
        // Above lies the area of core B.
        sram_bytes: platform.sram.bytes - if platform.core.count > 1 { keeper::AREA_BYTES } else { 0 },
        frame_data_bytes_max: platform.link.frame_data_bytes_max,
        tx_buffer_count: platform.buffers.tx_count,
        rx_buffer_count: platform.buffers.rx_count,
        buffer_bytes: platform.buffers.bytes,
        retransmit_cycles: platform.core_cycles(platform.protocol.retransmit_us),
        retransmit_limit: platform.protocol.retransmit_limit,
        ack_frames: platform.protocol.ack_frames,
        ack_cycles: platform.core_cycles(platform.protocol.ack_us),
        host_pages: platform.host_pages(),
        session: options.session,
        receive_miss: options.receive_miss as u32,
        held_frames_max: options.held_frames_max,
        vmh_tables_max: options.static_tables.vmh_tables,
        cbh_entries_max: options.static_tables.cbh_entries,
        import_entries_max: options.static_tables.import_entries,
        post_queues: options.post_queues.unwrap_or(0),
        fetches_translations: u32::from(options.miss_service == MissService::Nic),
    }
}
