//! A host: its memory, and the accesses of its driver and its processes to the NIC.

use std::collections::{BTreeMap, BTreeSet};

use nic_device::Device;
use nic_device::Words;
use nic_layout::cbh::{CbhGeometry, Descriptor, STATE_EMPTY};
use nic_layout::fetch::{directory_offset, directory_word, table_offset, table_page, table_slot};
use nic_layout::key::KeyWidth;
use nic_layout::post::{upper_key_bytes, PostDescriptor, ProcessStatus, INLINE_BYTES_FIRST, POST_FLAG_INLINE};
use nic_layout::ring::{
    Event, COMMAND_CLOSE, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE, MAILBOX_FILLED, MAILBOX_MISS, MAILBOX_NOTIFIED,
    MAILBOX_NOTIFY,
};
use nic_layout::tables::{NotifyEntry, ProcessEntry, MISS_BUFFER, MISS_RING_ENTRIES, NOTIFY_RING_ENTRIES};
use nic_layout::vmh::{key_line_page, key_pid, NO_TRANSLATION};
use nic_lookup::{cbh_deny_word, cbh_fill_words, fill_words, Cbh, Find, Reserve};
use nic_vmmc::Tables;
use zerocopy::{FromBytes, IntoBytes};

use super::{NodeOf, Random, CBH_ENTRIES, CBH_GEOMETRY, CBH_WAYS, GEOMETRY, HOST_PAGES, LINE, PAGE};

/// Memory, page tables and driver of a host.
pub struct Host {
    pub memory: Vec<u8>,
    /// Page number of each (process, virtual page). A page that is not here is a hole.
    pub tables: BTreeMap<(u32, u32), u32>,
    /// Page numbers that a DMA may touch (INV-26): pages of lines on the NIC, and status pages.
    pub pinned: BTreeSet<u32>,
    pub status_pages: BTreeSet<u32>,
    /// Registered buffers, by their CBH words.
    pub buffers: BTreeMap<u32, Descriptor>,
    /// Every status that the NIC has written, with its page.
    pub statuses: Vec<(u32, ProcessStatus)>,
    /// Process and first page that the driver has filled into each line.
    pub shadow: BTreeMap<u32, (u32, u32)>,
    /// Consumer index of the miss ring.
    pub served: u32,
    /// Notifications that the driver has read, in order.
    pub notified: Vec<NotifyEntry>,
    next_page: u32,
}

impl Host {
    /// A host with memory of random content.
    pub(super) fn new(seed: u64) -> Host {
        let mut random = Random::new(seed);
        Host {
            memory: (0..HOST_PAGES as usize * PAGE).map(|_| random.word() as u8).collect(),
            tables: BTreeMap::new(),
            buffers: BTreeMap::new(),
            pinned: BTreeSet::new(),
            status_pages: BTreeSet::new(),
            statuses: Vec::new(),
            shadow: BTreeMap::new(),
            served: 0,
            notified: Vec::new(),
            next_page: 1,
        }
    }
}

impl<T: Tables> NodeOf<T> {
    const CBH_GEOMETRY: CbhGeometry = CbhGeometry { key: T::KEY, ..CBH_GEOMETRY };
    /// Whether a post has a second entry for the upper half of its key.
    pub const IS_WIDE: bool = upper_key_bytes(T::KEY, T::HAS_IMPORTS) != 0;

    pub fn new_page(&mut self) -> u32 {
        self.host.next_page += 1;
        assert!(self.host.next_page < HOST_PAGES);
        // Page numbers are scattered, so that neighbours in virtual memory are none in host memory.
        self.host.next_page.reverse_bits() >> 24
    }

    pub fn map_pages(&mut self, pid: u32, first: u32, count: u32) {
        for page in first..first + count {
            let number = self.new_page();
            self.host.tables.insert((pid, page), number);
        }
    }

    /// Pins pages of a process, and enters them in the tables that the NIC reads.
    pub fn publish(&mut self, pid: u32, first: u32, count: u32) {
        for page in first..first + count {
            let number = self.host.tables[&(pid, page)];
            self.host.pinned.insert(number);
            self.set_entry(pid, page, number);
        }
    }

