// Decides the consequences of a parity error, and reports them: PERR#, SERR#, the status register,
// and the DMA client.
//
// Timing:     a data phase that completes in clock m has its parity checked in m + 1 and PERR# on
//             the bus in m + 2; *_phase_i are high in clock m. PERR# of a target is sampled in
//             m + 2.
// Policy:     without PARITY_RESPONSE an error is only recorded (detected parity), and all else
//             continues.

`default_nettype none

module nic_pci_errors (
  input  wire logic clk_i,
  input  wire logic rst_ni,

  input  wire logic cfg_parity_response_i,
  input  wire logic cfg_serr_enable_i,

  // Phases of the bus that end in this clock
  input  wire logic address_phase_i,       // address phase of another master
  input  wire logic target_write_phase_i,  // this target took data
  input  wire logic master_read_phase_i,   // this master took data
  input  wire logic master_wide_i,         // the data have 64 bits
  input  wire logic master_write_phase_i,  // a target took this master's data

  // From nic_pci_parity, one clock later
  input  wire logic bad_low_i,
  input  wire logic bad_high_i,
  input  wire logic bus_perr_i,

  // One clock after address_phase_i: the target of this agent may not claim it.
  output wire logic address_error_o,
  // One clock after master_read_phase_i: the data are bad, and the device is told to care.
  output wire logic read_error_o,
  // Two clocks after master_write_phase_i
  output wire logic write_error_o,

  // Pins
  output wire logic perr_o,
  output wire logic perr_oe_o,
  output wire logic serr_o,

  // Status register and counter, pulses
  output wire logic set_master_data_parity_o,
  output wire logic set_signalled_system_error_o,
  output wire logic set_detected_parity_o
);

  logic address_q, target_write_q, master_read_q, master_wide_q, master_write_q, master_write_q2;
  logic perr_q, perr_oe_q, serr_q;

  wire logic bad_address = address_q && bad_low_i;
  wire logic bad_write   = target_write_q && bad_low_i;
  wire logic bad_read    = master_read_q && (bad_low_i || (master_wide_q && bad_high_i));

  assign address_error_o = bad_address && cfg_parity_response_i;
  assign read_error_o    = bad_read && cfg_parity_response_i;
  assign write_error_o   = master_write_q2 && bus_perr_i && cfg_parity_response_i;

  wire logic perr_d = (bad_write || bad_read) && cfg_parity_response_i;
  wire logic serr_d = address_error_o && cfg_serr_enable_i;

  assign perr_o    = perr_q;
  assign perr_oe_o = perr_oe_q;
  assign serr_o    = serr_q;

  assign set_detected_parity_o        = bad_address || bad_write || bad_read;
  assign set_signalled_system_error_o = serr_d;
  assign set_master_data_parity_o     = read_error_o || write_error_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      address_q       <= 1'b0;
      target_write_q  <= 1'b0;
      master_read_q   <= 1'b0;
      master_wide_q   <= 1'b0;
      master_write_q  <= 1'b0;
      master_write_q2 <= 1'b0;
      perr_q          <= 1'b0;
      perr_oe_q       <= 1'b0;
      serr_q          <= 1'b0;
    end else begin
      address_q       <= address_phase_i;
      target_write_q  <= target_write_phase_i;
      master_read_q   <= master_read_phase_i;
      master_wide_q   <= master_wide_i;
      master_write_q  <= master_write_phase_i;
      master_write_q2 <= master_write_q;
      perr_q          <= perr_d;
      perr_oe_q       <= perr_d || perr_q;   // high for one clock before it floats
      serr_q          <= serr_d;
    end
  end

endmodule

`default_nettype wire
