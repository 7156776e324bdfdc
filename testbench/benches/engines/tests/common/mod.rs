//! The settings of random tests, for both engines.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same cases in every run, unless PROPTEST_RNG_SEED says otherwise. A failure prints its
/// shrunk input, seed included.
pub fn cases(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = match default.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        chosen => chosen,
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..default }
}
