// The pads: active-low levels of registered signals, and output enables that RST# closes at once.
//
// Timing:     combinational from registers; RST# is the only input pin that reaches an output pin,
//             as PCI demands (2.3, section 4.3.2: outputs float asynchronously when RST# is
//             asserted). They float on until the registers have seen the reset, so also if CLK
//             stood still while RST# was asserted.
// Naming:     without _n a signal is asserted when high.

`default_nettype none

module nic_pci_pads (
  input  wire logic       pci_rst_ni,
  input  wire logic       rst_ni,        // asserted with pci_rst_ni, released with a clock

  // From the registers of the block
  input  wire logic [1:0] ad_oe_i,
  input  wire logic [1:0] cbe_oe_i,
  input  wire logic       par_oe_i,
  input  wire logic       par64_oe_i,
  input  wire logic       frame_i,
  input  wire logic       frame_oe_i,
  input  wire logic       irdy_i,
  input  wire logic       irdy_oe_i,
  input  wire logic       req64_i,
  input  wire logic       req64_oe_i,
  input  wire logic       trdy_i,
  input  wire logic       stop_i,
  input  wire logic       devsel_i,
  input  wire logic       target_oe_i,
  input  wire logic       perr_i,
  input  wire logic       perr_oe_i,
  input  wire logic       serr_i,
  input  wire logic       inta_i,
  input  wire logic       req_i,

  // Pins
  output wire logic [1:0] pci_ad_oe_o,
  output wire logic [1:0] pci_cbe_oe_o,
  output wire logic       pci_par_oe_o,
  output wire logic       pci_par64_oe_o,
  output wire logic       pci_frame_no,
  output wire logic       pci_frame_oe_o,
  output wire logic       pci_irdy_no,
  output wire logic       pci_irdy_oe_o,
  output wire logic       pci_req64_no,
  output wire logic       pci_req64_oe_o,
  output wire logic       pci_trdy_no,
  output wire logic       pci_trdy_oe_o,
  output wire logic       pci_stop_no,
  output wire logic       pci_stop_oe_o,
  output wire logic       pci_devsel_no,
  output wire logic       pci_devsel_oe_o,
  output wire logic       pci_ack64_no,
  output wire logic       pci_ack64_oe_o,
  output wire logic       pci_perr_no,
  output wire logic       pci_perr_oe_o,
  output wire logic       pci_serr_oe_o,
  output wire logic       pci_inta_oe_o,
  output wire logic       pci_req_no,
  output wire logic       pci_req_oe_o
);

  wire logic open = rst_ni;

  assign pci_ad_oe_o     = ad_oe_i & {2{open}};
  assign pci_cbe_oe_o    = cbe_oe_i & {2{open}};
  assign pci_par_oe_o    = par_oe_i && open;
  assign pci_par64_oe_o  = par64_oe_i && open;

  assign pci_frame_no    = !frame_i;
  assign pci_frame_oe_o  = frame_oe_i && open;
  assign pci_irdy_no     = !irdy_i;
  assign pci_irdy_oe_o   = irdy_oe_i && open;
  assign pci_req64_no    = !req64_i;
  assign pci_req64_oe_o  = req64_oe_i && open;

  assign pci_trdy_no     = !trdy_i;
  assign pci_trdy_oe_o   = target_oe_i && open;
  assign pci_stop_no     = !stop_i;
  assign pci_stop_oe_o   = target_oe_i && open;
  assign pci_devsel_no   = !devsel_i;
  assign pci_devsel_oe_o = target_oe_i && open;

  // A target of 32 bits: ACK64# is never driven.
  assign pci_ack64_no    = 1'b1;
  assign pci_ack64_oe_o  = 1'b0;

  assign pci_perr_no     = !perr_i;
  assign pci_perr_oe_o   = perr_oe_i && open;
  assign pci_serr_oe_o   = serr_i && open;
  assign pci_inta_oe_o   = inta_i && open;

  // Driven all the time but while RST# is asserted (2.3, section 2.2.4).
  assign pci_req_no      = !(req_i && open);
  assign pci_req_oe_o    = pci_rst_ni;

endmodule

`default_nettype wire
