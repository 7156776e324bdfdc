// While memory answers at once, the core does everything that it is asked for in bounded time.

`default_nettype none

module formal_liveness #(
  // In clocks. Division would need more, so programs have none.
  parameter int unsigned Bound = 12
) (
  input wire logic                   clk_i,
  input wire logic                   rst_ni,
  input wire logic                   asked_i,
  input wire logic                   done_i,
  input wire logic                   instr_req_i,
  input wire logic                   instr_gnt_i,
  input wire logic [1:0]             instr_outstanding_i,
  input wire logic                   instr_rvalid_i,
  input wire logic [31:0]            instr_rdata_i,
  input wire logic [31:0]            look_rdata_i,
  input wire logic                   data_req_i,
  input wire logic                   data_gnt_i,
  input wire logic [1:0]             data_outstanding_i,
  input wire logic                   data_rvalid_i
);

  // No instruction of opcode OP has the upper bit of funct3 set, neither within a word nor across
  // two words.
  function automatic logic divides(input logic [31:0] word);
    return (word[6:0] == 7'h33 && word[14]) || (word[22:16] == 7'h33 && word[30]);
  endfunction

  // Memory: grants at once, answers in the next clock.
  always_comb begin
    if (rst_ni) begin
      FetchGranted:  assume (!instr_req_i || instr_gnt_i);
      FetchAnswered: assume (instr_outstanding_i == 2'd0 || instr_rvalid_i);
      DataGranted:   assume (!data_req_i || data_gnt_i);
      DataAnswered:  assume (data_outstanding_i == 2'd0 || data_rvalid_i);
      NoDivision:    assume (!divides(instr_rdata_i) && !divides(look_rdata_i));
    end
  end

  logic [5:0] quiet_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !asked_i || done_i) quiet_q <= 6'd0;
    else                               quiet_q <= quiet_q + 6'd1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) HappensInTime: assert (quiet_q < 6'(Bound));
  end

endmodule

`default_nettype wire
