//! Frames of EMP with one false field and a good FCS, as a broken or hostile neighbour sends them.
//!
//! The FCS is linear: a frame keeps a good FCS if what it is changed by is a multiple of the
//! polynomial. So a changed field needs four more changed bytes behind it, whatever the frame.

use rand_chacha::rand_core::RngCore;
use rand_chacha::ChaCha8Rng;
use sim_fabric::{Fate, Fault};

/// The name of the layer in counts.
pub const NAME: &str = "forgery";

/// Bytes of preamble before a frame.
const PREAMBLE_BYTES: usize = 8;
/// The offset of the four bytes that make the FCS good again: in the data or the padding of every
/// frame.
const MEND: usize = 56;

/// A field by its offset, and what is changed in it. None of these frames may count as one of its
/// message: the header contradicts itself, or names what cannot be.
const FORGERIES: [(usize, u8); 6] = [
    // The kind becomes none.
    (14, 0x15),
    // Another protocol.
    (14, 0x80),
    // A node that the address of the source contradicts.
    (16, 0x01),
    // A session that it contradicts.
    (17, 0x10),
    // 512 bytes of data more or fewer.
    (19, 0x02),
    // A number of a message that is 32 768 away.
    (21, 0x80),
];

/// Forges a share of the frames.
pub struct Forgery {
    /// The share.
    pub probability: f64,
}

/// Register of CRC-32 (IEEE 802.3) behind bytes, from 0 on.
fn crc(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 != 0 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    })
}

/// What is changed in a frame: offsets from the first byte of the preamble.
fn changes(at: usize, bits: u8) -> Vec<(u32, u8)> {
    let mut frame = [0; MEND];
    frame[at] = bits;
    let mend = crc(&frame).to_le_bytes();
    let place = |offset: usize| (PREAMBLE_BYTES + offset) as u32;
    let mut changes = vec![(place(at), bits)];
    changes.extend(mend.into_iter().zip(MEND..).map(|(bits, offset)| (place(offset), bits)));
    changes
}

impl Fault for Forgery {
    fn name(&self) -> &str {
        NAME
    }

    fn fate(&mut self, _: u64, random: &mut ChaCha8Rng) -> Fate {
        let share = f64::from(random.next_u32()) / f64::from(u32::MAX);
        if share >= self.probability {
            return Fate::Pass;
        }
        let (at, bits) = FORGERIES[random.next_u32() as usize % FORGERIES.len()];
        Fate::Corrupt(changes(at, bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forged_frame_has_a_good_fcs() {
        let frame: Vec<u8> = (0..90u8).map(|byte| byte.wrapping_mul(7)).collect();
        for (at, bits) in FORGERIES {
            let mut forged = frame.clone();
            for (offset, bits) in changes(at, bits) {
                forged[offset as usize - PREAMBLE_BYTES] ^= bits;
            }
            assert_ne!(forged, frame);
            // The FCS is a function of the register.
            assert_eq!(crc(&forged), crc(&frame), "{at}");
        }
    }
}
