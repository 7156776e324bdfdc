// Says what an expanded instruction does, and its immediate.
//
// Timing: combinational.
// Rule:   every encoding outside RV32IM, Zicsr, Zifencei, mret and wfi is KIND_ILLEGAL. Whether a CSR exists is
//         decided by the CSR file. Register numbers stand in their fields: rs1 19:15, rs2 24:20, rd 11:7.

`default_nettype none

module nic_core_decode (
  input  wire logic [31:0]             insn_i,
  output wire nic_core_pkg::decoded_t  decoded_o,
  output wire logic [31:0]             imm_o
);

  import nic_core_pkg::*;

  wire logic [2:0] funct3 = insn_i[14:12];
  wire logic [6:0] funct7 = insn_i[31:25];

  wire logic [31:0] imm_i = {{20{insn_i[31]}}, insn_i[31:20]};
  wire logic [31:0] imm_s = {{20{insn_i[31]}}, insn_i[31:25], insn_i[11:7]};
  wire logic [31:0] imm_b = {{20{insn_i[31]}}, insn_i[7], insn_i[30:25], insn_i[11:8], 1'b0};
  wire logic [31:0] imm_u = {insn_i[31:12], 12'b0};
  wire logic [31:0] imm_j = {{12{insn_i[31]}}, insn_i[19:12], insn_i[20], insn_i[30:21], 1'b0};

  decoded_t    decoded;
  logic [31:0] imm;

  always_comb begin
    decoded = '{kind: KIND_ILLEGAL, alu_op: ALU_ADD, default: 1'b0};
    imm     = imm_i;

    unique case (insn_i[6:0])
      7'b0110111: begin  // lui
        decoded.kind      = KIND_ALU;
        decoded.a_is_zero = 1'b1;
        decoded.b_is_imm  = 1'b1;
        decoded.writes_rd = 1'b1;
        imm               = imm_u;
      end

      7'b0010111: begin  // auipc
        decoded.kind      = KIND_ALU;
        decoded.a_is_pc   = 1'b1;
        decoded.b_is_imm  = 1'b1;
        decoded.writes_rd = 1'b1;
        imm               = imm_u;
      end

      7'b1101111: begin  // jal
        decoded.kind      = KIND_JAL;
        decoded.writes_rd = 1'b1;
        imm               = imm_j;
      end

      7'b1100111: begin  // jalr
        if (funct3 == 3'b000) decoded.kind = KIND_JALR;
        decoded.uses_rs1  = 1'b1;
        decoded.writes_rd = 1'b1;
      end

      7'b1100011: begin  // beq, bne, blt, bge, bltu, bgeu
        if (funct3[2:1] != 2'b01) decoded.kind = KIND_BRANCH;
        decoded.uses_rs1 = 1'b1;
        decoded.uses_rs2 = 1'b1;
        imm              = imm_b;
      end

      7'b0000011: begin  // lb, lh, lw, lbu, lhu
        if (funct3[1:0] != 2'b11 && funct3 != 3'b110) decoded.kind = KIND_LOAD;
        decoded.uses_rs1  = 1'b1;
        decoded.writes_rd = 1'b1;
      end

      7'b0100011: begin  // sb, sh, sw
        if (!funct3[2] && funct3[1:0] != 2'b11) decoded.kind = KIND_STORE;
        decoded.uses_rs1 = 1'b1;
        decoded.uses_rs2 = 1'b1;
        imm              = imm_s;
      end

      7'b0010011: begin  // arithmetic with an immediate
        if (funct3[1:0] != 2'b01 || funct7 == 7'b0000000 || (funct3[2] && funct7 == 7'b0100000)) begin
          decoded.kind = KIND_ALU;
        end
        decoded.alu_op    = alu_op_e'({funct3 == 3'b101 && funct7[5], funct3});
        decoded.b_is_imm  = 1'b1;
        decoded.uses_rs1  = 1'b1;
        decoded.writes_rd = 1'b1;
      end

      7'b0110011: begin  // arithmetic between registers
        if (funct7 == 7'b0000001) decoded.kind = funct3[2] ? KIND_DIVIDE : KIND_MULTIPLY;
        else if (funct7 == 7'b0000000 || (funct7 == 7'b0100000 && (funct3 == 3'b000 || funct3 == 3'b101))) begin
          decoded.kind   = KIND_ALU;
          decoded.alu_op = alu_op_e'({funct7[5], funct3});
        end
        decoded.uses_rs1  = 1'b1;
        decoded.uses_rs2  = 1'b1;
        decoded.writes_rd = 1'b1;
      end

      7'b0001111: begin  // fence, fence.i
        // Data accesses are in order and one at a time, so that fence has nothing to wait for.
        if (funct3 == 3'b000)      decoded.kind = KIND_ALU;
        else if (funct3 == 3'b001) decoded.kind = KIND_FENCE_I;
      end

      7'b1110011: begin  // system
        if (funct3 == 3'b000) begin
          unique case (insn_i[31:7])
            25'h000_0000: decoded.kind = KIND_ECALL;
            25'h000_2000: decoded.kind = KIND_EBREAK;
            25'h060_4000: decoded.kind = KIND_MRET;
            25'h020_a000: decoded.kind = KIND_WFI;
            default:      decoded.kind = KIND_ILLEGAL;
          endcase
        end else if (funct3 != 3'b100) begin
          decoded.kind      = KIND_CSR;
          decoded.uses_rs1  = !funct3[2];
          decoded.writes_rd = 1'b1;
        end
      end

      default: ;
    endcase

    if (insn_i[11:7] == 5'd0) decoded.writes_rd = 1'b0;
  end

  assign decoded_o = decoded;
  assign imm_o     = imm;

endmodule

`default_nettype wire
