// The value that an instruction reads from a register is the value that the last instruction wrote
// to it.

`default_nettype none

module formal_registers (
  input wire logic                   clk_i,
  input wire logic                   rst_ni,
  input wire formal_core_pkg::rvfi_t rvfi_i,
  input wire logic [4:0]             register_i   // any, but always the same
);

  logic        written_q;
  logic [31:0] value_q;

  wire logic writes = rvfi_i.valid && rvfi_i.rd_addr == register_i && register_i != 5'd0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) written_q <= 1'b0;
    else if (writes) written_q <= 1'b1;
    if (writes) value_q <= rvfi_i.rd_wdata;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && rvfi_i.valid) begin
      if (written_q && rvfi_i.rs1_addr == register_i) FirstSource:  assert (rvfi_i.rs1_rdata == value_q);
      if (written_q && rvfi_i.rs2_addr == register_i) SecondSource: assert (rvfi_i.rs2_rdata == value_q);
      FirstZero:    assert (rvfi_i.rs1_addr != 5'd0 || rvfi_i.rs1_rdata == 32'd0);
      SecondZero:   assert (rvfi_i.rs2_addr != 5'd0 || rvfi_i.rs2_rdata == 32'd0);
      ZeroStays:    assert (rvfi_i.rd_addr != 5'd0 || rvfi_i.rd_wdata == 32'd0);
      TrapsWriteNo: assert (!rvfi_i.trap || rvfi_i.rd_addr == 5'd0);
    end
  end

endmodule

`default_nettype wire
