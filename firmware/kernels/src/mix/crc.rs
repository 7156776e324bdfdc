//! The CRC-32 of Ethernet (IEEE 802.3) over 1500 bytes, a table entry for each byte.

use crate::noise::Noise;
use crate::{Data, Kernel};

/// Bytes of the frame.
pub const BYTES: usize = 1500;

/// The data of [`Crc`]. `struct checked` in C has the same layout.
#[repr(C)]
pub struct Checked {
    /// The CRC of each byte, for the reflected polynomial `0xEDB8_8320`.
    pub table: [u32; 256],
    /// The frame: noise.
    pub bytes: [u8; BYTES],
}

// SAFETY: integers.
unsafe impl Data for Checked {}

/// Computes the CRC of [`BYTES`] bytes and returns it.
pub struct Crc;

impl Kernel for Crc {
    const NAME: &'static str = "crc";
    type Data = Checked;

    fn prepare(data: &mut Checked) {
        for (byte, entry) in data.table.iter_mut().enumerate() {
            *entry = (0..8).fold(byte as u32, |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 });
        }
        let mut noise = Noise::new(3);
        data.bytes.fill_with(|| (noise.next() >> 24) as u8);
    }

    fn run(data: &mut Checked) -> u32 {
        !data.bytes.iter().fold(!0, |crc: u32, &byte| data.table[(crc as u8 ^ byte) as usize] ^ crc >> 8)
    }
}
