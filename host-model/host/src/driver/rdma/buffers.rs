//! The registered buffers of all processes: identifiers, keys and what they may be used for (facts
//! M-3, M-39, M-40, M-48).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use nic_layout::cbh::{cbh, cbh_id, cbh_pid, Descriptor};

use super::access::{Access, Export};
use super::cbh_table::CbhTable;
use super::keys::KeySource;
use crate::address::{pages_of, Pid, UserVirt, VirtPage};
use crate::driver::core::context::Context;
use crate::driver::core::error::DriverError;

/// The buffers of one node.
pub struct Buffers {
    context: Rc<Context>,
    tables: RefCell<BTreeMap<Pid, CbhTable>>,
    keys: RefCell<KeySource>,
}

impl Buffers {
    /// No process has buffers; keys follow from seed, node and session of the run.
    pub fn new(context: Rc<Context>) -> Buffers {
        let options = context.options();
        let keys = KeySource::new(options.seed, options.node, options.session);
        Buffers { context, tables: RefCell::default(), keys: RefCell::new(keys) }
    }

    /// Gives a process a table of its own, which is empty.
    pub fn open(&self, pid: Pid) {
        self.tables.borrow_mut().insert(pid, CbhTable::new(pid));
    }

    /// Ends all registrations of a process. Gives their identifiers.
    pub fn close(&self, pid: Pid) -> Vec<u32> {
        self.tables.borrow_mut().remove(&pid).map_or_else(Vec::new, |table| table.ids())
    }

    /// How many a process has registered.
    pub fn count(&self, pid: Pid) -> usize {
        self.tables.borrow().get(&pid).map_or(0, CbhTable::len)
    }

    /// What is registered under a CBH word.
    pub fn get(&self, buffer: u32) -> Option<Descriptor> {
        let tables = self.tables.borrow();
        tables.get(&Pid(cbh_pid(buffer))).and_then(|table| table.get(cbh_id(buffer)))
    }

    /// Whether the process has registered this buffer.
    pub fn owns(&self, pid: Pid, buffer: u32) -> bool {
        cbh_pid(buffer) == pid.0 && self.get(buffer).is_some()
    }

    /// Registers a buffer, with a key of its own.
    pub fn insert(
        &self,
        pid: Pid,
        id: Option<u32>,
        (start, length_bytes): (UserVirt, u32),
        access: Access,
    ) -> Result<Export, DriverError> {
        let key_width = self.context.layout()?.posts()?.key_width;
        let mut tables = self.tables.borrow_mut();
        let table = tables.get_mut(&pid).ok_or(DriverError::ProcessEnded(pid.0))?;
        let id = id.or_else(|| table.free_id()).ok_or(DriverError::NoBufferId)?;
        let key = self.keys.borrow_mut().next_key(key_width);
        let descriptor = Descriptor { start_address: start.0, length_bytes, key, permissions: access.permissions() };
        if !table.insert(id, descriptor) {
            return Err(DriverError::BufferIdTaken { id });
        }
        let node = self.context.options().node;
        Ok(Export { node, buffer: cbh(pid.0, id), key, key_width, length_bytes, access })
    }

    /// Ends a registration of the process.
    pub fn remove(&self, pid: Pid, buffer: u32) -> Result<Descriptor, DriverError> {
        let removed = match self.tables.borrow_mut().get_mut(&pid) {
            Some(table) if cbh_pid(buffer) == pid.0 => table.remove(cbh_id(buffer)),
            _ => None,
        };
        removed.ok_or(DriverError::NoSuchBuffer { buffer })
    }

    /// The pages of a range that a process has.
    pub fn check_range(&self, pid: Pid, (start, length_bytes): (UserVirt, u32)) -> Result<Vec<VirtPage>, DriverError> {
        if length_bytes == 0 || u64::from(start.0) + u64::from(length_bytes) > 1 << 32 {
            return Err(DriverError::BadBuffer);
        }
        let pages: Vec<VirtPage> = pages_of(start, length_bytes).collect();
        let memory = self.context.memory().borrow();
        match pages.iter().all(|page| memory.is_mapped(pid, *page)) {
            true => Ok(pages),
            false => Err(DriverError::BadBuffer),
        }
    }
}
