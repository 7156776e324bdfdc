//! The timing diagrams of docs/host-pci.md are what the model does.

use crate::common::*;
use host_pci::mock::MockNicSettings;
use host_pci::*;
use sim_pins::PciPin::{self, *};

const PINS: [PciPin; 9] = [Gnt, Frame, Irdy, Devsel, Trdy, Stop, Req64, Ack64, Par];

/// One column for each edge: `_` low, `-` high, `.` floating; AD: `A` address, `D` data that move,
/// `=` driven.
fn draw(bench: &mut Bench, clocks: usize) -> String {
    let mut rows = vec![String::new(); PINS.len() + 1];
    let mut frame_was_low = false;
    for _ in 0..clocks {
        let nic = *bench.nic.drive();
        let bridge = *bench.bus.drive();
        bench.clock();
        let lines = bench.lines;
        for (row, pin) in rows.iter_mut().zip(PINS) {
            let driven = nic.enables.get(pin) || bridge.enables.get(pin);
            row.push(match (driven, lines.high(pin)) {
                (false, _) => '.',
                (true, true) => '-',
                (true, false) => '_',
            });
        }
        let address = lines.low(Frame) && !frame_was_low;
        frame_was_low = lines.low(Frame);
        let moves = lines.low(Irdy) && lines.low(Trdy);
        rows[PINS.len()].push(match (nic.ad_enable | bridge.ad_enable, address, moves) {
            (0, ..) => '.',
            (_, true, _) => 'A',
            (_, _, true) => 'D',
            _ => '=',
        });
    }
    let names = PINS.iter().map(|pin| pin.name()).chain(["AD"]);
    names.zip(rows).map(|(name, row)| format!("{name:<8}{row}\n")).collect()
}

fn expect_in_page(drawn: &str) {
    let page = include_str!("../../../../docs/host-pci.md");
    assert!(page.contains(drawn), "docs/host-pci.md should show:\n{drawn}");
}

fn bench() -> Bench {
    let mut bench = Bench::running(Settings::default(), MockNicSettings::default());
    bench.drain();
    bench
}

#[test]
fn a_cpu_read_is_drawn_as_it_runs() {
    let mut bench = bench();
    bench.bus.submit(Transaction::read_dword(BAR_1));
    expect_in_page(&draw(&mut bench, 10));
}

#[test]
fn a_dma_write_is_drawn_as_it_runs() {
    let mut bench = bench();
    bench.nic.dma_write(BusAddr(0x100), vec![Word::full(1); 8]);
    expect_in_page(&draw(&mut bench, 15));
}

#[test]
fn a_retry_is_drawn_as_it_runs() {
    let mut bench = bench();
    bench.nic.misbehaviour().plan_retries(1);
    bench.bus.submit(Transaction::write_dwords(BAR_1, &[1, 2]));
    expect_in_page(&draw(&mut bench, 20));
}
