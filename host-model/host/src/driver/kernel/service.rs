//! Interrupts, the work behind them, and the system calls on streams.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use async_trait::async_trait;
use nic_layout::personality::kernel::{
    FramesReply, COUNTERS, DATA_BYTES_MAX, MAILBOX_FRAMES, PERSONALITY, RECEIVE_ENTRY_BYTES, RING_ENTRIES,
    SEND_ENTRY_BYTES,
};
use nic_layout::registers::mailbox;
use sim_pins::Ps;

use super::buffers::{self, Buffers};
use super::endpoint::Endpoint;
use super::segment::{Peer, Segment};
use crate::address::{Pid, UserVirt};
use crate::driver::core::context::Context;
use crate::driver::core::error::DriverError;
use crate::driver::core::service::{Core, Interrupt, Service, ServiceEntry};
use crate::executor::Notify;
use crate::memory::MemoryError;
use crate::platform::KernelCosts;
use crate::processor::{Cpu, Priority};

/// Why a system call on a stream failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StreamError {
    /// The peer has not answered for too long.
    #[error("the peer does not answer")]
    Lost,
    /// This side has ended its stream, or has not opened it.
    #[error("the stream is not open for writing")]
    NotOpen,
    /// The driver refuses.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// Memory could not be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// The network of the kernel on one NIC.
pub struct Kernel {
    core: Core,
    buffers: RefCell<Buffers>,
    endpoints: RefCell<BTreeMap<Peer, Rc<Endpoint>>>,
    /// Frames have come, or the NIC has read frames.
    news: Notify,
    has_news: Cell<bool>,
}

impl Kernel {
    /// The service's entry in the list of services.
    pub const ENTRY: ServiceEntry = ServiceEntry {
        personality: PERSONALITY,
        counters: COUNTERS,
        request: None,
        make: |core, reply| {
            let FramesReply { sends, receives } = reply.section()?;
            let sends = reply.place("sends", sends, (RING_ENTRIES * SEND_ENTRY_BYTES) as usize, 4)?;
            let receives = reply.place("receives", receives, (RING_ENTRIES * RECEIVE_ENTRY_BYTES) as usize, 4)?;
            Ok(Rc::new(Kernel {
                core: core.clone(),
                buffers: RefCell::new(Buffers::new(core.context.clone(), sends, receives)?),
                endpoints: RefCell::default(),
                news: Notify::new(),
                has_news: Cell::new(false),
            }))
        },
    };

    fn context(&self) -> &Rc<Context> {
        &self.core.context
    }

    fn costs(&self) -> &KernelCosts {
        &self.context().platform().kernel
    }

    // ---- System calls ---------------------------------------------------------------------------

    /// Opens an end of a stream. Both ends are opened alike: the first segment finds the other end,
    /// or comes again until there is one.
    pub async fn open_stream(self: Rc<Self>, cpu: &Cpu, peer: Peer) {
        self.context().system_call(cpu).await;
        let endpoint = Rc::new(Endpoint::new(peer, self.costs().window_bytes));
        self.endpoints.borrow_mut().insert(peer, endpoint.clone());
        let sim = self.context().sim().clone();
        sim.spawn("stream timer", self.clone().run_timer(endpoint));
    }

    fn endpoint(&self, peer: Peer) -> Result<Rc<Endpoint>, StreamError> {
        let endpoint = self.endpoints.borrow().get(&peer).cloned().ok_or(StreamError::NotOpen)?;
        match endpoint.is_lost.get() {
            true => Err(StreamError::Lost),
            false => Ok(endpoint),
        }
    }

    /// Copies bytes of a process to a stream, and waits for room.
    ///
    /// # Errors
    /// The stream is not open, or the peer is lost.
    pub async fn send(&self, cpu: &Cpu, pid: Pid, peer: Peer, data: UserVirt, bytes: u32) -> Result<(), StreamError> {
        self.context().system_call(cpu).await;
        let mut done = 0;
        while done < bytes {
            let endpoint = self.endpoint(peer)?;
            let guard = endpoint.lock.acquire().await;
            let room = endpoint.stream.borrow().room();
            if endpoint.stream.borrow().has_ended() {
                return Err(StreamError::NotOpen);
            }
            if room == 0 {
                let woken = endpoint.writable.notified();
                drop(guard);
                woken.await;
                self.wake(cpu).await;
                continue;
            }
            let part = (bytes - done).min(room).min(DATA_BYTES_MAX);
            self.charge_copy(cpu, part).await;
            let mut contents = vec![0; part as usize];
            self.context().memory().borrow_mut().read(pid, data + done, &mut contents)?;
            endpoint.stream.borrow_mut().push(&contents);
            done += part;
            self.output(cpu, &endpoint).await?;
        }
        Ok(())
    }

