//! The user library: what a process does with the NIC without the kernel (facts M-1, M-5 to M-7).
//!
//! A post is a descriptor, stored into the process's own queue page in SRAM, and its doorbell. Its end shows in the status
//! page, in the process's own memory; arrival shows in the bytes themselves. Neither costs an access to the NIC.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::rc::Rc;

use nic_layout::key::{Key, KeyWidth};
use nic_layout::post::{
    inline_bytes_max, upper_key_bytes, PostDescriptor, PostError, ProcessStatus, INLINE_BYTES_FIRST, OP_READ, OP_WRITE,
    POST_DESCRIPTOR_BYTES, POST_FLAG_INLINE, POST_FLAG_NOTIFY, POST_QUEUE_ENTRIES,
};
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};
use sim_pins::Ps;
use zerocopy::{FromBytes, IntoBytes};

use crate::address::{pages_of, BusAddr, NodeId, Pid, UserVirt};
use crate::bus::BusFault;
use crate::driver::{Driver, DriverError, Mapping, Notifications, ProcessGrant, QueuePages, Store};
use crate::events::{EventKind, EventLog, Subject};
use crate::executor::{Lock, Notify};
use crate::memory::{Memory, MemoryError, Watch};
use crate::pio::Pio;
use crate::platform::HostCosts;
use crate::processor::Cpu;

/// What others may do with a buffer (facts M-3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub write: bool,
    pub read: bool,
}

impl Access {
    pub const WRITE: Access = Access { write: true, read: false };
    pub const READ: Access = Access { write: false, read: true };
    pub const BOTH: Access = Access { write: true, read: true };

    pub(crate) fn permissions(self) -> u32 {
        let permit = |is_set, permission| if is_set { permission } else { 0 };
        permit(self.write, PERMIT_WRITE) | permit(self.read, PERMIT_READ)
    }
}

/// A registered buffer, as its owner tells others: whoever has this may use it (facts M-46).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Export {
    pub node: NodeId,
    /// The CBH word: process and buffer (`nic_layout::cbh`).
    pub buffer: u32,
    pub key: Key,
    pub key_width: KeyWidth,
    pub length_bytes: u32,
    pub access: Access,
}

/// What an import is known by, and a post says of a buffer: node, CBH word and key.
type Named = (u16, u32, Key);

fn named(export: &Export) -> Named {
    (export.node.0, export.buffer, export.key)
}

