//! The book of misses: which were read, which are served, and which may have lost their line
//! meanwhile.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::miss_event::{Cache, MissEvent};

/// A key that was invalidated while entries up to `producer` were in the ring: those may have lost
/// their line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Suspect {
    cache: Cache,
    key: u32,
    producer: u32,
}

/// The misses of one NIC, by free-running indices of the miss ring.
#[derive(Default)]
pub struct Ledger {
    /// Read by the handler, and served by the thread.
    taken: Cell<u32>,
    served: Cell<u32>,
    /// How many entries of the miss ring for each line or entry are read and not served.
    outstanding: RefCell<BTreeMap<(Cache, u32), u32>>,
    suspects: RefCell<Vec<Suspect>>,
}

impl Ledger {
    pub fn taken(&self) -> u32 {
        self.taken.get()
    }

    pub fn served(&self) -> u32 {
        self.served.get()
    }

    /// Misses read from the ring and not served.
    pub fn unserved(&self) -> u32 {
        self.taken.get().wrapping_sub(self.served.get())
    }

    /// The handler has read the next entry.
    pub fn take(&self) {
        self.taken.set(self.taken.get().wrapping_add(1));
    }

    /// Counts an entry that makes sense. Gives whether another one for its line is not served yet.
    pub fn begin(&self, cache: Cache, line: u32) -> bool {
        let mut outstanding = self.outstanding.borrow_mut();
        let count = outstanding.entry((cache, line)).or_default();
        *count += 1;
        *count > 1
    }

    /// The entry is done with: its line, and suspicions that concern no later entry, are forgotten.
    pub fn settle(&self, event: &MissEvent, cache: Cache) {
        let mut outstanding = self.outstanding.borrow_mut();
        if let Some(count) = outstanding.get_mut(&(cache, event.line)) {
            *count -= 1;
            if *count == 0 {
                outstanding.remove(&(cache, event.line));
            }
        }
        let next = event.index.wrapping_add(1);
        self.suspects.borrow_mut().retain(|suspect| before(next, suspect.producer));
    }

    /// Its place in the ring is given back.
    pub fn serve(&self, event: &MissEvent) -> u32 {
        let served = event.index.wrapping_add(1);
        self.served.set(served);
        served
    }

    /// The NIC has forgotten this key, which may have been reserved; `producer` is its index of the
    /// miss ring, of which the low 16 bits count. If entries up to there are not served, they may
    /// have lost their line.
    pub fn suspect(&self, cache: Cache, key: u32, producer: u32) {
        let served = self.served.get();
        let unserved = producer.wrapping_sub(served) & 0xFFFF;
        if unserved != 0 {
            let producer = served.wrapping_add(unserved);
            self.suspects.borrow_mut().push(Suspect { cache, key, producer });
        }
    }

    pub fn is_suspect(&self, event: &MissEvent, cache: Cache) -> bool {
        let suspects = self.suspects.borrow();
        let same = |suspect: &Suspect| (suspect.cache, suspect.key) == (cache, event.key);
        suspects.iter().any(|suspect| same(suspect) && before(event.index, suspect.producer))
    }

    /// Entries that make sense and are not done with.
    pub fn under_way(&self) -> u64 {
        self.outstanding.borrow().values().map(|&count| u64::from(count)).sum()
    }
}

/// Free-running indices: `a` is before `b`, less than half a lap away.
fn before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}
