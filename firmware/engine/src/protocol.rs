use nic_device::Device;
use nic_layout::counter::Counter;
use nic_layout::post::PostError;
use nic_posts::Owner;

use crate::frame::{Arrived, Buffer, Frame};
use crate::layers::Layers;
use crate::types::ProtocolTypes;

/// What a protocol does when something happens.
///
/// The engine calls one method at a time, and none waits. Each gets the layers below the protocol
/// and the device. Methods with a body may be left out.
pub trait Protocol: Sized {
    /// Types and constants of the protocol.
    type Types: ProtocolTypes;

    /// Before the start: all zero, so that an engine may live in memory that start-up clears.
    const NOWHERE: Self;
    /// Mailboxes of the driver that are the protocol's, one bit each.
    const MAILBOXES: u32 = 0;

    /// A data frame has come in its turn. The protocol accepts it ([`Layers::accept`]), refuses it
    /// ([`Layers::refuse_frame`]), or drops it ([`Layers::drop_frame`]): then the peer sends it
    /// again.
    fn on_frame(&mut self, layers: &mut Layers<Self::Types>, dev: &mut impl Device, frame: Frame) -> Buffer;

    /// A frame whose kind is neither [`ProtocolTypes::KIND`] nor an acknowledgement. `None`: the
    /// protocol does not have the kind.
    #[inline(always)]
    fn on_other_frame(
        &mut self,
        _layers: &mut Layers<Self::Types>,
        _dev: &mut impl Device,
        _frame: Arrived,
    ) -> Option<Buffer> {
        None
    }

    /// A frame came behind one that is missing. Its number is not the peer's next.
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

    /// A slot may send one frame. `is_new`: no frame of its post was issued before. A slot that has
    /// more to send goes back into the queue (`layers.run`).
    fn on_post(&mut self, layers: &mut Layers<Self::Types>, dev: &mut impl Device, slot: usize, is_new: bool);

    /// One of the jobs in `layers.run` can go on. The protocol chooses which.
    fn on_job(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device) {}

    /// A host read has ended. The frame that it fills has its data.
    #[inline(always)]
    fn on_read_end(
        &mut self,
        _layers: &mut Layers<Self::Types>,
        _dev: &mut impl Device,
        _note: <Self::Types as ProtocolTypes>::ReadNote,
    ) {
    }

    /// The host read with this number, which fills no frame, has failed. It has ended before.
    fn on_read_failed(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device, _number: u32) {}

    /// A host write has ended.
    #[inline(always)]
    fn on_write_end(
        &mut self,
        _layers: &mut Layers<Self::Types>,
        _dev: &mut impl Device,
        _note: <Self::Types as ProtocolTypes>::WriteNote,
    ) {
    }

    /// Reception goes on that had no room for host writes.
    fn on_write_room(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device) {}

    /// Some host writes have ended.
    #[inline(always)]
    fn on_writes_ended(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device) {}

    /// Some transfers have ended while the protocol waited for that ([`Layers::await_transfers`]).
    fn on_awaited(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device) {}

    /// Whether the end of a host write would let the protocol go on.
    #[inline(always)]
    fn awaits_writes(&self) -> bool {
        false
    }

    /// A frame that belongs to no post was refused, or was given up with its peer.
    fn on_frame_failed(
        &mut self,
        _layers: &mut Layers<Self::Types>,
        _dev: &mut impl Device,
        _owner: Owner,
        _error: PostError,
    ) {
    }

    /// A peer was given up. The frames to it have ended.
    fn on_peer_lost(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device, _node: usize) {}

    /// A peer has started again. The frames to its earlier incarnation have ended. The protocol ends
    /// what else it has under way to or from that incarnation: a post of which some frames are not
    /// issued yet, above all, since the rest of it must not go to the new incarnation.
    fn on_peer_restarted(&mut self, layers: &mut Layers<Self::Types>, dev: &mut impl Device, node: usize) {
        self.on_peer_lost(layers, dev, node);
    }

    /// The timer of acknowledgements fired.
    fn on_timer(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device) {}

    /// The driver has written one of [`Self::MAILBOXES`].
    fn on_mailbox(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device, _mailbox: usize, _value: u32) {}

    /// A command of the driver that is about nothing of the layers. It is answered when the
    /// transfers that were posted before have ended.
    fn on_command(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device, _command: u32) {}

    /// The driver closes a slot, or gives its queue to another process. The slot is still as it
    /// was.
    fn on_close(&mut self, _layers: &mut Layers<Self::Types>, _dev: &mut impl Device, _slot: usize) {}
}
