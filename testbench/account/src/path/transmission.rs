//! The first transmission of a frame: firmware, DMA, MAC.

use nic_layout::frame::link::FrameKind;
use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::way::{same_low_bits, Leg, PathError, Way};
use crate::account::Clock;
use crate::log::{NodeLog, Probe};

/// The host read of a frame's data, and the release behind it.
struct Transfer {
    /// When the firmware posted the read, if a marker tells it.
    posted: Option<Ps>,
    start: Ps,
    done: Ps,
    /// The transfer that releases the frame has ended.
    released: Ps,
}

impl Way<'_> {
    /// From the event, or from the request of a reply, to the first byte on the link.
    pub(super) fn transmission(&mut self, kind: FrameKind) -> Result<(), PathError> {
        let leg = self.leg(kind)?;
        let (journey, node) = (self.journey, leg.from);
        let log = journey.logs[node];
        let (first, from) = (leg.attempts[0], self.last());
        let sequence = first.data.map_or(0, |data| data.sequence);
        let mac_start = log
            .last_pulse(Probe::MacTxStart, first.start)
            .ok_or_else(|| journey.missing("the MAC never fetched its descriptor"))?;
        let step = |wanted: Marker| {
            log.markers(from, first.start)
                .find(|(_, marker, argument)| *marker == wanted && same_low_bits(*argument, sequence))
                .map(|(at, ..)| at)
        };
        let posted = step(Marker::DmaReadPosted);
        if !reads_host(&leg, posted) {
            // Its data came with the post: no transfer to wait for, unless those of others release it.
            self.core_work(node, from, mac_start);
            self.mark(mac_start, node, Clock::Core, "MAC: data to the link's clock");
            return Ok(());
        }
        let transfer = transfer(log, from, mac_start, posted).map_err(|what| journey.missing(what))?;
        // The marker follows the release, so the frame may be on the link before the marker.
        let complete = step(Marker::TransmitPosted).unwrap_or(transfer.released);
        // The host read of a reply may begin before the request is accepted.
        let start = transfer.start.max(from);
        self.core_work(node, from, transfer.posted.unwrap_or(start));
        if let Some(posted) = transfer.posted {
            self.mark(posted.min(start), node, Clock::Core, "DMA read: waits");
        }
        self.mark(start, node, Clock::Pci, "DMA read: transfer");
        // The firmware completes the frame meanwhile.
        self.mark(transfer.done, node, Clock::Core, format!("{}: header", journey.role(node)));
        self.mark(complete.clamp(transfer.done, transfer.released), node, Clock::Core, "DMA read: release");
        self.mark(transfer.released, node, Clock::Core, "MAC: descriptor");
        self.mark(mac_start, node, Clock::Core, "MAC: data to the link's clock");
        Ok(())
    }
}

/// Whether the data of the frame come from host memory by DMA.
fn reads_host(leg: &Leg<'_>, posted: Option<Ps>) -> bool {
    match leg.kind {
        FrameKind::REPLY => leg.attempts[0].data.is_some_and(|data| data.bytes > 0),
        _ => posted.is_some(),
    }
}

/// The transfer that releases the frame is the last to end before the MAC takes the frame; the one
/// in front of it brought the frame's last data.
fn transfer(log: &NodeLog, from: Ps, mac_start: Ps, posted: Option<Ps>) -> Result<Transfer, &'static str> {
    let released =
        log.last_pulse(Probe::DmaReadDone, mac_start).filter(|at| *at > from).ok_or("no transfer released it")?;
    let done = log
        .last_pulse(Probe::DmaReadDone, Ps(released.0 - 1))
        .filter(|at| *at >= from)
        .ok_or("no host-read DMA ended before its transmission")?;
    let start = log.last_pulse(Probe::DmaReadStart, done).ok_or("no host-read DMA began before its transmission")?;
    Ok(Transfer { posted, start, done, released })
}
