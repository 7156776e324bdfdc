//! What values of a platform are possible.

use std::ops::RangeInclusive;

use nic_layout::frame::rdma::HEADER_BYTES;

use super::values::Platform;

/// The first value that is not, and what would be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Impossible {
    pub key: &'static str,
    pub value: u64,
    pub right: &'static str,
}

type Checked = Result<(), Impossible>;

fn demand(key: &'static str, value: impl Into<u64>, possible: bool, right: &'static str) -> Checked {
    let value = value.into();
    if possible {
        Ok(())
    } else {
        Err(Impossible { key, value, right })
    }
}

fn within(key: &'static str, value: impl Into<u64>, range: RangeInclusive<u64>, right: &'static str) -> Checked {
    let value = value.into();
    demand(key, value, range.contains(&value), right)
}

fn one_of(key: &'static str, value: u32, values: &[u32], right: &'static str) -> Checked {
    demand(key, value, values.contains(&value), right)
}

pub(super) fn check(platform: &Platform) -> Checked {
    nic(platform)?;
    bridge(platform)?;
    protocol(platform)?;
    host(platform)?;
    management(platform)?;
    durations(platform)
}

fn nic(platform: &Platform) -> Checked {
    let Platform { core, sram, pci, link, buffers, .. } = platform;
    let clock = 1_000_000..=1_000_000_000;
    within("core.clock_hz", core.clock_hz, clock.clone(), "1 MHz to 1 GHz")?;
    within("core.count", core.count, 1..=2, "the NIC has 1 core or 2")?;
    one_of("sram.bytes", sram.bytes, &[524_288, 2_097_152], "the NIC is built with 524288 or 2097152")?;
    let possible = core.count == 1 || sram.bytes == 524_288;
    demand(
        "core.count",
        core.count,
        possible,
        "the NIC is built with 2 cores and 524288 bytes of SRAM, not with more",
    )?;
    one_of("pci.width_bits", pci.width_bits, &[32, 64], "32 or 64")?;
    within("pci.clock_hz", pci.clock_hz, 1_000_000..=66_670_000, "1 MHz to 66.67 MHz")?;
    let line = pci.cache_line_dwords.into();
    one_of("pci.cache_line_dwords", line, &[0, 4, 8, 16, 32], "0, 4, 8, 16 or 32")?;
    within("link.clock_hz", link.clock_hz, clock, "1 MHz to 1 GHz")?;
    let positive = "1 to 1000000000: nodes run ahead of one another by it";
    within("link.latency_ns", link.latency_ns, 1..=1_000_000_000, positive)?;
    let data = link.frame_data_bytes_max;
    let possible = (64..=16_384).contains(&data) && data % 8 == 0;
    demand("link.frame_data_bytes_max", data, possible, "a multiple of 8 from 64 to 16384")?;
    let possible = buffers.bytes >= HEADER_BYTES as u32 + data && buffers.bytes % 8 == 0;
    let right = "a multiple of 8 that holds a header of 48 bytes and link.frame_data_bytes_max";
    demand("buffers.bytes", buffers.bytes, possible, right)?;
    within("buffers.tx_count", buffers.tx_count, 2..=256, "2 to 256")?;
    within("buffers.rx_count", buffers.rx_count, 2..=256, "2 to 256")?;
    let all = u64::from(buffers.tx_count + buffers.rx_count) * u64::from(buffers.bytes);
    let right = "all buffers together must leave room in sram.bytes";
    demand("buffers", all, all < sram.bytes.into(), right)
}

/// What the standard and the bus model allow (`host_pci::Settings::check`).
fn bridge(platform: &Platform) -> Checked {
    let bridge = &platform.bridge;
    within("bridge.devsel_clock", bridge.devsel_clock, 1..=3, "1 (fast), 2 (medium) or 3 (slow)")?;
    let first = "bridge.devsel_clock to 16";
    let range = bridge.devsel_clock.into()..=16;
    within("bridge.read_first_clock", bridge.read_first_clock, range.clone(), first)?;
    within("bridge.write_first_clock", bridge.write_first_clock, range, first)?;
    within("bridge.beat_wait_clocks", bridge.beat_wait_clocks, 0..=7, "0 to 7")?;
    let most = 7 - u64::from(bridge.beat_wait_clocks);
    within("bridge.line_wait_clocks", bridge.line_wait_clocks, 0..=most, "0 to 7 less bridge.beat_wait_clocks")?;
    let bytes = bridge.boundary_bytes;
    let possible = bytes == 0 || (bytes.is_power_of_two() && bytes >= 8);
    demand("bridge.boundary_bytes", bytes, possible, "0, or a power of two from 8")
}

