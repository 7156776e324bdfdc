// Takes what a load wants out of the word that it read, extended to 32 bits.
//
// Timing: combinational; word_i passes two choices, what makes them should come from registers.

`default_nettype none

module nic_core_load_align (
  input  wire logic        is_load_i,       // or else data_o is zero
  input  wire logic [2:0]  funct3_i,        // [1:0] 0 byte, 1 halfword, 2 word; [2] zero-extended
  input  wire logic [1:0]  lane_i,          // aligned
  input  wire logic [31:0] word_i,
  output wire logic [31:0] data_o
);

  wire logic is_byte = funct3_i[1:0] == 2'd0;
  wire logic is_word = funct3_i[1];

  // What fills the upper bits is the highest bit of the byte, or of the half.
  wire logic [1:0] sign_lane = is_byte ? lane_i : {lane_i[1], 1'b1};
  wire logic       fills     = is_load_i && !is_word && !funct3_i[2];
  wire logic       sign      = word_i[{sign_lane, 3'b111}];

  wire logic [7:0] low    = word_i[{lane_i, 3'b000}+:8];
  wire logic [7:0] second = lane_i[1] ? word_i[31:24] : word_i[15:8];

  assign data_o[7:0]   = low & {8{is_load_i}};
  assign data_o[15:8]  = (second & {8{is_load_i && !is_byte}}) | {8{fills && is_byte && sign}};
  assign data_o[31:16] = (word_i[31:16] & {16{is_load_i && is_word}}) | {16{fills && sign}};

endmodule

`default_nettype wire
