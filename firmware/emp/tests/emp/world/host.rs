//! A host: its memory, its descriptors, and the messages that it sends and receives.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use nic_device::Words;
use nic_layout::personality::emp::descriptor::{
    chain_descriptors, chain_words, left_in_bank, offset_bytes, stat, Descriptor, Format, Page, ANY_SOURCE, ANY_TAG,
    DESCRIPTORS, SEND_DESCRIPTORS,
};
use nic_layout::personality::emp::{list, MAILBOX_CANCEL_RECEIVE, MAILBOX_CANCEL_SEND, MAILBOX_RECEIVE, MAILBOX_SEND};
use nic_layout::PAGE_BYTES;
use nic_matching::Posted;

use super::{Node, Scheme};

const MEMORY_PAGES: u32 = 4096;

/// What a process asks for.
#[derive(Clone, Debug)]
pub struct Wish {
    /// `None`: of any node.
    pub node: Option<u16>,
    /// `None`: any.
    pub tag: Option<u16>,
    /// Bytes of the message, or room.
    pub bytes: u32,
    pub format: Format,
    /// Bytes of each page; the last one may have fewer.
    pub page_bytes: u32,
}

/// A message, sent or received.
#[derive(Clone, Debug)]
pub struct Message {
    pub wish: Wish,
    pub pages: Vec<Page>,
    /// The first descriptor, when the message has some.
    pub descriptor: Option<u32>,
    /// The first byte of the descriptor, at the end.
    pub ended: Option<u8>,
    /// After the end of a receive: node, tag and length.
    pub came: (u16, u16, u32),
}

/// The host of a node.
pub struct Host {
    node: u32,
    memory: Vec<u8>,
    /// Pages of messages that have not ended. Value: the message, and whether it receives.
    owners: BTreeMap<u32, (usize, bool)>,
    free_pages: VecDeque<u32>,
    pub sends: Vec<Message>,
    pub receives: Vec<Message>,
    /// Messages that wait for descriptors or for their mailbox.
    to_post: VecDeque<(usize, bool)>,
    /// Messages that are to be given up.
    to_cancel: VecDeque<(usize, bool)>,
    /// The descriptors in each mailbox that the NIC has not taken.
    posting: [Option<u32>; 2],
    used: Vec<bool>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = |messages: &[Message]| {
            let open = messages.iter().enumerate().filter(|(_, message)| message.ended.is_none());
            open.map(|(index, message)| (index, message.descriptor, message.wish.clone())).collect::<Vec<_>>()
        };
        write!(f, "sends {:?}, receives {:?}", left(&self.sends), left(&self.receives))
    }
}

/// The byte of a send at an offset.
pub fn byte_of(node: u32, send: usize, offset: u32) -> u8 {
    (offset.wrapping_mul(31) ^ (offset >> 8) ^ (send as u32 * 101) ^ (node * 57)) as u8
}

impl Host {
    pub fn new(node: u32) -> Host {
        Host {
            node,
            memory: vec![0xEE; (MEMORY_PAGES * PAGE_BYTES) as usize],
            owners: BTreeMap::new(),
            free_pages: (1..MEMORY_PAGES).collect(),
            sends: Vec::new(),
            receives: Vec::new(),
            to_post: VecDeque::new(),
            to_cancel: VecDeque::new(),
            posting: [None; 2],
            used: vec![false; DESCRIPTORS as usize],
        }
    }

    /// Whether all sends have ended.
    pub fn have_sends_ended(&self) -> bool {
        self.sends.iter().all(|message| message.ended.is_some())
    }

    /// Whether everything has ended.
    pub fn has_ended(&self) -> bool {
        self.have_sends_ended() && self.receives.iter().all(|message| message.ended.is_some())
    }

    /// Bytes that the NIC reads: of a send that has not ended, or of a list page.
    pub fn read(&self, bus: u32, bytes: u32) -> Vec<u8> {
        let page = bus / PAGE_BYTES;
        assert_eq!(page, (bus + bytes - 1) / PAGE_BYTES, "a transfer crosses a page");
        assert!(
            self.owners.contains_key(&page),
            "node {}: read of page {page:#x}, which belongs to no message",
            self.node
        );
        self.memory[bus as usize..(bus + bytes) as usize].to_vec()
    }

