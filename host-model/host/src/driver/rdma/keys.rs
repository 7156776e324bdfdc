//! Protection keys (facts M-48, INV-23): from a cryptographic generator, seeded by the run.

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;

use nic_layout::key::{Key, KeyWidth};

use crate::address::NodeId;

/// The source of one node's protection keys: a ChaCha20 stream.
pub struct KeySource(ChaCha20Rng);

/// Keeps this stream apart from others of the same seed.
const DOMAIN: u64 = 0x4B45_5953;

impl KeySource {
    /// Each node and each incarnation of it has a stream of its own.
    pub fn new(seed: u64, node: NodeId, session: u32) -> KeySource {
        let mut key = [0; 32];
        for (part, value) in [seed, DOMAIN, node.0.into(), session.into()].into_iter().enumerate() {
            key[part * 8..][..8].copy_from_slice(&value.to_le_bytes());
        }
        KeySource(ChaCha20Rng::from_seed(key))
    }

    /// Each bit of it is drawn.
    pub fn next_key(&mut self, width: KeyWidth) -> Key {
        let mut key = Key::default();
        key[..width.words()].fill_with(|| self.0.next_u32());
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bit_of_a_key_stands_still() {
        for width in KeyWidth::ALL {
            let mut source = KeySource::new(1, NodeId(0), 0);
            let (mut ones, mut zeros) = (Key::default(), Key::default());
            for _ in 0..64 {
                let key = source.next_key(width);
                for (word, (ones, zeros)) in key.iter().zip(ones.iter_mut().zip(&mut zeros)) {
                    (*ones, *zeros) = (*ones | *word, *zeros | !*word);
                }
            }
            assert_eq!((ones, zeros), (width.cut([u32::MAX; 4]), [u32::MAX; 4]), "{width:?}");
        }
    }

    #[test]
    fn keys_differ_between_buffers_nodes_sessions_and_seeds() {
        let mut keys = std::collections::BTreeSet::new();
        for seed in 0..3 {
            for node in 0..3 {
                for session in 0..3 {
                    let mut source = KeySource::new(seed, NodeId(node), session);
                    for _ in 0..10 {
                        let key = source.next_key(KeyWidth::Bits128);
                        // Each half is a key.
                        assert!(keys.insert([key[0], key[1]]) && keys.insert([key[2], key[3]]));
                    }
                }
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_keys() {
        let keys = |seed| KeySource::new(seed, NodeId(1), 0).next_key(KeyWidth::Bits128);
        assert_eq!(keys(7), keys(7));
    }
}
