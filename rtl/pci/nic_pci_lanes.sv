// The output registers of AD and C/BE#, which master and target share.
//
// Contract:   inputs are the values of the next clock. Master and target never enable AD together:
//             the target does not answer this agent's own transactions, and the master drives only
//             when it owns or parks the bus.

`default_nettype none

module nic_pci_lanes (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // Target: AD[31:0] of reads
  input  wire logic        target_load_i,
  input  wire logic [31:0] target_ad_i,
  input  wire logic        target_oe_i,

  // Master
  input  wire logic        master_ad_load_i,
  input  wire logic [63:0] master_ad_i,
  input  wire logic [1:0]  master_ad_oe_i,
  input  wire logic        master_cbe_load_i,
  input  wire logic [7:0]  master_cbe_ni,
  input  wire logic [1:0]  master_cbe_oe_i,

  output wire logic [63:0] ad_o,
  output wire logic [1:0]  ad_oe_o,
  output wire logic [7:0]  cbe_no,
  output wire logic [1:0]  cbe_oe_o
);

  logic [63:0] ad_q;
  logic [1:0]  ad_oe_q, cbe_oe_q;
  logic [7:0]  cbe_nq;

  assign ad_o     = ad_q;
  assign ad_oe_o  = ad_oe_q;
  assign cbe_no   = cbe_nq;
  assign cbe_oe_o = cbe_oe_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ad_oe_q  <= '0;
      cbe_oe_q <= '0;
    end else begin
      ad_oe_q  <= master_ad_oe_i | {1'b0, target_oe_i};
      cbe_oe_q <= master_cbe_oe_i;
    end
    if (target_load_i)         ad_q[31:0] <= target_ad_i;
    else if (master_ad_load_i) ad_q       <= master_ad_i;
    if (master_cbe_load_i)     cbe_nq     <= master_cbe_ni;
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && target_oe_i) OneDriverOfAd: assert (!master_ad_oe_i[0]);
  end

endmodule

`default_nettype wire
