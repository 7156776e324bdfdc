//! Transactions between the bridge and the mock NIC, one idea at a time.

mod common;

use common::*;
use host_pci::mock::MockNicSettings;
use host_pci::*;

fn bench() -> Bench {
    Bench::running(Settings::default(), MockNicSettings::default())
}

#[test]
fn the_identity_is_read_through_configuration_space() {
    let mut bench = bench();
    let device = bench.bus.settings().nic_device;
    assert_eq!(
        bench.run(Transaction::config_read(device, 0)),
        Ok(Answer::Read(vec![0x5678_1234]))
    );
    bench.expect_clean();
}

#[test]
fn an_empty_slot_ends_in_master_abort() {
    let mut bench = bench();
    let empty = bench.bus.settings().nic_device + 1;
    assert_eq!(
        bench.run(Transaction::config_read(empty, 0)),
        Err(BusError::MasterAbort)
    );
    bench.clocks(2);
    assert_eq!(
        bench
            .bus
            .counters()
            .master(AgentId::Bridge)
            .outcome(Outcome::MasterAbort),
        1
    );
    bench.expect_clean();
}

#[test]
fn a_posted_write_is_seen_by_a_later_read() {
    let mut bench = bench();
    assert_eq!(
        bench.run(Transaction::write_dword(BAR_1 + 64, 0xDEAD_BEEF)),
        Ok(Answer::Posted)
    );
    assert_eq!(bench.read(BAR_1 + 64), 0xDEAD_BEEF);
    bench.expect_clean();
}

#[test]
fn bursts_move_every_dword() {
    let mut bench = bench();
    let data: Vec<u32> = (0..40).map(|k| 0x0101_0101 * k).collect();
    bench
        .bus
        .submit(Transaction::write_dwords(BAR_1 + 20, &data));
    let read = bench.run(Transaction::MemoryRead {
        addr: BAR_1 + 20,
        dwords: 40,
        kind: ReadKind::Multiple,
    });
    assert_eq!(read, Ok(Answer::Read(data)));
    bench.expect_clean();
}

#[test]
fn dma_moves_both_ways_in_64_bits() {
    let mut bench = bench();
    for (k, byte) in bench.memory.bytes_mut()[..512].iter_mut().enumerate() {
        *byte = k as u8;
    }
    bench.nic.dma_read(BusAddr(16), 33);
    let words = bench.next_dma().result.expect("memory is there");
    assert_eq!(words[0], 0x1312_1110);
    assert_eq!(words[32], u32::from_le_bytes([144, 145, 146, 147]));
    bench.nic.dma_write(
        BusAddr(0x1000),
        words.iter().copied().map(Word::full).collect(),
    );
    assert!(bench.next_dma().result.is_ok());
    let bytes = bench.memory.bytes();
    assert_eq!(bytes[0x1000..0x1000 + 132], bytes[16..148]);
    assert!(bench.bus.counters().master(AgentId::Nic).wide_beats >= 32);
    bench.expect_clean();
}

#[test]
fn dma_beyond_memory_ends_in_master_abort_and_dma_to_a_hole_in_target_abort() {
    let mut bench = bench();
    bench.nic.dma_read(BusAddr(MEMORY_BYTES as u32 + 64), 1);
    assert_eq!(bench.next_dma().result, Err(BusError::MasterAbort));
    bench.memory.poison(0x2000..0x3000);
    bench.nic.dma_write(BusAddr(0x2010), vec![Word::full(1); 4]);
    assert_eq!(bench.next_dma().result, Err(BusError::TargetAbort));
    bench.nic.dma_read(BusAddr(0x1FF0), 8);
    assert_eq!(bench.next_dma().result, Err(BusError::TargetAbort));
    assert_eq!(bench.bus.take_incidents().len(), 2);
    bench.expect_clean();
}
