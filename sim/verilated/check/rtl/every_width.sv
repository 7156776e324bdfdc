// Registers one input of each width class, inverted.

`default_nettype none

module every_width (
  input  wire logic         clk_i,
  input  wire logic         bit_i,
  input  wire logic [7:0]   byte_i,
  input  wire logic [8:0]   nine_i,
  input  wire logic [15:0]  half_i,
  input  wire logic [16:0]  seventeen_i,
  input  wire logic [31:0]  word_i,
  input  wire logic [32:0]  thirty_three_i,
  input  wire logic [63:0]  double_i,
  input  wire logic [64:0]  sixty_five_i,
  input  wire logic [127:0] wide_i,
  output wire logic         bit_o,
  output wire logic [7:0]   byte_o,
  output wire logic [8:0]   nine_o,
  output wire logic [15:0]  half_o,
  output wire logic [16:0]  seventeen_o,
  output wire logic [31:0]  word_o,
  output wire logic [32:0]  thirty_three_o,
  output wire logic [63:0]  double_o,
  output wire logic [64:0]  sixty_five_o,
  output wire logic [127:0] wide_o
);

  logic         bit_q;
  logic [7:0]   byte_q;
  logic [8:0]   nine_q;
  logic [15:0]  half_q;
  logic [16:0]  seventeen_q;
  logic [31:0]  word_q;
  logic [32:0]  thirty_three_q;
  logic [63:0]  double_q;
  logic [64:0]  sixty_five_q;
  logic [127:0] wide_q;

  assign bit_o          = bit_q;
  assign byte_o         = byte_q;
  assign nine_o         = nine_q;
  assign half_o         = half_q;
  assign seventeen_o    = seventeen_q;
  assign word_o         = word_q;
  assign thirty_three_o = thirty_three_q;
  assign double_o       = double_q;
  assign sixty_five_o   = sixty_five_q;
  assign wide_o         = wide_q;

  always_ff @(posedge clk_i) begin
    bit_q          <= ~bit_i;
    byte_q         <= ~byte_i;
    nine_q         <= ~nine_i;
    half_q         <= ~half_i;
    seventeen_q    <= ~seventeen_i;
    word_q         <= ~word_i;
    thirty_three_q <= ~thirty_three_i;
    double_q       <= ~double_i;
    sixty_five_q   <= ~sixty_five_i;
    wide_q         <= ~wide_i;
  end

endmodule

`default_nettype wire
