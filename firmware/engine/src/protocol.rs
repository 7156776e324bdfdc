use nic_device::Device;
use nic_layout::counter::Counter;
use nic_layout::post::PostError;
use nic_posts::Owner;

use crate::frame::{Arrived, Buffer, Frame};
use crate::layers::Layers;
use crate::types::ProtocolTypes;

/// A protocol: one method for each event that concerns it.
///
/// The engine calls one method at a time, and no method waits. Each method gets the layers below
/// the protocol and the device. A protocol may leave out the methods that have a body here.
pub trait Protocol: Sized {
    /// Types and constants of the protocol.
    type Types: ProtocolTypes;

    /// The protocol before the start.
    const NOWHERE: Self;
    /// The mailboxes to the NIC that belong to the protocol, one bit each.
    const MAILBOXES: u32 = 0;

    /// Takes a data frame that arrives in order. The protocol accepts it ([`Layers::accept`]),
    /// refuses it ([`Layers::refuse_frame`]), or drops it ([`Layers::drop_frame`]). A dropped frame
    /// is retransmitted by the peer.
    fn on_frame(&mut self, layers: &mut Layers<Self::Types>, dev: &mut impl Device, frame: Frame) -> Buffer;

    /// Takes a frame whose kind is neither [`ProtocolTypes::KIND`] nor an acknowledgement. `None`
    /// if the protocol does not have the kind: the engine handles the frame.
    #[inline(always)]
    fn on_other_frame(
        &mut self,
        _layers: &mut Layers<Self::Types>,
        _dev: &mut impl Device,
        _frame: Arrived,
    ) -> Option<Buffer> {
        None
    }

    /// Takes a data frame or probe whose number is not the peer's next: an earlier frame is
    /// missing.
    fn on_gap(
        &mut self,
        layers: &mut Layers<Self::Types>,
        dev: &mut impl Device,
        _node: usize,
        _buffer: u32,
        _sequence: u32,
    ) -> Buffer {
        layers.drop_frame(dev, Counter::FramesGap)
    }

    /// Sends one frame of a slot. If `is_new`, the slot's doorbell was just taken, and no frame of
    /// its next post was issued before. A slot that has more to send goes back into the queue
    /// (`layers.run`).
    fn on_post(&mut self, layers: &mut Layers<Self::Types>, dev: &mut impl Device, slot: usize, is_new: bool);

    /// Serves one of the ready jobs in `layers.run`. The protocol chooses the job.
    fn on_job(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device) {}

    /// Handles the end of a host read. If the read fills a frame, the frame has its data.
    #[inline(always)]
    fn on_read_end(
        &mut self,
        _layers: &mut Layers<Self::Types>,
        _dev: &mut impl Device,
        _note: <Self::Types as ProtocolTypes>::ReadNote,
    ) {
    }

    /// Handles the failure of host read `number`, which fills no frame. [`Self::on_read_end`] was
    /// called for it before.
    fn on_read_failed(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device, _number: u32) {}

    /// Handles the end of a host write.
    #[inline(always)]
    fn on_write_end(
        &mut self,
        _layers: &mut Layers<Self::Types>,
        _dev: &mut impl Device,
        _note: <Self::Types as ProtocolTypes>::WriteNote,
    ) {
    }

    /// Handles the end of a stall: reception, which had no room for host writes, goes on.
    fn on_write_room(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device) {}

    /// Called once after [`Self::on_write_end`] was called for some host writes.
    #[inline(always)]
    fn on_writes_ended(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device) {}

    /// Called after transfers have ended while the protocol awaits that
    /// ([`Layers::await_transfers`]).
    fn on_awaited(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device) {}

    /// Whether the protocol waits for the end of a host write.
    #[inline(always)]
    fn awaits_writes(&self) -> bool {
        false
    }

    /// Handles the failure of a frame that belongs to no post: the peer refused it, the bus failed,
    /// or the peer was given up.
    fn on_frame_failed(
        &mut self,
        _layers: &mut Layers<Self::Types>,
        _dev: &mut impl Device,
        _owner: Owner,
        _error: PostError,
    ) {
    }

    /// Handles the loss of a peer that was given up. All frames to it have ended.
    fn on_peer_lost(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device, _node: usize) {}

    /// Handles the restart of a peer. All frames to its earlier incarnation have ended. The
    /// protocol ends all other work to or from that incarnation, above all a post that has frames
    /// to be issued: they must not go to the new incarnation.
    fn on_peer_restarted(&mut self, layers: &mut Layers<Self::Types>, dev: &mut impl Device, node: usize) {
        self.on_peer_lost(layers, dev, node);
    }

    /// Called when the timer of acknowledgements has fired.
    fn on_timer(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device) {}

    /// Takes the word that the driver has written to one of [`Self::MAILBOXES`].
    fn on_mailbox(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device, _mailbox: usize, _value: u32) {}

    /// Obeys a command of the driver that does not concern the layers. The engine answers it when
    /// all transfers that were posted before have ended.
    fn on_command(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device, _command: u32) {}

    /// Called before the engine closes a slot, or gives its queue to another process. The state of
    /// the slot is unchanged.
    fn on_close(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device, _slot: usize) {}
}
