// Watches one OBI port (docs/interfaces.md, "Core ports"); has no outputs and becomes nothing in
// synthesis.
//
// Rules:      at most two accesses are outstanding; no answer comes without an outstanding access,
//             nor in the clock of its grant; addresses are those of words.
// Parameters: Holds = 1: a request and all of its signals hold until its grant. Holds = 0: the
//             request may change until then.

`default_nettype none

module nic_core_obi_checker #(
  parameter int unsigned Holds = 1
) (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic        req_i,
  input wire logic        gnt_i,
  input wire logic [31:0] addr_i,
  input wire logic        we_i,
  input wire logic [3:0]  be_i,
  input wire logic [31:0] wdata_i,
  input wire logic        rvalid_i
);

  logic        waiting_q;
  logic [31:0] addr_q;
  logic        we_q;
  logic [3:0]  be_q;
  logic [31:0] wdata_q;
  logic [1:0]  outstanding_q;

  wire logic granted = req_i && gnt_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waiting_q     <= 1'b0;
      outstanding_q <= 2'd0;
    end else begin
      waiting_q     <= req_i && !gnt_i;
      outstanding_q <= outstanding_q + 2'(granted) - 2'(rvalid_i);
    end
    if (req_i && !gnt_i) begin
      addr_q  <= addr_i;
      we_q    <= we_i;
      be_q    <= be_i;
      wdata_q <= wdata_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (Holds != 0 && waiting_q) begin
        RequestHeldUntilGrant: assert (req_i);
        AddressHeldUntilGrant: assert (addr_i == addr_q && we_i == we_q && be_i == be_q);
        DataHeldUntilGrant:    assert (!we_q || wdata_i == wdata_q);
      end
      AtMostTwoOutstanding:    assert (!granted || outstanding_q != 2'd2 || rvalid_i);
      AnswerWasAskedFor:       assert (!rvalid_i || outstanding_q != 2'd0);
      AddressIsOfAWord:        assert (!req_i || addr_i[1:0] == 2'b00);
      SomethingIsWritten:      assert (!req_i || !we_i || be_i != 4'd0);
    end
  end

endmodule

`default_nettype wire
