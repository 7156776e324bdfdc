use nic_device::{Place, Words};
use nic_layout::key::KeyWidth;
use nic_lookup::{Fetched, Find, Lookup, Path, Reserve};
use nic_plan::{LookupPlaces, Rdma};

use crate::page::Span;

/// The tables in which a personality looks translations and buffers up. No method waits. For a
/// handle that is absent the protocol asks the driver.
pub trait Tables: Copy {
    /// Tables before their memory is known. All zero.
    const NOWHERE: Self;

    /// The width of every key.
    const KEY: KeyWidth;

    /// Room for the pages that one frame touches at either end. The type bounds the data of a frame
    /// ([`nic_plan::data_bytes_limit`]) and the places in the rings that a frame needs.
    type Span: Span;

    /// Whether posts name imports. If so, the sending NIC knows the buffer of an import and checks
    /// the access first (M-4). Otherwise the post names the buffer, and only the owner checks
    /// (M-46).
    const HAS_IMPORTS: bool;

    /// The type that plans the memory of the tables.
    type Lookup: nic_plan::Lookup;

    /// The tables as the image has them, before a boot request is read.
    const BUILT: Rdma<Self::Lookup>;

    /// The tables at their planned places. Their memory may hold anything before; they are empty
    /// afterwards.
    fn start(memory: &mut impl Words, places: &LookupPlaces, planned: &Self::Lookup) -> Self;

    /// Looks up the translation of a page. A hit locks the line for `path`.
    fn lookup(&self, memory: &mut impl Words, path: Path, pid: u32, page: u32) -> Lookup;
    /// Ends one lock of `path` on a line. False if there was none.
    fn unlock(&self, memory: &mut impl Words, path: Path, line: u32) -> bool;
    /// Reserves a line for a page. The caller has just found the line absent.
    fn reserve(&self, memory: &mut impl Words, pid: u32, page: u32) -> Reserve;
    /// Byte offset of the entries of a line in the structure of translations, and their number. The
    /// fetch of a line from the host needs both (M-58).
    fn line_entries(line: u32) -> (u32, u32);
    /// Locks a line that was just reserved, while its entries are fetched.
    fn begin_fetch(&self, memory: &mut impl Words, line: u32);
    /// Ends the fetch of a line. `came` tells whether the bus delivered the entries
    /// ([`nic_lookup::Vmh::end_fetch`]).
    fn end_fetch(&self, memory: &mut impl Words, line: u32, tag: (u32, u32), came: bool, host_pages: u32) -> Fetched;
    /// The key by which the miss ring names a page's line to the driver.
    fn miss_key(pid: u32, page: u32) -> u32;
    /// Forgets a page's line. False if it was absent.
    fn invalidate(&self, memory: &mut impl Words, pid: u32, page: u32) -> bool;

    /// Looks up the buffer of a CBH word.
    fn find_buffer(&self, memory: &mut impl Words, cbh: u32) -> Find;
    /// The place of a valid entry. `nic_layout::cbh::entry` describes its words.
    fn buffer_place(&self, entry: u32) -> Place;
    /// Reserves an entry for a buffer. The caller has just found the buffer absent.
    fn reserve_buffer(&self, memory: &mut impl Words, cbh: u32) -> Reserve;
    /// Forgets the entry of a buffer, valid, negative or reserved. False if there was none.
    fn forget_buffer(&self, memory: &mut impl Words, cbh: u32) -> bool;

    /// The place of an import of a process slot. `nic_layout::static_tables::import` describes its
    /// words. `None` if the table has no such index.
    fn import(&self, slot: usize, index: u32) -> Option<Place>;
}
