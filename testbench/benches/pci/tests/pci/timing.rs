//! Measurements that docs/pci.md quotes. A change of behaviour changes a number here.

use bench_pci::{Bench, BusEdge, DmaStatus, Setup, BAR0, BAR1};
use host_pci::{Parking, ReadKind, Settings, Word};
use sim_pins::PciPin;

/// Memory that answers as fast as PCI allows, on a bus whose last user keeps the grant.
fn fast(bus_64_bit: bool, parking: Parking) -> Bench {
    let settings = Settings {
        bus_64_bit,
        parking,
        devsel_clock: 1,
        read_first_clock: 2,
        write_first_clock: 1,
        boundary_bytes: 0,
        ..Settings::default()
    };
    let mut bench = Bench::new(Setup { settings, latency_timer: 255, ..Setup::default() }).unwrap();
    // Leaves the bus parked where `parking` says.
    bench.dma_write(0x1000, &[0]).unwrap();
    bench.settle().unwrap();
    bench.recording = true;
    bench
}

fn frame_falls(edges: &[BusEdge]) -> Vec<usize> {
    let low = |k: usize| edges[k].lines.low(PciPin::Frame);
    (1..edges.len()).filter(|&k| low(k) && !low(k - 1)).collect()
}

fn data_phases(edges: &[BusEdge]) -> Vec<usize> {
    let moves = |edge: &BusEdge| edge.lines.low(PciPin::Irdy) && edge.lines.low(PciPin::Trdy);
    (0..edges.len()).filter(|&k| moves(&edges[k])).collect()
}

/// The PCI clocks from the command to FRAME#, and to the end that the engine sees.
fn read_latency(bus_64_bit: bool, parking: Parking, len: u16) -> (usize, usize) {
    let mut bench = fast(bus_64_bit, parking);
    bench.edges.clear();
    bench.core.start_read(0x1000, len);
    bench.until("a read", |bench| bench.core.take_read()).unwrap();
    (frame_falls(&bench.edges)[0] + 1, bench.edges.len())
}

fn write_latency(bus_64_bit: bool, parking: Parking, len: usize) -> (usize, usize) {
    let mut bench = fast(bus_64_bit, parking);
    bench.edges.clear();
    assert_eq!(bench.dma_write(0x1000, &vec![1; len]).unwrap(), DmaStatus::Ok);
    (frame_falls(&bench.edges)[0] + 1, bench.edges.len())
}

/// The data phases, and the clocks from the first address to the last data, for 4 KB.
fn rate(bus_64_bit: bool, is_read: bool) -> (usize, usize, usize) {
    let mut bench = fast(bus_64_bit, Parking::LastUser);
    bench.edges.clear();
    if is_read {
        bench.dma_read(0x1000, 4096).unwrap();
    } else {
        bench.dma_write(0x1000, &[1; 4096]).unwrap();
    }
    let frames = frame_falls(&bench.edges);
    let phases = data_phases(&bench.edges);
    (frames.len(), phases.len(), phases[phases.len() - 1] - frames[0])
}

#[test]
fn the_table_of_the_documentation() {
    let mut table = String::new();
    let mut row = |name: &str, value: String| table += &format!("{name}: {value}\n");
    let spans = |(frame, done): (usize, usize)| format!("FRAME# after {frame} clocks, done after {done}");
    for (name, parking) in [("parked", Parking::LastUser), ("not parked", Parking::Bridge)] {
        row(&format!("read of 8 bytes, {name}"), spans(read_latency(true, parking, 8)));
        row(&format!("write of 8 bytes, {name}"), spans(write_latency(true, parking, 8)));
    }
    row("read of 1500 bytes, 64 bits", spans(read_latency(true, Parking::LastUser, 1500)));
    row("write of 1500 bytes, 64 bits", spans(write_latency(true, Parking::LastUser, 1500)));
    for bits_64 in [true, false] {
        for (name, is_read) in [("read", true), ("write", false)] {
            let (bursts, phases, clocks) = rate(bits_64, is_read);
            let bits = if bits_64 { 64 } else { 32 };
            row(
                &format!("{name} of 4 KB, {bits} bits"),
                format!("{bursts} burst, {phases} data phases, {clocks} clocks"),
            );
        }
    }

    let mut bench = fast(true, Parking::Bridge);
    for base in [BAR0, BAR1] {
        bench.edges.clear();
        bench.read_dwords(base, 1, ReadKind::Plain).unwrap();
        let frames = frame_falls(&bench.edges);
        let phases = data_phases(&bench.edges);
        row(
            &format!("read of a dword at {base:#x}"),
            format!("{} attempts, {} clocks", frames.len(), phases[0] - frames[0]),
        );
    }
    bench.edges.clear();
    bench.write_words(BAR1, &[Word::full(1)]).unwrap();
    bench.settle().unwrap();
    row("write of a dword", format!("{} clocks", data_phases(&bench.edges)[0] - frame_falls(&bench.edges)[0]));

    println!("{table}");
    assert_eq!(table, include_str!("timing.txt"));
}
