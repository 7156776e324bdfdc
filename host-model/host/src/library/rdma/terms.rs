//! What a process has to know before it posts.

use std::cell::RefCell;
use std::collections::BTreeMap;

use nic_layout::key::KeyWidth;

use super::extension::{Named, Rdma};
use crate::driver::rdma::service::{PostTerms, RdmaService};
use crate::library::process::Process;

impl Process<Rdma> {
    pub(super) fn service(&self) -> &dyn RdmaService {
        &*self.0.extension.service
    }

    pub(super) fn imports(&self) -> &RefCell<BTreeMap<Named, u32>> {
        &self.0.extension.imports
    }

    /// What the process has to do before it posts.
    pub fn terms(&self) -> PostTerms {
        self.0.extension.terms
    }

    /// The width of this node's keys.
    pub fn key_width(&self) -> KeyWidth {
        self.terms().key_width
    }
}
