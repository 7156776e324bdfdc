/// A software event of one core, as the cores see it.
///
/// On the chip, the core that rings reads and sets a bit of the other core's events; the core that
/// sleeps clears the same bit among its own (docs/events.md, Two cores). Each core has its own
/// value of the bell, and uses the methods that it needs.
pub trait Bell {
    /// Whether the event is pending.
    fn is_rung(&self) -> bool;
    /// Makes the event pending.
    fn ring(&mut self);
    /// Makes the event not pending. The core looks for work after this, never before.
    fn clear(&mut self);
}

/// Tells the core of a bell that there is work. Call it after the work is visible in SRAM.
///
/// The event is edge-triggered (E-49): a bell that rings already is not rung again. Its core has
/// not cleared it yet, so that core will look, and will see the work.
#[inline(always)]
pub fn tell(bell: &mut impl Bell) {
    if !bell.is_rung() {
        bell.ring();
    }
}
