//! Posts: descriptors, and what goes with them, stored into the entries of the queue, and then its
//! doorbell. A store where no queue is mapped takes a page fault (facts M-52).

use nic_layout::post::{PostDescriptor, POST_DESCRIPTOR_BYTES, POST_QUEUE_ENTRIES};
use sim_pins::Ps;
use zerocopy::IntoBytes;

use super::error::{WriteError, WriteHandle};
use super::extension::Extension;
use super::process::Process;
use crate::address::BusAddr;
use crate::bus::BusFault;
use crate::driver::{QueuePages, Store};
use crate::events::{EventKind, Subject};

fn entry_of(queue: QueuePages, index: u32) -> BusAddr {
    queue.post_queue + index % POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES
}

impl<X: Extension> Process<X> {
    /// Posts a descriptor, after the queue has room, and behind it what fills the next entry, if
    /// anything does. They carry `copied_bytes` of data.
    pub async fn post_entries(
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
            // The driver took the queue from the process after the first store, so the words
            // written there are gone. The post begins again with its first store
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

    /// What a hostile process can do as well: any descriptor into any place of its queue, without a
    /// doorbell.
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
                |process: Process<X>| async move { process.0.driver.page_fault(&process.0.cpu, process.pid()).await };
            self.system_call(fault).await.map_err(|_| match self.nic_was_reset() {
                true => WriteError::NicReset,
                false => WriteError::NoPostQueue,
            })?;
        }
    }

    fn has_room(&self, entries: u32) -> bool {
        self.0.posted.get().wrapping_sub(self.0.seen.get().ended) + entries <= POST_QUEUE_ENTRIES
    }
}
