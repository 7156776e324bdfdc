//! DMA transfers that lookups have allowed and that have not ended.

use std::fmt;
use std::ops::Range;

use sim_pins::Ps;

/// The bytes of one page that a lookup allows.
#[derive(Clone, Debug)]
pub(crate) struct PageGrant {
    pub pid: u32,
    /// The page in the address space of the process.
    pub page: u32,
    /// The physical page.
    pub frame: u32,
    /// Ranges of bus addresses; several, if several posts name parts of the page.
    pub bytes: Vec<Range<u32>>,
}

/// The DMA that one lookup allows, from its hit to the end of its transfer.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    /// The number of lookups that hit before this one.
    pub number: u64,
    pub since: Ps,
    /// The line of the cache; 0 for all lookups in static tables.
    pub line: u32,
    /// Whether the NIC writes to the host.
    pub is_receive: bool,
    /// The pages that may be used: one for each process that the lookup may have been for.
    pub pages: Vec<PageGrant>,
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.is_receive { "receive" } else { "send" };
        write!(f, "{path} reference to line {} (", self.line)?;
        for (n, PageGrant { pid, page, bytes, .. }) in self.pages.iter().enumerate() {
            write!(f, "{}page {page:#x} of process {pid}", if n == 0 { "" } else { "; " })?;
            bytes.iter().try_for_each(|bytes| write!(f, ", {:#x} to {:#x}", bytes.start, bytes.end))?;
        }
        write!(f, ")")
    }
}

#[derive(Default)]
pub(crate) struct Grants {
    under_way: Vec<Grant>,
    next: u64,
    /// The number of changes of the set. A result that was found at another version is no longer
    /// valid.
    version: u64,
}

impl Grants {
    pub fn add(&mut self, since: Ps, line: u32, is_receive: bool, pages: Vec<PageGrant>) {
        self.under_way.push(Grant { number: self.next, since, line, is_receive, pages });
        self.next += 1;
        self.version += 1;
    }

    /// Ends one grant of a line and path: the oldest if its DMA has ended, the latest if it had no
    /// DMA. Returns false if there is no such grant.
    pub fn end(&mut self, line: u32, is_receive: bool, is_oldest: bool) -> bool {
        self.version += 1;
        let is_it = |grant: &Grant| grant.line == line && grant.is_receive == is_receive;
        let found = match is_oldest {
            true => self.under_way.iter().position(is_it),
            false => self.under_way.iter().rposition(is_it),
        };
        match found {
            Some(found) => {
                self.under_way.remove(found);
                true
            }
            None => false,
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.under_way.iter()
    }

    /// The number of the next grant. All grants under way have lower numbers.
    pub fn mark(&self) -> u64 {
        self.next
    }

    /// A grant that is older than a mark.
    pub fn before(&self, mark: u64) -> Option<&Grant> {
        self.under_way.iter().find(|grant| grant.number < mark)
    }

    /// A grant for a physical page.
    pub fn of_frame(&self, frame: u32) -> Option<&Grant> {
        self.under_way.iter().find(|grant| grant.pages.iter().any(|page| page.frame == frame))
    }

    pub fn version(&self) -> u64 {
        self.version
    }
}
