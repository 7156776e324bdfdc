//! VMMC whose lookups go to caches of the image's geometry.

use nic_firmware::geometry::{CBH_ENTRIES, CBH_WAYS, ENTRIES, KEY_BITS, LINE_ENTRIES, WAYS};

/// What the image boots.
pub type Personality = nic_vmmc::Vmmc<nic_vmmc::Mini<ENTRIES, LINE_ENTRIES, WAYS, CBH_ENTRIES, CBH_WAYS, KEY_BITS>>;
