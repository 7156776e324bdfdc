//! The geometries of Table 4.4 of the thesis.

use nic_layout::vmh::VmhGeometry;

/// In entries of 4 bytes.
pub const ENTRIES: [u32; 3] = [8 * 1024, 16 * 1024, 32 * 1024];
pub const LINE_ENTRIES: [u32; 4] = [8, 16, 64, 128];
pub const WAYS: [u32; 3] = [2, 4, 8];

/// All 36: by size, then line, then ways.
pub fn all_geometries() -> Vec<VmhGeometry> {
    let mut all = Vec::with_capacity(36);
    for entries in ENTRIES {
        for line_entries in LINE_ENTRIES {
            for ways in WAYS {
                all.push(VmhGeometry { entries, line_entries, ways });
            }
        }
    }
    all
}

/// As the thesis writes it: `C16.L64.A4`.
pub fn name(geometry: VmhGeometry) -> String {
    format!("C{}.L{}.A{}", geometry.entries / 1024, geometry.line_entries, geometry.ways)
}
