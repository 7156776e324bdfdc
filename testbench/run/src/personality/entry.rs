//! One entry of the table of personalities.

use host_model::driver::Driver;
use nic_monitor::watches::Watches;
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario::Scenario;

use crate::meeting::Meeting;
use crate::node::Handle;
use crate::workload::{Note, Playing, Work};

/// What a run needs to know about a personality.
pub struct Personality {
    /// Its name, as in scenarios.
    pub name: &'static str,
    /// Whether a workload of the scenario can be played: what only a personality can refuse.
    pub check: fn(&Scenario) -> Result<()>,
    /// Plays the workload of the scenario on a node that is booted.
    pub play: fn(Work, Handle, Meeting<Note>) -> Playing,
    /// The watches that judge a node, once the driver knows where the NIC's tables are.
    pub watches: fn(&Driver) -> Option<Watches>,
    /// Numbers of buffers whose descriptors fall into one set of the NIC's cache: more buffers than
    /// the set has ways. The descriptor of the given buffer lies in another set.
    pub cold_buffers: fn(&Driver, u32) -> Option<Vec<u32>>,
}
