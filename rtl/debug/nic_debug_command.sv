// Abstract commands: decides whether a command may run, lets the selected hart run it, and reports
// its end.
//
// Start:   a write of command, or an access of a data or program word that abstractauto names.
//          busy_o rises at the end of that clock.
// Run:     go_o until the hart has done the transfer (started) or failed; then until it parks
//          again. A hart that goes into reset ends the command with an error of its own.
// Errors:  the first error stays until it is cleared; until then no command starts.

`default_nettype none

module nic_debug_command (
  input  wire logic                                     clk_i,
  input  wire logic                                     rst_ni,

  // Accesses of the debugger
  input  wire logic                                     awake_i,
  input  wire nic_debug_pkg::dmi_t                      dmi_i,
  input  wire logic [31:0]                              wdata_i,
  output wire logic [31:0]                              abstractcs_o,
  output wire logic [31:0]                              auto_o,

  // The selected hart
  input  wire logic                                     ready_i,            // it is halted
  input  wire logic                                     in_reset_i,
  input  wire nic_debug_pkg::hart_event_t               event_i,
  output wire logic                                     go_o,
  output wire nic_debug_pkg::transfer_t                 transfer_o,
  output wire logic                                     busy_o
);

  typedef enum logic [1:0] {
    StIdle,
    StGo,        // the hart is to leave the park loop and do the transfer
    StProgram    // it executes what follows, or is on its way back
  } state_e;

  localparam logic [15:0] RegnoGpr = 16'h1000;

  state_e                                  state_q;
  nic_debug_pkg::cmderr_e                  cmderr_q;
  nic_debug_pkg::transfer_t                transfer_q;    // the transfer of the last command, for
                                                          // those that repeat it
  logic                                    supported_q;
  logic [nic_debug_pkg::DATA_WORDS-1:0]    auto_data_q;
  logic [nic_debug_pkg::PROGBUF_WORDS-1:0] auto_progbuf_q;

  wire logic busy = state_q != StIdle;

  assign busy_o = busy;
  assign go_o   = state_q == StGo;

  // ---- What is asked, and what speaks against it -------------------------------------

  logic                   asked, supported, fails;
  nic_debug_pkg::cmderr_e failure;
  always_comb begin
    asked     = 1'b0;
    supported = supported_q;
    fails     = 1'b0;
    failure   = nic_debug_pkg::ERR_NONE;
    if (busy) begin
      fails = 1'b1;
      if (in_reset_i)             failure = nic_debug_pkg::ERR_OTHER;
      else if (event_i.exception) failure = nic_debug_pkg::ERR_EXCEPTION;
      else if (dmi_i.to_command)  failure = nic_debug_pkg::ERR_BUSY;
      else                        fails   = 1'b0;
    end else if (dmi_i.to_command) begin
      asked = (dmi_i.command || (dmi_i.data & auto_data_q) != '0 || (dmi_i.progbuf & auto_progbuf_q) != '0) &&
              cmderr_q == nic_debug_pkg::ERR_NONE;
      // An access of registers, with a transfer of 32 bits from or to one that can be named, or
      // without.
      if (dmi_i.command) begin
        supported = wdata_i[nic_regs_pkg::DEBUG_COMMAND_CMDTYPE_LSB +: 8] == 8'd0 &&
                    !wdata_i[nic_regs_pkg::DEBUG_COMMAND_AARPOSTINCREMENT_LSB] &&
                    (!wdata_i[nic_regs_pkg::DEBUG_COMMAND_TRANSFER_LSB] ||
                     (wdata_i[nic_regs_pkg::DEBUG_COMMAND_AARSIZE_LSB +: 3] == 3'd2 &&
                      (wdata_i[nic_regs_pkg::DEBUG_COMMAND_REGNO_LSB + 5 +: 11] == RegnoGpr[15:5] ||
                       wdata_i[nic_regs_pkg::DEBUG_COMMAND_REGNO_LSB + 12 +: 4] == 4'd0)));
      end
      if (asked) begin
        fails = 1'b1;
        if (!supported)    failure = nic_debug_pkg::ERR_NOT_SUPPORTED;
        else if (!ready_i) failure = nic_debug_pkg::ERR_HALT_RESUME;
        else               fails   = 1'b0;
      end
    end
  end

  // ---- Progress ---------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      if (!rst_ni || dmi_i.clear) begin
        state_q        <= StIdle;
        cmderr_q       <= nic_debug_pkg::ERR_NONE;
        auto_data_q    <= '0;
        auto_progbuf_q <= '0;
        transfer_q     <= '0;
        supported_q    <= 1'b1;
      end else if (busy || dmi_i.to_command) begin
        unique case (state_q)
          StIdle:    if (asked && !fails) state_q <= StGo;
          StGo:      if (in_reset_i) state_q <= StIdle;
                     else if (event_i.started || event_i.exception) state_q <= StProgram;
          StProgram: if (in_reset_i || event_i.parked) state_q <= StIdle;
          default:   state_q <= StIdle;
        endcase

        if (fails && cmderr_q == nic_debug_pkg::ERR_NONE) cmderr_q <= failure;

        if (!busy && dmi_i.we) begin
          if (dmi_i.abstractcs) cmderr_q <= nic_debug_pkg::cmderr_e'(cmderr_q & ~wdata_i[nic_regs_pkg::DEBUG_ABSTRACTCS_CMDERR_LSB +: 3]);
          if (dmi_i.abstractauto) begin
            auto_data_q    <= wdata_i[nic_regs_pkg::DEBUG_ABSTRACTAUTO_AUTOEXECDATA_LSB +: nic_debug_pkg::DATA_WORDS];
            auto_progbuf_q <= wdata_i[nic_regs_pkg::DEBUG_ABSTRACTAUTO_AUTOEXECPROGBUF_LSB +: nic_debug_pkg::PROGBUF_WORDS];
          end
          if (dmi_i.command && cmderr_q == nic_debug_pkg::ERR_NONE) begin
            supported_q <= supported;
            transfer_q  <= '{
              transfer: wdata_i[nic_regs_pkg::DEBUG_COMMAND_TRANSFER_LSB],
              write:    wdata_i[nic_regs_pkg::DEBUG_COMMAND_WRITE_LSB],
              is_gpr:   wdata_i[nic_regs_pkg::DEBUG_COMMAND_REGNO_LSB + 12],
              number:   wdata_i[nic_regs_pkg::DEBUG_COMMAND_REGNO_LSB +: 12],
              postexec: wdata_i[nic_regs_pkg::DEBUG_COMMAND_POSTEXEC_LSB]
            };
          end
        end
      end
    end
  end

  assign transfer_o = transfer_q;

  // ---- Registers --------------------------------------------------------------------

  assign abstractcs_o = (nic_debug_pkg::PROGBUF_WORDS << nic_regs_pkg::DEBUG_ABSTRACTCS_PROGBUFSIZE_LSB)
                      | (nic_debug_pkg::DATA_WORDS    << nic_regs_pkg::DEBUG_ABSTRACTCS_DATACOUNT_LSB)
                      | (32'(busy)                    << nic_regs_pkg::DEBUG_ABSTRACTCS_BUSY_LSB)
                      | (32'(cmderr_q)                << nic_regs_pkg::DEBUG_ABSTRACTCS_CMDERR_LSB);
  assign auto_o       = (32'(auto_data_q)    << nic_regs_pkg::DEBUG_ABSTRACTAUTO_AUTOEXECDATA_LSB)
                      | (32'(auto_progbuf_q) << nic_regs_pkg::DEBUG_ABSTRACTAUTO_AUTOEXECPROGBUF_LSB);

  wire logic unused = &{1'b0, event_i.resuming, dmi_i};

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (busy) begin
      if (rst_ni && !in_reset_i) RunsOnAHaltedHart: assert (ready_i);
    end
  end

endmodule

`default_nettype wire
