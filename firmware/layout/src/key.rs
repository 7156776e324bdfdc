//! Protection keys (M-48): 64 or 128 bits, a parameter of the image. The boot reply says which, and
//! driver and library follow it.

/// A key as the host has it, low word first. Words beyond the width are 0.
pub type Key = [u32; 4];

/// The width of every key that an image knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyWidth {
    /// Two words.
    #[default]
    Bits64,
    /// Four words.
    Bits128,
}

impl KeyWidth {
    /// Every width.
    pub const ALL: [KeyWidth; 2] = [KeyWidth::Bits64, KeyWidth::Bits128];

    /// The width with so many bits, if there is one.
    pub const fn from_bits(bits: u32) -> Option<KeyWidth> {
        match bits {
            64 => Some(KeyWidth::Bits64),
            128 => Some(KeyWidth::Bits128),
            _ => None,
        }
    }

    /// The width of an image's build parameter.
    pub const fn built(bits: u32) -> KeyWidth {
        match KeyWidth::from_bits(bits) {
            Some(width) => width,
            None => panic!("a key has 64 or 128 bits"),
        }
    }

    /// Bits of a key.
    pub const fn bits(self) -> u32 {
        match self {
            KeyWidth::Bits64 => 64,
            KeyWidth::Bits128 => 128,
        }
    }

    /// Words of a key.
    pub const fn words(self) -> usize {
        self.bits() as usize / 32
    }

    /// Whether a key has 128 bits.
    pub const fn is_wide(self) -> bool {
        matches!(self, KeyWidth::Bits128)
    }

    /// What of a key has this width.
    pub const fn cut(self, key: Key) -> Key {
        match self {
            KeyWidth::Bits64 => [key[0], key[1], 0, 0],
            KeyWidth::Bits128 => key,
        }
    }

    /// What a frame, a descriptor or an import has more than with a key of 64 bits.
    pub const fn upper_bytes(self) -> u32 {
        self.bits() / 8 - 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_two_widths() {
        for width in KeyWidth::ALL {
            assert_eq!(KeyWidth::from_bits(width.bits()), Some(width));
            assert_eq!(width.words() as u32 * 4, 8 + width.upper_bytes());
        }
        assert_eq!([0, 32, 96, 256].map(KeyWidth::from_bits), [None; 4]);
    }
}
