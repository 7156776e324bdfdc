use nic_device::{rarely, Place, Words};

/// The events of both cores, as one core has them.
///
/// The part that stays on core A has the number 0, the part that core A lends has the number 1. An
/// event of the hardware becomes pending in both cores. All other events become pending in the core
/// that [`Self::set`] or [`Self::set_other`] names.
pub trait Events {
    /// The events of each part, one bit each.
    const OF: [u32; 2];
    /// Those of part 1 that no hardware makes pending in both cores.
    const SINGLE: u32;
    /// Events of the hardware that may concern either part. They are in no other set.
    const COMMON: u32;
    /// The event by which a core says that the part now belongs to the other core. It is in no
    /// other set.
    const BELL: u32;
    /// The event of the timer by which core B measures its rest. It is in no other set.
    const RESTED: u32;

    /// The events that are pending in this core.
    fn pending(&self) -> u32;
    /// Makes events pending in this core.
    fn set(&mut self, events: u32);
    /// Makes events pending in the other core.
    fn set_other(&mut self, events: u32);
    /// Clears pending events of this core.
    fn clear(&mut self, events: u32);
    /// Lets these events end the sleep of this core, and no others.
    fn enable(&mut self, events: u32);
    /// Which of the parts common events concern, one bit each. They were cleared before.
    fn concerned(&mut self, common: u32) -> u32;
    /// Starts the timer of [`Self::RESTED`] anew.
    fn rest(&mut self);
}

/// What a core does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It sleeps until one of its enabled events is pending.
    Sleep,
    /// It looks again.
    Look,
    /// It runs this part with these events.
    Run(u32, u32),
}

/// The word of SRAM that says which core has the part that core A lends: 0 or 1 is A or B. The core
/// that has the part changes the word, and no other.
#[derive(Clone, Copy, Debug)]
struct Owner(Place);

impl Owner {
    #[inline(always)]
    fn is_b(self, words: &impl Words) -> bool {
        words.get(self.0, 0) != 0
    }

    #[inline(always)]
    fn set(self, words: &mut impl Words, is_b: bool) {
        words.put(self.0, 0, is_b.into());
    }
}

/// Core A. It runs both parts while that is enough. When both have work at a time, it lends part 1
/// to core B, which gives the part back after a rest.
///
/// No event is lost:
///
/// - A core that gets the part serves all events of it, as if they were pending. So the causes that
///   are older than the change are looked at.
/// - Events of the part that are set in one core later, while the other core has the part, are
///   passed on. Both cores have them enabled, or look at them before they sleep.
/// - A core clears the bell, then reads which core has the part.
#[derive(Debug)]
pub struct Lender {
    owner: Owner,
    is_lent: bool,
    /// Whether each part has work without an event.
    has_work: [bool; 2],
}

impl Lender {
    /// The bytes of SRAM that the word of both cores takes.
    pub const BYTES: u32 = 4;

    /// Core A has both parts. Call before core B begins. `offset_bytes` of SRAM, a multiple of 4.
    pub fn start<E: Events>(words: &mut impl Words, offset_bytes: u32, events: &mut E) -> Lender {
        let owner = Owner(words.place(offset_bytes));
        owner.set(words, false);
        events.enable(Self::all::<E>());
        events.set(Self::all::<E>() & !E::BELL);
        Lender { owner, is_lent: false, has_work: [true; 2] }
    }

    const fn all<E: Events>() -> u32 {
        E::OF[0] | E::OF[1] | E::COMMON | E::BELL
    }

    /// What core A does next. It has just run `part`. `has_work`: whether that part has work
    /// without an event.
    #[inline(always)]
    pub fn next<E: Events>(
        &mut self,
        words: &mut impl Words,
        events: &mut E,
        part: u32,
        has_work: impl FnOnce() -> bool,
    ) -> Next {
        let pending = events.pending();
        if !self.is_lent || pending & (E::BELL | E::SINGLE) != 0 {
            rarely();
            return self.next_of_both(words, events, part, has_work());
        }
        let own = pending & (E::OF[0] | E::COMMON);
        if own != 0 {
            events.clear(own);
            return Next::Run(0, own);
        }
        if has_work() {
            Next::Run(0, 0)
        } else {
            Next::Sleep
        }
    }

