//! Transactions between the bridge and the mock NIC, one idea at a time.

use crate::common::*;
use host_pci::mock::MockNicSettings;
use host_pci::*;

fn bench() -> Bench {
    Bench::running(Settings::default(), MockNicSettings::default())
}

#[test]
fn the_identity_is_read_through_configuration_space() {
    let mut bench = bench();
    let device = bench.bus.settings().nic_device;
    assert_eq!(bench.run(Transaction::config_read(device, 0)), Ok(Answer::Read(vec![0x5678_1234])));
    bench.expect_clean();
}

#[test]
fn an_empty_slot_ends_in_master_abort() {
    let mut bench = bench();
    let empty = bench.bus.settings().nic_device + 1;
    assert_eq!(bench.run(Transaction::config_read(empty, 0)), Err(BusError::MasterAbort));
    bench.clocks(2);
    assert_eq!(bench.bus.counters().master(AgentId::Bridge).outcome(Outcome::MasterAbort), 1);
    bench.expect_clean();
}

#[test]
fn a_posted_write_is_seen_by_a_later_read() {
    let mut bench = bench();
    assert_eq!(bench.run(Transaction::write_dword(BAR_1 + 64, 0xDEAD_BEEF)), Ok(Answer::Posted));
    assert_eq!(bench.read(BAR_1 + 64), 0xDEAD_BEEF);
    bench.expect_clean();
}

