//! An engine with its ring and its descriptors, and the expected contents of memory after them.

use bench_engines::dma::{Descriptor, DmaBench, Engine};
use bench_engines::memory::{HostMemory, HOST_BASE};
use nic_layout::registers::dma_read as reg;

pub const RING_BASE: u32 = 0x100;
pub const RING_LOG2: u32 = 8;
pub const DATA: u32 = 0x2000;
pub const DONE: u32 = 1 << 31;
pub const REFUSED: u32 = 7;

/// The expected contents of memory, made by plain copies.
pub fn copy(bench: &DmaBench, engine: Engine, d: Descriptor, sram: &mut [u8], host: &mut [u8]) {
    for k in 0..d.length_bytes as usize {
        let (s, h) = (d.sram_address as usize + k, HostMemory::index(d.host_address) + k);
        match engine {
            Engine::HostRead => sram[s] = bench.host.bytes[h],
            Engine::HostWrite => host[h] = bench.sram.bytes[s],
        }
    }
}

/// Runs descriptors that end well, and compares all memory byte for byte.
pub fn moves_exactly(bench: &mut DmaBench, engine: Engine, descriptors: &[Descriptor]) {
    let first = bench.consumer(engine);
    let mut places = Vec::new();
    for (i, d) in descriptors.iter().enumerate() {
        places.push(bench.put_descriptor(RING_BASE, RING_LOG2, first.wrapping_add(i as u16), *d));
    }
    let (mut sram, mut host) = (bench.sram.bytes.clone(), bench.host.bytes.clone());
    for d in descriptors {
        copy(bench, engine, *d, &mut sram, &mut host);
    }
    for at in places {
        sram[at as usize + 12..][..4].copy_from_slice(&DONE.to_le_bytes());
    }
    let end = first.wrapping_add(descriptors.len() as u16);
    bench.write(engine, reg::PRODUCER.offset(), end as u32);
    bench.until("the end of the ring", |b| b.consumer(engine) == end);
    assert_first_difference("SRAM", &bench.sram.bytes, &sram, descriptors);
    assert_first_difference("host memory", &bench.host.bytes, &host, descriptors);
}

pub fn assert_first_difference(what: &str, got: &[u8], wanted: &[u8], descriptors: &[Descriptor]) {
    if let Some(at) = (0..got.len()).find(|&at| got[at] != wanted[at]) {
        panic!("{what} differs first at {at:#x}: {:#04x}, should be {:#04x}; {descriptors:x?}", got[at], wanted[at]);
    }
}

pub fn started(engine: Engine, seed: u64) -> DmaBench {
    let mut bench = DmaBench::new(seed);
    bench.start_ring(engine, RING_BASE, RING_LOG2, 0);
    bench
}

pub fn one(host_offset: u32, sram_address: u32, length_bytes: u16) -> Descriptor {
    Descriptor {
        host_address: HOST_BASE + host_offset,
        sram_address,
        length_bytes,
        event: true,
        ..Descriptor::default()
    }
}

/// A range of host memory that one command reads, for several places in the SRAM, with empty
/// descriptors between.
pub fn read_ahead(host_offset: u32, pieces: &[(u32, u16)]) -> Vec<Descriptor> {
    let all: u16 = pieces.iter().map(|(_, bytes)| bytes).sum();
    let mut at = host_offset;
    let mut descriptors = Vec::new();
    for (number, &(sram_address, length_bytes)) in pieces.iter().enumerate() {
        let ahead_bytes = if number == 0 { all - length_bytes } else { 0 };
        descriptors.push(Descriptor { ahead_bytes, assist: number % 2 == 0, ..one(at, sram_address, length_bytes) });
        descriptors.push(Descriptor { assist: true, ..one(7, 11, 0) });
        at += length_bytes as u32;
    }
    descriptors
}
