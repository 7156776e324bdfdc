//! What two cores do to each other, one job at a time: events, a counter under the semaphore,
//! messages through SRAM, and loads, stores and fetches as fast as they go. Both cores run this
//! image; the host writes the job to SRAM (`report::pair`).
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

#[cfg(not(target_arch = "riscv32"))]
fn main() {
    eprintln!("this is an image: build it with --profile firmware --target riscv32imc-unknown-none-elf");
}

#[cfg(target_arch = "riscv32")]
mod image {
    use core::arch::global_asm;

    use nic_kernels::report::{pair, CRASH, DONE};
    use nic_layout::dispatch::{DISPATCH_RA, HANDLER_CSR, INDEX_CSR};
    use nic_layout::registers::{event_a, event_b, semaphore};
    use nic_layout::trace::TRACE_CSR;
    use nic_layout::{CORE_REGISTER_BASE, CORE_SRAM_BASE};

    global_asm!(
        r#"
    .section .text.pair, "ax"
    .global main
    .balign 4
main:
    csrr  s3, mhartid
    li    s0, {registers}
    li    s2, {sram}
    lw    s4, {rounds}(s2)
    // An event ends wfi; it never traps: mstatus.MIE stays 0.
    li    t0, 0x800
    csrw  mie, t0
    lw    t0, {job}(s2)
    la    t1, jobs
    slli  t0, t0, 2
    add   t0, t0, t1
    jr    t0
    .option push
    .option norvc
    .balign 4
jobs:
    j     events
    j     count
    j     go_hammer
    j     messages
    .option pop
go_hammer:
    la    t0, hammer
    jr    t0

    // The core that is the sender sets an event of the other for each frame that is received; the
    // other says so.
events:
    csrwi {index_csr}, 0
    la    t0, received
    csrw  {handler_csr}, t0
    csrwi {index_csr}, {event_number}
    la    t0, called
    csrw  {handler_csr}, t0
    li    s4, {handler}
    li    s5, {event}
    lw    t1, {sender}(s2)
    mv    t0, s5
    bne   t1, s3, 1f
    li    t0, 1
1:  sw    t0, {enable}(s0)
    .balign 4
idle:
    .word {dispatch}

    .balign 4
received:
    li    t0, 1
    sw    t0, {clear}(s0)
    sw    s5, {set_other}(s0)
    j     idle

    .balign 4
called:
    csrw  {trace_csr}, s4
    sw    s5, {clear}(s0)
    j     idle

    // Adds to one counter, `rounds` times each, with the semaphore or without.
count:
    lw    s6, {locked}(s2)
    li    t1, {owns}
1:  beqz  s6, 3f
    csrw  {trace_csr}, zero
    sw    zero, {ask}(s0)
2:  lw    t0, {ask}(s0)
    beqz  t0, 2b
    nop                             # the first instruction that knows
    csrw  {trace_csr}, t1
3:  lw    t0, {counter}(s2)
    addi  t0, t0, 1
    sw    t0, {counter}(s2)
    beqz  s6, 4f
    sw    s3, {release}(s0)
4:  addi  s4, s4, -1
    bnez  s4, 1b

    // All clocks since reset, the sum of those by cause, and two of these.
    li    t0, -1
    csrw  mcountinhibit, t0
    csrr  t0, mcycle
    csrw  {trace_csr}, t0
    li    t1, 0
    .irp  cause, 3, 4, 5, 6, 7, 8, 9, 10, 11
    csrr  t0, mhpmcounter\cause
    add   t1, t1, t0
    .endr
    csrw  {trace_csr}, t1
    csrr  t0, mhpmcounter8
    csrw  {trace_csr}, t0
    csrr  t0, mhpmcounter9
    csrw  {trace_csr}, t0
done:
    li    t0, {done}
    csrw  {trace_csr}, t0
5:  wfi
    j     5b

    // Core A leaves a number in SRAM and sets an event of B; B says the number and answers in the
    // same way.
messages:
    li    s5, {event}
    sw    s5, {enable}(s0)
    li    s6, 0
    bnez  s3, answers
1:  addi  s6, s6, 1
    sw    s6, {question}(s2)
    sw    s5, {set_other}(s0)
2:  wfi
    lw    t0, {pending}(s0)
    and   t0, t0, s5
    beqz  t0, 2b
    sw    s5, {clear}(s0)
    lw    t0, {answer}(s2)
    bne   t0, s6, bad
    bne   s6, s4, 1b
    j     done
answers:
    wfi
    lw    t0, {pending}(s0)
    and   t0, t0, s5
    beqz  t0, answers
    sw    s5, {clear}(s0)
    lw    s6, {question}(s2)
    csrw  {trace_csr}, s6
    sw    s6, {answer}(s2)
    sw    s5, {set_other}(s0)
    bne   s6, s4, answers
    j     done
bad:
    li    t0, {crash}
    csrw  {trace_csr}, t0
6:  wfi
    j     6b

    // From SRAM, in code longer than the instruction cache, so that every line of it is fetched
    // each time: stores and reads back.
    .section .start, "ax"
    .balign 32
hammer:
    li    s5, {area}
    slli  t0, s3, 12
    add   s5, s5, t0
    slli  t1, s3, 24
1:
    .set  word, 0
    .rept 400
    sw    t1, (word)(s5)
    lw    t2, (word)(s5)
    bne   t1, t2, 2f
    addi  t1, t1, 1
    .set  word, (word + 4) & 0x7FF
    .endr
    addi  s4, s4, -1
    beqz  s4, 3f
    la    t0, 1b
    jr    t0
2:  la    t0, bad
    jr    t0
3:  la    t0, done
    jr    t0
"#,
        registers = const CORE_REGISTER_BASE,
        sram = const CORE_SRAM_BASE,
        area = const CORE_SRAM_BASE + pair::AREA,
        job = const pair::JOB,
        rounds = const pair::ROUNDS,
        sender = const pair::SENDER,
        locked = const pair::LOCKED,
        counter = const pair::COUNTER,
        question = const pair::QUESTION,
        answer = const pair::ANSWER,
        handler = const pair::HANDLER,
        owns = const pair::OWNS,
        event = const 1u32 << pair::EVENT,
        event_number = const pair::EVENT,
        dispatch = const DISPATCH_RA,
        index_csr = const INDEX_CSR,
        handler_csr = const HANDLER_CSR,
        done = const DONE,
        crash = const CRASH,
        // To each core, A's names are its own and B's are the other's.
        pending = const event_a::PENDING.offset().0,
        clear = const event_a::CLEAR.offset().0,
        enable = const event_a::ENABLE.offset().0,
        set_other = const event_b::SET.offset().0,
        ask = const semaphore::CORE_A.offset().0,
        release = const semaphore::RELEASE.offset().0,
        trace_csr = const TRACE_CSR,
    );
}
