//! The personality of EMP with virtual addresses, which the NIC looks up in a cache
//! (docs/emp.md, Virtual addresses). Everything else is as in [`super::emp`].

use crate::counter::{Set, MESSAGES, TRANSLATIONS};

/// What the firmware counts.
pub const COUNTERS: &[&Set] = &[&MESSAGES, &TRANSLATIONS];

/// [`crate::boot::ReplyState::personality`].
pub const PERSONALITY: u32 = 5;
