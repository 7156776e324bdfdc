//! The cache geometries of Table 4.4 of the thesis.

use nic_layout::vmh::VmhGeometry;

/// The sizes of the cache, in entries of 4 bytes.
pub const ENTRIES: [u32; 3] = [8 * 1024, 16 * 1024, 32 * 1024];
/// The lengths of a line, in entries.
pub const LINE_ENTRIES: [u32; 4] = [8, 16, 64, 128];
/// The numbers of ways.
pub const WAYS: [u32; 3] = [2, 4, 8];

/// All 36 geometries, ordered by size, then length of a line, then ways.
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

/// The name of a geometry as the thesis writes it, for example `C16.L64.A4`: 16 K entries, 64
/// entries in a line, 4 ways.
pub fn name(geometry: VmhGeometry) -> String {
    format!("C{}.L{}.A{}", geometry.entries / 1024, geometry.line_entries, geometry.ways)
}
