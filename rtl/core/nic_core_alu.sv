// Integer arithmetic and the comparison of branches.
//
// Timing: combinational. Targets of branches and addresses of data have adders of their own elsewhere.

`default_nettype none

module nic_core_alu (
  input  wire nic_core_pkg::alu_op_e op_i,
  input  wire logic [31:0]           a_i,
  input  wire logic [31:0]           b_i,
  output wire logic [31:0]           result_o,

  input  wire logic [2:0]            branch_funct3_i,
  output wire logic                  branch_taken_o    // a_i and b_i compared as branch_funct3_i says
);

  import nic_core_pkg::*;

  wire logic equal            = a_i == b_i;
  wire logic below_unsigned   = a_i < b_i;
  wire logic below_signed     = (a_i[31] != b_i[31]) ? a_i[31] : below_unsigned;
  wire logic signed [31:0] a_signed = a_i;

  logic [31:0] result;
  always_comb begin
    unique case (op_i)
      ALU_ADD:  result = a_i + b_i;
      ALU_SUB:  result = a_i - b_i;
      ALU_SLL:  result = a_i << b_i[4:0];
      ALU_SLT:  result = {31'b0, below_signed};
      ALU_SLTU: result = {31'b0, below_unsigned};
      ALU_XOR:  result = a_i ^ b_i;
      ALU_SRL:  result = a_i >> b_i[4:0];
      ALU_SRA:  result = a_signed >>> b_i[4:0];
      ALU_OR:   result = a_i | b_i;
      default:  result = a_i & b_i;
    endcase
  end
  assign result_o = result;

  // funct3: 0 eq, 1 ne, 4 lt, 5 ge, 6 ltu, 7 geu.
  wire logic condition = !branch_funct3_i[2] ? equal : branch_funct3_i[1] ? below_unsigned : below_signed;
  assign branch_taken_o = condition != branch_funct3_i[0];

endmodule

`default_nettype wire
