// Carries numbers of pulses, not the pulses, from one clock to another, for several kinds of
// pulses: none is lost at any clock ratio.
//
// Timing:     a pulse in clk_in_i appears in add_o within four clk_out_i edges. A field of add_o is
//             the number that arrived since the edge before; it is above 1 only where clk_in_i is
//             faster.
// Reset:      clears what crosses at once, and all else at an edge. Both resets must be low at the
//             same time once, and may end in any order. A clock may stand still meanwhile; then its
//             domain sees two edges in reset.
// Range:      up to 2^WidthBits - 1 pulses of a kind may fall between two clk_out_i edges.
// Constraint: rtl/crossing/crossings.toml, and nic_top.sdc that is made of it.

`default_nettype none

module nic_cdc_counts #(
  parameter int unsigned Kinds     = 1,
  parameter int unsigned WidthBits = 4
) (
  input  wire logic                       clk_in_i,
  input  wire logic                       rst_in_ni,
  input  wire logic [Kinds-1:0]           pulse_i,

  input  wire logic                       clk_out_i,
  input  wire logic                       rst_out_ni,
  // Kind k: bits WidthBits * k and up
  output wire logic [Kinds*WidthBits-1:0] add_o
);

  typedef logic [WidthBits-1:0] count_t;

  function automatic count_t to_gray(input count_t binary);
    return binary ^ (binary >> 1);
  endfunction

  // Each bit is the parity of the bits from it upwards.
  function automatic count_t to_binary(input count_t gray);
    count_t binary = gray;
    for (int unsigned shift = 1; shift < WidthBits; shift *= 2) binary ^= binary >> shift;
    return binary;
  endfunction

  logic [Kinds*WidthBits-1:0] gray_q, seen_q, add_q;
  wire logic [Kinds*WidthBits-1:0] gray;

  assign add_o = add_q;

  nic_cdc_sync #(.WidthBits(Kinds * WidthBits)) u_sync (
    .clk_in_i,
    .clk_i  (clk_out_i),
    .in_i   (gray_q),
    .out_o  (gray)
  );

  always_ff @(posedge clk_in_i or negedge rst_in_ni) begin
    if (!rst_in_ni) begin
      gray_q <= '0;
    end else if (pulse_i != '0) begin
      for (int unsigned k = 0; k < Kinds; k++) begin
        if (pulse_i[k]) gray_q[k*WidthBits +: WidthBits] <= to_gray(to_binary(gray_q[k*WidthBits +: WidthBits]) + count_t'(1));
      end
    end
  end

  always_ff @(posedge clk_out_i) begin
    if (!rst_out_ni) begin
      add_q  <= '0;
      seen_q <= '0;
    end else begin
      add_q  <= '0;
      seen_q <= gray;
      // Mostly nothing has changed, and all kinds are judged at once.
      if (gray != seen_q) begin
        for (int unsigned k = 0; k < Kinds; k++) begin
          add_q[k*WidthBits +: WidthBits] <=
            to_binary(gray[k*WidthBits +: WidthBits]) - to_binary(seen_q[k*WidthBits +: WidthBits]);
        end
      end
    end
  end

endmodule

`default_nettype wire
