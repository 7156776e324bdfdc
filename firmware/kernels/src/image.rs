//! From reset through all kernels to the end, on the core.

use core::arch::{asm, global_asm};
use core::panic::PanicInfo;

use nic_copy as _;

use crate::report::{BEGIN, CALLS, CRASH, DONE, END};
use crate::{Arena, Kernel};

global_asm!(
    r#"
    .section .start, "ax"
    .global _start
_start:
    la    sp, _stack_top
    la    t0, _trap
    csrw  mtvec, t0

    la    t0, _body_load
    la    t1, _body_start
    la    t2, _body_end
1:  bgeu  t1, t2, 2f
    lw    t3, 0(t0)
    sw    t3, 0(t1)
    addi  t0, t0, 4
    addi  t1, t1, 4
    j     1b

2:  la    t1, _bss_start
    la    t2, _bss_end
3:  bgeu  t1, t2, 4f
    sw    zero, 0(t1)
    addi  t1, t1, 4
    j     3b

    // Code was written: fetch what was written.
4:  fence.i
    la    t0, main
    jalr  t0
5:  wfi
    j     5b

    .balign 64
_trap:
    csrr  t1, mcause
    slli  t1, t1, 8
    srli  t1, t1, 8
    li    t2, {crash}
    or    t1, t1, t2
    csrw  {trace_csr}, t1
6:  wfi
    j     6b
"#,
    crash = const CRASH,
    trace_csr = const nic_layout::trace::TRACE_CSR,
);

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    say(CRASH);
    loop {
        // SAFETY: changes nothing.
        unsafe { asm!("wfi", options(nostack)) }
    }
}

/// Puts a word on the trace port. Memory is as the program has it: nothing moves across.
pub fn say(word: u32) {
    // SAFETY: the CSR only drives the trace port.
    unsafe {
        asm!("csrw {csr}, {word}", csr = const nic_layout::trace::TRACE_CSR, word = in(reg) word, options(nostack))
    }
}

macro_rules! counter {
    ($csr:literal) => {{
        let value: u32;
        // SAFETY: reads a counter.
        unsafe { asm!(concat!("csrr {0}, ", $csr), out(reg) value, options(nostack)) };
        value
    }};
}

/// Prepares, warms, measures and reports one kernel. `kernel` is its function in the image's
/// language.
#[inline(never)]
pub fn measure<K: Kernel>(number: u32, arena: &mut Arena, kernel: unsafe extern "C" fn(&mut K::Data) -> u32) {
    let data = arena.of::<K>();
    K::prepare(data);
    // SAFETY: the function of this kernel in one language or the other, given its data.
    let run = |data: &mut K::Data| unsafe { kernel(data) };
    let mut returned = run(data);
    say(BEGIN | number);
    let instructions = counter!("minstret");
    let clocks = counter!("mcycle");
    for _ in 0..CALLS {
        returned = run(data);
    }
    let clocks = counter!("mcycle").wrapping_sub(clocks);
    let instructions = counter!("minstret").wrapping_sub(instructions);
    say(END | number);
    say(clocks);
    say(instructions);
    say(K::check(data, returned));
}

/// Reports the end of the image and sleeps.
pub fn done() -> ! {
    say(DONE);
    loop {
        // SAFETY: changes nothing.
        unsafe { asm!("wfi", options(nostack)) }
    }
}

/// `main` of an image whose kernels are in Rust.
#[macro_export]
macro_rules! rust_main {
    ($($number:literal, $kernel:ty, $c:ident;)*) => {
        #[no_mangle]
        extern "C" fn main() -> ! {
            static mut ARENA: $crate::Arena = $crate::Arena::new();
            // SAFETY: the only reference, taken once.
            let arena = unsafe { &mut *core::ptr::addr_of_mut!(ARENA) };
            $({
                #[inline(never)]
                extern "C" fn run(data: &mut <$kernel as $crate::Kernel>::Data) -> u32 {
                    <$kernel as $crate::Kernel>::run(data)
                }
                $crate::image::measure::<$kernel>($number, arena, run);
            })*
            $crate::image::done()
        }
    };
}

/// `main` of an image whose kernels are in C (`c/kernels.h`).
#[macro_export]
macro_rules! c_main {
    ($($number:literal, $kernel:ty, $c:ident;)*) => {
        extern "C" {
            $(fn $c(data: &mut <$kernel as $crate::Kernel>::Data) -> u32;)*
        }

        #[no_mangle]
        extern "C" fn main() -> ! {
            static mut ARENA: $crate::Arena = $crate::Arena::new();
            // SAFETY: the only reference, taken once.
            let arena = unsafe { &mut *core::ptr::addr_of_mut!(ARENA) };
            $($crate::image::measure::<$kernel>($number, arena, $c);)*
            $crate::image::done()
        }
    };
}
