//! Posts: descriptors, and what goes with them, stored into the entries of the queue, and then its doorbell. A store where no queue is mapped takes a
//! page fault (facts M-52).

use nic_layout::post::{
    upper_key_bytes, PostDescriptor, INLINE_BYTES_FIRST, POST_DESCRIPTOR_BYTES, POST_FLAG_INLINE, POST_QUEUE_ENTRIES,
};
use sim_pins::Ps;
use zerocopy::IntoBytes;

use super::{Process, WriteError};
use crate::address::BusAddr;
use crate::bus::BusFault;
use crate::driver::{ProcessGrant, QueuePages, Store};
use crate::events::{EventKind, Subject};

/// A post that was rung.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteHandle {
    /// Free-running, in the order of posting: of its last entry in the queue.
    pub index: u32,
    pub message: u32,
}

fn entry_of(queue: QueuePages, index: u32) -> BusAddr {
    queue.post_queue + index % POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES
}

impl Process {
    /// Posts any descriptor, after the queue has room. The upper half of its key is for a NIC whose keys have 128 bits.
    pub async fn post(&self, descriptor: &PostDescriptor, upper_key: [u32; 2]) -> Result<WriteHandle, WriteError> {
        self.post_entries(descriptor, &self.second_entry(upper_key, &[]), 0).await
    }

    /// What fills the entry behind a descriptor.
    fn second_entry(&self, upper_key: [u32; 2], data: &[u32]) -> Vec<u32> {
        let ProcessGrant { key_width, has_static_tables, .. } = self.0.grant;
        let upper_words = upper_key_bytes(key_width, has_static_tables) as usize / 4;
        [&upper_key[..upper_words], data].concat()
    }

    /// Posts a write with its data, at most 32 bytes.
    pub async fn post_inline(
        &self,
        descriptor: &PostDescriptor,
        upper_key: [u32; 2],
        data: &[u8],
    ) -> Result<WriteHandle, WriteError> {
        let mut words: Vec<u32> =
            data.chunks(4).map(|bytes| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))).collect();
        let rest = words.split_off(words.len().min(INLINE_BYTES_FIRST as usize / 4));
        let descriptor = PostDescriptor {
            flags: descriptor.flags | POST_FLAG_INLINE,
            local_address: words.first().copied().unwrap_or(0),
            ..*descriptor
        };
        self.post_entries(&descriptor, &self.second_entry(upper_key, &rest), data.len() as u32).await
    }

    /// Posts a descriptor, and behind it what fills the next entry, if anything does. They carry `copied_bytes` of data.
    async fn post_entries(
        &self,
        descriptor: &PostDescriptor,
        rest: &[u32],
        copied_bytes: u32,
    ) -> Result<WriteHandle, WriteError> {
        let _order = self.0.posting.acquire().await;
        let first = self.0.posted.get();
        let (pid, message) = (self.pid(), descriptor.message);
        let entries = 1 + u32::from(!rest.is_empty());
        let index = first.wrapping_add(entries - 1);
        let subject = Subject::Post { pid, index, message };
        self.note(subject, EventKind::PostBegin);
        if !self.has_room(entries) {
            self.update_status()?;
            self.poll_status(|| self.has_room(entries)).await?;
        }
        let build = Ps::from_ns(self.0.costs.post_build_ns) + self.0.costs.memcpy(copied_bytes);
        let written = subject.note(EventKind::DescriptorWritten);
        let rung = subject.note(EventKind::DoorbellWritten);
        let posted = index.wrapping_add(1);
        loop {
            self.0.cpu.charge("post", build).await;
            let note = rest.is_empty().then_some(written);
            let time = self.store_descriptor(first, descriptor, note).await?;
            if !rest.is_empty() {
                let store = self.translate().await?;
                self.0.first_halves.borrow_mut().insert(first);
                self.0.pio.write_words(entry_of(store.pages, index), rest, Some(written)).await;
            }
            let store = self.translate().await?;
            // Its queue was taken from the process since the first store, and what is written there is gone: the post begins again, from where the fault came
            // (docs/host-model.md, Post queues).
            if store.time != time {
                continue;
            }
            self.0.posted.set(posted);
            store.rings();
            self.0.pio.write_words(store.pages.doorbell, &[posted], Some(rung)).await;
            break;
        }
        self.note(subject, EventKind::PioIssued);
        Ok(WriteHandle { index, message })
    }

    /// What a hostile process can do as well: any descriptor into any place of its queue, without a doorbell.
    pub async fn post_raw(&self, index: u32, descriptor: &PostDescriptor) -> Result<(), WriteError> {
        self.store_descriptor(index, descriptor, None).await.map(|_| ())
    }

    /// Rings with any value.
    pub async fn ring_raw(&self, value: u32) -> Result<(), WriteError> {
        let store = self.translate().await?;
        store.rings();
        self.0.pio.write(store.pages.doorbell, value).await;
        Ok(())
    }

    /// Looks into any word of its queue.
    pub async fn peek_raw(&self, offset: u32) -> Result<Result<u32, BusFault>, WriteError> {
        let store = self.translate().await?;
        Ok(self.0.pio.read(store.pages.post_queue + offset).await)
    }

    /// Gives [`Store::time`].
    async fn store_descriptor(
        &self,
        index: u32,
        descriptor: &PostDescriptor,
        note: Option<crate::events::Note>,
    ) -> Result<u64, WriteError> {
        let words: Vec<u32> = descriptor
            .as_bytes()
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let store = self.translate().await?;
        self.0.pio.write_words(entry_of(store.pages, index), &words, note).await;
        Ok(store.time)
    }

    /// Finds the post queue behind its address. What has no page takes a fault, and tries again.
    async fn translate(&self) -> Result<Store, WriteError> {
        loop {
            if let Some(store) = self.0.mapping.translate() {
                return Ok(store);
            }
            let fault =
                |process: Process| async move { process.0.driver.page_fault(&process.0.cpu, process.pid()).await };
            self.system_call(fault).await.map_err(|_| WriteError::NoPostQueue)?;
        }
    }

    fn has_room(&self, entries: u32) -> bool {
        self.0.posted.get().wrapping_sub(self.0.seen.get().ended) + entries <= POST_QUEUE_ENTRIES
    }
}
