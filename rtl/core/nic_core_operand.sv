// One source register of the instruction in execute: its newest value, wherever that is.
//
// Sources: when an instruction enters execute (enter_i), its source may still be under way:
//          computed by the previous instruction (from_execute_i), or by the instruction in
//          writeback (from_writeback_i). Then the value comes from there.
// Timing:  value_o is one choice of four behind a register. waits_o: the value is not there yet. An
//          instruction that stays in execute keeps its value in a register.

`default_nettype none

module nic_core_operand (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // As the instruction enters execute
  input  wire logic        enter_i,
  input  wire logic        is_imm_i,             // the immediate instead of a register
  input  wire logic        from_execute_i,       // the instruction that leaves execute writes the
                                                 // register
  input  wire logic        from_writeback_i,     // the instruction in writeback writes it, and
                                                 // from_execute_i is low
  input  wire logic        from_last_i,          // the last write was to this register, and the
                                                 // register file does not show it yet
  input  wire logic [31:0] register_i,

  // While it is there
  input  wire logic [31:0] imm_i,
  input  wire logic        w_late_i,             // the instruction in writeback has its result only
                                                 // at its end
  input  wire logic        w_written_i,          // the result in writeback is written to the
                                                 // registers in this clock
  input  wire logic [31:0] w_result_i,
  input  wire logic [31:0] last_i,               // the value that was written last

  output wire logic        waits_o,
  output wire logic [31:0] value_o
);

  typedef enum logic [1:0] {
    FromHere,
    FromWriteback,
    FromLast,
    FromImmediate
  } source_e;

  source_e     source_d, source_q;
  logic [31:0] value_q;

  assign waits_o = source_q == FromWriteback && w_late_i;

  always_comb begin
    source_d = source_q;
    if (enter_i) begin
      if (is_imm_i)              source_d = FromImmediate;
      else if (from_execute_i)   source_d = FromWriteback;
      else if (from_writeback_i) source_d = w_written_i ? FromLast : FromWriteback;
      else                       source_d = FromHere;
    end else if (waits_o) begin
      if (w_written_i) source_d = FromLast;
    end else if (source_q != FromImmediate) begin
      source_d = FromHere;
    end
  end

  logic [31:0] value;
  always_comb begin
    case (source_q)
      FromWriteback: value = w_result_i;
      FromLast:      value = last_i;
      FromImmediate: value = imm_i;
      default:       value = value_q;
    endcase
  end
  assign value_o      = value;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) source_q <= FromHere;
    else         source_q <= source_d;

    value_q <= !enter_i ? value : from_last_i ? last_i : register_i;
  end

endmodule

`default_nettype wire
