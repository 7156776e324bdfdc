//! Whether only described bytes leave a node (INV-25): the data of each frame, and zeros behind it.

use nic_layout::frame::link::FrameKind;
use nic_layout::frame::rdma::{header_bytes, Packet};

/// Bytes of the FCS, which ends a captured frame.
const FCS_BYTES: usize = 4;

/// What was judged of the frames that a node sent.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Judged {
    /// Data bytes that were compared.
    pub data_bytes: u64,
    /// Bytes behind the data that are zero: padding of short frames.
    pub padding_bytes: u64,
    /// Bytes that stand in no described buffer, in words; the first of each frame.
    pub broken: Vec<String>,
}

impl Judged {
    /// Judges one frame, from the destination address to the FCS. `described` gives the bytes that
    /// message, offset in the remote buffer and length describe; `None` if that message has no such
    /// bytes. Frames of other protocols are left alone.
    pub fn add(&mut self, contents: &[u8], described: impl Fn(u32, u32, usize) -> Option<Vec<u8>>) {
        let Some(frame) = contents.len().checked_sub(FCS_BYTES).map(|end| &contents[..end]) else { return };
        let Ok(packet) = Packet::new_checked(frame) else { return };
        if packet.ethertype() != ethertype(packet.key_width()) {
            return;
        }
        let (message, offset, data) = (packet.message(), packet.buffer_offset(), packet.data());
        let carries_data = [FrameKind::WRITE, FrameKind::REPLY].contains(&packet.kind());
        if carries_data && !data.is_empty() {
            let found = match described(message, offset, data.len()) {
                Some(expected) => data.iter().zip(&expected).position(|(sent, described)| sent != described),
                None => Some(0),
            };
            if let Some(at) = found {
                self.broken.push(format!(
                    "INV-25: byte {at} of frame {} of message {message} is {:#04x}, which no buffer describes",
                    packet.sequence(),
                    data[at]
                ));
            }
            self.data_bytes += data.len() as u64;
        }
        let padding = &frame[header_bytes(packet.key_width()) + data.len()..];
        if let Some(at) = padding.iter().position(|byte| *byte != 0) {
            self.broken.push(format!(
                "INV-25: byte {at} behind the data of frame {} is {:#04x}, not padding",
                packet.sequence(),
                padding[at]
            ));
        }
        self.padding_bytes += padding.len() as u64;
    }
}
