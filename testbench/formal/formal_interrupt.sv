// An interrupt takes the place of an instruction: mepc is the address of that instruction, mret
// leads back to it, and an instruction that waits for an event outside gives way.
//
// The check follows mepc, mstatus.MIE and mie.MEIE by the instructions that write them. Left out:
// MIE after mret.

`default_nettype none

module formal_interrupt #(
  // Clocks for which nic.dispatch or wfi may sleep with an enabled interrupt on the pin
  parameter int unsigned Bound = 6
) (
  input wire logic                   clk_i,
  input wire logic                   rst_ni,
  input wire formal_core_pkg::rvfi_t rvfi_i,
  input wire logic                   irq_i,
  input wire logic                   sleep_i,
  input wire logic [31:0]            boot_addr_i
);

  wire formal_core_pkg::csr_write_t csr = formal_core_pkg::csr_write(rvfi_i);

  logic        mepc_known_q, mie_q, meie_q;
  logic [31:0] mepc_q, expected_q;

  // The state for the next instruction: an interrupt came before the instruction that retires now.
  wire logic [31:0] mepc       = rvfi_i.intr ? expected_q : mepc_q;
  wire logic        mepc_known = rvfi_i.intr || mepc_known_q;

  wire logic is_mret = rvfi_i.insn == formal_core_pkg::MRET && !rvfi_i.trap;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mepc_known_q <= 1'b0;
      mie_q        <= 1'b0;
      meie_q       <= 1'b0;
      expected_q   <= boot_addr_i;
    end else if (rvfi_i.valid) begin
      expected_q   <= rvfi_i.pc_wdata;
      mepc_q       <= mepc;
      mepc_known_q <= mepc_known;
      if (rvfi_i.trap) begin
        mepc_q       <= rvfi_i.pc_rdata;
        mepc_known_q <= 1'b1;
      end else if (csr.writes && csr.number == 12'h341) begin
        mepc_q       <= formal_core_pkg::written(csr, mepc) & ~32'd1;
        mepc_known_q <= mepc_known || csr.whole;
      end
      // Both are known to be on, or may be anything.
      if (rvfi_i.trap || is_mret)                         mie_q <= 1'b0;
      else if (csr.writes && csr.number == 12'h300)       mie_q <= formal_core_pkg::written(csr, {28'd0, mie_q && !rvfi_i.intr, 3'd0})[3];
      else if (rvfi_i.intr)                               mie_q <= 1'b0;
      if (csr.writes && csr.number == 12'h304)            meie_q <= formal_core_pkg::written(csr, {20'd0, meie_q, 11'd0})[11];
    end
  end

  // An interrupt that was taken shows only at the next instruction. So the pin must have been low
  // since the last interrupt, until an instruction slept.
  logic [3:0] before_q, waited_q;
  logic       quiet_q;
  always_ff @(posedge clk_i) begin
    before_q <= {before_q[2:0], irq_i};
    if (!rst_ni) begin
      waited_q <= 4'd0;
      quiet_q  <= 1'b0;
    end else if (rvfi_i.valid) begin
      waited_q <= 4'd0;
      quiet_q  <= {before_q, irq_i} == 5'd0;
    end else if (irq_i && sleep_i && quiet_q && mie_q && meie_q) begin
      waited_q <= waited_q + 4'd1;
    end else if (irq_i || waited_q != 4'd0) begin
      waited_q <= 4'd0;
      quiet_q  <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      GivesWay: assert (waited_q < 4'(Bound));
      if (rvfi_i.valid && mepc_known) begin
        if (is_mret) LeadsBack: assert (rvfi_i.pc_wdata == mepc);
        if (csr.accesses && csr.number == 12'h341 && !rvfi_i.trap && rvfi_i.rd_addr != 5'd0) MepcIsItsPlace: assert (rvfi_i.rd_wdata == mepc);
      end
    end
  end

endmodule

`default_nettype wire
