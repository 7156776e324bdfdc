//! INV-36: a process that ends at any step leaves no pin, key, line, slot or post behind.

use host_model::library::Process;
use nic_layout::cbh::{cbh, STATE_INVALID, STATE_MASK};
use nic_layout::ring::COMMAND_FORGET_BUFFER;
use nic_layout::tables::{MissEntry, MISS_BUFFER};
use nic_layout::vmh::{key, KEY_EMPTY, KEY_RESERVED, KEY_STATE_MASK};
use sim_pins::Ps;

use crate::common::{Bench, CLOCK};

/// What the process does when it is ended: registers, writes, waits, withdraws, copies.
async fn life(process: Process) {
    let memory = process.alloc(16 * 4096).expect("room");
    for message in 0..4 {
        let export = process.export(memory, 8 * 4096).await.expect("room");
        let handle = process.write(memory, 64, &export, 0, message).await.expect("room");
        process.wait(handle).await.expect("completed");
        process.copy(memory, memory + 4096, 512).await.expect("mapped");
        process.withdraw(&export).await.expect("registered");
    }
}

/// Ends the process after `span`, while the NIC reports misses of it; gives whether it had come to
/// its own end.
fn end_after(span: Ps) -> bool {
    let mut bench = Bench::ready();
    let process = bench.open();
    let (pid, living) = (process.pid(), process.clone());
    let task = bench.host.spawn("life", move |_| life(living));
    let geometry = bench.nic.borrow().geometry;
    let buffer = MissEntry { key: cbh(pid.0, 32 * pid.0), line: 0, kind: MISS_BUFFER, cycles: 0 };
    bench.nic.borrow_mut().reserve_buffer(buffer.line, buffer.key);
    let misses: Vec<MissEntry> = (0..2)
        .map(|n| {
            let page = geometry.line_page(0x1_0000 + n * 8);
            let line = geometry.set_of(page) * geometry.ways;
            MissEntry { key: key(pid.0, page, KEY_RESERVED), line, kind: 0, cycles: 0 }
        })
        .collect();
    for miss in &misses {
        let place = bench.nic.borrow().layout().vmh_cache + geometry.key_offset(miss.line);
        bench.nic.borrow_mut().set_sram_word(place, miss.key);
    }
    bench.nic.borrow_mut().report_misses(&[misses[0], buffer, misses[1]]);
    bench.clocks(span.0 / CLOCK.0);
    let lived = task.is_ended();
    task.abort();
    bench.run(|_| async move { process.close().await.expect("it is open") });
    bench.us(200);

    assert_eq!(bench.host.faults(), Vec::<String>::new(), "ended after {span}");
    assert_eq!(bench.host.accounting().memory.pinned_now, 0, "ended after {span}");
    let nic = bench.nic.borrow();
    let layout = nic.layout();
    assert_eq!(nic.sram_word(layout.process_table), 0, "ended after {span}");
    // A buffer that the NIC has asked for is forgotten, or was never there.
    let entry = nic.cbh_entry(buffer.line);
    let forgets = nic
        .writes
        .windows(2)
        .any(|pair| pair.iter().map(|written| written.value).eq([buffer.key, COMMAND_FORGET_BUFFER]));
    assert!(entry[5] & STATE_MASK == STATE_INVALID || forgets, "ended after {span}: {entry:x?}");
    // The mock's firmware does not obey invalidations: the driver's commands say which lines it
    // took away.
    for miss in &misses {
        let key = nic.vmh_word(geometry.key_offset(miss.line));
        let taken = nic.writes.iter().any(|written| written.value == (miss.key & !KEY_STATE_MASK) | 2);
        assert!(key == KEY_EMPTY || taken, "ended after {span}: line {} holds {key:#x}", miss.line);
    }
    drop(nic);
    let counts = bench.host.node().driver().counts();
    assert_eq!((counts.misses, bench.host.node().driver().misses_outstanding()), (3, 0), "ended after {span}");
    // The slot can be used again.
    assert_eq!(bench.open().queue().expect("free").slot, 0);
    lived
}

#[test]
fn a_process_may_end_at_any_step() {
    let mut lived = 0;
    // A step that shares no factor with the clock or the constants.
    for step in 0..160 {
        lived += usize::from(end_after(Ps(step * 1_237_001)));
    }
    assert!((1..100).contains(&lived), "the sweep covers the life and more: {lived}");
}
