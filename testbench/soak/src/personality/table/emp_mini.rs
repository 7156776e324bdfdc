//! Messages that the NIC matches, with virtual addresses: the same operations, and lookups that
//! miss.

use nic_layout::plant::Plant;

use super::emp::{self, lists};
use crate::defect::Defect;
use crate::personality::entry::Personality;

/// The cache is smaller than the pages of a list. The defects of messages are those of
/// `emp`, whose watches both have.
const DEFECTS: [Defect; 4] = [
    lists(Plant::SecondMiss, 18),
    lists(Plant::LockedVictim, 15),
    lists(Plant::VictimOffByOne, 14),
    lists(Plant::DuplicateTag, 20).or(&[13]),
];

/// The driver takes the lines of a process away when the process ends.
pub const ENTRY: Personality = Personality { name: "emp-mini", defects: &DEFECTS, ..emp::ENTRY };
