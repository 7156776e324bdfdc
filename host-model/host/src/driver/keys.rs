//! Protection keys (facts M-48, INV-23): from a cryptographic generator, seeded by the run.

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::address::NodeId;

pub struct KeySource(ChaCha20Rng);

/// Keeps this stream apart from others of the same seed.
const DOMAIN: u64 = 0x4B45_5953;

impl KeySource {
    /// Each node and each incarnation of the cluster has a stream of its own.
    pub fn new(seed: u64, node: NodeId, session: u32) -> KeySource {
        let mut key = [0; 32];
        for (part, value) in [seed, DOMAIN, node.0.into(), session.into()].into_iter().enumerate() {
            key[part * 8..][..8].copy_from_slice(&value.to_le_bytes());
        }
        KeySource(ChaCha20Rng::from_seed(key))
    }

    /// Low word first.
    pub fn next_key(&mut self) -> [u32; 2] {
        [self.0.next_u32(), self.0.next_u32()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_between_buffers_nodes_sessions_and_seeds() {
        let mut keys = std::collections::BTreeSet::new();
        for seed in 0..3 {
            for node in 0..3 {
                for session in 0..3 {
                    let mut source = KeySource::new(seed, NodeId(node), session);
                    for _ in 0..10 {
                        assert!(keys.insert(source.next_key()));
                    }
                }
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_keys() {
        let keys = |seed| KeySource::new(seed, NodeId(1), 0).next_key();
        assert_eq!(keys(7), keys(7));
    }
}
