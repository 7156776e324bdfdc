//! Benches that test the DMA engines and the MAC against their contracts, without the rest of the
//! NIC.
//!
//! Each bench owns a verilated model, acts as its neighbours (SRAM, PCI master, register bus, link)
//! at a pace that a test chooses, and logs its observations. The bench does not judge them; the
//! tests do. Checkers in the models watch the rules of handshakes. If a checker fires, the bench
//! panics with the rule, the time and the seed.

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

/// The only source of chance in a bench.
pub struct Chance(ChaCha8Rng);

impl Chance {
    /// The same seed gives the same sequence.
    pub fn new(seed: u64) -> Chance {
        Chance(ChaCha8Rng::seed_from_u64(seed))
    }

    /// True with a probability in percent; always from 100 on.
    pub fn percent(&mut self, percent: u32) -> bool {
        percent >= 100 || self.0.next_u32() % 100 < percent
    }

    /// A number from 0 to `bound - 1`.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0.next_u32() % bound
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.fill_bytes(&mut bytes);
        bytes
    }
}

/// The file for the waves of a bench, in the folder that BENCH_WAVES names, if it is set.
fn waves(model: &str, seed: u64) -> Option<PathBuf> {
    std::env::var_os("BENCH_WAVES").map(|folder| PathBuf::from(folder).join(format!("{model}-{seed}.fst")))
}

/// The advice in the message of a bench that stops.
const REMEDY: &str = "run this test alone with BENCH_WAVES=FOLDER to have waves";

/// The level of one bit of a bus.
fn bit(bus: u8, number: usize) -> bool {
    bus >> number & 1 != 0
}
