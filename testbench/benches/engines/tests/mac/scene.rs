//! A transmitter or a receiver that is ready, the frames that pass it, and their endings.

use bench_engines::ethernet::{bursts, frame, symbols, Burst, LinkSymbol, LINK_IDLE};
use bench_engines::mac::{Clocks, MacBench, Seen, RX_PORT};
use bench_engines::memory::Grants;
use nic_layout::registers::{mac_rx, mac_tx, Offset};
use nic_layout::ring::MAC_STATUS_DONE;

pub const TX_RING: u32 = 0x100;
pub const RX_RING: u32 = 0x900;
pub const DATA: u32 = 0x1100;
pub const MAX_FRAME: u32 = 9018;

/// The longest delay of a link port of the SRAM (docs/memory.md).
pub const LATE: Grants = Grants::After(3);

pub fn transmitter(clocks: Clocks, seed: u64) -> MacBench {
    let mut bench = MacBench::new(clocks, seed);
    bench.write(mac_rx::MAX_FRAME.offset(), MAX_FRAME);
    bench.write(mac_tx::RING_BASE.offset(), TX_RING);
    bench.write(mac_tx::CONTROL.offset(), 1);
    bench
}

pub fn put_tx(bench: &mut MacBench, index: u32, address: u32, word1: u32) {
    let at = TX_RING + index % 256 * 8;
    bench.sram.set_word32(at, address);
    bench.sram.set_word32(at + 4, word1);
}

/// The bytes on the wire of a frame with these data, from the preamble on.
pub fn wire(data: &[u8]) -> Vec<u8> {
    symbols(7, &frame(data)).iter().map(|symbol| symbol.data).collect()
}

pub fn sram(bench: &MacBench, address: u32, bytes: usize) -> Vec<u8> {
    bench.sram.bytes[address as usize..][..bytes].to_vec()
}

pub fn tx_consumer(bench: &mut MacBench) -> u32 {
    bench.read(mac_tx::CONSUMER.offset())
}

/// Sends until this many frames have ended on the wire, and a little longer.
pub fn send(bench: &mut MacBench, producer: u32, ended: usize) -> Vec<Burst> {
    bench.write(mac_tx::PRODUCER.offset(), producer);
    bench.until("the frames", |b| b.count(Seen::TxEnable(false)) == ended);
    bench.clocks(40);
    bursts(&bench.sent)
}

pub const BUFFER_BYTES: u32 = 2048;

pub fn receiver(clocks: Clocks, seed: u64, buffers: u32) -> MacBench {
    let mut bench = MacBench::new(clocks, seed);
    bench.write(mac_rx::RING_BASE.offset(), RX_RING);
    bench.write(mac_rx::BUFFER_BYTES.offset(), BUFFER_BYTES);
    for i in 0..256 {
        let at = RX_RING + i * 8;
        bench.sram.set_word32(at, buffer(i));
        bench.sram.set_word32(at + 4, 0x1BAD_F00D);
    }
    bench.write(mac_rx::PRODUCER.offset(), buffers);
    bench.write(mac_rx::CONTROL.offset(), 1);
    bench.clocks(10);
    bench
}

/// The address of buffer `index`: 24 places, so that up to 24 frames can be examined together.
pub fn buffer(index: u32) -> u32 {
    DATA + index % 24 * BUFFER_BYTES
}

pub fn arrive(bench: &mut MacBench, frame: &[LinkSymbol], gap: usize) {
    bench.incoming.extend(frame);
    bench.incoming.extend(vec![LINK_IDLE; gap]);
}

pub const ENDINGS: [Offset; 8] = [
    mac_rx::FRAMES.offset(),
    mac_rx::BAD_FCS.offset(),
    mac_rx::RUNTS.offset(),
    mac_rx::GIANTS.offset(),
    mac_rx::RX_ERRORS.offset(),
    mac_rx::BAD_PREAMBLES.offset(),
    mac_rx::NO_BUFFER.offset(),
    mac_rx::OVERFLOWS.offset(),
];

/// All endings in the order of [`ENDINGS`], after a check that they add up (INV-38).
pub fn endings(bench: &mut MacBench) -> [u32; 8] {
    let counts = ENDINGS.map(|offset| bench.read(offset));
    assert_eq!(bench.read(mac_rx::STARTED.offset()), counts.iter().sum::<u32>(), "{counts:?}");
    let drops = counts[1..].iter().sum::<u32>();
    assert_eq!((bench.count(Seen::ProbeRxDone), bench.count(Seen::ProbeRxDrop)), (counts[0] as usize, drops as usize));
    assert_eq!(bench.count(Seen::EventRx), counts[0] as usize);
    assert_eq!(bench.count(Seen::EventError), counts[7] as usize);
    counts
}

/// The data of the good frame with this index, read from the ring.
pub fn received(bench: &MacBench, index: u32) -> Vec<u8> {
    let status = bench.sram.word32(RX_RING + index % 256 * 8 + 4);
    assert_eq!(status & !0xFFFF, MAC_STATUS_DONE, "entry {index}");
    sram(bench, buffer(index), (status & 0xFFFF) as usize)
}

/// Runs one frame while a port gets no grant for a number of clocks, and returns the number of
/// frames that were lost.
pub fn lost_in_an_outage(clocks: Clocks, port: usize, from: usize, outage: usize) -> u32 {
    let mut bench = receiver(clocks, 32, 24);
    bench.write(mac_tx::RING_BASE.offset(), TX_RING);
    put_tx(&mut bench, 0, DATA, 600);
    bench.write(mac_tx::CONTROL.offset(), 1);
    let data = bench.chance.bytes(600);
    if port == RX_PORT {
        arrive(&mut bench, &symbols(7, &frame(&data)), 12);
    } else {
        bench.write(mac_tx::PRODUCER.offset(), 1);
    }
    bench.sram.set_grants(port, LATE);
    bench.clocks(from);
    bench.sram.set_grants(port, Grants::Never);
    bench.clocks(outage);
    bench.sram.set_grants(port, LATE);
    bench.clocks(1200);
    bench.read(mac_tx::UNDERRUNS.offset()) + bench.read(mac_rx::OVERFLOWS.offset())
}
