//! Equations of the driver: misses, page faults of post queues, and notifications.

use nic_layout::counter::Counter;
use nicscope_account::results::Equation;

use super::of_node::OfNode;

/// The driver has read each miss of the firmware. A miss whose fetch ended without the driver is
/// exempt.
pub(super) fn misses_read(node: &OfNode) -> Vec<Equation> {
    vec![node.equation(
        "misses of the firmware = misses that the driver read, and fetches that asked it for nothing",
        node.firmware_sum([Counter::SendMisses, Counter::ReceiveMisses, Counter::BufferMisses]),
        node.node.accounting.driver.misses + node.firmware_sum([Counter::FetchesFilled, Counter::FetchesLost]),
    )]
}

/// The driver has read each notification that the firmware counts as read.
pub(super) fn notifications(node: &OfNode) -> Vec<Equation> {
    vec![node.equation(
        "notifications that the firmware knows were read = notifications that the driver read",
        node.firmware(Counter::NotificationsRead),
        node.node.accounting.driver.notifications,
    )]
}

/// Each miss that the driver has read had one outcome.
pub(super) fn misses_served(node: &OfNode) -> Vec<Equation> {
    let driver = &node.node.accounting.driver;
    vec![node.equation(
        "misses = fills of lines and buffers + denials + releases + stale",
        driver.misses,
        driver.fills + driver.buffer_fills + driver.denials + driver.releases + driver.stale,
    )]
}

/// Each page fault on a post queue had one outcome.
pub(super) fn page_faults(node: &OfNode) -> Vec<Equation> {
    let driver = &node.node.accounting.driver;
    vec![node.equation(
        "page faults = queues found free + taken + kept + given up",
        driver.page_faults,
        driver.queues_found_free + driver.queues_taken + driver.queues_kept + driver.page_faults_given_up,
    )]
}
