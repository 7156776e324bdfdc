//! How EMP cuts messages and sends them again.

use host_model::driver::{FlowControl, MessagesOptions};
use host_model::library::emp as library;
use nic_layout::personality::emp::{COLLECTION_FRAMES, COLLECTION_FRAMES_MAX};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Scenario, WorkloadKind};
use crate::error::Result;
use crate::request_error;

/// Forty of the receives are left.
const POSTED_AHEAD_MAX: u32 = 400;

/// Settings of personalities that match messages (docs/emp.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Emp {
    /// Bytes of a frame behind Ethernet's header at most, 27 to 9000; beyond 1500 they are jumbo
    /// frames (E-17), for which the NIC has longer buffers and fewer. By default 1500.
    pub mtu_bytes: u32,
    /// Frames in a collection, the unit of acknowledgement (E-32), 1 to 8. By default 3.
    pub collection_frames: u32,
    /// The time after which a collection without an acknowledgement is sent again, in us, 1 to
    /// 100000. By default 250.
    pub resend_us: u64,
    /// When a process asks the driver for physical addresses. By default once for each page.
    pub translate: Translate,
    /// Which core of a NIC with two cores runs which parts of the firmware. Only with cores = 2,
    /// where it is `dsr` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// Receives that each process posts before all others and that no message matches, 0 to 400.
    /// The search walks past them (E-35). By default 0.
    pub posted_ahead: u32,
    /// The library of the processes (docs/libraries.md). By default EMP alone.
    pub library: Library,
    /// Every acknowledgement says how many receive buffers of its NIC are free, and senders pause
    /// between frames to a NIC that has few (E-40). By default false.
    pub flow_control: bool,
    /// With flow control: senders pause for one frame time while a NIC has fewer free receive
    /// buffers, a power of two from 2 to 128. By default 32.
    pub slow_below: u32,
    /// With flow control: senders pause for eight frame times while a NIC has fewer free receive
    /// buffers, a power of two below `slow_below`. By default 8.
    pub slower_below: u32,
    /// How the NIC finds the posted receive of a message. By default as the thesis does.
    pub matching: Matching,
}

/// How the image of EMP finds the posted receive of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// It walks the posted receives from the oldest on (E-35).
    #[default]
    Linear,
    /// It looks up lists of receives that ask for the same, by a hash.
    Hashed,
}

impl Matching {
    /// The value of the build parameter.
    pub fn name(self) -> &'static str {
        match self {
            Matching::Linear => "linear",
            Matching::Hashed => "hashed",
        }
    }

    /// What the name of a folder of images has behind it.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Matching::Linear => "",
            Matching::Hashed => "-hashed",
        }
    }
}

/// When a process asks the driver for physical addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Translate {
    /// Once for each page: a locked page does not move.
    #[default]
    Once,
    /// At each post, as the thesis does (E-14).
    EachPost,
}

/// The library of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Library {
    /// Messages of EMP.
    #[default]
    Emp,
    /// Ranks and requests as MPI has them, over messages of EMP.
    Mpi,
    /// Streams of bytes as sockets have them, over messages of EMP.
    Sockets,
}

impl Library {
    /// Checks that the library can play the workload.
    ///
    /// # Errors
    /// It does not play the kind, or a stream would carry no bytes.
    pub fn check(self, scenario: &Scenario) -> Result<()> {
        let (kind, name) = (scenario.workload.kind, format!("{self:?}").to_lowercase());
        let plays = matches!(kind, WorkloadKind::PingPong | WorkloadKind::Stream);
        if self != Library::Emp && !plays {
            return Err(request_error!(
                "emp.library = {name:?}: does not play workload.kind = {:?}: must be ping-pong or stream",
                kind.name()
            ));
        }
        if self == Library::Sockets && scenario.workload.sizes_bytes.contains(&0) {
            return Err(request_error!("workload.sizes_bytes: 0: must be at least 1 with emp.library = {name:?}"));
        }
        Ok(())
    }
}

/// Which core runs which parts of the firmware (docs/emp.md, Four parts).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Core A runs all parts, and core B rests (E-45).
    Base,
    /// Core B runs the transmitter (E-46, SO).
    So,
    /// Core B runs the receiver (E-46, RO).
    Ro,
    /// Core B runs the sorter and the receiver (E-46, DSR).
    #[default]
    Dsr,
    /// Core B runs the transmitter and the receiver (E-46, SR).
    Sr,
    /// Core A runs all parts, and lends the sorter and the receiver to core B while both cores have
    /// work (EL-1).
    Dynamic,
}

