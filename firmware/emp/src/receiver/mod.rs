//! The receiver: places data in host memory, keeps the collections of messages, ends receives.

mod end;
mod place;
mod take;

use nic_device::{rarely, Device, Place};
use nic_dma::HostWrites;
use nic_layout::personality::emp::descriptor::RECEIVE_DESCRIPTORS;

use crate::lists::Buffers;
use crate::messages::{
    Answer, FromSorterForReceiver, FromTransmitterForReceiver, ReceiverToTransmitter, SorterToReceiver, ToSorter,
    ToTransmitterOfReceiver, TransmitterToReceiver,
};
use crate::places::{receive_record as record, Places, Settings};
use end::{Command, Tag};
use place::Open;

/// List pages of receives in the SRAM.
pub const RECEIVE_LISTS: usize = 8;

/// Entries that serving one entry of the sorter may add to a queue: the answer to a frame, and the
/// end of its message.
const ENTRIES: u32 = 2;

/// The part that places data.
#[derive(Debug)]
pub struct Receiver {
    from_sorter: FromSorterForReceiver,
    from_transmitter: FromTransmitterForReceiver,
    to_transmitter: ToTransmitterOfReceiver,
    to_sorter: ToSorter,
    /// The frame whose data are not all handed to the engine.
    open: Option<Open>,
    /// An entry of the sorter that waits for room.
    waiting: Option<SorterToReceiver>,
    /// A command of the driver that was not passed on yet.
    command: Option<Command>,
    /// Records that are given up, and not given back yet.
    failing: u32,
    places: Places,
    settings: Settings,
    writes: HostWrites<Tag>,
    lists: Buffers<RECEIVE_LISTS>,
}

/// The sides of the queues that the receiver has.
pub struct Sides {
    /// From the sorter.
    pub from_sorter: FromSorterForReceiver,
    /// From the transmitter.
    pub from_transmitter: FromTransmitterForReceiver,
    /// To the transmitter.
    pub to_transmitter: ToTransmitterOfReceiver,
    /// To the sorter.
    pub to_sorter: ToSorter,
}

impl Receiver {
    /// Before [`Self::start`].
    pub const NOWHERE: Receiver = Receiver {
        from_sorter: FromSorterForReceiver::NOWHERE,
        from_transmitter: FromTransmitterForReceiver::NOWHERE,
        to_transmitter: ToTransmitterOfReceiver::NOWHERE,
        to_sorter: ToSorter::NOWHERE,
        open: None,
        waiting: None,
        command: None,
        failing: 0,
        places: Places::NOWHERE,
        settings: Settings::NONE,
        writes: HostWrites::new(Tag::UNUSED),
        lists: Buffers::new(0),
    };

    /// Makes the part ready.
    pub fn start(&mut self, dev: &mut impl Device, sides: Sides, settings: &Settings, places: &Places) {
        self.from_sorter = sides.from_sorter;
        self.from_transmitter = sides.from_transmitter;
        self.to_transmitter = sides.to_transmitter;
        self.to_sorter = sides.to_sorter;
        self.settings = *settings;
        self.places = *places;
        self.lists = Buffers::new(places.receive_lists);
        for record in 0..RECEIVE_DESCRIPTORS {
            let receive = self.record(dev, record);
            dev.put(receive, record::STATE, record::FREE);
        }
    }

    /// Does some of the work that waits. False if there was none that it could do.
    #[inline(always)]
    pub fn turn(&mut self, dev: &mut impl Device) -> bool {
        if self.open.is_some() {
            rarely();
            return self.go_on(dev) | self.attend(dev);
        }
        let entry = match self.waiting.take() {
            Some(entry) => entry,
            None => match self.from_sorter.pop(dev) {
                Some(words) => SorterToReceiver::of(words),
                None => return self.attend(dev),
            },
        };
        if !self.has_room(dev) {
            rarely();
            self.waiting = Some(entry);
            return self.attend(dev);
        }
        self.serve(dev, entry);
        true
    }

    #[inline(always)]
    fn serve(&mut self, dev: &mut impl Device, entry: SorterToReceiver) {
        match entry {
            SorterToReceiver::Frame { record, buffer } => self.take_frame(dev, record, buffer),
            SorterToReceiver::First { record, buffer } => self.take_first(dev, record, buffer),
            entry => {
                rarely();
                self.serve_rarely(dev, entry);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn serve_rarely(&mut self, dev: &mut impl Device, entry: SorterToReceiver) {
        match entry {
            SorterToReceiver::Answer { kind, node, numbers } => self.answer(dev, kind, node, numbers),
            SorterToReceiver::Abort { record, node, numbers } => self.on_abort(dev, record, node, numbers),
            SorterToReceiver::Cancel { record } => self.on_cancel(dev, record),
            SorterToReceiver::Frame { .. } | SorterToReceiver::First { .. } => {}
        }
    }

    /// Serves the transmitter, and passes a command on when nothing stands before it.
    #[inline(always)]
    fn attend(&mut self, dev: &mut impl Device) -> bool {
        let has_entry = !self.from_transmitter.is_empty(dev);
        if !has_entry && self.command.is_none() {
            return false;
        }
        rarely();
        self.attend_rarely(dev)
    }

    #[cold]
    #[inline(never)]
    fn attend_rarely(&mut self, dev: &mut impl Device) -> bool {
        let mut is_busy = false;
        if self.command.is_none() {
            if let Some(words) = self.from_transmitter.pop(dev) {
                is_busy = true;
                match TransmitterToReceiver::of(words) {
                    TransmitterToReceiver::Loaded { buffer } => self.lists.loaded(buffer),
                    TransmitterToReceiver::LoadFailed { buffer } => self.on_load_failed(dev, buffer),
                    TransmitterToReceiver::Command { word } => self.command = Some(Command { word, next: 0, is_marked: false }),
                }
            }
        }
        is_busy | self.pass_command(dev)
    }

    /// Whether an entry of the sorter can be served.
    #[inline(always)]
    fn has_room(&mut self, dev: &impl Device) -> bool {
        self.to_transmitter.has_room(dev, ENTRIES) && self.to_sorter.has_room(dev, ENTRIES)
    }

    #[inline(always)]
    fn record(&self, dev: &impl Device, record: u32) -> Place {
        dev.place(self.places.receives + record * record::BYTES)
    }

    /// Asks the transmitter for an answer. There is room.
    #[inline(always)]
    fn answer(&mut self, dev: &mut impl Device, kind: Answer, node: u32, numbers: u32) {
        self.to_transmitter.push(dev, ReceiverToTransmitter::Answer { kind, node, numbers }.words());
    }
}