fn protocol(platform: &Platform) -> Checked {
    let Platform { protocol, buffers, .. } = platform;
    within("protocol.retransmit_us", protocol.retransmit_us, 1..=1_000_000, "1 to 1000000")?;
    demand("protocol.retransmit_limit", protocol.retransmit_limit, protocol.retransmit_limit > 0, "at least 1")?;
    let right = "1 to buffers.tx_count, or the sender's window closes before the acknowledgement";
    within("protocol.ack_frames", protocol.ack_frames, 1..=buffers.tx_count.into(), right)?;
    within("protocol.keeper_us", protocol.keeper_us, 1..=1_000_000, "1 to 1000000")?;
    let right = "at least 1 and less than protocol.retransmit_us";
    within("protocol.ack_us", protocol.ack_us, 1..=protocol.retransmit_us - 1, right)
}

fn host(platform: &Platform) -> Checked {
    let host = &platform.host;
    within("host.processor_count", host.processor_count, 1..=64, "1 to 64")?;
    let clock = 1_000_000..=10_000_000_000;
    within("host.processor_clock_hz", host.processor_clock_hz, clock, "1 MHz to 10 GHz")?;
    within("host.memory_mib", host.memory_mib, 1..=2048, "1 to 2048")?;
    let right = "at least 1, at most all pages of host.memory_mib";
    within("host.pinned_pages_max", host.pinned_pages_max, 1..=platform.host_pages().into(), right)?;
    demand("host.pinned_pages_high", host.pinned_pages_high, host.pinned_pages_high > 0, "at least 1")?;
    let high = host.pinned_pages_high.into();
    within("host.pinned_pages_low", host.pinned_pages_low, 0..=high, "at most host.pinned_pages_high")?;
    let bytes = host.write_combining_bytes;
    one_of("host.write_combining_bytes", bytes, &[8, 16, 32, 64], "8, 16, 32 or 64")?;
    demand("host.posted_writes_max", host.posted_writes_max, host.posted_writes_max > 0, "at least 1")?;
    demand("host.queue_look_again_ns", host.queue_look_again_ns, host.queue_look_again_ns > 0, "at least 1")?;
    demand("host.boot_poll_ns", host.boot_poll_ns, host.boot_poll_ns > 0, "at least 1")?;
    demand("host.poll_unchanged_ns", host.poll_unchanged_ns, host.poll_unchanged_ns > 0, "at least 1")?;
    demand("host.memcpy_bytes_per_us", host.memcpy_bytes_per_us, host.memcpy_bytes_per_us > 0, "at least 1")
}

fn management(platform: &Platform) -> Checked {
    let management = &platform.management;
    within("management.bits_per_s", management.bits_per_s, 1_000_000..=100_000_000_000, "1 Mbit/s to 100 Gbit/s")?;
    within("management.overhead_bytes", management.overhead_bytes, 0..=1_000, "at most 1000")?;
    let right = "1 to 1000000000: hosts run ahead of one another by less";
    within("management.latency_ns", management.latency_ns, 1..=1_000_000_000, right)
}

/// No cost is longer than a second: sums of them stay far inside the range of time.
fn durations(platform: &Platform) -> Checked {
    let host = &platform.host;
    for (key, value) in [
        ("host.interrupt_delay_ns", host.interrupt_delay_ns),
        ("host.interrupt_handler_ns", host.interrupt_handler_ns),
        ("host.irq_to_thread_ns", host.irq_to_thread_ns),
        ("host.notification_ns", host.notification_ns),
        ("host.miss_service_ns", host.miss_service_ns),
        ("host.pin_call_ns", host.pin_call_ns),
        ("host.pin_page_ns", host.pin_page_ns),
        ("host.unpin_call_ns", host.unpin_call_ns),
        ("host.unpin_page_ns", host.unpin_page_ns),
        ("host.syscall_ns", host.syscall_ns),
        ("host.page_fault_ns", host.page_fault_ns),
        ("host.unmap_page_ns", host.unmap_page_ns),
        ("host.queue_hold_ns", host.queue_hold_ns),
        ("host.queue_look_again_ns", host.queue_look_again_ns),
        ("host.boot_poll_ns", host.boot_poll_ns),
        ("host.pio_write_ns", host.pio_write_ns),
        ("host.pio_read_ns", host.pio_read_ns),
        ("host.bitmap_page_ns", host.bitmap_page_ns),
        ("host.post_build_ns", host.post_build_ns),
        ("host.poll_unchanged_ns", host.poll_unchanged_ns),
        ("host.poll_changed_ns", host.poll_changed_ns),
        ("management.local_ns", platform.management.local_ns),
        ("management.send_ns", platform.management.send_ns),
        ("management.receive_ns", platform.management.receive_ns),
    ] {
        within(key, value, 0..=1_000_000_000, "at most 1000000000")?;
    }
    Ok(())
}
