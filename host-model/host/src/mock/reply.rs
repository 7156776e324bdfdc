//! The boot reply of the scripted firmware.

use nic_layout::boot::caches::CachesReply;
use nic_layout::boot::static_tables::{self, StaticTablesReply};
use nic_layout::boot::{
    CountersReply, LinkReply, NicReply, PostsReply, ReplyState, RingsReply, SectionsWriter, BOOT_READY,
};
use zerocopy::IntoBytes;

/// Everything that a boot reply may say, for a test to spoil. Words as in the sections of
/// `nic_layout::boot`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MockReply {
    /// `ReplyState::personality`.
    pub personality: u32,
    /// `PostsReply::post_queues`.
    pub post_queues: u32,
    /// `PostsReply::post_queue_count`.
    pub post_queue_count: u32,
    /// `PostsReply::process_table`.
    pub process_table: u32,
    /// `PostsReply::key_bits`.
    pub key_bits: u32,
    /// `RingsReply::miss_ring`.
    pub miss_ring: u32,
    /// `RingsReply::notify_ring`.
    pub notify_ring: u32,
    /// `CachesReply::vmh_cache`.
    pub vmh_cache: u32,
    /// `CachesReply::vmh_entries`.
    pub vmh_entries: u32,
    /// `CachesReply::vmh_line_entries`.
    pub vmh_line_entries: u32,
    /// `CachesReply::vmh_ways`.
    pub vmh_ways: u32,
    /// `CachesReply::cbh_cache`.
    pub cbh_cache: u32,
    /// `CachesReply::cbh_entries`.
    pub cbh_entries: u32,
    /// `CachesReply::cbh_ways`.
    pub cbh_ways: u32,
    /// `CachesReply::directories`.
    pub directories: u32,
    /// `StaticTablesReply::tables`.
    pub static_tables: u32,
    /// `StaticTablesReply::vmh_tables`.
    pub static_vmh_tables: u32,
    /// `StaticTablesReply::cbh_entries`.
    pub static_cbh_entries: u32,
    /// `StaticTablesReply::import_entries`.
    pub static_import_entries: u32,
    /// `CountersReply::counters`.
    pub counters: u32,
    /// `LinkReply::tx_buffers`.
    pub tx_buffers: u32,
    /// `LinkReply::rx_buffers`.
    pub rx_buffers: u32,
    /// `NicReply::free`.
    pub free: u32,
    /// The section of static tables is left out.
    pub lacks_tables: bool,
}

impl MockReply {
    /// The bytes of a firmware that is ready, from `BOOT_REPLY_ADDRESS` on. The section of caches
    /// is there unless the personality has static tables.
    pub fn bytes(&self) -> Vec<u8> {
        let mut sections = SectionsWriter::reply(6);
        sections.push(&NicReply { free: self.free });
        sections.push(&LinkReply { tx_buffers: self.tx_buffers, rx_buffers: self.rx_buffers });
        sections.push(&PostsReply {
            post_queues: self.post_queues,
            post_queue_count: self.post_queue_count,
            process_table: self.process_table,
            key_bits: self.key_bits,
        });
        sections.push(&RingsReply { miss_ring: self.miss_ring, notify_ring: self.notify_ring });
        sections.push(&CountersReply { counters: self.counters });
        if self.personality != static_tables::PERSONALITY {
            sections.push(&CachesReply {
                vmh_cache: self.vmh_cache,
                vmh_entries: self.vmh_entries,
                vmh_line_entries: self.vmh_line_entries,
                vmh_ways: self.vmh_ways,
                cbh_cache: self.cbh_cache,
                cbh_entries: self.cbh_entries,
                cbh_ways: self.cbh_ways,
                directories: self.directories,
            });
        } else if !self.lacks_tables {
            sections.push(&StaticTablesReply {
                tables: self.static_tables,
                vmh_tables: self.static_vmh_tables,
                cbh_entries: self.static_cbh_entries,
                import_entries: self.static_import_entries,
            });
        }
        let state = ReplyState { state: BOOT_READY, error: [0; 2], personality: self.personality };
        let words = sections.finish().expect("six sections fit");
        [state.as_bytes(), words.as_bytes()].concat()
    }
}
