//! Answers to a miss: the words that fill a line or an entry of the NIC's caches, or give it back
//! (facts M-25, M-37, M-43).

use std::rc::Rc;

use nic_layout::cbh::{self, Descriptor};
use nic_layout::vmh::NO_TRANSLATION;
use nic_lookup::{cbh_deny_word, cbh_fill_words, fill_words, release_words};

use super::miss_event::MissEvent;
use super::nic_caches::NicCaches;
use crate::address::VirtPage;
use crate::driver::core::device::Device;
use crate::driver::core::error::DriverError;
use crate::driver::core::options::DriverPlant;
use crate::driver::core::registration::{Registration, Use};
use crate::driver::core::service::Core;
use crate::events::EventKind;
use crate::processor::Cpu;

/// Fills the caches of one NIC. Callers hold the lock of the caches.
pub struct Filler {
    core: Core,
    nic: Rc<NicCaches>,
    registration: Rc<dyn Registration>,
}

impl Filler {
    pub fn new(core: &Core, nic: Rc<NicCaches>, registration: Rc<dyn Registration>) -> Filler {
        Filler { core: core.clone(), nic, registration }
    }

    /// The line gets the translations of its pages.
    pub async fn fill(&self, cpu: &Cpu, device: &Device, event: &MissEvent) -> Result<(), DriverError> {
        let (context, layout, subject) = (&self.core.context, &self.nic.layout, event.subject());
        let pages = event.pages(layout);
        if !self.registration.acquire(cpu, event.pid(), &pages, Use::Miss(subject)).await? {
            context.count(|counts| counts.table_hits += 1);
        }
        context.note(subject, EventKind::FillStart);
        let words = self.line_words(event);
        // From now on the NIC may use these pages.
        self.nic.lines.borrow_mut().filled(event.line, event.pid(), event.first_page());
        let mut rest = &words[..];
        while let Some((offset, _)) = rest.first() {
            let run = rest.iter().zip(0..).take_while(|((other, _), n)| *other == offset + 4 * n).count();
            let (burst, behind) = rest.split_at(run);
            let values: Vec<u32> = burst.iter().map(|(_, value)| *value).collect();
            let note = behind.is_empty().then(|| subject.note(EventKind::LineValid));
            device.write_sram_noted(layout.vmh_cache + *offset, &values, note).await;
            rest = behind;
        }
        context.note(subject, EventKind::FillIssued);
        context.count(|counts| counts.fills += 1);
        Ok(())
    }

    /// What fills the line, in order. The process is there: closing it takes the same lock as the
    /// fill.
    fn line_words(&self, event: &MissEvent) -> Vec<(u32, u32)> {
        let entry = |page| {
            let target = self.core.pins.get(event.pid(), VirtPage(page));
            target.map_or(NO_TRANSLATION, |target| target.0)
        };
        fill_words(self.nic.layout.geometry, event.line, event.key, entry).collect()
    }

    /// The entry gets a descriptor: one burst of ascending words, the state last; before it the
    /// upper half of a key of 128 bits.
    pub async fn fill_buffer(&self, device: &Device, event: &MissEvent, descriptor: &Descriptor) {
        let (context, layout, subject) = (&self.core.context, &self.nic.layout, event.subject());
        context.note(subject, EventKind::FillStart);
        self.nic.buffers.borrow_mut().answered(event.line, event.key);
        let words: Vec<(u32, u32)> = cbh_fill_words(layout.cbh_geometry, event.line, descriptor).collect();
        let (upper, rest) = words.split_at(layout.cbh_geometry.key.words() - 2);
        let values = |words: &[(u32, u32)]| words.iter().map(|(_, value)| *value).collect::<Vec<u32>>();
        if let Some((offset, _)) = upper.first() {
            device.write_sram(layout.cbh_cache + *offset, &values(upper)).await;
        }
        let note = subject.note(EventKind::LineValid);
        device.write_sram_noted(layout.cbh_cache + rest[0].0, &values(rest), Some(note)).await;
        context.note(subject, EventKind::FillIssued);
        context.count(|counts| counts.buffer_fills += 1);
    }

    /// Leaves a negative entry: frames that name the buffer are refused, and the driver is not
    /// asked again.
    pub async fn deny(&self, device: &Device, event: &MissEvent) {
        let (context, layout) = (&self.core.context, &self.nic.layout);
        self.nic.buffers.borrow_mut().answered(event.line, event.key);
        let (offset, value) = cbh_deny_word(layout.cbh_geometry, event.line);
        let note = event.subject().note(EventKind::BufferDenied);
        if context.options().plant != Some(DriverPlant::ReserveLeak) {
            device.write_sram_noted(layout.cbh_cache + offset, &[value], Some(note)).await;
        }
        context.count(|counts| counts.denials += 1);
    }

    /// Gives the line back without translations: its process has ended.
    pub async fn release(&self, device: &Device, event: &MissEvent) {
        let layout = &self.nic.layout;
        let (offset, value) = release_words(layout.geometry, event.line);
        self.nic.lines.borrow_mut().forget_line(event.line);
        let note = event.subject().note(EventKind::LineReleased);
        device.write_sram_noted(layout.vmh_cache + offset, &[value], Some(note)).await;
        self.core.context.count(|counts| counts.releases += 1);
    }

    /// Whether the line is still reserved for this miss.
    pub async fn line_waits(&self, device: &Device, event: &MissEvent) -> Result<bool, DriverError> {
        let layout = &self.nic.layout;
        Ok(device.read_sram(layout.vmh_cache + layout.geometry.key_offset(event.line)).await? == event.key)
    }

    /// The same of an entry of the CBH cache.
    pub async fn buffer_waits(&self, device: &Device, event: &MissEvent) -> Result<bool, DriverError> {
        let layout = &self.nic.layout;
        let at = layout.cbh_cache + layout.cbh_geometry.entry_offset(event.line);
        let word = device.read_sram(at + cbh::entry::CBH).await?;
        let state = device.read_sram(at + cbh::entry::STATE).await?;
        Ok(word == event.key && state & cbh::STATE_MASK == cbh::STATE_RESERVED)
    }
}
