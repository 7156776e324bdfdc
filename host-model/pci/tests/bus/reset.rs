//! RST#, REQ64#, INTA#, and a bus at rest.

use crate::common::*;
use host_pci::mock::MockNicSettings;
use host_pci::*;
use sim_pins::{PciDrive, PciLines, PciPin};

#[test]
fn req64_tells_the_width_at_the_end_of_reset() {
    for bus_64_bit in [true, false] {
        let settings = Settings { bus_64_bit, reset_clocks: 20, ..Settings::default() };
        let mut bench = Bench::new(settings, MockNicSettings::default());
        for clock in 0..20 {
            bench.clock();
            assert!(bench.lines.low(PciPin::Rst), "clock {clock}");
            assert_eq!(bench.lines.low(PciPin::Req64), bus_64_bit);
        }
        bench.clock();
        assert!(bench.lines.high(PciPin::Rst));
        assert_eq!(bench.lines.low(PciPin::Req64), bus_64_bit, "held past the edge of RST#");
        bench.clock();
        assert!(bench.lines.high(PciPin::Req64));
        bench.clocks(200);
        bench.expect_clean();
    }
}

#[test]
fn nothing_begins_before_the_recovery_time_is_over() {
    let settings = Settings { reset_clocks: 10, recovery_clocks: 50, ..Settings::default() };
    let mut bench = Bench::new(settings, MockNicSettings::default());
    let log = listen(&mut bench);
    bench.run(Transaction::config_read(4, 0)).unwrap();
    assert!(log.lock().unwrap().starts[0].0 .0 >= 60 * PERIOD.0);
}

#[test]
fn a_reset_at_any_clock_ends_everything_and_leaves_a_usable_bus() {
    for clocks in 0..60 {
        let mut bench = Bench::running(Settings::default(), MockNicSettings::default());
        bench.nic.dma_write(BusAddr(0x100), vec![Word::full(1); 24]);
        bench.nic.dma_read(BusAddr(0x100), 24);
        let first = bench.bus.submit(Transaction::read_dword(BAR_1));
        bench.bus.submit(Transaction::write_dwords(BAR_1, &[3; 40]));
        bench.clocks(clocks);
        let at = bench.at;
        bench.bus.start_reset(at, 12);
        let mut answers: Vec<_> = std::iter::from_fn(|| bench.bus.next_completion()).collect();
        answers.retain(|answer| answer.id >= first);
        assert_eq!(answers.len(), 2, "each access is answered, with an error if need be");
        bench.clocks(12);
        let settings = bench.bus.settings().clone();
        bench.set_up();
        assert!(bench.run(Transaction::config_read(settings.nic_device, 0)).is_ok());
        bench.clocks(2);
        for agent in AgentId::ALL {
            let counters = bench.bus.counters().master(agent);
            assert_eq!(counters.started, counters.ended(), "reset after {clocks} clocks");
        }
        bench.expect_clean();
    }
}

#[test]
fn inta_is_seen_with_the_time_of_its_change() {
    let mut bench = Bench::running(Settings::default(), MockNicSettings::default());
    let log = listen(&mut bench);
    bench.clocks(100);
    bench.nic.set_interrupt(true);
    bench.clocks(1);
    assert!(!bench.bus.interrupt().asserted, "the NIC drives it from this edge on");
    bench.clocks(1);
    let raised = bench.at;
    bench.clocks(50);
    assert_eq!(bench.bus.interrupt(), InterruptLine { asserted: true, since: raised });
    bench.nic.set_interrupt(false);
    bench.clocks(2);
    assert_eq!(bench.bus.interrupt(), InterruptLine { asserted: false, since: bench.at });
    assert_eq!(log.lock().unwrap().interrupts, [(raised, true), (bench.at, false)]);
}

#[test]
fn a_bus_at_rest_shows_the_same_lines_as_one_that_is_kept_awake() {
    let mut resting = Bench::running(Settings::default(), MockNicSettings::default());
    let mut awake = Bench::running(Settings::default(), MockNicSettings::default());
    for clock in 0..2000 {
        if clock % 200 == 150 {
            for bench in [&mut resting, &mut awake] {
                bench.bus.submit(Transaction::write_dword(BAR_1, clock));
                bench.nic.dma_write(BusAddr(clock & !3), vec![Word::full(clock)]);
            }
        }
        // Reaching for the settings wakes the bus.
        awake.bus.master_habits();
        resting.clock();
        awake.clock();
        assert_eq!(resting.lines, awake.lines, "clock {clock}");
    }
    assert_eq!(resting.bus.counters(), awake.bus.counters());
    assert_eq!(resting.memory.bytes(), awake.memory.bytes());
}

#[test]
fn an_empty_slot_reads_its_pull_ups() {
    let mut bench = Bench::new(Settings::default(), MockNicSettings::default());
    let mut lines = PciLines::IDLE;
    for _ in 0..200 {
        bench.at += PERIOD;
        lines = bench.bus.rising_edge(bench.at, &PciDrive::NONE, &mut bench.memory);
    }
    for pin in [PciPin::Frame, PciPin::Irdy, PciPin::Trdy, PciPin::Devsel, PciPin::Stop, PciPin::Inta, PciPin::Req] {
        assert!(lines.high(pin), "{}", pin.name());
    }
    bench.expect_clean();
}