impl Scheme {
    /// Every scheme, those of the thesis first.
    pub const ALL: [Scheme; 6] = [Scheme::Base, Scheme::So, Scheme::Ro, Scheme::Dsr, Scheme::Sr, Scheme::Dynamic];
    /// The schemes that fix which core runs which part, in the order of the thesis.
    pub const FIXED: [Scheme; 5] = [Scheme::Base, Scheme::So, Scheme::Ro, Scheme::Dsr, Scheme::Sr];

    /// The name in scenarios, and for the build of an image.
    pub const fn name(self) -> &'static str {
        match self {
            Scheme::Base => "base",
            Scheme::So => "so",
            Scheme::Ro => "ro",
            Scheme::Dsr => "dsr",
            Scheme::Sr => "sr",
            Scheme::Dynamic => "dynamic",
        }
    }
}

impl Default for Emp {
    fn default() -> Emp {
        Emp::USUAL
    }
}

impl Emp {
    /// The values of a scenario that names none.
    pub const USUAL: Emp = Emp {
        mtu_bytes: 1500,
        collection_frames: COLLECTION_FRAMES,
        resend_us: 250,
        translate: Translate::Once,
        scheme: None,
        posted_ahead: 0,
        library: Library::Emp,
        flow_control: false,
        slow_below: 32,
        slower_below: 8,
        matching: Matching::Linear,
    };

    /// Whether to leave the table out of a written scenario.
    pub(super) fn is_default(&self) -> bool {
        *self == Emp::default()
    }

    /// Checks the values. `is_emp`: the personality matches messages.
    ///
    /// # Errors
    /// A value is out of range, or not for this personality or number of cores.
    pub fn check(self, is_emp: bool, cores: u32) -> Result<()> {
        let Emp { mtu_bytes, collection_frames, resend_us, .. } = self;
        if !is_emp && !self.is_default() {
            return Err(request_error!("emp: only with personality = \"emp\", or another one that matches messages"));
        }
        if let (Some(scheme), 1) = (self.scheme, cores) {
            return Err(request_error!(
                "emp.scheme = {:?}: only with cores = 2, as by --set cores=2; one core runs all parts",
                scheme.name()
            ));
        }
        if !(27..=9000).contains(&mtu_bytes) {
            return Err(request_error!("emp.mtu_bytes = {mtu_bytes}: must be 27 to 9000"));
        }
        if !(1..=COLLECTION_FRAMES_MAX).contains(&collection_frames) {
            return Err(request_error!(
                "emp.collection_frames = {collection_frames}: must be 1 to {COLLECTION_FRAMES_MAX}"
            ));
        }
        if !(1..=100_000).contains(&resend_us) {
            return Err(request_error!("emp.resend_us = {resend_us}: must be 1 to 100000"));
        }
        if self.posted_ahead > POSTED_AHEAD_MAX {
            return Err(request_error!("emp.posted_ahead = {}: must be 0 to {POSTED_AHEAD_MAX}", self.posted_ahead));
        }
        let Emp { slow_below, slower_below, .. } = self;
        if !slow_below.is_power_of_two() || !(2..=128).contains(&slow_below) {
            return Err(request_error!("emp.slow_below = {slow_below}: must be a power of two from 2 to 128"));
        }
        if !slower_below.is_power_of_two() || slower_below >= slow_below {
            return Err(request_error!(
                "emp.slower_below = {slower_below}: must be a power of two below emp.slow_below, which is {slow_below}"
            ));
        }
        Ok(())
    }

    /// The same for the driver.
    pub fn of_driver(self) -> MessagesOptions {
        let Emp { mtu_bytes, collection_frames, resend_us, flow_control, slow_below, slower_below, .. } = self;
        let flow_control = flow_control.then_some(FlowControl { slow_below, slower_below });
        MessagesOptions { mtu_bytes, collection_frames, resend_us, flow_control }
    }
}

impl Translate {
    /// The same for the library.
    pub fn of_library(self) -> library::Translate {
        match self {
            Translate::Once => library::Translate::Once,
            Translate::EachPost => library::Translate::EachPost,
        }
    }
}
