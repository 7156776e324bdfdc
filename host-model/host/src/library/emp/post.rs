//! Filling descriptors, and posting them.

use nic_layout::personality::emp::descriptor::{
    chain_descriptors, chain_words, offset_bytes, stat, Descriptor, Format, Page, ANY_SOURCE, ANY_TAG, BANK_BYTES,
    BANK_DESCRIPTORS, CHAIN_PAGES_MAX,
};
use nic_layout::personality::emp::{
    list, MAILBOX_CANCEL_RECEIVE, MAILBOX_CANCEL_SEND, MAILBOX_RECEIVE, MAILBOX_SEND, MESSAGE_BYTES_MAX, WITHDRAW,
};
use nic_layout::registers::{ident, mailbox};
use nic_layout::{PAGE_BYTES, WINDOW_OFFSET};
use sim_pins::Ps;

use super::error::MessageError;
use super::extension::{Messages, Translate};
use crate::address::{BusAddr, UserVirt};
use crate::driver::{Device, DriverError};
use crate::events::{EventKind, Note, Subject};
use crate::library::process::Process;

/// The messages that a receive takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct From {
    /// The node that sends; `None`: any node.
    pub node: Option<u16>,
    /// The tag; `None`: any tag.
    pub tag: Option<u16>,
}

/// A message that was posted. It keeps its descriptors until it is freed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// Number of the first descriptor.
    pub(super) number: u32,
    /// Descriptors of the message.
    pub(super) descriptors: u32,
    /// The list pages of the message.
    pub(super) lists: Vec<UserVirt>,
    pub(super) is_send: bool,
    /// Words 0 to 2 of the descriptor as they were posted.
    pub(super) words: [u32; 3],
    /// The name of the message in the log of events ([`Process::name_next`]).
    pub(super) message: Option<u32>,
}

impl Transfer {
    /// Descriptors of the message.
    pub fn descriptors(&self) -> u32 {
        self.descriptors
    }

    /// The number of the first descriptor of the message.
    pub fn number(&self) -> u32 {
        self.number
    }
}

impl Process<Messages> {
    // ---- Memory ---------------------------------------------------------------------------------

    /// Locks the pages of these bytes into memory, as the pages of a message must be (facts E-15),
    /// until the process ends. With virtual addresses nothing is locked: the driver pins what the
    /// NIC misses.
    ///
    /// # Errors
    /// The process has no such page, or may not lock so many.
    pub async fn lock(&self, start: UserVirt, bytes: u32) -> Result<(), DriverError> {
        if self.posts_virtual() {
            return Ok(());
        }
        self.system_call(move |process| async move {
            process.0.extension.service.lock(process.cpu(), process.pid(), start, bytes).await
        })
        .await
    }

    /// Locks all memory that the process has, until it ends: what the thesis's applications do once
    /// at their start (facts E-15). Memory of a later `alloc` is not locked. With virtual addresses
    /// nothing is locked.
    ///
    /// # Errors
    /// The process may not lock so many pages.
    pub async fn lock_all(&self) -> Result<(), DriverError> {
        if self.posts_virtual() {
            return Ok(());
        }
        self.system_call(move |process| async move {
            process.0.extension.service.lock_all(process.cpu(), process.pid()).await
        })
        .await
    }

    /// Asks for the physical addresses of these bytes, which are locked. Later posts need not ask,
    /// unless the library asks at each post.
    ///
    /// # Errors
    /// A page is not locked.
    pub async fn learn(&self, start: UserVirt, bytes: u32) -> Result<(), DriverError> {
        self.pages(start, bytes).await.map(|_| ())
    }

    /// When the library asks for physical addresses.
    pub fn set_translate(&self, translate: Translate) {
        self.0.extension.translate.set(translate);
    }

    /// Whether descriptors have virtual addresses.
    fn posts_virtual(&self) -> bool {
        self.0.extension.service.translations().is_some()
    }