    /// Waits for bytes of a stream, and copies up to `bytes` of them to a process. 0: the peer has
    /// ended its stream.
    ///
    /// # Errors
    /// The stream is not open, or the peer is lost.
    pub async fn receive(
        &self,
        cpu: &Cpu,
        pid: Pid,
        peer: Peer,
        room: UserVirt,
        bytes: u32,
    ) -> Result<u32, StreamError> {
        self.context().system_call(cpu).await;
        loop {
            let endpoint = self.endpoint(peer)?;
            let guard = endpoint.lock.acquire().await;
            let (unread, has_ended) = {
                let stream = endpoint.stream.borrow();
                (stream.unread(), stream.peer_has_ended())
            };
            if unread == 0 && !has_ended {
                let woken = endpoint.readable.notified();
                drop(guard);
                woken.await;
                self.wake(cpu).await;
                continue;
            }
            let part = unread.min(bytes);
            self.charge_copy(cpu, part).await;
            let contents = endpoint.stream.borrow_mut().pop(part);
            self.context().memory().borrow_mut().write(pid, room, &contents)?;
            if endpoint.stream.borrow().is_due() {
                self.acknowledge(cpu, &endpoint, false).await?;
            }
            return Ok(part);
        }
    }

    /// Ends a stream, and waits until the peer has all of it.
    ///
    /// # Errors
    /// The stream is not open, or the peer is lost.
    pub async fn end_stream(&self, cpu: &Cpu, peer: Peer) -> Result<(), StreamError> {
        self.context().system_call(cpu).await;
        let endpoint = self.endpoint(peer)?;
        let guard = endpoint.lock.acquire().await;
        endpoint.stream.borrow_mut().end();
        self.output(cpu, &endpoint).await?;
        drop(guard);
        endpoint.writable.wait_until(|| endpoint.stream.borrow().is_through() || endpoint.is_lost.get()).await;
        self.endpoint(peer).map(|_| ())
    }

    // ---- Frames out -----------------------------------------------------------------------------

    /// Sends what can go. The caller has the lock of the endpoint.
    async fn output(&self, cpu: &Cpu, endpoint: &Endpoint) -> Result<(), StreamError> {
        while self.buffers.borrow().has_room() {
            let segment = endpoint.stream.borrow_mut().next_segment();
            let Some(mut segment) = segment else { return Ok(()) };
            cpu.charge("segment", Ps::from_ns(self.costs().segment_send_ns)).await;
            endpoint.stream.borrow_mut().acknowledge(&mut segment);
            self.transmit(cpu, endpoint.peer, &segment).await?;
        }
        Ok(())
    }

    /// Sends an acknowledgement. The caller has the lock of the endpoint.
    async fn acknowledge(&self, cpu: &Cpu, endpoint: &Endpoint, asks: bool) -> Result<(), StreamError> {
        if !self.buffers.borrow().has_room() {
            return Ok(());
        }
        cpu.charge("acknowledgement", Ps::from_ns(self.costs().ack_send_ns)).await;
        let mut segment = endpoint.stream.borrow().empty_segment(asks);
        endpoint.stream.borrow_mut().acknowledge(&mut segment);
        self.transmit(cpu, endpoint.peer, &segment).await
    }

    /// Gives a frame to the NIC. Another task may have taken the room meanwhile: then the frame is
    /// lost, and comes again as any lost frame.
    async fn transmit(&self, cpu: &Cpu, peer: Peer, segment: &Segment) -> Result<(), StreamError> {
        let frame = segment.to_frame(self.context().options().node.0, peer);
        let device = self.context().device(cpu)?;
        let entry = {
            let mut buffers = self.buffers.borrow_mut();
            if !buffers.has_room() {
                return Ok(());
            }
            buffers.put(&frame)?
        };
        buffers::post(&device, entry).await;
        Ok(())
    }

    // ---- Frames in ------------------------------------------------------------------------------

    /// The work behind interrupts: takes all frames that have come.
    async fn serve(self: Rc<Self>) {
        let cpu = self.context().cpu("network", Priority::KernelThread);
        loop {
            self.news.wait_until(|| self.has_news.get()).await;
            self.has_news.set(false);
            if self.context().is_over() {
                return;
            }
            if let Err(error) = self.serve_once(&cpu).await {
                if let StreamError::Driver(error) = error {
                    self.context().fail(error);
                }
                return;
            }
        }
    }

    async fn serve_once(&self, cpu: &Cpu) -> Result<(), StreamError> {
        loop {
            let taken = self.buffers.borrow_mut().take()?;
            let Some(frame) = taken else { break };
            self.take_frame(cpu, &frame).await?;
            self.supply(cpu, RING_ENTRIES / 8).await?;
        }
        self.supply(cpu, 1).await?;
        // Room in the ring of frames may have come.
        let endpoints: Vec<_> = self.endpoints.borrow().values().cloned().collect();
        for endpoint in endpoints {
            if let Some(_guard) = endpoint.lock.try_acquire() {
                self.output(cpu, &endpoint).await?;
            }
        }
        Ok(())
    }