    /// Bytes that the NIC writes: into a page of a receive that has not ended.
    pub fn write(&mut self, bus: u32, data: &[u8]) {
        let page = bus / PAGE_BYTES;
        let (index, is_receive) = *self.owners.get(&page).expect("a write of a page that belongs to no message");
        assert!(is_receive, "a write into the memory of a send");
        let receive = &self.receives[index];
        let is_inside = receive.pages.iter().any(|page| {
            let start = page.address as u32;
            start <= bus && bus + data.len() as u32 <= start + u32::from(page.bytes)
        });
        assert!(is_inside, "a write outside of the posted pages");
        self.memory[bus as usize..][..data.len()].copy_from_slice(data);
    }

    fn message(&mut self, wish: Wish, is_receive: bool) -> usize {
        let index = if is_receive { self.receives.len() } else { self.sends.len() };
        let (mut pages, mut left) = (Vec::new(), wish.bytes);
        while left > 0 {
            let number = self.free_pages.pop_front().expect("memory is full");
            self.owners.insert(number, (index, is_receive));
            let bytes = left.min(wish.page_bytes);
            // At the end of the page, so that a byte too many crosses it.
            let address = u64::from(number * PAGE_BYTES + PAGE_BYTES - bytes);
            pages.push(Page { address, bytes: bytes as u16 });
            left -= bytes;
        }
        let message = Message { wish, pages, descriptor: None, ended: None, came: (0, 0, 0) };
        let messages = if is_receive { &mut self.receives } else { &mut self.sends };
        messages.push(message);
        self.to_post.push_back((index, is_receive));
        index
    }

    pub fn send(&mut self, wish: Wish) -> usize {
        let index = self.message(wish, false);
        let (mut offset, node) = (0, self.node);
        for page in self.sends[index].pages.clone() {
            for at in 0..u32::from(page.bytes) {
                self.memory[page.address as usize + at as usize] = byte_of(node, index, offset + at);
            }
            offset += u32::from(page.bytes);
        }
        index
    }

    pub fn receive(&mut self, wish: Wish) -> usize {
        let index = self.message(wish, true);
        for page in self.receives[index].pages.clone() {
            self.memory[page.address as usize..][..usize::from(page.bytes)].fill(0xEE);
        }
        index
    }

    /// The bytes of a receive.
    pub fn bytes(&self, receive: usize) -> Vec<u8> {
        let pages = self.receives[receive].pages.iter();
        pages.flat_map(|page| self.memory[page.address as usize..][..usize::from(page.bytes)].to_vec()).collect()
    }

    /// Gives up all receives that have not ended.
    pub fn cancel_receives(&mut self) {
        self.to_post.retain(|&(_, is_receive)| !is_receive);
        for (index, message) in self.receives.iter_mut().enumerate() {
            match (message.descriptor, message.ended) {
                (None, None) => message.ended = Some(stat::FREE),
                (Some(_), None) => self.to_cancel.push_back((index, true)),
                _ => {}
            }
        }
    }

    /// Gives up a send.
    pub fn cancel_send(&mut self, index: usize) {
        self.to_cancel.push_back((index, false));
    }

    /// Consecutive free descriptors in one bank.
    fn take_descriptors(&mut self, count: u32, is_receive: bool) -> Option<u32> {
        let numbers = if is_receive { SEND_DESCRIPTORS..DESCRIPTORS } else { 0..SEND_DESCRIPTORS };
        let end = numbers.end;
        let is_free = |first: u32| {
            left_in_bank(first) >= count
                && first + count <= end
                && (first..first + count).all(|number| !self.used[number as usize])
        };
        let first = numbers.into_iter().find(|&first| is_free(first))?;
        self.used[first as usize..(first + count) as usize].fill(true);
        Some(first)
    }

    /// Builds the list pages of a message.
    fn lists(&mut self, index: usize, is_receive: bool) -> u32 {
        let pages = if is_receive { self.receives[index].pages.clone() } else { self.sends[index].pages.clone() };
        let mut next = 0;
        for chunk in pages.chunks(list::PAGES as usize).rev() {
            let number = self.free_pages.pop_front().expect("memory is full");
            self.owners.insert(number, (index, is_receive));
            let at = (number * PAGE_BYTES) as usize;
            for (entry, &page) in chunk.iter().enumerate() {
                self.memory[at + 10 * entry..][..10].copy_from_slice(&list::entry(page));
            }
            let link = list::entry(Page { address: next, bytes: 0 });
            self.memory[at + 10 * list::LINK as usize..][..10].copy_from_slice(&link);
            next = u64::from(number * PAGE_BYTES);
        }
        next as u32
    }
}

