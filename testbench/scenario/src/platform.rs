//! The platform of a scenario.

use host_model::platform::Platform;
use nic_layout::keeper;

use crate::error::Result;
use crate::request_error;
use crate::scenario::{Emp, Scenario};

/// Loads a platform, by its name or its file, with the scenario's link and number of cores.
///
/// # Errors
/// There is no such platform, the time of retransmission is not longer than the time of an
/// acknowledgement, or the SRAM has the wrong size for two cores.
pub fn load(name: &str, scenario: &Scenario) -> Result<Platform> {
    let mut platform = Platform::load(name).map_err(|error| request_error!("{error}"))?;
    platform.link.latency_ns = scenario.link.latency_ns;
    if let Some(retransmit_us) = scenario.link.retransmit_us {
        if retransmit_us <= platform.protocol.ack_us {
            return Err(request_error!(
                "link.retransmit_us = {retransmit_us}: must be more than the {} us after which {name} acknowledges",
                platform.protocol.ack_us
            ));
        }
        platform.protocol.retransmit_us = retransmit_us;
    }
    platform.core.count = platform.core.count.max(scenario.cores);
    if platform.core.count == 2 && platform.sram.bytes != keeper::SRAM_BYTES {
        return Err(request_error!(
            "cores = 2: {name} has {} bytes of SRAM; a NIC with two cores has {}",
            platform.sram.bytes,
            keeper::SRAM_BYTES
        ));
    }
    if scenario.personality.is_matched() {
        fit_frames(&mut platform, scenario.emp.mtu_bytes);
        let Emp { flow_control, slow_below, .. } = scenario.emp;
        let buffers = platform.buffers.rx_count;
        if flow_control && slow_below > buffers {
            return Err(request_error!(
                "emp.slow_below = {slow_below}: must be at most the {buffers} receive buffers of {name}, so that some \
                 number of free buffers is enough"
            ));
        }
    }
    Ok(platform)
}

/// Bytes of Ethernet's header.
const ETHERNET_BYTES: u32 = 14;

/// Makes the buffers as long as the frames. Longer buffers are fewer: together they take at most
/// twice the memory.
pub fn fit_frames(platform: &mut Platform, mtu_bytes: u32) {
    let needed = (mtu_bytes + ETHERNET_BYTES).next_multiple_of(8);
    let buffers = &mut platform.buffers;
    if needed > buffers.bytes {
        let fitting = 2 * buffers.rx_count * buffers.bytes / needed;
        buffers.rx_count = buffers.rx_count.min(fitting.max(2));
        buffers.bytes = needed;
    }
}
