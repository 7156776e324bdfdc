//! The order in which the receiver works.

use nic_device::{rarely, Device};
use nic_layout::personality::emp::descriptor::RECEIVE_DESCRIPTORS;

use super::open::Command;
use super::state::{Receiver, Sides, ENTRIES};
use crate::frame::Frame;
use crate::lists::Buffers;
use crate::messages::{SorterToReceiver, TransmitterToReceiver};
use crate::neighbours::{Entry, Sorts, Transmits};
use crate::pages::Pages;
use crate::places::{receive_record as record, Places, Settings};
use crate::Elsewhere;

impl<A: Pages> Receiver<A> {
    /// Makes the part ready.
    pub fn start(&mut self, dev: &mut impl Device, sides: Sides, settings: &Settings, places: &Places) {
        self.from_sorter = sides.from_sorter;
        self.from_transmitter = sides.from_transmitter;
        self.to_transmitter = sides.to_transmitter;
        self.to_sorter = sides.to_sorter;
        self.cut = settings.cut;
        self.receives = dev.place(places.receives);
        self.lists = Buffers::new(places.receive_lists);
        for record in 0..RECEIVE_DESCRIPTORS {
            let receive = self.record(record);
            dev.put(receive, record::STATE, record::FREE);
        }
    }

    /// Whether nothing waits beside the queues.
    pub fn is_calm(&self) -> bool {
        self.open.is_none() && self.waiting.is_none() && self.command.is_none()
    }

    /// Whether a frame of the sorter can be taken at once.
    #[inline(always)]
    pub fn is_ready<T: Transmits>(&mut self, dev: &mut impl Device) -> bool {
        if !self.is_stirred {
            // Queues to parts on this core are empty.
            return T::IS_HERE || self.to_transmitter.has_room(dev, ENTRIES);
        }
        rarely();
        self.open.is_none() && self.waiting.is_none() && self.from_sorter.is_empty(dev) && self.has_room(dev)
    }

    /// Does some of the work that waits. False if there was none that it could do. `S`: the sorter,
    /// whose frames come by the queue if it runs elsewhere.
    #[inline(always)]
    pub fn turn<S: Sorts>(&mut self, dev: &mut impl Device, to: &mut impl Transmits) -> bool {
        if self.open.is_some() {
            rarely();
            // A list page that has come is what the frame waits for.
            let has_attended = self.attend(dev, to);
            let has_resumed = self.has_room(dev) && self.resume(dev);
            return has_resumed | has_attended | self.serve_beside(dev);
        }
        let entry = match self.waiting.take() {
            Some(entry) => entry,
            None => match self.from_sorter.pop(dev) {
                Some(words) => SorterToReceiver::of(words),
                None => return self.attend(dev, to),
            },
        };
        if !self.has_room(dev) {
            rarely();
            self.waiting = Some(entry);
            return self.attend(dev, to);
        }
        self.serve::<S>(dev, to, entry);
        true
    }

    /// Takes a frame from a sorter that runs elsewhere.
    #[inline(always)]
    pub(crate) fn take_entry(&mut self, dev: &mut impl Device, to: &mut impl Transmits) -> Entry {
        if self.is_stirred {
            rarely();
            return Entry::Rare;
        }
        let was_known = self.from_sorter.knows_entry();
        let Some(words) = self.from_sorter.peek(dev) else { return Entry::None };
        if !self.has_room(dev) {
            rarely();
            return Entry::Frequent;
        }
        let entry = SorterToReceiver::of(words);
        if !matches!(entry, SorterToReceiver::Frame { .. } | SorterToReceiver::First { .. }) {
            rarely();
            return Entry::Rare;
        }
        self.from_sorter.skip(dev);
        self.serve::<Elsewhere>(dev, to, entry);
        Entry::after(&self.from_sorter, was_known)
    }

    #[inline(always)]
    fn serve<S: Sorts>(&mut self, dev: &mut impl Device, to: &mut impl Transmits, entry: SorterToReceiver) {
        match entry {
            SorterToReceiver::Frame { record, buffer } if !S::IS_HERE => {
                let frame = Frame::read(dev, buffer);
                self.go_on(dev, to, record, &frame);
            }
            SorterToReceiver::First { record, buffer } if !S::IS_HERE => {
                let frame = Frame::read(dev, buffer);
                let first = self.place_first(dev, record, &frame);
                self.begin(dev, to, record, &frame, first);
            }
            entry => {
                rarely();
                self.serve_rarely(dev, entry);
            }
        }
    }

    /// Serves the sorter while the open frame waits for a page, perhaps for long. Its entries are
    /// no frames: transmitter and receiver are on one core.
    fn serve_beside(&mut self, dev: &mut impl Device) -> bool {
        if !A::MAY_MISS || self.open.is_none() || !self.has_room(dev) {
            return false;
        }
        let Some(words) = self.from_sorter.pop(dev) else { return false };
        self.serve_rarely(dev, SorterToReceiver::of(words));
        true
    }

    #[cold]
    #[inline(never)]
    fn serve_rarely(&mut self, dev: &mut impl Device, entry: SorterToReceiver) {
        match entry {
            SorterToReceiver::Answer { kind, node, numbers } => self.answer_later(dev, kind, node, numbers),
            SorterToReceiver::Abort { record, node, numbers } => self.on_abort(dev, record, node, numbers),
            SorterToReceiver::Cancel { record } => self.on_cancel(dev, record),
            SorterToReceiver::Frame { .. } | SorterToReceiver::First { .. } => {}
        }
    }

    /// Serves the transmitter, and passes a command on when nothing stands before it.
    #[inline(always)]
    fn attend(&mut self, dev: &mut impl Device, to: &mut impl Transmits) -> bool {
        let has_entry = !self.from_transmitter.is_empty(dev);
        if !has_entry && self.command.is_none() {
            return false;
        }
        rarely();
        self.attend_rarely(dev, to)
    }

    #[cold]
    #[inline(never)]
    fn attend_rarely(&mut self, dev: &mut impl Device, to: &mut impl Transmits) -> bool {
        let mut is_busy = false;
        // A command waits for records that wait for list pages, and there is one at a time.
        if (self.command.is_none() || A::MAY_MISS) && self.has_room(dev) {
            if let Some(words) = self.from_transmitter.pop(dev) {
                is_busy = true;
                match TransmitterToReceiver::of(words) {
                    TransmitterToReceiver::Loaded { buffer } => self.lists.loaded(buffer),
                    TransmitterToReceiver::LoadFailed { buffer } => self.on_load_failed(dev, buffer),
                    TransmitterToReceiver::Command { word } => {
                        self.command = Some(Command { word, next: 0, until: None })
                    }
                }
                if A::MAY_MISS && self.failing != 0 {
                    self.settle_all(dev);
                }
            }
        }
        is_busy | self.pass_command(dev, to)
    }
}
