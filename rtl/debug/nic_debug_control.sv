// dmcontrol and the registers that show the harts: the selected hart, the requests to it, and its
// state.
//
// Writes:  dmi_i.control with wdata_i; the new selection counts for the rest of the same write.
// Select:  a hart that does not exist may be selected; then requests do nothing. The selection
//          stays while a command runs.
// Reset:   dmactive 0 puts the whole module to its reset values, for as long as it is 0.

`default_nettype none

module nic_debug_control #(
  parameter int unsigned Harts = 1    // 1 or 2
) (
  input  wire logic                                     clk_i,
  input  wire logic                                     rst_ni,

  // Registers
  input  wire logic                                     awake_i,
  input  wire nic_debug_pkg::dmi_t                      dmi_i,
  input  wire logic [31:0]                              wdata_i,
  output wire logic [31:0]                              dmcontrol_o,
  output wire logic [31:0]                              dmstatus_o,
  output wire logic [31:0]                              hartinfo_o,
  output wire logic [31:0]                              haltsum0_o,

  // The rest of the module
  output wire logic                                     active_o,
  output wire logic [Harts-1:0]                         selected_o,
  // the selected hart is halted
  output wire logic                                     ready_o,
  input  wire logic                                     busy_i,

  // Harts
  input  wire logic [Harts-1:0]                         in_reset_i,
  input  wire nic_debug_pkg::hart_event_t [Harts-1:0]   event_i,
  output wire logic [Harts-1:0]                         debug_req_o,
  output wire logic [Harts-1:0]                         resume_o,
  output wire logic [Harts-1:0]                         reset_o
);

  logic       active_q, ndmreset_q;
  logic [1:0] hartsel_q;

  logic [1:0]       hartsel_d;
  logic [Harts-1:0] write;
  always_comb begin
    hartsel_d = hartsel_q;
    write     = '0;
    if (dmi_i.control) begin
      if (!busy_i) hartsel_d = wdata_i[nic_regs_pkg::DEBUG_DMCONTROL_HARTSELLO_LSB +: 2];
      for (int h = 0; h < int'(Harts); h++) write[h] = active_q && hartsel_d == 2'(h);
    end
  end

  assign active_o = active_q;

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      if (!rst_ni) begin
        active_q   <= 1'b0;
        ndmreset_q <= 1'b0;
        hartsel_q  <= '0;
      end else if (dmi_i.control) begin
        active_q   <= !dmi_i.clear;
        ndmreset_q <= !dmi_i.clear && active_q && wdata_i[nic_regs_pkg::DEBUG_DMCONTROL_NDMRESET_LSB];
        hartsel_q  <= (dmi_i.clear || !active_q) ? '0 : hartsel_d;
      end
    end
  end

  // ---- Harts ------------------------------------------------------------------------

  wire logic [Harts-1:0] halted, resume_ack, have_reset, hart_reset;

  for (genvar h = 0; h < Harts; h++) begin : gen_hart
    assign selected_o[h] = hartsel_q == 2'(h);
    assign reset_o[h]    = hart_reset[h] || ndmreset_q;

    nic_debug_hart u_hart (
      .clk_i,
      .rst_ni,
      .awake_i,
      .active_i           (active_q),
      .clear_i            (dmi_i.clear),
      .write_i            (write[h]),
      .halt_i             (wdata_i[nic_regs_pkg::DEBUG_DMCONTROL_HALTREQ_LSB]),
      .resume_i           (wdata_i[nic_regs_pkg::DEBUG_DMCONTROL_RESUMEREQ_LSB]),
      .reset_i            (wdata_i[nic_regs_pkg::DEBUG_DMCONTROL_HARTRESET_LSB]),
      .ack_reset_i        (wdata_i[nic_regs_pkg::DEBUG_DMCONTROL_ACKHAVERESET_LSB]),
      .set_reset_halt_i   (wdata_i[nic_regs_pkg::DEBUG_DMCONTROL_SETRESETHALTREQ_LSB]),
      .clear_reset_halt_i (wdata_i[nic_regs_pkg::DEBUG_DMCONTROL_CLRRESETHALTREQ_LSB]),
      .in_reset_i         (in_reset_i[h]),
      .parked_i           (event_i[h].parked),
      .resuming_i         (event_i[h].resuming),
      .debug_req_o        (debug_req_o[h]),
      .resume_o           (resume_o[h]),
      .reset_o            (hart_reset[h]),
      .halted_o           (halted[h]),
      .resume_ack_o       (resume_ack[h]),
      .have_reset_o       (have_reset[h])
    );
  end

  // ---- Registers --------------------------------------------------------------------

  assign ready_o = (selected_o & halted) != '0;

  // One hart is selected, so that "all" and "any" are the same.
  localparam logic [31:0] Both = 32'd3;

  logic [31:0] dmcontrol, dmstatus;
  logic        exists, in_reset, is_running;
  always_comb begin
    dmcontrol  = '0;
    dmstatus   = '0;
    exists     = 1'b0;
    in_reset   = 1'b0;
    is_running = 1'b0;
    if (dmi_i.read) begin
      exists     = selected_o != '0;
      in_reset   = (selected_o & in_reset_i) != '0;
      is_running = exists && !in_reset && !ready_o;
      dmcontrol  = (32'((selected_o & hart_reset) != '0) << nic_regs_pkg::DEBUG_DMCONTROL_HARTRESET_LSB)
                 | (32'(hartsel_q)  << nic_regs_pkg::DEBUG_DMCONTROL_HARTSELLO_LSB)
                 | (32'(ndmreset_q) << nic_regs_pkg::DEBUG_DMCONTROL_NDMRESET_LSB)
                 | (32'(active_q)   << nic_regs_pkg::DEBUG_DMCONTROL_DMACTIVE_LSB);
      dmstatus   = (32'd1 << nic_regs_pkg::DEBUG_DMSTATUS_IMPEBREAK_LSB)
                 | (32'd1 << nic_regs_pkg::DEBUG_DMSTATUS_AUTHENTICATED_LSB)
                 | (32'd1 << nic_regs_pkg::DEBUG_DMSTATUS_HASRESETHALTREQ_LSB)
                 | (32'd3 << nic_regs_pkg::DEBUG_DMSTATUS_VERSION_LSB)
                 | (32'(ndmreset_q) << nic_regs_pkg::DEBUG_DMSTATUS_NDMRESETPENDING_LSB)
                 | (((selected_o & have_reset) != '0 ? Both : 32'd0) << nic_regs_pkg::DEBUG_DMSTATUS_ANYHAVERESET_LSB)
                 | (((selected_o & resume_ack) != '0 ? Both : 32'd0) << nic_regs_pkg::DEBUG_DMSTATUS_ANYRESUMEACK_LSB)
                 | ((!exists    ? Both : 32'd0) << nic_regs_pkg::DEBUG_DMSTATUS_ANYNONEXISTENT_LSB)
                 | ((in_reset   ? Both : 32'd0) << nic_regs_pkg::DEBUG_DMSTATUS_ANYUNAVAIL_LSB)
                 | ((is_running ? Both : 32'd0) << nic_regs_pkg::DEBUG_DMSTATUS_ANYRUNNING_LSB)
                 | ((ready_o    ? Both : 32'd0) << nic_regs_pkg::DEBUG_DMSTATUS_ANYHALTED_LSB);
    end
  end
  assign dmcontrol_o = dmcontrol;
  assign dmstatus_o  = dmstatus;

  if (nic_regs_pkg::DEBUG_HARTINFO_RESET != {8'd0, 4'd2, 3'd0, 1'b1, 4'(nic_debug_pkg::DATA_WORDS), nic_debug_pkg::AT_DATA}) begin : gen_map_error
    $error("DEBUG.HARTINFO in nicscope.rdl does not say what nic_debug_pkg does");
  end
  assign hartinfo_o = exists ? nic_regs_pkg::DEBUG_HARTINFO_RESET : 32'd0;
  assign haltsum0_o = 32'(halted);

  wire logic unused = &{1'b0, wdata_i, dmi_i};

endmodule

`default_nettype wire
