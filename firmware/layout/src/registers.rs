//! The registers: where they are and what their bits mean. Written by `tools/registers/generate.py` from
//! `rtl/registers/nicscope.rdl`: change that file.
//!
//! Nothing here touches hardware. Firmware reads and writes [`Register`]s with volatile accesses at
//! [`crate::CORE_REGISTER_BASE`] plus the offset, the driver with accesses to BAR 0. A register that is one
//! number holds a `u32`; one with several fields, or a single bit, has a type of its own.

use core::marker::PhantomData;

/// A byte offset in BAR 0, the same from [`crate::CORE_REGISTER_BASE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset(pub u32);

/// What stands in a register: a number, or a bit field type.
pub trait Bits: Copy {
    fn from_bits(bits: u32) -> Self;
    fn to_bits(self) -> u32;
}

impl Bits for u32 {
    fn from_bits(bits: u32) -> u32 {
        bits
    }

    fn to_bits(self) -> u32 {
        self
    }
}

/// Marks registers that may only be read; a write is ignored.
#[derive(Clone, Copy, Debug)]
pub enum ReadOnly {}
/// Marks registers that may only be written; a read gives zero.
#[derive(Clone, Copy, Debug)]
pub enum WriteOnly {}
/// Marks registers that may be read and written.
#[derive(Clone, Copy, Debug)]
pub enum ReadWrite {}

pub trait Readable {}
impl Readable for ReadOnly {}
impl Readable for ReadWrite {}

pub trait Writable {}
impl Writable for WriteOnly {}
impl Writable for ReadWrite {}

/// A register with content `T` and access `A`.
#[derive(Debug)]
pub struct Register<T, A> {
    offset: Offset,
    kind: PhantomData<fn() -> (T, A)>,
}

impl<T, A> Register<T, A> {
    const fn new(offset: u32) -> Self {
        Register { offset: Offset(offset), kind: PhantomData }
    }

    pub const fn offset(self) -> Offset {
        self.offset
    }
}

impl<T, A> Clone for Register<T, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, A> Copy for Register<T, A> {}

/// `N` registers of one kind in a row.
#[derive(Debug)]
pub struct Registers<T, A, const N: usize> {
    first: Register<T, A>,
}

impl<T, A, const N: usize> Registers<T, A, N> {
    pub const COUNT: usize = N;

    const fn new(offset: u32) -> Self {
        Registers { first: Register::new(offset) }
    }

    /// For numbers that the program chose; panics beyond the last.
    pub const fn at(self, index: usize) -> Register<T, A> {
        assert!(index < N);
        Register::new(self.first.offset.0 + 4 * index as u32)
    }

    /// For numbers that come from elsewhere.
    pub const fn get(self, index: usize) -> Option<Register<T, A>> {
        if index < N {
            Some(self.at(index))
        } else {
            None
        }
    }
}

impl<T, A, const N: usize> Clone for Registers<T, A, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, A, const N: usize> Copy for Registers<T, A, N> {}

/// What a write to a register does, as listed in [`ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    ReadOnly,
    WriteOnly,
    ReadWrite,
    /// Reads the bits; writing ones clears them.
    OnesClear,
    /// Reads the bits; writing ones sets them.
    OnesSet,
}

/// One line of the map.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub name: &'static str,
    pub offset: Offset,
    pub count: u32,
    pub access: Access,
    /// The bits that exist.
    pub mask: u32,
    /// Value after reset, where it is fixed.
    pub reset: Option<u32>,
}

/// Identification and control.
pub mod ident {
    use super::{Bits, ReadOnly, ReadWrite, Register};

    /// Identification.
    /// Reads 0x4E534350, the letters NSCP.
    pub const ID: Register<u32, ReadOnly> = Register::new(0x000);
    pub const ID_RESET: u32 = 0x4E53_4350;

    /// Version.
    /// Of this register map.
    pub const VERSION: Register<Version, ReadOnly> = Register::new(0x004);
    pub const VERSION_RESET: Version = Version(0x0001_0000);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Version(pub u32);

    impl Version {
        pub const MINOR_SHIFT: u32 = 0;
        pub const MINOR_MASK: u32 = 0x0000_FFFF;
        pub const MAJOR_SHIFT: u32 = 16;
        pub const MAJOR_MASK: u32 = 0xFFFF_0000;

        /// Changes when something is added.
        pub const fn minor(self) -> u32 {
            (self.0 & Self::MINOR_MASK) >> Self::MINOR_SHIFT
        }

        pub const fn with_minor(self, minor: u32) -> Version {
            let minor = (minor << Self::MINOR_SHIFT) & Self::MINOR_MASK;
            Version((self.0 & !Self::MINOR_MASK) | minor)
        }

        /// Changes when a layout breaks.
        pub const fn major(self) -> u32 {
            (self.0 & Self::MAJOR_MASK) >> Self::MAJOR_SHIFT
        }

        pub const fn with_major(self, major: u32) -> Version {
            let major = (major << Self::MAJOR_SHIFT) & Self::MAJOR_MASK;
            Version((self.0 & !Self::MAJOR_MASK) | major)
        }
    }

