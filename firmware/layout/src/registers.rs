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
    pub const VERSION_RESET: Version = Version(0x0001_0001);

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
        pub const SCRATCHPAD_B_KIB_SHIFT: u32 = 21;
        pub const SCRATCHPAD_B_KIB_MASK: u32 = 0x1FE0_0000;

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

        /// Scratchpad of core B in KiB; 0 with one core.
        pub const fn scratchpad_b_kib(self) -> u32 {
            (self.0 & Self::SCRATCHPAD_B_KIB_MASK) >> Self::SCRATCHPAD_B_KIB_SHIFT
        }

        pub const fn with_scratchpad_b_kib(self, scratchpad_b_kib: u32) -> Capabilities {
            let scratchpad_b_kib = (scratchpad_b_kib << Self::SCRATCHPAD_B_KIB_SHIFT) & Self::SCRATCHPAD_B_KIB_MASK;
            Capabilities((self.0 & !Self::SCRATCHPAD_B_KIB_MASK) | scratchpad_b_kib)
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

        /// The same for core B, from BOOT_ADDRESS_B. Stays 0 with one core.
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
    /// First instruction of core A after CORE_CONTROL.run_a, core view.
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

    /// Boot address of core B.
    /// First instruction after CORE_CONTROL.run_b, core view.
    pub const BOOT_ADDRESS_B: Register<u32, ReadWrite> = Register::new(0x030);
    pub const BOOT_ADDRESS_B_RESET: u32 = 0x1000_0400;
}

/// Events of core A (seen by core B: its own).
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

/// Events of core B (seen by core B: those of core A).
pub mod event_b {
    use super::{ReadOnly, ReadWrite, Register, WriteOnly};

    /// Pending events.
    pub const PENDING: Register<u32, ReadOnly> = Register::new(0x200);

    /// Clear events.
    pub const CLEAR: Register<u32, WriteOnly> = Register::new(0x204);

    /// Set events.
    pub const SET: Register<u32, WriteOnly> = Register::new(0x208);

    /// Enabled events.
    pub const ENABLE: Register<u32, ReadWrite> = Register::new(0x20C);
    pub const ENABLE_RESET: u32 = 0x0000_0000;

    /// Next event.
    pub const NEXT: Register<u32, ReadOnly> = Register::new(0x210);
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

/// Timers of core A (seen by core B: its own).
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

/// Timers of core B (seen by core B: those of core A).
pub mod timer_b {
    use super::{ReadOnly, ReadWrite, Register, Registers, WriteOnly};

    /// Time in core clocks.
    pub const COUNT: Register<u32, ReadOnly> = Register::new(0x680);

    /// Arm.
    /// Writing ones sets.
    pub const ARM: Register<u32, ReadWrite> = Register::new(0x684);
    pub const ARM_MASK: u32 = 0x0000_000F;
    pub const ARM_RESET: u32 = 0x0000_0000;

    /// Disarm.
    pub const DISARM: Register<u32, WriteOnly> = Register::new(0x688);
    pub const DISARM_MASK: u32 = 0x0000_000F;

    /// Compare.
    pub const COMPARE: Registers<u32, ReadWrite, 4> = Registers::new(0x690);
    pub const COMPARE_RESET: u32 = 0x0000_0000;
}

/// Semaphore.
pub mod semaphore {
    use super::{Bits, ReadWrite, Register, WriteOnly};

    /// Request by core A.
    /// Any write asks for the semaphore; reads 1 while core A owns it (facts E-5). Seen by core B: its own.
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
    /// Seen by core B: that of core A.
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
    /// Port numbers as nic_pkg::sram_port_e; 7 and 8 are data and instructions of core B.
    pub const GRANTS: Registers<u32, ReadOnly, 9> = Registers::new(0xC00);

    /// Clocks that port waited.
    pub const WAITS: Registers<u32, ReadOnly, 9> = Registers::new(0xC40);
}

/// Debug module.
pub mod debug {
    use super::{Bits, ReadOnly, ReadWrite, Register, Registers, WriteOnly};

    /// Arguments of abstract commands.
    /// Harts see them at 0xFFFF_F810.
    pub const DATA: Registers<u32, ReadWrite, 2> = Registers::new(0xE10);
    pub const DATA_RESET: u32 = 0x0000_0000;

    /// Debug module control.
    pub const DMCONTROL: Register<Dmcontrol, ReadWrite> = Register::new(0xE40);
    pub const DMCONTROL_RESET: Dmcontrol = Dmcontrol(0x0000_0000);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Dmcontrol(pub u32);

    impl Dmcontrol {
        pub const DMACTIVE_SHIFT: u32 = 0;
        pub const DMACTIVE_MASK: u32 = 0x0000_0001;
        pub const NDMRESET_SHIFT: u32 = 1;
        pub const NDMRESET_MASK: u32 = 0x0000_0002;
        pub const CLRRESETHALTREQ_SHIFT: u32 = 2;
        pub const CLRRESETHALTREQ_MASK: u32 = 0x0000_0004;
        pub const SETRESETHALTREQ_SHIFT: u32 = 3;
        pub const SETRESETHALTREQ_MASK: u32 = 0x0000_0008;
        pub const HARTSELLO_SHIFT: u32 = 16;
        pub const HARTSELLO_MASK: u32 = 0x0003_0000;
        pub const ACKHAVERESET_SHIFT: u32 = 28;
        pub const ACKHAVERESET_MASK: u32 = 0x1000_0000;
        pub const HARTRESET_SHIFT: u32 = 29;
        pub const HARTRESET_MASK: u32 = 0x2000_0000;
        pub const RESUMEREQ_SHIFT: u32 = 30;
        pub const RESUMEREQ_MASK: u32 = 0x4000_0000;
        pub const HALTREQ_SHIFT: u32 = 31;
        pub const HALTREQ_MASK: u32 = 0x8000_0000;

