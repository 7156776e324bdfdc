// First stage: delivers the instructions of the program in order, expanded to 32 bits, one each clock.
//
// Handshake: insn_valid_o and its group hold until insn_ready_i or a redirect.
// Timing:    redirect in clock n with a grant, word in n+1, instruction of the target on insn_o in n+2 (one clock
//            later if it straddles two words). All insn outputs are registers. No path from instr_rdata_i to
//            instr_addr_o.

`default_nettype none

module nic_core_fetch (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:1] boot_pc_i,

  // Instruction port
  output wire logic        instr_req_o,
  input  wire logic        instr_gnt_i,
  output wire logic [31:0] instr_addr_o,
  input  wire logic        instr_rvalid_i,
  input  wire logic [31:0] instr_rdata_i,
  input  wire logic        instr_err_i,

  // From the execute stage: the instruction on insn_o and all behind it are void; continue here
  input  wire logic        redirect_i,
  input  wire logic [31:1] redirect_pc_i,

  // To the execute stage
  output wire logic        insn_valid_o,
  input  wire logic        insn_ready_i,
  output wire logic [31:0] insn_o,
  output wire logic [15:0] insn_halfword_o,    // as fetched, if compressed
  output wire logic        insn_compressed_o,
  output wire logic        insn_illegal_o,     // reserved compressed encoding
  output wire logic        insn_fault_o,       // bus error
  output wire logic        insn_fault_upper_o, // ... in the second half only
  output wire logic [31:1] insn_pc_o
);

  // ---- Words ----------------------------------------------------------------------

  wire logic        word_valid;
  wire logic [1:0]  used_words;
  wire logic        raw_valid;
  wire logic        raw_ready;
  wire logic [31:0] raw_insn;
  wire logic [31:1] raw_pc;
  wire logic        raw_fault, raw_fault_upper;

  nic_core_fetch_bus #(
    .QueueWords (3)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .boot_pc_i,
    .instr_req_o,
    .instr_gnt_i,
    .instr_addr_o,
    .instr_rvalid_i,
    .redirect_i,
    .redirect_word_i (redirect_pc_i[31:2]),
    .head_word_i     (raw_pc[31:2]),
    .queue_used_i    (used_words),
    .word_valid_o    (word_valid)
  );

  // ---- Instructions ---------------------------------------------------------------

  nic_core_fetch_queue u_queue (
    .clk_i,
    .rst_ni,
    .boot_pc_i,
    .redirect_i,
    .redirect_pc_i,
    .word_valid_i       (word_valid),
    .word_data_i        (instr_rdata_i),
    .word_err_i         (instr_err_i),
    .used_words_o       (used_words),
    .insn_valid_o       (raw_valid),
    .insn_ready_i       (raw_ready),
    .insn_o             (raw_insn),
    .insn_pc_o          (raw_pc),
    .insn_fault_o       (raw_fault),
    .insn_fault_upper_o (raw_fault_upper)
  );

  wire logic [31:0] expanded;
  wire logic        compressed, illegal;

  nic_core_decompress u_decompress (
    .insn_i       (raw_insn),
    .insn_o       (expanded),
    .compressed_o (compressed),
    .illegal_o    (illegal)
  );

  // ---- Stage register ---------------------------------------------------------------

  logic        valid_q, compressed_q, illegal_q, fault_q, fault_upper_q;
  logic [31:0] insn_q;
  logic [15:0] halfword_q;
  logic [31:1] pc_q;

  assign raw_ready = !valid_q || insn_ready_i;
  wire logic take  = raw_valid && raw_ready;

  assign insn_valid_o       = valid_q;
  assign insn_o             = insn_q;
  assign insn_halfword_o    = halfword_q;
  assign insn_compressed_o  = compressed_q;
  assign insn_illegal_o     = illegal_q;
  assign insn_fault_o       = fault_q;
  assign insn_fault_upper_o = fault_upper_q;
  assign insn_pc_o          = pc_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)        valid_q <= 1'b0;
    else if (redirect_i) valid_q <= 1'b0;
    else if (raw_ready) valid_q <= raw_valid;

    if (take) begin
      insn_q        <= expanded;
      halfword_q    <= raw_insn[15:0];
      compressed_q  <= compressed;
      illegal_q     <= illegal;
      fault_q       <= raw_fault;
      fault_upper_q <= raw_fault_upper;
      pc_q          <= raw_pc;
    end
  end

endmodule

`default_nettype wire
