// A register that nothing initialises.

`default_nettype none

module unreset (
  input  wire logic        clk_i,
  input  wire logic        load_i,
  input  wire logic [63:0] data_i,
  output wire logic [63:0] data_o
);

  logic [63:0] data_q;

  assign data_o = data_q;

  always_ff @(posedge clk_i) if (load_i) data_q <= data_i;

endmodule

`default_nettype wire
