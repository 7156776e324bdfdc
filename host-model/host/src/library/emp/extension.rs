//! What a process of EMP has: descriptors, list pages, and translations of its locked pages.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use nic_layout::personality::emp::descriptor::{RECEIVE_DESCRIPTORS, SEND_DESCRIPTORS};

use super::pool::Pool;
use crate::address::{BusAddr, UserVirt, VirtPage};
use crate::driver::emp::Emp;
use crate::driver::{Driver, DriverError};
use crate::library::extension::Extension;

/// When the library asks the driver for physical addresses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Translate {
    /// Once for each page: a locked page does not move, so its address is kept.
    #[default]
    Once,
    /// At each post, as the thesis does.
    EachPost,
}

/// The operations on messages.
pub struct Messages {
    pub(super) service: Rc<Emp>,
    pub(super) sends: RefCell<Pool>,
    pub(super) receives: RefCell<Pool>,
    /// The bank that the window shows, once one was chosen.
    pub(super) bank: Cell<Option<u32>>,
    /// The numbers that were last written to the mailboxes of sends and receives, unless the NIC
    /// has taken them.
    pub(super) last_send: Cell<Option<u32>>,
    pub(super) last_receive: Cell<Option<u32>>,
    /// Locked pages that have list pages' entries, and no message uses.
    pub(super) lists: RefCell<Vec<UserVirt>>,
    /// The name of the next message in the log of events.
    pub(super) next_message: Cell<Option<u32>>,
    pub(super) translate: Cell<Translate>,
    pub(super) translations: RefCell<BTreeMap<VirtPage, BusAddr>>,
}

impl Extension for Messages {
    fn attach(driver: &Driver) -> Result<Messages, DriverError> {
        Ok(Messages {
            service: driver.service::<Emp>()?,
            sends: RefCell::new(Pool::new(0, SEND_DESCRIPTORS, true)),
            receives: RefCell::new(Pool::new(SEND_DESCRIPTORS, RECEIVE_DESCRIPTORS, false)),
            bank: Cell::new(None),
            last_send: Cell::new(None),
            last_receive: Cell::new(None),
            lists: RefCell::default(),
            next_message: Cell::new(None),
            translate: Cell::default(),
            translations: RefCell::default(),
        })
    }
}
