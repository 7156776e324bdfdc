// Even parity over AD and C/BE#: drives PAR and PAR64 for the values that this agent drives, and
// checks them for the values that others drive.
//
// Timing:     PAR follows AD by one clock, and so does its enable. bad_* in a clock is about the AD
//             and C/BE# that were on the bus one clock before; the user of this module knows
//             whether an agent had to drive them.

`default_nettype none

module nic_pci_parity (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // The values that this agent drives now
  input  wire logic [63:0] ad_i,
  input  wire logic [1:0]  ad_oe_i,
  input  wire logic [7:0]  cbe_ni,
  input  wire logic [1:0]  cbe_oe_i,
  output wire logic        par_o,
  output wire logic        par_oe_o,
  output wire logic        par64_o,
  output wire logic        par64_oe_o,

  // The levels on the bus
  input  wire logic [63:0] bus_ad_i,
  input  wire logic [7:0]  bus_cbe_ni,
  input  wire logic        bus_par_i,
  input  wire logic        bus_par64_i,
  output wire logic        bad_low_o,      // AD[31:0], C/BE[3:0]#, PAR
  output wire logic        bad_high_o      // AD[63:32], C/BE[7:4]#, PAR64
);

  logic       par_q, par64_q;
  logic [1:0] par_oe_q;
  logic       sum_low_q, sum_high_q;

  assign par_o      = par_q;
  assign par64_o    = par64_q;
  assign par_oe_o   = par_oe_q[0];
  assign par64_oe_o = par_oe_q[1];

  assign bad_low_o  = sum_low_q  ^ bus_par_i;
  assign bad_high_o = sum_high_q ^ bus_par64_i;

  // In a read the master drives C/BE# while the target drives AD and PAR.
  wire logic [3:0] cbe_low_n  = cbe_oe_i[0] ? cbe_ni[3:0] : bus_cbe_ni[3:0];
  wire logic [3:0] cbe_high_n = cbe_oe_i[1] ? cbe_ni[7:4] : bus_cbe_ni[7:4];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) par_oe_q <= '0;
    else         par_oe_q <= ad_oe_i;
    if (ad_oe_i[0]) par_q   <= ^{ad_i[31:0],  cbe_low_n};
    if (ad_oe_i[1]) par64_q <= ^{ad_i[63:32], cbe_high_n};
    sum_low_q  <= ^{bus_ad_i[31:0],  bus_cbe_ni[3:0]};
    sum_high_q <= ^{bus_ad_i[63:32], bus_cbe_ni[7:4]};
  end

endmodule

`default_nettype wire
