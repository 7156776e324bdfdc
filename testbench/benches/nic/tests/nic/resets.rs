//! RST# at any clock, while any clock of the chip stands still: before, during and after it. PCI
//! demands its own clock before RST# rises (2.3, section 4.3.2); a PHY promises nothing.

use bench_nic::models::WatchedNic;
use bench_nic::nic::{Nic, NicError, CLOCK_CORE, CLOCK_GMII_RX, CLOCK_GMII_TX, CLOCK_PCI};
use host_pci::Settings;
use nic_layout::registers::{dma_read, mac_rx, mac_tx, pci, Bits, Readable, Register};
use nic_layout::ring::MAC_STATUS_DONE;
use proptest::prelude::*;
use sim_time::ClockSet;

const TX_RING: u32 = 0x1000;
const RX_RING: u32 = 0x2000;
const TX_BUFFERS: u32 = 0x8000;
const RX_BUFFERS: u32 = 0x2_0000;
const BUFFER_BYTES: u32 = 2048;
const BUFFERS: u32 = 16;
/// What the buffers of the receiver hold before a frame is written there.
const UNTOUCHED: u32 = 0xA5A5_5A5A;
/// PCI clocks from the last clock that stood still to the first access.
const SETTLE: u64 = 20;

/// When a clock stands still, in PCI clocks of the bus.
#[derive(Clone, Copy, Debug)]
struct Stop {
    /// Before RST# falls.
    before: u64,
    /// After RST# has risen, until it runs again.
    after: u64,
}

/// A reset in the middle of traffic.
#[derive(Clone, Debug)]
struct Reset {
    /// Lengths of the frames that are sent before it.
    frames: Vec<u32>,
    /// Core clocks from the first frame to RST#.
    run: u64,
    /// PCI clocks in which RST# is low.
    low: u32,
    core: Option<Stop>,
    /// PCI clocks after RST# falls and before it rises.
    pci: Option<(u64, u64)>,
    tx: Option<Stop>,
    rx: Option<Stop>,
}

fn stop() -> impl Strategy<Value = Option<Stop>> {
    prop::option::of((0..200u64, 0..400u64).prop_map(|(before, after)| Stop { before, after }))
}

fn reset() -> impl Strategy<Value = Reset> {
    let frames = prop::collection::vec(60..400u32, 0..8);
    let pci = prop::option::of((0..20u64, 12..30u64));
    (frames, 0..3000u64, 60..200u32, stop(), pci, stop(), stop())
        .prop_map(|(frames, run, low, core, pci, tx, rx)| Reset { frames, run, low, core, pci, tx, rx })
}

fn frame_words(bytes: u32, seed: u32) -> Vec<u32> {
    (0..bytes.div_ceil(4)).map(|i| (i + 1).wrapping_mul(0x9E37_79B9).wrapping_add(seed)).collect()
}

/// Sets up both rings, or goes on with them, and sends frames of these lengths over the loop.
fn send(nic: &mut Nic<WatchedNic>, lengths: &[u32]) -> Result<(), NicError> {
    let sent = nic.read(mac_tx::CONSUMER)?;
    let received = nic.read(mac_rx::CONSUMER)?;
    for (i, &bytes) in (sent..).zip(lengths) {
        nic.sram_write(TX_BUFFERS + i * BUFFER_BYTES, &frame_words(bytes, i))?;
        nic.sram_write(TX_RING + 8 * i, &[TX_BUFFERS + i * BUFFER_BYTES, bytes])?;
    }
    for i in received..received + BUFFERS {
        nic.sram_write(RX_RING + 8 * i, &[RX_BUFFERS + i * BUFFER_BYTES, 0])?;
    }
    nic.write(mac_rx::RING_BASE, RX_RING)?;
    nic.write(mac_rx::PRODUCER, received + BUFFERS)?;
    nic.write(mac_rx::CONTROL, mac_rx::Control::default().with_enable(true))?;
    nic.write(mac_tx::RING_BASE, TX_RING)?;
    nic.write(mac_tx::CONTROL, mac_tx::Control::default().with_enable(true))?;
    nic.write(mac_tx::PRODUCER, sent + lengths.len() as u32)
}

/// Pulls RST# low, stops the clocks that the reset names, and waits until all run again.
fn play(nic: &mut Nic<WatchedNic>, reset: &Reset) -> Result<(), NicError> {
    let stops = [(CLOCK_CORE, reset.core), (CLOCK_GMII_TX, reset.tx), (CLOCK_GMII_RX, reset.rx)];
    let longest = |of: fn(&Stop) -> u64| stops.iter().filter_map(|(_, stop)| stop.as_ref()).map(of).max().unwrap_or(0);
    let falls = nic.pci_cycles() + longest(|stop| stop.before);
    let rises = falls + u64::from(reset.low);
    let end = rises + longest(|stop| stop.after) + SETTLE;
    while nic.pci_cycles() < end {
        let now = nic.pci_cycles();
        let mut stopped = ClockSet::EMPTY;
        for (clock, stop) in stops {
            let Some(Stop { before, after }) = stop else { continue };
            if (falls - before..rises + after).contains(&now) {
                stopped.0 |= 1 << clock;
            }
        }
        if let Some((after_fall, before_rise)) = reset.pci {
            if (falls + after_fall..rises - before_rise).contains(&now) {
                stopped.0 |= 1 << CLOCK_PCI;
            }
        }
        nic.stopped = stopped;
        if now == falls {
            let at = nic.now();
            nic.bus.start_reset(at, reset.low);
        }
        nic.run_pci_cycles(1)?;
    }
    nic.stopped = ClockSet::EMPTY;
    nic.until("the end of reset", |nic| nic.bus.is_out_of_reset().then_some(()))
}

