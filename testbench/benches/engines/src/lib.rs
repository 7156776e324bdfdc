//! Benches that hold the DMA engines and the MAC to their word, without the rest of the NIC.
//!
//! Each bench owns a verilated model, plays its neighbours (SRAM, PCI master, register bus, link) at a pace that a test
//! chooses, and logs what it sees. It judges nothing: that is the tests' part. Handshake rules are watched by
//! the checkers in the models; where one fires, the bench panics with the rule, the time and the seed.

pub mod dma;
pub mod ethernet;
pub mod mac;
pub mod memory;

verilated::include_model!("BenchDma");
verilated::include_model!("BenchMac");
verilated::include_model!("PartAlign");
verilated::include_model!("PartQueue");
verilated::include_model!("PartShare");
verilated::include_model!("PartRing");
verilated::include_model!("PartTx");

use std::path::PathBuf;

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The one source of chance in a bench.
pub struct Chance(ChaCha8Rng);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(ChaCha8Rng::seed_from_u64(seed))
    }

    pub fn percent(&mut self, percent: u32) -> bool {
        percent >= 100 || self.0.next_u32() % 100 < percent
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        self.0.next_u32() % bound
    }

    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.fill_bytes(&mut bytes);
        bytes
    }
}

/// Where the waves of a bench go: into the folder that BENCH_WAVES names, if it is set.
fn waves(model: &str, seed: u64) -> Option<PathBuf> {
    std::env::var_os("BENCH_WAVES").map(|folder| PathBuf::from(folder).join(format!("{model}-{seed}.fst")))
}

/// What to do when a bench stops.
const REMEDY: &str = "run this test alone with BENCH_WAVES=FOLDER to have waves";

/// The level that the pin of one bit of a bus carries.
fn bit(bus: u8, number: usize) -> bool {
    bus >> number & 1 != 0
}
