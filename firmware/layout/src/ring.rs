//! Descriptor rings that hardware reads (docs/interfaces.md, Rings).

pub const DMA_DESCRIPTOR_BYTES: u32 = 16;
pub const DMA_FLAG_EVENT: u32 = 1 << 16;
pub const DMA_FLAG_ASSIST: u32 = 1 << 17;
pub const DMA_STATUS_DONE: u32 = 1 << 31;

pub const MAC_DESCRIPTOR_BYTES: u32 = 8;
pub const MAC_FLAG_EVENT: u32 = 1 << 16;
pub const MAC_FLAG_SKIP: u32 = 1 << 17;
pub const MAC_STATUS_DONE: u32 = 1 << 31;

/// Events of a core, by their bit and priority. The same numbers as `nic_pkg::EVENT_*`; a test compares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Event {
    MacRx = 0,
    DmaWrite = 1,
    DmaRead = 2,
    MacTx = 3,
    Mailbox = 4,
    Doorbell = 5,
    Timer0 = 6,
    Timer1 = 7,
    Timer2 = 8,
    Timer3 = 9,
    DmaError = 10,
    MacError = 11,
}

/// Interrupt causes: mailboxes from the NIC.
pub const MAILBOX_MISS: usize = 0;
/// `TO_NIC` mailbox that the driver writes after it has served misses: the free-running consumer index of the miss ring.
pub const MAILBOX_FILLED: usize = 0;
