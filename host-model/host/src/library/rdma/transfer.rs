//! Writes into buffers of other processes and reads of them (facts M-5 to M-7). Where the NIC
//! fetches translations, own pages are pinned before (facts M-58).

use nic_layout::post::{
    inline_bytes_max, upper_key_bytes, PostDescriptor, INLINE_BYTES_FIRST, OP_READ, OP_WRITE, POST_FLAG_INLINE,
    POST_FLAG_NOTIFY,
};
use sim_pins::Ps;

use super::extension::Rdma;
use crate::address::{pages_of, UserVirt};
use crate::driver::rdma::access::Export;
use crate::library::error::{WriteError, WriteHandle};
use crate::library::process::Process;

impl Process<Rdma> {
    /// Writes of up to so many bytes carry their data in the queue, which the processor writes
    /// there (facts M-7); at most 32, or 28 where the upper half of a key stands before them. With
    /// 0 all go by DMA.
    pub fn set_pio_bytes_max(&self, bytes: u32) {
        let terms = self.terms();
        self.0.extension.pio_bytes_max.set(bytes.min(inline_bytes_max(terms.key_width, terms.names_imports)));
    }

    /// Posts any descriptor, after the queue has room. The upper half of its key is for a NIC whose
    /// keys have 128 bits.
    pub async fn post(&self, descriptor: &PostDescriptor, upper_key: [u32; 2]) -> Result<WriteHandle, WriteError> {
        self.post_entries(descriptor, &self.second_entry(upper_key, &[]), 0).await
    }

    /// What fills the entry behind a descriptor.
    fn second_entry(&self, upper_key: [u32; 2], data: &[u32]) -> Vec<u32> {
        let terms = self.terms();
        let upper_words = upper_key_bytes(terms.key_width, terms.names_imports) as usize / 4;
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

    /// Posts a write of own bytes into a buffer of another process. Waits while the queue is full.
    /// `message` travels with it, for the trace.
    pub async fn write(
        &self,
        from: UserVirt,
        length_bytes: u32,
        to: &Export,
        offset: u32,
        message: u32,
    ) -> Result<WriteHandle, WriteError> {
        self.write_with_flags(0, from, length_bytes, to, offset, message).await
    }

    /// The same; when the bytes are there, the other process is told, if it listens.
    pub async fn write_and_notify(
        &self,
        from: UserVirt,
        length_bytes: u32,
        to: &Export,
        offset: u32,
        message: u32,
    ) -> Result<WriteHandle, WriteError> {
        self.write_with_flags(POST_FLAG_NOTIFY, from, length_bytes, to, offset, message).await
    }

    async fn write_with_flags(
        &self,
        flags: u8,
        from: UserVirt,
        length_bytes: u32,
        to: &Export,
        offset: u32,
        message: u32,
    ) -> Result<WriteHandle, WriteError> {
        let (destination_node, buffer, key) = self.target(to)?;
        let descriptor = PostDescriptor {
            op: OP_WRITE,
            flags,
            destination_node,
            length_bytes,
            local_address: from.0,
            buffer,
            buffer_offset: offset,
            key: [key[0], key[1]],
            message,
        };
        let upper_key = [key[2], key[3]];
        if length_bytes > self.0.extension.pio_bytes_max.get() {
            self.pin_before_use(from, length_bytes).await;
            return self.post(&descriptor, upper_key).await;
        }
        let data = self.load(from, length_bytes)?;
        self.post_inline(&descriptor, upper_key, &data).await
    }

    /// Posts a read of a buffer into own memory (facts M-5). When it has ended, the bytes are
    /// there. It sees what this process has written to that node before; what it writes there later
    /// may overtake it.
    pub async fn read(
        &self,
        from: &Export,
        offset: u32,
        length_bytes: u32,
        to: UserVirt,
        message: u32,
    ) -> Result<WriteHandle, WriteError> {
        let (destination_node, buffer, key) = self.target(from)?;
        let descriptor = PostDescriptor {
            op: OP_READ,
            flags: 0,
            destination_node,
            length_bytes,
            local_address: to.0,
            buffer,
            buffer_offset: offset,
            key: [key[0], key[1]],
            message,
        };
        self.pin_before_use(to, length_bytes).await;
        self.post(&descriptor, [key[2], key[3]]).await
    }

    /// For a NIC that fetches translations: has the driver pin what the bitmap does not have (facts
    /// M-58).
    async fn pin_before_use(&self, start: UserVirt, length_bytes: u32) {
        let runs_over = u64::from(start.0) + u64::from(length_bytes) > 1 << 32;
        if !self.terms().pins_before_use || length_bytes == 0 || runs_over {
            return;
        }
        let pages = pages_of(start, length_bytes).count() as u64;
        self.0.cpu.charge("bitmap", Ps::from_ns(self.0.costs.bitmap_page_ns * pages)).await;
        if self.service().is_ready(self.pid(), start, length_bytes) {
            return;
        }
        // An error needs no report here: the NIC refuses the use of a page that cannot be pinned,
        // and a driver that has failed reports it itself.
        let _refused = self
            .system_call(move |process| async move {
                process.service().prepare(process.cpu(), process.pid(), start, length_bytes).await
            })
            .await;
    }
}