        /// 0 resets the debug module; then nothing else here can be written or read.
        pub const fn dmactive(self) -> bool {
            self.0 & Self::DMACTIVE_MASK != 0
        }

        pub const fn with_dmactive(self, dmactive: bool) -> Dmcontrol {
            let dmactive = (dmactive as u32) << Self::DMACTIVE_SHIFT;
            Dmcontrol((self.0 & !Self::DMACTIVE_MASK) | dmactive)
        }

        /// Holds every core in reset.
        pub const fn ndmreset(self) -> bool {
            self.0 & Self::NDMRESET_MASK != 0
        }

        pub const fn with_ndmreset(self, ndmreset: bool) -> Dmcontrol {
            let ndmreset = (ndmreset as u32) << Self::NDMRESET_SHIFT;
            Dmcontrol((self.0 & !Self::NDMRESET_MASK) | ndmreset)
        }

        /// Writing 1 ends that; reads zero.
        pub const fn clrresethaltreq(self) -> bool {
            self.0 & Self::CLRRESETHALTREQ_MASK != 0
        }

        pub const fn with_clrresethaltreq(self, clrresethaltreq: bool) -> Dmcontrol {
            let clrresethaltreq = (clrresethaltreq as u32) << Self::CLRRESETHALTREQ_SHIFT;
            Dmcontrol((self.0 & !Self::CLRRESETHALTREQ_MASK) | clrresethaltreq)
        }

        /// Writing 1 lets the selected core halt before its first instruction whenever it comes out of reset; reads zero.
        pub const fn setresethaltreq(self) -> bool {
            self.0 & Self::SETRESETHALTREQ_MASK != 0
        }

        pub const fn with_setresethaltreq(self, setresethaltreq: bool) -> Dmcontrol {
            let setresethaltreq = (setresethaltreq as u32) << Self::SETRESETHALTREQ_SHIFT;
            Dmcontrol((self.0 & !Self::SETRESETHALTREQ_MASK) | setresethaltreq)
        }

        /// The selected core: 0 A, 1 B. Others do not exist. Cannot be changed while a command runs.
        pub const fn hartsello(self) -> u32 {
            (self.0 & Self::HARTSELLO_MASK) >> Self::HARTSELLO_SHIFT
        }

        pub const fn with_hartsello(self, hartsello: u32) -> Dmcontrol {
            let hartsello = (hartsello << Self::HARTSELLO_SHIFT) & Self::HARTSELLO_MASK;
            Dmcontrol((self.0 & !Self::HARTSELLO_MASK) | hartsello)
        }

        /// Writing 1 clears havereset; reads zero.
        pub const fn ackhavereset(self) -> bool {
            self.0 & Self::ACKHAVERESET_MASK != 0
        }

        pub const fn with_ackhavereset(self, ackhavereset: bool) -> Dmcontrol {
            let ackhavereset = (ackhavereset as u32) << Self::ACKHAVERESET_SHIFT;
            Dmcontrol((self.0 & !Self::ACKHAVERESET_MASK) | ackhavereset)
        }

        /// Holds the selected core in reset.
        pub const fn hartreset(self) -> bool {
            self.0 & Self::HARTRESET_MASK != 0
        }

        pub const fn with_hartreset(self, hartreset: bool) -> Dmcontrol {
            let hartreset = (hartreset as u32) << Self::HARTRESET_SHIFT;
            Dmcontrol((self.0 & !Self::HARTRESET_MASK) | hartreset)
        }

        /// Writing 1 resumes the selected core if it is halted and haltreq is 0; reads zero.
        pub const fn resumereq(self) -> bool {
            self.0 & Self::RESUMEREQ_MASK != 0
        }

        pub const fn with_resumereq(self, resumereq: bool) -> Dmcontrol {
            let resumereq = (resumereq as u32) << Self::RESUMEREQ_SHIFT;
            Dmcontrol((self.0 & !Self::RESUMEREQ_MASK) | resumereq)
        }

        /// Writing 1 asks the selected core to halt, 0 takes that back; reads zero.
        pub const fn haltreq(self) -> bool {
            self.0 & Self::HALTREQ_MASK != 0
        }

        pub const fn with_haltreq(self, haltreq: bool) -> Dmcontrol {
            let haltreq = (haltreq as u32) << Self::HALTREQ_SHIFT;
            Dmcontrol((self.0 & !Self::HALTREQ_MASK) | haltreq)
        }
    }

