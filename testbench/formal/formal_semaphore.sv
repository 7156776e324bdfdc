// The semaphore: it has at most one owner. The core that asked first, and has not given up, owns
// it. It is never free while a core wants it.
//
// It is compared with a queue of two places, which is too simple to be wrong. Accesses of the bus
// and resets of the cores are any.

`default_nettype none

module formal_semaphore #(
  parameter int unsigned Defect = 0
) (
  input wire logic              clk_i,
  input wire logic              reg_sel_i,
  input wire nic_pkg::reg_req_t reg_req_i,
  input wire logic [1:0]        in_reset_i
);

  logic first_q = 1'b1;
  always_ff @(posedge clk_i) first_q <= 1'b0;
  wire logic rst_n = !first_q;

  wire logic [31:0] rdata;

  nic_semaphore u_semaphore (
    .clk_i,
    .rst_ni      (rst_n),
    .reg_sel_i,
    .reg_req_i,
    .reg_rdata_o (rdata),
    .in_reset_i,
    .waits_o     ()
  );

  // ---- A queue ------------------------------------------------------------------------

  logic [1:0] length_q;         // the number of cores that ask
  logic       head_q, second_q; // 0 core A, 1 core B

  wire logic write   = reg_sel_i && reg_req_i.we && reg_req_i.be == 4'hF;
  wire logic asks_a  = write && reg_req_i.addr[7:2] == nic_regs_pkg::SEMAPHORE_CORE_A[7:2];
  wire logic asks_b  = write && reg_req_i.addr[7:2] == nic_regs_pkg::SEMAPHORE_CORE_B[7:2];
  wire logic release_ = write && reg_req_i.addr[7:2] == nic_regs_pkg::SEMAPHORE_RELEASE[7:2];
  wire logic who     = release_ ? reg_req_i.wdata[0] : asks_b;
  wire logic is_head = length_q != 2'd0 && head_q == who;
  wire logic is_in   = is_head || (length_q == 2'd2 && second_q == who);

  // The queue after the access.
  logic [1:0] length;
  logic       head, second;
  always_comb begin
    length = length_q;
    head   = head_q;
    second = second_q;
    if ((asks_a || asks_b) && !is_in) begin
      length = length_q + 2'd1;
      if (length_q == 2'd0) head = who;
      else                  second = who;
    end else if (release_ && is_in) begin
      length = length_q - 2'd1;
      if (is_head) head = second_q;
    end
  end

  // A core in reset leaves it.
  wire logic second_goes = length == 2'd2 && in_reset_i[second];
  wire logic head_goes   = length != 2'd0 && in_reset_i[head];

  always_ff @(posedge clk_i) begin
    if (!rst_n) length_q <= 2'd0;
    else        length_q <= length - 2'(second_goes) - 2'(head_goes);
    head_q   <= head_goes ? second : head;
    second_q <= second;
  end

  // ---- Check: what a read answers in the next clock --------------------------------------

  logic read_a_q, read_b_q, owns_a_q, owns_b_q, other_q;
  always_ff @(posedge clk_i) begin
    read_a_q <= rst_n && reg_sel_i && !reg_req_i.we && reg_req_i.addr[7:2] == nic_regs_pkg::SEMAPHORE_CORE_A[7:2];
    read_b_q <= rst_n && reg_sel_i && !reg_req_i.we && reg_req_i.addr[7:2] == nic_regs_pkg::SEMAPHORE_CORE_B[7:2];
    owns_a_q <= length_q != 2'd0 && !head_q;
    owns_b_q <= length_q != 2'd0 && head_q;
    other_q  <= length_q == 2'd2;
  end

  // The defect: both cores are told that they own it when both want it.
  wire logic told = rdata[0] || (Defect != 0 && other_q);

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      if (read_a_q) CoreAKnows: assert (told == owns_a_q && rdata[31:1] == 31'd0);
      if (read_b_q) CoreBKnows: assert (told == owns_b_q && rdata[31:1] == 31'd0);
    end
  end

endmodule

`default_nettype wire
