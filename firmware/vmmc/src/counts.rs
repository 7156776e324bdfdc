//! Counters of lookups. The counter of the send path names the counter of either path.

use nic_device::Device;
use nic_layout::counter::{Counter, PATH_STRIDE};
use nic_lookup::Path;

/// Counts a lookup and its outcome. The send path's counter names the outcome.
#[inline(always)]
pub(crate) fn count_lookup(dev: &mut impl Device, path: Path, outcome: Counter) {
    count_lookups(dev, path, outcome, 1);
}

#[inline(always)]
fn count_lookups(dev: &mut impl Device, path: Path, outcome: Counter, lookups: u32) {
    count_on(dev, path, Counter::SendLookups, lookups);
    count_on(dev, path, outcome, lookups);
}

/// Adds to a counter of a path. The counter of the send path names it.
#[inline(always)]
pub(crate) fn count_on(dev: &mut impl Device, path: Path, of_send: Counter, count: u32) {
    dev.add(dev.counters(), of_send.offset() + path as u32 * PATH_STRIDE * 4, count);
}

/// Counts a lookup that hit. The caller does so after it has posted the DMA, so that the frame does
/// not wait for the counters.
#[inline(always)]
pub(crate) fn count_hit(dev: &mut impl Device, path: Path) {
    count_hits(dev, path, 1);
}

/// Counts hits, or none. The count is a sum, because with a branch the compiler would lay out the
/// whole path twice.
#[inline(always)]
pub(crate) fn count_hits(dev: &mut impl Device, path: Path, hits: u32) {
    count_lookups(dev, path, Counter::SendHits, hits);
}
