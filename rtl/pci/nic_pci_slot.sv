// Detects the width of the slot: REQ64# is held low by the board while RST# ends in a slot of 64
// bits (PCI 2.3, 3.8.1).
//
// Timing:     REQ64# holds for only 50 ns beyond RST#, the synchronous reset ends two to three
//             clocks later than the pad. So the level of four clocks ago is kept: it was sampled
//             while the pad was surely still low.

`default_nettype none

module nic_pci_slot (
  input  wire logic clk_i,
  input  wire logic rst_ni,        // synchronous reset of this clock domain
  input  wire logic bus_req64_i,   // asserted is high
  output wire logic slot_64_o
);

  logic [3:0] past_q;
  logic       slot_64_q;

  assign slot_64_o = slot_64_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      past_q    <= {past_q[2:0], bus_req64_i};
      slot_64_q <= past_q[3];
    end
  end

endmodule

`default_nettype wire
