//! Starting the NIC: firmware into SRAM with the core held, parameters, release, answer.

use nic_layout::boot::{
    CrashRecord, Head, Refusal, ReplyState, BOOT_BLOCK_ADDRESS, BOOT_READY, BOOT_REFUSED, BOOT_REPLY_ADDRESS,
    CRASH_RECORD_ADDRESS, REPLY_SECTIONS_ADDRESS, REPLY_WORDS,
};
use nic_layout::registers::{ident, interrupt};
use sim_pins::Ps;
use zerocopy::IntoBytes;

use super::context::Context;
use super::crash::look_for_crash;
use super::device::{words_of, Device};
use super::enumerate::enumerate;
use super::error::DriverError;
use super::layout::Reply;
use super::options::{Verify, SAMPLE_WORDS};
use super::request::boot_request;
use super::service::ServiceEntry;
use crate::address::SramAddr;
use crate::elf::{self, Image};
use crate::events::{EventKind, Subject};
use crate::processor::Cpu;

/// The driver finds the NIC, and gives it addresses.
pub async fn find(context: &Context, cpu: &Cpu) -> Result<Device, DriverError> {
    let device = enumerate(&context.pio(cpu), context.platform()).await?;
    context.set_resources(device.resources);
    context.note(Subject::Boot, EventKind::ResourcesAssigned);
    Ok(device)
}

/// Loads an image and reads back as much of it as the run asks for. No core runs.
pub async fn load(context: &Context, device: &Device, image: &Image) -> Result<(), DriverError> {
    for segment in &image.segments {
        device.write_sram(segment.address, &words_of(segment.bytes.as_bytes())).await;
    }
    context.note(Subject::Boot, EventKind::FirmwareLoaded);
    let step = match context.options().verify {
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
    context.note(Subject::Boot, EventKind::FirmwareVerified);
    Ok(())
}

/// Holds the cores and loads the image of core A.
pub async fn load_core_a(context: &Context, device: &Device, file: &[u8]) -> Result<Image, DriverError> {
    let image = elf::read(file, device.resources.sram_bytes)?;
    device.write(ident::CORE_CONTROL, ident::CoreControl(0)).await;
    load(context, device, &image).await?;
    Ok(image)
}

/// Gives the firmware of core A its parameters, with an offer for each of `services`, lets it run,
/// and waits for its answer.
pub async fn release(
    context: &Context,
    device: &Device,
    image: &Image,
    services: &[ServiceEntry],
) -> Result<Reply, DriverError> {
    device.write(ident::BOOT_ADDRESS, image.entry).await;
    device.write_struct(SramAddr(CRASH_RECORD_ADDRESS), &CrashRecord::default()).await;
    device.write_struct(SramAddr(BOOT_REPLY_ADDRESS), &ReplyState::default()).await;
    let request = boot_request(context.platform(), context.options(), services)
        .ok_or(DriverError::RequestTooLong { services: services.len() })?;
    device.write_sram(SramAddr(BOOT_BLOCK_ADDRESS), &request).await;
    device.write(interrupt::ENABLE, 0).await;
    device.write(ident::CORE_CONTROL, ident::CoreControl(0).with_run_a(true)).await;
    context.note(Subject::Boot, EventKind::CoreReleased);
    await_reply(context, device).await
}

/// Polls: interrupts are not set up yet.
async fn await_reply(context: &Context, device: &Device) -> Result<Reply, DriverError> {
    let address = SramAddr(BOOT_REPLY_ADDRESS);
    let timeout = context.options().boot_timeout;
    let end = context.sim().now() + timeout;
    loop {
        let state = device.read_sram(address).await?;
        if state == BOOT_READY || state == BOOT_REFUSED {
            // `state` is written last, so the rest is there.
            let reply: ReplyState = device.read_struct(address).await?;
            return match state {
                BOOT_READY => read_reply(device, reply.personality).await,
                _ => Err(DriverError::BootRefused(Refusal(reply.error))),
            };
        }
        let late = context.sim().now() >= end;
        look_for_crash(context, device, false).await?;
        if late {
            return Err(DriverError::BootTimeout { after: timeout, state });
        }
        wait_for_firmware(context).await;
    }
}

/// Reads the sections of a reply, as many words as its head says and its place has.
async fn read_reply(device: &Device, personality: u32) -> Result<Reply, DriverError> {
    let start = SramAddr(REPLY_SECTIONS_ADDRESS);
    let head: Head = device.read_struct(start).await?;
    let count = (head.bytes as usize / 4).min(REPLY_WORDS);
    let mut words = words_of(head.as_bytes());
    for index in words.len()..count {
        words.push(device.read_sram(start + 4 * index as u32).await?);
    }
    Reply::new(personality, words, device.resources.sram_bytes)
}

/// Until the driver looks again for an answer of firmware that starts.
pub async fn wait_for_firmware(context: &Context) {
    context.sim().sleep_for(Ps::from_ns(context.costs().boot_poll_ns)).await;
}