    impl Bits for Version {
        fn from_bits(bits: u32) -> Self {
            Version(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// SRAM size in bytes.
    pub const SRAM_BYTES: Register<u32, ReadOnly> = Register::new(0x008);

    /// Capabilities.
    pub const CAPABILITIES: Register<Capabilities, ReadOnly> = Register::new(0x00C);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Capabilities(pub u32);

    impl Capabilities {
        pub const CORES_SHIFT: u32 = 0;
        pub const CORES_MASK: u32 = 0x0000_000F;
        pub const DOORBELL_PAGES_SHIFT: u32 = 4;
        pub const DOORBELL_PAGES_MASK: u32 = 0x0000_0FF0;
        pub const SCRATCHPAD_KIB_SHIFT: u32 = 12;
        pub const SCRATCHPAD_KIB_MASK: u32 = 0x000F_F000;
        pub const PCI_64_SHIFT: u32 = 20;
        pub const PCI_64_MASK: u32 = 0x0010_0000;

        /// Number of cores.
        pub const fn cores(self) -> u32 {
            (self.0 & Self::CORES_MASK) >> Self::CORES_SHIFT
        }

        pub const fn with_cores(self, cores: u32) -> Capabilities {
            let cores = (cores << Self::CORES_SHIFT) & Self::CORES_MASK;
            Capabilities((self.0 & !Self::CORES_MASK) | cores)
        }

        /// Doorbell pages.
        pub const fn doorbell_pages(self) -> u32 {
            (self.0 & Self::DOORBELL_PAGES_MASK) >> Self::DOORBELL_PAGES_SHIFT
        }

        pub const fn with_doorbell_pages(self, doorbell_pages: u32) -> Capabilities {
            let doorbell_pages = (doorbell_pages << Self::DOORBELL_PAGES_SHIFT) & Self::DOORBELL_PAGES_MASK;
            Capabilities((self.0 & !Self::DOORBELL_PAGES_MASK) | doorbell_pages)
        }

        /// Scratchpad of core A in KiB.
        pub const fn scratchpad_kib(self) -> u32 {
            (self.0 & Self::SCRATCHPAD_KIB_MASK) >> Self::SCRATCHPAD_KIB_SHIFT
        }

        pub const fn with_scratchpad_kib(self, scratchpad_kib: u32) -> Capabilities {
            let scratchpad_kib = (scratchpad_kib << Self::SCRATCHPAD_KIB_SHIFT) & Self::SCRATCHPAD_KIB_MASK;
            Capabilities((self.0 & !Self::SCRATCHPAD_KIB_MASK) | scratchpad_kib)
        }

        /// 1 when the slot is 64 bits wide (REQ64# at reset).
        pub const fn pci_64(self) -> bool {
            self.0 & Self::PCI_64_MASK != 0
        }

        pub const fn with_pci_64(self, pci_64: bool) -> Capabilities {
            let pci_64 = (pci_64 as u32) << Self::PCI_64_SHIFT;
            Capabilities((self.0 & !Self::PCI_64_MASK) | pci_64)
        }
    }

    impl Bits for Capabilities {
        fn from_bits(bits: u32) -> Self {
            Capabilities(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Core control.
    pub const CORE_CONTROL: Register<CoreControl, ReadWrite> = Register::new(0x010);
    pub const CORE_CONTROL_RESET: CoreControl = CoreControl(0x0000_0000);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CoreControl(pub u32);

    impl CoreControl {
        pub const RUN_A_SHIFT: u32 = 0;
        pub const RUN_A_MASK: u32 = 0x0000_0001;
        pub const RUN_B_SHIFT: u32 = 1;
        pub const RUN_B_MASK: u32 = 0x0000_0002;

        /// 0 holds core A in reset, 1 lets it run from BOOT_ADDRESS.
        pub const fn run_a(self) -> bool {
            self.0 & Self::RUN_A_MASK != 0
        }

        pub const fn with_run_a(self, run_a: bool) -> CoreControl {
            let run_a = (run_a as u32) << Self::RUN_A_SHIFT;
            CoreControl((self.0 & !Self::RUN_A_MASK) | run_a)
        }

        /// The same for core B.
        pub const fn run_b(self) -> bool {
            self.0 & Self::RUN_B_MASK != 0
        }

        pub const fn with_run_b(self, run_b: bool) -> CoreControl {
            let run_b = (run_b as u32) << Self::RUN_B_SHIFT;
            CoreControl((self.0 & !Self::RUN_B_MASK) | run_b)
        }
    }

    impl Bits for CoreControl {
        fn from_bits(bits: u32) -> Self {
            CoreControl(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Core status.
    pub const CORE_STATUS: Register<CoreStatus, ReadOnly> = Register::new(0x014);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CoreStatus(pub u32);

    impl CoreStatus {
        pub const SLEEP_A_SHIFT: u32 = 0;
        pub const SLEEP_A_MASK: u32 = 0x0000_0001;
        pub const SLEEP_B_SHIFT: u32 = 1;
        pub const SLEEP_B_MASK: u32 = 0x0000_0002;

        /// Core A waits in wfi.
        pub const fn sleep_a(self) -> bool {
            self.0 & Self::SLEEP_A_MASK != 0
        }

        pub const fn with_sleep_a(self, sleep_a: bool) -> CoreStatus {
            let sleep_a = (sleep_a as u32) << Self::SLEEP_A_SHIFT;
            CoreStatus((self.0 & !Self::SLEEP_A_MASK) | sleep_a)
        }

        /// Core B waits in wfi.
        pub const fn sleep_b(self) -> bool {
            self.0 & Self::SLEEP_B_MASK != 0
        }

        pub const fn with_sleep_b(self, sleep_b: bool) -> CoreStatus {
            let sleep_b = (sleep_b as u32) << Self::SLEEP_B_SHIFT;
            CoreStatus((self.0 & !Self::SLEEP_B_MASK) | sleep_b)
        }
    }

    impl Bits for CoreStatus {
        fn from_bits(bits: u32) -> Self {
            CoreStatus(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Boot address.
    /// First instruction after CORE_CONTROL.run, core view.
    pub const BOOT_ADDRESS: Register<u32, ReadWrite> = Register::new(0x018);
    pub const BOOT_ADDRESS_RESET: u32 = 0x1000_0400;

    /// Scratch.
    /// Holds what was written last.
    pub const SCRATCH: Register<u32, ReadWrite> = Register::new(0x01C);
    pub const SCRATCH_RESET: u32 = 0x0000_0000;

    /// Core cycles, low.
    /// Core clocks since reset. Reading the low half latches the high half.
    pub const CYCLES_LO: Register<u32, ReadOnly> = Register::new(0x020);

    /// Core cycles, high.
    /// Latched by the last read of CYCLES_LO.
    pub const CYCLES_HI: Register<u32, ReadOnly> = Register::new(0x024);

    /// Window base.
    /// SRAM byte address, a multiple of 2048, that the 2 KB window at BAR 0 offset 0x1800 shows (facts E-3).
    pub const WINDOW_BASE: Register<u32, ReadWrite> = Register::new(0x028);
    pub const WINDOW_BASE_MASK: u32 = 0x001F_FFFF;
    pub const WINDOW_BASE_RESET: u32 = 0x0000_0000;

    /// Refused accesses.
    /// Host accesses to an address that holds nothing. Reads returned zero, writes were dropped.
    pub const HOST_REFUSED: Register<u32, ReadOnly> = Register::new(0x02C);
}

/// Events of core A.
pub mod event_a {
    use super::{ReadOnly, ReadWrite, Register, WriteOnly};

    /// Pending events.
    /// One bit per event; docs/events.md lists them. Set by hardware or SET, cleared by CLEAR; set wins when both come in one clock.
    pub const PENDING: Register<u32, ReadOnly> = Register::new(0x100);

    /// Clear events.
    /// Writing 1 clears that pending bit; reads zero.
    pub const CLEAR: Register<u32, WriteOnly> = Register::new(0x104);

    /// Set events.
    /// Writing 1 sets that pending bit; reads zero.
    pub const SET: Register<u32, WriteOnly> = Register::new(0x108);

    /// Enabled events.
    /// Only enabled events reach NEXT and the core's interrupt line (which also ends wfi).
    pub const ENABLE: Register<u32, ReadWrite> = Register::new(0x10C);
    pub const ENABLE_RESET: u32 = 0x0000_0000;

    /// Next event.
    /// Four times the lowest number among the events that are pending and enabled: the byte offset in a jump table. 128 when there is none.
    pub const NEXT: Register<u32, ReadOnly> = Register::new(0x110);
}

/// Interrupt to the host.
pub mod interrupt {
    use super::{ReadOnly, ReadWrite, Register, WriteOnly};

    /// Interrupt causes.
    /// Writing 1 clears. Causes 0 to 7: a write to MAILBOX.TO_HOST_n. Others: SET.
    pub const CAUSE: Register<u32, ReadWrite> = Register::new(0x300);
    pub const CAUSE_RESET: u32 = 0x0000_0000;

    /// Set causes.
    /// Writing 1 sets that cause; set wins over a clear in the same clock. Reads zero.
    pub const SET: Register<u32, WriteOnly> = Register::new(0x304);

    /// Enabled causes.
    /// INTA# is asserted while an enabled cause is set.
    pub const ENABLE: Register<u32, ReadWrite> = Register::new(0x308);
    pub const ENABLE_RESET: u32 = 0x0000_0000;

    /// Interrupt status.
    /// CAUSE and ENABLE.
    pub const STATUS: Register<u32, ReadOnly> = Register::new(0x30C);
}

/// Doorbells.
pub mod doorbell {
    use super::{ReadOnly, Register, Registers, WriteOnly};

    /// Pending doorbells.
    /// Bit n: a write to doorbell page n since it was cleared. Each such write also sets event DOORBELL.
    pub const PENDING: Register<u32, ReadOnly> = Register::new(0x400);
    pub const PENDING_MASK: u32 = 0x0000_FFFF;

    /// Clear doorbells.
    /// Writing 1 clears; a doorbell write in the same clock wins.
    pub const CLEAR: Register<u32, WriteOnly> = Register::new(0x404);
    pub const CLEAR_MASK: u32 = 0x0000_FFFF;

    /// Value written to doorbell page.
    /// The last dword written anywhere in that page.
    pub const VALUE: Registers<u32, ReadOnly, 16> = Registers::new(0x440);
}

/// Mailboxes.
pub mod mailbox {
    use super::{ReadOnly, ReadWrite, Register, Registers, WriteOnly};

    /// Host to NIC.
    /// A write by the host sets PENDING.n and event MAILBOX.
    pub const TO_NIC: Registers<u32, ReadWrite, 8> = Registers::new(0x500);
    pub const TO_NIC_RESET: u32 = 0x0000_0000;

    /// NIC to host.
    /// A write by a core sets INTERRUPT.CAUSE.n.
    pub const TO_HOST: Registers<u32, ReadWrite, 8> = Registers::new(0x520);
    pub const TO_HOST_RESET: u32 = 0x0000_0000;

    /// Pending mailboxes.
    pub const PENDING: Register<u32, ReadOnly> = Register::new(0x540);
    pub const PENDING_MASK: u32 = 0x0000_00FF;

    /// Clear mailboxes.
    /// Writing 1 clears; a host write in the same clock wins.
    pub const CLEAR: Register<u32, WriteOnly> = Register::new(0x544);
    pub const CLEAR_MASK: u32 = 0x0000_00FF;
}

/// Timers.
pub mod timer {
    use super::{ReadOnly, ReadWrite, Register, Registers, WriteOnly};

    /// Time in core clocks.
    /// Free-running; the low half of IDENT.CYCLES.
    pub const COUNT: Register<u32, ReadOnly> = Register::new(0x600);

    /// Arm.
    /// Writing 1 to bit n arms timer n; reads which are armed.
    pub const ARM: Register<u32, ReadWrite> = Register::new(0x604);
    pub const ARM_MASK: u32 = 0x0000_000F;
    pub const ARM_RESET: u32 = 0x0000_0000;

    /// Disarm.
    /// Writing 1 to bit n disarms timer n; arming in the same clock wins. Reads zero.
    pub const DISARM: Register<u32, WriteOnly> = Register::new(0x608);
    pub const DISARM_MASK: u32 = 0x0000_000F;

    /// Compare.
    /// An armed timer n fires event TIMER_n once, and disarms, when COUNT - COMPARE_n is not negative as a signed number. A write also arms the timer.
    pub const COMPARE: Registers<u32, ReadWrite, 4> = Registers::new(0x610);
    pub const COMPARE_RESET: u32 = 0x0000_0000;
}

/// Semaphore.
pub mod semaphore {
    use super::{Bits, ReadWrite, Register, WriteOnly};

    /// Request by core A.
    /// Any write asks for the semaphore; reads 1 while core A owns it (facts E-5).
    pub const CORE_A: Register<CoreA, ReadWrite> = Register::new(0x700);
    pub const CORE_A_RESET: CoreA = CoreA(0x0000_0000);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CoreA(pub u32);

    impl CoreA {
        pub const OWNED_SHIFT: u32 = 0;
        pub const OWNED_MASK: u32 = 0x0000_0001;

        pub const fn owned(self) -> bool {
            self.0 & Self::OWNED_MASK != 0
        }

        pub const fn with_owned(self, owned: bool) -> CoreA {
            let owned = (owned as u32) << Self::OWNED_SHIFT;
            CoreA((self.0 & !Self::OWNED_MASK) | owned)
        }
    }

    impl Bits for CoreA {
        fn from_bits(bits: u32) -> Self {
            CoreA(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Request by core B.
    pub const CORE_B: Register<CoreB, ReadWrite> = Register::new(0x704);
    pub const CORE_B_RESET: CoreB = CoreB(0x0000_0000);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CoreB(pub u32);

    impl CoreB {
        pub const OWNED_SHIFT: u32 = 0;
        pub const OWNED_MASK: u32 = 0x0000_0001;

        pub const fn owned(self) -> bool {
            self.0 & Self::OWNED_MASK != 0
        }

        pub const fn with_owned(self, owned: bool) -> CoreB {
            let owned = (owned as u32) << Self::OWNED_SHIFT;
            CoreB((self.0 & !Self::OWNED_MASK) | owned)
        }
    }

    impl Bits for CoreB {
        fn from_bits(bits: u32) -> Self {
            CoreB(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Release.
    /// Writing the number of a core (0 A, 1 B) ends its ownership or withdraws its request.
    pub const RELEASE: Register<Release, WriteOnly> = Register::new(0x708);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Release(pub u32);

    impl Release {
        pub const CORE_SHIFT: u32 = 0;
        pub const CORE_MASK: u32 = 0x0000_0001;

        pub const fn core(self) -> bool {
            self.0 & Self::CORE_MASK != 0
        }

        pub const fn with_core(self, core: bool) -> Release {
            let core = (core as u32) << Self::CORE_SHIFT;
            Release((self.0 & !Self::CORE_MASK) | core)
        }
    }

    impl Bits for Release {
        fn from_bits(bits: u32) -> Self {
            Release(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }
}

/// Host-read DMA engine (host memory to SRAM).
pub mod dma_read {
    use super::{Bits, ReadOnly, ReadWrite, Register, WriteOnly};

    /// Control.
    pub const CONTROL: Register<Control, ReadWrite> = Register::new(0x800);
    pub const CONTROL_RESET: Control = Control(0x0000_0000);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Control(pub u32);

    impl Control {
        pub const ENABLE_SHIFT: u32 = 0;
        pub const ENABLE_MASK: u32 = 0x0000_0001;

        /// 1 processes descriptors; 0 stops before the next one.
        pub const fn enable(self) -> bool {
            self.0 & Self::ENABLE_MASK != 0
        }

        pub const fn with_enable(self, enable: bool) -> Control {
            let enable = (enable as u32) << Self::ENABLE_SHIFT;
            Control((self.0 & !Self::ENABLE_MASK) | enable)
        }
    }

    impl Bits for Control {
        fn from_bits(bits: u32) -> Self {
            Control(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Status.
    pub const STATUS: Register<Status, ReadOnly> = Register::new(0x804);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Status(pub u32);

    impl Status {
        pub const BUSY_SHIFT: u32 = 0;
        pub const BUSY_MASK: u32 = 0x0000_0001;
        pub const HALTED_SHIFT: u32 = 1;
        pub const HALTED_MASK: u32 = 0x0000_0002;
        pub const ERROR_SHIFT: u32 = 4;
        pub const ERROR_MASK: u32 = 0x0000_0070;

        /// A descriptor is being worked on.
        pub const fn busy(self) -> bool {
            self.0 & Self::BUSY_MASK != 0
        }

        pub const fn with_busy(self, busy: bool) -> Status {
            let busy = (busy as u32) << Self::BUSY_SHIFT;
            Status((self.0 & !Self::BUSY_MASK) | busy)
        }

        /// Stopped by an error; RESUME goes on with the next descriptor.
        pub const fn halted(self) -> bool {
            self.0 & Self::HALTED_MASK != 0
        }

        pub const fn with_halted(self, halted: bool) -> Status {
            let halted = (halted as u32) << Self::HALTED_SHIFT;
            Status((self.0 & !Self::HALTED_MASK) | halted)
        }

        /// PCI status of the descriptor that halted.
        pub const fn error(self) -> u32 {
            (self.0 & Self::ERROR_MASK) >> Self::ERROR_SHIFT
        }

        pub const fn with_error(self, error: u32) -> Status {
            let error = (error << Self::ERROR_SHIFT) & Self::ERROR_MASK;
            Status((self.0 & !Self::ERROR_MASK) | error)
        }
    }

    impl Bits for Status {
        fn from_bits(bits: u32) -> Self {
            Status(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Resume.
    /// Any write ends a halt.
    pub const RESUME: Register<Resume, WriteOnly> = Register::new(0x808);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Resume(pub u32);

    impl Resume {
        pub const ANY_SHIFT: u32 = 0;
        pub const ANY_MASK: u32 = 0x0000_0001;

        pub const fn any(self) -> bool {
            self.0 & Self::ANY_MASK != 0
        }

        pub const fn with_any(self, any: bool) -> Resume {
            let any = (any as u32) << Self::ANY_SHIFT;
            Resume((self.0 & !Self::ANY_MASK) | any)
        }
    }

    impl Bits for Resume {
        fn from_bits(bits: u32) -> Self {
            Resume(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Ring base.
    /// SRAM byte address, a multiple of 16.
    pub const RING_BASE: Register<u32, ReadWrite> = Register::new(0x80C);
    pub const RING_BASE_MASK: u32 = 0x001F_FFFF;
    pub const RING_BASE_RESET: u32 = 0x0000_0000;

    /// Ring size.
    /// Base-2 logarithm of the number of descriptors, 1 to 8.
    pub const RING_LOG2: Register<u32, ReadWrite> = Register::new(0x810);
    pub const RING_LOG2_MASK: u32 = 0x0000_000F;
    pub const RING_LOG2_RESET: u32 = 0x0000_0006;

    /// Producer index.
    /// Free-running; written by firmware after the descriptor.
    pub const PRODUCER: Register<u32, ReadWrite> = Register::new(0x814);
    pub const PRODUCER_MASK: u32 = 0x0000_FFFF;
    pub const PRODUCER_RESET: u32 = 0x0000_0000;

    /// Consumer index.
    /// Free-running; descriptors before it are complete. A write is accepted while the engine is disabled and idle.
    pub const CONSUMER: Register<u32, ReadWrite> = Register::new(0x818);
    pub const CONSUMER_MASK: u32 = 0x0000_FFFF;
    pub const CONSUMER_RESET: u32 = 0x0000_0000;

    /// Descriptors completed.
    pub const DESCRIPTORS: Register<u32, ReadOnly> = Register::new(0x820);

    /// Bytes moved.
    pub const BYTES: Register<u32, ReadOnly> = Register::new(0x824);

    /// Descriptors that ended in an error.
    pub const ERRORS: Register<u32, ReadOnly> = Register::new(0x828);

    /// Descriptors refused.
    /// SRAM range outside the SRAM: marked done with error 7, nothing moved, no halt.
    pub const REFUSED: Register<u32, ReadOnly> = Register::new(0x82C);
}

/// Host-write DMA engine (SRAM to host memory).
pub mod dma_write {
    use super::{Bits, ReadOnly, ReadWrite, Register, WriteOnly};

    /// Control.
    pub const CONTROL: Register<Control, ReadWrite> = Register::new(0x880);
    pub const CONTROL_RESET: Control = Control(0x0000_0000);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Control(pub u32);

    impl Control {
        pub const ENABLE_SHIFT: u32 = 0;
        pub const ENABLE_MASK: u32 = 0x0000_0001;

        pub const fn enable(self) -> bool {
            self.0 & Self::ENABLE_MASK != 0
        }

        pub const fn with_enable(self, enable: bool) -> Control {
            let enable = (enable as u32) << Self::ENABLE_SHIFT;
            Control((self.0 & !Self::ENABLE_MASK) | enable)
        }
    }

    impl Bits for Control {
        fn from_bits(bits: u32) -> Self {
            Control(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Status.
    pub const STATUS: Register<Status, ReadOnly> = Register::new(0x884);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Status(pub u32);

    impl Status {
        pub const BUSY_SHIFT: u32 = 0;
        pub const BUSY_MASK: u32 = 0x0000_0001;
        pub const HALTED_SHIFT: u32 = 1;
        pub const HALTED_MASK: u32 = 0x0000_0002;
        pub const ERROR_SHIFT: u32 = 4;
        pub const ERROR_MASK: u32 = 0x0000_0070;

        pub const fn busy(self) -> bool {
            self.0 & Self::BUSY_MASK != 0
        }

        pub const fn with_busy(self, busy: bool) -> Status {
            let busy = (busy as u32) << Self::BUSY_SHIFT;
            Status((self.0 & !Self::BUSY_MASK) | busy)
        }

        pub const fn halted(self) -> bool {
            self.0 & Self::HALTED_MASK != 0
        }

        pub const fn with_halted(self, halted: bool) -> Status {
            let halted = (halted as u32) << Self::HALTED_SHIFT;
            Status((self.0 & !Self::HALTED_MASK) | halted)
        }

        pub const fn error(self) -> u32 {
            (self.0 & Self::ERROR_MASK) >> Self::ERROR_SHIFT
        }

        pub const fn with_error(self, error: u32) -> Status {
            let error = (error << Self::ERROR_SHIFT) & Self::ERROR_MASK;
            Status((self.0 & !Self::ERROR_MASK) | error)
        }
    }

    impl Bits for Status {
        fn from_bits(bits: u32) -> Self {
            Status(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Resume.
    pub const RESUME: Register<Resume, WriteOnly> = Register::new(0x888);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Resume(pub u32);

    impl Resume {
        pub const ANY_SHIFT: u32 = 0;
        pub const ANY_MASK: u32 = 0x0000_0001;

        pub const fn any(self) -> bool {
            self.0 & Self::ANY_MASK != 0
        }

        pub const fn with_any(self, any: bool) -> Resume {
            let any = (any as u32) << Self::ANY_SHIFT;
            Resume((self.0 & !Self::ANY_MASK) | any)
        }
    }

    impl Bits for Resume {
        fn from_bits(bits: u32) -> Self {
            Resume(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Ring base.
    pub const RING_BASE: Register<u32, ReadWrite> = Register::new(0x88C);
    pub const RING_BASE_MASK: u32 = 0x001F_FFFF;
    pub const RING_BASE_RESET: u32 = 0x0000_0000;

    /// Ring size.
    pub const RING_LOG2: Register<u32, ReadWrite> = Register::new(0x890);
    pub const RING_LOG2_MASK: u32 = 0x0000_000F;
    pub const RING_LOG2_RESET: u32 = 0x0000_0006;

    /// Producer index.
    pub const PRODUCER: Register<u32, ReadWrite> = Register::new(0x894);
    pub const PRODUCER_MASK: u32 = 0x0000_FFFF;
    pub const PRODUCER_RESET: u32 = 0x0000_0000;

    /// Consumer index.
    pub const CONSUMER: Register<u32, ReadWrite> = Register::new(0x898);
    pub const CONSUMER_MASK: u32 = 0x0000_FFFF;
    pub const CONSUMER_RESET: u32 = 0x0000_0000;

    /// Descriptors completed.
    pub const DESCRIPTORS: Register<u32, ReadOnly> = Register::new(0x8A0);

    /// Bytes moved.
    pub const BYTES: Register<u32, ReadOnly> = Register::new(0x8A4);

    /// Descriptors that ended in an error.
    pub const ERRORS: Register<u32, ReadOnly> = Register::new(0x8A8);

    /// Descriptors refused.
    pub const REFUSED: Register<u32, ReadOnly> = Register::new(0x8AC);
}

/// MAC, transmit.
pub mod mac_tx {
    use super::{Bits, ReadOnly, ReadWrite, Register, WriteOnly};

    /// Control.
    pub const CONTROL: Register<Control, ReadWrite> = Register::new(0x900);
    pub const CONTROL_RESET: Control = Control(0x0000_0000);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Control(pub u32);

    impl Control {
        pub const ENABLE_SHIFT: u32 = 0;
        pub const ENABLE_MASK: u32 = 0x0000_0001;

        /// 1 transmits; 0 stops after the current frame.
        pub const fn enable(self) -> bool {
            self.0 & Self::ENABLE_MASK != 0
        }

        pub const fn with_enable(self, enable: bool) -> Control {
            let enable = (enable as u32) << Self::ENABLE_SHIFT;
            Control((self.0 & !Self::ENABLE_MASK) | enable)
        }
    }

    impl Bits for Control {
        fn from_bits(bits: u32) -> Self {
            Control(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Ring base.
    /// SRAM byte address, a multiple of 8.
    pub const RING_BASE: Register<u32, ReadWrite> = Register::new(0x90C);
    pub const RING_BASE_MASK: u32 = 0x001F_FFFF;
    pub const RING_BASE_RESET: u32 = 0x0000_0000;

    /// Ring size.
    /// Base-2 logarithm of the number of descriptors, 1 to 8.
    pub const RING_LOG2: Register<u32, ReadWrite> = Register::new(0x910);
    pub const RING_LOG2_MASK: u32 = 0x0000_000F;
    pub const RING_LOG2_RESET: u32 = 0x0000_0008;

    /// Producer index.
    /// Free-running; frames before it may be sent. Writing sets it; ADVANCE and the DMA assist add to it.
    pub const PRODUCER: Register<u32, ReadWrite> = Register::new(0x914);
    pub const PRODUCER_MASK: u32 = 0x0000_FFFF;
    pub const PRODUCER_RESET: u32 = 0x0000_0000;

    /// Consumer index.
    /// Free-running; descriptors before it are done. A write is accepted while transmission is disabled and idle.
    pub const CONSUMER: Register<u32, ReadWrite> = Register::new(0x918);
    pub const CONSUMER_MASK: u32 = 0x0000_FFFF;
    pub const CONSUMER_RESET: u32 = 0x0000_0000;

    /// Advance the producer.
    /// Adds the written number to PRODUCER; an assist in the same clock is added too. Reads zero.
    pub const ADVANCE: Register<u32, WriteOnly> = Register::new(0x91C);
    pub const ADVANCE_MASK: u32 = 0x0000_00FF;

    /// Frames sent.
    pub const FRAMES: Register<u32, ReadOnly> = Register::new(0x920);

    /// Bytes sent.
    /// From the destination address to the end of the FCS, padding included.
    pub const BYTES: Register<u32, ReadOnly> = Register::new(0x924);

    /// Underruns.
    /// Frames that ended with TX_ER because SRAM was late.
    pub const UNDERRUNS: Register<u32, ReadOnly> = Register::new(0x928);

    /// Refused descriptors.
    /// Length 0 or above MAC_RX.MAX_FRAME, or outside the SRAM: not sent.
    pub const REFUSED: Register<u32, ReadOnly> = Register::new(0x92C);

    /// Skipped descriptors.
    /// Flag SKIP set by firmware.
    pub const SKIPPED: Register<u32, ReadOnly> = Register::new(0x930);
}

/// MAC, receive.
pub mod mac_rx {
    use super::{Bits, ReadOnly, ReadWrite, Register};

    /// Control.
    pub const CONTROL: Register<Control, ReadWrite> = Register::new(0xA00);
    pub const CONTROL_RESET: Control = Control(0x0000_0000);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Control(pub u32);

    impl Control {
        pub const ENABLE_SHIFT: u32 = 0;
        pub const ENABLE_MASK: u32 = 0x0000_0001;

        /// 1 receives; 0 ignores the link from the next frame on.
        pub const fn enable(self) -> bool {
            self.0 & Self::ENABLE_MASK != 0
        }

        pub const fn with_enable(self, enable: bool) -> Control {
            let enable = (enable as u32) << Self::ENABLE_SHIFT;
            Control((self.0 & !Self::ENABLE_MASK) | enable)
        }
    }

    impl Bits for Control {
        fn from_bits(bits: u32) -> Self {
            Control(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Buffer size in bytes.
    /// Of every buffer in the ring, a multiple of 8.
    pub const BUFFER_BYTES: Register<u32, ReadWrite> = Register::new(0xA04);
    pub const BUFFER_BYTES_MASK: u32 = 0x0000_FFFF;
    pub const BUFFER_BYTES_RESET: u32 = 0x0000_0800;

    /// Largest frame in bytes.
    /// From the destination address to the end of the data, without FCS.
    pub const MAX_FRAME: Register<u32, ReadWrite> = Register::new(0xA08);
    pub const MAX_FRAME_MASK: u32 = 0x0000_FFFF;
    pub const MAX_FRAME_RESET: u32 = 0x0000_05EA;

    /// Ring base.
    pub const RING_BASE: Register<u32, ReadWrite> = Register::new(0xA0C);
    pub const RING_BASE_MASK: u32 = 0x001F_FFFF;
    pub const RING_BASE_RESET: u32 = 0x0000_0000;

    /// Ring size.
    pub const RING_LOG2: Register<u32, ReadWrite> = Register::new(0xA10);
    pub const RING_LOG2_MASK: u32 = 0x0000_000F;
    pub const RING_LOG2_RESET: u32 = 0x0000_0008;

    /// Producer index.
    /// Free-running; buffers before it may be filled.
    pub const PRODUCER: Register<u32, ReadWrite> = Register::new(0xA14);
    pub const PRODUCER_MASK: u32 = 0x0000_FFFF;
    pub const PRODUCER_RESET: u32 = 0x0000_0000;

    /// Consumer index.
    /// Free-running; buffers before it hold good frames. A write is accepted while reception is disabled and idle.
    pub const CONSUMER: Register<u32, ReadWrite> = Register::new(0xA18);
    pub const CONSUMER_MASK: u32 = 0x0000_FFFF;
    pub const CONSUMER_RESET: u32 = 0x0000_0000;

    /// Good frames.
    /// In the ring.
    pub const FRAMES: Register<u32, ReadOnly> = Register::new(0xA20);

    /// Bytes of good frames.
    /// With FCS.
    pub const BYTES: Register<u32, ReadOnly> = Register::new(0xA24);

    /// Dropped: bad FCS.
    pub const BAD_FCS: Register<u32, ReadOnly> = Register::new(0xA28);

    /// Dropped: shorter than 64 bytes.
    /// With FCS.
    pub const RUNTS: Register<u32, ReadOnly> = Register::new(0xA2C);

    /// Dropped: longer than MAX_FRAME.
    pub const GIANTS: Register<u32, ReadOnly> = Register::new(0xA30);

    /// Dropped: RX_ER during the frame.
    pub const RX_ERRORS: Register<u32, ReadOnly> = Register::new(0xA34);

    /// Dropped: broken preamble.
    /// RX_DV fell before a start frame delimiter, or another byte than 0x55 came before it.
    pub const BAD_PREAMBLES: Register<u32, ReadOnly> = Register::new(0xA38);

    /// Dropped: no buffer in the ring.
    pub const NO_BUFFER: Register<u32, ReadOnly> = Register::new(0xA3C);

    /// Dropped: SRAM too late, or the frame larger than its buffer.
    pub const OVERFLOWS: Register<u32, ReadOnly> = Register::new(0xA40);

    /// Frames begun.
    /// RX_DV rose while reception was enabled: the sum of all endings, plus one while a frame is arriving.
    pub const STARTED: Register<u32, ReadOnly> = Register::new(0xA44);
}

/// PCI counters.
pub mod pci {
    use super::{ReadOnly, Register};

    /// Target writes accepted, dwords.
    pub const TARGET_WRITES: Register<u32, ReadOnly> = Register::new(0xB00);

    /// Target reads delivered, dwords.
    pub const TARGET_READS: Register<u32, ReadOnly> = Register::new(0xB04);

    /// Target retries given.
    pub const TARGET_RETRIES: Register<u32, ReadOnly> = Register::new(0xB08);

    /// Delayed reads discarded.
    /// The master did not come back within 2^15 PCI clocks.
    pub const TARGET_DISCARDS: Register<u32, ReadOnly> = Register::new(0xB0C);

    /// Master transactions begun.
    pub const MASTER_TRANSACTIONS: Register<u32, ReadOnly> = Register::new(0xB10);

    /// Retries met as a master.
    pub const MASTER_RETRIES: Register<u32, ReadOnly> = Register::new(0xB14);

    /// Disconnects met as a master.
    pub const MASTER_DISCONNECTS: Register<u32, ReadOnly> = Register::new(0xB18);

    /// Bursts ended by the latency timer.
    pub const MASTER_TIMEOUTS: Register<u32, ReadOnly> = Register::new(0xB1C);

    /// Master aborts.
    pub const MASTER_ABORTS: Register<u32, ReadOnly> = Register::new(0xB20);

    /// Target aborts met as a master.
    pub const TARGET_ABORTS: Register<u32, ReadOnly> = Register::new(0xB24);

    /// Parity errors detected.
    pub const PARITY_ERRORS: Register<u32, ReadOnly> = Register::new(0xB28);
}

/// SRAM arbiter counters.
pub mod sram {
    use super::{ReadOnly, Registers};

    /// Accesses granted to port.
    /// Port numbers as nic_pkg::sram_port_e.
    pub const GRANTS: Registers<u32, ReadOnly, 7> = Registers::new(0xC00);

    /// Clocks that port waited.
    pub const WAITS: Registers<u32, ReadOnly, 7> = Registers::new(0xC40);
}

/// Every register, by offset.
pub const ALL: &[Entry] = &[
    Entry {
        name: "IDENT.ID",
        offset: Offset(0x000),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: Some(0x4E53_4350),
    },
    Entry {
        name: "IDENT.VERSION",
        offset: Offset(0x004),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0001_0000),
    },
    Entry {
        name: "IDENT.SRAM_BYTES",
        offset: Offset(0x008),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "IDENT.CAPABILITIES",
        offset: Offset(0x00C),
        count: 1,
        access: Access::ReadOnly,
        mask: 0x001F_FFFF,
        reset: None,
    },
    Entry {
        name: "IDENT.CORE_CONTROL",
        offset: Offset(0x010),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_0003,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "IDENT.CORE_STATUS",
        offset: Offset(0x014),
        count: 1,
        access: Access::ReadOnly,
        mask: 0x0000_0003,
        reset: None,
    },
    Entry {
        name: "IDENT.BOOT_ADDRESS",
        offset: Offset(0x018),
        count: 1,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x1000_0400),
    },
    Entry {
        name: "IDENT.SCRATCH",
        offset: Offset(0x01C),
        count: 1,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "IDENT.CYCLES_LO",
        offset: Offset(0x020),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "IDENT.CYCLES_HI",
        offset: Offset(0x024),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "IDENT.WINDOW_BASE",
        offset: Offset(0x028),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x001F_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "IDENT.HOST_REFUSED",
        offset: Offset(0x02C),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "EVENT_A.PENDING",
        offset: Offset(0x100),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "EVENT_A.CLEAR",
        offset: Offset(0x104),
        count: 1,
        access: Access::WriteOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "EVENT_A.SET",
        offset: Offset(0x108),
        count: 1,
        access: Access::WriteOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "EVENT_A.ENABLE",
        offset: Offset(0x10C),
        count: 1,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "EVENT_A.NEXT",
        offset: Offset(0x110),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "INTERRUPT.CAUSE",
        offset: Offset(0x300),
        count: 1,
        access: Access::OnesClear,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "INTERRUPT.SET",
        offset: Offset(0x304),
        count: 1,
        access: Access::WriteOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "INTERRUPT.ENABLE",
        offset: Offset(0x308),
        count: 1,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "INTERRUPT.STATUS",
        offset: Offset(0x30C),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "DOORBELL.PENDING",
        offset: Offset(0x400),
        count: 1,
        access: Access::ReadOnly,
        mask: 0x0000_FFFF,
        reset: None,
    },
    Entry {
        name: "DOORBELL.CLEAR",
        offset: Offset(0x404),
        count: 1,
        access: Access::WriteOnly,
        mask: 0x0000_FFFF,
        reset: None,
    },
    Entry {
        name: "DOORBELL.VALUE",
        offset: Offset(0x440),
        count: 16,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAILBOX.TO_NIC",
        offset: Offset(0x500),
        count: 8,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "MAILBOX.TO_HOST",
        offset: Offset(0x520),
        count: 8,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "MAILBOX.PENDING",
        offset: Offset(0x540),
        count: 1,
        access: Access::ReadOnly,
        mask: 0x0000_00FF,
        reset: None,
    },
    Entry {
        name: "MAILBOX.CLEAR",
        offset: Offset(0x544),
        count: 1,
        access: Access::WriteOnly,
        mask: 0x0000_00FF,
        reset: None,
    },
    Entry {
        name: "TIMER.COUNT",
        offset: Offset(0x600),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "TIMER.ARM",
        offset: Offset(0x604),
        count: 1,
        access: Access::OnesSet,
        mask: 0x0000_000F,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "TIMER.DISARM",
        offset: Offset(0x608),
        count: 1,
        access: Access::WriteOnly,
        mask: 0x0000_000F,
        reset: None,
    },
    Entry {
        name: "TIMER.COMPARE",
        offset: Offset(0x610),
        count: 4,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "SEMAPHORE.CORE_A",
        offset: Offset(0x700),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_0001,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "SEMAPHORE.CORE_B",
        offset: Offset(0x704),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_0001,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "SEMAPHORE.RELEASE",
        offset: Offset(0x708),
        count: 1,
        access: Access::WriteOnly,
        mask: 0x0000_0001,
        reset: None,
    },
    Entry {
        name: "DMA_READ.CONTROL",
        offset: Offset(0x800),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_0001,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DMA_READ.STATUS",
        offset: Offset(0x804),
        count: 1,
        access: Access::ReadOnly,
        mask: 0x0000_0073,
        reset: None,
    },
    Entry {
        name: "DMA_READ.RESUME",
        offset: Offset(0x808),
        count: 1,
        access: Access::WriteOnly,
        mask: 0x0000_0001,
        reset: None,
    },
    Entry {
        name: "DMA_READ.RING_BASE",
        offset: Offset(0x80C),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x001F_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DMA_READ.RING_LOG2",
        offset: Offset(0x810),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_000F,
        reset: Some(0x0000_0006),
    },
    Entry {
        name: "DMA_READ.PRODUCER",
        offset: Offset(0x814),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DMA_READ.CONSUMER",
        offset: Offset(0x818),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DMA_READ.DESCRIPTORS",
        offset: Offset(0x820),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "DMA_READ.BYTES",
        offset: Offset(0x824),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "DMA_READ.ERRORS",
        offset: Offset(0x828),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "DMA_READ.REFUSED",
        offset: Offset(0x82C),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "DMA_WRITE.CONTROL",
        offset: Offset(0x880),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_0001,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DMA_WRITE.STATUS",
        offset: Offset(0x884),
        count: 1,
        access: Access::ReadOnly,
        mask: 0x0000_0073,
        reset: None,
    },
    Entry {
        name: "DMA_WRITE.RESUME",
        offset: Offset(0x888),
        count: 1,
        access: Access::WriteOnly,
        mask: 0x0000_0001,
        reset: None,
    },
    Entry {
        name: "DMA_WRITE.RING_BASE",
        offset: Offset(0x88C),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x001F_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DMA_WRITE.RING_LOG2",
        offset: Offset(0x890),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_000F,
        reset: Some(0x0000_0006),
    },
    Entry {
        name: "DMA_WRITE.PRODUCER",
        offset: Offset(0x894),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DMA_WRITE.CONSUMER",
        offset: Offset(0x898),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DMA_WRITE.DESCRIPTORS",
        offset: Offset(0x8A0),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "DMA_WRITE.BYTES",
        offset: Offset(0x8A4),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "DMA_WRITE.ERRORS",
        offset: Offset(0x8A8),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "DMA_WRITE.REFUSED",
        offset: Offset(0x8AC),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_TX.CONTROL",
        offset: Offset(0x900),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_0001,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "MAC_TX.RING_BASE",
        offset: Offset(0x90C),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x001F_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "MAC_TX.RING_LOG2",
        offset: Offset(0x910),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_000F,
        reset: Some(0x0000_0008),
    },
    Entry {
        name: "MAC_TX.PRODUCER",
        offset: Offset(0x914),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "MAC_TX.CONSUMER",
        offset: Offset(0x918),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "MAC_TX.ADVANCE",
        offset: Offset(0x91C),
        count: 1,
        access: Access::WriteOnly,
        mask: 0x0000_00FF,
        reset: None,
    },
    Entry {
        name: "MAC_TX.FRAMES",
        offset: Offset(0x920),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_TX.BYTES",
        offset: Offset(0x924),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_TX.UNDERRUNS",
        offset: Offset(0x928),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_TX.REFUSED",
        offset: Offset(0x92C),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_TX.SKIPPED",
        offset: Offset(0x930),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_RX.CONTROL",
        offset: Offset(0xA00),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_0001,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "MAC_RX.BUFFER_BYTES",
        offset: Offset(0xA04),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_FFFF,
        reset: Some(0x0000_0800),
    },
    Entry {
        name: "MAC_RX.MAX_FRAME",
        offset: Offset(0xA08),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_FFFF,
        reset: Some(0x0000_05EA),
    },
    Entry {
        name: "MAC_RX.RING_BASE",
        offset: Offset(0xA0C),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x001F_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "MAC_RX.RING_LOG2",
        offset: Offset(0xA10),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_000F,
        reset: Some(0x0000_0008),
    },
    Entry {
        name: "MAC_RX.PRODUCER",
        offset: Offset(0xA14),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "MAC_RX.CONSUMER",
        offset: Offset(0xA18),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0000_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "MAC_RX.FRAMES",
        offset: Offset(0xA20),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_RX.BYTES",
        offset: Offset(0xA24),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_RX.BAD_FCS",
        offset: Offset(0xA28),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_RX.RUNTS",
        offset: Offset(0xA2C),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_RX.GIANTS",
        offset: Offset(0xA30),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_RX.RX_ERRORS",
        offset: Offset(0xA34),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_RX.BAD_PREAMBLES",
        offset: Offset(0xA38),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_RX.NO_BUFFER",
        offset: Offset(0xA3C),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_RX.OVERFLOWS",
        offset: Offset(0xA40),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "MAC_RX.STARTED",
        offset: Offset(0xA44),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "PCI.TARGET_WRITES",
        offset: Offset(0xB00),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "PCI.TARGET_READS",
        offset: Offset(0xB04),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "PCI.TARGET_RETRIES",
        offset: Offset(0xB08),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "PCI.TARGET_DISCARDS",
        offset: Offset(0xB0C),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "PCI.MASTER_TRANSACTIONS",
        offset: Offset(0xB10),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "PCI.MASTER_RETRIES",
        offset: Offset(0xB14),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "PCI.MASTER_DISCONNECTS",
        offset: Offset(0xB18),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "PCI.MASTER_TIMEOUTS",
        offset: Offset(0xB1C),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "PCI.MASTER_ABORTS",
        offset: Offset(0xB20),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "PCI.TARGET_ABORTS",
        offset: Offset(0xB24),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "PCI.PARITY_ERRORS",
        offset: Offset(0xB28),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "SRAM.GRANTS",
        offset: Offset(0xC00),
        count: 7,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "SRAM.WAITS",
        offset: Offset(0xC40),
        count: 7,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
];
