//! Serving a miss of either cache: the handler queues it, the kernel thread pins and fills (facts
//! M-18, M-25, M-37, M-43). Or the handler fills at once what needs no pin (facts M-19).

use std::rc::Rc;

use nic_layout::cbh::Descriptor;
use nic_layout::registers::mailbox;
use nic_layout::ring::{MAILBOX_FILLED, MAILBOX_MISS};
use nic_layout::tables::{MissEntry, MISS_RING_ENTRIES};
use sim_pins::Ps;

use super::fill::Filler;
use super::miss_event::{Cache, MissEvent};
use super::nic_caches::NicCaches;
use crate::driver::core::device::Device;
use crate::driver::core::error::DriverError;
use crate::driver::core::options::MissService;
use crate::driver::core::service::{Core, Interrupt};
use crate::driver::rdma::buffers::Buffers;
use crate::events::EventKind;
use crate::executor::{Channel, LockGuard};
use crate::load::Draw;
use crate::processor::{Cpu, Priority};

/// What the thread finds in its queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Fill,
    /// The buffer is registered.
    FillBuffer(Descriptor),
    /// It is not (facts M-43), or its process is gone.
    Deny,
    /// The process is gone.
    Release,
    /// The line has been taken away.
    Stale,
}

/// The misses of one NIC.
pub struct Misses {
    core: Core,
    nic: Rc<NicCaches>,
    buffers: Rc<Buffers>,
    filler: Filler,
    queue: Channel<MissEvent>,
}

impl Misses {
    pub fn new(core: &Core, nic: Rc<NicCaches>, buffers: Rc<Buffers>, filler: Filler) -> Misses {
        Misses { core: core.clone(), nic, buffers, filler, queue: Channel::default() }
    }

    /// In the handler: reads the new entries of the ring, each word once, and wakes the thread, or
    /// serves them.
    pub async fn take(&self, interrupt: &Interrupt<'_>) -> Result<(), DriverError> {
        let Interrupt { cpu, device, asserted_at, handler_at, .. } = *interrupt;
        let (context, ledger) = (&self.core.context, &self.nic.ledger);
        let producer = device.read(mailbox::TO_HOST.at(MAILBOX_MISS)).await?;
        let rings = context.layout()?.rings()?;
        // Free-running, and the firmware may keep 16 bits of it: the low ones decide.
        let new = (producer.wrapping_sub(ledger.taken()) & 0xFFFF) as u16;
        if u32::from(new) + ledger.unserved() > MISS_RING_ENTRIES {
            context.count(|counts| counts.rejected_producers += 1);
            return Ok(());
        }
        for _ in 0..new {
            let index = ledger.taken();
            let entry: MissEntry = device.read_struct(rings.miss_entry(index)).await?;
            ledger.take();
            let mut event = MissEvent::judge(&entry, index, &self.nic.layout);
            let Some(cache) = event.cache else {
                context.count(|counts| counts.rejected_entries += 1);
                // Its place in the ring is given back in turn, with nothing done.
                self.queue.send(event);
                continue;
            };
            context.count(|counts| counts.misses += 1);
            event.repeated = ledger.begin(cache, event.line);
            let subject = event.subject();
            context.record(asserted_at, subject.note(EventKind::InterruptAsserted));
            context.record(handler_at, subject.note(EventKind::HandlerStart));
            context.note(subject, EventKind::MissRead);
            match self.may_serve_now(&event, cache) {
                Some(lock) => {
                    self.serve_holding(&lock, cpu, device, event, cache).await?;
                    context.count(|counts| counts.served_in_interrupt += 1);
                    self.report_served(device, &event).await;
                }
                None => self.queue.send(event),
            }
        }
        Ok(())
    }

    /// For the handler, which cannot wait: the lock, if it is free, all misses before have been
    /// served, and this one needs no pin.
    fn may_serve_now(&self, event: &MissEvent, cache: Cache) -> Option<LockGuard> {
        let (context, pins) = (&self.core.context, &self.core.pins);
        if context.options().miss_service != MissService::Interrupt || self.nic.ledger.served() != event.index {
            return None;
        }
        if cache == Cache::Vmh && !pins.missing(event.pid(), &event.pages(&self.nic.layout)).pages.is_empty() {
            return None;
        }
        self.nic.lock.try_acquire()
    }

    pub fn spawn_thread(self: Rc<Self>) {
        let sim = self.core.context.sim().clone();
        sim.spawn("miss thread", async move {
            if let Err(error) = self.serve_all().await {
                self.core.context.fail(error);
            }
        });
    }

