//! EMP on core A with a scheme that gives each part to one core: the module of its image.

use nic_emp::{Physical as Addresses, Scheme as _};
use nic_firmware::{chip, scheme::Scheme};
use nic_layout::personality::emp::PERSONALITY;

/// What runs on core A.
type Machine = <Scheme as nic_emp::Scheme>::A<nic_firmware::matching::Matching>;

/// The core's number, plus one, in what both cores share. Otherwise [`chip::ALONE`].
const fn side(is_shared: bool) -> u32 {
    if is_shared {
        1
    } else {
        chip::ALONE
    }
}

/// The device of core A.
type Chip = chip::Chip<{ side(Scheme::BUFFERS_FROM_BOTH) }, { side(Scheme::FRAMES_FROM_BOTH) }>;

/// Whether there is another core.
const PAIR: bool = true;

#[path = "messages_a.rs"]
mod image;
