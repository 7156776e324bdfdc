//! Heap sort of 256 words.

use crate::noise::Noise;
use crate::{Data, Kernel};

/// Numbers to sort.
pub const COUNT: usize = 256;

/// The data of [`Sort`]. `struct numbers` in C has the same layout.
#[repr(C)]
pub struct Numbers {
    /// The numbers as they are given: noise. Every call sorts a copy of them.
    pub given: [u32; COUNT],
    /// The numbers in ascending order.
    pub sorted: [u32; COUNT],
}

// SAFETY: integers.
unsafe impl Data for Numbers {}

/// Sorts [`COUNT`] numbers into ascending order.
pub struct Sort;

/// Moves the number at `root` down until none below is larger.
fn sift(heap: &mut [u32], mut root: usize) {
    let number = heap[root];
    loop {
        let mut child = 2 * root + 1;
        if child >= heap.len() {
            break;
        }
        if child + 1 < heap.len() && heap[child + 1] > heap[child] {
            child += 1;
        }
        if heap[child] <= number {
            break;
        }
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = number;
}

impl Kernel for Sort {
    const NAME: &'static str = "sort";
    type Data = Numbers;

    fn prepare(data: &mut Numbers) {
        let mut noise = Noise::new(7);
        data.given.fill_with(|| noise.next());
    }

    fn run(data: &mut Numbers) -> u32 {
        let heap = &mut data.sorted;
        for (to, from) in heap.iter_mut().zip(&data.given) {
            *to = *from;
        }
        for root in (0..COUNT / 2).rev() {
            sift(heap, root);
        }
        for end in (1..COUNT).rev() {
            heap.swap(0, end);
            sift(&mut heap[..end], 0);
        }
        0
    }

    fn check(data: &Numbers, _: u32) -> u32 {
        data.sorted.iter().fold(0, |sum: u32, &number| sum.wrapping_mul(31).wrapping_add(number))
    }
}
