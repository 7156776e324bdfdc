//! EMP on core A with a scheme that gives each part to one core: the module of its image.

use nic_emp::{Physical as Addresses, Scheme as _};
use nic_firmware::{chip, scheme::Scheme};
use nic_layout::personality::emp::PERSONALITY;

/// What runs on core A.
type Machine = <Scheme as nic_emp::Scheme>::A<nic_firmware::matching::Matching>;

/// The device of core A.
type Chip = chip::Chip<{ chip::side(1, Scheme::BUFFERS_FROM_BOTH) }, { chip::side(1, Scheme::FRAMES_FROM_BOTH) }>;

/// Whether there is another core.
const PAIR: bool = true;

#[path = "messages_a.rs"]
mod image;
