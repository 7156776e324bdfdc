//! The registers: where they are and what their bits mean.
//!
//! Written by `tools/registers/generate.py` from `rtl/registers/nicscope.rdl`: change that file.
//!
//! Nothing here touches hardware. Firmware reads and writes [`Register`]s with volatile accesses at
//! [`crate::CORE_REGISTER_BASE`] plus the offset, the driver with accesses to BAR 0. A register that
//! is one number holds a `u32`; a register with several fields, or a single bit, has a type of its
//! own. [`crate::register`] says what the lines of this table become.

pub use crate::register::{
    Access, Bits, Entry, Offset, ReadOnly, ReadWrite, Readable, Register, Registers, Writable, WriteOnly,
};

crate::register::map! {
    /// Identification and control.
    ident "IDENT" {
        /// Identification.
        /// Reads 0x4E534350, the letters NSCP.
        ReadOnly ID: u32 = 0x000, mask 0xFFFF_FFFF, reset 0x4E53_4350 [ID_RESET];

        /// Version.
        /// The version of this register map.
        ReadOnly VERSION: Version = 0x004, mask 0xFFFF_FFFF, reset 0x0001_0001 [VERSION_RESET] {
            /// Changes when something is added.
            minor, with_minor, [MINOR_SHIFT, MINOR_MASK]: u32 = 15:0;
            /// Changes when a layout breaks.
            major, with_major, [MAJOR_SHIFT, MAJOR_MASK]: u32 = 31:16;
        };

        /// SRAM size in bytes.
        ReadOnly SRAM_BYTES: u32 = 0x008, mask 0xFFFF_FFFF;

        /// Capabilities.
        ReadOnly CAPABILITIES: Capabilities = 0x00C, mask 0x1FFF_FFFF {
            /// Number of cores.
            cores, with_cores, [CORES_SHIFT, CORES_MASK]: u32 = 3:0;
            /// Doorbell pages.
            doorbell_pages, with_doorbell_pages, [DOORBELL_PAGES_SHIFT, DOORBELL_PAGES_MASK]: u32 = 11:4;
            /// Scratchpad of core A in KiB.
            scratchpad_kib, with_scratchpad_kib, [SCRATCHPAD_KIB_SHIFT, SCRATCHPAD_KIB_MASK]: u32 = 19:12;
            /// 1 when the slot is 64 bits wide (REQ64# at reset).
            pci_64, with_pci_64, [PCI_64_SHIFT, PCI_64_MASK]: bool = 20:20;
            /// Scratchpad of core B in KiB; 0 with one core.
            scratchpad_b_kib, with_scratchpad_b_kib, [SCRATCHPAD_B_KIB_SHIFT, SCRATCHPAD_B_KIB_MASK]: u32 = 28:21;
        };

        /// Core control.
        ReadWrite CORE_CONTROL: CoreControl = 0x010, mask 0x0000_0003, reset 0x0000_0000 [CORE_CONTROL_RESET] {
            /// 0 holds core A in reset, 1 lets it run from BOOT_ADDRESS.
            run_a, with_run_a, [RUN_A_SHIFT, RUN_A_MASK]: bool = 0:0;
            /// The same for core B, from BOOT_ADDRESS_B. Stays 0 with one core.
            run_b, with_run_b, [RUN_B_SHIFT, RUN_B_MASK]: bool = 1:1;
        };

        /// Core status.
        ReadOnly CORE_STATUS: CoreStatus = 0x014, mask 0x0000_0003 {
            /// Core A waits in wfi.
            sleep_a, with_sleep_a, [SLEEP_A_SHIFT, SLEEP_A_MASK]: bool = 0:0;
            /// Core B waits in wfi.
            sleep_b, with_sleep_b, [SLEEP_B_SHIFT, SLEEP_B_MASK]: bool = 1:1;
        };

        /// Boot address.
        /// First instruction of core A after CORE_CONTROL.run_a, core view.
        ReadWrite BOOT_ADDRESS: u32 = 0x018, mask 0xFFFF_FFFF, reset 0x1000_0400 [BOOT_ADDRESS_RESET];

        /// Scratch.
        /// Holds what was written last.
        ReadWrite SCRATCH: u32 = 0x01C, mask 0xFFFF_FFFF, reset 0x0000_0000 [SCRATCH_RESET];

        /// Core cycles, low.
        /// Core clocks since reset. Reading the low half latches the high half.
        ReadOnly CYCLES_LO: u32 = 0x020, mask 0xFFFF_FFFF;

        /// Core cycles, high.
        /// Latched by the last read of CYCLES_LO.
        ReadOnly CYCLES_HI: u32 = 0x024, mask 0xFFFF_FFFF;

        /// Window base.
        /// SRAM byte address, a multiple of 2048, that the 2 KB window at BAR 0 offset 0x1800 shows
        /// (facts E-3).
        ReadWrite WINDOW_BASE: u32 = 0x028, mask 0x001F_FFFF [WINDOW_BASE_MASK], reset 0x0000_0000 [WINDOW_BASE_RESET];

        /// Refused accesses.
        /// Host accesses to an address that holds nothing. Reads returned zero, writes were
        /// dropped.
        ReadOnly HOST_REFUSED: u32 = 0x02C, mask 0xFFFF_FFFF;

        /// Boot address of core B.
        /// First instruction after CORE_CONTROL.run_b, core view.
        ReadWrite BOOT_ADDRESS_B: u32 = 0x030, mask 0xFFFF_FFFF, reset 0x1000_0400 [BOOT_ADDRESS_B_RESET];
    }

    /// Events of core A (seen by core B: its own).
    event_a "EVENT_A" {
        /// Pending events.
        /// One bit per event; docs/events.md lists them. Set by hardware or SET, cleared by CLEAR;
        /// set wins when both come in one clock.
        ReadOnly PENDING: u32 = 0x100, mask 0xFFFF_FFFF;

        /// Clear events.
        /// Writing 1 clears that pending bit; reads zero.
        WriteOnly CLEAR: u32 = 0x104, mask 0xFFFF_FFFF;

        /// Set events.
        /// Writing 1 sets that pending bit; reads zero.
        WriteOnly SET: u32 = 0x108, mask 0xFFFF_FFFF;

        /// Enabled events.
        /// Only enabled events reach NEXT and the core's interrupt line (which also ends wfi).
        ReadWrite ENABLE: u32 = 0x10C, mask 0xFFFF_FFFF, reset 0x0000_0000 [ENABLE_RESET];

        /// Next event.
        /// Four times the lowest number among the events that are pending and enabled: the byte
        /// offset in a jump table. 128 when there is none.
        ReadOnly NEXT: u32 = 0x110, mask 0xFFFF_FFFF;
    }

    /// Events of core B (seen by core B: those of core A).
    event_b "EVENT_B" {
        /// Pending events.
        ReadOnly PENDING: u32 = 0x200, mask 0xFFFF_FFFF;

        /// Clear events.
        WriteOnly CLEAR: u32 = 0x204, mask 0xFFFF_FFFF;

        /// Set events.
        WriteOnly SET: u32 = 0x208, mask 0xFFFF_FFFF;

        /// Enabled events.
        ReadWrite ENABLE: u32 = 0x20C, mask 0xFFFF_FFFF, reset 0x0000_0000 [ENABLE_RESET];

        /// Next event.
        ReadOnly NEXT: u32 = 0x210, mask 0xFFFF_FFFF;
    }

    /// Interrupt to the host.
    interrupt "INTERRUPT" {
        /// Interrupt causes.
        /// Writing 1 clears. Causes 0 to 7: a write to MAILBOX.TO_HOST_n. Others: SET.
        OnesClear CAUSE: u32 = 0x300, mask 0xFFFF_FFFF, reset 0x0000_0000 [CAUSE_RESET];

        /// Set causes.
        /// Writing 1 sets that cause; set wins over a clear in the same clock. Reads zero.
        WriteOnly SET: u32 = 0x304, mask 0xFFFF_FFFF;

        /// Enabled causes.
        /// INTA# is asserted while an enabled cause is set.
        ReadWrite ENABLE: u32 = 0x308, mask 0xFFFF_FFFF, reset 0x0000_0000 [ENABLE_RESET];

        /// Interrupt status.
        /// CAUSE and ENABLE.
        ReadOnly STATUS: u32 = 0x30C, mask 0xFFFF_FFFF;
    }

    /// Doorbells.
    doorbell "DOORBELL" {
        /// Pending doorbells.
        /// Bit n: a write to doorbell page n since it was cleared. Each such write also sets event
        /// DOORBELL.
        ReadOnly PENDING: u32 = 0x400, mask 0x0000_FFFF [PENDING_MASK];

        /// Clear doorbells.
        /// Writing 1 clears; a doorbell write in the same clock wins.
        WriteOnly CLEAR: u32 = 0x404, mask 0x0000_FFFF [CLEAR_MASK];

        /// Value written to doorbell page.
        /// The last dword written anywhere in that page.
        ReadOnly VALUE[16]: u32 = 0x440, mask 0xFFFF_FFFF;
    }

    /// Mailboxes.
    mailbox "MAILBOX" {
        /// Host to NIC.
        /// A write by the host sets PENDING.n and event MAILBOX.
        ReadWrite TO_NIC[8]: u32 = 0x500, mask 0xFFFF_FFFF, reset 0x0000_0000 [TO_NIC_RESET];

        /// NIC to host.
        /// A write by a core sets INTERRUPT.CAUSE.n.
        ReadWrite TO_HOST[8]: u32 = 0x520, mask 0xFFFF_FFFF, reset 0x0000_0000 [TO_HOST_RESET];

        /// Pending mailboxes.
        ReadOnly PENDING: u32 = 0x540, mask 0x0000_00FF [PENDING_MASK];

        /// Clear mailboxes.
        /// Writing 1 clears; a host write in the same clock wins.
        WriteOnly CLEAR: u32 = 0x544, mask 0x0000_00FF [CLEAR_MASK];
    }

    /// Timers of core A (seen by core B: its own).
    timer "TIMER" {
        /// Time in core clocks.
        /// Free-running; the low half of IDENT.CYCLES.
        ReadOnly COUNT: u32 = 0x600, mask 0xFFFF_FFFF;

        /// Arm.
        /// Writing 1 to bit n arms timer n; reads which are armed.
        OnesSet ARM: u32 = 0x604, mask 0x0000_000F [ARM_MASK], reset 0x0000_0000 [ARM_RESET];

        /// Disarm.
        /// Writing 1 to bit n disarms timer n; arming in the same clock wins. Reads zero.
        WriteOnly DISARM: u32 = 0x608, mask 0x0000_000F [DISARM_MASK];

        /// Compare.
        /// An armed timer n fires event TIMER_n once, and disarms, when COUNT - COMPARE_n is not
        /// negative as a signed number. A write also arms the timer.
        ReadWrite COMPARE[4]: u32 = 0x610, mask 0xFFFF_FFFF, reset 0x0000_0000 [COMPARE_RESET];
    }

    /// Timers of core B (seen by core B: those of core A).
    timer_b "TIMER_B" {
        /// Time in core clocks.
        ReadOnly COUNT: u32 = 0x680, mask 0xFFFF_FFFF;

        /// Arm.
        /// Writing ones sets.
        OnesSet ARM: u32 = 0x684, mask 0x0000_000F [ARM_MASK], reset 0x0000_0000 [ARM_RESET];

        /// Disarm.
        WriteOnly DISARM: u32 = 0x688, mask 0x0000_000F [DISARM_MASK];

        /// Compare.
        ReadWrite COMPARE[4]: u32 = 0x690, mask 0xFFFF_FFFF, reset 0x0000_0000 [COMPARE_RESET];
    }

    /// Semaphore.
    semaphore "SEMAPHORE" {
        /// Request by core A.
        /// Any write asks for the semaphore; reads 1 while core A owns it (facts E-5). Seen by core
        /// B: its own.
        ReadWrite CORE_A: CoreA = 0x700, mask 0x0000_0001, reset 0x0000_0000 [CORE_A_RESET] {
            /// Core A owns the semaphore.
            owned, with_owned, [OWNED_SHIFT, OWNED_MASK]: bool = 0:0;
        };

        /// Request by core B.
        /// Seen by core B: that of core A.
        ReadWrite CORE_B: CoreB = 0x704, mask 0x0000_0001, reset 0x0000_0000 [CORE_B_RESET] {
            /// Core B owns the semaphore.
            owned, with_owned, [OWNED_SHIFT, OWNED_MASK]: bool = 0:0;
        };

        /// Release.
        /// Writing the number of a core (0 A, 1 B) ends its ownership or withdraws its request.
        WriteOnly RELEASE: Release = 0x708, mask 0x0000_0001 {
            /// The core: 0 is A, 1 is B.
            core, with_core, [CORE_SHIFT, CORE_MASK]: bool = 0:0;
        };
    }

    /// Host-read DMA engine (host memory to SRAM).
    dma_read "DMA_READ" {
        /// Control.
        ReadWrite CONTROL: Control = 0x800, mask 0x0000_0003, reset 0x0000_0000 [CONTROL_RESET] {
            /// 1 processes descriptors; 0 stops before the next one.
            enable, with_enable, [ENABLE_SHIFT, ENABLE_MASK]: bool = 0:0;
            /// Writing 1 resets the engine: descriptors that have begun end with status 6 if not
            /// otherwise, what was read ahead is dropped, and the other registers but the counters
            /// get their reset values. Reads 1 until that is done.
            reset, with_reset, [RESET_SHIFT, RESET_MASK]: bool = 1:1;
        };

        /// Status.
        ReadOnly STATUS: Status = 0x804, mask 0x0000_0073 {
            /// A descriptor is being worked on.
            busy, with_busy, [BUSY_SHIFT, BUSY_MASK]: bool = 0:0;
            /// Stopped by an error; RESUME goes on with the next descriptor.
            halted, with_halted, [HALTED_SHIFT, HALTED_MASK]: bool = 1:1;
            /// PCI status of the descriptor that halted.
            error, with_error, [ERROR_SHIFT, ERROR_MASK]: u32 = 6:4;
        };

        /// Resume.
        /// Any write ends a halt.
        WriteOnly RESUME: Resume = 0x808, mask 0x0000_0001 {
            /// The value written does not matter.
            any, with_any, [ANY_SHIFT, ANY_MASK]: bool = 0:0;
        };

        /// Ring base.
        /// SRAM byte address, a multiple of 16.
        ReadWrite RING_BASE: u32 = 0x80C, mask 0x001F_FFFF [RING_BASE_MASK], reset 0x0000_0000 [RING_BASE_RESET];

        /// Ring size.
        /// Base-2 logarithm of the number of descriptors, 1 to 8.
        ReadWrite RING_LOG2: u32 = 0x810, mask 0x0000_000F [RING_LOG2_MASK], reset 0x0000_0006 [RING_LOG2_RESET];

        /// Producer index.
        /// Free-running; written by firmware after the descriptor.
        ReadWrite PRODUCER: u32 = 0x814, mask 0x0000_FFFF [PRODUCER_MASK], reset 0x0000_0000 [PRODUCER_RESET];

        /// Consumer index.
        /// Free-running; descriptors before it are complete. A write is accepted while the engine
        /// is disabled and idle.
        ReadWrite CONSUMER: u32 = 0x818, mask 0x0000_FFFF [CONSUMER_MASK], reset 0x0000_0000 [CONSUMER_RESET];

        /// Descriptors completed.
        ReadOnly DESCRIPTORS: u32 = 0x820, mask 0xFFFF_FFFF;

        /// Bytes moved.
        ReadOnly BYTES: u32 = 0x824, mask 0xFFFF_FFFF;

        /// Descriptors that ended in an error.
        ReadOnly ERRORS: u32 = 0x828, mask 0xFFFF_FFFF;

        /// Descriptors refused.
        /// SRAM range outside the SRAM: marked done with error 7, nothing moved, no halt.
        ReadOnly REFUSED: u32 = 0x82C, mask 0xFFFF_FFFF;

        /// Bytes read ahead.
        /// What the command in work has asked for and no descriptor has used.
        ReadOnly AHEAD: u32 = 0x830, mask 0x0000_3FFF [AHEAD_MASK];
    }

    /// Host-write DMA engine (SRAM to host memory).
    dma_write "DMA_WRITE" {
        /// Control.
        ReadWrite CONTROL: Control = 0x880, mask 0x0000_0003, reset 0x0000_0000 [CONTROL_RESET] {
            /// 1 processes descriptors; 0 stops before the next one.
            enable, with_enable, [ENABLE_SHIFT, ENABLE_MASK]: bool = 0:0;
            /// Writing 1 resets the engine: descriptors that have begun end with status 6 if not
            /// otherwise, what was read ahead is dropped, and the other registers but the counters
            /// get their reset values. Reads 1 until that is done.
            reset, with_reset, [RESET_SHIFT, RESET_MASK]: bool = 1:1;
        };

        /// Status.
        ReadOnly STATUS: Status = 0x884, mask 0x0000_0073 {
            /// A descriptor is being worked on.
            busy, with_busy, [BUSY_SHIFT, BUSY_MASK]: bool = 0:0;
            /// Stopped by an error; RESUME goes on with the next descriptor.
            halted, with_halted, [HALTED_SHIFT, HALTED_MASK]: bool = 1:1;
            /// PCI status of the descriptor that halted.
            error, with_error, [ERROR_SHIFT, ERROR_MASK]: u32 = 6:4;
        };

        /// Resume.
        /// Any write ends a halt.
        WriteOnly RESUME: Resume = 0x888, mask 0x0000_0001 {
            /// The value written does not matter.
            any, with_any, [ANY_SHIFT, ANY_MASK]: bool = 0:0;
        };

        /// Ring base.
        ReadWrite RING_BASE: u32 = 0x88C, mask 0x001F_FFFF [RING_BASE_MASK], reset 0x0000_0000 [RING_BASE_RESET];

        /// Ring size.
        ReadWrite RING_LOG2: u32 = 0x890, mask 0x0000_000F [RING_LOG2_MASK], reset 0x0000_0006 [RING_LOG2_RESET];

        /// Producer index.
        ReadWrite PRODUCER: u32 = 0x894, mask 0x0000_FFFF [PRODUCER_MASK], reset 0x0000_0000 [PRODUCER_RESET];

        /// Consumer index.
        ReadWrite CONSUMER: u32 = 0x898, mask 0x0000_FFFF [CONSUMER_MASK], reset 0x0000_0000 [CONSUMER_RESET];

        /// Descriptors completed.
        ReadOnly DESCRIPTORS: u32 = 0x8A0, mask 0xFFFF_FFFF;

        /// Bytes moved.
        ReadOnly BYTES: u32 = 0x8A4, mask 0xFFFF_FFFF;

        /// Descriptors that ended in an error.
        ReadOnly ERRORS: u32 = 0x8A8, mask 0xFFFF_FFFF;

        /// Descriptors refused.
        ReadOnly REFUSED: u32 = 0x8AC, mask 0xFFFF_FFFF;
    }

    /// MAC, transmit.
    mac_tx "MAC_TX" {
        /// Control.
        ReadWrite CONTROL: Control = 0x900, mask 0x0000_0001, reset 0x0000_0000 [CONTROL_RESET] {
            /// 1 transmits; 0 stops after the current frame.
            enable, with_enable, [ENABLE_SHIFT, ENABLE_MASK]: bool = 0:0;
        };

        /// Ring base.
        /// SRAM byte address, a multiple of 8.
        ReadWrite RING_BASE: u32 = 0x90C, mask 0x001F_FFFF [RING_BASE_MASK], reset 0x0000_0000 [RING_BASE_RESET];

        /// Ring size.
        /// Base-2 logarithm of the number of descriptors, 1 to 8.
        ReadWrite RING_LOG2: u32 = 0x910, mask 0x0000_000F [RING_LOG2_MASK], reset 0x0000_0008 [RING_LOG2_RESET];

        /// Producer index.
        /// Free-running; frames before it may be sent. Writing sets it; ADVANCE and the DMA assist
        /// add to it.
        ReadWrite PRODUCER: u32 = 0x914, mask 0x0000_FFFF [PRODUCER_MASK], reset 0x0000_0000 [PRODUCER_RESET];

        /// Consumer index.
        /// Free-running; descriptors before it are done. A write is accepted while transmission is
        /// disabled and idle.
        ReadWrite CONSUMER: u32 = 0x918, mask 0x0000_FFFF [CONSUMER_MASK], reset 0x0000_0000 [CONSUMER_RESET];

        /// Advance the producer.
        /// Adds the written number to PRODUCER; an assist in the same clock is added too. Reads
        /// zero.
        WriteOnly ADVANCE: u32 = 0x91C, mask 0x0000_00FF [ADVANCE_MASK];

        /// Frames sent.
        ReadOnly FRAMES: u32 = 0x920, mask 0xFFFF_FFFF;

        /// Bytes sent.
        /// From the destination address to the end of the FCS, padding included.
        ReadOnly BYTES: u32 = 0x924, mask 0xFFFF_FFFF;

        /// Underruns.
        /// Frames that ended with TX_ER because SRAM was late.
        ReadOnly UNDERRUNS: u32 = 0x928, mask 0xFFFF_FFFF;

        /// Refused descriptors.
        /// Length 0 or above MAC_RX.MAX_FRAME, or outside the SRAM: not sent.
        ReadOnly REFUSED: u32 = 0x92C, mask 0xFFFF_FFFF;

        /// Skipped descriptors.
        /// Flag SKIP set by firmware.
        ReadOnly SKIPPED: u32 = 0x930, mask 0xFFFF_FFFF;
    }

    /// MAC, receive.
    mac_rx "MAC_RX" {
        /// Control.
        ReadWrite CONTROL: Control = 0xA00, mask 0x0000_0001, reset 0x0000_0000 [CONTROL_RESET] {
            /// 1 receives; 0 ignores the link from the next frame on.
            enable, with_enable, [ENABLE_SHIFT, ENABLE_MASK]: bool = 0:0;
        };

        /// Buffer size in bytes.
        /// The size of every buffer in the ring, a multiple of 8.
        ReadWrite BUFFER_BYTES: u32 = 0xA04, mask 0x0000_FFFF [BUFFER_BYTES_MASK], reset 0x0000_0800 [BUFFER_BYTES_RESET];

        /// Largest frame in bytes.
        /// From the destination address to the end of the data, without FCS.
        ReadWrite MAX_FRAME: u32 = 0xA08, mask 0x0000_FFFF [MAX_FRAME_MASK], reset 0x0000_05EA [MAX_FRAME_RESET];

        /// Ring base.
        ReadWrite RING_BASE: u32 = 0xA0C, mask 0x001F_FFFF [RING_BASE_MASK], reset 0x0000_0000 [RING_BASE_RESET];

        /// Ring size.
        ReadWrite RING_LOG2: u32 = 0xA10, mask 0x0000_000F [RING_LOG2_MASK], reset 0x0000_0008 [RING_LOG2_RESET];

        /// Producer index.
        /// Free-running; buffers before it may be filled.
        ReadWrite PRODUCER: u32 = 0xA14, mask 0x0000_FFFF [PRODUCER_MASK], reset 0x0000_0000 [PRODUCER_RESET];

        /// Consumer index.
        /// Free-running; buffers before it hold good frames. A write is accepted while reception is
        /// disabled and idle.
        ReadWrite CONSUMER: u32 = 0xA18, mask 0x0000_FFFF [CONSUMER_MASK], reset 0x0000_0000 [CONSUMER_RESET];

        /// Good frames.
        /// In the ring.
        ReadOnly FRAMES: u32 = 0xA20, mask 0xFFFF_FFFF;

        /// Bytes of good frames.
        /// With FCS.
        ReadOnly BYTES: u32 = 0xA24, mask 0xFFFF_FFFF;

        /// Dropped: bad FCS.
        ReadOnly BAD_FCS: u32 = 0xA28, mask 0xFFFF_FFFF;

        /// Dropped: shorter than 64 bytes.
        /// With FCS.
        ReadOnly RUNTS: u32 = 0xA2C, mask 0xFFFF_FFFF;

        /// Dropped: longer than MAX_FRAME.
        ReadOnly GIANTS: u32 = 0xA30, mask 0xFFFF_FFFF;

        /// Dropped: RX_ER during the frame.
        ReadOnly RX_ERRORS: u32 = 0xA34, mask 0xFFFF_FFFF;

        /// Dropped: broken preamble.
        /// RX_DV fell before a start frame delimiter, or another byte than 0x55 came before it.
        ReadOnly BAD_PREAMBLES: u32 = 0xA38, mask 0xFFFF_FFFF;

        /// Dropped: no buffer in the ring.
        ReadOnly NO_BUFFER: u32 = 0xA3C, mask 0xFFFF_FFFF;

        /// Dropped: SRAM too late, or the frame larger than its buffer.
        ReadOnly OVERFLOWS: u32 = 0xA40, mask 0xFFFF_FFFF;

        /// Frames begun.
        /// RX_DV rose while reception was enabled: the sum of all endings, plus one while a frame
        /// is arriving.
        ReadOnly STARTED: u32 = 0xA44, mask 0xFFFF_FFFF;
    }

    /// PCI counters.
    pci "PCI" {
        /// Target writes accepted, dwords.
        ReadOnly TARGET_WRITES: u32 = 0xB00, mask 0xFFFF_FFFF;

        /// Target reads delivered, dwords.
        ReadOnly TARGET_READS: u32 = 0xB04, mask 0xFFFF_FFFF;

        /// Target retries given.
        ReadOnly TARGET_RETRIES: u32 = 0xB08, mask 0xFFFF_FFFF;

        /// Delayed reads discarded.
        /// The master did not come back within 2^15 PCI clocks.
        ReadOnly TARGET_DISCARDS: u32 = 0xB0C, mask 0xFFFF_FFFF;

        /// Master transactions begun.
        ReadOnly MASTER_TRANSACTIONS: u32 = 0xB10, mask 0xFFFF_FFFF;

        /// Retries met as a master.
        ReadOnly MASTER_RETRIES: u32 = 0xB14, mask 0xFFFF_FFFF;

        /// Disconnects met as a master.
        ReadOnly MASTER_DISCONNECTS: u32 = 0xB18, mask 0xFFFF_FFFF;

        /// Bursts ended by the latency timer.
        ReadOnly MASTER_TIMEOUTS: u32 = 0xB1C, mask 0xFFFF_FFFF;

        /// Master aborts.
        ReadOnly MASTER_ABORTS: u32 = 0xB20, mask 0xFFFF_FFFF;

        /// Target aborts met as a master.
        ReadOnly TARGET_ABORTS: u32 = 0xB24, mask 0xFFFF_FFFF;

        /// Parity errors detected.
        ReadOnly PARITY_ERRORS: u32 = 0xB28, mask 0xFFFF_FFFF;
    }

    /// SRAM arbiter counters.
    sram "SRAM" {
        /// Accesses granted to port.
        /// Port numbers as nic_pkg::sram_port_e; 7 and 8 are data and instructions of core B.
        ReadOnly GRANTS[9]: u32 = 0xC00, mask 0xFFFF_FFFF;

        /// Clocks that port waited.
        ReadOnly WAITS[9]: u32 = 0xC40, mask 0xFFFF_FFFF;
    }

    /// Debug module.
    debug "DEBUG" {
        /// Arguments of abstract commands.
        /// Harts see them at 0xFFFF_F810.
        ReadWrite DATA[2]: u32 = 0xE10, mask 0xFFFF_FFFF, reset 0x0000_0000 [DATA_RESET];

        /// Debug module control.
        ReadWrite DMCONTROL: Dmcontrol = 0xE40, mask 0xF003_000F, reset 0x0000_0000 [DMCONTROL_RESET] {
            /// 0 resets the debug module; then nothing else here can be written or read.
            dmactive, with_dmactive, [DMACTIVE_SHIFT, DMACTIVE_MASK]: bool = 0:0;
            /// Holds every core in reset.
            ndmreset, with_ndmreset, [NDMRESET_SHIFT, NDMRESET_MASK]: bool = 1:1;
            /// Writing 1 ends that; reads zero.
            clrresethaltreq, with_clrresethaltreq, [CLRRESETHALTREQ_SHIFT, CLRRESETHALTREQ_MASK]: bool = 2:2;
            /// Writing 1 lets the selected core halt before its first instruction whenever it comes
            /// out of reset; reads zero.
            setresethaltreq, with_setresethaltreq, [SETRESETHALTREQ_SHIFT, SETRESETHALTREQ_MASK]: bool = 3:3;
            /// The selected core: 0 A, 1 B. Others do not exist. Cannot be changed while a command
            /// runs.
            hartsello, with_hartsello, [HARTSELLO_SHIFT, HARTSELLO_MASK]: u32 = 17:16;
            /// Writing 1 clears havereset; reads zero.
            ackhavereset, with_ackhavereset, [ACKHAVERESET_SHIFT, ACKHAVERESET_MASK]: bool = 28:28;
            /// Holds the selected core in reset.
            hartreset, with_hartreset, [HARTRESET_SHIFT, HARTRESET_MASK]: bool = 29:29;
            /// Writing 1 resumes the selected core if it is halted and haltreq is 0; reads zero.
            resumereq, with_resumereq, [RESUMEREQ_SHIFT, RESUMEREQ_MASK]: bool = 30:30;
            /// Writing 1 asks the selected core to halt, 0 takes that back; reads zero.
            haltreq, with_haltreq, [HALTREQ_SHIFT, HALTREQ_MASK]: bool = 31:31;
        };

        /// Debug module status.
        /// The state of the selected core.
        ReadOnly DMSTATUS: Dmstatus = 0xE44, mask 0x014F_FFAF {
            /// 3: version 1.0 of the specification.
            version, with_version, [VERSION_SHIFT, VERSION_MASK]: u32 = 3:0;
            /// 1: setresethaltreq is there.
            hasresethaltreq, with_hasresethaltreq, [HASRESETHALTREQ_SHIFT, HASRESETHALTREQ_MASK]: bool = 5:5;
            /// 1: no authentication.
            authenticated, with_authenticated, [AUTHENTICATED_SHIFT, AUTHENTICATED_MASK]: bool = 7:7;
            /// The same as allhalted: one core is selected at a time.
            anyhalted, with_anyhalted, [ANYHALTED_SHIFT, ANYHALTED_MASK]: bool = 8:8;
            /// The core is halted.
            allhalted, with_allhalted, [ALLHALTED_SHIFT, ALLHALTED_MASK]: bool = 9:9;
            /// The same as allrunning: one core is selected at a time.
            anyrunning, with_anyrunning, [ANYRUNNING_SHIFT, ANYRUNNING_MASK]: bool = 10:10;
            /// The core runs.
            allrunning, with_allrunning, [ALLRUNNING_SHIFT, ALLRUNNING_MASK]: bool = 11:11;
            /// The same as allunavail: one core is selected at a time.
            anyunavail, with_anyunavail, [ANYUNAVAIL_SHIFT, ANYUNAVAIL_MASK]: bool = 12:12;
            /// The core is in reset.
            allunavail, with_allunavail, [ALLUNAVAIL_SHIFT, ALLUNAVAIL_MASK]: bool = 13:13;
            /// The same as allnonexistent: one core is selected at a time.
            anynonexistent, with_anynonexistent, [ANYNONEXISTENT_SHIFT, ANYNONEXISTENT_MASK]: bool = 14:14;
            /// There is no such core.
            allnonexistent, with_allnonexistent, [ALLNONEXISTENT_SHIFT, ALLNONEXISTENT_MASK]: bool = 15:15;
            /// The same as allresumeack: one core is selected at a time.
            anyresumeack, with_anyresumeack, [ANYRESUMEACK_SHIFT, ANYRESUMEACK_MASK]: bool = 16:16;
            /// The core did what the last resumereq asked.
            allresumeack, with_allresumeack, [ALLRESUMEACK_SHIFT, ALLRESUMEACK_MASK]: bool = 17:17;
            /// The same as allhavereset: one core is selected at a time.
            anyhavereset, with_anyhavereset, [ANYHAVERESET_SHIFT, ANYHAVERESET_MASK]: bool = 18:18;
            /// The core was reset since ackhavereset.
            allhavereset, with_allhavereset, [ALLHAVERESET_SHIFT, ALLHAVERESET_MASK]: bool = 19:19;
            /// 1: an ebreak follows the program buffer.
            impebreak, with_impebreak, [IMPEBREAK_SHIFT, IMPEBREAK_MASK]: bool = 22:22;
            /// ndmreset is set.
            ndmresetpending, with_ndmresetpending, [NDMRESETPENDING_SHIFT, NDMRESETPENDING_MASK]: bool = 24:24;
        };

        /// Hart information.
        ReadOnly HARTINFO: Hartinfo = 0xE48, mask 0x00F1_FFFF, reset 0x0021_2810 [HARTINFO_RESET] {
            /// Low bits of its address; the others are ones.
            dataaddr, with_dataaddr, [DATAADDR_SHIFT, DATAADDR_MASK]: u32 = 11:0;
            /// Words of it.
            datasize, with_datasize, [DATASIZE_SHIFT, DATASIZE_MASK]: u32 = 15:12;
            /// 1: DATA is in the memory of the core.
            dataaccess, with_dataaccess, [DATAACCESS_SHIFT, DATAACCESS_MASK]: bool = 16:16;
            /// Scratch registers that programs may use; commands on CSRs use them too.
            nscratch, with_nscratch, [NSCRATCH_SHIFT, NSCRATCH_MASK]: u32 = 23:20;
        };

        /// Abstract control and status.
        ReadWrite ABSTRACTCS: Abstractcs = 0xE58, mask 0x1F00_170F, reset 0x0200_0002 [ABSTRACTCS_RESET] {
            /// Words of DATA.
            datacount, with_datacount, [DATACOUNT_SHIFT, DATACOUNT_MASK]: u32 = 3:0;
            /// Why a command failed: 1 busy, 2 not supported, 3 exception, 4 core not halted, 7
            /// core was reset. Writing ones clears.
            cmderr, with_cmderr, [CMDERR_SHIFT, CMDERR_MASK]: u32 = 10:8;
            /// A command is executed.
            busy, with_busy, [BUSY_SHIFT, BUSY_MASK]: bool = 12:12;
            /// Words of the program buffer.
            progbufsize, with_progbufsize, [PROGBUFSIZE_SHIFT, PROGBUFSIZE_MASK]: u32 = 28:24;
        };

        /// Abstract command.
        /// A write executes it. Reads zero.
        WriteOnly COMMAND: Command = 0xE5C, mask 0xFF7F_FFFF {
            /// 0x1000 + n: x n; below 0x1000: CSR.
            regno, with_regno, [REGNO_SHIFT, REGNO_MASK]: u32 = 15:0;
            /// 1 writes the register.
            write, with_write, [WRITE_SHIFT, WRITE_MASK]: bool = 16:16;
            /// Transfer between DATA_0 and the register.
            transfer, with_transfer, [TRANSFER_SHIFT, TRANSFER_MASK]: bool = 17:17;
            /// Execute the program buffer after the transfer.
            postexec, with_postexec, [POSTEXEC_SHIFT, POSTEXEC_MASK]: bool = 18:18;
            /// Not supported.
            aarpostincrement, with_aarpostincrement, [AARPOSTINCREMENT_SHIFT, AARPOSTINCREMENT_MASK]: bool = 19:19;
            /// 2: 32 bits.
            aarsize, with_aarsize, [AARSIZE_SHIFT, AARSIZE_MASK]: u32 = 22:20;
            /// 0, access register, is the only one.
            cmdtype, with_cmdtype, [CMDTYPE_SHIFT, CMDTYPE_MASK]: u32 = 31:24;
        };

        /// Automatic commands.
        /// An access of a word whose bit is set executes COMMAND again.
        ReadWrite ABSTRACTAUTO: Abstractauto = 0xE60, mask 0x0003_0003, reset 0x0000_0000 [ABSTRACTAUTO_RESET] {
            /// Words of DATA.
            autoexecdata, with_autoexecdata, [AUTOEXECDATA_SHIFT, AUTOEXECDATA_MASK]: u32 = 1:0;
            /// Words of PROGBUF.
            autoexecprogbuf, with_autoexecprogbuf, [AUTOEXECPROGBUF_SHIFT, AUTOEXECPROGBUF_MASK]: u32 = 17:16;
        };

        /// Program buffer.
        ReadWrite PROGBUF[2]: u32 = 0xE80, mask 0xFFFF_FFFF, reset 0x0000_0000 [PROGBUF_RESET];

        /// System bus control and status.
        ReadWrite SBCS: Sbcs = 0xEE0, mask 0xE07F_FFE7, reset 0x2004_0407 [SBCS_RESET] {
            /// Bytes can be accessed.
            sbaccess8, with_sbaccess8, [SBACCESS8_SHIFT, SBACCESS8_MASK]: bool = 0:0;
            /// Halfwords can be accessed.
            sbaccess16, with_sbaccess16, [SBACCESS16_SHIFT, SBACCESS16_MASK]: bool = 1:1;
            /// Words can be accessed.
            sbaccess32, with_sbaccess32, [SBACCESS32_SHIFT, SBACCESS32_MASK]: bool = 2:2;
            /// Bits of an address.
            sbasize, with_sbasize, [SBASIZE_SHIFT, SBASIZE_MASK]: u32 = 11:5;
            /// 2 bad address, 3 alignment, 4 size. Writing ones clears.
            sberror, with_sberror, [SBERROR_SHIFT, SBERROR_MASK]: u32 = 14:12;
            /// A read of SBDATA0 reads anew.
            sbreadondata, with_sbreadondata, [SBREADONDATA_SHIFT, SBREADONDATA_MASK]: bool = 15:15;
            /// Every access adds its size to SBADDRESS0.
            sbautoincrement, with_sbautoincrement, [SBAUTOINCREMENT_SHIFT, SBAUTOINCREMENT_MASK]: bool = 16:16;
            /// Base-2 logarithm of the size in bytes, 0 to 2.
            sbaccess, with_sbaccess, [SBACCESS_SHIFT, SBACCESS_MASK]: u32 = 19:17;
            /// A write of SBADDRESS0 reads from there.
            sbreadonaddr, with_sbreadonaddr, [SBREADONADDR_SHIFT, SBREADONADDR_MASK]: bool = 20:20;
            /// An access is under way.
            sbbusy, with_sbbusy, [SBBUSY_SHIFT, SBBUSY_MASK]: bool = 21:21;
            /// An access came while one was under way. Writing 1 clears.
            sbbusyerror, with_sbbusyerror, [SBBUSYERROR_SHIFT, SBBUSYERROR_MASK]: bool = 22:22;
            /// 1: version 1.0 of the specification.
            sbversion, with_sbversion, [SBVERSION_SHIFT, SBVERSION_MASK]: u32 = 31:29;
        };

        /// System bus address.
        /// As a core sees it: SRAM or the register page.
        ReadWrite SBADDRESS0: u32 = 0xEE4, mask 0xFFFF_FFFF, reset 0x0000_0000 [SBADDRESS0_RESET];

        /// System bus data.
        /// A write is written to SBADDRESS0.
        ReadWrite SBDATA0: u32 = 0xEF0, mask 0xFFFF_FFFF, reset 0x0000_0000 [SBDATA0_RESET];

        /// Halted cores.
        ReadOnly HALTSUM0: u32 = 0xF00, mask 0x0000_0003 [HALTSUM0_MASK];
    }
}