    async fn take_frame(&self, cpu: &Cpu, frame: &[u8]) -> Result<(), StreamError> {
        let Some((peer, segment)) = Segment::of_frame(frame) else { return Ok(()) };
        let has_data = !segment.data.is_empty() || segment.has_end;
        let costs = self.costs();
        let span = if has_data { costs.segment_receive_ns } else { costs.ack_receive_ns };
        cpu.charge("segment", Ps::from_ns(span)).await;
        let endpoint = self.endpoints.borrow().get(&peer).cloned();
        let Some(endpoint) = endpoint else { return Ok(()) };
        let _guard = endpoint.lock.acquire().await;
        let is_due = {
            let mut stream = endpoint.stream.borrow_mut();
            stream.take(&segment);
            stream.is_due()
        };
        if has_data {
            endpoint.readable.notify();
        }
        endpoint.writable.notify();
        self.output(cpu, &endpoint).await?;
        if is_due && endpoint.stream.borrow().is_due() {
            self.acknowledge(cpu, &endpoint, false).await?;
        }
        Ok(())
    }

    /// Gives free buffers to the NIC, if there are so many.
    async fn supply(&self, cpu: &Cpu, at_least: u32) -> Result<(), StreamError> {
        let device = self.context().device(cpu)?;
        loop {
            let entries = {
                let mut buffers = self.buffers.borrow_mut();
                if buffers.free() < at_least {
                    return Ok(());
                }
                buffers.give()
            };
            let Some(entries) = entries else { return Ok(()) };
            buffers::supply(&device, entries).await;
        }
    }

    // ---- Time -----------------------------------------------------------------------------------

    /// Sends acknowledgements that wait for data to go with, and repeats what was not acknowledged.
    async fn run_timer(self: Rc<Self>, endpoint: Rc<Endpoint>) {
        let cpu = self.context().cpu("network", Priority::KernelThread);
        let sim = self.context().sim().clone();
        let (tick, interval) = (Ps::from_us(self.costs().ack_delay_us), Ps::from_us(self.costs().retransmit_us));
        let mut owed_before = false;
        loop {
            sim.sleep_for(tick).await;
            let is_current = self.endpoints.borrow().get(&endpoint.peer).is_some_and(|it| Rc::ptr_eq(it, &endpoint));
            if self.context().is_over() || !is_current || endpoint.is_lost.get() {
                return;
            }
            let guard = endpoint.lock.acquire().await;
            let owes = endpoint.stream.borrow().owes();
            if owes && owed_before && self.acknowledge(&cpu, &endpoint, false).await.is_err() {
                return;
            }
            owed_before = owes && !owed_before;
            if endpoint.is_late(sim.now(), interval) {
                if !endpoint.time_out(sim.now(), self.costs().retransmit_limit) {
                    return;
                }
                let is_held = endpoint.stream.borrow().is_held();
                endpoint.stream.borrow_mut().on_timeout();
                let sent = match is_held {
                    true => self.acknowledge(&cpu, &endpoint, true).await,
                    false => Ok(()),
                };
                if sent.and(self.output(&cpu, &endpoint).await).is_err() {
                    return;
                }
            }
            drop(guard);
        }
    }

    async fn wake(&self, cpu: &Cpu) {
        cpu.charge("wake-up", Ps::from_ns(self.costs().wakeup_ns)).await;
    }

    async fn charge_copy(&self, cpu: &Cpu, bytes: u32) {
        let span = self.context().costs().memcpy(bytes) + self.costs().checksum(bytes);
        cpu.charge("copy and checksum", span).await;
    }
}

#[async_trait(?Send)]
impl Service for Kernel {
    fn causes(&self) -> u32 {
        1 << MAILBOX_FRAMES
    }

    fn start(self: Rc<Self>) {
        let sim = self.context().sim().clone();
        self.has_news.set(true);
        sim.spawn("network", self.serve());
    }

    async fn interrupt(&self, interrupt: &Interrupt<'_>) -> Result<(), DriverError> {
        let word = interrupt.device.read(mailbox::TO_HOST.at(MAILBOX_FRAMES)).await?;
        self.buffers.borrow_mut().hear(word);
        self.has_news.set(true);
        self.news.notify();
        Ok(())
    }

    fn own_pins(&self) -> usize {
        self.buffers.borrow().pins()
    }

    fn unpin_own(&self) {
        self.buffers.borrow_mut().unpin();
    }
}
