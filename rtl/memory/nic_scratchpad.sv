// The private fast memory of one core: a port for instructions and one for data, both served in
// every clock.
//
// Timing:  read data stand in the clock after the request, and stay until the next read of that
//          port.
// Order:   a fetch in the clock of a store to the same word reads the old word.
// Content: undefined after power-up, kept through reset.

`default_nettype none

module nic_scratchpad #(
  parameter int unsigned ScratchpadBytes = 16384,   // a power of two
  localparam int unsigned WordBits = $clog2(ScratchpadBytes / 4)
) (
  input  wire logic                clk_i,

  // Instructions
  input  wire logic                insn_req_i,
  input  wire logic [WordBits-1:0] insn_word_i,
  output wire logic [31:0]         insn_rdata_o,

  // Data
  input  wire logic                data_req_i,
  input  wire logic                data_we_i,
  input  wire logic                data_mine_i,     // a store is for this memory; a load for
                                                    // another memory is harmless
  input  wire logic [WordBits-1:0] data_word_i,
  input  wire logic [3:0]          data_be_i,
  input  wire logic [31:0]         data_wdata_i,
  output wire logic [31:0]         data_rdata_o
);

  if (ScratchpadBytes != (1 << $clog2(ScratchpadBytes))) begin : gen_bad_size
    $error("nic_scratchpad: ScratchpadBytes must be a power of two");
  end

  // A memory for each byte of a word: block memories then need no choice behind their outputs.
  for (genvar lane = 0; lane < 4; lane++) begin : gen_lane
    // silicon need not keep the rule of Order: code that was stored is executed only after fence.i
    (* no_rw_check *)
    logic [7:0] memory_q [1 << WordBits];
    logic [7:0] insn_rdata_q, data_rdata_q;

    assign insn_rdata_o[8*lane+:8] = insn_rdata_q;
    assign data_rdata_o[8*lane+:8] = data_rdata_q;

    always_ff @(posedge clk_i) begin
      if (insn_req_i) insn_rdata_q <= memory_q[insn_word_i];
      if (data_req_i) begin
        if (!data_we_i)                            data_rdata_q          <= memory_q[data_word_i];
        else if (data_mine_i && data_be_i[lane])   memory_q[data_word_i] <= data_wdata_i[8*lane+:8];
      end
    end
  end

endmodule

`default_nettype wire
