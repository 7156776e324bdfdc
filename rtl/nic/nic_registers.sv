// The register page: the bus, and the blocks that live in it. Engines, MAC and counters hold their own registers and
// are slaves behind ports.
//
// Accesses: docs/interfaces.md, Register bus; complete in the clock of their grant, read data in the next.
// Events:   what the hardware reports comes in as pulses; irq_a_o is the core's interrupt line, inta_o the level of INTA#.

`default_nettype none

module nic_registers #(
  parameter int unsigned SramBytes       = 524288,
  parameter int unsigned ScratchpadBytes = 16384
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  // Accesses of core A and of the host
  input  wire logic              core_req_i,
  input  wire nic_pkg::reg_req_t core_access_i,
  output wire logic              core_gnt_o,
  input  wire logic              host_req_i,
  input  wire nic_pkg::reg_req_t host_access_i,
  output wire logic              host_gnt_o,
  output wire logic [31:0]       rdata_o,

  // Slaves elsewhere
  output wire nic_pkg::reg_req_t access_o,
  output wire logic              dma_read_sel_o,
  output wire logic              dma_write_sel_o,
  output wire logic              mac_tx_sel_o,
  output wire logic              mac_rx_sel_o,
  output wire logic              pci_sel_o,
  output wire logic              sram_sel_o,
  input  wire logic [31:0]       slave_rdata_i,

  // Core A
  output wire logic              run_a_o,
  output wire logic [31:0]       boot_address_o,
  input  wire logic              sleep_a_i,
  output wire logic              irq_a_o,

  // Host side
  input  wire logic              pci_64_i,
  output wire logic              inta_o,
  output wire logic [20:11]      window_base_o,
  input  wire logic              refused_i,

  // What happened in the hardware, one clock each
  input  wire logic              event_mac_rx_i,
  input  wire logic              event_mac_tx_i,
  input  wire logic              event_mac_error_i,
  input  wire logic              event_dma_read_i,
  input  wire logic              event_dma_write_i,
  input  wire logic              event_dma_error_i,

  // For listeners
  output wire logic              probe_doorbell_o,
  output wire logic              probe_mailbox_o,
  output wire logic              probe_interrupt_o
);

  import nic_pkg::*;

  // ---- Bus ----------------------------------------------------------------------

  wire reg_req_t    access;
  wire logic        ident_sel, event_sel, interrupt_sel, doorbell_sel, doorbell_page_sel, mailbox_sel, timer_sel, semaphore_sel;
  wire logic [31:0] ident_rdata, event_rdata, interrupt_rdata, doorbell_rdata, mailbox_rdata, timer_rdata, semaphore_rdata;

  assign access_o = access;

  nic_register_bus u_bus (
    .clk_i,
    .rst_ni,
    .core_req_i,
    .core_access_i,
    .core_gnt_o,
    .host_req_i,
    .host_access_i,
    .host_gnt_o,
    .rdata_o,
    .access_o            (access),
    .ident_sel_o         (ident_sel),
    .event_sel_o         (event_sel),
    .interrupt_sel_o     (interrupt_sel),
    .doorbell_sel_o      (doorbell_sel),
    .doorbell_page_sel_o (doorbell_page_sel),
    .mailbox_sel_o       (mailbox_sel),
    .timer_sel_o         (timer_sel),
    .semaphore_sel_o     (semaphore_sel),
    .dma_read_sel_o,
    .dma_write_sel_o,
    .mac_tx_sel_o,
    .mac_rx_sel_o,
    .pci_sel_o,
    .sram_sel_o,
    .slave_rdata_i       (ident_rdata | event_rdata | interrupt_rdata | doorbell_rdata | mailbox_rdata | timer_rdata |
                          semaphore_rdata | slave_rdata_i)
  );

  // ---- Identification, time -------------------------------------------------------

  wire logic [31:0] cycles;
  wire logic [3:0]  timer_fires;

  nic_identification #(.SramBytes(SramBytes), .ScratchpadBytes(ScratchpadBytes)) u_identification (
    .clk_i,
    .rst_ni,
    .reg_sel_i   (ident_sel),
    .reg_req_i   (access),
    .reg_rdata_o (ident_rdata),
    .pci_64_i,
    .run_a_o,
    .boot_address_o,
    .sleep_a_i,
    .cycles_o    (cycles),
    .window_base_o,
    .refused_i
  );

  nic_timers u_timers (
    .clk_i,
    .rst_ni,
    .reg_sel_i   (timer_sel),
    .reg_req_i   (access),
    .reg_rdata_o (timer_rdata),
    .cycles_i    (cycles),
    .fires_o     (timer_fires)
  );

  // ---- Host and cores ---------------------------------------------------------------

  wire logic       doorbell_rings, mailbox_to_nic;
  wire logic [7:0] mailbox_to_host;

  nic_doorbells u_doorbells (
    .clk_i,
    .rst_ni,
    .reg_sel_i   (doorbell_sel),
    .page_sel_i  (doorbell_page_sel),
    .reg_req_i   (access),
    .reg_rdata_o (doorbell_rdata),
    .rings_o     (doorbell_rings)
  );

  nic_mailboxes u_mailboxes (
    .clk_i,
    .rst_ni,
    .reg_sel_i   (mailbox_sel),
    .reg_req_i   (access),
    .reg_rdata_o (mailbox_rdata),
    .to_nic_o    (mailbox_to_nic),
    .to_host_o   (mailbox_to_host)
  );

  nic_semaphore u_semaphore (
    .clk_i,
    .rst_ni,
    .reg_sel_i   (semaphore_sel),
    .reg_req_i   (access),
    .reg_rdata_o (semaphore_rdata)
  );

  nic_interrupt u_interrupt (
    .clk_i,
    .rst_ni,
    .reg_sel_i    (interrupt_sel),
    .reg_req_i    (access),
    .reg_rdata_o  (interrupt_rdata),
    .set_i        (mailbox_to_host),
    .inta_o,
    .probe_rise_o (probe_interrupt_o)
  );

  // ---- Events -----------------------------------------------------------------------

  logic [EVENTS-1:0] event_set;
  always_comb begin
    event_set                     = '0;
    event_set[EVENT_MAC_RX]       = event_mac_rx_i;
    event_set[EVENT_DMA_WRITE]    = event_dma_write_i;
    event_set[EVENT_DMA_READ]     = event_dma_read_i;
    event_set[EVENT_MAC_TX]       = event_mac_tx_i;
    event_set[EVENT_MAILBOX]      = mailbox_to_nic;
    event_set[EVENT_DOORBELL]     = doorbell_rings;
    event_set[EVENT_TIMER_0 +: 4] = timer_fires;
    event_set[EVENT_DMA_ERROR]    = event_dma_error_i;
    event_set[EVENT_MAC_ERROR]    = event_mac_error_i;
  end

  nic_events u_events_a (
    .clk_i,
    .rst_ni,
    .reg_sel_i   (event_sel),
    .reg_req_i   (access),
    .reg_rdata_o (event_rdata),
    .set_i       (event_set),
    .irq_o       (irq_a_o)
  );

  assign probe_doorbell_o = doorbell_rings;
  assign probe_mailbox_o  = mailbox_to_nic || mailbox_to_host != '0;

endmodule

`default_nettype wire