    /// Writes the entry of a page, and makes the table for it if there is none.
    pub fn set_entry(&mut self, pid: u32, page: u32, entry: u32) {
        let word = self.map.directories + directory_offset(table_slot(pid), page);
        let table = table_page(self.hardware.read(word)).unwrap_or_else(|| {
            let table = self.new_page();
            self.host.memory[table as usize * PAGE..][..PAGE].fill(0xFF);
            self.host.pinned.insert(table);
            self.hardware.write(word, directory_word(table));
            table
        });
        let at = table as usize * PAGE + table_offset(page) as usize;
        self.host.memory[at..at + 4].copy_from_slice(&entry.to_le_bytes());
    }

    /// Opens a slot for a process, with a status page.
    pub fn open(&mut self, slot: usize, pid: u32) -> u32 {
        let page = self.new_page();
        self.host.pinned.insert(page);
        self.host.status_pages.insert(page);
        self.host.memory[page as usize * PAGE..][..16].fill(0);
        let entry = ProcessEntry { state: 1, pid, status_address: page << 12, ..ProcessEntry::default() };
        self.hardware.put(self.map.process_table + slot as u32 * 32, entry.as_bytes());
        page
    }

    /// Registers a buffer with the driver only, so that the first lookup on the NIC misses.
    pub fn export(&mut self, cbh: u32, descriptor: Descriptor) {
        self.host.buffers.insert(cbh, descriptor);
    }

    /// Writes the driver's answer for a buffer into the NIC, as if a miss had been served.
    pub fn load_buffer(&mut self, cbh: u32) {
        match T::KEY {
            KeyWidth::Bits64 => self.load_buffer_of::<64>(cbh),
            KeyWidth::Bits128 => self.load_buffer_of::<128>(cbh),
        }
    }

    fn load_buffer_of<const K: u32>(&mut self, cbh: u32) {
        let cache = Cbh::<CBH_ENTRIES, CBH_WAYS, K>::new(&self.hardware, self.map.cbh);
        assert_eq!(cache.find(&mut self.hardware, cbh), Find::Not { state: STATE_EMPTY });
        let Reserve::Line(entry) = cache.reserve(&mut self.hardware, cbh) else { panic!("no way") };
        self.answer_buffer(cbh, entry);
    }

    fn answer_buffer(&mut self, cbh: u32, entry: u32) {
        let writes = match self.host.buffers.get(&cbh) {
            Some(descriptor) => cbh_fill_words(Self::CBH_GEOMETRY, entry, descriptor).collect(),
            None => vec![cbh_deny_word(Self::CBH_GEOMETRY, entry)],
        };
        for (offset, value) in writes {
            self.hardware.write(self.map.cbh + offset, value);
        }
    }

    /// Writes a descriptor and rings. The queue must have room.
    pub fn post(&mut self, slot: usize, descriptor: &PostDescriptor) {
        self.post_entries(slot, descriptor, &[]);
    }

    /// [`NodeOf::post`] for a post that carries its data.
    pub fn post_inline(&mut self, slot: usize, descriptor: &PostDescriptor, data: &[u8]) {
        let (first, rest) = data.split_at(data.len().min(INLINE_BYTES_FIRST as usize));
        let mut word = [0; 4];
        word[..first.len()].copy_from_slice(first);
        let flags = descriptor.flags | POST_FLAG_INLINE;
        self.post_entries(
            slot,
            &PostDescriptor { flags, local_address: u32::from_le_bytes(word), ..*descriptor },
            rest,
        );
    }

    fn post_entries(&mut self, slot: usize, descriptor: &PostDescriptor, rest: &[u8]) {
        let mut second = if Self::IS_WIDE { self.upper_key.as_bytes().to_vec() } else { Vec::new() };
        second.extend(rest);
        self.enqueue(slot, descriptor.as_bytes());
        if !second.is_empty() {
            self.enqueue(slot, &second);
        }
        self.ring(slot, self.posted[slot]);
    }

    pub fn enqueue(&mut self, slot: usize, entry: &[u8]) {
        let index = self.posted[slot];
        self.hardware.put(self.map.post_queues + slot as u32 * 4096 + index % 128 * 32, entry);
        self.posted[slot] = index.wrapping_add(1);
    }

