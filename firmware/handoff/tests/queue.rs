//! A queue on one core, against a `VecDeque`.

use std::cell::Cell;
use std::collections::VecDeque;

use nic_device::Words;
use nic_handoff::{Queue, Reader, Writer};
use proptest::prelude::*;

/// The offset of each queue here: there is memory before it and behind it.
const AT: u32 = 12;

/// A memory that counts its accesses.
struct Counted {
    words: Vec<u32>,
    reads: Cell<u32>,
    writes: u32,
}

impl Counted {
    fn new() -> Counted {
        Counted { words: vec![0xDEAD_BEEF; 256], reads: Cell::new(0), writes: 0 }
    }

    /// Reads and writes since the last call.
    fn accesses(&mut self) -> (u32, u32) {
        (self.reads.take(), std::mem::take(&mut self.writes))
    }
}

impl Words for Counted {
    fn read(&self, offset_bytes: u32) -> u32 {
        self.reads.set(self.reads.get() + 1);
        self.words.read(offset_bytes)
    }

    fn write(&mut self, offset_bytes: u32, value: u32) {
        self.writes += 1;
        self.words.write(offset_bytes, value);
    }
}

/// A queue that begins with both numbers at `first`.
fn new_queue<const N: usize, const LOG2: u32>(
    memory: &mut Counted,
    first: u32,
) -> (Queue<N, LOG2>, Writer<N, LOG2>, Reader<N, LOG2>) {
    let queue = Queue::at(memory, AT);
    memory.write(AT, first);
    memory.write(AT + 4, first);
    let halves = (queue, queue.writer(memory), queue.reader(memory));
    memory.accesses();
    halves
}

#[test]
fn a_queue_takes_two_words_and_its_entries() {
    assert_eq!(Queue::<3, 4>::bytes(), 4 * (2 + 3 * 16));
    assert_eq!((Queue::<1, 0>::bytes(), Queue::<1, 0>::CAPACITY), (12, 1));
    let mut memory = Counted::new();
    let (_, mut writer, _) = new_queue::<2, 1>(&mut memory, 0);
    (1..=2).for_each(|number| writer.push(&mut memory, [number, 10 * number]));
    assert_eq!(memory.words[2..10], [0xDEAD_BEEF, 2, 0, 1, 10, 2, 20, 0xDEAD_BEEF]);
}

#[test]
fn a_cleared_queue_is_empty_and_halves_go_on_from_memory() {
    let mut memory = Counted::new();
    let queue = Queue::<1, 2>::at(&memory, AT);
    queue.clear(&mut memory);
    assert!(queue.is_empty(&memory) && queue.has_room(&memory, 4) && !queue.has_room(&memory, 5));
    queue.writer(&memory).push(&mut memory, [7]);
    queue.writer(&memory).push(&mut memory, [8]);
    assert_eq!(queue.reader(&memory).pop(&mut memory), Some([7]));
    assert_eq!(queue.reader(&memory).pop(&mut memory), Some([8]));
    assert!(queue.is_empty(&memory));
}

/// A writer that never asks for room.
fn fill(entries: u32, push: impl Fn(&mut Writer<1, 2>, &mut Counted, [u32; 1])) {
    let mut memory = Counted::new();
    let (_, mut writer, mut reader) = new_queue::<1, 2>(&mut memory, 0);
    for number in 0..entries {
        push(&mut writer, &mut memory, [number]);
        assert_eq!(reader.pop(&mut memory), Some([number]));
    }
}

#[test]
fn a_writer_that_does_not_ask_for_room_looks_for_itself() {
    fill(9, |writer, memory, entry| writer.push_rarely(memory, entry));
}

#[test]
#[should_panic(expected = "an entry is pushed without room")]
fn a_push_of_a_writer_that_knows_of_no_room_is_found() {
    fill(5, |writer, memory, entry| writer.push(memory, entry));
}

#[test]
fn memory_is_read_only_for_what_a_half_does_not_know() {
    let mut memory = Counted::new();
    let (_, mut writer, mut reader) = new_queue::<2, 1>(&mut memory, 0);
    for number in 0..2 {
        assert!(writer.room(&memory) > 0 && writer.has_room(&memory, 1));
        writer.push(&mut memory, [number; 2]);
        assert_eq!(memory.accesses(), (0, 3));
    }
    assert_eq!((writer.room(&memory), memory.accesses()), (0, (1, 0)));
    assert_eq!((reader.pop(&mut memory), memory.accesses()), (Some([0; 2]), (3, 1)));
    assert_eq!((reader.pop(&mut memory), memory.accesses()), (Some([1; 2]), (2, 1)));
    assert_eq!((reader.pop(&mut memory), memory.accesses()), (None, (1, 0)));
    assert_eq!((writer.room(&memory), memory.accesses()), (2, (1, 0)));
}

