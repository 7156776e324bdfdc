//! The watches: each holds one group of rules against what is seen of a node.

mod caches;
mod dma;
mod fetches;
mod frame_target;
mod link;
mod notifications;
mod posts;
mod static_tables;

use nic_layout::trace::Marker;

use crate::broken::Broken;
use crate::context::Context;
use crate::{Header, LookupPlaces, Pins, Places, Transfer};

/// Some rules and the state that they need. Every event reaches every watch of the node, in the order of the list; the first rule that is broken ends the run.
pub(crate) trait Watch {
    /// A word that the host reads from the NIC over the bus.
    fn host_reads(&mut self, _context: &mut Context, _address: u32, _value: u32) -> Result<(), Broken> {
        Ok(())
    }

    /// A word that the host writes to the NIC over the bus.
    fn host_writes(
        &mut self,
        _context: &mut Context,
        _pins: &dyn Pins,
        _address: u32,
        _value: u32,
    ) -> Result<(), Broken> {
        Ok(())
    }

    /// A data phase of the NIC as a master.
    fn dma(&mut self, _context: &mut Context, _pins: &dyn Pins, _transfer: &Transfer) -> Result<(), Broken> {
        Ok(())
    }

    /// A word of the trace port.
    fn marker(
        &mut self,
        _context: &mut Context,
        _pins: &dyn Pins,
        _marker: Marker,
        _argument: u32,
    ) -> Result<(), Broken> {
        Ok(())
    }

    /// A whole frame that the NIC has received.
    fn received(&mut self, _context: &mut Context, _header: &Header) -> Result<(), Broken> {
        Ok(())
    }

    /// A whole frame that the NIC has sent.
    fn sent(&mut self, _context: &mut Context, _header: &Header) -> Result<(), Broken> {
        Ok(())
    }

    /// A physical page that is pinned no more.
    fn unpinned(&mut self, _context: &mut Context, _frame: u32) -> Result<(), Broken> {
        Ok(())
    }

    /// The end of the run.
    fn finish(&mut self, _context: &mut Context) -> Result<(), Broken> {
        Ok(())
    }
}

/// The watches of a node, in the order in which they see an event.
pub(crate) struct Watches(Vec<Box<dyn Watch + Send>>);

impl Watches {
    /// The watches of the personality that has these places.
    ///
    /// The order matters where one watch records what another reads: `Posts` before the lookups, `Fetches` and `Dma` before the lines that are filled and
    /// unlocked, and `Link` last, since it closes the frame that the others judge.
    pub fn of(places: &Places) -> Watches {
        let (posts, dma) = (Box::new(posts::Posts::new()), Box::new(dma::Dma::default()));
        let (notifications, link) =
            (Box::new(notifications::Notifications::default()), Box::new(link::Link::default()));
        Watches(match &places.lookup {
            LookupPlaces::Caches(caches) => {
                let fetches = Box::new(fetches::Fetches::new(caches));
                vec![posts, fetches, dma, Box::new(caches::Caches::new(caches)), notifications, link]
            }
            LookupPlaces::StaticTables(tables) => {
                vec![posts, dma, Box::new(static_tables::StaticTables::new(tables)), notifications, link]
            }
        })
    }

    /// Gives each watch its turn, until one objects.
    #[inline]
    pub fn each(&mut self, mut turn: impl FnMut(&mut dyn Watch) -> Result<(), Broken>) -> Result<(), Broken> {
        self.0.iter_mut().try_for_each(|watch| turn(&mut **watch))
    }
}
