//! The scheme of `emp-mini`, and its driver: it answers misses, some time later.

use std::collections::{BTreeSet, VecDeque};

use nic_device::mock::Hardware;
use nic_device::Words;
use nic_emp::{Core, Elsewhere, PagePlaces, Parts, Physical, Scheme, Translated};
use nic_layout::ring::{Event, MAILBOX_FILLED, MAILBOX_MISS};
use nic_layout::tables::MISS_RING_ENTRIES;
use nic_layout::vmh::NO_TRANSLATION;
use nic_layout::PAGE_BYTES;
use nic_lookup::fill_words;
use nic_matching::Posted;

/// A small cache, so that lines are replaced all the time.
type Pages = Translated<64, 8, 2>;

/// All parts on core A, with virtual addresses.
pub struct Mini;

impl Scheme for Mini {
    const NAME: &'static str = "mini";
    const BUFFERS_FROM_BOTH: bool = false;
    const FRAMES_FROM_BOTH: bool = false;
    type A<P: Posted> = Parts<P, Pages>;
    type B<P: Posted> = Core<Elsewhere, Elsewhere, Elsewhere, Elsewhere, P, Physical>;
}

/// Where the NIC's tables are.
pub const PLACES: PagePlaces = PagePlaces { cache: 0x7_0000, miss_ring: 0x7_8000, misses: 0x7_9000 };

/// Virtual and physical pages differ in this bit.
const DISPLACED: u32 = 0x800;

/// The virtual address behind a bus address.
pub fn virtual_of(bus: u32) -> u32 {
    bus ^ (DISPLACED * PAGE_BYTES)
}

/// What the driver of a node knows.
#[derive(Default)]
pub struct Driver {
    taken: u32,
    served: u32,
    /// Misses that wait: key and line.
    waiting: VecDeque<(u32, u32)>,
    /// Whether the NIC was not told of the last answers yet.
    is_silent: bool,
    /// Pages that the process does not have.
    pub absent: BTreeSet<u32>,
    /// The driver does other work, and answers no miss.
    pub is_busy: bool,
}

impl Driver {
    /// Takes new misses, and answers the oldest if it is `due`.
    pub fn step(&mut self, hardware: &mut Hardware, due: bool) {
        while self.taken != hardware.to_host[MAILBOX_MISS] {
            let at = PLACES.miss_ring + self.taken % MISS_RING_ENTRIES * 16;
            self.waiting.push_back((hardware.read(at), hardware.read(at + 4)));
            self.taken = self.taken.wrapping_add(1);
        }
        if due && !self.is_busy {
            if let Some((key, line)) = self.waiting.pop_front() {
                let frame = |page| if self.absent.contains(&page) { NO_TRANSLATION } else { page ^ DISPLACED };
                for (offset, value) in fill_words(Pages::GEOMETRY, line, key, frame) {
                    hardware.write(PLACES.cache + offset, value);
                }
                self.served = self.served.wrapping_add(1);
                self.is_silent = true;
            }
        }
        if self.is_silent && hardware.mailboxes & 1 << MAILBOX_FILLED == 0 {
            self.is_silent = false;
            hardware.to_nic[MAILBOX_FILLED] = self.served;
            hardware.mailboxes |= 1 << MAILBOX_FILLED;
            hardware.raise_in_both(Event::Mailbox);
        }
    }
}
