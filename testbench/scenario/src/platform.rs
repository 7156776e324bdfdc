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
/// twice the memory, or 1.5 times if the SRAM also holds the image and the areas of a second core.
pub fn fit_frames(platform: &mut Platform, mtu_bytes: u32) {
    let needed = (mtu_bytes + ETHERNET_BYTES).next_multiple_of(8);
    let buffers = &mut platform.buffers;
    if needed > buffers.bytes {
        let halves = if platform.core.count == 2 { 3 } else { 4 };
        let fitting = halves * buffers.rx_count * buffers.bytes / 2 / needed;
        buffers.rx_count = buffers.rx_count.min(fitting.max(2));
        buffers.bytes = needed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receive_buffers(cores: u32, mtu_bytes: u32) -> (u32, u32) {
        let mut platform = Platform::load("tigon2").expect("a platform");
        platform.core.count = cores;
        fit_frames(&mut platform, mtu_bytes);
        (platform.buffers.rx_count, platform.buffers.bytes)
    }

    #[test]
    fn long_frames_have_few_buffers_and_fewer_beside_a_second_core() {
        assert_eq!(receive_buffers(1, 1500), (64, 1520));
        assert_eq!(receive_buffers(2, 1500), (64, 1520));
        assert_eq!(receive_buffers(1, 3000), (64, 3016));
        assert_eq!(receive_buffers(2, 3000), (48, 3016));
        assert_eq!(receive_buffers(1, 9000), (21, 9016));
        assert_eq!(receive_buffers(2, 9000), (16, 9016));
    }
}
