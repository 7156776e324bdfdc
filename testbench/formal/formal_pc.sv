// Instructions form a chain: each has the address that the previous one gave as next, unless an
// interrupt comes between. None is lost or reported twice.

`default_nettype none

module formal_pc (
  input wire logic                   clk_i,
  input wire logic                   rst_ni,
  input wire formal_core_pkg::rvfi_t rvfi_i,
  input wire logic [31:0]            boot_addr_i
);

  logic [31:0] expected_q;
  logic [63:0] order_q;
  logic        started_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      order_q   <= 64'd0;
    end else if (rvfi_i.valid) begin
      started_q  <= 1'b1;
      order_q    <= order_q + 64'd1;
      expected_q <= rvfi_i.pc_wdata;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && rvfi_i.valid) begin
      Consecutive:   assert (rvfi_i.order == order_q);
      FollowsOn:     assert (!started_q || rvfi_i.intr || rvfi_i.pc_rdata == expected_q);
      StartsAtBoot:  assert (started_q || rvfi_i.pc_rdata == boot_addr_i);
      IsEven:        assert (!rvfi_i.pc_rdata[0] && !rvfi_i.pc_wdata[0]);
      NoIntrAtFirst: assert (started_q || !rvfi_i.intr);
    end
  end

endmodule

`default_nettype wire
