//! Checks that only described bytes leave a node (INV-25): the data of each frame, and zeros behind
//! them.

use nic_layout::frame::link::FrameKind;
use nic_layout::frame::rdma::{header_bytes, Packet};

/// Bytes of the FCS, which ends a captured frame.
const FCS_BYTES: usize = 4;

/// The result of judging the frames that a node sent.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Judged {
    /// Data bytes that were compared.
    pub data_bytes: u64,
    /// Bytes behind the data that are zero: padding of short frames.
    pub padding_bytes: u64,
    /// A text for the first byte of each frame that no described buffer holds.
    pub broken: Vec<String>,
}

impl Judged {
    /// Judges one frame, from the destination address to the FCS.
    ///
    /// `described` gets a message, an offset in the remote buffer and a length, and returns the
    /// bytes that the message's post describes there; `None` if it describes none. Frames of other
    /// protocols are not judged.
    pub fn add(&mut self, contents: &[u8], described: impl Fn(u32, u32, usize) -> Option<Vec<u8>>) {
        let Some(frame) = contents.len().checked_sub(FCS_BYTES).map(|end| &contents[..end]) else { return };
        let Ok(packet) = Packet::new_checked(frame) else { return };
        if !packet.is_ours() {
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