    /// The pages of these bytes, as descriptors name them.
    async fn pages(&self, start: UserVirt, bytes: u32) -> Result<Vec<Page>, DriverError> {
        let messages = &self.0.extension;
        if self.posts_virtual() {
            return Ok(virtual_pages(start, bytes));
        }
        if messages.translate.get() == Translate::Once {
            if let Some(pages) = self.known(start, bytes) {
                return Ok(pages);
            }
        }
        let pages = self
            .system_call(move |process| async move {
                process.0.extension.service.translate(process.cpu(), process.pid(), start, bytes).await
            })
            .await?;
        let mut at = start;
        for page in &pages {
            let frame = BusAddr(page.address as u32 & !(PAGE_BYTES - 1));
            messages.translations.borrow_mut().insert(at.page(), frame);
            at = at + u32::from(page.bytes);
        }
        Ok(pages)
    }

    /// The same, if all pages were translated before.
    fn known(&self, start: UserVirt, bytes: u32) -> Option<Vec<Page>> {
        let known = self.0.extension.translations.borrow();
        let mut left = bytes;
        crate::address::pages_of(start, bytes)
            .enumerate()
            .map(|(index, page)| {
                let in_page = if index == 0 { start.offset_in_page() as u32 } else { 0 };
                let run = (PAGE_BYTES - in_page).min(left);
                left -= run;
                let address = u64::from(known.get(&page)?.0 + in_page);
                Some(Page { address, bytes: run as u16 })
            })
            .collect()
    }

    // ---- Posts ----------------------------------------------------------------------------------

    /// Posts a message to a node. The NIC takes the descriptor soon: the next post waits for that
    /// (facts E-27).
    ///
    /// # Errors
    /// The pages are not locked, or no descriptors are free.
    pub async fn send(&self, node: u16, tag: u16, data: UserVirt, bytes: u32) -> Result<Transfer, MessageError> {
        self.post(true, From { node: Some(node), tag: Some(tag) }, data, bytes).await
    }

    /// Posts room for a message (facts E-28).
    ///
    /// # Errors
    /// The pages are not locked, or no descriptors are free.
    pub async fn receive(&self, from: From, room: UserVirt, bytes: u32) -> Result<Transfer, MessageError> {
        self.post(false, from, room, bytes).await
    }

    /// The number by which the log of events knows the next message that is posted. Messages
    /// without a number leave no events.
    pub fn name_next(&self, message: u32) {
        self.0.extension.next_message.set(Some(message));
    }

    /// An event of a post that has a number.
    fn note_post(&self, message: Option<u32>, index: u32, kind: EventKind) {
        if let Some(note) = self.of_post(message, index, kind) {
            self.note(note.subject, note.kind);
        }
    }

    fn of_post(&self, message: Option<u32>, index: u32, kind: EventKind) -> Option<Note> {
        message.map(|message| Subject::Post { pid: self.pid(), index, message }.note(kind))
    }

    async fn post(&self, is_send: bool, from: From, start: UserVirt, bytes: u32) -> Result<Transfer, MessageError> {
        if bytes > MESSAGE_BYTES_MAX {
            return Err(MessageError::TooLong { bytes });
        }
        let message = self.0.extension.next_message.take();
        // The number of the descriptor is not known yet.
        self.note_post(message, u32::MAX, EventKind::PostBegin);
        let _order = self.0.posting.acquire().await;
        let pages = self.pages(start, bytes).await?;
        self.note_post(message, u32::MAX, EventKind::PagesKnown);
        self.0.cpu.charge("post", Ps::from_ns(self.0.costs.post_build_ns)).await;
        let (mut format, mut needed) = (Format::Page, 1);
        let (mut first, mut lists) = (pages.first().copied().unwrap_or_default(), Vec::new());
        if pages.len() > CHAIN_PAGES_MAX as usize {
            format = Format::List;
            lists = self.write_lists(&pages).await?;
            first = Page { address: self.pages(lists[0], 1).await?[0].address, bytes: 0 };
        } else if pages.len() > 1 {
            format = Format::Chain;
            needed = chain_descriptors(pages.len() as u32);
        }
        let number = self.pool(is_send).borrow_mut().take(needed);
        let Some(number) = number else {
            self.0.extension.lists.borrow_mut().append(&mut lists);
            return Err(MessageError::NoDescriptor { needed });
        };
        let flag = |is_any: bool, flag: u8| if is_any { flag } else { 0 };
        let descriptor = Descriptor {
            stat: stat::POSTED,
            format,
            flags: flag(from.node.is_none(), ANY_SOURCE) | flag(from.tag.is_none(), ANY_TAG),
            node: from.node.unwrap_or(0),
            tag: from.tag.unwrap_or(0),
            page_bytes: first.bytes,
            length_bytes: bytes,
            address: first.address,
        };
        // One burst: the descriptors of a message stand side by side.
        let mut words = descriptor.words().to_vec();
        if format == Format::Chain {
            for pair in pages[1..].chunks(2) {
                words.extend(chain_words([pair[0], pair.get(1).copied().unwrap_or_default()]));
            }
        }
        let words_0_to_2 = [words[0], words[1], words[2]];
        let transfer = Transfer { number, descriptors: needed, lists, is_send, words: words_0_to_2, message };
        let device = self.nic()?;
        let at = self.show(&device, number).await;
        let written = self.of_post(message, number, EventKind::DescriptorWritten);
        device.pio.write_words(at, &words, written).await;
        self.hand_over(&device, &transfer).await?;
        Ok(transfer)
    }

