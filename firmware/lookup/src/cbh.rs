use nic_layout::cbh::{
    entry, entry_bytes, replacement_reset, valid, CbhGeometry, Descriptor, STATE_EMPTY, STATE_INVALID, STATE_MASK,
    STATE_RESERVED, STATE_VALID,
};
use nic_layout::key::KeyWidth;
use nic_layout::plant::{is_planted, Plant};

use crate::{Recency, Reserve};
use nic_device::{rarely, Place, Words};

/// What the cache knows of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Find {
    /// Its descriptor is in this entry: see [`Cbh::place`]. `state` is its state word, with the
    /// permissions.
    Valid {
        /// Number of the entry.
        entry: u32,
        /// Its state word.
        state: u32,
    },
    /// No descriptor.
    Not {
        /// Why: [`STATE_INVALID`], there is no such buffer, as the driver said (M-43);
        /// [`STATE_RESERVED`], the driver knows; or [`STATE_EMPTY`], the cache has no entry for the
        /// buffer.
        state: u32,
    },
}

/// The CBH cache of one geometry, somewhere in a memory (M-41), with keys of `KEY_BITS`.
///
/// No entry is locked: a caller that finds one has used it up before the next is reserved. Nothing
/// here waits.
#[derive(Clone, Copy, Debug)]
pub struct Cbh<const ENTRIES: u32, const WAYS: u32, const KEY_BITS: u32 = 64> {
    /// Where the entries begin: the replacement words lie before them, within reach of a load's
    /// 12-bit offset.
    entries: Place,
}

impl<const ENTRIES: u32, const WAYS: u32, const KEY_BITS: u32> Cbh<ENTRIES, WAYS, KEY_BITS> {
    const KEY: KeyWidth = KeyWidth::built(KEY_BITS);
    const IS_WIDE: bool = Self::KEY.is_wide();
    const ENTRY_BYTES: u32 = entry_bytes(Self::KEY);

    /// The geometry of the cache, checked when the image is built.
    pub const GEOMETRY: CbhGeometry = match (CbhGeometry { entries: ENTRIES, ways: WAYS, key: Self::KEY }).check() {
        Ok(geometry) => geometry,
        Err(_) => panic!("the CBH cache cannot have this geometry: powers of two, 1 to 8 ways, at least one set"),
    };

    /// Until there is memory for it.
    pub const NOWHERE: Self = Cbh { entries: Place(0) };

    /// `base` is a multiple of 4, and `GEOMETRY.bytes()` bytes follow it.
    pub fn new(memory: &impl Words, base: u32) -> Self {
        Cbh { entries: memory.place(base + Self::GEOMETRY.entry_offset(0)) }
    }

    /// Empties the cache, whatever it held.
    pub fn reset(&self, memory: &mut impl Words) {
        for number in 0..ENTRIES {
            for word in (0..Self::ENTRY_BYTES).step_by(4) {
                memory.put(self.place(number), word, 0);
            }
        }
        for set in 0..Self::GEOMETRY.sets() {
            memory.put(self.set(set), Self::REPLACEMENTS, replacement_reset(WAYS));
        }
    }

    /// Searches the set of the buffer. An entry that is found becomes the latest of its set.
    ///
    /// The way used last is tried first: it needs no change of the order, and is right for most
    /// frames of a message.
    #[inline(always)]
    pub fn find(&self, memory: &mut impl Words, cbh: u32) -> Find {
        let set = Self::GEOMETRY.set_of(cbh);
        let recency = Recency(memory.get(self.set(set), Self::REPLACEMENTS));
        let latest = set * WAYS + (recency.latest() & (WAYS - 1));
        let at = self.place(latest);
        let found = memory.get(at, entry::CBH);
        // The state is read before the rest: whatever the driver fills meanwhile, the rest belongs
        // to it.
        let state = memory.get(at, entry::STATE);
        if found == cbh && state & STATE_MASK == STATE_VALID {
            return Find::Valid { entry: latest, state };
        }
        rarely();
        let (number, state) = self.find_in_set(memory, cbh, recency);
        match state & STATE_MASK {
            STATE_VALID => Find::Valid { entry: number, state },
            state => Find::Not { state },
        }
    }

