// One class of instructions has the effects of the specification: result, next address, access.
//
// Operands are the values that RVFI reports as read. That the registers held them is checked by
// formal_registers.

`default_nettype none

module formal_instruction #(
  parameter int unsigned Class    = 0,
  parameter int unsigned Bitmanip = 0
) (
  input wire logic                   clk_i,
  input wire logic                   rst_ni,
  input wire formal_core_pkg::rvfi_t rvfi_i
);

  localparam int unsigned Upper    = 0;   // lui, auipc
  localparam int unsigned Jump     = 1;   // jal, jalr
  localparam int unsigned Branch   = 2;
  localparam int unsigned Load     = 3;
  localparam int unsigned Store    = 4;
  localparam int unsigned OpImm    = 5;
  localparam int unsigned Op       = 6;
  localparam int unsigned Multiply = 7;   // mul of small operands; see docs/verification.md

  wire logic        compressed = rvfi_i.insn[1:0] != 2'b11;
  wire logic [31:0] insn       = compressed ? formal_core_pkg::expand(rvfi_i.insn[15:0]) : rvfi_i.insn;
  wire logic [6:0]  opcode     = insn[6:0];
  wire logic [2:0]  funct3     = insn[14:12];
  wire logic [4:0]  rd         = insn[11:7];
  wire logic [31:0] a          = rvfi_i.rs1_rdata;
  wire logic [31:0] b          = rvfi_i.rs2_rdata;
  wire logic [31:0] next       = rvfi_i.pc_rdata + (compressed ? 32'd2 : 32'd4);

  wire logic [31:0] imm_i = {{20{insn[31]}}, insn[31:20]};
  wire logic [31:0] imm_s = {{20{insn[31]}}, insn[31:25], insn[11:7]};
  wire logic [31:0] imm_b = {{20{insn[31]}}, insn[7], insn[30:25], insn[11:8], 1'b0};
  wire logic [31:0] imm_u = {insn[31:12], 12'b0};
  wire logic [31:0] imm_j = {{12{insn[31]}}, insn[19:12], insn[20], insn[30:21], 1'b0};

  wire logic looks = rst_ni && rvfi_i.valid && !rvfi_i.trap;

  logic                     applies, uses_rs1, uses_rs2, writes;
  logic [31:0]              result, target;
  logic [3:0]               rmask, wmask;
  logic [31:0]              addr, wdata;
  formal_core_pkg::result_t computed;

  wire logic [4:0] lane_shift = {addr[1:0], 3'b000};
  wire logic [3:0] lanes      = (funct3[1:0] == 2'd0 ? 4'b0001 : funct3[1:0] == 2'd1 ? 4'b0011 : 4'b1111) << addr[1:0];

  always_comb begin
    applies  = 1'b0;
    uses_rs1 = 1'b1;
    uses_rs2 = 1'b0;
    writes   = 1'b1;
    result   = 32'd0;
    target   = next;
    rmask    = 4'd0;
    wmask    = 4'd0;
    addr     = 32'd0;
    wdata    = 32'd0;
    computed = '{known: 1'b0, value: 32'd0};
    case (Class)
      Upper: begin
        applies  = opcode == 7'h37 || opcode == 7'h17;
        uses_rs1 = 1'b0;
        result   = opcode == 7'h37 ? imm_u : rvfi_i.pc_rdata + imm_u;
      end
      Jump: begin
        applies  = opcode == 7'h6F || (opcode == 7'h67 && funct3 == 3'd0);
        uses_rs1 = opcode == 7'h67;
        result   = next;
        target   = opcode == 7'h6F ? rvfi_i.pc_rdata + imm_j : (a + imm_i) & ~32'd1;
      end
      Branch: begin
        applies  = opcode == 7'h63;
        uses_rs2 = 1'b1;
        writes   = 1'b0;
        if (formal_core_pkg::taken(funct3, a, b)) target = rvfi_i.pc_rdata + imm_b;
      end
      Load: begin
        applies = opcode == 7'h03;
        addr    = a + imm_i;
        rmask   = lanes;
        result  = rvfi_i.mem_rdata >> lane_shift;
        case (funct3)
          3'd0: result = {{24{result[7]}}, result[7:0]};
          3'd1: result = {{16{result[15]}}, result[15:0]};
          3'd4: result = {24'b0, result[7:0]};
          3'd5: result = {16'b0, result[15:0]};
          default: ;
        endcase
      end
      Store: begin
        applies  = opcode == 7'h23;
        uses_rs2 = 1'b1;
        writes   = 1'b0;
        addr     = a + imm_s;
        wmask    = lanes;
        wdata    = b << lane_shift;
      end
      OpImm: begin
        computed = formal_core_pkg::arithmetic(Bitmanip != 0, 1'b1, insn[31:25], funct3, insn[24:20], a, imm_i);
        applies  = opcode == 7'h13;
        result   = computed.value;
      end
      Op: begin
        computed = formal_core_pkg::arithmetic(Bitmanip != 0, 1'b0, insn[31:25], funct3, insn[24:20], a, b);
        applies  = opcode == 7'h33 && insn[31:25] != 7'h01;
        uses_rs2 = 1'b1;
        result   = computed.value;
      end
      default: begin
        applies  = opcode == 7'h33 && insn[31:25] == 7'h01 && funct3 == 3'd0 && a[31:5] == 27'd0 && b[31:5] == 27'd0;
        uses_rs2 = 1'b1;
        result   = {22'b0, {5'b0, a[4:0]} * {5'b0, b[4:0]}};
      end
    endcase
  end

  wire logic [31:0] bits = {{8{wmask[3]}}, {8{wmask[2]}}, {8{wmask[1]}}, {8{wmask[0]}}};

  always_ff @(posedge clk_i) begin
    if (looks && applies) begin
      if (uses_rs1) FirstSource:  assert (rvfi_i.rs1_addr == insn[19:15]);
      if (uses_rs2) SecondSource: assert (rvfi_i.rs2_addr == insn[24:20]);
      Destination: assert (rvfi_i.rd_addr == (writes ? rd : 5'd0));
      if (writes && rd != 5'd0) Result: assert (rvfi_i.rd_wdata == result);
      NextAddress: assert (rvfi_i.pc_wdata == target);
      ReadMask:    assert (rvfi_i.mem_rmask == rmask);
      WriteMask:   assert (rvfi_i.mem_wmask == wmask);
      if (rmask != 4'd0 || wmask != 4'd0) Address: assert (rvfi_i.mem_addr == {addr[31:2], 2'b00});
      Written:     assert (((rvfi_i.mem_wdata ^ wdata) & bits) == 32'd0);
    end
  end

endmodule

`default_nettype wire