    /// Posts the same message again, which has ended. Its descriptor stands in the NIC's memory as
    /// it was, except for what the NIC has answered (facts E-29).
    ///
    /// # Errors
    /// A read of the NIC fails.
    pub async fn post_again(&self, transfer: &Transfer) -> Result<(), MessageError> {
        let _order = self.0.posting.acquire().await;
        let device = self.nic()?;
        let at = self.show(&device, transfer.number).await;
        // The NIC has replaced node, tag and length of a receive.
        let words = if transfer.is_send { &transfer.words[..1] } else { &transfer.words[..] };
        device.pio.write_words(at, words, None).await;
        self.hand_over(&device, transfer).await
    }

    /// Gives a message up. It ends soon: as `Cancelled`, or as it would have ended.
    ///
    /// # Errors
    /// The NIC was reset.
    pub async fn cancel(&self, transfer: &Transfer) -> Result<(), MessageError> {
        let mailbox = if transfer.is_send { MAILBOX_CANCEL_SEND } else { MAILBOX_CANCEL_RECEIVE };
        self.write_cancel(mailbox, transfer.number).await
    }

    /// Withdraws a receive. It ends soon as `Cancelled`, unless a message has taken it: then it
    /// goes on.
    ///
    /// # Errors
    /// The NIC was reset.
    pub async fn withdraw(&self, receive: &Transfer) -> Result<(), MessageError> {
        self.write_cancel(MAILBOX_CANCEL_RECEIVE, receive.number | WITHDRAW).await
    }

    /// Writes a number to a mailbox of those that give messages up, and waits until the NIC has
    /// read it: the next number would replace it. The NIC knows no message whose post it has not
    /// taken, so posts come first.
    async fn write_cancel(&self, mailbox: usize, number: u32) -> Result<(), MessageError> {
        let _order = self.0.posting.acquire().await;
        let post = if mailbox == MAILBOX_CANCEL_SEND { MAILBOX_SEND } else { MAILBOX_RECEIVE };
        while self.nic()?.read(mailbox::PENDING).await? & 1 << post != 0 {}
        self.nic()?.write(mailbox::TO_NIC.at(mailbox), number).await;
        while self.nic()?.read(mailbox::PENDING).await? & 1 << mailbox != 0 {}
        Ok(())
    }

    /// Takes the descriptors of a message that has ended back into the pool.
    pub fn free(&self, transfer: Transfer) {
        self.pool(transfer.is_send).borrow_mut().give_back(transfer.number, transfer.descriptors);
        self.0.extension.lists.borrow_mut().extend(transfer.lists);
    }

