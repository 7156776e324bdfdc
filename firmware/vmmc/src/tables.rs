use nic_device::{Place, Words};
use nic_layout::key::KeyWidth;
use nic_lookup::{Fetched, Find, Lookup, Path, Reserve};
use nic_plan::{LookupPlaces, Rdma};

/// Where a personality finds translations and buffers. Nothing here waits; what is not there the machine asks the driver for.
pub trait Tables: Copy {
    /// All zero: until there is memory for them.
    const NOWHERE: Self;

    /// The width of every key.
    const KEY: KeyWidth;

    /// Posts name imports: this NIC says where a buffer is, and checks first (M-4). Otherwise the post says it, and the owner alone checks (M-46).
    const HAS_IMPORTS: bool;

    /// What plans the memory of the tables.
    type Lookup: nic_plan::Lookup;

    /// The tables as the image has them, before a boot request is read.
    const BUILT: Rdma<Self::Lookup>;

    /// Empties the tables, whatever they held.
    fn start(memory: &mut impl Words, places: &LookupPlaces, planned: &Self::Lookup) -> Self;

    /// Finds the translation of a page, and locks its line for `path`.
    fn lookup(&self, memory: &mut impl Words, path: Path, pid: u32, page: u32) -> Lookup;
    /// Ends one reference of `path` to a line.
    fn unlock(&self, memory: &mut impl Words, path: Path, line: u32) -> bool;
    /// Makes room for a page's line, which was just found absent.
    fn reserve(&self, memory: &mut impl Words, pid: u32, page: u32) -> Reserve;
    /// Where the entries of a line lie in the structure of translations, and how many there are: for whoever can fetch them from the host (M-58).
    fn line_entries(line: u32) -> (u32, u32);
    /// Locks a line that was just reserved, while its entries are fetched.
    fn begin_fetch(&self, memory: &mut impl Words, line: u32);
    /// They have come, or not ([`nic_lookup::Vmh::end_fetch`]).
    fn end_fetch(&self, memory: &mut impl Words, line: u32, tag: (u32, u32), came: bool, host_pages: u32) -> Fetched;
    /// The key that the driver is told of the line.
    fn miss_key(pid: u32, page: u32) -> u32;
    /// Forgets a page's line.
    fn invalidate(&self, memory: &mut impl Words, pid: u32, page: u32) -> bool;

    /// Finds the buffer of a CBH word.
    fn find_buffer(&self, memory: &mut impl Words, cbh: u32) -> Find;
    /// Where the words of a valid entry are (`nic_layout::cbh::entry`).
    fn buffer_place(&self, entry: u32) -> Place;
    /// Makes room for a buffer, which was just found absent.
    fn reserve_buffer(&self, memory: &mut impl Words, cbh: u32) -> Reserve;
    /// Forgets what is known of a buffer.
    fn forget_buffer(&self, memory: &mut impl Words, cbh: u32) -> bool;

    /// Where the words of an import of a process slot are (`nic_layout::static_tables::import`), if the table has that index.
    fn import(&self, slot: usize, index: u32) -> Option<Place>;
}
