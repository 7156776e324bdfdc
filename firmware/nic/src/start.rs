//! From reset to `main`, and from a trap to a stop.

use core::arch::global_asm;

use nic_layout::boot::{CAUSE_CRASH, CRASH_TRAP};
use nic_layout::registers::{event_a, interrupt};
use nic_layout::trace::{word, Marker};
use nic_layout::CORE_REGISTER_BASE;

global_asm!(
    r#"
    .section .start, "ax"
    .global _start
_start:
    la    sp, _stack_top
    la    t0, _trap
    csrw  mtvec, t0

    la    t0, _fast_load
    la    t1, _fast_start
    la    t2, _fast_end
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

    // An event ends wfi; it never traps: mstatus.MIE stays 0.
4:  li    t0, 0x800
    csrw  mie, t0
    call  main

    // Every trap is an error of the firmware. It needs no stack, which may be the error.
    .balign 64
_trap:
    la    t0, _crash_record
    csrr  t1, mcause
    sw    t1, 4(t0)
    csrr  t2, mepc
    sw    t2, 8(t0)
    csrr  t2, mtval
    sw    t2, 12(t0)
    li    t2, {trap}
    sw    t2, 0(t0)
    slli  t1, t1, 8
    ori   t1, t1, {marker}
    csrw  0x7C0, t1
    .global _stop
_stop:
    li    t0, {interrupt_set}
    li    t1, {cause}
    sw    t1, 0(t0)
    li    t0, {event_enable}
    sw    zero, 0(t0)
5:  wfi
    j     5b
"#,
    trap = const CRASH_TRAP,
    marker = const word(Marker::Crash, 0),
    interrupt_set = const CORE_REGISTER_BASE + interrupt::SET.offset().0,
    cause = const 1u32 << CAUSE_CRASH,
    event_enable = const CORE_REGISTER_BASE + event_a::ENABLE.offset().0,
);
