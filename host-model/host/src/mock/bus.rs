//! The bus of the mock NIC. There are no pins: each request takes a few edges and ends.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use sim_pins::{PciControl, PciDrive, PciLines, PciPin, Ps};

use super::nic::MockNic;
use crate::bus::{Bus, BusFault, Completion, Request, RequestId};
use crate::memory::Memory;

/// A bus with nothing on it but a [`MockNic`].
pub struct MockBus {
    nic: Rc<RefCell<MockNic>>,
    queue: VecDeque<(RequestId, Request)>,
    clocks_left: Option<u32>,
    completions: VecDeque<Completion>,
    /// The last edge.
    at: Ps,
}

impl MockBus {
    /// A bus with a mock NIC of so much SRAM, whose DMA goes to `memory`. The test keeps the second
    /// handle.
    pub fn new(sram_bytes: u32, memory: Rc<RefCell<Memory>>) -> (MockBus, Rc<RefCell<MockNic>>) {
        let nic = Rc::new(RefCell::new(MockNic::new(sram_bytes, memory)));
        let bus = MockBus {
            nic: nic.clone(),
            queue: VecDeque::new(),
            clocks_left: None,
            completions: VecDeque::new(),
            at: Ps::ZERO,
        };
        (bus, nic)
    }
}

/// Clocks from the request to the first data phase.
const ADDRESS_CLOCKS: u32 = 3;

impl Bus for MockBus {
    fn submit(&mut self, id: RequestId, request: Request) {
        if request == Request::Reset {
            let reset = self.queue.drain(..).map(|(id, _)| (id, Err(BusFault::Reset)));
            let at = self.at;
            self.completions.extend(reset.map(|(id, result)| Completion { id, at, result }));
            self.clocks_left = None;
        }
        self.queue.push_back((id, request));
    }

    fn take_completion(&mut self) -> Option<Completion> {
        self.completions.pop_front()
    }

    fn rising_edge(&mut self, at: Ps, _nic: &PciDrive) -> PciLines {
        self.at = at;
        if let Some((id, request)) = self.queue.front() {
            let clocks = self.clocks_left.unwrap_or(match request {
                Request::Write { words, .. } => ADDRESS_CLOCKS + words.len() as u32,
                _ => ADDRESS_CLOCKS + 1,
            });
            if clocks == 0 {
                let result = self.nic.borrow_mut().carry_out(at, id.0, request);
                self.completions.push_back(Completion { id: *id, at, result });
                self.queue.pop_front();
                self.clocks_left = None;
            } else {
                self.clocks_left = Some(clocks - 1);
            }
        }
        let mut lines = PciLines::IDLE;
        if self.interrupt() {
            lines.control = PciControl::from_bits(lines.control.bits() & !PciPin::Inta.mask());
        }
        lines
    }

    fn interrupt(&self) -> bool {
        self.nic.borrow().interrupt()
    }

    fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    fn take_violations(&mut self) -> Vec<String> {
        Vec::new()
    }
}
