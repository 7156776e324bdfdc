/// Says that few messages come here: the compiler lays the code out beside that of the others, which then runs straight on. A jump that the
/// core has not learned costs it two or three clocks, and one that is not taken none.
///
/// What `core::hint::cold_path` is from Rust 1.95 on.
#[cold]
#[inline(always)]
pub fn rarely() {}