    /// Writes the number of a descriptor to its mailbox, when the NIC has taken the one before
    /// (facts E-27): a second number would replace the first.
    async fn hand_over(&self, device: &Device, transfer: &Transfer) -> Result<(), MessageError> {
        let (mailbox, last) = match transfer.is_send {
            true => (MAILBOX_SEND, &self.0.extension.last_send),
            false => (MAILBOX_RECEIVE, &self.0.extension.last_receive),
        };
        if let Some(number) = last.get() {
            let at = self.show(device, number).await;
            while device.pio.read(at).await? as u8 == stat::POSTED {}
        }
        self.note_post(transfer.message, transfer.number, EventKind::MailboxFree);
        let written = self.of_post(transfer.message, transfer.number, EventKind::MailboxWritten);
        device.write_noted(mailbox::TO_NIC.at(mailbox), transfer.number, written).await;
        self.note_post(transfer.message, transfer.number, EventKind::PioIssued);
        last.set(Some(transfer.number));
        Ok(())
    }

    /// The number is not in its mailbox any more: its descriptor was seen with another first byte.
    pub(super) fn was_taken(&self, transfer: &Transfer) {
        let last = if transfer.is_send { &self.0.extension.last_send } else { &self.0.extension.last_receive };
        if last.get() == Some(transfer.number) {
            last.set(None);
        }
    }

    // ---- The NIC --------------------------------------------------------------------------------

    fn pool(&self, is_send: bool) -> &std::cell::RefCell<super::pool::Pool> {
        if is_send {
            &self.0.extension.sends
        } else {
            &self.0.extension.receives
        }
    }

    /// The NIC, as this process has it mapped.
    pub(super) fn nic(&self) -> Result<Device, DriverError> {
        // The page table knows the process until the NIC is reset.
        self.0.driver.mapping(self.pid())?;
        self.0.driver.device(&self.0.cpu)
    }

    /// Moves the window to the bank of a descriptor, and gives the bus address of its first word.
    pub(super) async fn show(&self, device: &Device, number: u32) -> BusAddr {
        let bank = number / BANK_DESCRIPTORS;
        let messages = &self.0.extension;
        if messages.bank.get() != Some(bank) {
            device.write(ident::WINDOW_BASE, messages.service.descriptors().0 + bank * BANK_BYTES).await;
            messages.bank.set(Some(bank));
        }
        device.resources.registers + WINDOW_OFFSET + (offset_bytes(number) - bank * BANK_BYTES)
    }

    /// Writes the addresses of pages to list pages, each with the address of the next.
    async fn write_lists(&self, pages: &[Page]) -> Result<Vec<UserVirt>, MessageError> {
        let mut lists = Vec::new();
        for _ in pages.chunks(list::PAGES as usize) {
            lists.push(self.take_list().await?);
        }
        for (index, (part, at)) in pages.chunks(list::PAGES as usize).zip(&lists).enumerate() {
            let mut bytes: Vec<u8> = part.iter().flat_map(|page| list::entry(*page)).collect();
            if let Some(next) = lists.get(index + 1) {
                let address = self.pages(*next, 1).await?[0].address;
                bytes.extend(list::entry(Page { address, bytes: 0 }));
            }
            self.0.cpu.charge("post", self.0.costs.memcpy(bytes.len() as u32)).await;
            self.store(*at, &bytes)?;
        }
        Ok(lists)
    }

    /// A locked page for addresses.
    async fn take_list(&self) -> Result<UserVirt, MessageError> {
        let kept = self.0.extension.lists.borrow_mut().pop();
        match kept {
            Some(page) => Ok(page),
            None => {
                let page = self.alloc(PAGE_BYTES)?;
                self.lock(page, PAGE_BYTES).await?;
                Ok(page)
            }
        }
    }
}

/// These bytes, page by page. The first and the last page may be shorter.
fn virtual_pages(start: UserVirt, bytes: u32) -> Vec<Page> {
    let (mut pages, mut at, mut left) = (Vec::new(), start, bytes);
    while left > 0 {
        let run = (PAGE_BYTES - at.offset_in_page() as u32).min(left);
        pages.push(Page { address: at.0.into(), bytes: run as u16 });
        (at, left) = (at + run, left - run);
    }
    pages
}
