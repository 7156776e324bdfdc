//! What a process knows of remote memory access: its terms, and its imports.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use nic_layout::key::Key;
use nic_layout::post::inline_bytes_max;

use crate::driver::rdma::access::Export;
use crate::driver::rdma::service::{PostTerms, RdmaService};
use crate::driver::{Driver, DriverError};
use crate::library::extension::Extension;

/// What an import is known by, and a post says of a buffer: node, CBH word and key.
pub(super) type Named = (u16, u32, Key);

pub(super) fn named(export: &Export) -> Named {
    (export.node.0, export.buffer, export.key)
}

/// The operations on buffers of other processes.
pub struct Rdma {
    pub(super) service: Rc<dyn RdmaService>,
    pub(super) terms: PostTerms,
    /// Writes of so many bytes carry their data in the queue.
    pub(super) pio_bytes_max: Cell<u32>,
    /// Indices of imported buffers.
    pub(super) imports: RefCell<BTreeMap<Named, u32>>,
}

impl Extension for Rdma {
    fn attach(driver: &Driver) -> Result<Rdma, DriverError> {
        let service = driver.rdma()?;
        let terms = service.terms();
        let pio_bytes_max = Cell::new(inline_bytes_max(terms.key_width, terms.names_imports));
        Ok(Rdma { service, terms, pio_bytes_max, imports: RefCell::default() })
    }
}
