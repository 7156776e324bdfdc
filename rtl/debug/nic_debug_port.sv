// The debug area of one hart: its instructions, the data registers, and the stores by which the
// hart reports.
//
// Access:  a request is granted in its clock and answered in the next. A hart gets errors unless it
//          is in debug mode. For fetches that is decided when they are answered, because the first
//          fetch leaves in the clock in which the hart enters debug mode.
// Order:   stores happen in the clock of the request.

`default_nettype none

module nic_debug_port (
  input  wire logic                                          clk_i,
  input  wire logic                                          debug_mode_i,

  // Instructions: aligned words of the area
  input  wire logic                                          insn_req_i,
  input  wire logic [10:2]                                   insn_word_i,
  output wire logic [31:0]                                   insn_rdata_o,
  output wire logic                                          insn_err_o,

  // Data, but for the bytes of a store, which go to the data registers themselves
  input  wire logic                                          data_req_i,
  input  wire logic [10:2]                                   data_word_i,
  input  wire logic                                          data_we_i,
  output wire logic [31:0]                                   data_rdata_o,
  output wire logic                                          data_err_o,

  // The module
  input  wire logic                                          go_i,
  input  wire logic                                          resume_i,
  input  wire nic_debug_pkg::transfer_t                      transfer_i,
  input  wire logic [nic_debug_pkg::PROGBUF_WORDS-1:0][31:0] progbuf_i,
  input  wire logic [nic_debug_pkg::DATA_WORDS-1:0][31:0]    data_i,
  output wire nic_debug_pkg::hart_event_t                    event_o,
  output wire logic [nic_debug_pkg::DATA_WORDS-1:0]          data_write_o
);

  // ---- Instructions -----------------------------------------------------------------

  wire logic [31:0] insn;

  nic_debug_code u_code (
    .req_i      (insn_req_i),
    .word_i     (insn_word_i[6:2]),
    .go_i,
    .resume_i,
    .transfer_i,
    .progbuf_i,
    .insn_o     (insn)
  );

  logic        code_q;
  logic [31:0] insn_q;

  assign insn_rdata_o = insn_q;
  assign insn_err_o   = !(code_q && debug_mode_i);

  // ---- Data -------------------------------------------------------------------------

  // Words from the start of the area: four for the reports of the hart, then data.
  wire logic is_event = data_word_i[10:4] == nic_debug_pkg::AT_PARKED[10:4];
  wire logic is_data  = data_word_i[10:3] == nic_debug_pkg::AT_DATA[10:3];
  wire logic store    = data_req_i && data_we_i && debug_mode_i;
  wire logic known    = is_data || (is_event && data_we_i);

  nic_debug_pkg::hart_event_t           said;
  logic [nic_debug_pkg::DATA_WORDS-1:0] data_write;
  always_comb begin
    said       = '0;
    data_write = '0;
    if (store) begin
      if (is_data) data_write[data_word_i[2]] = 1'b1;
      case (data_word_i)
        nic_debug_pkg::AT_PARKED[10:2]:    said.parked    = 1'b1;
        nic_debug_pkg::AT_EXCEPTION[10:2]: said.exception = 1'b1;
        nic_debug_pkg::AT_STARTED[10:2]:   said.started   = 1'b1;
        nic_debug_pkg::AT_RESUMING[10:2]:  said.resuming  = 1'b1;
        default: ;
      endcase
    end
  end

  assign event_o      = said;
  assign data_write_o = data_write;

  logic [31:0] rdata_q;
  logic        err_q;

  assign data_rdata_o = rdata_q;
  assign data_err_o   = err_q;

  always_ff @(posedge clk_i) begin
    if (insn_req_i) begin
      insn_q <= insn;
      code_q <= insn_word_i[10:7] == nic_debug_pkg::AT_CODE[10:7];
    end
    if (data_req_i) begin
      rdata_q <= data_word_i[2] ? data_i[1] : data_i[0];
      err_q   <= !(debug_mode_i && known);
    end
  end

endmodule

`default_nettype wire
