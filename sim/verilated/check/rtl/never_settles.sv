// A ring of inverters when enabled.

`default_nettype none

module never_settles (
  input  wire logic enable_i,
  output wire logic ring_o
);

  logic ring;

  /* verilator lint_off UNOPTFLAT */
  assign ring   = enable_i && !ring;   // the loop is the purpose
  /* verilator lint_on UNOPTFLAT */
  assign ring_o = ring;

endmodule

`default_nettype wire
