// Expands a compressed instruction (RV32C without floating point) to its 32-bit equivalent.
//
// Timing: combinational.
// Rule:   an instruction whose lowest two bits are 11 passes unchanged. illegal_o marks every
//         reserved or unsupported compressed encoding; insn_o is then meaningless. Hints expand to
//         instructions without effect.

`default_nettype none

module nic_core_decompress (
  input  wire logic [31:0] insn_i,
  output wire logic [31:0] insn_o,
  output wire logic        compressed_o,
  output wire logic        illegal_o
);

  localparam logic [6:0] OpLoad   = 7'b0000011;
  localparam logic [6:0] OpImm    = 7'b0010011;
  localparam logic [6:0] OpStore  = 7'b0100011;
  localparam logic [6:0] OpReg    = 7'b0110011;
  localparam logic [6:0] OpLui    = 7'b0110111;
  localparam logic [6:0] OpBranch = 7'b1100011;
  localparam logic [6:0] OpJalr   = 7'b1100111;
  localparam logic [6:0] OpJal    = 7'b1101111;

  localparam logic [31:0] Ebreak  = 32'h0010_0073;

  localparam logic [4:0] X0 = 5'd0;
  localparam logic [4:0] Ra = 5'd1;
  localparam logic [4:0] Sp = 5'd2;

  wire logic [15:0] c = insn_i[15:0];

  // Register fields: full ones and the three-bit ones that name x8 to x15.
  wire logic [4:0] rd       = c[11:7];
  wire logic [4:0] rs2      = c[6:2];
  wire logic [4:0] rd_low   = {2'b01, c[4:2]};
  wire logic [4:0] rs1_low  = {2'b01, c[9:7]};

  // Immediates, sign-extended or zero-extended to the width of the expanded field.
  wire logic [11:0] imm_six      = {{7{c[12]}}, c[6:2]};
  wire logic [11:0] imm_addi4spn = {2'b0, c[10:7], c[12:11], c[5], c[6], 2'b0};
  wire logic [11:0] imm_addi16sp = {{3{c[12]}}, c[4:3], c[5], c[2], c[6], 4'b0};
  wire logic [11:0] imm_word     = {5'b0, c[5], c[12:10], c[6], 2'b0};
  wire logic [11:0] imm_lwsp     = {4'b0, c[3:2], c[12], c[6:4], 2'b0};
  wire logic [11:0] imm_swsp     = {4'b0, c[8:7], c[12:9], 2'b0};
  wire logic [19:0] imm_lui      = {{15{c[12]}}, c[6:2]};
  wire logic [12:1] imm_branch   = {{5{c[12]}}, c[6:5], c[2], c[11:10], c[4:3]};
  wire logic [20:1] imm_jump     = {{10{c[12]}}, c[8], c[10:9], c[6], c[7], c[2], c[11], c[5:3]};

  function automatic logic [31:0] i_type(input logic [11:0] imm, input logic [4:0] rs1, input logic [2:0] funct3,
                                         input logic [4:0] rd_field, input logic [6:0] opcode);
    return {imm, rs1, funct3, rd_field, opcode};
  endfunction

  function automatic logic [31:0] s_type(input logic [11:0] imm, input logic [4:0] rs2_field, input logic [4:0] rs1);
    return {imm[11:5], rs2_field, rs1, 3'b010, imm[4:0], OpStore};
  endfunction

  function automatic logic [31:0] r_type(input logic subtract, input logic [4:0] rs2_field, input logic [4:0] rs1,
                                         input logic [2:0] funct3, input logic [4:0] rd_field);
    return {1'b0, subtract, 5'b0, rs2_field, rs1, funct3, rd_field, OpReg};
  endfunction

  function automatic logic [31:0] jal(input logic [20:1] offset, input logic [4:0] rd_field);
    return {offset[20], offset[10:1], offset[11], offset[19:12], rd_field, OpJal};
  endfunction

  logic [31:0] expanded;
  logic        illegal;

  always_comb begin
    expanded = insn_i;
    illegal  = 1'b0;
    unique case (c[1:0])
      2'b00: begin
        unique case (c[15:13])
          3'b000: begin                                                          // c.addi4spn
            expanded = i_type(imm_addi4spn, Sp, 3'b000, rd_low, OpImm);
            illegal  = c[12:5] == 8'b0;
          end
          3'b010:  expanded = i_type(imm_word, rs1_low, 3'b010, rd_low, OpLoad);  // c.lw
          3'b110:  expanded = s_type(imm_word, rd_low, rs1_low);                  // c.sw
          default: illegal  = 1'b1;
        endcase
      end

      2'b01: begin
        unique case (c[15:13])
          3'b000: expanded = i_type(imm_six, rd, 3'b000, rd, OpImm);             // c.addi, c.nop
          3'b001: expanded = jal(imm_jump, Ra);                                  // c.jal
          3'b010: expanded = i_type(imm_six, X0, 3'b000, rd, OpImm);             // c.li
          3'b011: begin
            if (rd == Sp) expanded = i_type(imm_addi16sp, Sp, 3'b000, Sp, OpImm);// c.addi16sp
            else          expanded = {imm_lui, rd, OpLui};                       // c.lui
            illegal = {c[12], c[6:2]} == 6'b0;
          end
          3'b100: begin
            unique case (c[11:10])
              2'b00: begin                                                       // c.srli
                expanded = i_type({7'b0000000, c[6:2]}, rs1_low, 3'b101, rs1_low, OpImm);
                illegal  = c[12];
              end
              2'b01: begin                                                       // c.srai
                expanded = i_type({7'b0100000, c[6:2]}, rs1_low, 3'b101, rs1_low, OpImm);
                illegal  = c[12];
              end
              2'b10: expanded = i_type(imm_six, rs1_low, 3'b111, rs1_low, OpImm);// c.andi
              default: begin
                unique case (c[6:5])
                  2'b00:   expanded = r_type(1'b1, rd_low, rs1_low, 3'b000, rs1_low);  // c.sub
                  2'b01:   expanded = r_type(1'b0, rd_low, rs1_low, 3'b100, rs1_low);  // c.xor
                  2'b10:   expanded = r_type(1'b0, rd_low, rs1_low, 3'b110, rs1_low);  // c.or
                  default: expanded = r_type(1'b0, rd_low, rs1_low, 3'b111, rs1_low);  // c.and
                endcase
                illegal = c[12];
              end
            endcase
          end
          3'b101: expanded = jal(imm_jump, X0);                                  // c.j
          default:                                                               // c.beqz, c.bnez
            expanded = {imm_branch[12], imm_branch[10:5], X0, rs1_low, 2'b00, c[13], imm_branch[4:1], imm_branch[11],
                        OpBranch};
        endcase
      end

      2'b10: begin
        unique case (c[15:13])
          3'b000: begin                                                          // c.slli
            expanded = i_type({7'b0000000, c[6:2]}, rd, 3'b001, rd, OpImm);
            illegal  = c[12];
          end
          3'b010: begin                                                          // c.lwsp
            expanded = i_type(imm_lwsp, Sp, 3'b010, rd, OpLoad);
            illegal  = rd == X0;
          end
          3'b100: begin
            if (rs2 != X0) begin                                                 // c.add, c.mv
              expanded = r_type(1'b0, rs2, c[12] ? rd : X0, 3'b000, rd);
            end else if (c[12] && rd == X0) begin                                // c.ebreak
              expanded = Ebreak;
            end else begin                                                       // c.jalr, c.jr
              expanded = i_type(12'b0, rd, 3'b000, c[12] ? Ra : X0, OpJalr);
              illegal  = rd == X0;
            end
          end
          3'b110:  expanded = s_type(imm_swsp, rs2, Sp);                         // c.swsp
          default: illegal  = 1'b1;
        endcase
      end

      default: ;
    endcase
  end

  assign insn_o       = expanded;
  assign illegal_o    = illegal;
  assign compressed_o = c[1:0] != 2'b11;

endmodule

`default_nettype wire
