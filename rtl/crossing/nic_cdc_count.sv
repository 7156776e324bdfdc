// Carries the number of pulses, not the pulses, from one clock to another: none is lost at any clock ratio.
//
// Timing:     a pulse in clk_in_i appears in add_o within four clk_out_i edges. add_o is the number that arrived
//             since the edge before; it is above 1 only where clk_in_i is faster.
// Range:      up to 2^WidthBits - 1 pulses of clk_in_i may fall between two clk_out_i edges.
// Constraint: set_bus_skew below one clk_in_i period on gray_q to meta_q.

`default_nettype none

module nic_cdc_count #(
  parameter int unsigned WidthBits = 4
) (
  input  wire logic                 clk_in_i,
  input  wire logic                 rst_in_ni,
  input  wire logic                 pulse_i,

  input  wire logic                 clk_out_i,
  input  wire logic                 rst_out_ni,
  output wire logic [WidthBits-1:0] add_o
);

  typedef logic [WidthBits-1:0] count_t;

  count_t count_q, gray_q;
  count_t meta_q, sync_q, seen_q, add_q;
  wire count_t count_next = count_q + count_t'(1);

  count_t sync_binary;
  always_comb begin
    sync_binary[WidthBits-1] = sync_q[WidthBits-1];
    for (int i = int'(WidthBits) - 2; i >= 0; i--) sync_binary[i] = sync_binary[i+1] ^ sync_q[i];
  end

  assign add_o = add_q;

  always_ff @(posedge clk_in_i) begin
    if (!rst_in_ni) begin
      count_q <= '0;
      gray_q  <= '0;
    end else if (pulse_i) begin
      count_q <= count_next;
      gray_q  <= count_next ^ (count_next >> 1);
    end
  end

  always_ff @(posedge clk_out_i) begin
    if (!rst_out_ni) begin
      meta_q <= '0;
      sync_q <= '0;
      seen_q <= '0;
      add_q  <= '0;
    end else begin
      meta_q <= gray_q;
      sync_q <= meta_q;
      seen_q <= sync_binary;
      add_q  <= sync_binary - seen_q;
    end
  end

endmodule

`default_nettype wire
