//! What the core's speed is measured with (docs/benchmarks.md): the mix of a network interface, and
//! kernels like those of public benchmarks. Each kernel exists in Rust and in C (`c/`), over the
//! same data; both run in the images and Rust also on the host.
#![cfg_attr(target_arch = "riscv32", no_std)]

mod arena;
mod kernel;
pub mod mix;
pub mod more;
mod noise;
pub mod report;

pub use arena::Arena;
pub use kernel::{Data, Kernel};

#[cfg(target_arch = "riscv32")]
pub mod image;

/// Calls `$then!` with every kernel: its number in reports, its type, its function in C.
#[macro_export]
macro_rules! each_kernel {
    ($then:ident) => {
        $then! {
            0, $crate::mix::Lookup, kernel_lookup;
            1, $crate::mix::Copy, kernel_copy;
            2, $crate::mix::Crc, kernel_crc;
            3, $crate::mix::Machine, kernel_machine;
            4, $crate::more::Matrix, kernel_matrix;
            5, $crate::more::Search, kernel_search;
            6, $crate::more::Sort, kernel_sort;
            7, $crate::more::Hash, kernel_hash;
            8, $crate::more::Filter, kernel_filter;
        }
    };
}

/// A whole image: `image!(rust)` or `image!(c)`.
#[macro_export]
macro_rules! image {
    ($language:ident) => {
        #[cfg(target_arch = "riscv32")]
        mod image {
            $crate::image!(@$language);
        }

        #[cfg(not(target_arch = "riscv32"))]
        fn main() {
            eprintln!("this is an image: build it with --profile firmware --target riscv32imc-unknown-none-elf");
        }
    };
    (@rust) => {
        use $crate::rust_main;
        $crate::each_kernel!(rust_main);
    };
    (@c) => {
        use $crate::c_main;
        $crate::each_kernel!(c_main);
    };
}
