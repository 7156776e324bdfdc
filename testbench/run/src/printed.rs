//! Counters of a run by name, as `results.json` prints them.

use host_model::host::Accounting;
use host_model::processor::Usage;
use indexmap::IndexMap;
use nic_layout::counter::counters_of;
use sim_fabric::PortCounts;
use sim_pins::Ps;

use crate::cluster::ClusterOutput;
use crate::workload::app::Totals;

/// Time of the host's processors for misses: interrupt handler, miss thread, and the library's look
/// into its bitmap before a post. The time to pin and unpin pages is left out.
fn for_misses(usage: &Usage) -> Ps {
    let is_for_a_miss = |task: &str, label: &str| match label {
        "pin" | "unpin" => false,
        "bitmap" => true,
        _ => ["interrupt handler", "miss thread"].contains(&task),
    };
    Ps(usage.iter().filter(|((task, label), _)| is_for_a_miss(task, label)).map(|(_, time)| time.0).sum())
}

/// Every counter of a node by name: firmware, RTL, driver.
pub(crate) fn counters(totals: &Totals, host: &Accounting) -> IndexMap<String, u64> {
    let driver = &host.driver;
    let firmware =
        counters_of(totals.sets).map(|counter| (format!("firmware.{}", counter.name()), totals.firmware(counter)));
    let rtl = totals.rtl.iter().map(|(name, value)| (format!("rtl.{name}"), u64::from(*value)));
    let of_driver = [
        ("misses", driver.misses),
        ("fills", driver.fills),
        ("bitmap_checks", driver.bitmap_checks),
        ("pin_calls", driver.pin_calls),
        ("page_faults", driver.page_faults),
        ("queues_found_free", driver.queues_found_free),
        ("queues_taken", driver.queues_taken),
        ("queues_kept", driver.queues_kept),
        ("page_faults_given_up", driver.page_faults_given_up),
        ("queue_wait_ps", driver.queue_wait_ps),
        ("for_misses_ps", for_misses(&host.usage).0),
    ];
    let of_driver = of_driver.into_iter().map(|(name, value)| (format!("driver.{name}"), value));
    firmware.chain(rtl).chain(of_driver).collect()
}

/// The counters of each port of each switch.
pub(crate) fn switches(output: &ClusterOutput) -> Vec<Vec<IndexMap<String, u64>>> {
    let of_port = |port: &PortCounts| {
        let counts = [
            ("frames_in", port.frames_in),
            ("forwarded", port.forwarded),
            ("flooded", port.flooded),
            ("dropped_bad_fcs", port.dropped_bad_fcs),
            ("dropped_runt", port.dropped_runt),
            ("dropped_oversize", port.dropped_oversize),
            ("dropped_unknown", port.dropped_unknown),
            ("dropped_same_port", port.dropped_same_port),
            ("dropped_input_full", port.dropped_input_full),
            ("undecided", port.undecided),
            ("passed_bad_fcs", port.passed_bad_fcs),
            ("passed_truncated", port.passed_truncated),
            ("offered", port.offered),
            ("dropped_tail", port.dropped_tail),
            ("frames_out", port.frames_out),
            ("bytes_out", port.bytes_out),
            ("queued", port.queued),
            ("queue_bytes_peak", port.queue_bytes_peak),
        ];
        counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
    };
    output.switches.iter().map(|switch| switch.counts.ports.iter().map(of_port).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_for_misses_is_that_of_handler_and_thread_and_of_looks_before_but_for_pins() {
        let usage = [
            (("interrupt handler", "handler"), 1),
            (("miss thread", "miss service"), 10),
            (("miss thread", "pin"), 100),
            (("workload", "bitmap"), 1000),
            (("workload", "post"), 10_000),
        ];
        assert_eq!(for_misses(&usage.map(|(of, time)| (of, Ps(time))).into_iter().collect()), Ps(1011));
    }
}
