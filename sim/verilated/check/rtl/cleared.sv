// Two clocks and a reset pad that clears registers at once: its synchroniser in each domain, and a
// counter in each that the synchronised reset clears.

`default_nettype none

module cleared_domain (
  input  wire logic        clk_i,
  input  wire logic        pad_rst_ni,
  input  wire logic [31:0] add_i,
  output wire logic [31:0] count_o,
  output wire logic [31:0] clocks_o
);

  logic        meta_nq, rst_nq;
  logic [31:0] count_q, clocks_q;

  assign count_o  = count_q;
  assign clocks_o = clocks_q;

  initial clocks_q = '0;

  always_ff @(posedge clk_i or negedge pad_rst_ni) begin
    if (!pad_rst_ni) begin
      meta_nq <= 1'b0;
      rst_nq  <= 1'b0;
    end else begin
      meta_nq <= 1'b1;
      rst_nq  <= meta_nq;
    end
  end

  always_ff @(posedge clk_i or negedge rst_nq) begin
    if (!rst_nq) count_q <= '0;
    else         count_q <= count_q + add_i;
  end

  always_ff @(posedge clk_i) clocks_q <= clocks_q + 32'd1 + (count_q & 32'd1);

endmodule

module cleared (
  input  wire logic        clk_a_i,
  input  wire logic        clk_b_i,
  input  wire logic        pad_rst_ni,
  input  wire logic [31:0] add_i,
  output wire logic [31:0] a_o,
  output wire logic [31:0] b_o,
  output wire logic [31:0] a_clocks_o,
  output wire logic [31:0] b_clocks_o,
  output wire logic [31:0] sum_o      // combinational from the input
);

  cleared_domain u_a (.clk_i(clk_a_i), .pad_rst_ni, .add_i(add_i), .count_o(a_o), .clocks_o(a_clocks_o));
  cleared_domain u_b (.clk_i(clk_b_i), .pad_rst_ni, .add_i(a_o),   .count_o(b_o), .clocks_o(b_clocks_o));

  assign sum_o = a_o + b_o + add_i;

endmodule

`default_nettype wire
