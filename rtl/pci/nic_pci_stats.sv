// Carries the pulses for the counters from the PCI clock to the core clock, one count per kind of
// event.

`default_nettype none

module nic_pci_stats (
  input  wire logic               clk_pci_i,
  input  wire logic               rst_pci_ni,
  input  wire nic_pci_pkg::stat_t stat_i,

  input  wire logic               clk_core_i,
  input  wire logic               rst_core_ni,
  // Field k of stat_t, counted from its last: bits STAT_BITS * k and up
  output wire logic [nic_pci_pkg::STATS*nic_pci_pkg::STAT_BITS-1:0] add_o
);

  nic_cdc_counts #(
    .Kinds     (nic_pci_pkg::STATS),
    .WidthBits (nic_pci_pkg::STAT_BITS)
  ) u_counts (
    .clk_in_i   (clk_pci_i),
    .rst_in_ni  (rst_pci_ni),
    .pulse_i    (stat_i),
    .clk_out_i  (clk_core_i),
    .rst_out_ni (rst_core_ni),
    .add_o
  );

endmodule

`default_nettype wire
