//! Serving a miss of either cache: the handler queues it, the kernel thread pins and fills (facts M-18, M-25, M-37, M-43). Or the handler fills at
//! once what needs no pin (facts M-19).

use nic_layout::cbh::{self, cbh_id, cbh_pid, Descriptor};
use nic_layout::registers::mailbox;
use nic_layout::ring::MAILBOX_FILLED;
use nic_layout::tables::{MissEntry, MISS_BUFFER, MISS_RECEIVE, MISS_RING_ENTRIES, MISS_SEND};
use nic_layout::vmh::{key_line_page, key_pid, KEY_RESERVED, KEY_STATE_MASK, NO_TRANSLATION};
use nic_lookup::{cbh_deny_word, cbh_fill_words, fill_words, release_words};
use sim_pins::Ps;

use super::device::Device;
use super::error::DriverError;
use super::layout::{Caches, LookupLayout, NicLayout};
use super::{Driver, DriverPlant, MissService};
use crate::address::{Pid, SramAddr, VirtPage};
use crate::events::{EventKind, Subject};
use crate::executor::LockGuard;
use crate::load::Draw;
use crate::processor::{Cpu, Priority};

/// A cache of the NIC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Cache {
    Vmh,
    Cbh,
}

/// An entry of the miss ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MissEvent {
    /// Free-running index in the ring.
    index: u32,
    /// `None`: it makes no sense. Otherwise the line exists in this cache, is of the right set, and waits for this key.
    cache: Option<Cache>,
    key: u32,
    line: u32,
    /// Another entry for this line is not served yet: an honest NIC does so only after an invalidation.
    repeated: bool,
}

/// A key that was invalidated while entries up to `producer` were in the ring: those may have lost their line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Suspect {
    pub cache: Cache,
    pub key: u32,
    pub producer: u32,
}

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

impl MissEvent {
    /// Judges an entry as the NIC wrote it.
    fn judge(entry: &MissEntry, index: u32, layout: &NicLayout) -> MissEvent {
        let MissEntry { key, line, kind, .. } = *entry;
        let LookupLayout::Mini(layout) = layout.lookup else {
            // Who has no caches does not miss.
            return MissEvent { index, cache: None, key, line, repeated: false };
        };
        let cache = match kind {
            MISS_SEND | MISS_RECEIVE => {
                let (page, geometry) = (key_line_page(key), layout.geometry);
                let possible = key & KEY_STATE_MASK == KEY_RESERVED
                    && key_pid(key) != 0
                    && geometry.line_page(page) == page
                    && line < geometry.lines()
                    && line / geometry.ways == geometry.set_of(page);
                possible.then_some(Cache::Vmh)
            }
            MISS_BUFFER => {
                // Whatever process and buffer: the word is from the network.
                let geometry = layout.cbh_geometry;
                let possible = line < geometry.entries && line / geometry.ways == geometry.set_of(key);
                possible.then_some(Cache::Cbh)
            }
            _ => None,
        };
        MissEvent { index, cache, key, line, repeated: false }
    }

    fn pid(&self) -> Pid {
        Pid(key_pid(self.key))
    }

    fn first_page(&self) -> VirtPage {
        VirtPage(key_line_page(self.key))
    }

    fn subject(&self) -> Subject {
        Subject::Miss { number: self.index.into(), key: self.key }
    }
}

