//! The parts of an image's source that all images have in common, as macros: an image is a binary,
//! so its entry point and its state must be items of its own crate.

/// The `main` of an image on targets other than riscv32. It says how the image is built.
#[macro_export]
macro_rules! host_main {
    () => {
        #[cfg(not(target_arch = "riscv32"))]
        fn main() {
            eprintln!("this is a firmware: build it with --profile firmware --target riscv32imc-unknown-none-elf");
        }
    };
}

/// The image of a personality for core A. `cores` is the number of the NIC's cores: with 2, core B
/// runs `keeper`. The source of the image lies in `src/bin`: the path of the module counts from
/// there.
#[macro_export]
macro_rules! core_a {
    ($personality:ty, cores: $cores:literal) => {
        $crate::host_main!();

        #[cfg(target_arch = "riscv32")]
        type Personality = $personality;

        /// Whether there is a core B.
        #[cfg(target_arch = "riscv32")]
        const PAIR: bool = $cores == 2;

        #[cfg(target_arch = "riscv32")]
        #[path = "../core_a.rs"]
        mod image;
    };
}
