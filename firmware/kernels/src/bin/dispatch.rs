//! Sleeps in `nic.dispatch` until a frame's event is to be served (docs/events.md), takes the
//! semaphore and gives it back: what is measured from outside, between an event and words on the
//! trace port.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

#[cfg(not(target_arch = "riscv32"))]
fn main() {
    eprintln!("this is an image: build it with --profile firmware --target riscv32imc-unknown-none-elf");
}

#[cfg(target_arch = "riscv32")]
mod image {
    use core::arch::global_asm;

    use nic_kernels::report::dispatch;
    use nic_layout::dispatch::{DISPATCH_RA, HANDLER_CSR, INDEX_CSR};
    use nic_layout::registers::{event_a, semaphore};
    use nic_layout::ring::Event;
    use nic_layout::trace::TRACE_CSR;
    use nic_layout::CORE_REGISTER_BASE;

    global_asm!(
        r#"
    .section .text.dispatch, "ax"
    .global main
    .balign 4
main:
    li    s0, {registers}
    li    s3, {asks}
    li    s4, {owns}
    li    s5, {free}
    li    t0, {event}
    csrw  {index_csr}, t0
    la    t1, received
    csrw  {handler_csr}, t1
    csrw  {trace_csr}, t1
    li    t0, -1
    sw    t0, {clear}(s0)
    li    t0, 1 << {event}
    sw    t0, {enable}(s0)

    .balign 4
idle:
    .word {dispatch}
    j     idle

    .balign 4
received:
    li    t0, 1 << {event}
    sw    t0, {clear}(s0)

    csrw  {trace_csr}, s3
    sw    zero, {ask}(s0)
1:  lw    t0, {ask}(s0)
    beqz  t0, 1b
    nop                             # the first instruction that knows
    csrw  {trace_csr}, s4
    sw    zero, {release}(s0)
    nop
    csrw  {trace_csr}, s5
    ret

"#,
        event = const Event::MacRx as u32,
        dispatch = const DISPATCH_RA,
        index_csr = const INDEX_CSR,
        handler_csr = const HANDLER_CSR,
        asks = const dispatch::ASKS,
        owns = const dispatch::OWNS,
        free = const dispatch::FREE,
        registers = const CORE_REGISTER_BASE,
        clear = const event_a::CLEAR.offset().0,
        enable = const event_a::ENABLE.offset().0,
        ask = const semaphore::CORE_A.offset().0,
        release = const semaphore::RELEASE.offset().0,
        trace_csr = const TRACE_CSR,
    );
}
