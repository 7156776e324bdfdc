// Types shared by the modules of nic_core.

package nic_core_pkg;

  // Arithmetic. The encoding is {instruction bit 30, funct3}, so that decoding costs nothing.
  typedef enum logic [3:0] {
    ALU_ADD  = 4'b0000,
    ALU_SUB  = 4'b1000,
    ALU_SLL  = 4'b0001,
    ALU_SLT  = 4'b0010,
    ALU_SLTU = 4'b0011,
    ALU_XOR  = 4'b0100,
    ALU_SRL  = 4'b0101,
    ALU_SRA  = 4'b1101,
    ALU_OR   = 4'b0110,
    ALU_AND  = 4'b0111
  } alu_op_e;

  // What an instruction does beside arithmetic; exactly one holds.
  typedef enum logic [3:0] {
    KIND_ALU,        // result of the ALU; also fence, which orders nothing here
    KIND_BRANCH,
    KIND_JAL,
    KIND_JALR,
    KIND_LOAD,
    KIND_STORE,
    KIND_MULTIPLY,
    KIND_DIVIDE,
    KIND_CSR,
    KIND_FENCE_I,
    KIND_ECALL,
    KIND_EBREAK,
    KIND_MRET,
    KIND_WFI,
    KIND_ILLEGAL
  } kind_e;

  typedef struct packed {
    kind_e   kind;
    alu_op_e alu_op;
    logic    a_is_pc;     // first ALU operand: pc, zero, or else rs1
    logic    a_is_zero;
    logic    b_is_imm;    // second ALU operand: immediate, or else rs2
    logic    uses_rs1;    // reads the register, so it must wait for a load of it
    logic    uses_rs2;
    logic    writes_rd;   // and rd is not x0
  } decoded_t;

  // mcause of exceptions, and of the only interrupt.
  typedef enum logic [4:0] {
    CAUSE_FETCH_FAULT      = 5'd1,
    CAUSE_ILLEGAL          = 5'd2,
    CAUSE_BREAKPOINT       = 5'd3,
    CAUSE_LOAD_MISALIGNED  = 5'd4,
    CAUSE_LOAD_FAULT       = 5'd5,
    CAUSE_STORE_MISALIGNED = 5'd6,
    CAUSE_STORE_FAULT      = 5'd7,
    CAUSE_ECALL            = 5'd11
  } cause_e;
  parameter logic [4:0] CAUSE_EXTERNAL_INTERRUPT = 5'd11;

  // funct3 of the SYSTEM opcode, low two bits: how a CSR is written.
  parameter logic [1:0] CSR_WRITE = 2'b01;
  parameter logic [1:0] CSR_SET   = 2'b10;
  parameter logic [1:0] CSR_CLEAR = 2'b11;

endpackage
