//! Facts of a node that the monitor is told: where its tables are, and which pages are pinned.

/// What the host knows of its pages.
pub trait Pins {
    /// The physical page behind a page of a process, if it is pinned.
    fn pinned(&self, pid: u32, page: u32) -> Option<u32>;
}

/// Where the NIC and its tables are, as the driver found them.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// BAR 0 of the NIC: a bus address.
    pub registers: u32,
    /// BAR 1 of the NIC, its SRAM: a bus address.
    pub sram: u32,
    /// The size of BAR 1 in bytes.
    pub sram_bytes: u32,
    /// The post queues; `None` for a NIC that has none.
    pub posts: Option<PostPlaces>,
    /// The number of physical pages of the host.
    pub host_pages: u32,
}

/// Where post queues are.
#[derive(Clone, Copy, Debug)]
pub struct PostPlaces {
    /// The table of processes (`nic_layout::tables`): a byte offset in the SRAM.
    pub process_table: u32,
    /// The first post queue, one page for each queue: a byte offset in the SRAM.
    pub queues: u32,
    /// The number of post queues.
    pub queue_count: u32,
}

impl Places {
    /// The byte offset in the SRAM that a bus address names. `None` if the address is not in BAR 1.
    pub(crate) fn in_sram(&self, address: u32) -> Option<u32> {
        Some(address.wrapping_sub(self.sram)).filter(|offset| *offset < self.sram_bytes)
    }
}
