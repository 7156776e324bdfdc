//! One entry of the table of personalities.

use host_model::driver::Driver;
use nic_monitor::watches::Watches;

/// What a run needs to know about a personality.
pub struct Personality {
    /// The watches that judge a node, once the driver knows where the NIC's tables are.
    pub watches: fn(&Driver) -> Option<Watches>,
    /// Numbers of buffers whose descriptors fall into one set of the NIC's cache: more buffers than
    /// the set has ways. The descriptor of the given buffer lies in another set.
    pub cold_buffers: fn(&Driver, u32) -> Option<Vec<u32>>,
}
