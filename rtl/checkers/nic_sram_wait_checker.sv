// Watches how long the requesters of the SRAM wait (docs/memory.md, bounds); has no outputs and
// becomes nothing in synthesis.
//
// Rule: no request waits longer than the bound of its class.

`default_nettype none

module nic_sram_wait_checker #(
  parameter int unsigned Ports             = nic_pkg::SRAM_PORTS,
  parameter int unsigned LinkWaitMaxCycles = 3,
  parameter int unsigned DmaWaitMaxCycles  = 33,
  // The ports of the cores and the host together are sure of every fourth clock.
  parameter int unsigned RestWaitMaxCycles = 4 * (Ports - nic_pkg::SRAM_CORE_DATA) - 1
) (
  input wire logic             clk_i,
  input wire logic             rst_ni,
  input wire logic [Ports-1:0] req_i,
  input wire logic [Ports-1:0] gnt_i
);

  int unsigned waited_q [Ports];

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < int'(Ports); i++) begin
      waited_q[i] <= rst_ni && req_i[i] && !gnt_i[i] ? waited_q[i] + 1 : 0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      LinkIsInTime: assert (waited_q[nic_pkg::SRAM_LINK_RX]   <= LinkWaitMaxCycles &&
                            waited_q[nic_pkg::SRAM_LINK_TX]   <= LinkWaitMaxCycles);
      DmaIsInTime:  assert (waited_q[nic_pkg::SRAM_DMA_READ]  <= DmaWaitMaxCycles &&
                            waited_q[nic_pkg::SRAM_DMA_WRITE] <= DmaWaitMaxCycles);
      CoreIsInTime: assert (waited_q[nic_pkg::SRAM_CORE_DATA] <= RestWaitMaxCycles &&
                            waited_q[nic_pkg::SRAM_CORE_INSN] <= RestWaitMaxCycles);
      HostIsInTime: assert (waited_q[nic_pkg::SRAM_HOST]      <= RestWaitMaxCycles);
    end
  end

  if (Ports > nic_pkg::SRAM_PORTS) begin : gen_core_b
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        CoreBIsInTime: assert (waited_q[nic_pkg::SRAM_CORE_B_DATA] <= RestWaitMaxCycles &&
                               waited_q[nic_pkg::SRAM_CORE_B_INSN] <= RestWaitMaxCycles);
      end
    end
  end

endmodule

`default_nettype wire
