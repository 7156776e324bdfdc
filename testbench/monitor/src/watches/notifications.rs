//! The driver is notified of a write only when its data are in host memory (INV-28).

use std::collections::VecDeque;

use nic_layout::frame::link::FrameKind;
use nic_layout::frame::rdma::FLAG_NOTIFY;
use nic_layout::trace::{Marker, ARGUMENT_MASK};

use super::Watch;
use crate::broken::{broken, Broken};
use crate::context::Context;
use crate::Pins;

/// Notifications of writes that have arrived.
#[derive(Default)]
pub struct Notifications {
    /// For each notification that was not raised: the mark behind the DMA of its frame and of the
    /// frames before.
    accepted: VecDeque<u64>,
    raised: u32,
}

impl Watch for Notifications {
    fn marker(&mut self, context: &mut Context, _pins: &dyn Pins, marker: Marker, argument: u32) -> Result<(), Broken> {
        match marker {
            Marker::Accepted => {
                let notifies = |frame: &crate::Header| frame.is(FrameKind::WRITE) && frame.flags() & FLAG_NOTIFY != 0;
                if context.frames.judged().is_some_and(|frame| notifies(&frame)) {
                    self.accepted.push_back(context.grants.mark());
                }
                Ok(())
            }
            Marker::NotifyRaised => self.raise(context, argument),
            _ => Ok(()),
        }
    }
}

impl Notifications {
    fn raise(&mut self, context: &Context, raised: u32) -> Result<(), Broken> {
        let count = raised.wrapping_sub(self.raised) & ARGUMENT_MASK;
        self.raised = raised;
        for _ in 0..count {
            let Some(mark) = self.accepted.pop_front() else {
                return broken(28, "a write is told that was not accepted".into());
            };
            if let Some(late) = context.grants.iter().find(|grant| grant.is_receive && grant.number < mark) {
                return broken(28, format!("a write is told while {late} is under way"));
            }
        }
        Ok(())
    }
}
