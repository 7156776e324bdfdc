// Shares the SRAM among its requesters, one access per clock.
//
// Ports:   numbered by nic_pkg::sram_port_e, in three classes: link (receive, transmit), DMA (read,
//          write), and the rest (data and instructions of each core, host). The members of a class
//          take turns.
// Order:   a class that has waited for its patience goes first, the rest before DMA; otherwise link
//          before DMA before the rest.
// Bound:   with the default patience a request waits at most 3 clocks (link), 33 (DMA) or 11 (the
//          rest; with two cores 19), whatever the others do; docs/memory.md derives it and
//          nic_sram_wait_checker watches it.
// Timing:  gnt_o follows req_i in the same clock; a granted read has rvalid_o, and the SRAM its
//          data, in the next.

`default_nettype none

module nic_sram_arbiter #(
  parameter int unsigned Ports = nic_pkg::SRAM_PORTS,
  // How many clocks a class lets higher ones go first. 3: a quarter of the clocks is sure to the
  // cores and the host.
  parameter int unsigned DmaPatienceCycles  = 15,
  parameter int unsigned RestPatienceCycles = 3
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,

  // Requesters: hold req_i and access_i until gnt_o
  input  wire logic [Ports-1:0]   req_i,
  input  wire nic_pkg::sram_req_t access_i [Ports],
  output wire logic [Ports-1:0]   gnt_o,
  output wire logic [Ports-1:0]   rvalid_o,

  // To the SRAM
  output wire logic               sram_req_o,
  output wire nic_pkg::sram_req_t sram_access_o
);

  localparam int unsigned Rest = Ports - nic_pkg::SRAM_CORE_DATA;   // members of the last class,
                                                                    // which are the last ports

  typedef logic [$clog2(DmaPatienceCycles+1)-1:0]  dma_patience_t;
  typedef logic [$clog2(RestPatienceCycles+1)-1:0] rest_patience_t;

  // ---- Which class ------------------------------------------------------------

  dma_patience_t  dma_waited_q;
  rest_patience_t rest_waited_q;

  wire logic link_wants = req_i[nic_pkg::SRAM_LINK_RX]   || req_i[nic_pkg::SRAM_LINK_TX];
  wire logic dma_wants  = req_i[nic_pkg::SRAM_DMA_READ]  || req_i[nic_pkg::SRAM_DMA_WRITE];
  wire logic rest_wants = req_i[Ports-1:nic_pkg::SRAM_CORE_DATA] != '0;

  wire logic rest_urgent = rest_wants && rest_waited_q == rest_patience_t'(RestPatienceCycles);
  wire logic dma_urgent  = dma_wants  && dma_waited_q  == dma_patience_t'(DmaPatienceCycles);

  wire logic grant_link = link_wants && !rest_urgent && !dma_urgent;
  wire logic grant_dma  = dma_wants  && !rest_urgent && (dma_urgent || !link_wants);
  wire logic grant_rest = rest_wants && (rest_urgent || (!link_wants && !dma_wants));

  // ---- Which member -------------------------------------------------------------

  logic link_tx_turn_q, dma_write_turn_q;

  wire logic link_tx   = req_i[nic_pkg::SRAM_LINK_TX]   && (link_tx_turn_q   || !req_i[nic_pkg::SRAM_LINK_RX]);
  wire logic dma_write = req_i[nic_pkg::SRAM_DMA_WRITE] && (dma_write_turn_q || !req_i[nic_pkg::SRAM_DMA_READ]);

  wire logic [Rest-1:0] rest;

  nic_round_robin #(.N(Rest)) u_rest (
    .clk_i, .rst_ni, .req_i(req_i[Ports-1:nic_pkg::SRAM_CORE_DATA]), .serve_i(grant_rest), .chosen_o(rest)
  );

  typedef logic [$clog2(Ports)-1:0] port_t;

  port_t granted;
  always_comb begin
    granted = '0;
    if (grant_link)     granted = link_tx   ? port_t'(nic_pkg::SRAM_LINK_TX)   : port_t'(nic_pkg::SRAM_LINK_RX);
    else if (grant_dma) granted = dma_write ? port_t'(nic_pkg::SRAM_DMA_WRITE) : port_t'(nic_pkg::SRAM_DMA_READ);
    else for (int i = 0; i < int'(Rest); i++) if (rest[i]) granted = port_t'(nic_pkg::SRAM_CORE_DATA) + port_t'(i);
  end

  // ---- Outputs ------------------------------------------------------------------

  logic [Ports-1:0] rvalid_q;

  // Requests before the reset of a requester do not change the contents of the SRAM.
  assign sram_req_o    = req_i != '0 && rst_ni;
  assign sram_access_o = access_i[granted];
  assign gnt_o         = sram_req_o ? Ports'(1) << granted : '0;
  assign rvalid_o      = rvalid_q;

  // ---- Registers ----------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rvalid_q         <= '0;
      link_tx_turn_q   <= 1'b0;
      dma_write_turn_q <= 1'b0;
      dma_waited_q     <= '0;
      rest_waited_q    <= '0;
    end else begin
      rvalid_q <= sram_access_o.we ? '0 : gnt_o;
      if (grant_link) link_tx_turn_q   <= !link_tx;
      if (grant_dma)  dma_write_turn_q <= !dma_write;
      // An urgent DMA request can still meet an urgent one of the rest: its count stays.
      if (grant_dma || !dma_wants)   dma_waited_q  <= '0;
      else if (!dma_urgent)          dma_waited_q  <= dma_waited_q + dma_patience_t'(1);
      if (grant_rest || !rest_wants) rest_waited_q <= '0;
      else                           rest_waited_q <= rest_waited_q + rest_patience_t'(1);
    end
  end

  // ---- Assertions ---------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && gnt_o != '0) begin
      OneGrantAtMost:          assert ((gnt_o & (gnt_o - Ports'(1))) == '0);
      OnlyRequestersAreServed: assert ((gnt_o & ~req_i) == '0);
    end
    if (rst_ni && req_i != '0) NoClockIsWasted: assert (gnt_o != '0);
  end

endmodule

`default_nettype wire
