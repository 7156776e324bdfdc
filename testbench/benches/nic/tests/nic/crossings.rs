//! Crossings between clocks that see some changes one clock late, as real ones do: everything
//! arrives whole, later.

use std::collections::BTreeSet;

use bench_nic::models::WatchedNic;
use bench_nic::nic::{Nic, NicError};
use host_pci::Settings;
use nic_layout::registers::{dma_read, dma_write, mac_rx, mac_tx, pci};
use nic_layout::ring::{DMA_STATUS_DONE, MAC_STATUS_DONE};
use sim_pins::Ps;
use verilated::Context;

const READ_RING: u32 = 0x1000;
const WRITE_RING: u32 = 0x1400;
const TX_RING: u32 = 0x1800;
const RX_RING: u32 = 0x2000;
const TX_BUFFERS: u32 = 0x8000;
const RX_BUFFERS: u32 = 0x2_0000;
const BUFFER_BYTES: u32 = 2048;
const HOST_FROM: usize = 0x1_0000;
const HOST_TO: usize = 0x4_0000;
const FRAMES_BYTES: [u32; 8] = [60, 61, 64, 127, 400, 1000, 1514, 77];

/// Frames go from host memory over the loop of the link back to host memory. Returns the time that
/// it took.
fn loop_frames(late: Option<u32>) -> Result<Ps, NicError> {
    let context = Context::new().plusargs(late.map(|seed| format!("+nic_late_crossings={seed}")));
    let mut nic = Nic::<WatchedNic>::with_context(Settings::default(), context)?;
    nic.configure()?;
    let start = nic.now();
    let frames = FRAMES_BYTES.len() as u32;
    let byte = |at: usize| (at as u8).wrapping_mul(37).wrapping_add((at >> 8) as u8);
    for (i, bytes) in (0..).zip(FRAMES_BYTES) {
        let at = i * BUFFER_BYTES;
        let host = HOST_FROM + at as usize;
        for offset in 0..bytes as usize {
            nic.memory.bytes_mut()[host + offset] = byte(host + offset);
        }
        nic.sram_write(READ_RING + 16 * i, &[host as u32, TX_BUFFERS + at, bytes, 0])?;
        nic.sram_write(WRITE_RING + 16 * i, &[HOST_TO as u32 + at, RX_BUFFERS + at, bytes, 0])?;
        nic.sram_write(TX_RING + 8 * i, &[TX_BUFFERS + at, bytes])?;
        nic.sram_write(RX_RING + 8 * i, &[RX_BUFFERS + at, 0])?;
    }
    nic.write(mac_rx::RING_BASE, RX_RING)?;
    nic.write(mac_rx::PRODUCER, frames)?;
    nic.write(mac_rx::CONTROL, mac_rx::Control::default().with_enable(true))?;
    nic.write(mac_tx::RING_BASE, TX_RING)?;
    nic.write(mac_tx::CONTROL, mac_tx::Control::default().with_enable(true))?;
    nic.write(dma_read::RING_BASE, READ_RING)?;
    nic.write(dma_read::PRODUCER, frames)?;
    nic.write(dma_read::CONTROL, dma_read::Control::default().with_enable(true))?;
    let all = u64::from(frames);
    nic.until("all frames in SRAM", |nic| (nic.probes[2] == all).then_some(()))?;
    nic.write(mac_tx::PRODUCER, frames)?;
    nic.until("all frames over the link", |nic| (nic.probes[7] == all).then_some(()))?;
    nic.write(dma_write::RING_BASE, WRITE_RING)?;
    nic.write(dma_write::PRODUCER, frames)?;
    nic.write(dma_write::CONTROL, dma_write::Control::default().with_enable(true))?;
    nic.until("all frames in host memory", |nic| (nic.probes[4] == all).then_some(()))?;
    let took = nic.now() - start;

    for (i, bytes) in (0..).zip(FRAMES_BYTES) {
        assert_eq!(nic.sram_read(READ_RING + 16 * i + 12, 1)?, [DMA_STATUS_DONE]);
        assert_eq!(nic.sram_read(WRITE_RING + 16 * i + 12, 1)?, [DMA_STATUS_DONE]);
        assert_eq!(nic.sram_read(RX_RING + 8 * i + 4, 1)?, [MAC_STATUS_DONE | bytes]);
        let (from, to) = (HOST_FROM + (i * BUFFER_BYTES) as usize, HOST_TO + (i * BUFFER_BYTES) as usize);
        let memory = nic.memory.bytes();
        assert!(memory[from..from + bytes as usize] == memory[to..to + bytes as usize], "frame {i}");
    }
    // Counts that cross are exact.
    assert_eq!(
        (nic.read(mac_tx::FRAMES)?, nic.read(mac_rx::FRAMES)?, nic.read(mac_rx::STARTED)?),
        (frames, frames, frames)
    );
    let bytes: u32 = FRAMES_BYTES.iter().sum();
    assert_eq!((nic.read(dma_read::BYTES)?, nic.read(dma_write::BYTES)?), (bytes, bytes));
    assert!(nic.read(pci::MASTER_TRANSACTIONS)? >= 2 * frames);
    nic.check_bus()?;
    Ok(took)
}

#[test]
fn late_crossings_lose_nothing_and_count_exactly() {
    let usual = loop_frames(None).unwrap();
    let times: BTreeSet<Ps> = (0..30).map(|seed| loop_frames(Some(seed)).unwrap()).collect();
    assert!(times.len() > 10, "lateness shows in the time: {times:?}");
    assert!(times.iter().all(|took| *took >= usual), "and only there: {usual}, {times:?}");
    assert_eq!(loop_frames(Some(7)).unwrap(), loop_frames(Some(7)).unwrap(), "a seed says where");
}
