// Brings the register accesses of the core and of the host, one in a clock, to the block that holds the register.
//
// Requesters: hold req and access until gnt; they take turns when both ask. Read data stand on rdata_o in the clock
//             after the grant.
// Slaves:     *_sel_o for one clock, with the access on access_o; always ready. In the next clock the block that was
//             read drives its data and all others zero, so that slave_rdata_i is the OR of all.
// Timing:     no register between requester and slave: an access is complete in the clock of its grant.
// Nowhere:    an offset without a block selects none and reads zero.

`default_nettype none

module nic_register_bus (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  // From the core
  input  wire logic              core_req_i,
  input  wire nic_pkg::reg_req_t core_access_i,
  output wire logic              core_gnt_o,

  // From the host
  input  wire logic              host_req_i,
  input  wire nic_pkg::reg_req_t host_access_i,
  output wire logic              host_gnt_o,

  // To both
  output wire logic [31:0]       rdata_o,

  // To the slaves
  output wire nic_pkg::reg_req_t access_o,
  output wire logic              ident_sel_o,
  output wire logic              event_sel_o,
  output wire logic              interrupt_sel_o,
  output wire logic              doorbell_sel_o,
  output wire logic              doorbell_page_sel_o,   // a doorbell page, not the registers
  output wire logic              mailbox_sel_o,
  output wire logic              timer_sel_o,
  output wire logic              semaphore_sel_o,
  output wire logic              dma_read_sel_o,
  output wire logic              dma_write_sel_o,
  output wire logic              mac_tx_sel_o,
  output wire logic              mac_rx_sel_o,
  output wire logic              pci_sel_o,
  output wire logic              sram_sel_o,
  input  wire logic [31:0]       slave_rdata_i
);

  // ---- Turns --------------------------------------------------------------------

  logic host_turn_q;

  wire logic host_wins = host_req_i && (host_turn_q || !core_req_i);
  wire logic any       = host_req_i || core_req_i;

  // Zero while nobody asks: no one looks then, and simulators need not put an access together.
  nic_pkg::reg_req_t access;
  always_comb begin
    access = '0;
    if (host_wins)       access = host_access_i;
    else if (core_req_i) access = core_access_i;
  end

  assign host_gnt_o = host_wins;
  assign core_gnt_o = core_req_i && !host_wins;
  assign access_o   = access;
  assign rdata_o    = slave_rdata_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)  host_turn_q <= 1'b0;
    else if (any) host_turn_q <= !host_wins;
  end

  // ---- Decoding: 256 bytes to a block, 128 to a DMA engine --------------------------

  import nic_regs_pkg::*;

  typedef struct packed {
    logic ident, event_a, irq, doorbell, doorbell_page, mailboxes, timer, semaphores;
    logic dma_read, dma_write, mac_tx, mac_rx, pci, sram;
  } sel_t;

  sel_t sel;
  always_comb begin
    sel = '0;
    if (any) begin
      if (access.addr[16]) begin
        sel.doorbell_page = 1'b1;
      end else if (access.addr[15:12] == 4'd0) begin
        case (access.addr[11:8])
          IDENT_BASE[11:8]:     sel.ident = 1'b1;
          EVENT_A_BASE[11:8]:   sel.event_a = 1'b1;
          INTERRUPT_BASE[11:8]: sel.irq = 1'b1;
          DOORBELL_BASE[11:8]:  sel.doorbell = 1'b1;
          MAILBOX_BASE[11:8]:   sel.mailboxes = 1'b1;
          TIMER_BASE[11:8]:     sel.timer = 1'b1;
          SEMAPHORE_BASE[11:8]: sel.semaphores = 1'b1;
          MAC_TX_BASE[11:8]:    sel.mac_tx = 1'b1;
          MAC_RX_BASE[11:8]:    sel.mac_rx = 1'b1;
          PCI_BASE[11:8]:       sel.pci = 1'b1;
          SRAM_BASE[11:8]:      sel.sram = 1'b1;
          DMA_READ_BASE[11:8]: begin
            sel.dma_read  = access.addr[7] == DMA_READ_BASE[7];
            sel.dma_write = access.addr[7] == DMA_WRITE_BASE[7];
          end
          default: ;
        endcase
      end
    end
  end

  if (DMA_READ_BASE[11:8] != DMA_WRITE_BASE[11:8]) begin : gen_bad_map
    $error("nic_register_bus: the DMA engines must share 256 bytes");
  end

  assign ident_sel_o         = sel.ident;
  assign event_sel_o         = sel.event_a;
  assign interrupt_sel_o     = sel.irq;
  assign doorbell_sel_o      = sel.doorbell;
  assign doorbell_page_sel_o = sel.doorbell_page;
  assign mailbox_sel_o       = sel.mailboxes;
  assign timer_sel_o         = sel.timer;
  assign semaphore_sel_o     = sel.semaphores;
  assign dma_read_sel_o      = sel.dma_read;
  assign dma_write_sel_o     = sel.dma_write;
  assign mac_tx_sel_o        = sel.mac_tx;
  assign mac_rx_sel_o        = sel.mac_rx;
  assign pci_sel_o           = sel.pci;
  assign sram_sel_o          = sel.sram;

  // ---- Assertions ---------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && any) AddressIsAligned: assert (access.addr[1:0] == 2'd0);
  end

endmodule

`default_nettype wire
