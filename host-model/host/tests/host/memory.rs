//! Memory against byte vectors and counts.

use std::collections::BTreeMap;

use host_model::address::{BusAddr, HostPhys, Pid, UserVirt, VirtPage};
use host_model::executor::Executor;
use host_model::memory::{DmaDirection, DmaFault, Memory, MemoryError, POISON_BYTE};
use proptest::prelude::*;
use sim_pins::Ps;

const PID: Pid = Pid(7);

fn memory() -> Memory {
    let mut memory = Memory::new(1024, 64, 1);
    memory.create_space(PID);
    memory
}

fn bus_address(memory: &mut Memory, address: UserVirt) -> BusAddr {
    let page = memory.touch(PID, address.page()).expect("mapped");
    (page.start() + address.offset_in_page() as u32).on_bus()
}

#[test]
fn neighbours_in_the_address_space_are_none_in_memory() {
    let mut memory = memory();
    let start = memory.reserve(PID, 64 * 4096).expect("room");
    let pages: Vec<u32> = (0..64).map(|n| memory.touch(PID, VirtPage(start.page().0 + n)).expect("mapped").0).collect();
    let adjacent = pages.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
    assert!(adjacent < 4, "{adjacent} of 63 neighbours are adjacent");
}

#[test]
fn the_same_seed_gives_the_same_pages() {
    let pages = |seed| {
        let mut memory = Memory::new(256, 16, seed);
        memory.create_space(PID);
        let start = memory.reserve(PID, 4096 * 8).expect("room").page().0;
        (0..8).map(|n| memory.touch(PID, VirtPage(start + n)).expect("mapped").0).collect::<Vec<_>>()
    };
    assert_eq!(pages(3), pages(3));
    assert_ne!(pages(3), pages(4));
}

#[test]
fn what_is_reserved_is_listed_once_and_nothing_beside_it() {
    let mut memory = memory();
    let first = memory.reserve(PID, 4097).expect("room").page();
    let second = memory.reserve(PID, 1).expect("room").page();
    // One page of the heap, and one outside.
    memory.add_page(PID, second).expect("a page");
    memory.add_page(PID, VirtPage(7)).expect("a page");
    let expected = [first, VirtPage(first.0 + 1), second, VirtPage(7)];
    assert_eq!(memory.reserved_pages(PID), expected);
    assert!(memory.reserved_pages(Pid(PID.0 + 1)).is_empty());
}