    /// Looks at all ways of a set: the number of the entry, and its state word, which is
    /// [`STATE_EMPTY`] if there is none.
    ///
    /// A function of its own, so that hits of the latest way keep their registers, and not in the
    /// scratchpad: drivers spread identifiers over the sets. The result is two words, which come in
    /// registers. A [`Find`] would come in memory, and a hit of the latest way would store its
    /// entry there too.
    #[inline(never)]
    fn find_in_set(&self, memory: &mut impl Words, cbh: u32, recency: Recency) -> (u32, u32) {
        let set = Self::GEOMETRY.set_of(cbh);
        let mut ways = (0..WAYS).map(|position| (position, set * WAYS + (recency.at(position) & (WAYS - 1))));
        // An empty entry names what it held before.
        let is_there = |number| {
            let at = self.place(number);
            memory.get(at, entry::CBH) == cbh && memory.get(at, entry::STATE) & STATE_MASK != STATE_EMPTY
        };
        let Some((position, number)) = ways.find(|&(_, number)| is_there(number)) else {
            return (0, STATE_EMPTY);
        };
        let state = memory.get(self.place(number), entry::STATE);
        if matches!(state & STATE_MASK, STATE_VALID | STATE_INVALID) {
            memory.put(self.set(set), Self::REPLACEMENTS, recency.to_front(position).0);
        }
        (number, state)
    }

    /// Gives the buffer the least recent way that is not reserved. The caller has just found it
    /// absent.
    pub fn reserve(&self, memory: &mut impl Words, cbh: u32) -> Reserve {
        let set = Self::GEOMETRY.set_of(cbh);
        let recency = Recency(memory.get(self.set(set), Self::REPLACEMENTS));
        for position in (0..WAYS).rev() {
            let number = set * WAYS + (recency.at(position) & (WAYS - 1));
            let at = self.place(number);
            if memory.get(at, entry::STATE) & STATE_MASK != STATE_RESERVED {
                memory.put(at, entry::CBH, cbh);
                memory.put(at, entry::STATE, STATE_RESERVED);
                memory.put(self.set(set), Self::REPLACEMENTS, recency.to_front(position).0);
                return Reserve::Line(number);
            }
        }
        Reserve::NoWay
    }

    /// Forgets the buffer and its key, whatever the cache knows of it, and makes its way the next
    /// victim. False if it knows nothing.
    pub fn forget(&self, memory: &mut impl Words, cbh: u32) -> bool {
        let set = Self::GEOMETRY.set_of(cbh);
        let recency = Recency(memory.get(self.set(set), Self::REPLACEMENTS));
        for position in 0..WAYS {
            let number = set * WAYS + (recency.at(position) & (WAYS - 1));
            let at = self.place(number);
            let is_empty = memory.get(at, entry::STATE) & STATE_MASK == STATE_EMPTY;
            if !is_empty && memory.get(at, entry::CBH) == cbh {
                if !is_planted(Plant::StaleBuffer) {
                    memory.put(at, entry::STATE, STATE_EMPTY);
                    memory.put(at, entry::KEY_0, 0);
                    memory.put(at, entry::KEY_1, 0);
                    if Self::IS_WIDE {
                        memory.put(at, entry::KEY_2, 0);
                        memory.put(at, entry::KEY_3, 0);
                    }
                }
                memory.put(self.set(set), Self::REPLACEMENTS, recency.to_back(position, WAYS).0);
                return true;
            }
        }
        false
    }

    /// Where an entry is: words as in [`entry`].
    #[inline(always)]
    pub const fn place(&self, number: u32) -> Place {
        self.entries.plus(number * Self::ENTRY_BYTES)
    }

    /// Where the replacement words begin, from the entries.
    const REPLACEMENTS: u32 = 0u32.wrapping_sub(Self::GEOMETRY.entry_offset(0));

    #[inline(always)]
    const fn set(&self, set: u32) -> Place {
        self.entries.plus(set * 4)
    }
}

/// The writes, in order, by which the driver fills a reserved entry: byte offset in the cache, and
/// value. The state, with `VALID`, comes last. They are one run of ascending words, with a key of
/// 128 bits two: its upper half comes first.
pub fn cbh_fill_words(
    geometry: CbhGeometry,
    number: u32,
    descriptor: &Descriptor,
) -> impl Iterator<Item = (u32, u32)> + Clone {
    let at = geometry.entry_offset(number);
    let upper = [(at + entry::KEY_2, descriptor.key[2]), (at + entry::KEY_3, descriptor.key[3])];
    let rest = [
        (at + entry::START, descriptor.start_address),
        (at + entry::LENGTH, descriptor.length_bytes),
        (at + entry::KEY_0, descriptor.key[0]),
        (at + entry::KEY_1, descriptor.key[1]),
        (at + entry::STATE, valid(descriptor.permissions)),
    ];
    let upper = upper.into_iter().take(if geometry.key.is_wide() { 2 } else { 0 });
    upper.chain(rest)
}

/// The write by which the driver says that there is no such buffer: a negative entry (M-43).
pub fn cbh_deny_word(geometry: CbhGeometry, number: u32) -> (u32, u32) {
    (geometry.entry_offset(number) + entry::STATE, STATE_INVALID)
}

/// The write by which the driver gives a reserved entry back unfilled.
pub fn cbh_release_word(geometry: CbhGeometry, number: u32) -> (u32, u32) {
    (geometry.entry_offset(number) + entry::STATE, STATE_EMPTY)
}
