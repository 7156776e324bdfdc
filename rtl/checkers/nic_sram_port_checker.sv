// Watches one SRAM port (docs/interfaces.md, SRAM port); has no outputs and becomes nothing in
// synthesis.
//
// Rules: a request and all of its signals hold until its grant; a granted read is answered in the
//        next clock, and nothing else is; addresses are inside the SRAM.
// Reset: rst_ni is the reset of the requester, which may withdraw a request by being reset.

`default_nettype none

module nic_sram_port_checker #(
  parameter int unsigned SramBytes = 524288
) (
  input wire logic               clk_i,
  input wire logic               rst_ni,
  input wire logic               req_i,
  input wire nic_pkg::sram_req_t access_i,
  input wire logic               gnt_i,
  input wire logic               rvalid_i
);

  logic               waiting_q, read_q;
  nic_pkg::sram_req_t access_q;

  always_ff @(posedge clk_i) begin
    waiting_q <= rst_ni && req_i && !gnt_i;
    read_q    <= rst_ni && req_i && gnt_i && !access_i.we;
    access_q  <= access_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (waiting_q) begin
        RequestHeldUntilGrant: assert (req_i);
        AddressHeldUntilGrant: assert (access_i.addr == access_q.addr && access_i.we == access_q.we);
        DataHeldUntilGrant:    assert (!access_q.we || {access_i.be, access_i.wdata} == {access_q.be, access_q.wdata});
      end
      GrantAnswersARequest:       assert (req_i || !gnt_i);
      ReadAnsweredInTheNextClock: assert (rvalid_i == read_q);
      AddressInsideSram:          assert (!req_i || {11'd0, access_i.addr, 3'd0} < SramBytes);
    end
  end

endmodule

`default_nettype wire
