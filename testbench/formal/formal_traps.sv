// Instructions trap exactly when they must, and traps lead to the address in mtvec. Interrupts do
// too.
//
// The check follows mtvec by the instructions that write it. Left out: bus errors of data, which no
// encoding shows; they trap as formal_instruction permits for loads and stores.

`default_nettype none

module formal_traps #(
  parameter int unsigned Bitmanip = 0
) (
  input wire logic                   clk_i,
  input wire logic                   rst_ni,
  input wire formal_core_pkg::rvfi_t rvfi_i
);

  wire logic        compressed = rvfi_i.insn[1:0] != 2'b11;
  wire logic [31:0] insn       = compressed ? formal_core_pkg::expand(rvfi_i.insn[15:0]) : rvfi_i.insn;
  wire logic [6:0]  opcode     = insn[6:0];
  wire logic [2:0]  funct3     = insn[14:12];
  wire logic [6:0]  funct7     = insn[31:25];

  // ---- What is legal, whatever the operands -------------------------------------------

  wire formal_core_pkg::result_t as_arithmetic = formal_core_pkg::arithmetic(Bitmanip != 0, opcode == 7'h13, funct7, funct3, insn[24:20], 32'd0, 32'd0);

  logic legal, decided;
  always_comb begin
    legal   = 1'b0;
    decided = 1'b1;
    case (opcode)
      7'h37, 7'h17, 7'h6F: legal = 1'b1;
      7'h67: legal = funct3 == 3'd0;
      7'h63: legal = funct3 != 3'd2 && funct3 != 3'd3;
      7'h03: legal = funct3 != 3'd3 && funct3 < 3'd6;
      7'h23: legal = funct3 < 3'd3;
      7'h13: legal = as_arithmetic.known;
      7'h33: legal = as_arithmetic.known || funct7 == 7'h01;
      // Not decided here: the values of the fields of fences, and which CSRs exist.
      7'h0F: begin
        legal   = 1'b1;
        decided = funct3 < 3'd2;
      end
      7'h73: begin
        legal   = insn == formal_core_pkg::MRET || insn == formal_core_pkg::WFI;
        decided = funct3 == 3'd0;
      end
      7'h0B, 7'h2B, 7'h5B, 7'h7B: decided = 1'b0;   // custom
      default: ;
    endcase
  end

  wire logic [31:0] offset     = {{20{insn[31]}}, opcode == 7'h23 ? {insn[31:25], insn[11:7]} : insn[31:20]};
  wire logic [31:0] addr       = rvfi_i.rs1_rdata + offset;
  wire logic        accesses   = opcode == 7'h03 || opcode == 7'h23;
  wire logic        misaligned = (funct3[1:0] == 2'd1 && addr[0]) || (funct3[1:0] == 2'd2 && addr[1:0] != 2'd0);

  // ---- mtvec --------------------------------------------------------------------------

  logic [31:2] base_q;
  logic        vectored_q, known_q;

  // Instructions that set or clear bits read mtvec first. Their effect is not followed: mtvec
  // counts as unknown until it is written whole.
  wire logic writes_mtvec = rvfi_i.valid && !rvfi_i.trap && opcode == 7'h73 && insn[31:20] == 12'h305 && funct3[1:0] != 2'd0;
  wire logic [31:0] operand = funct3[2] ? {27'b0, insn[19:15]} : rvfi_i.rs1_rdata;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      base_q     <= 30'd0;
      vectored_q <= 1'b0;
      known_q    <= 1'b1;
    end else if (writes_mtvec) begin
      known_q    <= funct3[1:0] == 2'd1;
      base_q     <= operand[31:2];
      vectored_q <= operand[0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && rvfi_i.valid) begin
      if (rvfi_i.trap && known_q)  GoesToTheHandler: assert (rvfi_i.pc_wdata == {base_q, 2'b00});
      if (rvfi_i.intr && known_q)  InterruptGoesToo: assert (rvfi_i.pc_rdata == {base_q + (vectored_q ? 30'd11 : 30'd0), 2'b00});
      if (decided && !legal)       IllegalTraps:     assert (rvfi_i.trap);
      // An instruction that cannot be fetched has encoding 0, which is illegal too.
      if (decided && legal && !accesses) LegalDoesNot: assert (!rvfi_i.trap);
      if (legal && accesses && misaligned) MisalignedTraps: assert (rvfi_i.trap);
      TrapsTouchNothing: assert (!rvfi_i.trap || (rvfi_i.mem_rmask == 4'd0 && rvfi_i.mem_wmask == 4'd0));
    end
  end

endmodule

`default_nettype wire
