//! Memories of NICs in the theses.

use crate::personality::entry::{Column, Limits};

/// Table 1.1 of the miNI thesis (MN-1): the base system, VMMC with static tables, and its own.
pub const TABLE_1_1: [Column; 2] = [
    Column { key: "thesis_base_kbytes", heading: "thesis: base KB", kbytes: [74, 200, 524, 265, 163, 64, 32, 798] },
    Column { key: "thesis_mini_kbytes", heading: "thesis: miNI KB", kbytes: [87, 200, 132, 75, 25, 0, 32, 419] },
];

/// The NIC of the EMP thesis.
pub const TIGON2: Limits =
    Limits { sram_bytes: 512 * 1024, scratchpad_bytes: [16 * 1024, 8 * 1024], source: "E-1, E-2" };
