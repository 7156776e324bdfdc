// The register page: the bus, and the blocks that live in it. Engines, MAC and counters hold their
// own registers and are slaves behind ports.
//
// Accesses: docs/interfaces.md, Register bus; complete in the clock of their grant, read data in
// the next.
// Events:   events of the hardware come in as pulses, and become pending in every core; the event
//           of a timer only in its own core. irq_o are the interrupt lines of the cores, inta_o the
//           level of INTA#.
// Cores:    A in bit 0 and element 0, B in the next.

`default_nettype none

module nic_registers #(
  parameter int unsigned Cores            = 1,       // or 2
  parameter int unsigned SramBytes        = 524288,
  parameter int unsigned ScratchpadBytes  = 16384,
  parameter int unsigned ScratchpadBytesB = 8192
) (
  input  wire logic              clk_i,
  input  wire logic              clk_a_i,                   // clock of core A: the same, but may
                                                            // stop (nic_core_sleep)
  input  wire logic              clk_b_i,                   // clock of core B
  input  wire logic              rst_ni,

  // Accesses of the cores and of the host
  input  wire logic [Cores-1:0]              core_req_i,
  input  wire nic_pkg::reg_req_t [Cores-1:0] core_access_i,
  output wire logic [Cores-1:0]              core_gnt_o,
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
  output wire logic              debug_sel_o,
  input  wire logic [31:0]       slave_rdata_i,

  // Cores
  output wire logic [Cores-1:0]       run_o,
  input  wire logic [Cores-1:0]       in_reset_i,           // each core, whatever the reason
  output wire logic [Cores-1:0][31:0] boot_address_o,
  output wire logic [63:0]            cycles_o,             // core clocks since reset
  input  wire logic [Cores-1:0]       sleep_i,
  output wire logic [Cores-1:0]       irq_o,
  output wire logic [Cores-1:0]       event_valid_o,        // the next event of each core
                                                            // (nic_events)
  output wire logic [Cores-1:0][4:0]  event_o,
  output wire logic [Cores-1:0]       event_soon_o,         // the last two may change with the next
                                                            // edge
  output wire logic [Cores-1:0]       semaphore_waits_o,    // asked for and not owned

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

  // ---- Bus ----------------------------------------------------------------------

  wire nic_pkg::reg_req_t access;
  wire logic              ident_sel, interrupt_sel, doorbell_sel, doorbell_page_sel, mailbox_sel, semaphore_sel;
  wire logic [31:0]       ident_rdata, interrupt_rdata, doorbell_rdata, mailbox_rdata, semaphore_rdata;

  // Slots of core A, and of core B
  wire logic [1:0]       event_sel, timer_sel;
  wire logic [1:0][31:0] event_rdata, timer_rdata;

  assign access_o = access;

  nic_register_bus #(.Cores(Cores)) u_bus (
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
    .debug_sel_o,
    .slave_rdata_i       (ident_rdata | event_rdata[0] | event_rdata[1] | interrupt_rdata | doorbell_rdata | mailbox_rdata |
                          timer_rdata[0] | timer_rdata[1] | semaphore_rdata | slave_rdata_i)
  );

  // ---- Identification, time -------------------------------------------------------


  nic_identification #(
    .Cores(Cores), .SramBytes(SramBytes), .ScratchpadBytes(ScratchpadBytes), .ScratchpadBytesB(ScratchpadBytesB)
  ) u_identification (
    .clk_i,
    .rst_ni,
    .reg_sel_i   (ident_sel),
    .reg_req_i   (access),
    .reg_rdata_o (ident_rdata),
    .pci_64_i,
    .run_o,
    .boot_address_o,
    .sleep_i,
    .cycles_o,
    .window_base_o,
    .refused_i
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

  wire logic [1:0] semaphore_waits;
  assign semaphore_waits_o = semaphore_waits[Cores-1:0];

  if (Cores == 1) begin : gen_semaphore_of_one
    wire logic unused_semaphore = semaphore_waits[1];
  end

  nic_semaphore u_semaphore (
    .clk_i,
    .rst_ni,
    .reg_sel_i   (semaphore_sel),
    .reg_req_i   (access),
    .reg_rdata_o (semaphore_rdata),
    .in_reset_i  (2'(in_reset_i)),
    .waits_o     (semaphore_waits)
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

  // ---- Events and timers of each core -------------------------------------------------

  logic [nic_pkg::EVENTS-1:0] event_set;
  always_comb begin
    event_set                  = '0;
    event_set[nic_pkg::EVENT_MAC_RX]    = event_mac_rx_i;
    event_set[nic_pkg::EVENT_DMA_WRITE] = event_dma_write_i;
    event_set[nic_pkg::EVENT_DMA_READ]  = event_dma_read_i;
    event_set[nic_pkg::EVENT_MAC_TX]    = event_mac_tx_i;
    event_set[nic_pkg::EVENT_MAILBOX]   = mailbox_to_nic;
    event_set[nic_pkg::EVENT_DOORBELL]  = doorbell_rings;
    event_set[nic_pkg::EVENT_DMA_ERROR] = event_dma_error_i;
    event_set[nic_pkg::EVENT_MAC_ERROR] = event_mac_error_i;
  end

  wire logic [3:0] timer_fires_a;

  nic_timers u_timers_a (
    .clk_i,
    .rst_ni,
    .reg_sel_i   (timer_sel[0]),
    .reg_req_i   (access),
    .reg_rdata_o (timer_rdata[0]),
    .cycles_i    (cycles_o[31:0]),
    .fires_o     (timer_fires_a)
  );

  nic_events u_events_a (
    .clk_i,
    .clk_core_i  (clk_a_i),
    .rst_ni,
    .reg_sel_i   (event_sel[0]),
    .reg_req_i   (access),
    .reg_rdata_o (event_rdata[0]),
    .set_i       (event_set | nic_pkg::EVENTS'(timer_fires_a) << nic_pkg::EVENT_TIMER_0),
    .irq_o       (irq_o[0]),
    .next_valid_o (event_valid_o[0]),
    .next_o      (event_o[0]),
    .soon_o      (event_soon_o[0])
  );

  if (Cores > 1) begin : gen_core_b
    wire logic [3:0] timer_fires_b;

    nic_timers u_timers_b (
      .clk_i,
      .rst_ni,
      .reg_sel_i   (timer_sel[1]),
      .reg_req_i   (access),
      .reg_rdata_o (timer_rdata[1]),
      .cycles_i    (cycles_o[31:0]),
      .fires_o     (timer_fires_b)
    );

    nic_events u_events_b (
      .clk_i,
      .clk_core_i  (clk_b_i),
      .rst_ni,
      .reg_sel_i   (event_sel[1]),
      .reg_req_i   (access),
      .reg_rdata_o (event_rdata[1]),
      .set_i       (event_set | nic_pkg::EVENTS'(timer_fires_b) << nic_pkg::EVENT_TIMER_0),
      .irq_o       (irq_o[1]),
      .next_valid_o (event_valid_o[1]),
      .next_o      (event_o[1]),
      .soon_o      (event_soon_o[1])
    );
  end else begin : gen_no_core_b
    assign timer_rdata[1] = '0;
    assign event_rdata[1] = '0;

    wire logic unused = &{1'b0, clk_b_i, timer_sel[1], event_sel[1]};
  end

  assign probe_doorbell_o = doorbell_rings;
  assign probe_mailbox_o  = mailbox_to_nic || mailbox_to_host != '0;

endmodule

`default_nettype wire
