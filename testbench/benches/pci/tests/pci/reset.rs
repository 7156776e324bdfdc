//! RST# in any clock floats the bus, and nothing from before RST# happens after it (INV-12).

use bench_pci::{Bench, DmaStatus, Setup, BAR1};
use host_pci::{AgentId, BusAddr, Settings, Transaction};
use sim_pins::{PciDrive, PciPin};

fn floats(drive: &PciDrive) -> bool {
    drive.enables.bits() == 0 && drive.ad_enable == 0 && drive.cbe_enable == 0
}

#[test]
fn nothing_is_driven_while_rst_is_low() {
    for seed in 0..20 {
        let mut bench = Bench::in_reset(Setup { seed, ..Setup::default() }).unwrap();
        while bench.model.pci_rst_ni.get() == 0 {
            assert!(floats(&bench.drive()));
            bench.step().unwrap();
        }
        assert_eq!(bench.drive().enables.bits(), PciPin::Req.mask(), "only REQ#, which has no other driver");
        assert!(bench.drive().levels.control.get(PciPin::Req));
    }
}

/// RST# falls and rises while CLK stands still: no output that was on before comes back.
#[test]
fn without_a_clock_since_rst_nothing_from_before_is_driven() {
    let mut driven = 0;
    for clocks in 0..120 {
        let mut bench = Bench::new(Setup { seed: clocks, ..Setup::default() }).unwrap();
        bench.core.start_write(0x2005, &[3; 400]);
        bench.run_pci_clocks(clocks).unwrap();
        driven += usize::from(bench.drive().enables.get(PciPin::Frame));
        for level in [0, 1] {
            bench.model.pci_rst_ni.set(level);
            verilated::Model::eval(&mut bench.model).unwrap();
        }
        let drive = bench.drive();
        assert_eq!(
            (drive.enables.bits(), drive.ad_enable, drive.cbe_enable),
            (PciPin::Req.mask(), 0, 0),
            "clock {clocks}"
        );
        assert!(drive.levels.control.get(PciPin::Req), "clock {clocks}");
    }
    assert!(driven > 20, "the NIC was on the bus in some of these clocks, as it should be: {driven}");
}

#[test]
fn the_width_of_the_slot_is_learnt_again_at_every_reset() {
    for bus_64_bit in [false, true] {
        let settings = Settings { bus_64_bit, ..Settings::default() };
        let bench = Bench::new(Setup { settings, ..Setup::default() }).unwrap();
        assert_eq!(bench.model.slot_64_o.get() != 0, bus_64_bit);
    }
}

#[test]
fn reset_at_any_clock_floats_the_bus_and_forgets_all_dma() {
    for clocks in 0..120 {
        let mut bench = Bench::new(Setup { seed: clocks, ..Setup::default() }).unwrap();
        bench.core.start_read(0x1003, 400);
        bench.core.start_write(0x2005, &[3; 400]);
        bench.bus.submit(Transaction::write_dwords(BusAddr(BAR1), &[1, 2, 3, 4]));
        bench.bus.submit(Transaction::read_dword(BusAddr(BAR1)));
        bench.run_pci_clocks(clocks).unwrap();

        bench.bus.start_reset(bench.now(), 16);
        bench.core.forget_jobs();
        // The pads are disabled without a clock edge.
        bench.model.pci_rst_ni.set(0);
        verilated::Model::eval(&mut bench.model).unwrap();
        assert!(floats(&bench.drive()), "reset at clock {clocks}");

        let started = bench.bus.counters().master(AgentId::Nic).started;
        bench.until("the end of reset", |bench| bench.bus.is_out_of_reset().then_some(())).unwrap();
        bench.run_pci_clocks(100).unwrap();
        assert_eq!(bench.bus.counters().master(AgentId::Nic).started, started, "no DMA from before");
        assert_eq!(bench.config_read(0x04).unwrap() & 0xFFFF, 0, "the command register is clear");

        bench.configure().unwrap();
        assert_eq!(bench.dma_write(0x3000, &[5; 64]).unwrap(), DmaStatus::Ok);
        assert_eq!(bench.dma_read(0x3000, 64).unwrap().bytes, [5; 64]);
        bench.judge().unwrap();
    }
}
