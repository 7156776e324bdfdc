//! Messages that the NIC matches, with virtual addresses that it looks up in a cache.

use super::emp::EMP;
use crate::personality::entry::{Lookup, Personality};

pub const EMP_MINI: Personality = Personality {
    name: "emp-mini",
    image_of_core_b: None,
    description: "EMP whose NIC translates virtual addresses in a cache that misses to the host",
    lookup: Lookup::MatchedCached,
    ..EMP
};