#[test]
fn bursts_move_every_dword() {
    let mut bench = bench();
    let data: Vec<u32> = (0..40).map(|k| 0x0101_0101 * k).collect();
    bench.bus.submit(Transaction::write_dwords(BAR_1 + 20, &data));
    let read = bench.run(Transaction::MemoryRead { addr: BAR_1 + 20, dwords: 40, kind: ReadKind::Multiple });
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
    bench.nic.dma_write(BusAddr(0x1000), words.iter().copied().map(Word::full).collect());
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

#[test]
fn byte_enables_reach_the_target() {
    let mut bench = bench();
    bench.run(Transaction::write_dword(BAR_1, 0x1111_1111)).unwrap();
    let words = vec![Word { data: 0x2233_4455, byte_enables: 0b0110 }];
    bench.run(Transaction::MemoryWrite { addr: BAR_1, words }).unwrap();
    assert_eq!(bench.read(BAR_1), 0x1133_4411);
    bench.expect_clean();
}

#[test]
fn each_kind_of_read_has_its_command() {
    let mut bench = bench();
    let log = listen(&mut bench);
    for kind in [ReadKind::Plain, ReadKind::Line, ReadKind::Multiple] {
        bench.run(Transaction::MemoryRead { addr: BAR_1, dwords: 4, kind }).unwrap();
    }
    let commands: Vec<_> = log.lock().unwrap().starts.iter().map(|(_, start)| start.command).collect();
    let expected = [Command::MemoryRead, Command::MemoryReadLine, Command::MemoryReadMultiple];
    assert_eq!(commands, expected.map(Some));
}

#[test]
fn a_retried_read_is_repeated_until_it_is_done() {
    let mut bench = bench();
    bench.run(Transaction::write_dword(BAR_1, 7)).unwrap();
    bench.drain();
    bench.nic.misbehaviour().plan_retries(50);
    assert_eq!(bench.read(BAR_1), 7);
    assert_eq!(bench.bus.counters().master(AgentId::Bridge).outcome(Outcome::Retry), 50);
    bench.expect_clean();
}

#[test]
fn a_target_that_always_retries_runs_into_the_limit() {
    let settings = Settings { retry_limit: 20, ..Settings::default() };
    let mut bench = Bench::running(settings, MockNicSettings::default());
    bench.nic.misbehaviour().plan_retries(42);
    assert_eq!(bench.run(Transaction::read_dword(BAR_1)), Err(BusError::RetryLimit));
    assert_eq!(bench.run(Transaction::write_dword(BAR_1, 1)), Ok(Answer::Posted));
    bench.drain();
    let lost = bench.bus.take_incidents();
    assert!(matches!(lost[..], [Incident::PostedWriteLost { addr: BAR_1, error: BusError::RetryLimit, .. }]));
    bench.expect_clean();
}

#[test]
fn a_disconnect_at_any_beat_loses_and_repeats_nothing() {
    let data: Vec<u32> = (1..=8).map(|k| k * 0x1111_1111).collect();
    for beat in 0..8 {
        for with_data in [false, true] {
            let mut bench = bench();
            let acts = TargetActs {
                retry: beat == 0 && !with_data,
                disconnect_with_beat: with_data.then_some(beat),
                disconnect_before_beat: (!with_data).then_some(beat),
                ..TargetActs::default()
            };
            bench.nic.misbehaviour().plan(acts);
            bench.run(Transaction::write_dwords(BAR_1 + 0x40, &data)).unwrap();
            bench.drain();
            bench.nic.misbehaviour().plan(acts);
            let read = Transaction::MemoryRead { addr: BAR_1 + 0x40, dwords: 8, kind: ReadKind::Line };
            assert_eq!(bench.run(read), Ok(Answer::Read(data.clone())), "beat {beat}, with data {with_data}");
            bench.expect_clean();
        }
    }
}

#[test]
fn target_abort_reaches_the_reader_and_is_an_incident_for_a_posted_write() {
    let mut bench = bench();
    let abort = TargetActs { abort_at_beat: Some(1), ..TargetActs::default() };
    bench.nic.misbehaviour().plan(abort);
    let read = Transaction::MemoryRead { addr: BAR_1, dwords: 4, kind: ReadKind::Line };
    assert_eq!(bench.run(read), Err(BusError::TargetAbort));
    bench.nic.misbehaviour().plan(abort);
    assert_eq!(bench.run(Transaction::write_dwords(BAR_1, &[1, 2, 3])), Ok(Answer::Posted));
    bench.drain();
    let lost = bench.bus.take_incidents();
    assert!(matches!(lost[..], [Incident::PostedWriteLost { error: BusError::TargetAbort, .. }]), "{lost:?}");
    assert_eq!(bench.bus.counters().master(AgentId::Bridge).outcome(Outcome::TargetAbort), 2);
    bench.expect_clean();
}

#[test]
fn unposted_writes_complete_on_the_bus() {
    let settings = Settings { posted_write_lines: 0, ..Settings::default() };
    let mut bench = Bench::running(settings, MockNicSettings::default());
    assert_eq!(bench.run(Transaction::write_dwords(BAR_1, &[1, 2, 3])), Ok(Answer::Written));
    assert_eq!(bench.nic.bar(1)[..12], [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    let nowhere = Transaction::write_dword(BusAddr(0x9000_0000), 1);
    assert_eq!(bench.run(nowhere), Err(BusError::MasterAbort));
    bench.expect_clean();
}

#[test]
fn a_full_write_buffer_makes_the_submitter_wait() {
    let settings = Settings { posted_write_lines: 2, write_combining: false, ..Settings::default() };
    let mut bench = Bench::running(settings, MockNicSettings::default());
    bench.nic.misbehaviour().plan_retries(30);
    let ids: Vec<_> = (0..4).map(|k| bench.bus.submit(Transaction::write_dword(BAR_1 + 4 * k, k))).collect();
    bench.clocks(50);
    let posted: Vec<_> = std::iter::from_fn(|| bench.bus.next_completion()).map(|done| done.id).collect();
    assert_eq!(posted, ids[..2], "two fit while the first is retried");
    assert_eq!(bench.completion_of(ids[3]).result, Ok(Answer::Posted));
    bench.drain();
    assert_eq!(bench.nic.bar(1)[12], 3);
    bench.expect_clean();
}

#[test]
fn writes_combine_only_if_told_to() {
    for (write_combining, transactions) in [(true, 2), (false, 5)] {
        let settings = Settings { write_combining, posted_write_lines: 8, ..Settings::default() };
        let mut bench = Bench::running(settings, MockNicSettings::default());
        let before = bench.bus.counters().master(AgentId::Bridge).started;
        for k in 0..5 {
            // The first leaves alone; the others, submitted while it is on the bus, ascend within a
            // line.
            bench.bus.submit(Transaction::write_dword(BAR_1 + 4 * k, k));
            if k == 0 {
                bench.clocks(2);
            }
        }
        bench.drain();
        assert_eq!(bench.bus.counters().master(AgentId::Bridge).started - before, transactions);
        bench.expect_clean();
    }
}

#[test]
fn a_read_goes_after_the_writes_before_it_and_later_writes_pass_it_only_when_it_is_retried() {
    let order = |retries: usize| {
        let mut bench = bench();
        bench.drain();
        let log = listen(&mut bench);
        bench.bus.submit(Transaction::write_dword(BAR_1 + 0x100, 1));
        bench.bus.submit(Transaction::read_dword(BAR_1));
        bench.bus.submit(Transaction::write_dword(BAR_1 + 0x200, 2));
        bench.nic.misbehaviour().plan(TargetActs::default());
        bench.nic.misbehaviour().plan_retries(retries);
        bench.drain();
        bench.expect_clean();
        let log = log.lock().unwrap();
        log.starts.iter().map(|(_, start)| start.address.0 & 0xFFF).collect::<Vec<_>>()
    };
    assert_eq!(order(0), [0x100, 0, 0x200]);
    assert_eq!(order(1), [0x100, 0, 0x200, 0]);
}

#[test]
fn a_nic_whose_own_write_must_go_first_does_not_deadlock_with_a_cpu_read() {
    let mut bench = bench();
    bench.nic.misbehaviour().plan_retries(200);
    let id = bench.bus.submit(Transaction::read_dword(BAR_1));
    bench.nic.dma_write(BusAddr(0x100), (0..64).map(Word::full).collect());
    assert!(bench.next_dma().result.is_ok(), "the bridge takes data while its read is retried");
    assert!(bench.nic.misbehaviour().planned_count() > 100, "the read is still being retried");
    assert!(bench.completion_of(id).result.is_ok());
    bench.expect_clean();
}

#[test]
fn a_read_of_memory_pushes_the_posted_writes_before_it() {
    for (reads_push_posted_writes, first) in [(true, AgentId::Bridge), (false, AgentId::Nic)] {
        let settings = Settings { reads_push_posted_writes, ..Settings::default() };
        let mut bench = Bench::running(settings, MockNicSettings::default());
        bench.nic.misbehaviour().plan_retries(8);
        bench.bus.submit(Transaction::write_dword(BAR_1, 1));
        bench.clocks(4);
        bench.nic.dma_read(BusAddr(0x100), 1);
        let log = listen(&mut bench);
        bench.drain();
        let log = log.lock().unwrap();
        let done = log.ends.iter().find(|(_, end)| end.outcome == Outcome::Completed);
        let serial = done.expect("both complete").1.serial;
        let (_, start) = log.starts.iter().find(|(_, start)| start.serial == serial).unwrap();
        assert_eq!(start.master, first);
        bench.expect_clean();
    }
}

#[test]
fn wrong_parity_is_reported_in_each_direction() {
    // A CPU write: the NIC answers with PERR#.
    let mut bench = bench();
    bench.bus.master_habits().bad_parity_at_word = Some(1);
    bench.run(Transaction::write_dwords(BAR_1, &[1, 2, 3])).unwrap();
    bench.drain();
    bench.bus.master_habits().bad_parity_at_word = None;
    let incidents = bench.bus.take_incidents();
    assert!(matches!(incidents[..], [Incident::PostedWriteLost { error: BusError::Parity, .. }]), "{incidents:?}");

    // A DMA read: the NIC sees it, and says so.
    bench.bus.misbehaviour().plan(TargetActs { bad_parity_at_beat: Some(2), ..TargetActs::default() });
    bench.nic.dma_read(BusAddr(0x100), 16);
    assert_eq!(bench.next_dma().result, Err(BusError::Parity));
    bench.drain();
    bench.expect_clean();

    // A CPU read: the bridge sees it. Here the NIC is at fault, which the checker says too.
    bench.nic.misbehaviour().plan(TargetActs { bad_parity_at_beat: Some(0), ..TargetActs::default() });
    assert_eq!(bench.run(Transaction::read_dword(BAR_1)), Err(BusError::Parity));
    // A DMA write: the bridge answers with PERR#.
    bench.nic.master_habits().bad_parity_at_word = Some(5);
    bench.nic.dma_write(BusAddr(0x100), vec![Word::full(3); 12]);
    assert_eq!(bench.next_dma().result, Err(BusError::Parity));
    assert!(matches!(bench.bus.take_incidents()[..], [Incident::BadWriteParity { .. }]));
    let rules: Vec<_> = bench.bus.take_violations().iter().map(|violation| violation.rule).collect();
    assert!(!rules.is_empty() && rules.iter().all(|rule| matches!(rule, Rule::Parity | Rule::Parity64)), "{rules:?}");
}

#[test]
fn a_bad_address_is_a_system_error() {
    let mut bench = bench();
    bench.nic.master_habits().bad_address_parity = true;
    bench.nic.dma_read(BusAddr(0x100), 1);
    bench.next_dma().result.unwrap();
    let incidents = bench.bus.take_incidents();
    let kinds = matches!(incidents[..], [Incident::BadAddressParity { .. }, Incident::SystemError { .. }]);
    assert!(kinds, "{incidents:?}");
}

#[test]
fn a_fault_may_be_ignored_and_is_recorded_all_the_same() {
    let settings = Settings { on_fault: FaultAnswer::Ignore, ..Settings::default() };
    let mut bench = Bench::running(settings, MockNicSettings::default());
    bench.memory.poison(0x2000..0x3000);
    bench.nic.dma_read(BusAddr(0x2000), 1);
    assert_eq!(bench.next_dma().result, Ok(vec![u32::MAX]));
    let incidents = bench.bus.take_incidents();
    assert!(incidents.iter().all(|incident| matches!(incident, Incident::MemoryFault { is_write: false, .. })));
    assert!(!incidents.is_empty());
    bench.expect_clean();
}

#[test]
fn bursts_end_at_the_boundary() {
    let settings = Settings { boundary_bytes: 32, ..Settings::default() };
    let mut bench = Bench::running(settings, MockNicSettings::default());
    let log = listen(&mut bench);
    bench.nic.dma_write(BusAddr(0x118), (0..20).map(Word::full).collect());
    bench.next_dma().result.unwrap();
    let log = log.lock().unwrap();
    let starts: Vec<u32> = log.starts.iter().map(|(_, start)| start.address.0).collect();
    assert_eq!(starts, [0x118, 0x120, 0x140, 0x160]);
    bench.expect_clean();
}

#[test]
fn the_first_data_come_at_the_clock_that_the_platform_says() {
    for (settings, is_write, clocks) in [
        (Settings::default(), false, 12),
        (Settings::default(), true, 2),
        (Settings { devsel_clock: 1, write_first_clock: 1, ..Settings::default() }, true, 1),
        (Settings { devsel_clock: 1, read_first_clock: 1, ..Settings::default() }, false, 2),
        (Settings { devsel_clock: 3, read_first_clock: 2, ..Settings::default() }, false, 3),
        (Settings { read_first_clock: 16, ..Settings::default() }, false, 16),
    ] {
        let mut bench = Bench::running(settings, MockNicSettings::default());
        let log = listen(&mut bench);
        if is_write {
            bench.nic.dma_write(BusAddr(0x100), vec![Word::full(1); 8]);
        } else {
            bench.nic.dma_read(BusAddr(0x100), 8);
        }
        bench.next_dma().result.unwrap();
        let log = log.lock().unwrap();
        assert_eq!((log.first_data[0].0 - log.starts[0].0).0, clocks * PERIOD.0);
        bench.expect_clean();
    }
}

#[test]
fn a_32_bit_slot_or_target_moves_the_same_bytes() {
    for (bus_64_bit, target_64_bit) in [(false, true), (true, false), (true, true)] {
        let settings = Settings { bus_64_bit, target_64_bit, ..Settings::default() };
        let mut bench = Bench::running(settings, MockNicSettings::default());
        let words: Vec<u32> = (0..13).map(|k| 0x0101_0101 * k).collect();
        bench.nic.dma_write(BusAddr(0x108), words.iter().copied().map(Word::full).collect());
        bench.nic.dma_read(BusAddr(0x108), 13);
        assert!(bench.next_dma().result.is_ok());
        assert_eq!(bench.next_dma().result, Ok(words));
        let wide = bench.bus.counters().master(AgentId::Nic).wide_beats;
        assert_eq!(wide > 0, bus_64_bit && target_64_bit);
        bench.expect_clean();
    }
}

#[test]
fn a_bad_setting_says_what_would_be_right() {
    let settings = Settings { read_first_clock: 17, ..Settings::default() };
    let error = Bus::new(settings).err().expect("17 is too slow");
    assert_eq!(error.to_string(), "read_first_clock is 17; it must be 16 or less");
}

#[test]
fn the_host_writes_that_a_mock_heard_can_be_read_back() {
    let nic = MockNicSettings { records_host_writes: true, ..MockNicSettings::default() };
    let mut bench = Bench::running(Settings::default(), nic);
    bench.run(Transaction::write_dword(BAR_0 + 0x1_3004, 9)).unwrap();
    bench.drain();
    let heard = bench.nic.next_host_write().expect("one write was heard");
    assert_eq!((heard.bar, heard.offset_bytes, heard.word), (0, 0x1_3004, Word::full(9)));
}

#[test]
fn a_bad_address_of_the_bridge_pulls_serr() {
    let mut bench = bench();
    bench.bus.master_habits().bad_address_parity = true;
    bench.run(Transaction::read_dword(BAR_1)).unwrap();
    assert!(matches!(bench.bus.take_incidents()[..], [Incident::SystemError { .. }]));
    bench.expect_clean();
}

#[test]
fn a_posted_write_may_be_followed_to_its_delivery() {
    let settings = Settings { reports_deliveries: true, ..Settings::default() };
    let mut bench = Bench::running(settings, MockNicSettings::default());
    bench.drain();
    // Eight dwords, of which the first four fill a line: two entries. Its first fails, and so the
    // whole write.
    let abort = TargetActs { abort_at_beat: Some(0), ..TargetActs::default() };
    bench.nic.misbehaviour().plan(abort);
    let failing = bench.bus.submit(Transaction::write_dwords(BAR_1 + 0x10, &[1; 8]));
    let combined = bench.bus.submit(Transaction::write_dword(BAR_1 + 0x30, 2));
    let posted = bench.completion_of(combined).at;
    bench.drain();
    let deliveries: Vec<_> = std::iter::from_fn(|| bench.bus.next_delivery()).collect();
    let results: Vec<_> = deliveries.iter().map(|delivery| (delivery.id, delivery.result)).collect();
    assert_eq!(results, [(failing, Err(BusError::TargetAbort)), (combined, Ok(()))]);
    assert!(deliveries.iter().all(|delivery| delivery.at > posted));

    // What RST# finds in the buffer is lost.
    bench.nic.misbehaviour().plan_retries(100);
    let lost = bench.bus.submit(Transaction::write_dword(BAR_1, 3));
    bench.clocks(20);
    let at = bench.at;
    bench.bus.start_reset(at, 10);
    let delivery = bench.bus.next_delivery().map(|delivery| (delivery.id, delivery.result));
    assert_eq!(delivery, Some((lost, Err(BusError::Reset))));
}
