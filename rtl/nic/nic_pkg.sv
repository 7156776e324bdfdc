// Types and constants that cross block boundaries. docs/interfaces.md states the rules of each
// handshake.

// Every block uses some of these constants and none uses all.
// verilator lint_off UNUSEDPARAM

package nic_pkg;

  // ---- SRAM ports (core clock) ----------------------------------------------

  // Byte addresses of the largest SRAM (2 MB). Ports carry 64-bit words with byte enables, little
  // endian.
  parameter int unsigned SRAM_ADDR_BITS = 21;

  typedef struct packed {
    logic [SRAM_ADDR_BITS-1:3] addr;   // in 64-bit words
    logic                      we;
    logic [7:0]                be;     // writes only; reads return all eight bytes
    logic [63:0]               wdata;
  } sram_req_t;

  // The requesters of the SRAM, highest priority first (docs/memory.md has the bandwidth budget).
  typedef enum int unsigned {
    SRAM_LINK_RX   = 0,
    SRAM_LINK_TX   = 1,
    SRAM_DMA_READ  = 2,
    SRAM_DMA_WRITE = 3,
    SRAM_CORE_DATA   = 4,
    SRAM_CORE_INSN   = 5,
    SRAM_HOST        = 6,
    SRAM_CORE_B_DATA = 7,   // only with two cores
    SRAM_CORE_B_INSN = 8
  } sram_port_e;
  parameter int unsigned SRAM_PORTS      = 7;   // of a NIC with one core
  parameter int unsigned SRAM_PORTS_PAIR = 9;   // with two

  // ---- Register bus (core clock) --------------------------------------------

  // Offsets of BAR 0: a register page, the window page, and one doorbell page per process.
  parameter int unsigned REG_ADDR_BITS = 17;

  typedef struct packed {
    logic [REG_ADDR_BITS-1:0] addr;       // byte offset, a multiple of 4
    logic                     we;
    logic [3:0]               be;
    logic [31:0]              wdata;
    logic                     from_host;  // 0: from a core
  } reg_req_t;

  // The contents of a register after the enabled bytes of a write.
  function automatic logic [31:0] merge_bytes(input logic [31:0] kept, input logic [31:0] written, input logic [3:0] be);
    logic [31:0] mask;
    mask = {{8{be[3]}}, {8{be[2]}}, {8{be[1]}}, {8{be[0]}}};
    return (kept & ~mask) | (written & mask);
  endfunction

  // ---- Host accesses, from the PCI target (core clock) ------------------------

  typedef enum logic {
    SPACE_REGISTERS = 1'b0,   // BAR 0
    SPACE_SRAM      = 1'b1    // BAR 1
  } host_space_e;

  // The most dwords that one delayed read may prefetch.
  parameter int unsigned HOST_READ_DWORDS_MAX = 8;

  typedef struct packed {
    host_space_e               space;
    logic [SRAM_ADDR_BITS-1:0] addr;          // byte offset in the BAR, a multiple of 4
    logic                      we;
    logic [3:0]                be;
    logic [31:0]               wdata;
    logic [3:0]                read_dwords;   // reads: 1 to HOST_READ_DWORDS_MAX consecutive dwords
  } host_req_t;

  typedef struct packed {
    logic [31:0] data;
    logic        last;
  } host_rsp_t;

  // ---- Host DMA, between the engines and the PCI master (core clock) ----------

  typedef enum logic [2:0] {
    PCI_OK           = 3'd0,
    PCI_MASTER_ABORT = 3'd1,
    PCI_TARGET_ABORT = 3'd2,
    PCI_PARITY_ERROR = 3'd3,
    PCI_DISABLED     = 3'd4,   // bus mastering is off in the command register
    PCI_RETRY_LIMIT  = 3'd5,   // the target repeated its retry as often as RETRY_LIMIT says
    PCI_STOPPED      = 3'd6    // CONTROL.reset of the engine; 7 is nic_dma_pkg::STATUS_REFUSED
  } pci_status_e;

  typedef struct packed {
    logic [31:0] addr;        // any byte alignment
    logic [15:0] len_bytes;   // 1 to 65535
  } dma_cmd_t;

  // One aligned 64-bit word of host memory. Word k of a transfer covers host bytes (addr & ~7) + 8k
  // .. + 7; bytes outside the command's range are undefined.
  typedef struct packed {
    logic [63:0]  data;
    logic         last;
    pci_status_e  status;     // meaningful with last; not PCI_OK: the transfer ended here
  } dma_read_beat_t;

  // ---- Events of a core, in the order of their priority (0 first) -------------

  parameter int unsigned EVENT_MAC_RX    = 0;   // a good frame is in the receive ring
  parameter int unsigned EVENT_DMA_WRITE = 1;   // a host-write descriptor with the event flag
                                                // completed
  parameter int unsigned EVENT_DMA_READ  = 2;   // a host-read descriptor with the event flag
                                                // completed
  parameter int unsigned EVENT_MAC_TX    = 3;   // a transmit descriptor with the event flag
                                                // completed
  parameter int unsigned EVENT_MAILBOX   = 4;   // the host wrote a mailbox
  parameter int unsigned EVENT_DOORBELL  = 5;   // a process wrote its doorbell page
  parameter int unsigned EVENT_TIMER_0   = 6;   // timers 0 to 3: bits 6 to 9
  parameter int unsigned EVENT_DMA_ERROR = 10;  // a DMA engine halted on an error
  parameter int unsigned EVENT_MAC_ERROR = 11;  // receive overflow or transmit underrun
  parameter int unsigned EVENT_SOFT_0    = 16;  // bits 16 to 31: set by software
  parameter int unsigned EVENTS          = 32;

  // ---- RISC-V Formal Interface of a core ---------------------------------------

  typedef struct packed {
    logic        valid;
    logic [63:0] order;
    logic [31:0] insn;
    logic        trap;
    logic        halt;
    logic        intr;
    logic [1:0]  mode;
    logic [1:0]  ixl;
    logic [4:0]  rs1_addr;
    logic [4:0]  rs2_addr;
    logic [31:0] rs1_rdata;
    logic [31:0] rs2_rdata;
    logic [4:0]  rd_addr;
    logic [31:0] rd_wdata;
    logic [31:0] pc_rdata;
    logic [31:0] pc_wdata;
    logic [31:0] mem_addr;
    logic [3:0]  mem_rmask;
    logic [3:0]  mem_wmask;
    logic [31:0] mem_rdata;
    logic [31:0] mem_wdata;
  } rvfi_t;

  // ---- Probe port: one-cycle pulses for listeners; nothing depends on them ----

  parameter int unsigned PROBE_DOORBELL        = 0;
  parameter int unsigned PROBE_DMA_READ_START  = 1;   // descriptor fetched
  parameter int unsigned PROBE_DMA_READ_DONE   = 2;   // last byte in SRAM, status written
  parameter int unsigned PROBE_DMA_WRITE_START = 3;
  parameter int unsigned PROBE_DMA_WRITE_DONE  = 4;   // last byte accepted by the host
  parameter int unsigned PROBE_MAC_TX_START    = 5;   // descriptor fetched
  parameter int unsigned PROBE_MAC_TX_DONE     = 6;   // last byte has left towards the link
  parameter int unsigned PROBE_MAC_RX_DONE     = 7;   // good frame in the ring
  parameter int unsigned PROBE_MAC_RX_DROP     = 8;   // a frame ended in any other way
  parameter int unsigned PROBE_INTERRUPT       = 9;   // INTA# cause rises
  parameter int unsigned PROBE_MAILBOX         = 10;
  parameter int unsigned PROBES                = 11;

endpackage

// verilator lint_on UNUSEDPARAM
