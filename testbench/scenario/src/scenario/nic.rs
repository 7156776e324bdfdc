//! What a NIC has: its cache of translations, its post queues.

use nic_layout::tables::PID_MAX;
use nic_layout::vmh::{GeometryError, VmhGeometry};
use nic_layout::PROCESS_SLOTS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::request_error;

/// The cache of translations on each NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// Translations of pages in all, a power of two.
    pub entries: u32,
    /// Translations of a line, a power of two from 8 to 128.
    pub line_entries: u32,
    /// Lines of a set: 2, 4 or 8.
    pub ways: u32,
}

impl Cache {
    /// The geometry in the type of the firmware.
    ///
    /// # Errors
    /// A number is no power of two, out of its range, or the entries are fewer than one set.
    pub fn geometry(self) -> Result<VmhGeometry> {
        let geometry = VmhGeometry { entries: self.entries, line_entries: self.line_entries, ways: self.ways };
        geometry.check().map_err(|error| match error {
            GeometryError::NotAPowerOfTwo => request_error!(
                "cache: entries = {}, line_entries = {}, ways = {}: each must be a power of two",
                self.entries,
                self.line_entries,
                self.ways
            ),
            GeometryError::LineEntriesOutOfRange => {
                request_error!("cache.line_entries = {}: must be 8 to 128", self.line_entries)
            }
            GeometryError::WaysOutOfRange => {
                request_error!("cache.ways = {}: must be 2, 4 or 8", self.ways)
            }
            GeometryError::FewerThanOneSet => request_error!(
                "cache.entries = {}: must hold at least one set of {} ways times {} entries",
                self.entries,
                self.ways,
                self.line_entries
            ),
        })
    }
}

/// What processes share on each NIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nic {
    /// Post queues of a NIC, 1 to 8, which the driver gives to processes on demand (M-52). By
    /// default the personality's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_queues: Option<u32>,
    /// Processes that a node may have at a time, 1 to 4095.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes_max: Option<usize>,
    /// Whether a canary lies in the stack of each core: the run then ends with the depth that each
    /// stack had, and fails if one was deeper than the analysis of its image says (INV-37). The
    /// canary delays the start of the firmware by the time that filling a stack takes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stack_canary: bool,
}

impl Nic {
    /// Whether to leave the table out of a written scenario.
    pub(super) fn is_default(&self) -> bool {
        *self == Nic::default()
    }

    pub(super) fn check(self, has_caches: bool) -> Result<()> {
        if let Some(queues) = self.post_queues.filter(|queues| !(1..=PROCESS_SLOTS as u32).contains(queues)) {
            return Err(request_error!("nic.post_queues = {queues}: must be 1 to {PROCESS_SLOTS}"));
        }
        if let Some(queues) = self.post_queues.filter(|queues| !has_caches && *queues != PROCESS_SLOTS as u32) {
            return Err(request_error!(
                "nic.post_queues = {queues}: must be {PROCESS_SLOTS} without caches: each process has tables and a queue of its own"
            ));
        }
        if let Some(max) = self.processes_max.filter(|max| !(1..=PID_MAX as usize).contains(max)) {
            return Err(request_error!("nic.processes_max = {max}: must be 1 to {PID_MAX}"));
        }
        Ok(())
    }
}
