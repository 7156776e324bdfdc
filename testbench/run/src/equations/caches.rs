//! Equations of the caches: the monitor, which watches the trace port and the bus, agrees with the
//! counters of firmware and driver.

use nic_layout::counter::Counter;
use nicscope_account::results::Equation;

use super::of_node::OfNode;

pub(super) fn seen_by_the_monitor(node: &OfNode) -> Vec<Equation> {
    let Some(seen) = &node.node.seen else {
        return Vec::new();
    };
    let driver = &node.node.accounting.driver;
    let watched = |what: &str, seen: u64, counted: u64| {
        node.equation(&format!("{what} that the monitor saw = counted"), seen, counted)
    };
    vec![
        watched("send lookups", seen.lookups[0], node.firmware(Counter::SendLookups)),
        watched("receive lookups", seen.lookups[1], node.firmware(Counter::ReceiveLookups)),
        watched("send hits", seen.hits[0], node.firmware(Counter::SendHits)),
        watched("receive hits", seen.hits[1], node.firmware(Counter::ReceiveHits)),
        watched("send misses", seen.misses[0], node.firmware(Counter::SendMisses)),
        watched("receive misses", seen.misses[1], node.firmware(Counter::ReceiveMisses)),
        watched("send fetches", seen.fetches[0], node.firmware(Counter::SendFetches)),
        watched("receive fetches", seen.fetches[1], node.firmware(Counter::ReceiveFetches)),
        watched("lines filled by fetches", seen.fetches_filled, node.firmware(Counter::FetchesFilled)),
        watched("buffer misses", seen.buffer_misses, node.firmware(Counter::BufferMisses)),
        watched("fills", seen.fills, driver.fills + driver.buffer_fills),
        watched("denials", seen.denials, driver.denials),
        watched("releases", seen.releases, driver.releases),
    ]
}
