// Watches one slave of the register bus (docs/interfaces.md, Register bus); has no outputs and
// becomes nothing in synthesis.
//
// Rule: read data are zero except in the clock after a read of this slave, since the answers of all
//       slaves are ORed.

`default_nettype none

module nic_register_slave_checker (
  input wire logic              clk_i,
  input wire logic              rst_ni,
  input wire logic              reg_sel_i,
  input wire nic_pkg::reg_req_t reg_req_i,
  input wire logic [31:0]       reg_rdata_o
);

  logic read_q;

  always_ff @(posedge clk_i) read_q <= rst_ni && reg_sel_i && !reg_req_i.we;

  always_ff @(posedge clk_i) begin
    if (rst_ni) SilentUnlessRead: assert (read_q || reg_rdata_o == '0);
  end

  wire logic unused = &{1'b0, reg_req_i.addr, reg_req_i.be, reg_req_i.wdata, reg_req_i.from_host};

endmodule

`default_nettype wire
