//! Sleeps, serves a frame's event by the three instructions of docs/events.md, takes the semaphore and gives it back: what is
//! measured from outside, between an event and words on the trace port.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

#[cfg(not(target_arch = "riscv32"))]
fn main() {
    eprintln!("this is an image: build it with --profile firmware --target riscv32imc-unknown-none-elf");
}

#[cfg(target_arch = "riscv32")]
mod image {
    use core::arch::global_asm;

    use nic_kernels::report::dispatch;
    use nic_layout::registers::{event_a, semaphore};
    use nic_layout::trace::TRACE_CSR;
    use nic_layout::CORE_REGISTER_BASE;

    global_asm!(
        r#"
    .section .text.dispatch, "ax"
    .global main
    .balign 4
main:
    li    s0, {registers}
    la    s1, table
    li    s2, {handler}
    li    s3, {asks}
    li    s4, {owns}
    li    s5, {free}
    // An event ends wfi; it never traps: mstatus.MIE stays 0.
    li    t0, 0x800
    csrw  mie, t0
    li    t0, -1
    sw    t0, {clear}(s0)
    li    t0, 1
    sw    t0, {enable}(s0)

    // Behind wfi stands what an event is served with.
    .balign 4
idle:
    wfi
    lw    t0, {next}(s0)
    add   t0, t0, s1
    jr    t0

    .option push
    .option norvc
    .balign 4
table:
    j     received
    .rept 31
    j     idle
    .endr
    j     idle
    .option pop

    .balign 4
received:
    csrw  {trace_csr}, s2
    li    t0, 1
    sw    t0, {clear}(s0)

    csrw  {trace_csr}, s3
    sw    zero, {ask}(s0)
1:  lw    t0, {ask}(s0)
    beqz  t0, 1b
    csrw  {trace_csr}, s4
    sw    zero, {release}(s0)
    csrw  {trace_csr}, s5
    j     idle

"#,
        handler = const dispatch::HANDLER,
        asks = const dispatch::ASKS,
        owns = const dispatch::OWNS,
        free = const dispatch::FREE,
        registers = const CORE_REGISTER_BASE,
        next = const event_a::NEXT.offset().0,
        clear = const event_a::CLEAR.offset().0,
        enable = const event_a::ENABLE.offset().0,
        ask = const semaphore::CORE_A.offset().0,
        release = const semaphore::RELEASE.offset().0,
        trace_csr = const TRACE_CSR,
    );
}
