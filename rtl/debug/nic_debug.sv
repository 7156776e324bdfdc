// The debug module: lets a debugger halt harts, read and write their state, and access memory. It
// follows the RISC-V Debug Specification 1.0; docs/debug.md lists what is supported and what is
// not.
//
// DMI:     dmi_sel_i for one clock with an access; always ready. Read data stand on dmi_rdata_o in
//          the next clock, which is zero in every other one. Addresses are those of the
//          specification.
// Harts:   the ports of the debug area (nic_debug_port), debug_req_o as a level, hart_reset_o to be
//          added to the hart's reset. docs/interfaces.md, "Debug ports", has the contract with a
//          core.
// Bus:     one access at a time (nic_debug_system_bus).
// Idle:    while dmactive is 0, only that bit can be written, and the module makes no request to a
//          hart or to the bus: `awake`.

`default_nettype none

module nic_debug #(
  parameter int unsigned Harts = 1    // 1 or 2
) (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,

  // DMI
  input  wire logic                    dmi_sel_i,
  input  wire logic                    dmi_we_i,
  input  wire logic [6:0]              dmi_addr_i,
  input  wire logic [31:0]             dmi_wdata_i,
  output wire logic [31:0]             dmi_rdata_o,

  // Harts
  input  wire logic [Harts-1:0]        in_reset_i,
  input  wire logic [Harts-1:0]        debug_mode_i,
  output wire logic [Harts-1:0]        debug_req_o,
  output wire logic [Harts-1:0]        hart_reset_o,

  // Instructions of the debug area: an answer in the clock after insn_req_i
  input  wire logic [Harts-1:0]        insn_req_i,
  input  wire logic [Harts-1:0][10:2]  insn_word_i,
  output wire logic [Harts-1:0][31:0]  insn_rdata_o,
  output wire logic [Harts-1:0]        insn_err_o,

  // Data of the debug area: an answer in the clock after data_req_i
  input  wire logic [Harts-1:0]        data_req_i,
  input  wire logic [Harts-1:0][10:2]  data_word_i,
  input  wire logic [Harts-1:0]        data_we_i,
  input  wire logic [Harts-1:0][3:0]   data_be_i,
  input  wire logic [Harts-1:0][31:0]  data_wdata_i,
  output wire logic [Harts-1:0][31:0]  data_rdata_o,
  output wire logic [Harts-1:0]        data_err_o,

  // System bus
  output wire logic                    bus_req_o,
  input  wire logic                    bus_gnt_i,
  output wire logic [31:2]             bus_word_o,
  output wire logic                    bus_we_o,
  output wire logic [3:0]              bus_be_o,
  output wire logic [31:0]             bus_wdata_o,
  input  wire logic                    bus_rvalid_i,
  input  wire logic [31:0]             bus_rdata_i,
  input  wire logic                    bus_err_i
);

  // Offsets in the register page hold the DMI address in bits 8:2 (nicscope.rdl).
  localparam logic [6:0] Data         = nic_regs_pkg::DEBUG_DATA[8:2];
  localparam logic [6:0] Dmcontrol    = nic_regs_pkg::DEBUG_DMCONTROL[8:2];
  localparam logic [6:0] Dmstatus     = nic_regs_pkg::DEBUG_DMSTATUS[8:2];
  localparam logic [6:0] Hartinfo     = nic_regs_pkg::DEBUG_HARTINFO[8:2];
  localparam logic [6:0] Abstractcs   = nic_regs_pkg::DEBUG_ABSTRACTCS[8:2];
  localparam logic [6:0] Command      = nic_regs_pkg::DEBUG_COMMAND[8:2];
  localparam logic [6:0] Abstractauto = nic_regs_pkg::DEBUG_ABSTRACTAUTO[8:2];
  localparam logic [6:0] Progbuf      = nic_regs_pkg::DEBUG_PROGBUF[8:2];
  localparam logic [6:0] Sbcs         = nic_regs_pkg::DEBUG_SBCS[8:2];
  localparam logic [6:0] Sbaddress    = nic_regs_pkg::DEBUG_SBADDRESS0[8:2];
  localparam logic [6:0] Sbdata       = nic_regs_pkg::DEBUG_SBDATA0[8:2];
  localparam logic [6:0] Haltsum      = nic_regs_pkg::DEBUG_HALTSUM0[8:2];

  // ---- Accesses of the debugger -------------------------------------------------------

  wire logic active, bus_busy;

  // Otherwise no register in here can change. One condition for all of them saves simulators time.
  wire logic awake = !rst_ni || dmi_sel_i || active || bus_busy || debug_mode_i != '0;

  nic_debug_pkg::dmi_t dmi;
  always_comb begin
    dmi = '0;
    if (dmi_sel_i) begin
      dmi.control = dmi_we_i && dmi_addr_i == Dmcontrol;
      dmi.clear   = dmi.control && !dmi_wdata_i[nic_regs_pkg::DEBUG_DMCONTROL_DMACTIVE_LSB];
      if (active) begin
        dmi.we   = dmi_we_i;
        dmi.read = !dmi_we_i;
        case (dmi_addr_i)
          Data, Data + 7'd1:       dmi.data[dmi_addr_i[0]]    = 1'b1;
          Progbuf, Progbuf + 7'd1: dmi.progbuf[dmi_addr_i[0]] = 1'b1;
          Command:                 dmi.command      = 1'b1;
          Abstractcs:              dmi.abstractcs   = 1'b1;
          Abstractauto:            dmi.abstractauto = 1'b1;
          Sbcs:                    dmi.sbcs         = 1'b1;
          Sbaddress:               dmi.sbaddress    = 1'b1;
          Sbdata:                  dmi.sbdata       = 1'b1;
          default: ;
        endcase
        dmi.to_command = dmi.data != '0 || dmi.progbuf != '0 || (dmi_we_i && (dmi.command || dmi.abstractcs || dmi.abstractauto));
        dmi.to_bus     = dmi.sbdata || (dmi_we_i && (dmi.sbcs || dmi.sbaddress));
      end
    end
  end

  // ---- Harts ------------------------------------------------------------------------

  wire nic_debug_pkg::hart_event_t [Harts-1:0] hart_event;
  wire logic        [Harts-1:0]                selected, resume;
  wire logic        [Harts-1:0][nic_debug_pkg::DATA_WORDS-1:0] hart_data_write;
  wire logic                                   ready, busy, go;
  wire nic_debug_pkg::transfer_t               transfer;
  wire logic        [31:0]                     dmcontrol, dmstatus, hartinfo, haltsum0;

  nic_debug_control #(.Harts(Harts)) u_control (
    .clk_i,
    .rst_ni,
    .awake_i         (awake),
    .dmi_i           (dmi),
    .wdata_i         (dmi_wdata_i),
    .dmcontrol_o     (dmcontrol),
    .dmstatus_o      (dmstatus),
    .hartinfo_o      (hartinfo),
    .haltsum0_o      (haltsum0),
    .active_o        (active),
    .selected_o      (selected),
    .ready_o         (ready),
    .busy_i          (busy),
    .in_reset_i,
    .event_i         (hart_event),
    .debug_req_o,
    .resume_o        (resume),
    .reset_o         (hart_reset_o)
  );

  // ---- Commands ---------------------------------------------------------------------

  // What the hart with the command says and stores. The others are parked, or run their program,
  // and store nothing here.
  nic_debug_pkg::hart_event_t           command_event;
  logic                                 command_reset;
  logic [nic_debug_pkg::DATA_WORDS-1:0] data_write;
  logic [3:0]                           data_be;
  logic [31:0]                          data_wdata;
  always_comb begin
    command_event = '0;
    command_reset = 1'b0;
    data_write    = '0;
    data_be       = '0;
    data_wdata    = '0;
    for (int h = 0; h < Harts; h++) begin
      if (selected[h] && data_req_i[h]) begin
        command_event = hart_event[h];
        data_write    = hart_data_write[h];
        data_be       = data_be_i[h];
        data_wdata    = data_wdata_i[h];
      end
    end
    if (busy) command_reset = (selected & in_reset_i) != '0;
  end

  wire logic [31:0] abstractcs, abstractauto;

  nic_debug_command u_command (
    .clk_i,
    .rst_ni,
    .awake_i            (awake),
    .dmi_i              (dmi),
    .wdata_i            (dmi_wdata_i),
    .abstractcs_o       (abstractcs),
    .auto_o             (abstractauto),
    .ready_i            (ready),
    .in_reset_i         (command_reset),
    .event_i            (command_event),
    .go_o               (go),
    .transfer_o         (transfer),
    .busy_o             (busy)
  );

  // ---- Data and program -------------------------------------------------------------

  logic [nic_debug_pkg::DATA_WORDS-1:0][31:0]    data_q;
  logic [nic_debug_pkg::PROGBUF_WORDS-1:0][31:0] progbuf_q;

  always_ff @(posedge clk_i) begin
    if (awake) begin
      if (!rst_ni || dmi.clear) begin
        data_q    <= '0;
        progbuf_q <= '0;
      end else if (dmi.we || data_write != '0) begin
        for (int i = 0; i < nic_debug_pkg::DATA_WORDS; i++) begin
          if (data_write[i]) data_q[i] <= nic_pkg::merge_bytes(data_q[i], data_wdata, data_be);
          else if (dmi.we && dmi.data[i] && !busy) data_q[i] <= dmi_wdata_i;
        end
        for (int i = 0; i < nic_debug_pkg::PROGBUF_WORDS; i++) begin
          if (dmi.we && dmi.progbuf[i] && !busy) progbuf_q[i] <= dmi_wdata_i;
        end
      end
    end
  end

  for (genvar h = 0; h < Harts; h++) begin : gen_port
    nic_debug_port u_port (
      .clk_i,
      .debug_mode_i (debug_mode_i[h]),
      .insn_req_i   (insn_req_i[h]),
      .insn_word_i  (insn_word_i[h]),
      .insn_rdata_o (insn_rdata_o[h]),
      .insn_err_o   (insn_err_o[h]),
      .data_req_i   (data_req_i[h]),
      .data_word_i  (data_word_i[h]),
      .data_we_i    (data_we_i[h]),
      .data_rdata_o (data_rdata_o[h]),
      .data_err_o   (data_err_o[h]),
      .go_i         (go && selected[h]),
      .resume_i     (resume[h]),
      .transfer_i   (transfer),
      .progbuf_i    (progbuf_q),
      .data_i       (data_q),
      .event_o      (hart_event[h]),
      .data_write_o (hart_data_write[h])
    );
  end

  // ---- System bus -------------------------------------------------------------------

  wire logic [31:0] sbcs, sbaddress, sbdata;

  nic_debug_system_bus u_system_bus (
    .clk_i,
    .rst_ni,
    .awake_i         (awake),
    .dmi_i           (dmi),
    .wdata_i         (dmi_wdata_i),
    .busy_o          (bus_busy),
    .sbcs_o          (sbcs),
    .address_o       (sbaddress),
    .data_o          (sbdata),
    .bus_req_o,
    .bus_gnt_i,
    .bus_word_o,
    .bus_we_o,
    .bus_be_o,
    .bus_wdata_o,
    .bus_rvalid_i,
    .bus_rdata_i,
    .bus_err_i
  );

  // ---- Reads ------------------------------------------------------------------------

  logic        read_q;
  logic [31:0] rdata_q;

  assign dmi_rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
    if (awake) begin
      if (!rst_ni) read_q <= 1'b0;
      else         read_q <= dmi.read;

      if (dmi.read) begin
        unique case (dmi_addr_i)
          Data:           rdata_q <= data_q[0];
          Data + 7'd1:    rdata_q <= data_q[1];
          Dmcontrol:      rdata_q <= dmcontrol;
          Dmstatus:       rdata_q <= dmstatus;
          Hartinfo:       rdata_q <= hartinfo;
          Abstractcs:     rdata_q <= abstractcs;
          Abstractauto:   rdata_q <= abstractauto;
          Progbuf:        rdata_q <= progbuf_q[0];
          Progbuf + 7'd1: rdata_q <= progbuf_q[1];
          Sbcs:           rdata_q <= sbcs;
          Sbaddress:      rdata_q <= sbaddress;
          Sbdata:         rdata_q <= sbdata;
          Haltsum:        rdata_q <= haltsum0;
          default:        rdata_q <= '0;
        endcase
      end else if (read_q || !rst_ni) begin
        rdata_q <= '0;
      end
    end
  end

endmodule

`default_nettype wire
