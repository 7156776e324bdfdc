//! A writer on one core and a reader on the other, in every interleaving of their accesses. Each
//! planted fault must be found.

mod cores;

use cores::{check, CoreBell, Sram};
use loom::thread;
use nic_device::Words;
use nic_handoff::{tell, Bell, Queue, Reader, Writer};

/// The words of a queue, as the crate lays them out.
const PUSHED: u32 = 0;
const POPPED: u32 = 4;
const ENTRIES: u32 = 8;

/// The numbers of entries go round their end after the first.
const FIRST: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// The number pushed is stored before the entry.
    NumberBeforeEntry,
    /// The place of an entry is given back before the entry is read.
    PlaceBeforeEntry,
    /// The reader empties the queue, then clears the bell.
    ClearAfterDrain,
    /// The writer tells, then pushes.
    TellBeforePush,
    /// The writer looks at the bell, then pushes, then rings if the bell was silent.
    LookBeforePush,
    /// The reader pops and tells nothing.
    RoomUntold,
    /// The reader looks whether the writer may wait, then pops.
    RoomBeforePop,
}

fn entry<const N: usize>(number: u32) -> [u32; N] {
    std::array::from_fn(|word| 10 * (number + 1) + word as u32)
}

/// A memory that holds the stores of an entry back until the number is stored.
struct NumberFirst<'a> {
    sram: &'a mut Sram,
    held: Vec<(u32, u32)>,
}

impl Words for NumberFirst<'_> {
    fn read(&self, offset_bytes: u32) -> u32 {
        self.sram.read(offset_bytes)
    }

    fn write(&mut self, offset_bytes: u32, value: u32) {
        if offset_bytes >= ENTRIES {
            return self.held.push((offset_bytes, value));
        }
        self.sram.write(offset_bytes, value);
        self.held.drain(..).for_each(|(offset_bytes, value)| self.sram.write(offset_bytes, value));
    }
}

fn push<const N: usize, const LOG2: u32>(
    writer: &mut Writer<N, LOG2>,
    sram: &mut Sram,
    work: &mut CoreBell,
    entry: [u32; N],
    fault: Fault,
) {
    match fault {
        Fault::NumberBeforeEntry => {
            writer.push(&mut NumberFirst { sram, held: Vec::new() }, entry);
            tell(work);
        }
        Fault::TellBeforePush => {
            tell(work);
            writer.push(sram, entry);
        }
        Fault::LookBeforePush => {
            let was_rung = work.is_rung();
            writer.push(sram, entry);
            if !was_rung {
                work.ring();
            }
        }
        _ => {
            writer.push(sram, entry);
            tell(work);
        }
    }
}

fn pop<const N: usize, const LOG2: u32>(
    reader: &mut Reader<N, LOG2>,
    sram: &mut Sram,
    number: u32,
    fault: Fault,
) -> Option<[u32; N]> {
    if fault != Fault::PlaceBeforeEntry {
        return reader.pop(sram);
    }
    reader.peek(sram)?;
    reader.skip(sram);
    let slot = FIRST.wrapping_add(number) % (1 << LOG2);
    Some(std::array::from_fn(|word| sram.read(ENTRIES + 4 * (slot * N as u32 + word as u32))))
}

/// The reader of `entries` entries. The writer waits for room for `batch` of them, if the queue can
/// be full.
fn read<const N: usize, const LOG2: u32>(
    mut sram: Sram,
    mut reader: Reader<N, LOG2>,
    [mut work, mut room]: [CoreBell; 2],
    entries: u32,
    batch: u32,
    fault: Fault,
) {
    let may_be_full = entries > 1 << LOG2 && fault != Fault::RoomUntold;
    let mut popped = 0;
    while popped < entries {
        work.sleep();
        if fault != Fault::ClearAfterDrain {
            work.clear();
        }
        loop {
            let was_full = fault == Fault::RoomBeforePop && reader.made_room(&sram, batch - 1);
            let Some(found) = pop(&mut reader, &mut sram, popped, fault) else { break };
            assert_eq!(found, entry(popped), "the entry popped is not the one pushed");
            popped += 1;
            let made_room = if fault == Fault::RoomBeforePop { was_full } else { reader.made_room(&sram, batch) };
            if may_be_full && made_room {
                tell(&mut room);
            }
        }
        if fault == Fault::ClearAfterDrain {
            work.clear();
        }
    }
}

/// Passes entries from core B to core A, each time `batch` of them. A core that sleeps for ever is
/// a deadlock.
fn pass<const N: usize, const LOG2: u32>(entries: u32, batch: u32, fault: Fault) {
    let mut sram = Sram::new(Queue::<N, LOG2>::bytes());
    let queue = Queue::<N, LOG2>::at(&sram, 0);
    sram.write(PUSHED, FIRST);
    sram.write(POPPED, FIRST);
    let [work, room] = [CoreBell::new(), CoreBell::new()];
    let core_b = thread::spawn({
        let (mut sram, mut work, mut room) = (sram.clone(), work.clone(), room.clone());
        move || {
            let mut writer = queue.writer(&sram);
            for first in (0..entries).step_by(batch as usize) {
                while !writer.has_room(&sram, batch) {
                    room.sleep();
                    room.clear();
                }
                for number in first..first + batch {
                    push(&mut writer, &mut sram, &mut work, entry(number), fault);
                }
            }
        }
    });
    read(sram.clone(), queue.reader(&sram), [work, room], entries, batch, fault);
    core_b.join().unwrap();
    assert!(queue.is_empty(&sram) && queue.has_room(&sram, 1 << LOG2));
}

#[test]
fn each_entry_is_popped_once_and_in_order_and_none_is_slept_through() {
    check("two entries of three words in four", None, || pass::<3, 2>(2, 1, Fault::None));
    check("three entries of one word in four, 6 switches", Some(6), || pass::<1, 2>(3, 1, Fault::None));
}

#[test]
fn no_room_is_slept_through() {
    check("two entries of one word in one", None, || pass::<1, 0>(2, 1, Fault::None));
    check("four entries of two words in two, 5 switches", Some(5), || pass::<2, 1>(4, 1, Fault::None));
    check("four entries of one word by twos in two, 5 switches", Some(5), || pass::<1, 1>(4, 2, Fault::None));
}

#[test]
#[should_panic(expected = "the entry popped is not the one pushed")]
fn a_number_stored_before_its_entry_is_found() {
    check("", None, || pass::<1, 1>(2, 1, Fault::NumberBeforeEntry));
}

#[test]
#[should_panic(expected = "the entry popped is not the one pushed")]
fn a_place_given_back_before_its_entry_is_read_is_found() {
    check("", None, || pass::<1, 0>(2, 1, Fault::PlaceBeforeEntry));
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_bell_cleared_after_the_queue_is_emptied_is_found() {
    check("", None, || pass::<1, 1>(2, 1, Fault::ClearAfterDrain));
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_bell_rung_before_the_push_is_found() {
    check("", None, || pass::<1, 1>(1, 1, Fault::TellBeforePush));
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_bell_looked_at_before_the_push_is_found() {
    check("", None, || pass::<1, 1>(2, 1, Fault::LookBeforePush));
}

#[test]
#[should_panic(expected = "deadlock")]
fn room_that_is_not_told_is_found() {
    check("", None, || pass::<1, 0>(2, 1, Fault::RoomUntold));
}

#[test]
#[should_panic(expected = "deadlock")]
fn room_looked_at_before_the_pop_is_found() {
    check("", None, || pass::<1, 1>(3, 1, Fault::RoomBeforePop));
}
