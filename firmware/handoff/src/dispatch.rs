use nic_device::{rarely, Words};

use crate::{Claims, Core, Semaphore};

/// The events of both cores, as one core has them.
///
/// The two parts have the numbers 0 and 1. An event of the hardware becomes pending in both cores.
/// All other events become pending in the core that [`Self::set`] or [`Self::pass`] names.
pub trait Events {
    /// The events of each part, one bit each.
    const OF: [u32; 2];
    /// Those of [`Self::OF`] that no hardware makes pending in both cores.
    const SINGLE: u32;
    /// Events of the hardware that may concern either part. They are in no other set.
    const COMMON: u32;
    /// The event by which a core tells the other one to look. It is in no other set.
    const BELL: u32;

    /// The events that are pending in this core.
    fn pending(&self) -> u32;
    /// Makes events pending in this core.
    fn set(&mut self, events: u32);
    /// Makes events pending in the other core.
    fn set_other(&mut self, events: u32);
    /// Clears pending events of this core.
    fn clear(&mut self, events: u32);
    /// The same of the other core.
    fn clear_other(&mut self, events: u32);
    /// Lets these events end the sleep of the other core, and no others.
    fn watch(&mut self, events: u32);
    /// Which events of the parts follow from common events, which were cleared: those of
    /// [`Self::SINGLE`].
    fn split(&mut self, common: u32) -> u32;
}

/// What a core does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It sleeps until one of its enabled events is pending.
    Sleep,
    /// It looks again.
    Look,
    /// It runs this part, which it has claimed, with these events.
    Run(u32, u32),
}

/// Two parts and two cores: the core that is free runs the part with work.
///
/// Core A has all events of both parts enabled. Core B has the bell enabled, and while core A runs
/// a part, the events of the other part. Only core A changes what core B has enabled. So at most
/// one core wakes for an event, as long as core B runs nothing.
///
/// Each core repeats [`Self::take`]. What it is told to run, it runs until [`Self::go_on`] says
/// that there is no more, and gives it back ([`Self::give_back`]).
///
/// No event is lost:
///
/// - An event stays pending in some core until the core that has claimed its part clears it, in
///   both cores and before the part looks at the cause.
/// - A core that has events for a part that the other core runs passes them to the other core, with
///   the bell. The other core clears the bell, then looks at all its events. It does so after it
///   has given the part back, and before it sleeps.
/// - A core sleeps only after a look that has found no event of either part.
#[derive(Clone, Copy, Debug)]
pub struct Dispatcher {
    claims: Claims,
    core: Core,
}

impl Dispatcher {
    /// For a core. `claims` of the same core.
    pub const fn new(claims: Claims, core: Core) -> Dispatcher {
        Dispatcher { claims, core }
    }

    /// The pending events of both parts.
    #[inline(always)]
    fn look<E: Events>(&self, events: &mut E) -> u32 {
        let mut pending = events.pending();
        if pending & E::BELL != 0 {
            rarely();
            events.clear(E::BELL);
            // What came with a bell that was cleared here.
            pending = events.pending();
        }
        if pending & E::COMMON != 0 {
            let common = pending & E::COMMON;
            events.clear(common);
            events.clear_other(common);
            let single = events.split(common);
            // It stays pending until its part is run.
            events.set(single);
            pending |= single;
        }
        pending & (E::OF[0] | E::OF[1])
    }

    /// Looks which part has work, and claims one. The core runs none.
    #[inline(always)]
    pub fn take<E: Events>(&self, words: &mut impl Words, semaphore: &mut impl Semaphore, events: &mut E) -> Next {
        let pending = self.look(events);
        let ready = u32::from(pending & E::OF[0] != 0) | u32::from(pending & E::OF[1] != 0) << 1;
        if ready == 0 {
            if self.core == Core::A {
                events.watch(E::BELL);
            }
            return Next::Sleep;
        }
        let free = ready & !self.claims.running_elsewhere(words);
        if free == 0 {
            rarely();
            self.pass(events, pending);
            return Next::Look;
        }
        let first = 1 << self.core as u32;
        let wanted = if free & first != 0 { first } else { free };
        match self.claims.claim(words, semaphore, wanted) {
            Some(part) => Next::Run(part, self.begin(events, part, pending)),
            None => Next::Look,
        }
    }

    /// More events of the part that this core has claimed and run. `None`: there are none, and the
    /// core gives it back. `has_work`: whether the part has work without an event.
    #[inline(always)]
    pub fn go_on<E: Events>(&self, events: &mut E, part: u32, has_work: bool) -> Option<u32> {
        let pending = self.look(events);
        if pending & E::OF[part as usize & 1] == 0 && !has_work {
            return None;
        }
        Some(self.begin(events, part, pending))
    }

    /// The other core may run the part from now on.
    #[inline(always)]
    pub fn give_back(&self, words: &mut impl Words) {
        self.claims.release(words);
    }

    /// Takes the events of a part that this core has claimed, and leaves those of the other part to
    /// the other core.
    #[inline(always)]
    fn begin<E: Events>(&self, events: &mut E, part: u32, pending: u32) -> u32 {
        let (own, rest) = (pending & E::OF[part as usize & 1], pending & E::OF[part as usize & 1 ^ 1] & E::SINGLE);
        if own != 0 {
            events.clear(own);
            events.clear_other(own);
        }
        if rest != 0 {
            rarely();
            self.pass(events, rest);
        }
        if self.core == Core::A {
            events.watch(E::OF[part as usize & 1 ^ 1] | E::COMMON | E::BELL);
        }
        own
    }

    #[inline(always)]
    fn pass<E: Events>(&self, events: &mut E, passed: u32) {
        events.set_other(passed | E::BELL);
        events.clear(passed);
    }
}