impl Driver {
    /// In the handler: reads the new entries of the ring, each word once, and wakes the thread, or serves them.
    pub(super) async fn take_misses(
        &self,
        cpu: &Cpu,
        device: &Device,
        producer: u32,
        asserted_at: Ps,
        handler_at: Ps,
    ) -> Result<(), DriverError> {
        let layout = self.layout()?;
        // Free-running, and the firmware may keep 16 bits of it: the low ones decide.
        let new = (producer.wrapping_sub(self.0.taken.get()) & 0xFFFF) as u16;
        let unserved = self.misses_outstanding();
        if u32::from(new) + unserved > MISS_RING_ENTRIES {
            self.count(|counts| counts.rejected_producers += 1);
            return Ok(());
        }
        for _ in 0..new {
            let index = self.0.taken.get();
            let entry: MissEntry = device.read_struct(layout.miss_entry(index)).await?;
            self.0.taken.set(index.wrapping_add(1));
            let mut event = MissEvent::judge(&entry, index, &layout);
            let Some(cache) = event.cache else {
                self.count(|counts| counts.rejected_entries += 1);
                // Its place in the ring is given back in turn, with nothing done.
                self.0.miss_queue.send(event);
                continue;
            };
            self.count(|counts| counts.misses += 1);
            {
                let mut state = self.0.state.borrow_mut();
                let outstanding = state.outstanding.entry((cache, event.line)).or_default();
                *outstanding += 1;
                event.repeated = *outstanding > 1;
            }
            let subject = event.subject();
            self.0.log.record(asserted_at, subject.note(EventKind::InterruptAsserted));
            self.0.log.record(handler_at, subject.note(EventKind::HandlerStart));
            self.note(subject, EventKind::MissRead);
            match self.may_serve_now(&event, cache) {
                Some(lines) => {
                    self.serve_holding(&lines, cpu, device, event, cache).await?;
                    self.count(|counts| counts.served_in_interrupt += 1);
                    self.report_served(device, &event).await;
                }
                None => self.0.miss_queue.send(event),
            }
        }
        Ok(())
    }

    /// For the handler, which cannot wait: the lock, if it is free, all misses before have been served, and this one needs no pin.
    fn may_serve_now(&self, event: &MissEvent, cache: Cache) -> Option<LockGuard> {
        if self.0.options.miss_service != MissService::Interrupt || self.0.served.get() != event.index {
            return None;
        }
        let state = self.0.state.borrow();
        if let (Cache::Vmh, Some(table)) = (cache, state.tables.get(&event.pid())) {
            let first = event.first_page().0;
            let pages = (first..first + self.layout().ok()?.caches().ok()?.geometry.line_entries).map(VirtPage);
            if !table.missing(&self.0.memory.borrow(), pages).is_empty() {
                return None;
            }
        }
        self.0.lines.try_acquire()
    }

    pub(super) fn spawn_miss_thread(&self) {
        let driver = self.clone();
        self.0.sim.spawn("miss thread", async move {
            if let Err(error) = driver.serve_misses().await {
                driver.fail(error);
            }
        });
    }

