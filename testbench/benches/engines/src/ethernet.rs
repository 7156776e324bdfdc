//! Frames on GMII, encoded and decoded byte by byte from IEEE 802.3 clauses 3 and 35, independent of the RTL.

pub use sim_pins::{LinkSymbol, LINK_IDLE};

pub const MIN_BYTES: usize = 60;
pub const FCS_BYTES: usize = 4;

/// The frame check sequence, bit by bit as 3.2.9 defines it, as the number whose low byte is sent first.
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

/// Data, zero padding to the least size, FCS.
pub fn frame(data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    bytes.resize(data.len().max(MIN_BYTES), 0);
    with_fcs(bytes)
}

/// The FCS behind whatever is there.
pub fn with_fcs(mut bytes: Vec<u8>) -> Vec<u8> {
    let check = fcs(&bytes);
    bytes.extend(check.to_le_bytes());
    bytes
}

const fn symbol(data: u8) -> LinkSymbol {
    LinkSymbol { data, enable: true, error: false }
}

/// Preamble of so many bytes, start frame delimiter, and bytes.
pub fn symbols(preamble_bytes: usize, bytes: &[u8]) -> Vec<LinkSymbol> {
    let mut out = vec![symbol(0x55); preamble_bytes];
    out.push(symbol(0xD5));
    out.extend(bytes.iter().map(|byte| symbol(*byte)));
    out
}

/// A stretch of enabled symbols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Burst {
    /// Idle symbols before it.
    pub gap: usize,
    /// From the first byte of the preamble.
    pub bytes: Vec<u8>,
    pub errors: usize,
    pub complete: bool,
}

/// Finds the bursts in what was sent.
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
