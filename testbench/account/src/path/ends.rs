//! Both ends of a way: the post, and what the waiting process sees.

use host_model::events::EventKind;
use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::way::{PathError, Way};
use crate::account::Clock;
use crate::log::Probe;

impl Way<'_> {
    /// From the call of the library to the doorbell's event on the core.
    pub(super) fn post(&mut self) -> Result<(), PathError> {
        let (journey, node) = (self.journey, self.journey.sender);
        let log = journey.logs[node];
        let event = |kind| log.post(journey.message, kind).ok_or_else(|| journey.missing(&format!("no {kind:?}")));
        let (issued, descriptor, doorbell) =
            (event(EventKind::PioIssued)?, event(EventKind::DescriptorWritten)?, event(EventKind::DoorbellWritten)?);
        let pending =
            log.first_pulse(Probe::Doorbell, descriptor).ok_or_else(|| journey.missing("the doorbell set no event"))?;
        self.mark(self.begin, node, Clock::Host, "library: descriptor");
        // The stores leave the processor while the bus already carries the first of them.
        self.mark(issued.min(descriptor), node, Clock::Pci, "PIO: descriptor");
        self.mark(descriptor, node, Clock::Pci, "PIO: doorbell");
        self.mark(doorbell.min(pending), node, Clock::Core, "doorbell: to the core's clock");
        self.mark(pending, node, Clock::Core, "event waits");
        Ok(())
    }

    /// From the posted DMA to the process that sees the bytes.
    pub(super) fn arrival(&mut self) -> Result<(), PathError> {
        let (journey, node) = (self.journey, self.journey.receiver);
        let log = journey.logs[node];
        let posted = log
            .markers(self.last(), self.end)
            .find(|(_, marker, _)| *marker == Marker::DmaWritePosted)
            .map(|(at, ..)| at)
            .ok_or_else(|| journey.missing("no DmaWritePosted of its last frame"))?;
        let written = log
            .arrival(journey.message, EventKind::ArrivalWritten)
            .ok_or_else(|| journey.missing("no ArrivalWritten"))?;
        // Transfers end in order, and one may begin while the one before it is on the bus: its own begins then.
        let ended = log.pulses(Probe::DmaWriteDone, written);
        let start = log
            .pulse(Probe::DmaWriteStart, ended)
            .max(log.last_pulse(Probe::DmaWriteDone, written))
            .filter(|at| *at <= written && (*at >= posted || *at >= self.last()))
            .ok_or_else(|| journey.missing("no host-write DMA began before its arrival"))?;
        self.mark(posted.min(start), node, Clock::Core, "DMA write: waits");
        self.mark(start, node, Clock::Pci, "DMA write: transfer");
        self.mark(written, node, Clock::Host, "process polls");
        Ok(())
    }

    /// From the posted DMA of a read's last bytes to the process that sees the end of the read in
    /// its status page. The DMA engine writes the status page behind the data.
    pub(super) fn status(&mut self) -> Result<(), PathError> {
        let (journey, node, from) = (self.journey, self.journey.sender, self.last());
        let log = journey.logs[node];
        let posted = log
            .markers(from, self.end)
            .find(|(_, marker, _)| *marker == Marker::DmaWritePosted)
            .map(|(at, ..)| at)
            .ok_or_else(|| journey.missing("no DmaWritePosted of its last reply"))?;
        let done = |before: Ps, what| {
            log.last_pulse(Probe::DmaWriteDone, before).filter(|at| *at >= from).ok_or_else(|| journey.missing(what))
        };
        let start = |before: Ps, what| {
            log.last_pulse(Probe::DmaWriteStart, before).filter(|at| *at >= from).ok_or_else(|| journey.missing(what))
        };
        let told = done(self.end, "its status page was not written")?;
        let written = done(Ps(told.0 - 1), "its data were not written")?;
        // A transfer may begin while the one before it is on the bus: its own time begins then.
        let tells = start(told, "no write of its status page began")?.max(written);
        let writes = start(Ps(written.0 - 1), "no write of its data began")?;
        self.mark(posted.min(writes), node, Clock::Core, "DMA write: waits");
        self.mark(writes, node, Clock::Pci, "DMA write: transfer");
        self.mark(written, node, Clock::Core, "status: waits");
        self.mark(tells, node, Clock::Pci, "status: transfer");
        self.mark(told, node, Clock::Host, "process polls");
        Ok(())
    }
}
