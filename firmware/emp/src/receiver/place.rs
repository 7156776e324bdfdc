//! The data of a frame on their way to host memory.

use nic_device::{rarely, Device, Place};
use nic_dma::Transfer;
use nic_layout::personality::emp::descriptor::Failure;
use nic_layout::plant::{is_planted, Plant};
use nic_layout::ring::DMA_FLAG_EVENT;
use nic_layout::trace::Marker;
use nic_scatter::{Cursor, Lists as _, Run, Step};

use super::open::Open;
use super::state::Receiver;
use super::tag::Tag;
use crate::lists::Wanted;
use crate::messages::ReceiverToTransmitter;
use crate::places::receive_record as record;

/// Transfers that end without an event at most, one behind the other.
const UNSEEN_MAX: u32 = 4;

impl Receiver {
    /// Goes on with the open frame. False if it still waits.
    #[cold]
    #[inline(never)]
    pub(super) fn resume(&mut self, dev: &mut impl Device) -> bool {
        let Some(open) = self.open.take() else { return false };
        let receive = self.record(dev, open.record);
        self.place_pieces(dev, receive, open);
        self.open.is_none_or(|still| still.left != open.left)
    }

    /// Hands the data of a frame to the engine. A frame that has to wait stays open.
    #[inline(always)]
    pub(super) fn place(&mut self, dev: &mut impl Device, receive: Place, open: Open) {
        if let Some(run) = Cursor::at(receive.plus(record::CURSOR)).here(dev, open.offset) {
            if open.left <= run.bytes && open.left != 0 && self.writes.has_room(1) {
                return self.post(dev, run, open.left, open);
            }
        }
        rarely();
        self.place_pieces(dev, receive, open);
    }

    /// The same, whatever the data and their pages are.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn place_pieces(&mut self, dev: &mut impl Device, receive: Place, mut open: Open) {
        let cursor = Cursor::at(receive.plus(record::CURSOR));
        loop {
            if !self.writes.has_room(1) {
                rarely();
                return self.keep_open(open);
            }
            if open.left == 0 {
                rarely();
                return self.place_nothing(dev, open);
            }
            let chain = dev.place(dev.get(receive, record::DESCRIPTOR));
            let step = cursor.seek(dev, &self.lists.of(dev, open.record), chain, open.offset);
            let Step::Run(run) = step else {
                rarely();
                if self.stop(dev, open, step) {
                    continue;
                }
                return;
            };
            let bytes = run.bytes.min(open.left);
            self.post(dev, run, bytes, open);
            if bytes == open.left {
                return;
            }
            open.from += bytes;
            open.offset += bytes;
            open.left -= bytes;
        }
    }

    #[cold]
    fn keep_open(&mut self, open: Open) {
        (self.open, self.is_stirred) = (Some(open), true);
    }

    /// Hands the first bytes of the data of a frame to the engine. There is room.
    #[inline(always)]
    fn post(&mut self, dev: &mut impl Device, run: Run, bytes: u32, open: Open) {
        let is_last = bytes == open.left;
        let tag = match is_last {
            true => Tag::new(open.record, open.buffer, open.ends),
            false => Tag::new(open.record, 0, false),
        };
        // The host waits for the end of a message. Other ends are seen with later ones; but the
        // receive buffers of only a few may wait for that.
        let needs_event = is_last && open.ends || self.writes.under_way() >= UNSEEN_MAX;
        let mut transfer = Transfer { bus_address: run.address, sram_address: open.from, bytes };
        if is_planted(Plant::PlacedBeside) && open.offset != 0 && bytes + 8 <= run.bytes {
            transfer.bus_address += 8;
        }
        if is_planted(Plant::TailOmitted) && open.ends && is_last {
            transfer.bytes -= bytes.min(4);
        }
        self.writes.post(dev, transfer, if needs_event { DMA_FLAG_EVENT } else { 0 }, tag);
        if is_last {
            dev.trace(Marker::DmaWritePosted, open.offset);
        }
    }

    /// A frame without data. If it is the last of its message, an empty transfer says when the data
    /// of the others are in host memory.
    #[cold]
    fn place_nothing(&mut self, dev: &mut impl Device, open: Open) {
        let nothing = Transfer { bus_address: 0, sram_address: 0, bytes: 0 };
        let flags = if open.ends { DMA_FLAG_EVENT } else { 0 };
        self.writes.post(dev, nothing, flags, Tag::new(open.record, open.buffer, open.ends));
    }

    /// Drops a frame with its message.
    #[cold]
    pub(super) fn give_up(&mut self, dev: &mut impl Device, open: Open, failure: Failure) {
        // Data of the frame may be on their way out of its buffer.
        self.place_nothing(dev, Open { ends: false, ..open });
        self.fail(dev, open.record, failure, true);
    }

    /// Handles a walk that has found no place. True: the walk goes on. Otherwise the frame stays
    /// open, or is dropped with its message.
    #[cold]
    #[inline(never)]
    fn stop(&mut self, dev: &mut impl Device, open: Open, step: Step) -> bool {
        self.keep_open(open);
        match step {
            Step::Run(_) => {}
            Step::Load(address) => {
                if self.lists.of(dev, open.record).find(address).is_some() {
                    self.open = None;
                    return true;
                }
                if self.to_transmitter.room(dev) == 0 {
                    return false;
                }
                if let Wanted::Load(buffer, _) = self.lists.want(open.record, address) {
                    self.to_transmitter.push(dev, ReceiverToTransmitter::Load { buffer, address }.words());
                }
            }
            Step::Bad(failure) => {
                self.open = None;
                self.give_up(dev, open, failure);
            }
        }
        false
    }
}
