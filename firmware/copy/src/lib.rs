//! The `memcpy` of all firmware images.
//!
//! The `memcpy` of Rust's library stores each word right after its load, so every store waits for a
//! load. This one loads eight words before it stores the first.
//!
//! An image links it by naming the crate: `use nic_copy as _;`.
#![cfg_attr(target_arch = "riscv32", no_std)]
// Without this the compiler recognises the loops below as a copy and replaces them by a call of
// `memcpy`, which would call itself.
#![no_builtins]

/// Words that are loaded before the first is stored. The calling convention leaves registers for
/// so many.
const BLOCK: usize = 8;

/// Copies `bytes` bytes. If both addresses are multiples of four, whole words are copied, in blocks
/// of eight; otherwise single bytes.
///
/// # Safety
/// As for [`core::ptr::copy_nonoverlapping`].
#[inline(always)]
pub unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize) {
    let mut done = 0;
    if (to as usize | from as usize) % 4 == 0 {
        let (to, from) = (to.cast::<u32>(), from.cast::<u32>());
        let mut word = 0;
        while word + BLOCK <= bytes / 4 {
            // SAFETY: the caller's, and both are aligned.
            unsafe {
                let block = from.add(word).cast::<[u32; BLOCK]>().read();
                to.add(word).cast::<[u32; BLOCK]>().write(block);
            }
            word += BLOCK;
        }
        while word < bytes / 4 {
            // SAFETY: as above.
            unsafe { to.add(word).write(from.add(word).read()) };
            word += 1;
        }
        done = 4 * word;
    }
    while done < bytes {
        // SAFETY: the caller's.
        unsafe { to.add(done).write(from.add(done).read()) };
        done += 1;
    }
}

/// Copies `bytes` bytes from `from` to `to` and returns `to`, as the C standard defines it.
///
/// # Safety
/// As for [`copy`]: both ranges are valid and do not overlap.
#[cfg(target_arch = "riscv32")]
#[no_mangle]
pub unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
    // SAFETY: the caller's.
    unsafe { copy(to, from, bytes) };
    to
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::copy;

    proptest! {
        #[test]
        fn what_is_copied_is_there_and_nothing_else_changes(
            memory in prop::collection::vec(any::<u8>(), 256),
            to in 0usize..16,
            from in 128usize..144,
            bytes in 0usize..112,
        ) {
            let mut words: Vec<u32> = memory.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
            let mut expected = memory.clone();
            expected.copy_within(from..from + bytes, to);
            let base = words.as_mut_ptr().cast::<u8>();
            // SAFETY: both ranges lie in the vector, the first ends below 128.
            unsafe { copy(base.add(to), base.add(from), bytes) };
            let seen: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            prop_assert_eq!(seen, expected);
        }
    }
}
