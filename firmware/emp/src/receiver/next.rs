//! The frame that comes next, if frames come in order.

use nic_collections::InOrder;
use nic_device::Place;
use nic_scatter::Run;

/// The frame of a message that is expected next, and where its data go.
///
/// Most frames continue the message of the frame before them. Then every word of the header is
/// known beforehand, so comparing the words checks as much as the books of the message do. The
/// books are in the SRAM. What they say of the next frame is copied here, in the scratchpad. Each
/// frame is entered into the books all the same, so nothing is lost if another frame comes next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next {
    /// Words of its header.
    pub numbers: u32,
    /// [`NONE`]: no frame is expected.
    pub node_length: u32,
    pub offset: u32,
    pub record: u32,
    pub receive: Place,
    pub arrivals: InOrder,
    /// The run of its first byte; no bytes: it is not in the page that the cursor stands on.
    pub run: Run,
}

/// No frame has this word: its data would be longer than the frame.
pub(super) const NONE: u32 = u32::MAX;

impl Next {
    pub const NOTHING: Next = Next {
        numbers: 0,
        node_length: NONE,
        offset: 0,
        record: NONE,
        receive: Place(0),
        arrivals: InOrder::NOTHING,
        run: Run::EMPTY,
    };
}
