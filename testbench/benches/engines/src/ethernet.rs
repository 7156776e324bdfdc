//! Encodes and decodes frames on GMII, byte by byte from IEEE 802.3 clauses 3 and 35, independently
//! of the RTL.

pub use sim_pins::{LinkSymbol, LINK_IDLE};

/// The least bytes of a frame without its FCS (IEEE 802.3, 3.2.8).
pub const MIN_BYTES: usize = 60;
/// The bytes of the frame check sequence.
pub const FCS_BYTES: usize = 4;

/// The frame check sequence, computed bit by bit as IEEE 802.3, 3.2.9 defines it. Its low byte is
/// sent first.
pub fn fcs(data: &[u8]) -> u32 {
    let mut remainder = u32::MAX;
    for byte in data {
        for k in 0..8 {
            let feedback = (remainder ^ (*byte as u32 >> k)) & 1 != 0;
            remainder >>= 1;
            if feedback {
                remainder ^= 0xEDB8_8320;
            }
        }
    }
    !remainder
}

/// A frame: the data, padded with zeros to the least size, and the FCS.
pub fn frame(data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    bytes.resize(data.len().max(MIN_BYTES), 0);
    with_fcs(bytes)
}

/// The bytes with their FCS behind them, at any length.
pub fn with_fcs(mut bytes: Vec<u8>) -> Vec<u8> {
    let check = fcs(&bytes);
    bytes.extend(check.to_le_bytes());
    bytes
}

const fn symbol(data: u8) -> LinkSymbol {
    LinkSymbol { data, enable: true, error: false }
}

/// The symbols of a frame: a preamble of this many bytes, the start frame delimiter, and the bytes.
pub fn symbols(preamble_bytes: usize, bytes: &[u8]) -> Vec<LinkSymbol> {
    let mut out = vec![symbol(0x55); preamble_bytes];
    out.push(symbol(0xD5));
    out.extend(bytes.iter().map(|byte| symbol(*byte)));
    out
}

/// A run of enabled symbols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Burst {
    /// The number of idle symbols before it.
    pub gap: usize,
    /// The bytes, from the first byte of the preamble on.
    pub bytes: Vec<u8>,
    /// The number of symbols with the error signal.
    pub errors: usize,
    /// Whether an idle symbol followed.
    pub complete: bool,
}

/// Finds the bursts in a sequence of symbols.
pub fn bursts(sent: &[LinkSymbol]) -> Vec<Burst> {
    let mut found: Vec<Burst> = Vec::new();
    let mut gap = 0;
    for one in sent {
        match (one.enable, found.last_mut().filter(|burst| !burst.complete)) {
            (false, Some(burst)) => {
                burst.complete = true;
                gap = 1;
            }
            (false, None) => gap += 1,
            (true, Some(burst)) => {
                burst.bytes.push(one.data);
                burst.errors += one.error as usize;
            }
            (true, None) => {
                found.push(Burst { gap, bytes: vec![one.data], errors: one.error as usize, complete: false });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fcs_of_nine_digits_is_the_published_one() {
        assert_eq!(fcs(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn bursts_are_what_symbols_made() {
        let mut sent = vec![LINK_IDLE; 3];
        sent.extend(symbols(7, &[1, 2]));
        sent.extend([LINK_IDLE; 12]);
        sent.extend(symbols(7, &[3]));
        let found = bursts(&sent);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].gap, found[0].complete, found[1].gap, found[1].complete), (3, true, 12, false));
        assert_eq!(found[0].bytes[7..], [0xD5, 1, 2]);
    }
}
