use std::fmt;

/// An IEEE 802 MAC address, in the order of the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MacAddress(pub [u8; 6]);

impl MacAddress {
    /// All bits of an address.
    pub const ALL_BITS: MacAddress = MacAddress([0xFF; 6]);

    /// The bits of the address that `mask` has too.
    pub fn masked(&self, mask: MacAddress) -> MacAddress {
        MacAddress(std::array::from_fn(|byte| self.0[byte] & mask.0[byte]))
    }

    /// The I/G bit is set: the frame is for a group of nodes (IEEE 802.3, 3.2.3).
    pub fn is_group(&self) -> bool {
        self.0[0] & 1 != 0
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02X}-{b:02X}-{c:02X}-{d:02X}-{e:02X}-{g:02X}")
    }
}
