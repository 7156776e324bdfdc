// Brings bits of another clock into the domain of clk_i through two flip-flops each: one level, or
// a count in Gray code, of which one bit changes at a time. Each bit comes from a register.
//
// Timing:     in_i is seen at out_o two clk_i edges later; a pulse shorter than one clk_i period
//             may be lost.
// Reset:      none: the two edges that a domain sees in reset at least bring in_i to out_o.
// Simulation: with +nic_late_crossings=SEED a bit that changed at the last edge of clk_in_i, and
//             since the last edge of clk_i, is seen one edge later at random. So does a flip-flop
//             whose input changes while it samples: it settles to the old value or to the new.
// Constraint: rtl/crossing/crossings.toml, and nic_top.sdc that is made of it.

`default_nettype none

module nic_cdc_sync #(
  parameter int unsigned WidthBits = 1
) (
  input  wire logic                 clk_in_i,   // clock of in_i; for simulation only
  input  wire logic                 clk_i,
  input  wire logic [WidthBits-1:0] in_i,
  output wire logic [WidthBits-1:0] out_o
);

  (* ASYNC_REG = "TRUE" *) logic [WidthBits-1:0] meta_q, out_q;

  assign out_o = out_q;

`ifdef SYNTHESIS
  always_ff @(posedge clk_i) begin
    meta_q <= in_i;
    out_q  <= meta_q;
  end

  wire logic unused = &{1'b0, clk_in_i};
`else
  if (WidthBits > 64) begin : gen_bad_width
    $error("nic_cdc_sync: WidthBits must be 1 to 64");
  end

  bit                   is_random;
  bit [63:0]            random;     // xorshift; another one in each instance
  logic [WidthBits-1:0] seen_q;     // in_i at the last edge of clk_i
  logic [WidthBits-1:0] past_q;     // in_i before the last edge of clk_in_i

  always @(posedge clk_i) begin
    out_q <= meta_q;
    if (!is_random) begin
      meta_q <= in_i;
    end else begin
      // A bit that changed before either is settled.
      meta_q <= in_i ^ ((in_i ^ seen_q) & (in_i ^ past_q) & random[WidthBits-1:0]);
      seen_q <= in_i;
      random <= next(random);
    end
  end

  always @(posedge clk_in_i) begin
    if (is_random) past_q <= in_i;
  end

  function automatic bit [63:0] next(input bit [63:0] value);
    bit [63:0] x = value;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ (x << 17);
  endfunction

  initial begin
    int unsigned seed;
    string       name;
    is_random = $value$plusargs("nic_late_crossings=%d", seed) != 0;
    if (is_random) begin
      name   = $sformatf("%m");
      random = 64'h9E37_79B9_7F4A_7C15 ^ {seed, seed};
      for (int i = 0; i < name.len(); i++) random = next(random ^ 64'(name[i]));
    end
  end
`endif

endmodule

`default_nettype wire