    async fn serve_all(&self) -> Result<(), DriverError> {
        let context = &self.core.context;
        let cpu = context.cpu("miss thread", Priority::KernelThread);
        let device = context.device(&cpu)?;
        let delay = Ps::from_ns(context.costs().irq_to_thread_ns);
        let options = context.options();
        let mut draw = Draw::new(options.seed, options.node.0.into());
        loop {
            self.queue.filled().await;
            match options.load {
                None => context.sim().sleep_for(delay).await,
                Some(load) => {
                    context.sim().sleep_for(draw.around(delay, load.thread_spread)).await;
                    // A processor that is in the kernel for a program cannot be taken.
                    cpu.charge("switch", Ps::from_ns(1)).await;
                }
            }
            // It goes on without a new delay for what came meanwhile.
            let mut started = Some(context.sim().now());
            while let Some(event) = self.queue.try_receive() {
                self.serve(&cpu, &device, event, started.take()).await?;
            }
        }
    }

    async fn serve(
        &self,
        cpu: &Cpu,
        device: &Device,
        event: MissEvent,
        started: Option<Ps>,
    ) -> Result<(), DriverError> {
        let subject = event.subject();
        if let Some(cache) = event.cache {
            let lock = self.nic.lock.acquire().await;
            if let Some(started) = started {
                self.core.context.record(started, subject.note(EventKind::ThreadStart));
            }
            self.serve_holding(&lock, cpu, device, event, cache).await?;
        }
        self.report_served(device, &event).await;
        Ok(())
    }

    async fn serve_holding(
        &self,
        _lock: &LockGuard,
        cpu: &Cpu,
        device: &Device,
        event: MissEvent,
        cache: Cache,
    ) -> Result<(), DriverError> {
        let (context, ledger) = (&self.core.context, &self.nic.ledger);
        context.note(event.subject(), EventKind::ServiceStart);
        cpu.charge("miss service", Ps::from_ns(context.costs().miss_service_ns)).await;
        let verdict = self.verdict(device, &event, cache).await?;
        match verdict {
            Verdict::Fill => self.filler.fill(cpu, device, &event).await?,
            Verdict::FillBuffer(descriptor) => self.filler.fill_buffer(device, &event, &descriptor).await,
            Verdict::Deny => self.filler.deny(device, &event).await,
            Verdict::Release => self.filler.release(device, &event).await,
            Verdict::Stale => context.count(|counts| counts.stale += 1),
        }
        if ledger.is_suspect(&event, cache) && verdict != Verdict::Stale {
            // The line may have been reserved anew for the same key, and this was the answer to
            // that: a later entry says so again.
            self.nic.suspect(cpu, cache, event.key).await?;
        }
        ledger.settle(&event, cache);
        Ok(())
    }

    /// The firmware gives the entry's place in the ring back, and looks which frames waited.
    async fn report_served(&self, device: &Device, event: &MissEvent) {
        let served = self.nic.ledger.serve(event);
        let note = event.cache.map(|_| event.subject().note(EventKind::ServedWritten));
        device.write_noted(mailbox::TO_NIC.at(MAILBOX_FILLED), served, note).await;
    }

    async fn verdict(&self, device: &Device, event: &MissEvent, cache: Cache) -> Result<Verdict, DriverError> {
        if event.repeated || self.nic.ledger.is_suspect(event, cache) {
            let waits = match cache {
                Cache::Vmh => self.filler.line_waits(device, event).await?,
                Cache::Cbh => self.filler.buffer_waits(device, event).await?,
            };
            if !waits {
                return Ok(Verdict::Stale);
            }
        }
        Ok(match cache {
            Cache::Vmh if self.core.pins.has(event.pid()) => Verdict::Fill,
            Cache::Vmh => Verdict::Release,
            Cache::Cbh => self.buffers.get(event.key).map_or(Verdict::Deny, Verdict::FillBuffer),
        })
    }

    /// Counts that do not add up (INV-38), in words.
    pub fn unbalanced(&self) -> Option<String> {
        let counts = self.core.context.counts();
        let ended = counts.fills + counts.buffer_fills + counts.denials + counts.releases + counts.stale;
        let (misses, under_way) = (counts.misses, self.nic.ledger.under_way());
        (misses != ended + under_way).then(|| format!("INV-38: {misses} misses, {ended} ended, {under_way} under way"))
    }
}
