// The integer registers: two read ports, one write port.
//
// Timing: reads are combinational and see writes of the clocks before.
// Rule:   x0 reads zero; it must not be written.
// Reset:  none, as in a memory: firmware must write before it reads.

`default_nettype none

module nic_core_registers (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,      // assertions only

  input  wire logic [4:0]  rs1_i,
  output wire logic [31:0] rs1_data_o,
  input  wire logic [4:0]  rs2_i,
  output wire logic [31:0] rs2_data_o,

  input  wire logic        we_i,
  input  wire logic [4:0]  rd_i,
  input  wire logic [31:0] rd_data_i
);

  logic [31:0] register_q [32];

  assign rs1_data_o = (rs1_i == 5'd0) ? 32'd0 : register_q[rs1_i];
  assign rs2_data_o = (rs2_i == 5'd0) ? 32'd0 : register_q[rs2_i];

  always_ff @(posedge clk_i) begin
    if (we_i) register_q[rd_i] <= rd_data_i;
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) ZeroIsNeverWritten: assert (!we_i || rd_i != 5'd0);
  end

endmodule

`default_nettype wire
