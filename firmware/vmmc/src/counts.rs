//! Counters of lookups, named by those of the send path.

use nic_device::Device;
use nic_layout::counter::{Counter, PATH_STRIDE};
use nic_lookup::Path;

/// Counts a lookup and its outcome, which is named by the send path's counter.
#[inline(always)]
pub(crate) fn count_lookup(dev: &mut impl Device, path: Path, outcome: Counter) {
    count_lookups(dev, path, outcome, 1);
}

#[inline(always)]
fn count_lookups(dev: &mut impl Device, path: Path, outcome: Counter, lookups: u32) {
    count_on(dev, path, Counter::SendLookups, lookups);
    count_on(dev, path, outcome, lookups);
}

/// Adds to the counter of a path, named by the counter of the send path.
#[inline(always)]
pub(crate) fn count_on(dev: &mut impl Device, path: Path, of_send: Counter, count: u32) {
    dev.add(dev.counters(), of_send.offset() + path as u32 * PATH_STRIDE * 4, count);
}

/// A lookup that hit. The caller counts it when the DMA is posted: the frame need not wait for the
/// counters.
#[inline(always)]
pub(crate) fn count_hit(dev: &mut impl Device, path: Path) {
    count_hits(dev, path, 1);
}

/// None or one: a sum, since a branch would have the compiler lay out the whole path twice.
#[inline(always)]
pub(crate) fn count_hits(dev: &mut impl Device, path: Path, hits: u32) {
    count_lookups(dev, path, Counter::SendHits, hits);
}
