//! The buffer that a post names.

use nic_device::{rarely, Device, Place};
use nic_layout::plant::{is_planted, Plant};
use nic_layout::post::{PostError, OP_READ, OP_WRITE};
use nic_layout::static_tables::import;
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};

use crate::wire::Wire;
use crate::Tables;

/// The buffer that a post names, or the buffer of its import.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    pub node: u32,
    pub buffer: u32,
    pub offset: u32,
    pub key: [u32; 2],
    /// The upper half of a key of 128 bits, if the import holds it; otherwise zero.
    pub upper_key: [u32; 2],
}

impl Named {
    /// Reads the buffer from the descriptor at `at`, whose first word is `operation`. The process
    /// can change the descriptor at any time, so each word is read once.
    #[inline(always)]
    pub(crate) fn read(dev: &impl Device, at: Place, operation: u32) -> Named {
        Named {
            node: operation >> 16,
            buffer: dev.get(at, 12),
            offset: dev.get(at, 16),
            key: [dev.get(at, 20), dev.get(at, 24)],
            upper_key: [0; 2],
        }
    }

    /// Reads the buffer of the import that a post names, and checks the access (M-4).
    #[inline(always)]
    pub(crate) fn import<T: Tables>(
        self,
        tables: &T,
        dev: &impl Device,
        slot: usize,
        operation: u32,
        bytes: u32,
    ) -> Result<Named, PostError> {
        let Some(record) = tables.import(slot, self.buffer) else {
            rarely();
            return Err(PostError::NoSuchImport);
        };
        // This word is read before the others. If the driver replaces the import meanwhile, those
        // words belong to the new import.
        let who = dev.get(record, import::WHO);
        let is_stale = is_planted(Plant::StaleImport);
        if who & import::VALID == 0 && !is_stale {
            rarely();
            return Err(PostError::NoSuchImport);
        }
        const { assert!(PERMIT_WRITE == OP_WRITE as u32 && PERMIT_READ == OP_READ as u32) };
        if who >> import::PERMISSIONS_SHIFT & operation & (PERMIT_WRITE | PERMIT_READ) == 0 && !is_stale {
            rarely();
            return Err(PostError::ImportForbids);
        }
        let length = dev.get(record, import::LENGTH);
        if (self.offset > length || bytes > length - self.offset) && !is_planted(Plant::UncheckedBound) {
            rarely();
            return Err(PostError::ImportTooShort);
        }
        Ok(Named {
            node: import::node(who),
            buffer: import::cbh(who),
            offset: self.offset,
            key: [dev.get(record, import::KEY_0), dev.get(record, import::KEY_1)],
            upper_key: match Wire::<T>::IS_WIDE {
                true => [dev.get(record, import::KEY_2), dev.get(record, import::KEY_3)],
                false => [0; 2],
            },
        })
    }
}

/// Whether `start + bytes` does not fit 32 bits.
#[inline(always)]
pub(crate) fn ends_beyond(start: u32, bytes: u32) -> bool {
    start.wrapping_add(bytes) < start
}

/// Whether the last byte of a range lies beyond the end of the address space. A range may end with
/// the last byte of the address space.
#[inline(always)]
pub(crate) fn runs_over(start: u32, bytes: u32) -> bool {
    let end = start.wrapping_add(bytes);
    if end < start {
        rarely();
        return end != 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_may_end_with_the_address_space_but_not_run_over_it() {
        assert!(!runs_over(0xFFFF_FFFC, 4) && !runs_over(0xFFFF_FFFF, 0) && !runs_over(0, 0));
        assert!(runs_over(0xFFFF_FFFC, 5) && runs_over(0xFFFF_FFFF, 2));
        assert!(!ends_beyond(0xFFFF_FFFB, 4) && ends_beyond(0xFFFF_FFFC, 4));
    }
}
