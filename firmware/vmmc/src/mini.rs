use nic_device::{Place, Words};
use nic_layout::key::KeyWidth;
use nic_layout::vmh::{key, KEY_RESERVED};
use nic_lookup::{Cbh, Fetched, Find, Lookup, Path, Reserve, Vmh};
use nic_plan::{Caches, Geometry, LookupPlaces, Rdma, FRAME_PAGES_MAX};

use crate::page::LockedPage;
use crate::Tables;

/// The tables of the personality `mini`, the design of the thesis: the driver keeps the full
/// tables, and the NIC has two caches of them, a cache of translations and a cache of buffers
/// (M-15).
///
/// The type is built for one geometry of each cache, for keys of `K` bits, and for frames that
/// touch at most `P` pages.
#[derive(Clone, Copy, Debug)]
pub struct Mini<
    const E: u32,
    const L: u32,
    const W: u32,
    const CE: u32,
    const CW: u32,
    const K: u32 = 64,
    const P: usize = { FRAME_PAGES_MAX as usize },
> {
    vmh: Vmh<E, L, W>,
    cbh: Cbh<CE, CW, K>,
}

impl<const E: u32, const L: u32, const W: u32, const CE: u32, const CW: u32, const K: u32, const P: usize>
    Mini<E, L, W, CE, CW, K, P>
{
    /// The geometry of both caches. The boot reply states it.
    pub const GEOMETRY: Geometry = {
        assert!(P as u32 <= L + 1, "a frame needs at most two lines, so two ways of a set (M-36)");
        Geometry { vmh: Vmh::<E, L, W>::GEOMETRY, cbh: Cbh::<CE, CW, K>::GEOMETRY }
    };
}

impl<const E: u32, const L: u32, const W: u32, const CE: u32, const CW: u32, const K: u32, const P: usize> Tables
    for Mini<E, L, W, CE, CW, K, P>
{
    const NOWHERE: Self = Mini { vmh: Vmh::NOWHERE, cbh: Cbh::NOWHERE };

    const KEY: KeyWidth = KeyWidth::built(K);

    type Span = [LockedPage; P];

    const HAS_IMPORTS: bool = false;

    type Lookup = Caches;

    const BUILT: Rdma<Caches> = Rdma { lookup: Caches::built(Self::GEOMETRY), frame_pages_max: P as u32 };

    fn start(memory: &mut impl Words, places: &LookupPlaces, _planned: &Caches) -> Self {
        let mini = Mini { vmh: Vmh::new(memory, places.vmh), cbh: Cbh::new(memory, places.cbh) };
        mini.vmh.reset(memory);
        mini.cbh.reset(memory);
        mini
    }

    #[inline(always)]
    fn lookup(&self, memory: &mut impl Words, path: Path, pid: u32, page: u32) -> Lookup {
        self.vmh.lookup(memory, path, pid, page)
    }

    #[inline(always)]
    fn unlock(&self, memory: &mut impl Words, path: Path, line: u32) -> bool {
        self.vmh.unlock(memory, path, line)
    }

    fn reserve(&self, memory: &mut impl Words, pid: u32, page: u32) -> Reserve {
        self.vmh.reserve(memory, pid, page)
    }

    fn line_entries(line: u32) -> (u32, u32) {
        (Self::GEOMETRY.vmh.entry_offset(line, 0), L)
    }

    fn begin_fetch(&self, memory: &mut impl Words, line: u32) {
        self.vmh.begin_fetch(memory, line);
    }

    fn end_fetch(&self, memory: &mut impl Words, line: u32, tag: (u32, u32), came: bool, host_pages: u32) -> Fetched {
        self.vmh.end_fetch(memory, line, tag, came, host_pages)
    }

    fn miss_key(pid: u32, page: u32) -> u32 {
        key(pid, Self::GEOMETRY.vmh.line_page(page), KEY_RESERVED)
    }

    fn invalidate(&self, memory: &mut impl Words, pid: u32, page: u32) -> bool {
        self.vmh.invalidate(memory, pid, page)
    }

    #[inline(always)]
    fn find_buffer(&self, memory: &mut impl Words, cbh: u32) -> Find {
        self.cbh.find(memory, cbh)
    }

    #[inline(always)]
    fn buffer_place(&self, entry: u32) -> Place {
        self.cbh.place(entry)
    }

    fn reserve_buffer(&self, memory: &mut impl Words, cbh: u32) -> Reserve {
        self.cbh.reserve(memory, cbh)
    }

    fn forget_buffer(&self, memory: &mut impl Words, cbh: u32) -> bool {
        self.cbh.forget(memory, cbh)
    }

    fn import(&self, _slot: usize, _index: u32) -> Option<Place> {
        None
    }
}