    async fn serve_misses(&self) -> Result<(), DriverError> {
        let cpu = self.cpu("miss thread", Priority::KernelThread);
        let device = self.device(&cpu)?;
        let delay = Ps::from_ns(self.0.platform.host.irq_to_thread_ns);
        let load = self.0.options.load;
        let mut draw = Draw::new(self.0.options.seed, self.0.options.node.0.into());
        loop {
            self.0.miss_queue.filled().await;
            match load {
                None => self.0.sim.sleep_for(delay).await,
                Some(load) => {
                    self.0.sim.sleep_for(draw.around(delay, load.thread_spread)).await;
                    // A processor that is in the kernel for a program cannot be taken.
                    cpu.charge("switch", Ps::from_ns(1)).await;
                }
            }
            // It goes on without a new delay for what came meanwhile.
            let mut started = Some(self.0.sim.now());
            while let Some(event) = self.0.miss_queue.try_receive() {
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
            let lines = self.0.lines.acquire().await;
            if let Some(started) = started {
                self.0.log.record(started, subject.note(EventKind::ThreadStart));
            }
            self.serve_holding(&lines, cpu, device, event, cache).await?;
        }
        self.report_served(device, &event).await;
        Ok(())
    }

    async fn serve_holding(
        &self,
        _lines: &LockGuard,
        cpu: &Cpu,
        device: &Device,
        event: MissEvent,
        cache: Cache,
    ) -> Result<(), DriverError> {
        self.note(event.subject(), EventKind::ServiceStart);
        cpu.charge("miss service", Ps::from_ns(self.0.platform.host.miss_service_ns)).await;
        let verdict = self.verdict(device, &event, cache).await?;
        match verdict {
            Verdict::Fill => self.fill(cpu, device, &event).await?,
            Verdict::FillBuffer(descriptor) => self.fill_buffer(device, &event, &descriptor).await?,
            Verdict::Deny => self.deny(device, &event).await?,
            Verdict::Release => self.release(device, &event).await?,
            Verdict::Stale => self.count(|counts| counts.stale += 1),
        }
        if self.is_suspect(&event, cache) && verdict != Verdict::Stale {
            // The line may have been reserved anew for the same key, and this was the answer to that: a later entry says so again.
            self.suspect(cpu, cache, event.key).await?;
        }
        self.settle(&event, cache);
        Ok(())
    }

    /// The firmware gives the entry's place in the ring back, and looks who waited.
    async fn report_served(&self, device: &Device, event: &MissEvent) {
        let served = event.index.wrapping_add(1);
        self.0.served.set(served);
        let note = event.cache.map(|_| event.subject().note(EventKind::ServedWritten));
        device.write_noted(mailbox::TO_NIC.at(MAILBOX_FILLED), served, note).await;
    }

    async fn verdict(&self, device: &Device, event: &MissEvent, cache: Cache) -> Result<Verdict, DriverError> {
        if event.repeated || self.is_suspect(event, cache) {
            let waits = match cache {
                Cache::Vmh => self.line_waits(device, event).await?,
                Cache::Cbh => self.buffer_waits(device, event).await?,
            };
            if !waits {
                return Ok(Verdict::Stale);
            }
        }
        let state = self.0.state.borrow();
        Ok(match cache {
            Cache::Vmh if state.tables.contains_key(&event.pid()) => Verdict::Fill,
            Cache::Vmh => Verdict::Release,
            Cache::Cbh => {
                let table = state.buffers.get(&Pid(cbh_pid(event.key)));
                let found = table.and_then(|table| table.get(cbh_id(event.key)));
                found.map_or(Verdict::Deny, Verdict::FillBuffer)
            }
        })
    }

    /// Whether the line is still reserved for this miss.
    async fn line_waits(&self, device: &Device, event: &MissEvent) -> Result<bool, DriverError> {
        let layout = self.layout()?.caches()?;
        Ok(device.read_sram(layout.vmh_cache + layout.geometry.key_offset(event.line)).await? == event.key)
    }

    /// The same of an entry of the CBH cache.
    async fn buffer_waits(&self, device: &Device, event: &MissEvent) -> Result<bool, DriverError> {
        let layout = self.layout()?.caches()?;
        let at = layout.cbh_cache + layout.cbh_geometry.entry_offset(event.line);
        let word = device.read_sram(at + cbh::entry::CBH).await?;
        let state = device.read_sram(at + cbh::entry::STATE).await?;
        Ok(word == event.key && state & cbh::STATE_MASK == cbh::STATE_RESERVED)
    }

    fn is_suspect(&self, event: &MissEvent, cache: Cache) -> bool {
        let state = self.0.state.borrow();
        let mut suspects = state.suspects.iter();
        suspects
            .any(|suspect| (suspect.cache, suspect.key) == (cache, event.key) && before(event.index, suspect.producer))
    }

    /// The entry is done with: its line, and suspicions that concern no later entry, are forgotten.
    fn settle(&self, event: &MissEvent, cache: Cache) {
        let mut state = self.0.state.borrow_mut();
        if let Some(count) = state.outstanding.get_mut(&(cache, event.line)) {
            *count -= 1;
            if *count == 0 {
                state.outstanding.remove(&(cache, event.line));
            }
        }
        let next = event.index.wrapping_add(1);
        state.suspects.retain(|suspect| before(next, suspect.producer));
    }

    async fn fill(&self, cpu: &Cpu, device: &Device, event: &MissEvent) -> Result<(), DriverError> {
        let (subject, layout) = (event.subject(), self.layout()?.caches()?);
        let pages = event.first_page().0..event.first_page().0 + layout.geometry.line_entries;
        let pages: Vec<VirtPage> = pages.map(VirtPage).collect();
        if self.pin_for(cpu, event.pid(), &pages, Some(subject)).await? == 0 {
            self.count(|counts| counts.table_hits += 1);
        }
        self.note(subject, EventKind::FillStart);
        let words = self.line_words(&layout, event);
        // From now on the NIC may use these pages.
        if let Some(shadow) = &mut self.0.state.borrow_mut().shadow {
            shadow.filled(event.line, event.pid(), event.first_page());
        }
        let mut rest = &words[..];
        while let Some((offset, _)) = rest.first() {
            let run = rest.iter().zip(0..).take_while(|((other, _), n)| *other == offset + 4 * n).count();
            let (burst, behind) = rest.split_at(run);
            let values: Vec<u32> = burst.iter().map(|(_, value)| *value).collect();
            let note = behind.is_empty().then(|| subject.note(EventKind::LineValid));
            device.write_sram_noted(layout.vmh_cache + *offset, &values, note).await;
            rest = behind;
        }
        self.note(subject, EventKind::FillIssued);
        self.count(|counts| counts.fills += 1);
        Ok(())
    }

    /// One burst of ascending words, the state last; before it the upper half of a key of 128 bits.
    async fn fill_buffer(
        &self,
        device: &Device,
        event: &MissEvent,
        descriptor: &Descriptor,
    ) -> Result<(), DriverError> {
        let (subject, layout) = (event.subject(), self.layout()?.caches()?);
        self.note(subject, EventKind::FillStart);
        self.answered(event);
        let words: Vec<(u32, u32)> = cbh_fill_words(layout.cbh_geometry, event.line, descriptor).collect();
        let (upper, rest) = words.split_at(layout.cbh_geometry.key.words() - 2);
        let values = |words: &[(u32, u32)]| words.iter().map(|(_, value)| *value).collect::<Vec<u32>>();
        if let Some((offset, _)) = upper.first() {
            device.write_sram(layout.cbh_cache + *offset, &values(upper)).await;
        }
        let note = subject.note(EventKind::LineValid);
        device.write_sram_noted(layout.cbh_cache + rest[0].0, &values(rest), Some(note)).await;
        self.note(subject, EventKind::FillIssued);
        self.count(|counts| counts.buffer_fills += 1);
        Ok(())
    }

    /// Leaves a negative entry: frames that name the buffer are refused, and the driver is not asked again.
    async fn deny(&self, device: &Device, event: &MissEvent) -> Result<(), DriverError> {
        let layout = self.layout()?.caches()?;
        self.answered(event);
        let (offset, value) = cbh_deny_word(layout.cbh_geometry, event.line);
        let note = event.subject().note(EventKind::BufferDenied);
        if self.0.options.plant != Some(DriverPlant::ReserveLeak) {
            device.write_sram_noted(layout.cbh_cache + offset, &[value], Some(note)).await;
        }
        self.count(|counts| counts.denials += 1);
        Ok(())
    }

    fn answered(&self, event: &MissEvent) {
        if let Some(shadow) = &mut self.0.state.borrow_mut().cbh_shadow {
            shadow.answered(event.line, event.key);
        }
    }

    /// What fills the line, in order. The process is there: closing it takes the same lock as the fill.
    fn line_words(&self, layout: &Caches, event: &MissEvent) -> Vec<(u32, u32)> {
        let state = self.0.state.borrow();
        let table = state.tables.get(&event.pid());
        let entry = |page| {
            let target = table.and_then(|table| table.get(VirtPage(page)));
            target.map_or(NO_TRANSLATION, |target| target.0)
        };
        fill_words(layout.geometry, event.line, event.key, entry).collect()
    }

    async fn release(&self, device: &Device, event: &MissEvent) -> Result<(), DriverError> {
        let layout = self.layout()?.caches()?;
        let (offset, value) = release_words(layout.geometry, event.line);
        if let Some(shadow) = &mut self.0.state.borrow_mut().shadow {
            shadow.forget_line(event.line);
        }
        let address: SramAddr = layout.vmh_cache + offset;
        let note = event.subject().note(EventKind::LineReleased);
        device.write_sram_noted(address, &[value], Some(note)).await;
        self.count(|counts| counts.releases += 1);
        Ok(())
    }

    /// Pins those of `pages` that exist and are not pinned, after making room below the high water mark. Gives how many
    /// there were. `subject`: the miss of their line, which the NIC has reserved for it.
    pub(super) async fn pin_for(
        &self,
        cpu: &Cpu,
        pid: Pid,
        pages: &[VirtPage],
        subject: Option<Subject>,
    ) -> Result<usize, DriverError> {
        let costs = &self.0.platform.host;
        let (missing, fresh) = {
            let (state, memory) = (self.0.state.borrow(), self.0.memory.borrow());
            let table = state.tables.get(&pid);
            let missing = table.map_or_else(Vec::new, |table| table.missing(&memory, pages.iter().copied()));
            let fresh = missing.iter().filter(|page| !memory.is_resident(pid, **page)).count();
            (missing, fresh as u64)
        };
        if missing.is_empty() {
            return Ok(0);
        }
        let unpinned = match self.nic_fetches() {
            true => self.make_room_by_lines(cpu, pid, missing.len(), pages).await?,
            false => self.make_room(pid, missing.len(), pages),
        };
        if unpinned > 0 {
            let span = costs.unpin_call_ns + u64::from(unpinned) * costs.unpin_page_ns;
            cpu.charge("unpin", Ps::from_ns(span)).await;
        }
        let note = |kind| subject.into_iter().for_each(|subject| self.note(subject, kind));
        note(EventKind::PinStart);
        let span = Ps::from_ns(costs.pin_call_ns + missing.len() as u64 * costs.pin_page_ns);
        let fill = self.0.options.load.map_or(Ps::ZERO, |load| Ps(load.page_fill.0 * fresh));
        cpu.charge("pin", span + fill).await;
        {
            let mut state = self.0.state.borrow_mut();
            if let Some(table) = state.tables.get_mut(&pid) {
                // Another task of the driver may have pinned some meanwhile.
                let mut memory = self.0.memory.borrow_mut();
                let missing = table.missing(&memory, missing.iter().copied());
                let pinned = table.pin(&mut memory, &missing);
                self.count(|counts| counts.pin_failures += u64::from(pinned.failed));
            }
        }
        note(EventKind::PinEnd);
        if self.nic_fetches() {
            self.enter_pinned(cpu, pid, &missing, subject.is_none()).await?;
        }
        Ok(pages.len())
    }

    /// Unpins down to the low water mark when `more` pages would pass the high one. Gives how many pages went.
    fn make_room(&self, pid: Pid, more: usize, keep: &[VirtPage]) -> u32 {
        let costs = &self.0.platform.host;
        let mut state = self.0.state.borrow_mut();
        let state = &mut *state;
        let (Some(table), Some(shadow)) = (state.tables.get_mut(&pid), &state.shadow) else {
            return 0;
        };
        if table.len() + more <= costs.pinned_pages_high as usize {
            return 0;
        }
        let target = (costs.pinned_pages_low as usize).saturating_sub(more);
        let mut memory = self.0.memory.borrow_mut();
        let keeps_cached = self.0.options.plant != Some(DriverPlant::UnpinCached);
        let is_kept = |page| keep.contains(&page) || (keeps_cached && shadow.may_hold(pid, page));
        let unpinned = table.unpin_down_to(&mut memory, target, is_kept);
        self.count(|counts| counts.replaced_pages += u64::from(unpinned));
        unpinned
    }
}

/// Free-running indices: `a` is before `b`, less than half a lap away.
fn before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}
