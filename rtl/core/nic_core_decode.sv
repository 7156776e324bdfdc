// Decodes an expanded instruction: its kind, its operands, and its immediate.
//
// Timing: combinational.
// Rule:   every encoding outside RV32IM, Zba, Zbb, Zbs, Zicsr, Zifencei, mret, dret, wfi and
//         nic.dispatch is KIND_ILLEGAL. The CSR file decides whether a CSR exists; the caller
//         decides whether dret may be executed. Register numbers stand in their fields: rs1 19:15,
//         rs2 24:20, rd 11:7.

`default_nettype none

module nic_core_decode (
  input  wire logic [31:0]             insn_i,
  output wire nic_core_pkg::decoded_t  decoded_o,
  output wire logic [31:0]             imm_o,
  output wire logic                    b_is_imm_o     // the second operand is the immediate,
                                                      // otherwise rs2
);

  wire logic [2:0] funct3 = insn_i[14:12];
  wire logic [6:0] funct7 = insn_i[31:25];

  wire logic [31:0] imm_i = {{20{insn_i[31]}}, insn_i[31:20]};
  wire logic [31:0] imm_s = {{20{insn_i[31]}}, insn_i[31:25], insn_i[11:7]};
  wire logic [31:0] imm_b = {{20{insn_i[31]}}, insn_i[7], insn_i[30:25], insn_i[11:8], 1'b0};
  wire logic [31:0] imm_u = {insn_i[31:12], 12'b0};
  wire logic [31:0] imm_j = {{12{insn_i[31]}}, insn_i[19:12], insn_i[20], insn_i[30:21], 1'b0};

  nic_core_pkg::decoded_t decoded;
  logic [31:0]            imm;

  always_comb begin
    decoded = '{kind: nic_core_pkg::KIND_ILLEGAL, default: '0};
    imm     = imm_i;

    unique case (insn_i[6:0])
      7'b0110111: begin  // lui
        decoded.kind      = nic_core_pkg::KIND_LUI;
        decoded.writes_rd = 1'b1;
        imm               = imm_u;
      end

      7'b0010111: begin  // auipc
        decoded.kind      = nic_core_pkg::KIND_AUIPC;
        decoded.writes_rd = 1'b1;
        imm               = imm_u;
      end

      7'b1101111: begin  // jal
        decoded.kind      = nic_core_pkg::KIND_JAL;
        decoded.writes_rd = 1'b1;
        imm               = imm_j;
      end

      7'b1100111: begin  // jalr
        if (funct3 == 3'b000) decoded.kind = nic_core_pkg::KIND_JALR;
        decoded.uses_rs1  = 1'b1;
        decoded.writes_rd = 1'b1;
      end

      7'b1100011: begin  // beq, bne, blt, bge, bltu, bgeu
        if (funct3[2:1] != 2'b01) decoded.kind = nic_core_pkg::KIND_BRANCH;
        decoded.uses_rs1 = 1'b1;
        decoded.uses_rs2 = 1'b1;
        imm              = imm_b;
      end

      7'b0000011: begin  // lb, lh, lw, lbu, lhu
        if (funct3[1:0] != 2'b11 && funct3 != 3'b110) decoded.kind = nic_core_pkg::KIND_LOAD;
        decoded.uses_rs1  = 1'b1;
        decoded.writes_rd = 1'b1;
      end

      7'b0100011: begin  // sb, sh, sw
        if (!funct3[2] && funct3[1:0] != 2'b11) decoded.kind = nic_core_pkg::KIND_STORE;
        decoded.uses_rs1 = 1'b1;
        decoded.uses_rs2 = 1'b1;
        imm              = imm_s;
      end

      7'b0010011: begin  // arithmetic with an immediate
        decoded.kind      = nic_core_pkg::KIND_ALU;
        decoded.uses_rs1  = 1'b1;
        decoded.writes_rd = 1'b1;
        unique case (funct3)
          3'b000: decoded.alu = '{sum: 1'b1, default: '0};
          3'b010: decoded.alu = '{less: 1'b1, default: '0};
          3'b011: decoded.alu = '{less: 1'b1, default: '0};
          3'b100: decoded.alu = '{logical: 1'b1, is_xor: 1'b1, default: '0};
          3'b110: decoded.alu = '{logical: 1'b1, is_or: 1'b1, default: '0};
          3'b111: decoded.alu = '{logical: 1'b1, default: '0};
          3'b001: begin
            unique case (funct7)
              7'b0000000: decoded.alu = '{shift: 1'b1, left: 1'b1, default: '0};
              7'b0010100: decoded.alu = '{logical: 1'b1, is_or: 1'b1, use_mask: 1'b1, default: '0};
              7'b0100100: decoded.alu = '{logical: 1'b1, use_mask: 1'b1, inverts_b: 1'b1, default: '0};
              7'b0110100: decoded.alu = '{logical: 1'b1, is_xor: 1'b1, use_mask: 1'b1, default: '0};
              7'b0110000: begin
                unique case (insn_i[24:20])
                  // clz, ctz, cpop
                  5'b00000, 5'b00001, 5'b00010: decoded.kind = nic_core_pkg::KIND_COUNT;
                  5'b00100: decoded.alu = '{sext_b: 1'b1, default: '0};
                  5'b00101: decoded.alu = '{sext_h: 1'b1, default: '0};
                  default:  decoded.kind   = nic_core_pkg::KIND_ILLEGAL;
                endcase
              end
              default: decoded.kind = nic_core_pkg::KIND_ILLEGAL;
            endcase
          end
          default: begin
            unique case (funct7)
              7'b0000000: decoded.alu = '{shift: 1'b1, default: '0};
              7'b0100000: decoded.alu = '{shift: 1'b1, arithmetic: 1'b1, default: '0};
              7'b0110000: decoded.alu = '{shift: 1'b1, rotates: 1'b1, default: '0};
              7'b0100100: decoded.alu = '{bext: 1'b1, default: '0};
              7'b0010100: begin
                decoded.alu = '{orc_b: 1'b1, default: '0};
                if (insn_i[24:20] != 5'b00111) decoded.kind = nic_core_pkg::KIND_ILLEGAL;
              end
              7'b0110100: begin
                decoded.alu = '{rev8: 1'b1, default: '0};
                if (insn_i[24:20] != 5'b11000) decoded.kind = nic_core_pkg::KIND_ILLEGAL;
              end
              default: decoded.kind = nic_core_pkg::KIND_ILLEGAL;
            endcase
          end
        endcase
      end

      7'b0110011: begin  // arithmetic between registers
        decoded.kind      = nic_core_pkg::KIND_ALU;
        decoded.uses_rs1  = 1'b1;
        decoded.uses_rs2  = 1'b1;
        decoded.writes_rd = 1'b1;
        unique case ({funct7, funct3})
          {7'b0000000, 3'b000}: decoded.alu = '{sum: 1'b1, default: '0};
          {7'b0100000, 3'b000}: decoded.alu = '{sum: 1'b1, subtracts: 1'b1, default: '0};
          {7'b0000000, 3'b001}: decoded.alu = '{shift: 1'b1, left: 1'b1, default: '0};
          {7'b0000000, 3'b010}: decoded.alu = '{less: 1'b1, default: '0};
          {7'b0000000, 3'b011}: decoded.alu = '{less: 1'b1, default: '0};
          {7'b0000000, 3'b100}: decoded.alu = '{logical: 1'b1, is_xor: 1'b1, default: '0};
          {7'b0000000, 3'b101}: decoded.alu = '{shift: 1'b1, default: '0};
          {7'b0100000, 3'b101}: decoded.alu = '{shift: 1'b1, arithmetic: 1'b1, default: '0};
          {7'b0000000, 3'b110}: decoded.alu = '{logical: 1'b1, is_or: 1'b1, default: '0};
          {7'b0000000, 3'b111}: decoded.alu = '{logical: 1'b1, default: '0};
          {7'b0010000, 3'b010}: decoded.alu = '{sum: 1'b1, shift_a: 2'd1, default: '0};
          {7'b0010000, 3'b100}: decoded.alu = '{sum: 1'b1, shift_a: 2'd2, default: '0};
          {7'b0010000, 3'b110}: decoded.alu = '{sum: 1'b1, shift_a: 2'd3, default: '0};
          {7'b0100000, 3'b100}: decoded.alu = '{logical: 1'b1, is_xor: 1'b1, inverts_b: 1'b1, default: '0};
          {7'b0100000, 3'b110}: decoded.alu = '{logical: 1'b1, is_or: 1'b1, inverts_b: 1'b1, default: '0};
          {7'b0100000, 3'b111}: decoded.alu = '{logical: 1'b1, inverts_b: 1'b1, default: '0};
          {7'b0000101, 3'b100}: decoded.alu = '{extreme: 1'b1, default: '0};
          {7'b0000101, 3'b101}: decoded.alu = '{extreme: 1'b1, default: '0};
          {7'b0000101, 3'b110}: decoded.alu = '{extreme: 1'b1, wants_max: 1'b1, default: '0};
          {7'b0000101, 3'b111}: decoded.alu = '{extreme: 1'b1, wants_max: 1'b1, default: '0};
          {7'b0110000, 3'b001}: decoded.alu = '{shift: 1'b1, left: 1'b1, rotates: 1'b1, default: '0};
          {7'b0110000, 3'b101}: decoded.alu = '{shift: 1'b1, rotates: 1'b1, default: '0};
          {7'b0010100, 3'b001}: decoded.alu = '{logical: 1'b1, is_or: 1'b1, use_mask: 1'b1, default: '0};
          {7'b0100100, 3'b001}: decoded.alu = '{logical: 1'b1, use_mask: 1'b1, inverts_b: 1'b1, default: '0};
          {7'b0110100, 3'b001}: decoded.alu = '{logical: 1'b1, is_xor: 1'b1, use_mask: 1'b1, default: '0};
          {7'b0100100, 3'b101}: decoded.alu = '{bext: 1'b1, default: '0};
          {7'b0000100, 3'b100}: begin  // zext.h
            decoded.alu   = '{zext_h: 1'b1, default: '0};
            decoded.uses_rs2 = 1'b0;
            if (insn_i[24:20] != 5'd0) decoded.kind = nic_core_pkg::KIND_ILLEGAL;
          end
          default: begin
            if (funct7 == 7'b0000001) decoded.kind = funct3[2] ? nic_core_pkg::KIND_DIVIDE : nic_core_pkg::KIND_MULTIPLY;
            else                      decoded.kind = nic_core_pkg::KIND_ILLEGAL;
          end
        endcase
      end

      7'b0001111: begin  // fence, fence.i
        // Data accesses are in order, and those that others see are too, so that fence has nothing
        // to wait for.
        if (funct3 == 3'b000)      decoded.kind = nic_core_pkg::KIND_ALU;
        else if (funct3 == 3'b001) decoded.kind = nic_core_pkg::KIND_FENCE_I;
      end

      7'b0001011: begin  // custom-0: nic.dispatch
        if (insn_i[31:12] == 20'd0) decoded.kind = nic_core_pkg::KIND_DISPATCH;
        decoded.writes_rd = 1'b1;
      end

      7'b1110011: begin  // system
        if (funct3 == 3'b000) begin
          unique case (insn_i[31:7])
            25'h000_0000: decoded.kind = nic_core_pkg::KIND_ECALL;
            25'h000_2000: decoded.kind = nic_core_pkg::KIND_EBREAK;
            25'h060_4000: decoded.kind = nic_core_pkg::KIND_MRET;
            25'h0f6_4000: decoded.kind = nic_core_pkg::KIND_DRET;
            25'h020_a000: decoded.kind = nic_core_pkg::KIND_WFI;
            default:      decoded.kind = nic_core_pkg::KIND_ILLEGAL;
          endcase
        end else if (funct3 != 3'b100) begin
          decoded.kind      = nic_core_pkg::KIND_CSR;
          decoded.uses_rs1  = !funct3[2];
          decoded.writes_rd = 1'b1;
        end
      end

      default: ;
    endcase

    if (decoded.alu.extreme) decoded.kind = nic_core_pkg::KIND_COUNT;

    // bltu, bgeu; sltiu, sltu; minu, maxu.
    decoded.is_unsigned = insn_i[6] ? funct3[1] : funct3[0];

    if (insn_i[11:7] == 5'd0) decoded.writes_rd = 1'b0;
  end

  assign decoded_o = decoded;
  assign imm_o     = imm;

  assign b_is_imm_o = insn_i[6:0] == 7'b0010011;

endmodule

`default_nettype wire