    pub fn ring(&mut self, page: usize, value: u32) {
        self.hardware.doorbell_values[page] = value;
        self.hardware.doorbells |= 1 << page;
        self.hardware.raise(Event::Doorbell);
    }

    pub fn write_mailbox(&mut self, index: usize, value: u32) {
        self.hardware.to_nic[index] = value;
        self.hardware.mailboxes |= 1 << index;
        self.hardware.raise(Event::Mailbox);
    }

    /// The last command that the NIC has answered.
    pub fn answered(&self) -> u32 {
        self.hardware.to_host[MAILBOX_COMMAND_DONE]
    }

    /// Closes a slot as the driver does when a process ends. Once [`NodeOf::answered`] returns the
    /// command, no DMA of the process is outstanding.
    pub fn close(&mut self, slot: usize) {
        self.hardware.write(self.map.process_table + slot as u32 * 32, 0);
        self.write_mailbox(MAILBOX_COMMAND, COMMAND_CLOSE | (slot as u32) << 4);
    }

    pub fn status_address(&self, slot: usize) -> u32 {
        let entry = self.hardware.get(self.map.process_table + slot as u32 * 32, 32);
        ProcessEntry::read_from_bytes(&entry).unwrap().status_address
    }

    pub fn status(&self, slot: usize) -> ProcessStatus {
        ProcessStatus::read_from_bytes(&self.host.memory[self.status_address(slot) as usize..][..16]).unwrap()
    }

    pub fn misses_waiting(&self) -> u32 {
        self.hardware.to_host[MAILBOX_MISS].wrapping_sub(self.host.served)
    }

    /// Serves one miss as the driver does, and reports it.
    pub fn serve_miss(&mut self) {
        if self.misses_waiting() == 0 {
            return;
        }
        let at = self.map.miss_ring + self.host.served % MISS_RING_ENTRIES * 16;
        let (key, line) = (self.hardware.read(at), self.hardware.read(at + 4));
        if self.hardware.read(at + 8) == MISS_BUFFER {
            self.answer_buffer(key, line);
            return self.report_served();
        }
        // The line may belong to another tag by now.
        if self.hardware.read(self.map.vmh + GEOMETRY.key_offset(line)) != key {
            return self.report_served();
        }
        // A tag is in one line at most (INV-13), so no other line holds it any more.
        self.host.shadow.retain(|_, &mut held| held != (key_pid(key), key_line_page(key)));
        // The pages that the line held before are no longer on the NIC.
        let before = self.host.shadow.insert(line, (key_pid(key), key_line_page(key)));
        // If the NIC fetches, other lines may hold them: the driver does not see fetches.
        if let Some((pid, first)) = before.filter(|_| self.map.directories == 0) {
            for page in first..first + LINE {
                if let Some(number) = self.host.tables.get(&(pid, page)) {
                    self.host.pinned.remove(number);
                }
            }
        }
        let pid = key_pid(key);
        let tables = &self.host.tables;
        let writes: Vec<(u32, u32)> =
            fill_words(GEOMETRY, line, key, |page| tables.get(&(pid, page)).copied().unwrap_or(NO_TRANSLATION))
                .collect();
        for (offset, value) in writes {
            self.hardware.write(self.map.vmh + offset, value);
        }
        for page in key_line_page(key)..key_line_page(key) + LINE {
            if let Some(&number) = self.host.tables.get(&(pid, page)) {
                self.host.pinned.insert(number);
            }
        }
        self.report_served();
    }

    fn report_served(&mut self) {
        self.host.served = self.host.served.wrapping_add(1);
        self.write_mailbox(MAILBOX_FILLED, self.host.served);
    }

    pub fn notifications_waiting(&self) -> u32 {
        self.hardware.to_host[MAILBOX_NOTIFY].wrapping_sub(self.host.notified.len() as u32)
    }

    /// Reads one notification, if there is one.
    pub fn read_notification(&mut self) {
        if self.notifications_waiting() == 0 {
            return;
        }
        let at = self.map.notify_ring + self.host.notified.len() as u32 % NOTIFY_RING_ENTRIES * 32;
        self.host.notified.push(NotifyEntry::read_from_bytes(&self.hardware.get(at, 32)).unwrap());
        self.write_mailbox(MAILBOX_NOTIFIED, self.host.notified.len() as u32);
    }
}
