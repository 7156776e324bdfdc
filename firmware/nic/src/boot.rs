//! The handshake with the driver through the boot block.

use nic_layout::boot::{
    BootError, CrashRecord, SectionsWriter, BOOT_BLOCK_ADDRESS, BOOT_READY, BOOT_REFUSED, BOOT_REPLY_ADDRESS,
    CRASH_RECORD_ADDRESS, REPLY_SECTIONS_ADDRESS, REPLY_WORDS, REQUEST_WORDS,
};
use nic_layout::registers::ident;
use nic_layout::CORE_SRAM_BASE;

use crate::memory::{load, read_sram, wait_for_event, write_sram};

extern "C" {
    static _image_end: u8;
}

/// First byte of SRAM above the image, as an offset.
pub fn first_free() -> u32 {
    core::ptr::addr_of!(_image_end) as u32 - CORE_SRAM_BASE
}

/// Bytes of SRAM that the firmware may use: `allowed` by the driver, and no more than exist.
pub fn sram_bytes(allowed: u32) -> u32 {
    allowed.min(load(ident::SRAM_BYTES))
}

/// The words of the driver's request. Clears the crash record of an earlier run.
pub fn request() -> [u32; REQUEST_WORDS] {
    for word in 0..size_of::<CrashRecord>() as u32 / 4 {
        write_sram(CRASH_RECORD_ADDRESS + word * 4, 0);
    }
    request_again()
}

/// The same words. Core B reads them after core A.
pub fn request_again() -> [u32; REQUEST_WORDS] {
    core::array::from_fn(|word| read_sram(BOOT_BLOCK_ADDRESS + word as u32 * 4))
}

/// Answers as the firmware of a personality that is ready.
pub fn reply(personality: u32, mut sections: SectionsWriter<REPLY_WORDS>) {
    let Some(words) = sections.finish() else {
        refuse(BootError::ReplyTooLong);
    };
    for (word, &value) in words.iter().enumerate() {
        write_sram(REPLY_SECTIONS_ADDRESS + word as u32 * 4, value);
    }
    answer([BOOT_READY, 0, 0, personality]);
}

/// Answers with an error and waits for a reset.
pub fn refuse(error: BootError) -> ! {
    let [code, section] = error.words();
    answer([BOOT_REFUSED, code, section, 0]);
    loop {
        wait_for_event();
    }
}

/// Writes a `nic_layout::boot::ReplyState`, its state last.
fn answer(words: [u32; 4]) {
    for (word, &value) in words.iter().enumerate().rev() {
        write_sram(BOOT_REPLY_ADDRESS + word as u32 * 4, value);
    }
}
