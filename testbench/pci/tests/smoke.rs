//! First accesses.

use bench_pci::{Bench, DmaStatus, Setup, BAR1};
use host_pci::{ReadKind, Word};

#[test]
fn configuration_space_names_the_device() {
    let mut bench = Bench::new(Setup::default()).unwrap();
    assert_eq!(bench.config_read(0x00).unwrap(), 0x4943_4E53);
    assert_eq!(bench.config_read(0x08).unwrap(), 0x0280_0001);
    bench.judge().unwrap();
}

#[test]
fn sram_reads_back() {
    let mut bench = Bench::new(Setup::default()).unwrap();
    bench.write_words(BAR1 + 0x100, &[Word::full(0x1234_5678), Word::full(0x9ABC_DEF0)]).unwrap();
    let read = bench.read_dwords(BAR1 + 0x100, 2, ReadKind::Plain).unwrap();
    assert_eq!(read, [0x1234_5678, 0x9ABC_DEF0]);
    bench.judge().unwrap();
}

#[test]
fn dma_moves() {
    let mut bench = Bench::new(Setup::default()).unwrap();
    let bytes: Vec<u8> = (0..100).collect();
    assert_eq!(bench.dma_write(0x1003, &bytes).unwrap(), DmaStatus::Ok);
    assert_eq!(&bench.memory.bytes()[0x1003..][..100], &bytes[..]);
    let read = bench.dma_read(0x1005, 60).unwrap();
    assert_eq!(read.status, DmaStatus::Ok);
    assert_eq!(read.bytes, &bytes[2..62]);
    bench.judge().unwrap();
}