    /// The same where part 1 is here, comes back, or has an event here.
    #[inline(never)]
    fn next_of_both<E: Events>(&mut self, words: &mut impl Words, events: &mut E, part: u32, has_work: bool) -> Next {
        self.has_work[part as usize & 1] = has_work;
        let mut pending = events.pending();
        if pending & E::BELL != 0 {
            events.clear(E::BELL);
            if self.is_lent && !self.owner.is_b(words) {
                self.is_lent = false;
                self.has_work[1] = true;
                events.enable(Self::all::<E>());
                events.set(E::OF[1] | E::COMMON);
            }
            pending = events.pending();
        }
        if self.is_lent {
            if pending & E::SINGLE != 0 {
                events.clear(pending & E::SINGLE);
                events.set_other(pending & E::SINGLE);
            }
            return Next::Look;
        }
        let common = pending & E::COMMON;
        let concerned = if common != 0 {
            events.clear(common);
            events.concerned(common)
        } else {
            0
        };
        let of = |part: usize| pending & E::OF[part] | if concerned >> part & 1 != 0 { common } else { 0 };
        let (own, lent) = (of(0), of(1));
        let is_ready = own != 0 || self.has_work[0];
        if lent != 0 || self.has_work[1] {
            if !is_ready {
                events.clear(lent);
                return Next::Run(1, lent);
            }
            self.lend(words, events);
        }
        if !is_ready {
            return Next::Sleep;
        }
        events.clear(own);
        Next::Run(0, own)
    }

    /// Core B has the part from now on.
    fn lend<E: Events>(&mut self, words: &mut impl Words, events: &mut E) {
        self.is_lent = true;
        events.enable(E::OF[0] | E::COMMON | E::BELL | E::SINGLE);
        // Core B looks at their causes, as at all others.
        events.clear(E::OF[1]);
        self.owner.set(words, true);
        events.set_other(E::BELL);
    }
}

/// Core B ([`Lender`]).
#[derive(Debug)]
pub struct Borrower {
    owner: Owner,
    /// Whether the part has run since the timer was started.
    has_run: bool,
}

impl Borrower {
    /// Core B has no part. `offset_bytes` as core A has it.
    pub fn start<E: Events>(words: &impl Words, offset_bytes: u32, events: &mut E) -> Borrower {
        events.enable(E::BELL | E::SINGLE);
        // Core A may have lent the part before this core began.
        events.set(E::BELL);
        Borrower { owner: Owner(words.place(offset_bytes)), has_run: false }
    }

    /// Waits for the part. The events with which core B runs it first.
    #[inline(always)]
    pub fn take<E: Events>(&mut self, words: &mut impl Words, events: &mut E) -> Next {
        let pending = events.pending() & (E::BELL | E::SINGLE);
        if pending == 0 {
            return Next::Sleep;
        }
        events.clear(pending);
        if self.owner.is_b(words) {
            self.has_run = true;
            events.rest();
            events.enable(E::OF[1] | E::COMMON | E::RESTED);
            events.clear(E::OF[1] | E::COMMON | E::RESTED);
            return Next::Run(1, E::OF[1] | E::COMMON);
        }
        if pending & E::SINGLE != 0 {
            // Core A has passed these while this core gave the part back.
            events.set_other(pending & E::SINGLE);
        }
        Next::Look
    }

    /// What core B does next with the part. `has_work`: whether the part has work without an event.
    /// [`Next::Look`]: core B has rested for the time of its timer, and calls [`Self::give_back`].
    #[inline(always)]
    pub fn next<E: Events>(&mut self, events: &mut E, has_work: impl FnOnce() -> bool) -> Next {
        let pending = events.pending();
        let own = pending & (E::OF[1] | E::COMMON);
        if own != 0 {
            events.clear(own);
            self.has_run = true;
            return Next::Run(1, own);
        }
        if has_work() {
            return Next::Run(1, 0);
        }
        if pending & E::RESTED == 0 {
            return Next::Sleep;
        }
        rarely();
        if !self.has_run {
            return Next::Look;
        }
        self.has_run = false;
        events.rest();
        events.clear(E::RESTED);
        Next::Sleep
    }

    /// Core A has the part from now on. Its state is where core A looks for it.
    pub fn give_back<E: Events>(&mut self, words: &mut impl Words, events: &mut E) {
        events.enable(E::BELL | E::SINGLE);
        self.owner.set(words, false);
        events.set_other(E::BELL);
    }
}
