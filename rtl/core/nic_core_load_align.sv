// Takes the bytes of a load out of the word that it read, extended to 32 bits.
//
// Timing: combinational; word_i passes two choices, whose controls should come from registers.

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

  // The highest bit of the byte, or of the half, fills the upper bits.
  wire logic [1:0] sign_lane = is_byte ? lane_i : {lane_i[1], 1'b1};
  wire logic       fills     = !funct3_i[2];
  wire logic       sign      = word_i[{sign_lane, 3'b111}];

  wire logic [7:0] low    = word_i[{lane_i, 3'b000}+:8];
  wire logic [7:0] second = lane_i[1] ? word_i[31:24] : word_i[15:8];

  logic [31:0] data;
  always_comb begin
    data = 32'd0;
    if (is_load_i) data = {is_word ? word_i[31:16] : {16{fills && sign}}, is_byte ? {8{fills && sign}} : second, low};
  end
  assign data_o = data;

endmodule

`default_nettype wire
