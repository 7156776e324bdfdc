/// Marks the calling branch as rare. The compiler then lays the branch out beside the common path,
/// and the common path runs without a taken jump. A taken jump that the core has not predicted
/// costs two or three clocks; a jump that is not taken costs none.
///
/// From Rust 1.95 on `core::hint::cold_path` does the same.
#[cold]
#[inline(always)]
pub fn rarely() {}
