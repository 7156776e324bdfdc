//! One entry of the table of personalities.

use host_model::driver::Driver;
use nic_monitor::watches::Watches;

/// What a run needs to know of a personality.
pub struct Personality {
    /// The watches that judge a node, once the driver knows where the NIC's tables are.
    pub watches: fn(&Driver) -> Option<Watches>,
    /// Numbers of buffers whose descriptors fall into one set of the NIC's cache, in which that of
    /// the given buffer does not lie. There are more of them than the set has ways.
    pub cold_buffers: fn(&Driver, u32) -> Option<Vec<u32>>,
}
