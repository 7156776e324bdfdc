// Gives the SRAM to a core in clocks in which no port asks for it, so that loads need not go
// through the arbiter.
//
// Why:     the address of a load is known late in its clock. Which ports ask is known early, from
//          registers. So a clock in which no port asks is offered beforehand (idle_o), and the
//          address is only one choice away from the SRAM.
// Turns:   a clock is offered to one core, the core whose data were served last.
// Timing:  idle_o from req_i in the same clock; ahead_i only with idle_o. The SRAM has the data in
//          the next clock.

`default_nettype none

module nic_sram_ahead #(
  parameter int unsigned Cores = 1     // 1 or 2
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,

  // From the arbiter
  input  wire logic               req_i,             // a port asks, and is served
  input  wire nic_pkg::sram_req_t access_i,
  input  wire logic [Cores-1:0]   data_gnt_i,        // ... for data of this core

  // Loads of the cores
  output wire logic [Cores-1:0]   idle_o,
  input  wire logic [Cores-1:0]   ahead_i,
  input  wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] ahead_addr_i [Cores],

  // To the SRAM
  output wire logic               sram_req_o,
  output wire nic_pkg::sram_req_t sram_access_o
);

  logic turn;

  if (Cores == 1) begin : gen_one
    assign turn = 1'b0;
    wire logic unused_turn = &{1'b0, clk_i, rst_ni, data_gnt_i};
  end else begin : gen_turn
    logic turn_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni)                turn_q <= 1'b0;
      else if (data_gnt_i != '0)  turn_q <= data_gnt_i[1];
    end
    assign turn = turn_q;
  end

  assign idle_o     = req_i ? '0 : Cores'(1) << turn;
  assign sram_req_o = req_i || ahead_i != '0;

  nic_pkg::sram_req_t access;
  always_comb begin
    access = access_i;
    if (!req_i) begin
      access.addr = ahead_addr_i[turn];
      access.we   = 1'b0;
    end
  end
  assign sram_access_o = access;

  // ---- Assertions ---------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) OnlyWhenOffered: assert ((ahead_i & ~idle_o) == '0);
  end

endmodule

`default_nettype wire