proptest! {
    #[test]
    fn a_process_reads_what_it_wrote(
        writes in prop::collection::vec((0_u32..20_000, prop::collection::vec(any::<u8>(), 0..9_000)), 1..12),
    ) {
        let mut memory = memory();
        let start = memory.reserve(PID, 32_768).expect("room");
        let mut truth = vec![0_u8; 32_768];
        for (offset, bytes) in writes {
            memory.write(PID, start + offset, &bytes).expect("mapped");
            truth[offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        let mut seen = vec![1_u8; 32_768];
        memory.read(PID, start, &mut seen).expect("mapped");
        prop_assert_eq!(seen, truth);
    }

    #[test]
    fn pins_are_counted_per_page_and_bounded(operations in prop::collection::vec((any::<bool>(), 0_u32..12), 1..200)) {
        let mut memory = Memory::new(64, 6, 1);
        memory.create_space(PID);
        let start = memory.reserve(PID, 12 * 4096).expect("room").page().0;
        let mut truth: BTreeMap<u32, u32> = BTreeMap::new();
        for (pin, page) in operations {
            let target = memory.touch(PID, VirtPage(start + page)).expect("mapped");
            if pin {
                let full = truth.len() == 6 && !truth.contains_key(&page);
                prop_assert_eq!(memory.pin(PID, VirtPage(start + page)).is_err(), full);
                if !full {
                    *truth.entry(page).or_default() += 1;
                }
            } else if let Some(count) = truth.get_mut(&page) {
                memory.unpin(target);
                *count -= 1;
                if *count == 0 {
                    truth.remove(&page);
                }
            }
            prop_assert_eq!(memory.is_pinned(target), truth.contains_key(&page));
            let counts = memory.counts();
            prop_assert_eq!(counts.pinned_now, truth.len() as u64);
            prop_assert_eq!(counts.pins - counts.unpins, truth.values().map(|&n| u64::from(n)).sum::<u64>());
        }
    }
}

#[test]
fn a_device_reads_and_writes_pinned_pages() {
    let mut memory = memory();
    let address = memory.reserve(PID, 4096).expect("room") + 100;
    memory.write(PID, address, b"abcd").expect("mapped");
    memory.pin(PID, address.page()).expect("room for a pin");
    let on_bus = bus_address(&mut memory, address);
    let mut bytes = [0; 4];
    memory.dma_read(Ps(1), on_bus, &mut bytes);
    assert_eq!(&bytes, b"abcd");
    memory.dma_write(Ps(2), on_bus + 2, b"XY");
    memory.read(PID, address, &mut bytes).expect("mapped");
    assert_eq!(&bytes, b"abXY");
    assert!(memory.violations().is_empty());
}

#[test]
fn dma_to_an_unpinned_page_is_a_violation_with_time_and_address() {
    let mut memory = memory();
    let address = memory.reserve(PID, 4096).expect("room");
    memory.write(PID, address, b"keep").expect("mapped");
    let on_bus = bus_address(&mut memory, address);
    memory.dma_write(Ps(77), on_bus, b"lost");
    let mut bytes = [0; 4];
    memory.dma_read(Ps(78), on_bus, &mut bytes);
    assert_eq!(bytes, [POISON_BYTE; 4]);
    memory.read(PID, address, &mut bytes).expect("mapped");
    assert_eq!(&bytes, b"keep");
    let [write, read] = memory.violations() else { panic!("two violations") };
    assert_eq!((write.at, write.address, write.direction), (Ps(77), on_bus, DmaDirection::Write));
    assert_eq!((read.direction, read.fault), (DmaDirection::Read, DmaFault::Unpinned));
    assert!(write.to_string().starts_with("INV-26 at 0.077 ns: DMA write to"));
}

#[test]
fn dma_to_a_free_page_and_beyond_the_memory_are_violations() {
    let mut memory = memory();
    memory.dma_write(Ps(1), HostPhys(4096).on_bus(), &[1]);
    memory.dma_write(Ps(2), BusAddr(1024 * 4096), &[1]);
    let faults: Vec<DmaFault> = memory.violations().iter().map(|violation| violation.fault).collect();
    assert_eq!(faults, [DmaFault::Foreign, DmaFault::Outside]);
}

#[test]
fn a_page_of_a_process_that_ended_is_foreign() {
    let mut memory = memory();
    let address = memory.reserve(PID, 4096).expect("room");
    let page = memory.pin(PID, address.page()).expect("pinned");
    memory.unpin(page);
    memory.destroy_space(PID).expect("exists");
    memory.dma_read(Ps(1), page.start().on_bus(), &mut [0; 8]);
    assert_eq!(memory.violations()[0].fault, DmaFault::Foreign);
    assert_eq!(memory.read(PID, address, &mut [0]), Err(MemoryError::NoSuchProcess(PID)));
}

#[test]
fn a_hole_cannot_be_touched() {
    let mut memory = memory();
    let hole = UserVirt(0x1000);
    assert_eq!(memory.read(PID, hole, &mut [0]), Err(MemoryError::NotMapped { pid: PID, address: hole }));
    assert!(memory.write(PID, UserVirt(0xFFFF_FFFF), &[0, 0]).is_err());
    memory.add_page(PID, hole.page()).expect("exists");
    assert_eq!(memory.read(PID, hole, &mut [0]), Ok(()));
}

#[test]
fn memory_ends() {
    let mut memory = Memory::new(2, 2, 1);
    memory.create_space(PID);
    let start = memory.reserve(PID, 3 * 4096).expect("addresses are plenty");
    assert_eq!(memory.write(PID, start, &[0; 8192]), Ok(()));
    assert_eq!(memory.write(PID, start + 8192, &[0]), Err(MemoryError::OutOfPages));
}

#[test]
fn a_watch_wakes_at_a_write_into_its_bytes_and_at_no_other() {
    let mut executor = Executor::new();
    let mut memory = memory();
    // Across a page border.
    let start = memory.reserve(PID, 8192).expect("room") + 4090;
    for page in 0..2 {
        memory.pin(PID, VirtPage(start.page().0 + page)).expect("pinned");
    }
    let watch = memory.watch(PID, start, 12).expect("mapped");
    let sim = executor.sim();
    let woken = executor.sim().spawn("watcher", async move {
        watch.written().await;
        sim.now()
    });
    let (before, behind) = (bus_address(&mut memory, start), bus_address(&mut memory, start + 11));
    executor.run_until(Ps(10));
    memory.dma_write(Ps(10), BusAddr(before.0 - 4), &[1; 4]);
    memory.dma_write(Ps(10), behind + 1, &[1; 4]);
    executor.run_until(Ps(20));
    assert!(!woken.is_ended());
    memory.dma_write(Ps(20), behind, &[1]);
    executor.run_until(Ps(20));
    assert_eq!(woken.take(), Some(Ps(20)));
}
