// Routes the register accesses of the cores and of the host, one in a clock, to the block that
// holds the register.
//
// Requesters: hold req and access until gnt; they take turns, so that none waits longer than the
//             others take once each. Read data stand on rdata_o in the clock after the grant.
// Core B:     finds its own registers at the offsets of core A, and those of core A at the offsets
//             of core B.
// Slaves:     *_sel_o for one clock, with the access on access_o; always ready. In the next clock
//             the block that was read drives its data and all others zero, so that slave_rdata_i is
//             the OR of all.
// Timing:     no register between requester and slave: an access is complete in the clock of its
//             grant.
// Nowhere:    an offset without a block selects none and reads zero.

`default_nettype none

module nic_register_bus #(
  parameter int unsigned Cores = 1     // or 2
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  // From the cores, A first
  input  wire logic [Cores-1:0]              core_req_i,
  input  wire nic_pkg::reg_req_t [Cores-1:0] core_access_i,
  output wire logic [Cores-1:0]              core_gnt_o,

  // From the host
  input  wire logic              host_req_i,
  input  wire nic_pkg::reg_req_t host_access_i,
  output wire logic              host_gnt_o,

  // To all
  output wire logic [31:0]       rdata_o,

  // To the slaves
  output wire nic_pkg::reg_req_t access_o,
  output wire logic              ident_sel_o,
  output wire logic [1:0]        event_sel_o,           // of core A, of core B
  output wire logic              interrupt_sel_o,
  output wire logic              doorbell_sel_o,
  output wire logic              doorbell_page_sel_o,   // a doorbell page, not the registers
  output wire logic              mailbox_sel_o,
  output wire logic [1:0]        timer_sel_o,
  output wire logic              semaphore_sel_o,
  output wire logic              dma_read_sel_o,
  output wire logic              dma_write_sel_o,
  output wire logic              mac_tx_sel_o,
  output wire logic              mac_rx_sel_o,
  output wire logic              pci_sel_o,
  output wire logic              sram_sel_o,
  output wire logic              debug_sel_o,
  input  wire logic [31:0]       slave_rdata_i
);

  // ---- Turns --------------------------------------------------------------------

  // Core A, host, core B
  localparam int unsigned Requesters = Cores + 1;

  logic [Requesters-1:0]      req;
  wire logic [Requesters-1:0] chosen;
  wire logic                  any = req != '0;

  nic_round_robin #(.N(Requesters)) u_turns (.clk_i, .rst_ni, .req_i(req), .serve_i(any), .chosen_o(chosen));

  // Zero while no requester asks: no slave uses it then, and simulators need not compute an access.
  nic_pkg::reg_req_t access;

  assign access_o   = access;
  assign host_gnt_o = chosen[1];
  assign rdata_o    = slave_rdata_i;

  if (Cores == 1) begin : gen_one_core
    assign req        = {host_req_i, core_req_i};
    assign core_gnt_o = chosen[0];

    always_comb begin
      access = '0;
      if (chosen[1])      access = host_access_i;
      else if (chosen[0]) access = core_access_i;
    end
  end else begin : gen_two_cores
    assign req        = {core_req_i[1], host_req_i, core_req_i[0]};
    assign core_gnt_o = {chosen[2], chosen[0]};

    always_comb begin
      access = '0;
      if (chosen[1])      access = host_access_i;
      else if (chosen[0]) access = core_access_i[0];
      else if (chosen[2]) access = from_core_b(core_access_i[1]);
    end
  end

  // For core B the registers of both cores change places, so that each core finds its own events,
  // timers and request of the semaphore at the offsets of core A.
  function automatic nic_pkg::reg_req_t from_core_b(input nic_pkg::reg_req_t asked);
    nic_pkg::reg_req_t seen;
    seen = asked;
    if (asked.addr[16:12] == 5'd0) begin
      case (asked.addr[11:8])
        nic_regs_pkg::EVENT_A_BASE[11:8]:   seen.addr[11:8] = nic_regs_pkg::EVENT_B_BASE[11:8];
        nic_regs_pkg::EVENT_B_BASE[11:8]:   seen.addr[11:8] = nic_regs_pkg::EVENT_A_BASE[11:8];
        nic_regs_pkg::TIMER_BASE[11:8]:     seen.addr[7]    = !asked.addr[7];
        nic_regs_pkg::SEMAPHORE_BASE[11:8]: seen.addr[2]    = asked.addr[2] ^ (asked.addr[7:3] == 5'd0);
        default: ;
      endcase
    end
    return seen;
  endfunction

  // ---- Decoding: 256 bytes to a block, 128 to a DMA engine and to a core's timers, 512 to the
  // debug module ---

  typedef struct packed {
    logic ident, event_a, event_b, irq, doorbell, doorbell_page, mailboxes, timer_a, timer_b, semaphores;
    logic dma_read, dma_write, mac_tx, mac_rx, pci, sram, debug;
  } sel_t;

  sel_t sel;
  always_comb begin
    sel = '0;
    if (any) begin
      if (access.addr[16]) begin
        sel.doorbell_page = 1'b1;
      end else if (access.addr[15:12] == 4'd0) begin
        case (access.addr[11:8])
          nic_regs_pkg::IDENT_BASE[11:8]:     sel.ident = 1'b1;
          nic_regs_pkg::EVENT_A_BASE[11:8]:   sel.event_a = 1'b1;
          nic_regs_pkg::EVENT_B_BASE[11:8]:   sel.event_b = 1'b1;
          nic_regs_pkg::INTERRUPT_BASE[11:8]: sel.irq = 1'b1;
          nic_regs_pkg::DOORBELL_BASE[11:8]:  sel.doorbell = 1'b1;
          nic_regs_pkg::MAILBOX_BASE[11:8]:   sel.mailboxes = 1'b1;
          nic_regs_pkg::SEMAPHORE_BASE[11:8]: sel.semaphores = 1'b1;
          nic_regs_pkg::MAC_TX_BASE[11:8]:    sel.mac_tx = 1'b1;
          nic_regs_pkg::MAC_RX_BASE[11:8]:    sel.mac_rx = 1'b1;
          nic_regs_pkg::PCI_BASE[11:8]:       sel.pci = 1'b1;
          nic_regs_pkg::SRAM_BASE[11:8]:      sel.sram = 1'b1;
          nic_regs_pkg::TIMER_BASE[11:8]: begin
            sel.timer_a = access.addr[7] == nic_regs_pkg::TIMER_BASE[7];
            sel.timer_b = access.addr[7] == nic_regs_pkg::TIMER_B_BASE[7];
          end
          nic_regs_pkg::DMA_READ_BASE[11:8]: begin
            sel.dma_read  = access.addr[7] == nic_regs_pkg::DMA_READ_BASE[7];
            sel.dma_write = access.addr[7] == nic_regs_pkg::DMA_WRITE_BASE[7];
          end
          nic_regs_pkg::DEBUG_BASE[11:8], nic_regs_pkg::DEBUG_BASE[11:8] + 4'd1: sel.debug = 1'b1;
          default: ;
        endcase
      end
    end
  end

  if (nic_regs_pkg::DMA_READ_BASE[11:8] != nic_regs_pkg::DMA_WRITE_BASE[11:8] || nic_regs_pkg::TIMER_BASE[11:8] != nic_regs_pkg::TIMER_B_BASE[11:8]) begin : gen_bad_map
    $error("nic_register_bus: the DMA engines, and the timers of both cores, must share 256 bytes");
  end

  assign ident_sel_o         = sel.ident;
  assign event_sel_o         = {sel.event_b, sel.event_a};
  assign interrupt_sel_o     = sel.irq;
  assign doorbell_sel_o      = sel.doorbell;
  assign doorbell_page_sel_o = sel.doorbell_page;
  assign mailbox_sel_o       = sel.mailboxes;
  assign timer_sel_o         = {sel.timer_b, sel.timer_a};
  assign semaphore_sel_o     = sel.semaphores;
  assign dma_read_sel_o      = sel.dma_read;
  assign dma_write_sel_o     = sel.dma_write;
  assign mac_tx_sel_o        = sel.mac_tx;
  assign mac_rx_sel_o        = sel.mac_rx;
  assign pci_sel_o           = sel.pci;
  assign sram_sel_o          = sel.sram;
  assign debug_sel_o         = sel.debug;

  // ---- Assertions ---------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && any) AddressIsAligned: assert (access.addr[1:0] == 2'd0);
  end

endmodule

`default_nettype wire