#[test]
fn a_skip_without_an_entry_does_nothing() {
    let mut memory = Counted::new();
    let (queue, _, mut reader) = new_queue::<1, 1>(&mut memory, 5);
    reader.skip(&mut memory);
    assert_eq!(memory.accesses(), (0, 0));
    assert!(queue.is_empty(&memory) && queue.has_room(&memory, 2));
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "an entry is pushed without room")]
fn a_push_without_room_is_found() {
    let mut memory = Counted::new();
    let (_, mut writer, _) = new_queue::<1, 1>(&mut memory, 0);
    (0..3).for_each(|number| writer.push(&mut memory, [number]));
}

#[derive(Clone, Debug)]
enum Step {
    /// So many entries, as far as there is room.
    Push(u32),
    /// Entries, as far as the writer knows of room when it has not looked.
    PushRoom,
    Pop(u32),
    PeekAndSkip,
    Looks(u32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1..6u32).prop_map(Step::Push),
        Just(Step::PushRoom),
        (1..6u32).prop_map(Step::Pop),
        Just(Step::PeekAndSkip),
        (0..10u32).prop_map(Step::Looks),
    ]
}

/// Holds a queue against a `VecDeque`.
fn follow<const N: usize, const LOG2: u32>(first: u32, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut memory = Counted::new();
    let (queue, mut writer, mut reader) = new_queue::<N, LOG2>(&mut memory, first);
    let mut model: VecDeque<[u32; N]> = VecDeque::new();
    let capacity = Queue::<N, LOG2>::CAPACITY as usize;
    let mut number = 0;
    let mut next = || {
        number += 1;
        std::array::from_fn(|word| number * 8 + word as u32)
    };
    for step in steps {
        match *step {
            Step::Push(entries) => {
                let has_room = writer.has_room(&memory, entries);
                prop_assert_eq!(has_room, model.len() + entries as usize <= capacity);
                for _ in 0..entries {
                    prop_assert_eq!(writer.room(&memory) > 0, model.len() < capacity);
                    if model.len() < capacity {
                        model.push_back(next());
                        writer.push(&mut memory, model[model.len() - 1]);
                    }
                }
            }
            Step::PushRoom => {
                let room = writer.room(&memory);
                prop_assert!(model.len() + room as usize <= capacity);
                for _ in 0..room {
                    model.push_back(next());
                    writer.push(&mut memory, model[model.len() - 1]);
                }
            }
            Step::Pop(entries) => {
                for _ in 0..entries {
                    let expected = model.pop_front();
                    prop_assert_eq!(reader.pop(&mut memory), expected);
                }
            }
            Step::PeekAndSkip => {
                prop_assert_eq!(reader.peek(&memory), model.front().copied());
                prop_assert_eq!(reader.peek(&memory), model.pop_front());
                reader.skip(&mut memory);
            }
            Step::Looks(entries) => {
                let room = capacity - model.len();
                prop_assert_eq!(reader.is_empty(&memory), model.is_empty());
                prop_assert_eq!(queue.is_empty(&memory), model.is_empty());
                prop_assert_eq!(queue.has_room(&memory, entries), room >= entries as usize);
                // Before the last pop there was room for one less.
                prop_assert_eq!(reader.made_room(&memory, entries), room <= entries as usize);
            }
        }
    }
    // Nothing is written outside of the queue.
    let (begin, end) = (AT as usize / 4, (AT + Queue::<N, LOG2>::bytes()) as usize / 4);
    prop_assert!(memory.words[..begin].iter().chain(&memory.words[end..]).all(|word| *word == 0xDEAD_BEEF));
    Ok(())
}

proptest! {
    #[test]
    fn a_queue_is_a_bounded_deque(
        first in prop_oneof![Just(0), (u32::MAX - 12)..=u32::MAX, any::<u32>()],
        steps in prop::collection::vec(step(), 1..60),
    ) {
        follow::<1, 0>(first, &steps)?;
        follow::<2, 1>(first, &steps)?;
        follow::<3, 2>(first, &steps)?;
        follow::<4, 3>(first, &steps)?;
    }
}
