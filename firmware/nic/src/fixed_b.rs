//! EMP on core B with a scheme that gives each part to one core: the module of its image.

use nic_emp::Scheme as _;
use nic_firmware::{chip, scheme::Scheme};

/// What runs on core B.
type Machine = <Scheme as nic_emp::Scheme>::B<nic_firmware::matching::Matching>;

/// The core's number, plus one, in what both cores share. Otherwise [`chip::ALONE`].
const fn side(is_shared: bool) -> u32 {
    if is_shared {
        2
    } else {
        chip::ALONE
    }
}

/// The device of core B.
type Chip = chip::Chip<{ side(Scheme::BUFFERS_FROM_BOTH) }, { side(Scheme::FRAMES_FROM_BOTH) }>;

/// Whether there is another core.
const PAIR: bool = true;

#[path = "messages_b.rs"]
mod image;
