//! Post queues that change hands: drained, clear, and without the pages of the process before
//! (INV-39, 21).

use crate::bench::{after, Bench, PID, QUEUES_AT, REGISTERS, SRAM, TABLE_AT};
use nic_layout::post::OP_WRITE;
use nic_layout::ring::COMMAND_ASSIGN;
use nic_layout::tables::NEXT_OWNER;
use nic_layout::trace::Marker;

#[test]
fn a_queue_changes_hands_when_its_posts_have_ended_and_what_stood_there_is_gone() {
    const DOORBELL: u32 = REGISTERS + 0x1_0000;
    const HEIR: u32 = PID + 1;
    // The process that gets the queue. Three posts of the process were rung before, and its status
    // continues from there.
    let give = |bench: &mut Bench| {
        for (offset, value) in [(0, 1), (4, HEIR), (8, 0x78_0000), (28, 40)] {
            bench.write(SRAM + TABLE_AT + NEXT_OWNER as u32 * 32 + offset, value);
        }
        bench.command(COMMAND_ASSIGN).mark(Marker::QueueAssigned, 0).answered(COMMAND_ASSIGN);
    };
    let rung = |ended: u32| {
        move |bench: &mut Bench| {
            bench.write(DOORBELL, 3).mark(Marker::StatusWritten, ended);
            give(bench);
        }
    };
    let clear = |words: u32| {
        move |bench: &mut Bench| {
            give(bench);
            (0..words).for_each(|word| {
                bench.write(SRAM + QUEUES_AT + 4 * word, 0);
            });
            bench.write(SRAM + QUEUES_AT, u32::from(OP_WRITE));
        }
    };
    assert_eq!(after(Bench::new(), rung(3)), None);
    assert_eq!(after(Bench::new(), rung(2)), Some(39));
    // A wild doorbell is no post.
    let wild = |bench: &mut Bench| {
        bench.write(DOORBELL, 0xDEAD_BEEF);
        give(bench);
    };
    assert_eq!(after(Bench::new(), wild), None);
    assert_eq!(after(Bench::new(), clear(8)), None);
    assert_eq!(after(Bench::new(), clear(2)), Some(39));
    // No process may use the pages of the former owner now.
    let strangers = |bench: &mut Bench| {
        give(bench);
        bench.hit();
    };
    assert_eq!(after(Bench::filled(), strangers), Some(21));
    let nowhere = |bench: &mut Bench| {
        bench.mark(Marker::QueueAssigned, 9);
    };
    assert_eq!(after(Bench::new(), nowhere), Some(39));
}