    impl Bits for Dmcontrol {
        fn from_bits(bits: u32) -> Self {
            Dmcontrol(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Debug module status.
    /// Of the selected core.
    pub const DMSTATUS: Register<Dmstatus, ReadOnly> = Register::new(0xE44);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Dmstatus(pub u32);

    impl Dmstatus {
        pub const VERSION_SHIFT: u32 = 0;
        pub const VERSION_MASK: u32 = 0x0000_000F;
        pub const HASRESETHALTREQ_SHIFT: u32 = 5;
        pub const HASRESETHALTREQ_MASK: u32 = 0x0000_0020;
        pub const AUTHENTICATED_SHIFT: u32 = 7;
        pub const AUTHENTICATED_MASK: u32 = 0x0000_0080;
        pub const ANYHALTED_SHIFT: u32 = 8;
        pub const ANYHALTED_MASK: u32 = 0x0000_0100;
        pub const ALLHALTED_SHIFT: u32 = 9;
        pub const ALLHALTED_MASK: u32 = 0x0000_0200;
        pub const ANYRUNNING_SHIFT: u32 = 10;
        pub const ANYRUNNING_MASK: u32 = 0x0000_0400;
        pub const ALLRUNNING_SHIFT: u32 = 11;
        pub const ALLRUNNING_MASK: u32 = 0x0000_0800;
        pub const ANYUNAVAIL_SHIFT: u32 = 12;
        pub const ANYUNAVAIL_MASK: u32 = 0x0000_1000;
        pub const ALLUNAVAIL_SHIFT: u32 = 13;
        pub const ALLUNAVAIL_MASK: u32 = 0x0000_2000;
        pub const ANYNONEXISTENT_SHIFT: u32 = 14;
        pub const ANYNONEXISTENT_MASK: u32 = 0x0000_4000;
        pub const ALLNONEXISTENT_SHIFT: u32 = 15;
        pub const ALLNONEXISTENT_MASK: u32 = 0x0000_8000;
        pub const ANYRESUMEACK_SHIFT: u32 = 16;
        pub const ANYRESUMEACK_MASK: u32 = 0x0001_0000;
        pub const ALLRESUMEACK_SHIFT: u32 = 17;
        pub const ALLRESUMEACK_MASK: u32 = 0x0002_0000;
        pub const ANYHAVERESET_SHIFT: u32 = 18;
        pub const ANYHAVERESET_MASK: u32 = 0x0004_0000;
        pub const ALLHAVERESET_SHIFT: u32 = 19;
        pub const ALLHAVERESET_MASK: u32 = 0x0008_0000;
        pub const IMPEBREAK_SHIFT: u32 = 22;
        pub const IMPEBREAK_MASK: u32 = 0x0040_0000;
        pub const NDMRESETPENDING_SHIFT: u32 = 24;
        pub const NDMRESETPENDING_MASK: u32 = 0x0100_0000;

        /// 3: version 1.0 of the specification.
        pub const fn version(self) -> u32 {
            (self.0 & Self::VERSION_MASK) >> Self::VERSION_SHIFT
        }

        pub const fn with_version(self, version: u32) -> Dmstatus {
            let version = (version << Self::VERSION_SHIFT) & Self::VERSION_MASK;
            Dmstatus((self.0 & !Self::VERSION_MASK) | version)
        }

        /// 1: setresethaltreq is there.
        pub const fn hasresethaltreq(self) -> bool {
            self.0 & Self::HASRESETHALTREQ_MASK != 0
        }

        pub const fn with_hasresethaltreq(self, hasresethaltreq: bool) -> Dmstatus {
            let hasresethaltreq = (hasresethaltreq as u32) << Self::HASRESETHALTREQ_SHIFT;
            Dmstatus((self.0 & !Self::HASRESETHALTREQ_MASK) | hasresethaltreq)
        }

        /// 1: no authentication.
        pub const fn authenticated(self) -> bool {
            self.0 & Self::AUTHENTICATED_MASK != 0
        }

        pub const fn with_authenticated(self, authenticated: bool) -> Dmstatus {
            let authenticated = (authenticated as u32) << Self::AUTHENTICATED_SHIFT;
            Dmstatus((self.0 & !Self::AUTHENTICATED_MASK) | authenticated)
        }

        pub const fn anyhalted(self) -> bool {
            self.0 & Self::ANYHALTED_MASK != 0
        }

        pub const fn with_anyhalted(self, anyhalted: bool) -> Dmstatus {
            let anyhalted = (anyhalted as u32) << Self::ANYHALTED_SHIFT;
            Dmstatus((self.0 & !Self::ANYHALTED_MASK) | anyhalted)
        }

        /// The core is halted.
        pub const fn allhalted(self) -> bool {
            self.0 & Self::ALLHALTED_MASK != 0
        }

        pub const fn with_allhalted(self, allhalted: bool) -> Dmstatus {
            let allhalted = (allhalted as u32) << Self::ALLHALTED_SHIFT;
            Dmstatus((self.0 & !Self::ALLHALTED_MASK) | allhalted)
        }

        pub const fn anyrunning(self) -> bool {
            self.0 & Self::ANYRUNNING_MASK != 0
        }

        pub const fn with_anyrunning(self, anyrunning: bool) -> Dmstatus {
            let anyrunning = (anyrunning as u32) << Self::ANYRUNNING_SHIFT;
            Dmstatus((self.0 & !Self::ANYRUNNING_MASK) | anyrunning)
        }

        /// The core runs.
        pub const fn allrunning(self) -> bool {
            self.0 & Self::ALLRUNNING_MASK != 0
        }

        pub const fn with_allrunning(self, allrunning: bool) -> Dmstatus {
            let allrunning = (allrunning as u32) << Self::ALLRUNNING_SHIFT;
            Dmstatus((self.0 & !Self::ALLRUNNING_MASK) | allrunning)
        }

        pub const fn anyunavail(self) -> bool {
            self.0 & Self::ANYUNAVAIL_MASK != 0
        }

        pub const fn with_anyunavail(self, anyunavail: bool) -> Dmstatus {
            let anyunavail = (anyunavail as u32) << Self::ANYUNAVAIL_SHIFT;
            Dmstatus((self.0 & !Self::ANYUNAVAIL_MASK) | anyunavail)
        }

        /// The core is in reset.
        pub const fn allunavail(self) -> bool {
            self.0 & Self::ALLUNAVAIL_MASK != 0
        }

        pub const fn with_allunavail(self, allunavail: bool) -> Dmstatus {
            let allunavail = (allunavail as u32) << Self::ALLUNAVAIL_SHIFT;
            Dmstatus((self.0 & !Self::ALLUNAVAIL_MASK) | allunavail)
        }

        pub const fn anynonexistent(self) -> bool {
            self.0 & Self::ANYNONEXISTENT_MASK != 0
        }

        pub const fn with_anynonexistent(self, anynonexistent: bool) -> Dmstatus {
            let anynonexistent = (anynonexistent as u32) << Self::ANYNONEXISTENT_SHIFT;
            Dmstatus((self.0 & !Self::ANYNONEXISTENT_MASK) | anynonexistent)
        }

        /// There is no such core.
        pub const fn allnonexistent(self) -> bool {
            self.0 & Self::ALLNONEXISTENT_MASK != 0
        }

        pub const fn with_allnonexistent(self, allnonexistent: bool) -> Dmstatus {
            let allnonexistent = (allnonexistent as u32) << Self::ALLNONEXISTENT_SHIFT;
            Dmstatus((self.0 & !Self::ALLNONEXISTENT_MASK) | allnonexistent)
        }

        pub const fn anyresumeack(self) -> bool {
            self.0 & Self::ANYRESUMEACK_MASK != 0
        }

        pub const fn with_anyresumeack(self, anyresumeack: bool) -> Dmstatus {
            let anyresumeack = (anyresumeack as u32) << Self::ANYRESUMEACK_SHIFT;
            Dmstatus((self.0 & !Self::ANYRESUMEACK_MASK) | anyresumeack)
        }

        /// The core did what the last resumereq asked.
        pub const fn allresumeack(self) -> bool {
            self.0 & Self::ALLRESUMEACK_MASK != 0
        }

        pub const fn with_allresumeack(self, allresumeack: bool) -> Dmstatus {
            let allresumeack = (allresumeack as u32) << Self::ALLRESUMEACK_SHIFT;
            Dmstatus((self.0 & !Self::ALLRESUMEACK_MASK) | allresumeack)
        }

        pub const fn anyhavereset(self) -> bool {
            self.0 & Self::ANYHAVERESET_MASK != 0
        }

        pub const fn with_anyhavereset(self, anyhavereset: bool) -> Dmstatus {
            let anyhavereset = (anyhavereset as u32) << Self::ANYHAVERESET_SHIFT;
            Dmstatus((self.0 & !Self::ANYHAVERESET_MASK) | anyhavereset)
        }

        /// The core was reset since ackhavereset.
        pub const fn allhavereset(self) -> bool {
            self.0 & Self::ALLHAVERESET_MASK != 0
        }

        pub const fn with_allhavereset(self, allhavereset: bool) -> Dmstatus {
            let allhavereset = (allhavereset as u32) << Self::ALLHAVERESET_SHIFT;
            Dmstatus((self.0 & !Self::ALLHAVERESET_MASK) | allhavereset)
        }

        /// 1: an ebreak follows the program buffer.
        pub const fn impebreak(self) -> bool {
            self.0 & Self::IMPEBREAK_MASK != 0
        }

        pub const fn with_impebreak(self, impebreak: bool) -> Dmstatus {
            let impebreak = (impebreak as u32) << Self::IMPEBREAK_SHIFT;
            Dmstatus((self.0 & !Self::IMPEBREAK_MASK) | impebreak)
        }

        /// ndmreset is set.
        pub const fn ndmresetpending(self) -> bool {
            self.0 & Self::NDMRESETPENDING_MASK != 0
        }

        pub const fn with_ndmresetpending(self, ndmresetpending: bool) -> Dmstatus {
            let ndmresetpending = (ndmresetpending as u32) << Self::NDMRESETPENDING_SHIFT;
            Dmstatus((self.0 & !Self::NDMRESETPENDING_MASK) | ndmresetpending)
        }
    }

    impl Bits for Dmstatus {
        fn from_bits(bits: u32) -> Self {
            Dmstatus(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Hart information.
    pub const HARTINFO: Register<Hartinfo, ReadOnly> = Register::new(0xE48);
    pub const HARTINFO_RESET: Hartinfo = Hartinfo(0x0021_2810);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Hartinfo(pub u32);

    impl Hartinfo {
        pub const DATAADDR_SHIFT: u32 = 0;
        pub const DATAADDR_MASK: u32 = 0x0000_0FFF;
        pub const DATASIZE_SHIFT: u32 = 12;
        pub const DATASIZE_MASK: u32 = 0x0000_F000;
        pub const DATAACCESS_SHIFT: u32 = 16;
        pub const DATAACCESS_MASK: u32 = 0x0001_0000;
        pub const NSCRATCH_SHIFT: u32 = 20;
        pub const NSCRATCH_MASK: u32 = 0x00F0_0000;

        /// Low bits of its address; the others are ones.
        pub const fn dataaddr(self) -> u32 {
            (self.0 & Self::DATAADDR_MASK) >> Self::DATAADDR_SHIFT
        }

        pub const fn with_dataaddr(self, dataaddr: u32) -> Hartinfo {
            let dataaddr = (dataaddr << Self::DATAADDR_SHIFT) & Self::DATAADDR_MASK;
            Hartinfo((self.0 & !Self::DATAADDR_MASK) | dataaddr)
        }

        /// Words of it.
        pub const fn datasize(self) -> u32 {
            (self.0 & Self::DATASIZE_MASK) >> Self::DATASIZE_SHIFT
        }

        pub const fn with_datasize(self, datasize: u32) -> Hartinfo {
            let datasize = (datasize << Self::DATASIZE_SHIFT) & Self::DATASIZE_MASK;
            Hartinfo((self.0 & !Self::DATASIZE_MASK) | datasize)
        }

        /// 1: DATA is in the memory of the core.
        pub const fn dataaccess(self) -> bool {
            self.0 & Self::DATAACCESS_MASK != 0
        }

        pub const fn with_dataaccess(self, dataaccess: bool) -> Hartinfo {
            let dataaccess = (dataaccess as u32) << Self::DATAACCESS_SHIFT;
            Hartinfo((self.0 & !Self::DATAACCESS_MASK) | dataaccess)
        }

        /// Scratch registers that programs may use; commands on CSRs use them too.
        pub const fn nscratch(self) -> u32 {
            (self.0 & Self::NSCRATCH_MASK) >> Self::NSCRATCH_SHIFT
        }

        pub const fn with_nscratch(self, nscratch: u32) -> Hartinfo {
            let nscratch = (nscratch << Self::NSCRATCH_SHIFT) & Self::NSCRATCH_MASK;
            Hartinfo((self.0 & !Self::NSCRATCH_MASK) | nscratch)
        }
    }

    impl Bits for Hartinfo {
        fn from_bits(bits: u32) -> Self {
            Hartinfo(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Abstract control and status.
    pub const ABSTRACTCS: Register<Abstractcs, ReadWrite> = Register::new(0xE58);
    pub const ABSTRACTCS_RESET: Abstractcs = Abstractcs(0x0200_0002);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Abstractcs(pub u32);

    impl Abstractcs {
        pub const DATACOUNT_SHIFT: u32 = 0;
        pub const DATACOUNT_MASK: u32 = 0x0000_000F;
        pub const CMDERR_SHIFT: u32 = 8;
        pub const CMDERR_MASK: u32 = 0x0000_0700;
        pub const BUSY_SHIFT: u32 = 12;
        pub const BUSY_MASK: u32 = 0x0000_1000;
        pub const PROGBUFSIZE_SHIFT: u32 = 24;
        pub const PROGBUFSIZE_MASK: u32 = 0x1F00_0000;

        /// Words of DATA.
        pub const fn datacount(self) -> u32 {
            (self.0 & Self::DATACOUNT_MASK) >> Self::DATACOUNT_SHIFT
        }

        pub const fn with_datacount(self, datacount: u32) -> Abstractcs {
            let datacount = (datacount << Self::DATACOUNT_SHIFT) & Self::DATACOUNT_MASK;
            Abstractcs((self.0 & !Self::DATACOUNT_MASK) | datacount)
        }

        /// Why a command failed: 1 busy, 2 not supported, 3 exception, 4 core not halted, 7 core was reset. Writing ones clears.
        pub const fn cmderr(self) -> u32 {
            (self.0 & Self::CMDERR_MASK) >> Self::CMDERR_SHIFT
        }

        pub const fn with_cmderr(self, cmderr: u32) -> Abstractcs {
            let cmderr = (cmderr << Self::CMDERR_SHIFT) & Self::CMDERR_MASK;
            Abstractcs((self.0 & !Self::CMDERR_MASK) | cmderr)
        }

        /// A command is executed.
        pub const fn busy(self) -> bool {
            self.0 & Self::BUSY_MASK != 0
        }

        pub const fn with_busy(self, busy: bool) -> Abstractcs {
            let busy = (busy as u32) << Self::BUSY_SHIFT;
            Abstractcs((self.0 & !Self::BUSY_MASK) | busy)
        }

        /// Words of the program buffer.
        pub const fn progbufsize(self) -> u32 {
            (self.0 & Self::PROGBUFSIZE_MASK) >> Self::PROGBUFSIZE_SHIFT
        }

        pub const fn with_progbufsize(self, progbufsize: u32) -> Abstractcs {
            let progbufsize = (progbufsize << Self::PROGBUFSIZE_SHIFT) & Self::PROGBUFSIZE_MASK;
            Abstractcs((self.0 & !Self::PROGBUFSIZE_MASK) | progbufsize)
        }
    }

    impl Bits for Abstractcs {
        fn from_bits(bits: u32) -> Self {
            Abstractcs(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Abstract command.
    /// A write executes it. Reads zero.
    pub const COMMAND: Register<Command, WriteOnly> = Register::new(0xE5C);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Command(pub u32);

    impl Command {
        pub const REGNO_SHIFT: u32 = 0;
        pub const REGNO_MASK: u32 = 0x0000_FFFF;
        pub const WRITE_SHIFT: u32 = 16;
        pub const WRITE_MASK: u32 = 0x0001_0000;
        pub const TRANSFER_SHIFT: u32 = 17;
        pub const TRANSFER_MASK: u32 = 0x0002_0000;
        pub const POSTEXEC_SHIFT: u32 = 18;
        pub const POSTEXEC_MASK: u32 = 0x0004_0000;
        pub const AARPOSTINCREMENT_SHIFT: u32 = 19;
        pub const AARPOSTINCREMENT_MASK: u32 = 0x0008_0000;
        pub const AARSIZE_SHIFT: u32 = 20;
        pub const AARSIZE_MASK: u32 = 0x0070_0000;
        pub const CMDTYPE_SHIFT: u32 = 24;
        pub const CMDTYPE_MASK: u32 = 0xFF00_0000;

        /// 0x1000 + n: x n; below 0x1000: CSR.
        pub const fn regno(self) -> u32 {
            (self.0 & Self::REGNO_MASK) >> Self::REGNO_SHIFT
        }

        pub const fn with_regno(self, regno: u32) -> Command {
            let regno = (regno << Self::REGNO_SHIFT) & Self::REGNO_MASK;
            Command((self.0 & !Self::REGNO_MASK) | regno)
        }

        /// 1 writes the register.
        pub const fn write(self) -> bool {
            self.0 & Self::WRITE_MASK != 0
        }

        pub const fn with_write(self, write: bool) -> Command {
            let write = (write as u32) << Self::WRITE_SHIFT;
            Command((self.0 & !Self::WRITE_MASK) | write)
        }

        /// Transfer between DATA_0 and the register.
        pub const fn transfer(self) -> bool {
            self.0 & Self::TRANSFER_MASK != 0
        }

        pub const fn with_transfer(self, transfer: bool) -> Command {
            let transfer = (transfer as u32) << Self::TRANSFER_SHIFT;
            Command((self.0 & !Self::TRANSFER_MASK) | transfer)
        }

        /// Execute the program buffer after the transfer.
        pub const fn postexec(self) -> bool {
            self.0 & Self::POSTEXEC_MASK != 0
        }

        pub const fn with_postexec(self, postexec: bool) -> Command {
            let postexec = (postexec as u32) << Self::POSTEXEC_SHIFT;
            Command((self.0 & !Self::POSTEXEC_MASK) | postexec)
        }

        /// Not supported.
        pub const fn aarpostincrement(self) -> bool {
            self.0 & Self::AARPOSTINCREMENT_MASK != 0
        }

        pub const fn with_aarpostincrement(self, aarpostincrement: bool) -> Command {
            let aarpostincrement = (aarpostincrement as u32) << Self::AARPOSTINCREMENT_SHIFT;
            Command((self.0 & !Self::AARPOSTINCREMENT_MASK) | aarpostincrement)
        }

        /// 2: 32 bits.
        pub const fn aarsize(self) -> u32 {
            (self.0 & Self::AARSIZE_MASK) >> Self::AARSIZE_SHIFT
        }

        pub const fn with_aarsize(self, aarsize: u32) -> Command {
            let aarsize = (aarsize << Self::AARSIZE_SHIFT) & Self::AARSIZE_MASK;
            Command((self.0 & !Self::AARSIZE_MASK) | aarsize)
        }

        /// 0, access register, is the only one.
        pub const fn cmdtype(self) -> u32 {
            (self.0 & Self::CMDTYPE_MASK) >> Self::CMDTYPE_SHIFT
        }

        pub const fn with_cmdtype(self, cmdtype: u32) -> Command {
            let cmdtype = (cmdtype << Self::CMDTYPE_SHIFT) & Self::CMDTYPE_MASK;
            Command((self.0 & !Self::CMDTYPE_MASK) | cmdtype)
        }
    }

    impl Bits for Command {
        fn from_bits(bits: u32) -> Self {
            Command(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Automatic commands.
    /// An access of a word whose bit is set executes COMMAND again.
    pub const ABSTRACTAUTO: Register<Abstractauto, ReadWrite> = Register::new(0xE60);
    pub const ABSTRACTAUTO_RESET: Abstractauto = Abstractauto(0x0000_0000);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Abstractauto(pub u32);

    impl Abstractauto {
        pub const AUTOEXECDATA_SHIFT: u32 = 0;
        pub const AUTOEXECDATA_MASK: u32 = 0x0000_0003;
        pub const AUTOEXECPROGBUF_SHIFT: u32 = 16;
        pub const AUTOEXECPROGBUF_MASK: u32 = 0x0003_0000;

        /// Words of DATA.
        pub const fn autoexecdata(self) -> u32 {
            (self.0 & Self::AUTOEXECDATA_MASK) >> Self::AUTOEXECDATA_SHIFT
        }

        pub const fn with_autoexecdata(self, autoexecdata: u32) -> Abstractauto {
            let autoexecdata = (autoexecdata << Self::AUTOEXECDATA_SHIFT) & Self::AUTOEXECDATA_MASK;
            Abstractauto((self.0 & !Self::AUTOEXECDATA_MASK) | autoexecdata)
        }

        /// Words of PROGBUF.
        pub const fn autoexecprogbuf(self) -> u32 {
            (self.0 & Self::AUTOEXECPROGBUF_MASK) >> Self::AUTOEXECPROGBUF_SHIFT
        }

        pub const fn with_autoexecprogbuf(self, autoexecprogbuf: u32) -> Abstractauto {
            let autoexecprogbuf = (autoexecprogbuf << Self::AUTOEXECPROGBUF_SHIFT) & Self::AUTOEXECPROGBUF_MASK;
            Abstractauto((self.0 & !Self::AUTOEXECPROGBUF_MASK) | autoexecprogbuf)
        }
    }

    impl Bits for Abstractauto {
        fn from_bits(bits: u32) -> Self {
            Abstractauto(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// Program buffer.
    pub const PROGBUF: Registers<u32, ReadWrite, 2> = Registers::new(0xE80);
    pub const PROGBUF_RESET: u32 = 0x0000_0000;

    /// System bus control and status.
    pub const SBCS: Register<Sbcs, ReadWrite> = Register::new(0xEE0);
    pub const SBCS_RESET: Sbcs = Sbcs(0x2004_0407);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Sbcs(pub u32);

    impl Sbcs {
        pub const SBACCESS8_SHIFT: u32 = 0;
        pub const SBACCESS8_MASK: u32 = 0x0000_0001;
        pub const SBACCESS16_SHIFT: u32 = 1;
        pub const SBACCESS16_MASK: u32 = 0x0000_0002;
        pub const SBACCESS32_SHIFT: u32 = 2;
        pub const SBACCESS32_MASK: u32 = 0x0000_0004;
        pub const SBASIZE_SHIFT: u32 = 5;
        pub const SBASIZE_MASK: u32 = 0x0000_0FE0;
        pub const SBERROR_SHIFT: u32 = 12;
        pub const SBERROR_MASK: u32 = 0x0000_7000;
        pub const SBREADONDATA_SHIFT: u32 = 15;
        pub const SBREADONDATA_MASK: u32 = 0x0000_8000;
        pub const SBAUTOINCREMENT_SHIFT: u32 = 16;
        pub const SBAUTOINCREMENT_MASK: u32 = 0x0001_0000;
        pub const SBACCESS_SHIFT: u32 = 17;
        pub const SBACCESS_MASK: u32 = 0x000E_0000;
        pub const SBREADONADDR_SHIFT: u32 = 20;
        pub const SBREADONADDR_MASK: u32 = 0x0010_0000;
        pub const SBBUSY_SHIFT: u32 = 21;
        pub const SBBUSY_MASK: u32 = 0x0020_0000;
        pub const SBBUSYERROR_SHIFT: u32 = 22;
        pub const SBBUSYERROR_MASK: u32 = 0x0040_0000;
        pub const SBVERSION_SHIFT: u32 = 29;
        pub const SBVERSION_MASK: u32 = 0xE000_0000;

        /// Bytes can be accessed.
        pub const fn sbaccess8(self) -> bool {
            self.0 & Self::SBACCESS8_MASK != 0
        }

        pub const fn with_sbaccess8(self, sbaccess8: bool) -> Sbcs {
            let sbaccess8 = (sbaccess8 as u32) << Self::SBACCESS8_SHIFT;
            Sbcs((self.0 & !Self::SBACCESS8_MASK) | sbaccess8)
        }

        /// Halfwords can be accessed.
        pub const fn sbaccess16(self) -> bool {
            self.0 & Self::SBACCESS16_MASK != 0
        }

        pub const fn with_sbaccess16(self, sbaccess16: bool) -> Sbcs {
            let sbaccess16 = (sbaccess16 as u32) << Self::SBACCESS16_SHIFT;
            Sbcs((self.0 & !Self::SBACCESS16_MASK) | sbaccess16)
        }

        /// Words can be accessed.
        pub const fn sbaccess32(self) -> bool {
            self.0 & Self::SBACCESS32_MASK != 0
        }

        pub const fn with_sbaccess32(self, sbaccess32: bool) -> Sbcs {
            let sbaccess32 = (sbaccess32 as u32) << Self::SBACCESS32_SHIFT;
            Sbcs((self.0 & !Self::SBACCESS32_MASK) | sbaccess32)
        }

        /// Bits of an address.
        pub const fn sbasize(self) -> u32 {
            (self.0 & Self::SBASIZE_MASK) >> Self::SBASIZE_SHIFT
        }

        pub const fn with_sbasize(self, sbasize: u32) -> Sbcs {
            let sbasize = (sbasize << Self::SBASIZE_SHIFT) & Self::SBASIZE_MASK;
            Sbcs((self.0 & !Self::SBASIZE_MASK) | sbasize)
        }

        /// 2 bad address, 3 alignment, 4 size. Writing ones clears.
        pub const fn sberror(self) -> u32 {
            (self.0 & Self::SBERROR_MASK) >> Self::SBERROR_SHIFT
        }

        pub const fn with_sberror(self, sberror: u32) -> Sbcs {
            let sberror = (sberror << Self::SBERROR_SHIFT) & Self::SBERROR_MASK;
            Sbcs((self.0 & !Self::SBERROR_MASK) | sberror)
        }

        /// A read of SBDATA0 reads anew.
        pub const fn sbreadondata(self) -> bool {
            self.0 & Self::SBREADONDATA_MASK != 0
        }

        pub const fn with_sbreadondata(self, sbreadondata: bool) -> Sbcs {
            let sbreadondata = (sbreadondata as u32) << Self::SBREADONDATA_SHIFT;
            Sbcs((self.0 & !Self::SBREADONDATA_MASK) | sbreadondata)
        }

        /// Every access adds its size to SBADDRESS0.
        pub const fn sbautoincrement(self) -> bool {
            self.0 & Self::SBAUTOINCREMENT_MASK != 0
        }

        pub const fn with_sbautoincrement(self, sbautoincrement: bool) -> Sbcs {
            let sbautoincrement = (sbautoincrement as u32) << Self::SBAUTOINCREMENT_SHIFT;
            Sbcs((self.0 & !Self::SBAUTOINCREMENT_MASK) | sbautoincrement)
        }

        /// Base-2 logarithm of the size in bytes, 0 to 2.
        pub const fn sbaccess(self) -> u32 {
            (self.0 & Self::SBACCESS_MASK) >> Self::SBACCESS_SHIFT
        }

        pub const fn with_sbaccess(self, sbaccess: u32) -> Sbcs {
            let sbaccess = (sbaccess << Self::SBACCESS_SHIFT) & Self::SBACCESS_MASK;
            Sbcs((self.0 & !Self::SBACCESS_MASK) | sbaccess)
        }

        /// A write of SBADDRESS0 reads from there.
        pub const fn sbreadonaddr(self) -> bool {
            self.0 & Self::SBREADONADDR_MASK != 0
        }

        pub const fn with_sbreadonaddr(self, sbreadonaddr: bool) -> Sbcs {
            let sbreadonaddr = (sbreadonaddr as u32) << Self::SBREADONADDR_SHIFT;
            Sbcs((self.0 & !Self::SBREADONADDR_MASK) | sbreadonaddr)
        }

        /// An access is under way.
        pub const fn sbbusy(self) -> bool {
            self.0 & Self::SBBUSY_MASK != 0
        }

        pub const fn with_sbbusy(self, sbbusy: bool) -> Sbcs {
            let sbbusy = (sbbusy as u32) << Self::SBBUSY_SHIFT;
            Sbcs((self.0 & !Self::SBBUSY_MASK) | sbbusy)
        }

        /// An access came while one was under way. Writing 1 clears.
        pub const fn sbbusyerror(self) -> bool {
            self.0 & Self::SBBUSYERROR_MASK != 0
        }

        pub const fn with_sbbusyerror(self, sbbusyerror: bool) -> Sbcs {
            let sbbusyerror = (sbbusyerror as u32) << Self::SBBUSYERROR_SHIFT;
            Sbcs((self.0 & !Self::SBBUSYERROR_MASK) | sbbusyerror)
        }

        /// 1: version 1.0 of the specification.
        pub const fn sbversion(self) -> u32 {
            (self.0 & Self::SBVERSION_MASK) >> Self::SBVERSION_SHIFT
        }

        pub const fn with_sbversion(self, sbversion: u32) -> Sbcs {
            let sbversion = (sbversion << Self::SBVERSION_SHIFT) & Self::SBVERSION_MASK;
            Sbcs((self.0 & !Self::SBVERSION_MASK) | sbversion)
        }
    }

    impl Bits for Sbcs {
        fn from_bits(bits: u32) -> Self {
            Sbcs(bits)
        }

        fn to_bits(self) -> u32 {
            self.0
        }
    }

    /// System bus address.
    /// As a core sees it: SRAM or the register page.
    pub const SBADDRESS0: Register<u32, ReadWrite> = Register::new(0xEE4);
    pub const SBADDRESS0_RESET: u32 = 0x0000_0000;

    /// System bus data.
    /// A write is written to SBADDRESS0.
    pub const SBDATA0: Register<u32, ReadWrite> = Register::new(0xEF0);
    pub const SBDATA0_RESET: u32 = 0x0000_0000;

    /// Halted cores.
    pub const HALTSUM0: Register<u32, ReadOnly> = Register::new(0xF00);
    pub const HALTSUM0_MASK: u32 = 0x0000_0003;
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
        reset: Some(0x0001_0001),
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
        mask: 0x1FFF_FFFF,
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
        name: "IDENT.BOOT_ADDRESS_B",
        offset: Offset(0x030),
        count: 1,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x1000_0400),
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
        name: "EVENT_B.PENDING",
        offset: Offset(0x200),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "EVENT_B.CLEAR",
        offset: Offset(0x204),
        count: 1,
        access: Access::WriteOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "EVENT_B.SET",
        offset: Offset(0x208),
        count: 1,
        access: Access::WriteOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "EVENT_B.ENABLE",
        offset: Offset(0x20C),
        count: 1,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "EVENT_B.NEXT",
        offset: Offset(0x210),
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
        name: "TIMER_B.COUNT",
        offset: Offset(0x680),
        count: 1,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "TIMER_B.ARM",
        offset: Offset(0x684),
        count: 1,
        access: Access::OnesSet,
        mask: 0x0000_000F,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "TIMER_B.DISARM",
        offset: Offset(0x688),
        count: 1,
        access: Access::WriteOnly,
        mask: 0x0000_000F,
        reset: None,
    },
    Entry {
        name: "TIMER_B.COMPARE",
        offset: Offset(0x690),
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
        count: 9,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "SRAM.WAITS",
        offset: Offset(0xC40),
        count: 9,
        access: Access::ReadOnly,
        mask: 0xFFFF_FFFF,
        reset: None,
    },
    Entry {
        name: "DEBUG.DATA",
        offset: Offset(0xE10),
        count: 2,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DEBUG.DMCONTROL",
        offset: Offset(0xE40),
        count: 1,
        access: Access::ReadWrite,
        mask: 0xF003_000F,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DEBUG.DMSTATUS",
        offset: Offset(0xE44),
        count: 1,
        access: Access::ReadOnly,
        mask: 0x014F_FFAF,
        reset: None,
    },
    Entry {
        name: "DEBUG.HARTINFO",
        offset: Offset(0xE48),
        count: 1,
        access: Access::ReadOnly,
        mask: 0x00F1_FFFF,
        reset: Some(0x0021_2810),
    },
    Entry {
        name: "DEBUG.ABSTRACTCS",
        offset: Offset(0xE58),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x1F00_170F,
        reset: Some(0x0200_0002),
    },
    Entry {
        name: "DEBUG.COMMAND",
        offset: Offset(0xE5C),
        count: 1,
        access: Access::WriteOnly,
        mask: 0xFF7F_FFFF,
        reset: None,
    },
    Entry {
        name: "DEBUG.ABSTRACTAUTO",
        offset: Offset(0xE60),
        count: 1,
        access: Access::ReadWrite,
        mask: 0x0003_0003,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DEBUG.PROGBUF",
        offset: Offset(0xE80),
        count: 2,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DEBUG.SBCS",
        offset: Offset(0xEE0),
        count: 1,
        access: Access::ReadWrite,
        mask: 0xE07F_FFE7,
        reset: Some(0x2004_0407),
    },
    Entry {
        name: "DEBUG.SBADDRESS0",
        offset: Offset(0xEE4),
        count: 1,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DEBUG.SBDATA0",
        offset: Offset(0xEF0),
        count: 1,
        access: Access::ReadWrite,
        mask: 0xFFFF_FFFF,
        reset: Some(0x0000_0000),
    },
    Entry {
        name: "DEBUG.HALTSUM0",
        offset: Offset(0xF00),
        count: 1,
        access: Access::ReadOnly,
        mask: 0x0000_0003,
        reset: None,
    },
];
