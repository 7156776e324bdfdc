//! Both directions at once.

use bench_engines::ethernet::{bursts, frame, symbols};
use bench_engines::mac::{Clocks, Seen, RX_PORT, TX_PORT};
use bench_engines::memory::SRAM_BYTES;
use nic_layout::registers::{mac_rx, mac_tx};

use crate::scene::{
    arrive, endings, lost_in_an_outage, put_tx, received, receiver, send, sram, wire, DATA, LATE, RX_RING, TX_RING,
};

/// Back-to-back frames in both directions, every SRAM access as late as the budget allows.
fn line_rate(clocks: Clocks, data_bytes: usize, frames: u32) {
    let mut bench = receiver(clocks, 30, 0);
    for port in [RX_PORT, TX_PORT] {
        bench.sram.set_grants(port, LATE);
    }
    bench.write(mac_tx::RING_BASE.offset(), TX_RING);
    let tx_data = sram(&bench, DATA, data_bytes);
    for i in 0..256 {
        put_tx(&mut bench, i, DATA, data_bytes as u32);
        // The receiver uses places beside those of the transmitter.
        bench.sram.set_word32(RX_RING + 8 * i, DATA + 2048 * (1 + i % 20));
    }
    let rx_data = bench.chance.bytes(data_bytes);
    bench.write(mac_rx::PRODUCER.offset(), frames);
    bench.write(mac_tx::PRODUCER.offset(), frames);
    bench.write(mac_tx::CONTROL.offset(), 1);
    for _ in 0..frames {
        arrive(&mut bench, &symbols(7, &frame(&rx_data)), 12);
    }
    bench.until("all frames sent", |b| b.count(Seen::TxEnable(false)) == frames as usize);
    bench.settle();

    assert_eq!(endings(&mut bench)[0], frames, "received");
    assert_eq!(bench.sram.bytes[DATA as usize + 2048..][..data_bytes], rx_data);
    assert_eq!(bench.read(mac_tx::UNDERRUNS.offset()), 0);
    let sent = bursts(&bench.sent);
    assert_eq!(sent.len(), frames as usize);
    for (i, one) in sent.iter().enumerate() {
        assert_eq!(one.bytes, wire(&tx_data));
        assert!(i == 0 || one.gap == 12, "a gap of {} before frame {i}", one.gap);
    }
}

#[test]
fn full_frames_run_at_line_rate_both_ways_on_both_platforms() {
    for clocks in Clocks::PLATFORMS {
        line_rate(clocks, 1514, 120);
    }
}

#[test]
fn least_frames_run_at_line_rate_both_ways_on_both_platforms() {
    for clocks in Clocks::PLATFORMS {
        line_rate(clocks, 60, 250);
    }
}

#[test]
fn an_outage_of_20_clocks_for_transmit_and_60_for_receive_costs_no_frame_at_any_time() {
    for clocks in Clocks::PLATFORMS {
        for from in 0..150 {
            assert_eq!(lost_in_an_outage(clocks, TX_PORT, from, 20), 0, "transmit, from clock {from}");
            assert_eq!(lost_in_an_outage(clocks, RX_PORT, from, 60), 0, "receive, from clock {from}");
        }
    }
}

#[test]
fn a_reset_at_any_time_silences_the_link_and_the_sram_port() {
    for after in (0..400).step_by(7) {
        let mut bench = receiver(Clocks::TIGON2, 31, 24);
        bench.write(mac_tx::RING_BASE.offset(), TX_RING);
        // Beside the receive buffers.
        let tx_buffer = SRAM_BYTES as u32 - 512;
        put_tx(&mut bench, 0, tx_buffer, 300);
        bench.write(mac_tx::CONTROL.offset(), 1);
        bench.write(mac_tx::PRODUCER.offset(), 1);
        let data = bench.chance.bytes(300);
        arrive(&mut bench, &symbols(7, &frame(&data)), 12);
        bench.clocks(after);
        bench.reset();
        for _ in 0..400 {
            bench.clock();
            assert!(!bench.requests_sram() && !bench.sends(), "reset after {after} clocks");
        }
        assert_eq!(endings(&mut bench), [0; 8]);
        // After that, everything works again.
        bench.write(mac_rx::RING_BASE.offset(), RX_RING);
        bench.write(mac_rx::PRODUCER.offset(), 1);
        bench.write(mac_rx::CONTROL.offset(), 1);
        bench.write(mac_tx::RING_BASE.offset(), TX_RING);
        bench.write(mac_tx::CONTROL.offset(), 1);
        bench.clocks(10);
        bench.sent.clear();
        arrive(&mut bench, &symbols(7, &frame(&data)), 12);
        let sent = send(&mut bench, 1, 1);
        bench.settle();
        assert_eq!(sent[0].bytes, wire(&sram(&bench, tx_buffer, 300)));
        assert_eq!(received(&bench, 0), data);
    }
}
