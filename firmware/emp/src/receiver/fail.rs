//! Messages that are given up.

use nic_device::Device;
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{Failure, RECEIVE_DESCRIPTORS};
use nic_layout::personality::emp::frame::word;
use nic_layout::ring::Event;
use nic_layout::trace::Marker;

use super::state::Receiver;
use crate::messages::{Answer, ReceiverToSorter};
use crate::pages::Pages;
use crate::places::receive_record as record;

impl<A: Pages> Receiver<A> {
    /// Gives up the message of a record. The host gets its descriptor when no transfer of the
    /// message is in flight. There is room in the queues. `tells`: whether the peer hears of it.
    #[cold]
    #[inline(never)]
    pub(super) fn fail(&mut self, dev: &mut impl Device, record: u32, failure: Failure, tells: bool) {
        let receive = self.record(record);
        let message = dev.get(receive, record::MESSAGE);
        let (node, number) = (record::node(message), record::number(message));
        self.expect_nothing(record);
        self.stir(dev);
        self.to_sorter.push_rarely(dev, ReceiverToSorter::Failed { node, number }.words());
        if tells {
            self.answer_later(dev, Answer::Aborted, node, word::numbers(number, 0));
        }
        if A::MAY_MISS {
            self.drop_open(record);
        }
        dev.count(Counter::ReceivesFailed);
        dev.trace(Marker::ReceiveFailed, record);
        dev.put(receive, record::STATE, record::FAILING);
        dev.put(receive, record::LAST, u32::from(failure.stat()) | self.writes.next_number() << 8);
        self.failing += 1;
        self.settle(dev, record);
        self.look_again(dev);
    }

    /// The open frame, if it is of this record, goes nowhere: its buffer is given back behind the
    /// transfers that read from it.
    fn drop_open(&mut self, record: u32) {
        if let Some(open) = self.open.as_mut().filter(|open| open.record == record) {
            (open.left, open.ends) = (0, false);
            self.pages.wake();
        }
    }

    /// Gives failed records back to the host.
    #[cold]
    pub(super) fn settle_all(&mut self, dev: &mut impl Device) {
        for record in 0..RECEIVE_DESCRIPTORS {
            self.settle(dev, record);
        }
    }

    /// Most transfers end without an event, so their ends are looked for while a failed record may
    /// wait for them.
    #[cold]
    pub(super) fn look_again(&self, dev: &mut impl Device) {
        if self.failing != 0 && self.writes.under_way() != 0 {
            dev.raise(Event::DmaWrite);
        }
    }

    /// Gives a failed record back to the host, if no transfer of its message is in flight.
    #[cold]
    fn settle(&mut self, dev: &mut impl Device, record: u32) {
        let receive = self.record(record);
        if dev.get(receive, record::STATE) != record::FAILING {
            return;
        }
        let last = dev.get(receive, record::LAST);
        // 24 bits of the number, and far fewer transfers are in the queue.
        let ended = self.writes.ended() << 8;
        if (ended.wrapping_sub(last & !0xFF) as i32) < 0 {
            return;
        }
        if A::MAY_MISS && self.lists.is_loading(record) {
            // The host keeps its list pages until they have been read.
            return;
        }
        dev.put(receive, record::STATE, record::FREE);
        self.failing -= 1;
        let offset = dev.get(receive, record::DESCRIPTOR);
        let at = dev.place(offset);
        let head = dev.get(at, 0);
        dev.put(at, 0, head & !0xFF | last & 0xFF);
    }
}
