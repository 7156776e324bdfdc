// Offsets, fields and reset values of the registers.
// Written by tools/registers/generate.py from rtl/registers/nicscope.rdl: change that file.
//
// X: byte offset in BAR 0 (of the first register, where X_COUNT tells how many follow one another).
// X_MASK: the bits that exist. X_<FIELD>_LSB, X_<FIELD>_MASK: a field among several.
// X_RESET: value after reset.

// The package holds the whole map; no model uses every line of it.
// verilator lint_off UNUSEDPARAM

package nic_regs_pkg;

  // ---- Identification and control ----

  parameter logic [16:0] IDENT_BASE = 17'h00000;

  // Identification
  parameter logic [16:0] IDENT_ID = 17'h00000;
  parameter logic [31:0] IDENT_ID_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] IDENT_ID_RESET = 32'h4E53_4350;

  // Version
  parameter logic [16:0] IDENT_VERSION = 17'h00004;
  parameter logic [31:0] IDENT_VERSION_MASK = 32'hFFFF_FFFF;
  parameter int unsigned IDENT_VERSION_MINOR_LSB = 0;
  parameter logic [31:0] IDENT_VERSION_MINOR_MASK = 32'h0000_FFFF;
  parameter int unsigned IDENT_VERSION_MAJOR_LSB = 16;
  parameter logic [31:0] IDENT_VERSION_MAJOR_MASK = 32'hFFFF_0000;
  parameter logic [31:0] IDENT_VERSION_RESET = 32'h0001_0001;

  // SRAM size in bytes
  parameter logic [16:0] IDENT_SRAM_BYTES = 17'h00008;
  parameter logic [31:0] IDENT_SRAM_BYTES_MASK = 32'hFFFF_FFFF;

  // Capabilities
  parameter logic [16:0] IDENT_CAPABILITIES = 17'h0000C;
  parameter logic [31:0] IDENT_CAPABILITIES_MASK = 32'h1FFF_FFFF;
  parameter int unsigned IDENT_CAPABILITIES_CORES_LSB = 0;
  parameter logic [31:0] IDENT_CAPABILITIES_CORES_MASK = 32'h0000_000F;
  parameter int unsigned IDENT_CAPABILITIES_DOORBELL_PAGES_LSB = 4;
  parameter logic [31:0] IDENT_CAPABILITIES_DOORBELL_PAGES_MASK = 32'h0000_0FF0;
  parameter int unsigned IDENT_CAPABILITIES_SCRATCHPAD_KIB_LSB = 12;
  parameter logic [31:0] IDENT_CAPABILITIES_SCRATCHPAD_KIB_MASK = 32'h000F_F000;
  parameter int unsigned IDENT_CAPABILITIES_PCI_64_LSB = 20;
  parameter logic [31:0] IDENT_CAPABILITIES_PCI_64_MASK = 32'h0010_0000;
  parameter int unsigned IDENT_CAPABILITIES_SCRATCHPAD_B_KIB_LSB = 21;
  parameter logic [31:0] IDENT_CAPABILITIES_SCRATCHPAD_B_KIB_MASK = 32'h1FE0_0000;

  // Core control
  parameter logic [16:0] IDENT_CORE_CONTROL = 17'h00010;
  parameter logic [31:0] IDENT_CORE_CONTROL_MASK = 32'h0000_0003;
  parameter int unsigned IDENT_CORE_CONTROL_RUN_A_LSB = 0;
  parameter logic [31:0] IDENT_CORE_CONTROL_RUN_A_MASK = 32'h0000_0001;
  parameter int unsigned IDENT_CORE_CONTROL_RUN_B_LSB = 1;
  parameter logic [31:0] IDENT_CORE_CONTROL_RUN_B_MASK = 32'h0000_0002;
  parameter logic [31:0] IDENT_CORE_CONTROL_RESET = 32'h0000_0000;

  // Core status
  parameter logic [16:0] IDENT_CORE_STATUS = 17'h00014;
  parameter logic [31:0] IDENT_CORE_STATUS_MASK = 32'h0000_0003;
  parameter int unsigned IDENT_CORE_STATUS_SLEEP_A_LSB = 0;
  parameter logic [31:0] IDENT_CORE_STATUS_SLEEP_A_MASK = 32'h0000_0001;
  parameter int unsigned IDENT_CORE_STATUS_SLEEP_B_LSB = 1;
  parameter logic [31:0] IDENT_CORE_STATUS_SLEEP_B_MASK = 32'h0000_0002;

  // Boot address
  parameter logic [16:0] IDENT_BOOT_ADDRESS = 17'h00018;
  parameter logic [31:0] IDENT_BOOT_ADDRESS_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] IDENT_BOOT_ADDRESS_RESET = 32'h1000_0400;

  // Scratch
  parameter logic [16:0] IDENT_SCRATCH = 17'h0001C;
  parameter logic [31:0] IDENT_SCRATCH_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] IDENT_SCRATCH_RESET = 32'h0000_0000;

  // Core cycles, low
  parameter logic [16:0] IDENT_CYCLES_LO = 17'h00020;
  parameter logic [31:0] IDENT_CYCLES_LO_MASK = 32'hFFFF_FFFF;

  // Core cycles, high
  parameter logic [16:0] IDENT_CYCLES_HI = 17'h00024;
  parameter logic [31:0] IDENT_CYCLES_HI_MASK = 32'hFFFF_FFFF;

  // Window base
  parameter logic [16:0] IDENT_WINDOW_BASE = 17'h00028;
  parameter logic [31:0] IDENT_WINDOW_BASE_MASK = 32'h001F_FFFF;
  parameter logic [31:0] IDENT_WINDOW_BASE_RESET = 32'h0000_0000;

  // Refused accesses
  parameter logic [16:0] IDENT_HOST_REFUSED = 17'h0002C;
  parameter logic [31:0] IDENT_HOST_REFUSED_MASK = 32'hFFFF_FFFF;

  // Boot address of core B
  parameter logic [16:0] IDENT_BOOT_ADDRESS_B = 17'h00030;
  parameter logic [31:0] IDENT_BOOT_ADDRESS_B_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] IDENT_BOOT_ADDRESS_B_RESET = 32'h1000_0400;

  // ---- Events of core A (seen by core B: its own) ----

  parameter logic [16:0] EVENT_A_BASE = 17'h00100;

  // Pending events
  parameter logic [16:0] EVENT_A_PENDING = 17'h00100;
  parameter logic [31:0] EVENT_A_PENDING_MASK = 32'hFFFF_FFFF;

  // Clear events
  parameter logic [16:0] EVENT_A_CLEAR = 17'h00104;
  parameter logic [31:0] EVENT_A_CLEAR_MASK = 32'hFFFF_FFFF;

  // Set events
  parameter logic [16:0] EVENT_A_SET = 17'h00108;
  parameter logic [31:0] EVENT_A_SET_MASK = 32'hFFFF_FFFF;

  // Enabled events
  parameter logic [16:0] EVENT_A_ENABLE = 17'h0010C;
  parameter logic [31:0] EVENT_A_ENABLE_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] EVENT_A_ENABLE_RESET = 32'h0000_0000;

  // Next event
  parameter logic [16:0] EVENT_A_NEXT = 17'h00110;
  parameter logic [31:0] EVENT_A_NEXT_MASK = 32'hFFFF_FFFF;

  // ---- Events of core B (seen by core B: those of core A) ----

  parameter logic [16:0] EVENT_B_BASE = 17'h00200;

  // Pending events
  parameter logic [16:0] EVENT_B_PENDING = 17'h00200;
  parameter logic [31:0] EVENT_B_PENDING_MASK = 32'hFFFF_FFFF;

  // Clear events
  parameter logic [16:0] EVENT_B_CLEAR = 17'h00204;
  parameter logic [31:0] EVENT_B_CLEAR_MASK = 32'hFFFF_FFFF;

  // Set events
  parameter logic [16:0] EVENT_B_SET = 17'h00208;
  parameter logic [31:0] EVENT_B_SET_MASK = 32'hFFFF_FFFF;

  // Enabled events
  parameter logic [16:0] EVENT_B_ENABLE = 17'h0020C;
  parameter logic [31:0] EVENT_B_ENABLE_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] EVENT_B_ENABLE_RESET = 32'h0000_0000;

  // Next event
  parameter logic [16:0] EVENT_B_NEXT = 17'h00210;
  parameter logic [31:0] EVENT_B_NEXT_MASK = 32'hFFFF_FFFF;

  // ---- Interrupt to the host ----

  parameter logic [16:0] INTERRUPT_BASE = 17'h00300;

  // Interrupt causes
  parameter logic [16:0] INTERRUPT_CAUSE = 17'h00300;
  parameter logic [31:0] INTERRUPT_CAUSE_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] INTERRUPT_CAUSE_RESET = 32'h0000_0000;

  // Set causes
  parameter logic [16:0] INTERRUPT_SET = 17'h00304;
  parameter logic [31:0] INTERRUPT_SET_MASK = 32'hFFFF_FFFF;

  // Enabled causes
  parameter logic [16:0] INTERRUPT_ENABLE = 17'h00308;
  parameter logic [31:0] INTERRUPT_ENABLE_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] INTERRUPT_ENABLE_RESET = 32'h0000_0000;

  // Interrupt status
  parameter logic [16:0] INTERRUPT_STATUS = 17'h0030C;
  parameter logic [31:0] INTERRUPT_STATUS_MASK = 32'hFFFF_FFFF;

  // ---- Doorbells ----

  parameter logic [16:0] DOORBELL_BASE = 17'h00400;

  // Pending doorbells
  parameter logic [16:0] DOORBELL_PENDING = 17'h00400;
  parameter logic [31:0] DOORBELL_PENDING_MASK = 32'h0000_FFFF;

  // Clear doorbells
  parameter logic [16:0] DOORBELL_CLEAR = 17'h00404;
  parameter logic [31:0] DOORBELL_CLEAR_MASK = 32'h0000_FFFF;

  // Value written to doorbell page
  parameter logic [16:0] DOORBELL_VALUE = 17'h00440;
  parameter int unsigned DOORBELL_VALUE_COUNT = 16;
  parameter logic [31:0] DOORBELL_VALUE_MASK = 32'hFFFF_FFFF;

  // ---- Mailboxes ----

  parameter logic [16:0] MAILBOX_BASE = 17'h00500;

  // Host to NIC
  parameter logic [16:0] MAILBOX_TO_NIC = 17'h00500;
  parameter int unsigned MAILBOX_TO_NIC_COUNT = 8;
  parameter logic [31:0] MAILBOX_TO_NIC_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] MAILBOX_TO_NIC_RESET = 32'h0000_0000;

  // NIC to host
  parameter logic [16:0] MAILBOX_TO_HOST = 17'h00520;
  parameter int unsigned MAILBOX_TO_HOST_COUNT = 8;
  parameter logic [31:0] MAILBOX_TO_HOST_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] MAILBOX_TO_HOST_RESET = 32'h0000_0000;

  // Pending mailboxes
  parameter logic [16:0] MAILBOX_PENDING = 17'h00540;
  parameter logic [31:0] MAILBOX_PENDING_MASK = 32'h0000_00FF;

  // Clear mailboxes
  parameter logic [16:0] MAILBOX_CLEAR = 17'h00544;
  parameter logic [31:0] MAILBOX_CLEAR_MASK = 32'h0000_00FF;

  // ---- Timers of core A (seen by core B: its own) ----

  parameter logic [16:0] TIMER_BASE = 17'h00600;

  // Time in core clocks
  parameter logic [16:0] TIMER_COUNT = 17'h00600;
  parameter logic [31:0] TIMER_COUNT_MASK = 32'hFFFF_FFFF;

  // Arm
  parameter logic [16:0] TIMER_ARM = 17'h00604;
  parameter logic [31:0] TIMER_ARM_MASK = 32'h0000_000F;
  parameter logic [31:0] TIMER_ARM_RESET = 32'h0000_0000;

  // Disarm
  parameter logic [16:0] TIMER_DISARM = 17'h00608;
  parameter logic [31:0] TIMER_DISARM_MASK = 32'h0000_000F;

  // Compare
  parameter logic [16:0] TIMER_COMPARE = 17'h00610;
  parameter int unsigned TIMER_COMPARE_COUNT = 4;
  parameter logic [31:0] TIMER_COMPARE_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] TIMER_COMPARE_RESET = 32'h0000_0000;

  // ---- Timers of core B (seen by core B: those of core A) ----

  parameter logic [16:0] TIMER_B_BASE = 17'h00680;

  // Time in core clocks
  parameter logic [16:0] TIMER_B_COUNT = 17'h00680;
  parameter logic [31:0] TIMER_B_COUNT_MASK = 32'hFFFF_FFFF;

  // Arm
  parameter logic [16:0] TIMER_B_ARM = 17'h00684;
  parameter logic [31:0] TIMER_B_ARM_MASK = 32'h0000_000F;
  parameter logic [31:0] TIMER_B_ARM_RESET = 32'h0000_0000;

  // Disarm
  parameter logic [16:0] TIMER_B_DISARM = 17'h00688;
  parameter logic [31:0] TIMER_B_DISARM_MASK = 32'h0000_000F;

  // Compare
  parameter logic [16:0] TIMER_B_COMPARE = 17'h00690;
  parameter int unsigned TIMER_B_COMPARE_COUNT = 4;
  parameter logic [31:0] TIMER_B_COMPARE_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] TIMER_B_COMPARE_RESET = 32'h0000_0000;

  // ---- Semaphore ----

  parameter logic [16:0] SEMAPHORE_BASE = 17'h00700;

  // Request by core A
  parameter logic [16:0] SEMAPHORE_CORE_A = 17'h00700;
  parameter logic [31:0] SEMAPHORE_CORE_A_MASK = 32'h0000_0001;
  parameter int unsigned SEMAPHORE_CORE_A_OWNED_LSB = 0;
  parameter logic [31:0] SEMAPHORE_CORE_A_OWNED_MASK = 32'h0000_0001;
  parameter logic [31:0] SEMAPHORE_CORE_A_RESET = 32'h0000_0000;

  // Request by core B
  parameter logic [16:0] SEMAPHORE_CORE_B = 17'h00704;
  parameter logic [31:0] SEMAPHORE_CORE_B_MASK = 32'h0000_0001;
  parameter int unsigned SEMAPHORE_CORE_B_OWNED_LSB = 0;
  parameter logic [31:0] SEMAPHORE_CORE_B_OWNED_MASK = 32'h0000_0001;
  parameter logic [31:0] SEMAPHORE_CORE_B_RESET = 32'h0000_0000;

  // Release
  parameter logic [16:0] SEMAPHORE_RELEASE = 17'h00708;
  parameter logic [31:0] SEMAPHORE_RELEASE_MASK = 32'h0000_0001;
  parameter int unsigned SEMAPHORE_RELEASE_CORE_LSB = 0;
  parameter logic [31:0] SEMAPHORE_RELEASE_CORE_MASK = 32'h0000_0001;

  // ---- Host-read DMA engine (host memory to SRAM) ----

  parameter logic [16:0] DMA_READ_BASE = 17'h00800;

  // Control
  parameter logic [16:0] DMA_READ_CONTROL = 17'h00800;
  parameter logic [31:0] DMA_READ_CONTROL_MASK = 32'h0000_0003;
  parameter int unsigned DMA_READ_CONTROL_ENABLE_LSB = 0;
  parameter logic [31:0] DMA_READ_CONTROL_ENABLE_MASK = 32'h0000_0001;
  parameter int unsigned DMA_READ_CONTROL_RESET_LSB = 1;
  parameter logic [31:0] DMA_READ_CONTROL_RESET_MASK = 32'h0000_0002;
  parameter logic [31:0] DMA_READ_CONTROL_RESET = 32'h0000_0000;

  // Status
  parameter logic [16:0] DMA_READ_STATUS = 17'h00804;
  parameter logic [31:0] DMA_READ_STATUS_MASK = 32'h0000_0073;
  parameter int unsigned DMA_READ_STATUS_BUSY_LSB = 0;
  parameter logic [31:0] DMA_READ_STATUS_BUSY_MASK = 32'h0000_0001;
  parameter int unsigned DMA_READ_STATUS_HALTED_LSB = 1;
  parameter logic [31:0] DMA_READ_STATUS_HALTED_MASK = 32'h0000_0002;
  parameter int unsigned DMA_READ_STATUS_ERROR_LSB = 4;
  parameter logic [31:0] DMA_READ_STATUS_ERROR_MASK = 32'h0000_0070;

  // Resume
  parameter logic [16:0] DMA_READ_RESUME = 17'h00808;
  parameter logic [31:0] DMA_READ_RESUME_MASK = 32'h0000_0001;
  parameter int unsigned DMA_READ_RESUME_ANY_LSB = 0;
  parameter logic [31:0] DMA_READ_RESUME_ANY_MASK = 32'h0000_0001;

  // Ring base
  parameter logic [16:0] DMA_READ_RING_BASE = 17'h0080C;
  parameter logic [31:0] DMA_READ_RING_BASE_MASK = 32'h001F_FFFF;
  parameter logic [31:0] DMA_READ_RING_BASE_RESET = 32'h0000_0000;

  // Ring size
  parameter logic [16:0] DMA_READ_RING_LOG2 = 17'h00810;
  parameter logic [31:0] DMA_READ_RING_LOG2_MASK = 32'h0000_000F;
  parameter logic [31:0] DMA_READ_RING_LOG2_RESET = 32'h0000_0006;

  // Producer index
  parameter logic [16:0] DMA_READ_PRODUCER = 17'h00814;
  parameter logic [31:0] DMA_READ_PRODUCER_MASK = 32'h0000_FFFF;
  parameter logic [31:0] DMA_READ_PRODUCER_RESET = 32'h0000_0000;

  // Consumer index
  parameter logic [16:0] DMA_READ_CONSUMER = 17'h00818;
  parameter logic [31:0] DMA_READ_CONSUMER_MASK = 32'h0000_FFFF;
  parameter logic [31:0] DMA_READ_CONSUMER_RESET = 32'h0000_0000;

  // Descriptors completed
  parameter logic [16:0] DMA_READ_DESCRIPTORS = 17'h00820;
  parameter logic [31:0] DMA_READ_DESCRIPTORS_MASK = 32'hFFFF_FFFF;

  // Bytes moved
  parameter logic [16:0] DMA_READ_BYTES = 17'h00824;
  parameter logic [31:0] DMA_READ_BYTES_MASK = 32'hFFFF_FFFF;

  // Descriptors that ended in an error
  parameter logic [16:0] DMA_READ_ERRORS = 17'h00828;
  parameter logic [31:0] DMA_READ_ERRORS_MASK = 32'hFFFF_FFFF;

  // Descriptors refused
  parameter logic [16:0] DMA_READ_REFUSED = 17'h0082C;
  parameter logic [31:0] DMA_READ_REFUSED_MASK = 32'hFFFF_FFFF;

  // Bytes read ahead
  parameter logic [16:0] DMA_READ_AHEAD = 17'h00830;
  parameter logic [31:0] DMA_READ_AHEAD_MASK = 32'h0000_3FFF;

  // ---- Host-write DMA engine (SRAM to host memory) ----

  parameter logic [16:0] DMA_WRITE_BASE = 17'h00880;

  // Control
  parameter logic [16:0] DMA_WRITE_CONTROL = 17'h00880;
  parameter logic [31:0] DMA_WRITE_CONTROL_MASK = 32'h0000_0003;
  parameter int unsigned DMA_WRITE_CONTROL_ENABLE_LSB = 0;
  parameter logic [31:0] DMA_WRITE_CONTROL_ENABLE_MASK = 32'h0000_0001;
  parameter int unsigned DMA_WRITE_CONTROL_RESET_LSB = 1;
  parameter logic [31:0] DMA_WRITE_CONTROL_RESET_MASK = 32'h0000_0002;
  parameter logic [31:0] DMA_WRITE_CONTROL_RESET = 32'h0000_0000;

  // Status
  parameter logic [16:0] DMA_WRITE_STATUS = 17'h00884;
  parameter logic [31:0] DMA_WRITE_STATUS_MASK = 32'h0000_0073;
  parameter int unsigned DMA_WRITE_STATUS_BUSY_LSB = 0;
  parameter logic [31:0] DMA_WRITE_STATUS_BUSY_MASK = 32'h0000_0001;
  parameter int unsigned DMA_WRITE_STATUS_HALTED_LSB = 1;
  parameter logic [31:0] DMA_WRITE_STATUS_HALTED_MASK = 32'h0000_0002;
  parameter int unsigned DMA_WRITE_STATUS_ERROR_LSB = 4;
  parameter logic [31:0] DMA_WRITE_STATUS_ERROR_MASK = 32'h0000_0070;

  // Resume
  parameter logic [16:0] DMA_WRITE_RESUME = 17'h00888;
  parameter logic [31:0] DMA_WRITE_RESUME_MASK = 32'h0000_0001;
  parameter int unsigned DMA_WRITE_RESUME_ANY_LSB = 0;
  parameter logic [31:0] DMA_WRITE_RESUME_ANY_MASK = 32'h0000_0001;

  // Ring base
  parameter logic [16:0] DMA_WRITE_RING_BASE = 17'h0088C;
  parameter logic [31:0] DMA_WRITE_RING_BASE_MASK = 32'h001F_FFFF;
  parameter logic [31:0] DMA_WRITE_RING_BASE_RESET = 32'h0000_0000;

  // Ring size
  parameter logic [16:0] DMA_WRITE_RING_LOG2 = 17'h00890;
  parameter logic [31:0] DMA_WRITE_RING_LOG2_MASK = 32'h0000_000F;
  parameter logic [31:0] DMA_WRITE_RING_LOG2_RESET = 32'h0000_0006;

  // Producer index
  parameter logic [16:0] DMA_WRITE_PRODUCER = 17'h00894;
  parameter logic [31:0] DMA_WRITE_PRODUCER_MASK = 32'h0000_FFFF;
  parameter logic [31:0] DMA_WRITE_PRODUCER_RESET = 32'h0000_0000;

  // Consumer index
  parameter logic [16:0] DMA_WRITE_CONSUMER = 17'h00898;
  parameter logic [31:0] DMA_WRITE_CONSUMER_MASK = 32'h0000_FFFF;
  parameter logic [31:0] DMA_WRITE_CONSUMER_RESET = 32'h0000_0000;

  // Descriptors completed
  parameter logic [16:0] DMA_WRITE_DESCRIPTORS = 17'h008A0;
  parameter logic [31:0] DMA_WRITE_DESCRIPTORS_MASK = 32'hFFFF_FFFF;

  // Bytes moved
  parameter logic [16:0] DMA_WRITE_BYTES = 17'h008A4;
  parameter logic [31:0] DMA_WRITE_BYTES_MASK = 32'hFFFF_FFFF;

  // Descriptors that ended in an error
  parameter logic [16:0] DMA_WRITE_ERRORS = 17'h008A8;
  parameter logic [31:0] DMA_WRITE_ERRORS_MASK = 32'hFFFF_FFFF;

  // Descriptors refused
  parameter logic [16:0] DMA_WRITE_REFUSED = 17'h008AC;
  parameter logic [31:0] DMA_WRITE_REFUSED_MASK = 32'hFFFF_FFFF;

  // ---- MAC, transmit ----

  parameter logic [16:0] MAC_TX_BASE = 17'h00900;

  // Control
  parameter logic [16:0] MAC_TX_CONTROL = 17'h00900;
  parameter logic [31:0] MAC_TX_CONTROL_MASK = 32'h0000_0001;
  parameter int unsigned MAC_TX_CONTROL_ENABLE_LSB = 0;
  parameter logic [31:0] MAC_TX_CONTROL_ENABLE_MASK = 32'h0000_0001;
  parameter logic [31:0] MAC_TX_CONTROL_RESET = 32'h0000_0000;

  // Ring base
  parameter logic [16:0] MAC_TX_RING_BASE = 17'h0090C;
  parameter logic [31:0] MAC_TX_RING_BASE_MASK = 32'h001F_FFFF;
  parameter logic [31:0] MAC_TX_RING_BASE_RESET = 32'h0000_0000;

  // Ring size
  parameter logic [16:0] MAC_TX_RING_LOG2 = 17'h00910;
  parameter logic [31:0] MAC_TX_RING_LOG2_MASK = 32'h0000_000F;
  parameter logic [31:0] MAC_TX_RING_LOG2_RESET = 32'h0000_0008;

  // Producer index
  parameter logic [16:0] MAC_TX_PRODUCER = 17'h00914;
  parameter logic [31:0] MAC_TX_PRODUCER_MASK = 32'h0000_FFFF;
  parameter logic [31:0] MAC_TX_PRODUCER_RESET = 32'h0000_0000;

  // Consumer index
  parameter logic [16:0] MAC_TX_CONSUMER = 17'h00918;
  parameter logic [31:0] MAC_TX_CONSUMER_MASK = 32'h0000_FFFF;
  parameter logic [31:0] MAC_TX_CONSUMER_RESET = 32'h0000_0000;

  // Advance the producer
  parameter logic [16:0] MAC_TX_ADVANCE = 17'h0091C;
  parameter logic [31:0] MAC_TX_ADVANCE_MASK = 32'h0000_00FF;

  // Frames sent
  parameter logic [16:0] MAC_TX_FRAMES = 17'h00920;
  parameter logic [31:0] MAC_TX_FRAMES_MASK = 32'hFFFF_FFFF;

  // Bytes sent
  parameter logic [16:0] MAC_TX_BYTES = 17'h00924;
  parameter logic [31:0] MAC_TX_BYTES_MASK = 32'hFFFF_FFFF;

  // Underruns
  parameter logic [16:0] MAC_TX_UNDERRUNS = 17'h00928;
  parameter logic [31:0] MAC_TX_UNDERRUNS_MASK = 32'hFFFF_FFFF;

  // Refused descriptors
  parameter logic [16:0] MAC_TX_REFUSED = 17'h0092C;
  parameter logic [31:0] MAC_TX_REFUSED_MASK = 32'hFFFF_FFFF;

  // Skipped descriptors
  parameter logic [16:0] MAC_TX_SKIPPED = 17'h00930;
  parameter logic [31:0] MAC_TX_SKIPPED_MASK = 32'hFFFF_FFFF;

  // ---- MAC, receive ----

  parameter logic [16:0] MAC_RX_BASE = 17'h00A00;

  // Control
  parameter logic [16:0] MAC_RX_CONTROL = 17'h00A00;
  parameter logic [31:0] MAC_RX_CONTROL_MASK = 32'h0000_0001;
  parameter int unsigned MAC_RX_CONTROL_ENABLE_LSB = 0;
  parameter logic [31:0] MAC_RX_CONTROL_ENABLE_MASK = 32'h0000_0001;
  parameter logic [31:0] MAC_RX_CONTROL_RESET = 32'h0000_0000;

  // Buffer size in bytes
  parameter logic [16:0] MAC_RX_BUFFER_BYTES = 17'h00A04;
  parameter logic [31:0] MAC_RX_BUFFER_BYTES_MASK = 32'h0000_FFFF;
  parameter logic [31:0] MAC_RX_BUFFER_BYTES_RESET = 32'h0000_0800;

  // Largest frame in bytes
  parameter logic [16:0] MAC_RX_MAX_FRAME = 17'h00A08;
  parameter logic [31:0] MAC_RX_MAX_FRAME_MASK = 32'h0000_FFFF;
  parameter logic [31:0] MAC_RX_MAX_FRAME_RESET = 32'h0000_05EA;

  // Ring base
  parameter logic [16:0] MAC_RX_RING_BASE = 17'h00A0C;
  parameter logic [31:0] MAC_RX_RING_BASE_MASK = 32'h001F_FFFF;
  parameter logic [31:0] MAC_RX_RING_BASE_RESET = 32'h0000_0000;

  // Ring size
  parameter logic [16:0] MAC_RX_RING_LOG2 = 17'h00A10;
  parameter logic [31:0] MAC_RX_RING_LOG2_MASK = 32'h0000_000F;
  parameter logic [31:0] MAC_RX_RING_LOG2_RESET = 32'h0000_0008;

  // Producer index
  parameter logic [16:0] MAC_RX_PRODUCER = 17'h00A14;
  parameter logic [31:0] MAC_RX_PRODUCER_MASK = 32'h0000_FFFF;
  parameter logic [31:0] MAC_RX_PRODUCER_RESET = 32'h0000_0000;

  // Consumer index
  parameter logic [16:0] MAC_RX_CONSUMER = 17'h00A18;
  parameter logic [31:0] MAC_RX_CONSUMER_MASK = 32'h0000_FFFF;
  parameter logic [31:0] MAC_RX_CONSUMER_RESET = 32'h0000_0000;

  // Good frames
  parameter logic [16:0] MAC_RX_FRAMES = 17'h00A20;
  parameter logic [31:0] MAC_RX_FRAMES_MASK = 32'hFFFF_FFFF;

  // Bytes of good frames
  parameter logic [16:0] MAC_RX_BYTES = 17'h00A24;
  parameter logic [31:0] MAC_RX_BYTES_MASK = 32'hFFFF_FFFF;

  // Dropped: bad FCS
  parameter logic [16:0] MAC_RX_BAD_FCS = 17'h00A28;
  parameter logic [31:0] MAC_RX_BAD_FCS_MASK = 32'hFFFF_FFFF;

  // Dropped: shorter than 64 bytes
  parameter logic [16:0] MAC_RX_RUNTS = 17'h00A2C;
  parameter logic [31:0] MAC_RX_RUNTS_MASK = 32'hFFFF_FFFF;

  // Dropped: longer than MAX_FRAME
  parameter logic [16:0] MAC_RX_GIANTS = 17'h00A30;
  parameter logic [31:0] MAC_RX_GIANTS_MASK = 32'hFFFF_FFFF;

  // Dropped: RX_ER during the frame
  parameter logic [16:0] MAC_RX_RX_ERRORS = 17'h00A34;
  parameter logic [31:0] MAC_RX_RX_ERRORS_MASK = 32'hFFFF_FFFF;

  // Dropped: broken preamble
  parameter logic [16:0] MAC_RX_BAD_PREAMBLES = 17'h00A38;
  parameter logic [31:0] MAC_RX_BAD_PREAMBLES_MASK = 32'hFFFF_FFFF;

  // Dropped: no buffer in the ring
  parameter logic [16:0] MAC_RX_NO_BUFFER = 17'h00A3C;
  parameter logic [31:0] MAC_RX_NO_BUFFER_MASK = 32'hFFFF_FFFF;

  // Dropped: SRAM too late, or the frame larger than its buffer
  parameter logic [16:0] MAC_RX_OVERFLOWS = 17'h00A40;
  parameter logic [31:0] MAC_RX_OVERFLOWS_MASK = 32'hFFFF_FFFF;

  // Frames begun
  parameter logic [16:0] MAC_RX_STARTED = 17'h00A44;
  parameter logic [31:0] MAC_RX_STARTED_MASK = 32'hFFFF_FFFF;

  // ---- PCI counters ----

  parameter logic [16:0] PCI_BASE = 17'h00B00;

  // Target writes accepted, dwords
  parameter logic [16:0] PCI_TARGET_WRITES = 17'h00B00;
  parameter logic [31:0] PCI_TARGET_WRITES_MASK = 32'hFFFF_FFFF;

  // Target reads delivered, dwords
  parameter logic [16:0] PCI_TARGET_READS = 17'h00B04;
  parameter logic [31:0] PCI_TARGET_READS_MASK = 32'hFFFF_FFFF;

  // Target retries given
  parameter logic [16:0] PCI_TARGET_RETRIES = 17'h00B08;
  parameter logic [31:0] PCI_TARGET_RETRIES_MASK = 32'hFFFF_FFFF;

  // Delayed reads discarded
  parameter logic [16:0] PCI_TARGET_DISCARDS = 17'h00B0C;
  parameter logic [31:0] PCI_TARGET_DISCARDS_MASK = 32'hFFFF_FFFF;

  // Master transactions begun
  parameter logic [16:0] PCI_MASTER_TRANSACTIONS = 17'h00B10;
  parameter logic [31:0] PCI_MASTER_TRANSACTIONS_MASK = 32'hFFFF_FFFF;

  // Retries met as a master
  parameter logic [16:0] PCI_MASTER_RETRIES = 17'h00B14;
  parameter logic [31:0] PCI_MASTER_RETRIES_MASK = 32'hFFFF_FFFF;

  // Disconnects met as a master
  parameter logic [16:0] PCI_MASTER_DISCONNECTS = 17'h00B18;
  parameter logic [31:0] PCI_MASTER_DISCONNECTS_MASK = 32'hFFFF_FFFF;

  // Bursts ended by the latency timer
  parameter logic [16:0] PCI_MASTER_TIMEOUTS = 17'h00B1C;
  parameter logic [31:0] PCI_MASTER_TIMEOUTS_MASK = 32'hFFFF_FFFF;

  // Master aborts
  parameter logic [16:0] PCI_MASTER_ABORTS = 17'h00B20;
  parameter logic [31:0] PCI_MASTER_ABORTS_MASK = 32'hFFFF_FFFF;

  // Target aborts met as a master
  parameter logic [16:0] PCI_TARGET_ABORTS = 17'h00B24;
  parameter logic [31:0] PCI_TARGET_ABORTS_MASK = 32'hFFFF_FFFF;

  // Parity errors detected
  parameter logic [16:0] PCI_PARITY_ERRORS = 17'h00B28;
  parameter logic [31:0] PCI_PARITY_ERRORS_MASK = 32'hFFFF_FFFF;

  // ---- SRAM arbiter counters ----

  parameter logic [16:0] SRAM_BASE = 17'h00C00;

  // Accesses granted to port
  parameter logic [16:0] SRAM_GRANTS = 17'h00C00;
  parameter int unsigned SRAM_GRANTS_COUNT = 9;
  parameter logic [31:0] SRAM_GRANTS_MASK = 32'hFFFF_FFFF;

  // Clocks that port waited
  parameter logic [16:0] SRAM_WAITS = 17'h00C40;
  parameter int unsigned SRAM_WAITS_COUNT = 9;
  parameter logic [31:0] SRAM_WAITS_MASK = 32'hFFFF_FFFF;

  // ---- Debug module ----

  parameter logic [16:0] DEBUG_BASE = 17'h00E00;

  // Arguments of abstract commands
  parameter logic [16:0] DEBUG_DATA = 17'h00E10;
  parameter int unsigned DEBUG_DATA_COUNT = 2;
  parameter logic [31:0] DEBUG_DATA_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] DEBUG_DATA_RESET = 32'h0000_0000;

  // Debug module control
  parameter logic [16:0] DEBUG_DMCONTROL = 17'h00E40;
  parameter logic [31:0] DEBUG_DMCONTROL_MASK = 32'hF003_000F;
  parameter int unsigned DEBUG_DMCONTROL_DMACTIVE_LSB = 0;
  parameter logic [31:0] DEBUG_DMCONTROL_DMACTIVE_MASK = 32'h0000_0001;
  parameter int unsigned DEBUG_DMCONTROL_NDMRESET_LSB = 1;
  parameter logic [31:0] DEBUG_DMCONTROL_NDMRESET_MASK = 32'h0000_0002;
  parameter int unsigned DEBUG_DMCONTROL_CLRRESETHALTREQ_LSB = 2;
  parameter logic [31:0] DEBUG_DMCONTROL_CLRRESETHALTREQ_MASK = 32'h0000_0004;
  parameter int unsigned DEBUG_DMCONTROL_SETRESETHALTREQ_LSB = 3;
  parameter logic [31:0] DEBUG_DMCONTROL_SETRESETHALTREQ_MASK = 32'h0000_0008;
  parameter int unsigned DEBUG_DMCONTROL_HARTSELLO_LSB = 16;
  parameter logic [31:0] DEBUG_DMCONTROL_HARTSELLO_MASK = 32'h0003_0000;
  parameter int unsigned DEBUG_DMCONTROL_ACKHAVERESET_LSB = 28;
  parameter logic [31:0] DEBUG_DMCONTROL_ACKHAVERESET_MASK = 32'h1000_0000;
  parameter int unsigned DEBUG_DMCONTROL_HARTRESET_LSB = 29;
  parameter logic [31:0] DEBUG_DMCONTROL_HARTRESET_MASK = 32'h2000_0000;
  parameter int unsigned DEBUG_DMCONTROL_RESUMEREQ_LSB = 30;
  parameter logic [31:0] DEBUG_DMCONTROL_RESUMEREQ_MASK = 32'h4000_0000;
  parameter int unsigned DEBUG_DMCONTROL_HALTREQ_LSB = 31;
  parameter logic [31:0] DEBUG_DMCONTROL_HALTREQ_MASK = 32'h8000_0000;
  parameter logic [31:0] DEBUG_DMCONTROL_RESET = 32'h0000_0000;

  // Debug module status
  parameter logic [16:0] DEBUG_DMSTATUS = 17'h00E44;
  parameter logic [31:0] DEBUG_DMSTATUS_MASK = 32'h014F_FFAF;
  parameter int unsigned DEBUG_DMSTATUS_VERSION_LSB = 0;
  parameter logic [31:0] DEBUG_DMSTATUS_VERSION_MASK = 32'h0000_000F;
  parameter int unsigned DEBUG_DMSTATUS_HASRESETHALTREQ_LSB = 5;
  parameter logic [31:0] DEBUG_DMSTATUS_HASRESETHALTREQ_MASK = 32'h0000_0020;
  parameter int unsigned DEBUG_DMSTATUS_AUTHENTICATED_LSB = 7;
  parameter logic [31:0] DEBUG_DMSTATUS_AUTHENTICATED_MASK = 32'h0000_0080;
  parameter int unsigned DEBUG_DMSTATUS_ANYHALTED_LSB = 8;
  parameter logic [31:0] DEBUG_DMSTATUS_ANYHALTED_MASK = 32'h0000_0100;
  parameter int unsigned DEBUG_DMSTATUS_ALLHALTED_LSB = 9;
  parameter logic [31:0] DEBUG_DMSTATUS_ALLHALTED_MASK = 32'h0000_0200;
  parameter int unsigned DEBUG_DMSTATUS_ANYRUNNING_LSB = 10;
  parameter logic [31:0] DEBUG_DMSTATUS_ANYRUNNING_MASK = 32'h0000_0400;
  parameter int unsigned DEBUG_DMSTATUS_ALLRUNNING_LSB = 11;
  parameter logic [31:0] DEBUG_DMSTATUS_ALLRUNNING_MASK = 32'h0000_0800;
  parameter int unsigned DEBUG_DMSTATUS_ANYUNAVAIL_LSB = 12;
  parameter logic [31:0] DEBUG_DMSTATUS_ANYUNAVAIL_MASK = 32'h0000_1000;
  parameter int unsigned DEBUG_DMSTATUS_ALLUNAVAIL_LSB = 13;
  parameter logic [31:0] DEBUG_DMSTATUS_ALLUNAVAIL_MASK = 32'h0000_2000;
  parameter int unsigned DEBUG_DMSTATUS_ANYNONEXISTENT_LSB = 14;
  parameter logic [31:0] DEBUG_DMSTATUS_ANYNONEXISTENT_MASK = 32'h0000_4000;
  parameter int unsigned DEBUG_DMSTATUS_ALLNONEXISTENT_LSB = 15;
  parameter logic [31:0] DEBUG_DMSTATUS_ALLNONEXISTENT_MASK = 32'h0000_8000;
  parameter int unsigned DEBUG_DMSTATUS_ANYRESUMEACK_LSB = 16;
  parameter logic [31:0] DEBUG_DMSTATUS_ANYRESUMEACK_MASK = 32'h0001_0000;
  parameter int unsigned DEBUG_DMSTATUS_ALLRESUMEACK_LSB = 17;
  parameter logic [31:0] DEBUG_DMSTATUS_ALLRESUMEACK_MASK = 32'h0002_0000;
  parameter int unsigned DEBUG_DMSTATUS_ANYHAVERESET_LSB = 18;
  parameter logic [31:0] DEBUG_DMSTATUS_ANYHAVERESET_MASK = 32'h0004_0000;
  parameter int unsigned DEBUG_DMSTATUS_ALLHAVERESET_LSB = 19;
  parameter logic [31:0] DEBUG_DMSTATUS_ALLHAVERESET_MASK = 32'h0008_0000;
  parameter int unsigned DEBUG_DMSTATUS_IMPEBREAK_LSB = 22;
  parameter logic [31:0] DEBUG_DMSTATUS_IMPEBREAK_MASK = 32'h0040_0000;
  parameter int unsigned DEBUG_DMSTATUS_NDMRESETPENDING_LSB = 24;
  parameter logic [31:0] DEBUG_DMSTATUS_NDMRESETPENDING_MASK = 32'h0100_0000;

  // Hart information
  parameter logic [16:0] DEBUG_HARTINFO = 17'h00E48;
  parameter logic [31:0] DEBUG_HARTINFO_MASK = 32'h00F1_FFFF;
  parameter int unsigned DEBUG_HARTINFO_DATAADDR_LSB = 0;
  parameter logic [31:0] DEBUG_HARTINFO_DATAADDR_MASK = 32'h0000_0FFF;
  parameter int unsigned DEBUG_HARTINFO_DATASIZE_LSB = 12;
  parameter logic [31:0] DEBUG_HARTINFO_DATASIZE_MASK = 32'h0000_F000;
  parameter int unsigned DEBUG_HARTINFO_DATAACCESS_LSB = 16;
  parameter logic [31:0] DEBUG_HARTINFO_DATAACCESS_MASK = 32'h0001_0000;
  parameter int unsigned DEBUG_HARTINFO_NSCRATCH_LSB = 20;
  parameter logic [31:0] DEBUG_HARTINFO_NSCRATCH_MASK = 32'h00F0_0000;
  parameter logic [31:0] DEBUG_HARTINFO_RESET = 32'h0021_2810;

  // Abstract control and status
  parameter logic [16:0] DEBUG_ABSTRACTCS = 17'h00E58;
  parameter logic [31:0] DEBUG_ABSTRACTCS_MASK = 32'h1F00_170F;
  parameter int unsigned DEBUG_ABSTRACTCS_DATACOUNT_LSB = 0;
  parameter logic [31:0] DEBUG_ABSTRACTCS_DATACOUNT_MASK = 32'h0000_000F;
  parameter int unsigned DEBUG_ABSTRACTCS_CMDERR_LSB = 8;
  parameter logic [31:0] DEBUG_ABSTRACTCS_CMDERR_MASK = 32'h0000_0700;
  parameter int unsigned DEBUG_ABSTRACTCS_BUSY_LSB = 12;
  parameter logic [31:0] DEBUG_ABSTRACTCS_BUSY_MASK = 32'h0000_1000;
  parameter int unsigned DEBUG_ABSTRACTCS_PROGBUFSIZE_LSB = 24;
  parameter logic [31:0] DEBUG_ABSTRACTCS_PROGBUFSIZE_MASK = 32'h1F00_0000;
  parameter logic [31:0] DEBUG_ABSTRACTCS_RESET = 32'h0200_0002;

  // Abstract command
  parameter logic [16:0] DEBUG_COMMAND = 17'h00E5C;
  parameter logic [31:0] DEBUG_COMMAND_MASK = 32'hFF7F_FFFF;
  parameter int unsigned DEBUG_COMMAND_REGNO_LSB = 0;
  parameter logic [31:0] DEBUG_COMMAND_REGNO_MASK = 32'h0000_FFFF;
  parameter int unsigned DEBUG_COMMAND_WRITE_LSB = 16;
  parameter logic [31:0] DEBUG_COMMAND_WRITE_MASK = 32'h0001_0000;
  parameter int unsigned DEBUG_COMMAND_TRANSFER_LSB = 17;
  parameter logic [31:0] DEBUG_COMMAND_TRANSFER_MASK = 32'h0002_0000;
  parameter int unsigned DEBUG_COMMAND_POSTEXEC_LSB = 18;
  parameter logic [31:0] DEBUG_COMMAND_POSTEXEC_MASK = 32'h0004_0000;
  parameter int unsigned DEBUG_COMMAND_AARPOSTINCREMENT_LSB = 19;
  parameter logic [31:0] DEBUG_COMMAND_AARPOSTINCREMENT_MASK = 32'h0008_0000;
  parameter int unsigned DEBUG_COMMAND_AARSIZE_LSB = 20;
  parameter logic [31:0] DEBUG_COMMAND_AARSIZE_MASK = 32'h0070_0000;
  parameter int unsigned DEBUG_COMMAND_CMDTYPE_LSB = 24;
  parameter logic [31:0] DEBUG_COMMAND_CMDTYPE_MASK = 32'hFF00_0000;

  // Automatic commands
  parameter logic [16:0] DEBUG_ABSTRACTAUTO = 17'h00E60;
  parameter logic [31:0] DEBUG_ABSTRACTAUTO_MASK = 32'h0003_0003;
  parameter int unsigned DEBUG_ABSTRACTAUTO_AUTOEXECDATA_LSB = 0;
  parameter logic [31:0] DEBUG_ABSTRACTAUTO_AUTOEXECDATA_MASK = 32'h0000_0003;
  parameter int unsigned DEBUG_ABSTRACTAUTO_AUTOEXECPROGBUF_LSB = 16;
  parameter logic [31:0] DEBUG_ABSTRACTAUTO_AUTOEXECPROGBUF_MASK = 32'h0003_0000;
  parameter logic [31:0] DEBUG_ABSTRACTAUTO_RESET = 32'h0000_0000;

  // Program buffer
  parameter logic [16:0] DEBUG_PROGBUF = 17'h00E80;
  parameter int unsigned DEBUG_PROGBUF_COUNT = 2;
  parameter logic [31:0] DEBUG_PROGBUF_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] DEBUG_PROGBUF_RESET = 32'h0000_0000;

  // System bus control and status
  parameter logic [16:0] DEBUG_SBCS = 17'h00EE0;
  parameter logic [31:0] DEBUG_SBCS_MASK = 32'hE07F_FFE7;
  parameter int unsigned DEBUG_SBCS_SBACCESS8_LSB = 0;
  parameter logic [31:0] DEBUG_SBCS_SBACCESS8_MASK = 32'h0000_0001;
  parameter int unsigned DEBUG_SBCS_SBACCESS16_LSB = 1;
  parameter logic [31:0] DEBUG_SBCS_SBACCESS16_MASK = 32'h0000_0002;
  parameter int unsigned DEBUG_SBCS_SBACCESS32_LSB = 2;
  parameter logic [31:0] DEBUG_SBCS_SBACCESS32_MASK = 32'h0000_0004;
  parameter int unsigned DEBUG_SBCS_SBASIZE_LSB = 5;
  parameter logic [31:0] DEBUG_SBCS_SBASIZE_MASK = 32'h0000_0FE0;
  parameter int unsigned DEBUG_SBCS_SBERROR_LSB = 12;
  parameter logic [31:0] DEBUG_SBCS_SBERROR_MASK = 32'h0000_7000;
  parameter int unsigned DEBUG_SBCS_SBREADONDATA_LSB = 15;
  parameter logic [31:0] DEBUG_SBCS_SBREADONDATA_MASK = 32'h0000_8000;
  parameter int unsigned DEBUG_SBCS_SBAUTOINCREMENT_LSB = 16;
  parameter logic [31:0] DEBUG_SBCS_SBAUTOINCREMENT_MASK = 32'h0001_0000;
  parameter int unsigned DEBUG_SBCS_SBACCESS_LSB = 17;
  parameter logic [31:0] DEBUG_SBCS_SBACCESS_MASK = 32'h000E_0000;
  parameter int unsigned DEBUG_SBCS_SBREADONADDR_LSB = 20;
  parameter logic [31:0] DEBUG_SBCS_SBREADONADDR_MASK = 32'h0010_0000;
  parameter int unsigned DEBUG_SBCS_SBBUSY_LSB = 21;
  parameter logic [31:0] DEBUG_SBCS_SBBUSY_MASK = 32'h0020_0000;
  parameter int unsigned DEBUG_SBCS_SBBUSYERROR_LSB = 22;
  parameter logic [31:0] DEBUG_SBCS_SBBUSYERROR_MASK = 32'h0040_0000;
  parameter int unsigned DEBUG_SBCS_SBVERSION_LSB = 29;
  parameter logic [31:0] DEBUG_SBCS_SBVERSION_MASK = 32'hE000_0000;
  parameter logic [31:0] DEBUG_SBCS_RESET = 32'h2004_0407;

  // System bus address
  parameter logic [16:0] DEBUG_SBADDRESS0 = 17'h00EE4;
  parameter logic [31:0] DEBUG_SBADDRESS0_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] DEBUG_SBADDRESS0_RESET = 32'h0000_0000;

  // System bus data
  parameter logic [16:0] DEBUG_SBDATA0 = 17'h00EF0;
  parameter logic [31:0] DEBUG_SBDATA0_MASK = 32'hFFFF_FFFF;
  parameter logic [31:0] DEBUG_SBDATA0_RESET = 32'h0000_0000;

  // Halted cores
  parameter logic [16:0] DEBUG_HALTSUM0 = 17'h00F00;
  parameter logic [31:0] DEBUG_HALTSUM0_MASK = 32'h0000_0003;

  // Whether a word of the register page is a register.
  function automatic logic is_register(input logic [11:2] word);
    if (word <= 10'h00C) return 1'b1;
    if (word >= 10'h040 && word <= 10'h044) return 1'b1;
    if (word >= 10'h080 && word <= 10'h084) return 1'b1;
    if (word >= 10'h0C0 && word <= 10'h0C3) return 1'b1;
    if (word >= 10'h100 && word <= 10'h101) return 1'b1;
    if (word >= 10'h110 && word <= 10'h11F) return 1'b1;
    if (word >= 10'h140 && word <= 10'h151) return 1'b1;
    if (word >= 10'h180 && word <= 10'h182) return 1'b1;
    if (word >= 10'h184 && word <= 10'h187) return 1'b1;
    if (word >= 10'h1A0 && word <= 10'h1A2) return 1'b1;
    if (word >= 10'h1A4 && word <= 10'h1A7) return 1'b1;
    if (word >= 10'h1C0 && word <= 10'h1C2) return 1'b1;
    if (word >= 10'h200 && word <= 10'h206) return 1'b1;
    if (word >= 10'h208 && word <= 10'h20C) return 1'b1;
    if (word >= 10'h220 && word <= 10'h226) return 1'b1;
    if (word >= 10'h228 && word <= 10'h22B) return 1'b1;
    if (word >= 10'h240 && word <= 10'h240) return 1'b1;
    if (word >= 10'h243 && word <= 10'h24C) return 1'b1;
    if (word >= 10'h280 && word <= 10'h286) return 1'b1;
    if (word >= 10'h288 && word <= 10'h291) return 1'b1;
    if (word >= 10'h2C0 && word <= 10'h2CA) return 1'b1;
    if (word >= 10'h300 && word <= 10'h308) return 1'b1;
    if (word >= 10'h310 && word <= 10'h318) return 1'b1;
    if (word >= 10'h384 && word <= 10'h385) return 1'b1;
    if (word >= 10'h390 && word <= 10'h392) return 1'b1;
    if (word >= 10'h396 && word <= 10'h398) return 1'b1;
    if (word >= 10'h3A0 && word <= 10'h3A1) return 1'b1;
    if (word >= 10'h3B8 && word <= 10'h3B9) return 1'b1;
    if (word >= 10'h3BC && word <= 10'h3BC) return 1'b1;
    if (word >= 10'h3C0 && word <= 10'h3C0) return 1'b1;
    return 1'b0;
  endfunction

endpackage

// verilator lint_on UNUSEDPARAM
