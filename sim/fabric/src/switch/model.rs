//! The named models of a switch, and the settings of a scenario that change them.
//!
//! `gigabit-ethernet` is a store-and-forward switch as it stood in a cluster of 2001. That it
//! stores, has queues of 131 072 bytes for each port and sends no PAUSE frames is an assumption.
//! Its forwarding delay of 3400 ns is derived from EMP's one-way latency of a small message, 24 us
//! on a cable and 28 us behind a Packet Engines switch (facts EN-2, X-14). The difference contains
//! 0.58 us in which the switch receives a frame of 64 bytes. It also contains a slower host, so the
//! delay is an upper bound.
//!
//! `crossbar` is a cut-through switch in the manner of Myrinet's (Boden et al., IEEE Micro 15(1),
//! 1995). Its forwarding delay of 200 ns is an assumption. Myrinet buffers a few bytes and stops
//! the sender in place of queueing (facts S-12). The MAC of this NIC cannot be stopped, so the
//! crossbar has the queues of the other model. Backpressure can be switched on for links whose
//! senders obey.
//!
//! Both forward frames of up to 9022 bytes: 9018 bytes and an FCS are the longest that the MAC is
//! tested with. That an Ethernet switch of the time takes such frames is an assumption (facts
//! E-17).

use serde::{Deserialize, Serialize};
use sim_pins::Ps;

use crate::setting::{demand, within, SettingError};

/// The bytes of the shortest legal frame, from the destination address to the FCS (IEEE 802.3,
/// 3.2.8).
pub(crate) const FRAME_BYTES_MIN: u32 = 64;

/// The named models.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwitchModel {
    /// A store-and-forward gigabit Ethernet switch of 2001: forwarding delay 3400 ns, from EMP's
    /// measurement with a Packet Engines switch (facts EN-2, X-14). All else is an assumption.
    #[default]
    GigabitEthernet,
    /// A cut-through crossbar in the manner of Myrinet's, with queues in place of its backpressure:
    /// forwarding delay 200 ns, an assumption.
    Crossbar,
}

/// When a switch begins to forward a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwitchMode {
    /// When the whole frame has arrived and its FCS is right.
    StoreAndForward,
    /// When the MAC header has arrived. Frames with a bad FCS are forwarded.
    CutThrough,
}

/// What happens to a frame whose destination the switch does not know, or whose destination is a
/// group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownDestination {
    /// The frame is dropped and counted.
    Drop,
    /// A copy leaves through every other port.
    Flood,
}

/// The switch of a scenario: a model, and the parameters that differ from it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SwitchSettings {
    /// The model that gives every parameter that is left out.
    pub model: SwitchModel,
    /// When forwarding begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<SwitchMode>,
    /// From the decision to forward a frame until it may leave, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forwarding_ns: Option<u64>,
    /// Room of each output queue in bytes of frames, FCS included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_queue_bytes: Option<u32>,
    /// The longest frame that is forwarded, FCS included, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_bytes_max: Option<u32>,
    /// What happens to frames for unknown destinations and for groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<UnknownDestination>,
    /// Stop the sender of a frame for a full queue, in place of dropping the frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backpressure: Option<bool>,
}

/// All parameters of a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SwitchParameters {
    /// When forwarding begins.
    pub mode: SwitchMode,
    /// From the decision to forward a frame until it may leave.
    pub forwarding: Ps,
    /// Room of each output queue in bytes of frames, FCS included. The frame that is being sent
    /// still fills it.
    pub output_queue_bytes: u32,
    /// The longest frame that is forwarded, FCS included, in bytes.
    pub frame_bytes_max: u32,
    /// What happens to frames for unknown destinations and for groups.
    pub unknown: UnknownDestination,
    /// A frame for a full queue waits at its input port, which stops the sender of the link.
    pub backpressure: bool,
}

impl SwitchModel {
    /// The parameters of the model.
    pub fn parameters(self) -> SwitchParameters {
        let (mode, forwarding) = match self {
            SwitchModel::GigabitEthernet => (SwitchMode::StoreAndForward, Ps::from_ns(3_400)),
            SwitchModel::Crossbar => (SwitchMode::CutThrough, Ps::from_ns(200)),
        };
        SwitchParameters {
            mode,
            forwarding,
            output_queue_bytes: 131_072,
            frame_bytes_max: 9_022,
            unknown: UnknownDestination::Drop,
            backpressure: false,
        }
    }
}

impl SwitchSettings {
    /// The parameters of the model with those that the scenario gives.
    ///
    /// # Errors
    /// The first parameter that cannot be built; `key` is where the settings stand in the scenario.
    pub fn parameters(&self, key: &str) -> Result<SwitchParameters, SettingError> {
        let model = self.model.parameters();
        let parameters = SwitchParameters {
            mode: self.mode.unwrap_or(model.mode),
            forwarding: self.forwarding_ns.map_or(model.forwarding, Ps::from_ns),
            output_queue_bytes: self.output_queue_bytes.unwrap_or(model.output_queue_bytes),
            frame_bytes_max: self.frame_bytes_max.unwrap_or(model.frame_bytes_max),
            unknown: self.unknown.unwrap_or(model.unknown),
            backpressure: self.backpressure.unwrap_or(model.backpressure),
        };
        within(&format!("{key}.forwarding_ns"), parameters.forwarding.0 / 1_000, 0..=1_000_000)?;
        let frame = u64::from(parameters.frame_bytes_max);
        within(&format!("{key}.frame_bytes_max"), frame, u64::from(FRAME_BYTES_MIN)..=65_535)?;
        let queue = u64::from(parameters.output_queue_bytes);
        let right = format!("{key}.frame_bytes_max, here {frame}, to 67108864");
        let possible = (frame..=67_108_864).contains(&queue);
        demand(&format!("{key}.output_queue_bytes"), queue, possible, right)?;
        Ok(parameters)
    }
}
