//! Equations of the MAC: its counters agree with the firmware above it and with the link below it.

use nic_layout::counter::{area_words, Counter};
use nicscope_account::results::Equation;

use super::of_node::OfNode;

/// Counters of received frames that were dropped, one for each way.
const DROPPED: [&str; 7] = [
    "mac_rx_bad_fcs",
    "mac_rx_runts",
    "mac_rx_giants",
    "mac_rx_errors",
    "mac_rx_bad_preambles",
    "mac_rx_no_buffer",
    "mac_rx_overflows",
];

/// Counters of frames that the firmware gave to the MAC, one for each kind of frame.
const SENT: [Counter; 5] =
    [Counter::FramesSent, Counter::FramesRetransmitted, Counter::AcksSent, Counter::MissedSent, Counter::RestartsSent];

/// Frames that the firmware gave to the MAC. EMP counts them all together.
fn sent(node: &OfNode) -> u64 {
    match node.report.totals.sets {
        sets if area_words(sets) == Counter::COUNT => node.firmware(Counter::FramesToMac),
        _ => node.firmware_sum(SENT),
    }
}

/// The MAC counts from the last reset of the NIC on, and the link from the begin of the run. A
/// reset in a frame leaves the rest of it, which begins as no frame.
pub(super) fn frames(node: &OfNode) -> Vec<Equation> {
    let mut equations = vec![
        node.equation(
            "frames begun = good + each way to drop one",
            node.rtl("mac_rx_started"),
            node.rtl("mac_rx_frames") + DROPPED.map(|name| node.rtl(name)).iter().sum::<u64>(),
        ),
        node.equation(
            "good frames of the MAC = frames that firmware received",
            node.rtl("mac_rx_frames"),
            node.firmware(Counter::FramesReceived),
        ),
        node.equation(
            "frames that firmware sent = frames of the MAC",
            sent(node),
            node.rtl("mac_tx_frames") + node.rtl("mac_tx_skipped"),
        ),
    ];
    if node.node.resets == 0 {
        let sent = node.rtl("mac_tx_frames");
        equations.push(node.equation("frames of the MAC = frames on the link", sent, node.node.frames.sent));
    }
    equations
}
