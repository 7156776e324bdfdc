//! Every interleaving of a writer and a reader on two cores.

mod cores;

use cores::{every_interleaving, CoreBell, Sram};
use loom::thread;
use nic_handoff::{tell, Bell, Queue};

/// Two entries of two words.
type Pair = Queue<2, 1>;

fn entry(number: u32) -> [u32; 2] {
    [number + 1, 100 * (number + 1)]
}

fn new_queue(sram: &mut Sram) -> Pair {
    let queue = Pair::at(sram, 0);
    queue.clear(sram);
    queue
}

#[test]
fn a_reader_that_looks_at_any_time_finds_each_entry_once_and_in_order() {
    every_interleaving("looks", || {
        let mut sram = Sram::new(Pair::bytes());
        let queue = new_queue(&mut sram);
        let mut reader = queue.reader(&sram);
        let core_b = thread::spawn({
            let mut sram = sram.clone();
            move || {
                let mut writer = queue.writer(&sram);
                let mut pushed = 0;
                for _ in 0..4 {
                    if writer.room(&sram) > 0 {
                        writer.push(&mut sram, entry(pushed));
                        pushed += 1;
                    }
                }
                pushed
            }
        });
        let mut popped = 0;
        for _ in 0..3 {
            if let Some(found) = reader.pop(&mut sram) {
                assert_eq!(found, entry(popped));
                popped += 1;
            }
        }
        let pushed = core_b.join().unwrap();
        while let Some(found) = reader.pop(&mut sram) {
            assert_eq!(found, entry(popped));
            popped += 1;
        }
        assert_eq!(popped, pushed);
    });
}

#[test]
fn no_entry_is_slept_through() {
    every_interleaving("sleeps", || {
        const ENTRIES: u32 = 4;
        let mut sram = Sram::new(Pair::bytes());
        let queue = new_queue(&mut sram);
        let (mut work, mut room) = (CoreBell::new(), CoreBell::new());
        let core_b = thread::spawn({
            let (mut sram, mut work, mut room) = (sram.clone(), work.clone(), room.clone());
            move || {
                let mut writer = queue.writer(&sram);
                for number in 0..ENTRIES {
                    while writer.room(&sram) == 0 {
                        room.sleep();
                        room.clear();
                    }
                    writer.push(&mut sram, entry(number));
                    tell(&mut work);
                }
            }
        });
        let mut reader = queue.reader(&sram);
        let mut popped = 0;
        while popped < ENTRIES {
            work.sleep();
            work.clear();
            while let Some(found) = reader.pop(&mut sram) {
                assert_eq!(found, entry(popped));
                popped += 1;
                if reader.made_room(&sram, 1) {
                    tell(&mut room);
                }
            }
        }
        core_b.join().unwrap();
    });
}