/// A post that was rung.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteHandle {
    /// Free-running, in the order of posting: of its last entry in the queue.
    pub index: u32,
    pub message: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteError {
    #[error("the NIC refused post {index}: {}", post_error(*.error))]
    Refused { index: u32, error: u32 },
    /// The status page tells the last refusal only. This post ended together with it, and may be one of those refused.
    #[error("posts up to {last_index} ended, {refused} of them badly, the last with: {}", post_error(*.error))]
    Unclear { last_index: u32, refused: u32, error: u32 },
    #[error("the status page says that {ended} posts have ended, and {posted} were posted")]
    WildStatus { ended: u32, posted: u32 },
    #[error("buffer {buffer:#x} of node {node} was not imported, and posts to this NIC name imports")]
    NotImported { node: u16, buffer: u32 },
    #[error("the process ended, or the driver gave up, before there was a post queue for it")]
    NoPostQueue,
    #[error("node {node} has keys of {theirs} bits, and this one of {own}: posts to it would not be understood")]
    OtherKeyWidth { node: u16, theirs: u32, own: u32 },
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// Why [`Process::connect`] failed.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The owner, or nobody, has answered.
    #[error(transparent)]
    Owner(#[from] WriteError),
}

/// Of posts that carry nothing.
const NO_MESSAGE: u32 = 0;

fn post_error(error: u32) -> String {
    let text = match error {
        1 => "unknown operation",
        2 => "no such node",
        3 => "length out of range",
        4 => "bad address of own memory: it has no page, or the page cannot be pinned",
        5 => "the peer does not answer",
        6 => "wild doorbell",
        7 => "the PCI bus ended the DMA of the source",
        8 => "the node of the buffer refused it",
        9 => "no such import",
        10 => "the import does not permit it",
        11 => "the imported buffer ends before",
        _ => return format!("error {error}, which is unknown"),
    };
    text.to_owned()
}

fn entry_of(queue: QueuePages, index: u32) -> BusAddr {
    queue.post_queue + index % POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES
}

/// What the firmware may have written as an error.
pub fn known_error(error: u32) -> Option<PostError> {
    use PostError::*;
    let all = [
        UnknownOperation,
        NoSuchNode,
        LengthOutOfRange,
        BadLocalAddress,
        PeerUnreachable,
        BadProducerIndex,
        BusError,
        Refused,
        NoSuchImport,
        ImportForbids,
        ImportTooShort,
    ];
    all.into_iter().find(|known| *known as u32 == error)
}

/// A process that has the NIC open. Clones are the same process.
#[derive(Clone)]
pub struct Process(Rc<Inner>);

struct Inner {
    driver: Driver,
    memory: Rc<RefCell<Memory>>,
    cpu: Cpu,
    pio: Pio,
    log: EventLog,
    costs: HostCosts,
    grant: ProcessGrant,
    /// Of the post queue.
    mapping: Rc<Mapping>,
    /// Entries of the queue used so far; free-running.
    posted: Cell<u32>,
    /// Those of them that do not end a post.
    first_halves: RefCell<BTreeSet<u32>>,
    /// Writes of so many bytes carry their data in the queue.
    pio_bytes_max: Cell<u32>,
    seen: Cell<ProcessStatus>,
    refusals_told: Cell<Told>,
    /// Ends that were seen and that nobody has asked for.
    ended: RefCell<BTreeMap<u32, Result<(), WriteError>>>,
    posting: Lock,
    /// Indices of imported buffers.
    imports: RefCell<BTreeMap<Named, u32>>,
    /// System calls that have not returned.
    calls: Cell<u32>,
    returned: Notify,
}

/// Refusals that the ends of posts have told of.
#[derive(Clone, Copy, Default)]
struct Told {
    count: u32,
    /// The count may have been ahead of the ends.
    perhaps_more: bool,
}

/// Free-running indices: `a` is less than half a lap before `b`.
fn is_before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

impl Process {
    pub(crate) async fn open(
        driver: Driver,
        memory: Rc<RefCell<Memory>>,
        pio: Pio,
        log: EventLog,
        costs: HostCosts,
    ) -> Result<Process, DriverError> {
        let cpu = pio.cpu().clone();
        let grant = driver.open(&cpu).await?;
        let mapping = driver.mapping(grant.pid)?;
        Ok(Process(Rc::new(Inner {
            driver,
            memory,
            cpu,
            pio,
            log,
            costs,
            grant,
            mapping,
            posted: Cell::new(0),
            first_halves: RefCell::default(),
            pio_bytes_max: Cell::new(inline_bytes_max(grant.key_width, grant.has_static_tables)),
            seen: Cell::default(),
            refusals_told: Cell::default(),
            ended: RefCell::default(),
            posting: Lock::default(),
            imports: RefCell::default(),
            calls: Cell::new(0),
            returned: Notify::new(),
        })))
    }

    pub fn pid(&self) -> Pid {
        self.0.grant.pid
    }

    pub fn grant(&self) -> &ProcessGrant {
        &self.0.grant
    }

    /// The post queue that is mapped now.
    pub fn queue(&self) -> Option<QueuePages> {
        self.0.mapping.pages()
    }

    pub fn cpu(&self) -> &Cpu {
        &self.0.cpu
    }

    /// Ends the use of the NIC, and the process's memory with it. System calls that the process has begun return first, also
    /// when the task that made them was aborted.
    pub async fn close(&self) -> Result<(), DriverError> {
        self.0.driver.begin_end(self.pid());
        self.0.returned.wait_until(|| self.0.calls.get() == 0).await;
        self.system_call(|process| async move { process.0.driver.close(&process.0.cpu, &process.0.grant).await }).await
    }

    /// The kernel's part goes on when the caller is aborted: nobody is killed in the middle of a system call.
    async fn system_call<T: 'static, F: Future<Output = T> + 'static>(&self, call: impl FnOnce(Process) -> F) -> T {
        self.0.calls.set(self.0.calls.get() + 1);
        let (process, work) = (self.clone(), call(self.clone()));
        let returned = self.0.cpu.sim().spawn("system call", async move {
            let value = work.await;
            process.0.calls.set(process.0.calls.get() - 1);
            process.0.returned.notify();
            value
        });
        returned.await
    }

    // ---- Memory --------------------------------------------------------------------------------------------------

    /// Whole pages; physical pages come at the first touch.
    pub fn alloc(&self, bytes: u32) -> Result<UserVirt, MemoryError> {
        self.0.memory.borrow_mut().reserve(self.pid(), bytes)
    }

    /// Puts bytes in place, in no time: what a workload is about, not what it costs. See [`Process::copy`].
    pub fn store(&self, address: UserVirt, bytes: &[u8]) -> Result<(), MemoryError> {
        self.0.memory.borrow_mut().write(self.pid(), address, bytes)
    }

    /// Looks at bytes, in no time.
    pub fn load(&self, address: UserVirt, len_bytes: u32) -> Result<Vec<u8>, MemoryError> {
        let mut bytes = vec![0; len_bytes as usize];
        self.0.memory.borrow_mut().read(self.pid(), address, &mut bytes)?;
        Ok(bytes)
    }

    /// Copies bytes as a processor does, and takes its time.
    pub async fn copy(&self, from: UserVirt, to: UserVirt, len_bytes: u32) -> Result<(), MemoryError> {
        self.0.cpu.charge("copy", self.0.costs.memcpy(len_bytes)).await;
        let bytes = self.load(from, len_bytes)?;
        self.store(to, &bytes)
    }

    // ---- Buffers -------------------------------------------------------------------------------------------------

    /// Lets others write there.
    pub async fn export(&self, start: UserVirt, length_bytes: u32) -> Result<Export, DriverError> {
        self.export_as(start, length_bytes, Access::WRITE).await
    }

    pub async fn export_as(&self, start: UserVirt, length_bytes: u32, access: Access) -> Result<Export, DriverError> {
        self.system_call(move |process| async move {
            let Inner { driver, cpu, .. } = &*process.0;
            driver.export(cpu, process.pid(), start, length_bytes, access).await
        })
        .await
    }

    /// Lets others write there, and tells of each write that asks for it.
    pub async fn export_with_notifications(
        &self,
        start: UserVirt,
        length_bytes: u32,
        access: Access,
    ) -> Result<(Export, Notifications), DriverError> {
        self.system_call(move |process| async move {
            let Inner { driver, cpu, .. } = &*process.0;
            let export = driver.export(cpu, process.pid(), start, length_bytes, access).await?;
            Ok((export, driver.listen(process.pid(), &export)?))
        })
        .await
    }

    /// Under an identifier of the process's choice, of 20 bits.
    pub async fn export_under(
        &self,
        id: u32,
        start: UserVirt,
        length_bytes: u32,
        access: Access,
    ) -> Result<Export, DriverError> {
        self.system_call(move |process| async move {
            let Inner { driver, cpu, .. } = &*process.0;
            driver.export_under(cpu, process.pid(), id, start, length_bytes, access).await
        })
        .await
    }

    pub async fn withdraw(&self, export: &Export) -> Result<(), DriverError> {
        let export = *export;
        self.system_call(move |process| async move {
            let Inner { driver, cpu, .. } = &*process.0;
            driver.withdraw(cpu, process.pid(), &export).await
        })
        .await
    }

    /// Lets posts send from this memory and read into it. Buffers that the process exports need no more than that; a NIC with caches not even
    /// this, and takes no time for it.
    pub async fn register(&self, start: UserVirt, length_bytes: u32) -> Result<(), DriverError> {
        if !self.0.grant.has_static_tables {
            return Ok(());
        }
        self.system_call(move |process| async move {
            let Inner { driver, cpu, .. } = &*process.0;
            driver.register_memory(cpu, process.pid(), start, length_bytes).await
        })
        .await
    }

    /// Ends [`Self::register`] of the same range. Posts that use it have ended.
    pub async fn unregister(&self, start: UserVirt, length_bytes: u32) -> Result<(), DriverError> {
        if !self.0.grant.has_static_tables {
            return Ok(());
        }
        self.system_call(move |process| async move {
            let Inner { driver, cpu, .. } = &*process.0;
            driver.release_memory(cpu, process.pid(), start, length_bytes).await
        })
        .await
    }

    /// Before the first post to a buffer of another process (facts M-4). A NIC without import tables needs none, and takes no time for it. A buffer of a
    /// node whose keys are of another width is refused: the two would not understand each other's frames.
    pub async fn import(&self, export: &Export) -> Result<(), DriverError> {
        let export = *export;
        let own = self.0.grant.key_width;
        if export.key_width != own {
            return Err(DriverError::OtherKeyWidth {
                node: export.node.0,
                theirs: export.key_width.bits(),
                own: own.bits(),
            });
        }
        if !self.0.grant.has_static_tables || self.0.imports.borrow().contains_key(&named(&export)) {
            return Ok(());
        }
        self.system_call(move |process| async move {
            let Inner { driver, cpu, imports, .. } = &*process.0;
            let index = driver.import(cpu, process.pid(), &export).await?;
            imports.borrow_mut().insert(named(&export), index);
            Ok(())
        })
        .await
    }

    /// [`Self::import`], which its owner confirms (facts M-4): a write or a read of nothing goes through the record, so a key that is wrong, a buffer that is
    /// gone and a node that does not answer show here, and leave no record. A NIC without import tables has nothing to confirm: the owner checks each post.
    pub async fn connect(&self, export: &Export) -> Result<(), ConnectError> {
        self.import(export).await?;
        if !self.0.grant.has_static_tables {
            return Ok(());
        }
        let confirmed = self.ask_owner(export).await;
        if confirmed.is_err() {
            self.release_import(export).await?;
        }
        Ok(confirmed?)
    }

    /// A post that moves nothing, of a kind that the buffer permits.
    async fn ask_owner(&self, export: &Export) -> Result<(), WriteError> {
        let own = UserVirt(self.0.grant.status.0);
        let handle = match export.access.write {
            true => self.write(own, 0, export, 0, NO_MESSAGE).await?,
            false => self.read(export, 0, 0, own, NO_MESSAGE).await?,
        };
        self.wait(handle).await
    }

    /// Ends [`Self::import`]. Posts to the buffer have ended.
    pub async fn release_import(&self, export: &Export) -> Result<(), DriverError> {
        let Some(index) = self.0.imports.borrow_mut().remove(&named(export)) else {
            return Ok(());
        };
        self.system_call(move |process| async move {
            let Inner { driver, cpu, .. } = &*process.0;
            driver.release_import(cpu, process.pid(), index).await
        })
        .await
    }

    /// What a post to a buffer says: with static tables the import is in the buffer's place, and the others nothing.
    fn target(&self, export: &Export) -> Result<Named, WriteError> {
        let own = self.0.grant.key_width;
        if export.key_width != own {
            return Err(WriteError::OtherKeyWidth {
                node: export.node.0,
                theirs: export.key_width.bits(),
                own: own.bits(),
            });
        }
        if !self.0.grant.has_static_tables {
            return Ok(named(export));
        }
        let index = self.0.imports.borrow().get(&named(export)).copied();
        let index = index.ok_or(WriteError::NotImported { node: export.node.0, buffer: export.buffer })?;
        Ok((0, index, [0; 4]))
    }

    // ---- Writing and reading -------------------------------------------------------------------------------------

    /// Writes of up to so many bytes carry their data in the queue, which the processor writes there (facts M-7); at most 32, or 28 where the upper half of a key
    /// stands before them. With 0 all go by DMA.
    pub fn set_pio_bytes_max(&self, bytes: u32) {
        let ProcessGrant { key_width, has_static_tables, .. } = self.0.grant;
        self.0.pio_bytes_max.set(bytes.min(inline_bytes_max(key_width, has_static_tables)));
    }

    /// Posts a write of own bytes into a buffer of another process. Waits while the queue is full. `message` travels with
    /// it, for the trace.
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
        if length_bytes > self.0.pio_bytes_max.get() {
            self.pin_before_use(from, length_bytes).await;
            return self.post(&descriptor, upper_key).await;
        }
        let data = self.load(from, length_bytes)?;
        self.post_inline(&descriptor, upper_key, &data).await
    }

    /// Posts a read of a buffer into own memory (facts M-5). When it has ended, the bytes are there. It sees what this process has written to
    /// that node before; what it writes there later may overtake it.
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

    /// For a NIC that fetches translations: has the driver pin what the bitmap does not have (facts M-58).
    async fn pin_before_use(&self, start: UserVirt, length_bytes: u32) {
        let runs_over = u64::from(start.0) + u64::from(length_bytes) > 1 << 32;
        if !self.0.grant.pins_before_use || length_bytes == 0 || runs_over {
            return;
        }
        let pages = pages_of(start, length_bytes).count() as u64;
        self.0.cpu.charge("bitmap", Ps::from_ns(self.0.costs.bitmap_page_ns * pages)).await;
        if self.0.driver.bitmap_has(self.pid(), start, length_bytes) {
            return;
        }
        // What cannot be pinned the NIC refuses when it is used, and a driver that has failed says so itself.
        let _refused = self
            .system_call(move |process| async move {
                let Inner { driver, cpu, .. } = &*process.0;
                driver.pin_memory(cpu, process.pid(), start, length_bytes).await
            })
            .await;
    }

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

    // ---- Ends of posts -------------------------------------------------------------------------------------------

    /// Waits until the post has ended: its bytes are in the memory where they shall be, or it was refused. Each handle is
    /// waited for once.
    pub async fn wait(&self, handle: WriteHandle) -> Result<(), WriteError> {
        self.update_status()?;
        self.poll_status(|| self.0.ended.borrow().contains_key(&handle.index)).await?;
        let subject = Subject::Post { pid: self.pid(), index: handle.index, message: handle.message };
        self.note(subject, EventKind::StatusSeen);
        let end = self.0.ended.borrow_mut().remove(&handle.index);
        end.expect("the condition that was waited for")
    }

    /// What the process has seen of its status page.
    pub fn status(&self) -> ProcessStatus {
        self.0.seen.get()
    }

    /// Polls the status page until `condition`, which follows from it, holds.
    async fn poll_status(&self, condition: impl Fn() -> bool) -> Result<(), WriteError> {
        let ended = self.0.grant.status + std::mem::offset_of!(ProcessStatus, ended) as u32;
        let watch = self.0.memory.borrow_mut().watch(self.pid(), ended, 4)?;
        let mut failure = None;
        self.poll(&watch, None, || match self.update_status() {
            Ok(()) => condition(),
            Err(error) => {
                failure = Some(error);
                true
            }
        })
        .await;
        failure.map_or(Ok(()), Err)
    }

    /// Takes over what the NIC has written to the status page.
    ///
    /// A write of the page comes to memory a piece at a time, first word first, and a process may look in between: then `refused`, and perhaps the index of
    /// the last refusal, tell of posts whose end is not written yet. That index decides: a refusal among the posts that ended is the last one, or
    /// before it. Counts alone would take the refusal for one of the posts before, and then pass over its own.
    fn update_status(&self) -> Result<(), WriteError> {
        let bytes = self.load(self.0.grant.status, size_of::<ProcessStatus>() as u32)?;
        let now = ProcessStatus::read_from_bytes(&bytes).expect("as many bytes");
        let before = self.0.seen.get();
        let newly_ended = now.ended.wrapping_sub(before.ended);
        let posted = self.0.posted.get();
        if newly_ended > posted.wrapping_sub(before.ended) {
            return Err(WriteError::WildStatus { ended: now.ended, posted });
        }
        if newly_ended == 0 {
            return Ok(());
        }
        let told = self.0.refusals_told.get();
        let refused = now.refused.wrapping_sub(told.count);
        // A wild doorbell takes the place of the last refusal, and names no post.
        let covered = now.last_error == PostError::BadProducerIndex as u32;
        let (error, last) = (now.last_error, now.last_error_index);
        if !covered && refused != 0 && !is_before(last, now.ended) {
            // Only the end itself is still to be written.
            return Ok(());
        }
        let names_one = !covered && now.refused != 0 && last.wrapping_sub(before.ended) < newly_ended;
        let others_are_well = match (names_one, covered) {
            (true, _) => refused == 1 && !told.perhaps_more,
            (false, true) => refused == 0,
            (false, false) => true,
        };
        if names_one || covered {
            // Of several, some may belong to posts whose end is not written.
            self.0.refusals_told.set(Told { count: now.refused, perhaps_more: refused > 1 });
        } else {
            self.0.refusals_told.set(Told { perhaps_more: false, ..told });
        }
        let mut ended = self.0.ended.borrow_mut();
        for n in 0..newly_ended {
            let index = before.ended.wrapping_add(n);
            if self.0.first_halves.borrow_mut().remove(&index) {
                continue;
            }
            let end = if names_one && last == index {
                Err(WriteError::Refused { index, error })
            } else if others_are_well {
                Ok(())
            } else {
                // More were refused since the last look than are known by their index.
                let refused = refused.min(newly_ended);
                Err(WriteError::Unclear { last_index: now.ended.wrapping_sub(1), refused, error })
            };
            ended.insert(index, end);
        }
        self.0.seen.set(now);
        Ok(())
    }

    // ---- Arrival -------------------------------------------------------------------------------------------------

    /// Polls own bytes until `arrived` accepts them. `message` names the wait in the trace.
    pub async fn wait_bytes(
        &self,
        address: UserVirt,
        len_bytes: u32,
        message: u32,
        arrived: impl Fn(&[u8]) -> bool,
    ) -> Result<(), MemoryError> {
        let subject = Subject::Arrival { pid: self.pid(), message };
        self.note(subject, EventKind::WaitBegin);
        let watch = self.0.memory.borrow_mut().watch(self.pid(), address, len_bytes)?;
        let mut failure = None;
        self.poll(&watch, Some(subject), || match self.load(address, len_bytes) {
            Ok(bytes) => arrived(&bytes),
            Err(error) => {
                failure = Some(error);
                true
            }
        })
        .await;
        self.note(subject, EventKind::ArrivalSeen);
        failure.map_or(Ok(()), Err)
    }

    /// Polls until `condition` holds; it can change only by a write that `watch` sees. A poll that finds the cached bytes
    /// takes `poll_unchanged_ns`; one that finds them written by a device takes `poll_changed_ns` more.
    async fn poll(&self, watch: &Watch, subject: Option<Subject>, mut condition: impl FnMut() -> bool) {
        let sim = self.0.cpu.sim().clone();
        let period = Ps::from_ns(self.0.costs.poll_unchanged_ns);
        let begin = sim.now();
        loop {
            let written = watch.written();
            let held = condition();
            if held {
                // Its last miss was paid for before it was looked at; a first look pays here.
                if sim.now() == begin {
                    self.0.cpu.charge("poll", Ps::from_ns(self.0.costs.poll_changed_ns)).await;
                }
                return;
            }
            written.await;
            if let Some(subject) = subject {
                self.note(subject, EventKind::ArrivalWritten);
            }
            // The poll that finds it begins at the next multiple of the period.
            let polls = (sim.now() - begin).0.div_ceil(period.0);
            sim.sleep_until(begin + Ps(polls * period.0)).await;
            self.0.cpu.charge("poll", Ps::from_ns(self.0.costs.poll_changed_ns)).await;
        }
    }

    fn note(&self, subject: Subject, kind: EventKind) {
        self.0.log.record(self.0.cpu.sim().now(), subject.note(kind));
    }
}
