//! EMP on core B with a scheme that gives each part to one core: the module of its image.

use nic_emp::Scheme as _;
use nic_firmware::{chip, scheme::Scheme};

/// What runs on core B.
type Machine = <Scheme as nic_emp::Scheme>::B<nic_firmware::matching::Matching>;

/// The device of core B.
type Chip = chip::Chip<{ chip::side(2, Scheme::BUFFERS_FROM_BOTH) }, { chip::side(2, Scheme::FRAMES_FROM_BOTH) }>;

/// Whether there is another core.
const PAIR: bool = true;

#[path = "messages_b.rs"]
mod image;