impl<P: Posted, C: Scheme> Node<P, C> {
    pub fn put_descriptor(&mut self, number: u32, words: [u32; 5]) {
        let at = self.places.descriptors + offset_bytes(number);
        // The first word goes last.
        for word in [1, 2, 3, 4, 0] {
            self.hardware.write(at + 4 * word, words[word as usize]);
        }
    }

    pub fn stat(&self, number: u32) -> u8 {
        self.hardware.read(self.places.descriptors + offset_bytes(number)) as u8
    }

    /// The process posts what waits, and polls what is posted.
    pub fn poll(&mut self) {
        for slot in 0..2 {
            if self.host.posting[slot].is_some_and(|number| self.stat(number) != stat::POSTED) {
                self.host.posting[slot] = None;
            }
        }
        self.post_next();
        self.cancel_next();
        for is_receive in [false, true] {
            let count = if is_receive { self.host.receives.len() } else { self.host.sends.len() };
            for index in 0..count {
                self.poll_one(index, is_receive);
            }
        }
    }

    fn post_next(&mut self) {
        let Some(&(index, is_receive)) = self.host.to_post.front() else { return };
        if self.host.posting[usize::from(is_receive)].is_some() {
            return;
        }
        let message = if is_receive { &self.host.receives[index] } else { &self.host.sends[index] };
        let (wish, pages) = (message.wish.clone(), message.pages.clone());
        let count = if wish.format == Format::Chain { chain_descriptors(pages.len() as u32) } else { 1 };
        let Some(number) = self.host.take_descriptors(count, is_receive) else { return };
        self.host.to_post.pop_front();
        let mut first = pages.first().copied().unwrap_or_default();
        if wish.format == Format::List {
            first = Page { address: u64::from(self.host.lists(index, is_receive)), bytes: 0 };
        }
        if wish.format == Format::Chain {
            for (more, pair) in pages[1..].chunks(2).enumerate() {
                let pair = [pair[0], pair.get(1).copied().unwrap_or_default()];
                self.put_descriptor(number + 1 + more as u32, chain_words(pair));
            }
        }
        let flags = wish.node.map_or(ANY_SOURCE, |_| 0) | wish.tag.map_or(ANY_TAG, |_| 0);
        let descriptor = Descriptor {
            stat: stat::POSTED,
            format: wish.format,
            flags,
            node: wish.node.unwrap_or(0),
            tag: wish.tag.unwrap_or(0),
            page_bytes: first.bytes,
            length_bytes: wish.bytes,
            address: first.address,
        };
        self.put_descriptor(number, descriptor.words());
        let message = if is_receive { &mut self.host.receives[index] } else { &mut self.host.sends[index] };
        message.descriptor = Some(number);
        self.host.posting[usize::from(is_receive)] = Some(number);
        self.write_mailbox(if is_receive { MAILBOX_RECEIVE } else { MAILBOX_SEND }, number);
    }

    fn cancel_next(&mut self) {
        let Some(&(index, is_receive)) = self.host.to_cancel.front() else { return };
        let mailbox = if is_receive { MAILBOX_CANCEL_RECEIVE } else { MAILBOX_CANCEL_SEND };
        if self.hardware.mailboxes & 1 << mailbox != 0 {
            return;
        }
        let message = if is_receive { &self.host.receives[index] } else { &self.host.sends[index] };
        let Some(number) = message.descriptor else { return };
        if message.ended.is_none() {
            if self.stat(number) == stat::POSTED {
                return;
            }
            self.write_mailbox(mailbox, number);
        }
        self.host.to_cancel.pop_front();
    }

    fn poll_one(&mut self, index: usize, is_receive: bool) {
        let message = if is_receive { &self.host.receives[index] } else { &self.host.sends[index] };
        let Some(number) = message.descriptor.filter(|_| message.ended.is_none()) else { return };
        let stat = self.stat(number);
        if !stat::has_ended(stat) {
            return;
        }
        let at = self.places.descriptors + offset_bytes(number);
        let words = [0, 4, 8].map(|word| self.hardware.read(at + word));
        let host = &mut self.host;
        let message = if is_receive { &mut host.receives[index] } else { &mut host.sends[index] };
        message.ended = Some(stat);
        message.came = ((words[0] >> 16) as u16, words[1] as u16, words[2]);
        // From now on the NIC must not touch its pages.
        let (format, count) = (message.wish.format, message.pages.len() as u32);
        let count = if format == Format::Chain { chain_descriptors(count) } else { 1 };
        host.used[number as usize..(number + count) as usize].fill(false);
        host.owners.retain(|_, owner| *owner != (index, is_receive));
    }
}
