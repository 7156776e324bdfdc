//! Which agent gets the bus, and for how long.

use crate::common::*;
use host_pci::mock::MockNicSettings;
use host_pci::*;
use sim_pins::PciPin;

#[test]
fn both_masters_take_turns() {
    let settings = Settings { posted_write_lines: 8, ..Settings::default() };
    let nic = MockNicSettings { burst_words: 4, ..MockNicSettings::default() };
    let mut bench = Bench::running(settings, nic);
    bench.drain();
    let log = listen(&mut bench);
    bench.nic.dma_write(BusAddr(0), vec![Word::full(1); 40]);
    bench.bus.submit(Transaction::write_dwords(BAR_1, &[2; 64]));
    bench.drain();
    let log = log.lock().unwrap();
    let masters: Vec<_> = log.starts.iter().map(|(_, start)| start.master).take(14).collect();
    let turns = masters.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(turns >= 12, "{masters:?}");
    bench.expect_clean();
}

#[test]
fn arbitration_is_hidden_behind_the_running_transaction() {
    let mut bench = Bench::running(Settings::default(), MockNicSettings::default());
    bench.drain();
    let log = listen(&mut bench);
    bench.nic.dma_write(BusAddr(0), vec![Word::full(1); 64]);
    bench.clocks(8);
    bench.bus.submit(Transaction::write_dword(BAR_1, 2));
    bench.drain();
    let log = log.lock().unwrap();
    let gap = log.starts[1].0 - log.ends[0].0;
    assert_eq!(gap.0, 2 * PERIOD.0, "the bus is idle for one clock only");
    bench.expect_clean();
}

#[test]
fn an_idle_bus_is_parked_where_the_platform_says() {
    for (parking, low) in [(Parking::Bridge, false), (Parking::LastUser, true)] {
        let mut bench = Bench::running(Settings { parking, ..Settings::default() }, MockNicSettings::default());
        bench.nic.dma_write(BusAddr(0), vec![Word::full(1)]);
        bench.drain();
        bench.clocks(40);
        assert_eq!(bench.lines.low(PciPin::Gnt), low);
        bench.expect_clean();
    }
}

#[test]
fn a_starved_nic_waits_and_then_goes_on() {
    let mut bench = Bench::running(Settings::default(), MockNicSettings::default());
    bench.bus.grant_faults().starve_nic = true;
    bench.nic.dma_write(BusAddr(0), vec![Word::full(1); 8]);
    bench.clocks(500);
    assert_eq!(bench.bus.counters().master(AgentId::Nic).started, 0);
    bench.bus.grant_faults().starve_nic = false;
    assert!(bench.next_dma().result.is_ok());
    bench.expect_clean();
}

#[test]
fn a_burst_without_grant_ends_with_the_latency_timer_and_resumes() {
    let mut bench = Bench::new(Settings::default(), MockNicSettings { asks_64: false, ..MockNicSettings::default() });
    bench.set_up_with_timer(8);
    let words: Vec<u32> = (100..164).collect();
    bench.bus.grant_faults().remove_after_clocks = Some(2);
    bench.nic.dma_write(BusAddr(0x40), words.iter().copied().map(Word::full).collect());
    bench.nic.dma_read(BusAddr(0x40), 64);
    assert!(bench.next_dma().result.is_ok());
    assert_eq!(bench.next_dma().result, Ok(words));
    assert!(bench.bus.counters().master(AgentId::Nic).started > 10);
    bench.expect_clean();
}

#[test]
fn the_bridge_obeys_its_own_latency_timer() {
    let settings = Settings { latency_timer_clocks: 0, ..Settings::default() };
    let mut bench = Bench::running(settings, MockNicSettings::default());
    bench.nic.dma_write(BusAddr(0), vec![Word::full(1); 640]);
    bench.clocks(10);
    let before = bench.bus.counters().master(AgentId::Bridge).started;
    bench.bus.submit(Transaction::write_dwords(BAR_1, &[1, 2, 3, 4, 5, 6, 7, 8]));
    bench.drain();
    let used = bench.bus.counters().master(AgentId::Bridge).started - before;
    assert!(used > 1, "the NIC waits, so the burst is cut");
    assert_eq!(bench.nic.bar(1)[28], 8);
    bench.expect_clean();
}
