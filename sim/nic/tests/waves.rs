use std::path::PathBuf;

use sim_nic::{clock, Nic, NicConfig, ParameterSet, WaveWindow};
use sim_pins::{PciLines, PciPin, Ps};
use sim_time::{Clock, Scheduler};

fn nic(waves: bool) -> Nic {
    Nic::new(NicConfig { waves, ..NicConfig::new(ParameterSet::Tigon2) }).expect("it builds")
}

fn scheduler() -> Scheduler<{ clock::COUNT }> {
    let clocks = [(88_000_000, 0), (66_000_000, 1_000), (125_000_000, 500), (125_000_000, 4_700)];
    Scheduler::new(clocks.map(|(hz, phase)| Clock::new(hz, Ps(phase))))
}

fn run(nic: &mut Nic, end: Ps) {
    let mut scheduler = scheduler();
    let mut lines = PciLines::IDLE;
    lines.control.set(PciPin::Rst, false);
    while let Some(instant) = scheduler.advance_before(end) {
        if instant.at >= Ps::from_ns(400) {
            lines.control.set(PciPin::Rst, true);
        }
        nic.sense_pci(&lines);
        nic.tick(instant).expect("no assertion fails");
    }
    nic.close_waves().unwrap();
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn a_window_holds_its_span_and_the_true_clock_edges() {
    let path = file("window.fst");
    let mut nic = nic(true);
    let (from, to) = (Ps::from_ns(1_000), Ps::from_ns(2_000));
    nic.add_wave_window(WaveWindow { path: path.clone(), from, to });
    run(&mut nic, Ps::from_us(3));

    let mut wave = wellen::simple::read(&path).expect("a readable FST");
    let times = wave.time_table().to_vec();
    assert!(*times.last().unwrap() < to.0 + 8_000, "{:?}", times.last());
    let expected = [
        (clock::CORE, "clk_core_i"),
        (clock::PCI, "clk_pci_i"),
        (clock::GMII_TX, "clk_gmii_tx_i"),
        (clock::GMII_RX, "clk_gmii_rx_i"),
    ];
    for (number, name) in expected {
        let variable = wave.hierarchy().lookup_var(&["TOP"], name).expect("clocks are traced");
        let signal = wave.hierarchy()[variable].signal_ref();
        wave.load_signals(&[signal]);
        let rises: Vec<u64> = wave
            .get_signal(signal)
            .unwrap()
            .iter_changes()
            .filter(|(_, value)| value.to_bit_string().unwrap() == "1")
            .map(|(index, _)| times[index as usize])
            .collect();
        let clock = *scheduler().clock(number);
        let edges = (clock.edges_before(from)..clock.edges_before(to)).map(|k| clock.edge(k).0);
        assert_eq!(rises, edges.collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn waves_are_refused_by_a_build_without_them() {
    let mut nic = nic(false);
    nic.add_wave_window(WaveWindow { path: file("none.fst"), from: Ps(0), to: Ps(10) });
    let instant = scheduler().advance();
    let message = nic.tick(instant).unwrap_err().to_string();
    assert!(message.contains("built without FST traces"), "{message}");
}
