//! The handshake with the driver through the boot block.

use nic_layout::boot::{
    BootError, BootReply, BootRequest, CrashRecord, BOOT_BLOCK_ADDRESS, BOOT_REFUSED, BOOT_REPLY_ADDRESS,
    CRASH_RECORD_ADDRESS,
};
use nic_layout::registers::ident;
use nic_layout::CORE_SRAM_BASE;
use zerocopy::transmute;

use crate::memory::{load, read_sram, wait_for_event, write_sram};

extern "C" {
    static _image_end: u8;
}

const REQUEST_WORDS: usize = size_of::<BootRequest>() / 4;
const REPLY_WORDS: usize = size_of::<BootReply>() / 4;

/// First byte of SRAM above the image, as an offset.
pub fn first_free() -> u32 {
    core::ptr::addr_of!(_image_end) as u32 - CORE_SRAM_BASE
}

/// Bytes of SRAM that the driver lets the firmware use, and that exist.
pub fn sram_bytes(request: &BootRequest) -> u32 {
    request.sram_bytes.min(load(ident::SRAM_BYTES))
}

/// What the driver asks. Clears the crash record of an earlier run.
pub fn request() -> BootRequest {
    for word in 0..size_of::<CrashRecord>() as u32 / 4 {
        write_sram(CRASH_RECORD_ADDRESS + word * 4, 0);
    }
    let words: [u32; REQUEST_WORDS] = core::array::from_fn(|word| read_sram(BOOT_BLOCK_ADDRESS + word as u32 * 4));
    transmute!(words)
}

/// Answers; `state` comes last.
pub fn reply(reply: BootReply) {
    let words: [u32; REPLY_WORDS] = transmute!(reply);
    for (word, &value) in words.iter().enumerate().rev() {
        write_sram(BOOT_REPLY_ADDRESS + word as u32 * 4, value);
    }
}

/// Answers with an error and waits for a reset.
pub fn refuse(error: BootError) -> ! {
    let words = [BOOT_REFUSED, error as u32];
    write_sram(BOOT_REPLY_ADDRESS + 4, words[1]);
    write_sram(BOOT_REPLY_ADDRESS, words[0]);
    loop {
        wait_for_event();
    }
}
