/// A software event of a core (docs/events.md): a bit that another core sets and its own core
/// clears.
pub trait Bell {
    /// Whether the bit is set.
    fn is_rung(&self) -> bool;
    /// Sets the bit.
    fn ring(&mut self);
    /// Clears the bit.
    fn silence(&mut self);
}

/// Tells the other core of work that was passed on before. The event is edge-triggered (E-49): a
/// bit that is set is not set again.
#[inline(always)]
pub fn tell(bell: &mut impl Bell) {
    if !bell.is_rung() {
        bell.ring();
    }
}

/// Clears the own bit, before the queues are looked at. Whatever is passed on from now on sets it
/// again; so nothing is slept through.
#[inline(always)]
pub fn answer(bell: &mut impl Bell) {
    bell.silence();
}
