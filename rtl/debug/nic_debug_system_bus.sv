// Access to memory without a hart: sbcs, sbaddress0 and sbdata0, and the bus master behind them.
//
// Bus:     bus_req_o with its group holds until bus_gnt_i; then one bus_rvalid_i, at the earliest
//          in the next clock, for writes too. Words, with byte enables; one access at a time.
// Errors:  bad address (the bus says so), alignment, size. While there is one, no access starts.

`default_nettype none

module nic_debug_system_bus (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // Accesses of the debugger
  input  wire logic        awake_i,
  input  wire nic_debug_pkg::dmi_t dmi_i,
  input  wire logic [31:0] wdata_i,
  output wire logic        busy_o,
  output wire logic [31:0] sbcs_o,
  output wire logic [31:0] address_o,
  output wire logic [31:0] data_o,

  // Bus
  output wire logic        bus_req_o,
  input  wire logic        bus_gnt_i,
  output wire logic [31:2] bus_word_o,
  output wire logic        bus_we_o,
  output wire logic [3:0]  bus_be_o,
  output wire logic [31:0] bus_wdata_o,
  input  wire logic        bus_rvalid_i,
  input  wire logic [31:0] bus_rdata_i,
  input  wire logic        bus_err_i
);

  typedef enum logic [2:0] {
    ErrorNone      = 3'd0,
    ErrorAddress   = 3'd2,
    ErrorAlignment = 3'd3,
    ErrorSize      = 3'd4
  } error_e;

  typedef enum logic [1:0] {
    StIdle,
    StAsk,
    StWait
  } state_e;

  state_e      state_q;
  error_e      error_q;
  logic        busy_error_q, read_on_address_q, read_on_data_q, increments_q, we_q;
  logic [2:0]  access_q;        // base-2 logarithm of the size in bytes
  logic [31:0] address_q, data_q;

  wire logic busy    = state_q != StIdle;

  // ---- Lanes ------------------------------------------------------------------------

  wire logic [1:0] lane = address_q[1:0];

  logic [3:0]  be;
  logic [31:0] wdata, rdata;
  always_comb begin
    be    = 4'b1111;
    wdata = data_q;
    rdata = data_q;
    if (busy) begin
      unique case (access_q[1:0])
        2'd0: begin
          be    = 4'b0001 << lane;
          wdata = {4{data_q[7:0]}};
        end
        2'd1: begin
          be    = lane[1] ? 4'b1100 : 4'b0011;
          wdata = {2{data_q[15:0]}};
        end
        default: ;
      endcase
      // The bits above the requested bytes have no meaning.
      rdata = bus_rdata_i >> {lane, 3'd0};
    end
  end

  assign busy_o      = busy;
  assign bus_req_o   = state_q == StAsk;
  assign bus_word_o  = address_q[31:2];
  assign bus_we_o    = we_q;
  assign bus_be_o    = be;
  assign bus_wdata_o = wdata;

  // ---- Progress ---------------------------------------------------------------------

  // What an access would be that starts now.
  logic too_large, misaligned, starts;
  always_comb begin
    too_large  = 1'b0;
    misaligned = 1'b0;
    starts     = 1'b0;
    if (dmi_i.to_bus) begin
      too_large  = access_q > 3'd2;
      misaligned = dmi_i.sbaddress ? unaligned(access_q[1:0], wdata_i[1:0]) : unaligned(access_q[1:0], address_q[1:0]);
      starts     = dmi_i.sbaddress ? read_on_address_q : dmi_i.sbdata && (dmi_i.we || read_on_data_q);
    end
  end

  function automatic logic unaligned(input logic [1:0] access, input logic [1:0] place);
    return (access[0] && place[0]) || (access[1] && place != 2'd0);
  endfunction

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      if (!rst_ni || dmi_i.clear) begin
        // An access that is under way ends on its own: the bus takes back no request.
        if (!rst_ni) state_q <= StIdle;
        error_q           <= ErrorNone;
        busy_error_q      <= 1'b0;
        read_on_address_q <= 1'b0;
        read_on_data_q    <= 1'b0;
        increments_q      <= 1'b0;
        access_q          <= 3'd2;
        address_q         <= '0;
        data_q            <= '0;
      end else if (dmi_i.to_bus) begin
        if (busy) begin
          busy_error_q <= 1'b1;
        end else begin
          if (dmi_i.sbcs) begin
            read_on_address_q <= wdata_i[nic_regs_pkg::DEBUG_SBCS_SBREADONADDR_LSB];
            read_on_data_q    <= wdata_i[nic_regs_pkg::DEBUG_SBCS_SBREADONDATA_LSB];
            increments_q      <= wdata_i[nic_regs_pkg::DEBUG_SBCS_SBAUTOINCREMENT_LSB];
            access_q          <= wdata_i[nic_regs_pkg::DEBUG_SBCS_SBACCESS_LSB +: 3];
            error_q           <= error_e'(error_q & ~wdata_i[nic_regs_pkg::DEBUG_SBCS_SBERROR_LSB +: 3]);
            if (wdata_i[nic_regs_pkg::DEBUG_SBCS_SBBUSYERROR_LSB]) busy_error_q <= 1'b0;
          end
          if (dmi_i.sbaddress) address_q <= wdata_i;
          if (!busy_error_q && error_q == ErrorNone) begin
            if (dmi_i.sbdata && dmi_i.we) data_q <= wdata_i;
            if (starts) begin
              we_q <= dmi_i.we && dmi_i.sbdata;
              if (too_large)       error_q <= ErrorSize;
              else if (misaligned) error_q <= ErrorAlignment;
              else                 state_q <= StAsk;
            end
          end
        end
      end

      if (busy && rst_ni) begin
        if (state_q == StAsk && bus_gnt_i) state_q <= StWait;
        if (state_q == StWait && bus_rvalid_i) begin
          state_q <= StIdle;
          if (!dmi_i.clear) begin
            if (bus_err_i) begin
              error_q <= ErrorAddress;
            end else begin
              if (!we_q)        data_q    <= rdata;
              if (increments_q) address_q <= address_q + (32'd1 << access_q[1:0]);
            end
          end
        end
      end
    end
  end

  // ---- Registers --------------------------------------------------------------------

  assign address_o = address_q;
  assign data_o    = data_q;
  assign sbcs_o    = (32'd1 << nic_regs_pkg::DEBUG_SBCS_SBVERSION_LSB)
                   | (32'(busy_error_q)      << nic_regs_pkg::DEBUG_SBCS_SBBUSYERROR_LSB)
                   | (32'(busy)              << nic_regs_pkg::DEBUG_SBCS_SBBUSY_LSB)
                   | (32'(read_on_address_q) << nic_regs_pkg::DEBUG_SBCS_SBREADONADDR_LSB)
                   | (32'(access_q)          << nic_regs_pkg::DEBUG_SBCS_SBACCESS_LSB)
                   | (32'(increments_q)      << nic_regs_pkg::DEBUG_SBCS_SBAUTOINCREMENT_LSB)
                   | (32'(read_on_data_q)    << nic_regs_pkg::DEBUG_SBCS_SBREADONDATA_LSB)
                   | (32'(error_q)           << nic_regs_pkg::DEBUG_SBCS_SBERROR_LSB)
                   | (32'd32 << nic_regs_pkg::DEBUG_SBCS_SBASIZE_LSB)
                   | (32'd1  << nic_regs_pkg::DEBUG_SBCS_SBACCESS32_LSB)
                   | (32'd1  << nic_regs_pkg::DEBUG_SBCS_SBACCESS16_LSB)
                   | (32'd1  << nic_regs_pkg::DEBUG_SBCS_SBACCESS8_LSB);

  wire logic unused = &{1'b0, dmi_i};

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (awake_i && bus_rvalid_i && rst_ni) AnswersWhatWasAsked: assert (state_q == StWait);
  end

endmodule

`default_nettype wire