/// Nothing is counted but the events of `probes` and what this check does itself.
fn check_counters_are_clear(nic: &mut Nic<WatchedNic>) -> Result<(), NicError> {
    fn zero<T: Bits, A: Readable>(
        nic: &mut Nic<WatchedNic>,
        name: &str,
        register: Register<T, A>,
    ) -> Result<(), NicError> {
        assert_eq!(nic.read(register)?.to_bits(), 0, "{name}");
        Ok(())
    }
    zero(nic, "MAC_RX.FRAMES", mac_rx::FRAMES)?;
    zero(nic, "MAC_RX.STARTED", mac_rx::STARTED)?;
    zero(nic, "MAC_RX.OVERFLOWS", mac_rx::OVERFLOWS)?;
    zero(nic, "MAC_RX.NO_BUFFER", mac_rx::NO_BUFFER)?;
    zero(nic, "MAC_RX.BAD_FCS", mac_rx::BAD_FCS)?;
    zero(nic, "MAC_RX.RUNTS", mac_rx::RUNTS)?;
    zero(nic, "MAC_RX.CONSUMER", mac_rx::CONSUMER)?;
    zero(nic, "MAC_TX.FRAMES", mac_tx::FRAMES)?;
    zero(nic, "MAC_TX.UNDERRUNS", mac_tx::UNDERRUNS)?;
    zero(nic, "MAC_TX.CONSUMER", mac_tx::CONSUMER)?;
    zero(nic, "DMA_READ.BYTES", dma_read::BYTES)?;
    zero(nic, "PCI.MASTER_TRANSACTIONS", pci::MASTER_TRANSACTIONS)?;
    zero(nic, "PCI.PARITY_ERRORS", pci::PARITY_ERRORS)
}

fn check(resets: &[Reset]) -> Result<(), NicError> {
    let mut nic = Nic::<WatchedNic>::new(Settings::default(), 1)?;
    nic.configure()?;
    for reset in resets {
        send(&mut nic, &reset.frames)?;
        nic.run_core_cycles(reset.run)?;
        play(&mut nic, reset)?;

        nic.configure()?;
        check_counters_are_clear(&mut nic)?;
        for i in 0..BUFFERS {
            nic.sram_write(RX_BUFFERS + i * BUFFER_BYTES, &[UNTOUCHED; 4])?;
        }
        // No frame from before appears, also when there are buffers for it.
        let probes = nic.probes;
        send(&mut nic, &[])?;
        nic.run_core_cycles(1000)?;
        assert_eq!(nic.probes, probes, "an event of a frame, or of a transfer, that does not exist");
        check_counters_are_clear(&mut nic)?;
        assert_eq!(nic.sram_read(RX_BUFFERS, 4)?, [UNTOUCHED; 4]);

        // The first frames that follow are whole.
        let lengths = [64, 301, 1000];
        send(&mut nic, &lengths)?;
        let received = probes[7] + lengths.len() as u64;
        nic.until("the frames behind the reset", |nic| (nic.probes[7] == received).then_some(()))?;
        for (i, bytes) in (0..).zip(lengths) {
            assert_eq!(nic.sram_read(RX_RING + 8 * i + 4, 1)?, [MAC_STATUS_DONE | bytes]);
            let whole = bytes as usize / 4;
            assert_eq!(nic.sram_read(RX_BUFFERS + i * BUFFER_BYTES, whole)?, frame_words(bytes, i)[..whole]);
        }
        assert_eq!(nic.read(mac_rx::FRAMES)?, 3);
        assert_eq!(nic.read(mac_rx::STARTED)?, 3);
        assert_eq!(nic.read(mac_tx::FRAMES)?, 3);
    }
    nic.check_bus()
}

fn in_traffic(run: u64) -> Reset {
    Reset { frames: vec![200; 6], run, low: 60, core: None, pci: None, tx: None, rx: None }
}

#[test]
fn without_its_clock_the_receiver_forgets_all_frames() {
    let rx = Some(Stop { before: 0, after: 100 });
    check(&[Reset { rx, ..in_traffic(700) }, Reset { rx, ..in_traffic(901) }]).unwrap();
}

#[test]
fn without_its_clock_the_transmitter_forgets_all_frames() {
    let tx = Some(Stop { before: 0, after: 100 });
    check(&[Reset { tx, ..in_traffic(700) }, Reset { tx, ..in_traffic(901) }]).unwrap();
}

#[test]
fn without_its_clock_the_core_s_side_forgets_all_frames() {
    let core = Some(Stop { before: 0, after: 100 });
    check(&[Reset { core, ..in_traffic(700) }, Reset { core, ..in_traffic(901) }]).unwrap();
}

#[test]
fn without_its_clock_the_bus_s_side_forgets_all_accesses() {
    check(&[Reset { pci: Some((0, 12)), ..in_traffic(700) }]).unwrap();
}

/// The receiver is out of reset before the core's side, whose enable is still from before; and the
/// transmitter stood still in the middle of a frame, so a frame seems to come.
#[test]
fn a_level_from_a_domain_without_a_clock_is_not_believed() {
    let core = Some(Stop { before: 0, after: 2 });
    let tx = Some(Stop { before: 100, after: 3 });
    check(&[Reset { frames: vec![289], core, tx, ..in_traffic(12) }]).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_reset_forgets_all_frames_whichever_clocks_stand_still(resets in prop::collection::vec(reset(), 1..4)) {
        check(&resets).unwrap();
    }
}
