// nic.dispatch goes to the handler that was last written for the event on the pins, links, and
// never goes without an event.
//
// The check follows mevindex and mevhandler by the instructions that write them, for one event of
// the solver's choice.

`default_nettype none

module formal_dispatch (
  input wire logic                   clk_i,
  input wire logic                   rst_ni,
  input wire formal_core_pkg::rvfi_t rvfi_i,
  input wire logic                   event_valid_i,
  input wire logic [4:0]             event_i,
  input wire logic [4:0]             followed_i    // any event, but always the same
);

  wire formal_core_pkg::csr_write_t csr         = formal_core_pkg::csr_write(rvfi_i);
  wire logic                        is_dispatch = rvfi_i.insn[6:0] == 7'h0B && rvfi_i.insn[31:12] == 20'd0;

  logic        index_known_q, handler_known_q, event_valid_q;
  logic [4:0]  index_q, event_q;
  logic [31:0] handler_q;

  wire logic is_index   = csr.writes && csr.number == 12'h7C1;
  wire logic is_handler = csr.writes && csr.number == 12'h7C2;

  always_ff @(posedge clk_i) begin
    // An instruction that leaves execute retires in the next clock.
    event_valid_q <= event_valid_i;
    event_q       <= event_i;
    if (!rst_ni) begin
      index_known_q   <= 1'b0;
      handler_known_q <= 1'b0;
    end else begin
      if (is_index) begin
        index_known_q <= index_known_q || csr.whole;
        index_q       <= 5'(formal_core_pkg::written(csr, {27'd0, index_q}));
      end
      if (is_handler) begin
        if (!index_known_q) handler_known_q <= 1'b0;
        else if (index_q == followed_i) begin
          handler_known_q <= handler_known_q || csr.whole;
          handler_q       <= formal_core_pkg::written(csr, handler_q) & ~32'd1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && rvfi_i.valid && is_dispatch) begin
      IsLegal:     assert (!rvfi_i.trap);
      HasAnEvent:  assert (event_valid_q);
      Destination: assert (rvfi_i.rd_addr == rvfi_i.insn[11:7]);
      Links:       assert (rvfi_i.rd_addr == 5'd0 || rvfi_i.rd_wdata == rvfi_i.pc_rdata + 32'd4);
      NoAccess:    assert (rvfi_i.mem_rmask == 4'd0 && rvfi_i.mem_wmask == 4'd0);
      if (handler_known_q && event_q == followed_i) GoesToTheHandler: assert (rvfi_i.pc_wdata == handler_q);
    end
    if (rst_ni && rvfi_i.valid && !rvfi_i.trap && csr.number == 12'h7C2 && csr.accesses && handler_known_q && index_known_q &&
        index_q == followed_i && rvfi_i.rd_addr != 5'd0) begin
      HandlerReadsBack: assert (rvfi_i.rd_wdata == handler_q);
    end
  end

endmodule

`default_nettype wire
