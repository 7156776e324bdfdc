// Types shared by the modules of nic_core.

package nic_core_pkg;

  // The operation of the ALU in one clock. Decoding is done one stage earlier: every signal here
  // makes one choice without further decoding.
  typedef struct packed {
    // The result is the OR of what is chosen
    logic       sum;
    logic       shift;
    logic       bext;         // the lowest bit of the shift
    logic       logical;
    logic       less;         // slt
    logic       sext_b;
    logic       sext_h;
    logic       zext_h;
    logic       orc_b;
    logic       rev8;
    // Ways
    logic       subtracts;
    logic [1:0] shift_a;      // sh1add, sh2add, sh3add
    logic       left;         // shifts
    logic       arithmetic;
    logic       rotates;
    logic       use_mask;     // logical: one bit instead of the second operand
    logic       inverts_b;
    logic       is_or;        // logical: a and b if neither
    logic       is_xor;
    // For nic_core_bit_count
    logic       extreme;      // min, max
    logic       wants_max;
  } alu_t;

  // The kind of an instruction; exactly one holds.
  typedef enum logic [4:0] {
    KIND_ALU,        // result of the ALU; also fence, which orders nothing here
    KIND_LUI,
    KIND_AUIPC,
    KIND_BRANCH,
    KIND_JAL,
    KIND_JALR,
    KIND_LOAD,
    KIND_STORE,
    KIND_MULTIPLY,
    KIND_COUNT,      // clz, ctz, cpop; min, max
    KIND_DIVIDE,
    KIND_CSR,
    KIND_FENCE_I,
    KIND_ECALL,
    KIND_EBREAK,
    KIND_MRET,
    KIND_DRET,
    KIND_WFI,
    KIND_DISPATCH,   // nic.dispatch
    KIND_ILLEGAL
  } kind_e;

  typedef struct packed {
    kind_e   kind;
    alu_t    alu;
    logic    is_unsigned; // how operands compare: branches, slt, min, max
    logic    uses_rs1;    // reads the register, so it must wait for a load of it
    logic    uses_rs2;
    logic    writes_rd;   // and rd is not x0
  } decoded_t;

  // The kind once more, a bit for each question that the execute stage asks: it has no time to
  // compare.
  typedef struct packed {
    logic branch;
    logic jal;
    logic jalr;
    logic jump;        // jal or jalr
    logic links;       // jal, jalr or nic.dispatch
    logic load;
    logic store;
    logic access;      // load or store
    logic multiply;
    logic count;
    logic divide;
    logic csr;
    logic fence_i;
    logic mret;
    logic dret;
    logic wfi;
    logic dispatch;
    logic lui;
    logic auipc;
    logic traps;       // ecall, ebreak, illegal
  } is_t;

  function automatic is_t is_of(input kind_e kind);
    return '{
      branch:   kind == KIND_BRANCH,
      jal:      kind == KIND_JAL,
      jalr:     kind == KIND_JALR,
      jump:     kind == KIND_JAL || kind == KIND_JALR,
      links:    kind == KIND_JAL || kind == KIND_JALR || kind == KIND_DISPATCH,
      load:     kind == KIND_LOAD,
      store:    kind == KIND_STORE,
      access:   kind == KIND_LOAD || kind == KIND_STORE,
      multiply: kind == KIND_MULTIPLY,
      count:    kind == KIND_COUNT,
      divide:   kind == KIND_DIVIDE,
      csr:      kind == KIND_CSR,
      fence_i:  kind == KIND_FENCE_I,
      mret:     kind == KIND_MRET,
      dret:     kind == KIND_DRET,
      wfi:      kind == KIND_WFI,
      dispatch: kind == KIND_DISPATCH,
      lui:      kind == KIND_LUI,
      auipc:    kind == KIND_AUIPC,
      traps:    kind == KIND_ILLEGAL || kind == KIND_ECALL || kind == KIND_EBREAK
    };
  endfunction

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

  // dcsr.cause.
  typedef enum logic [2:0] {
    DEBUG_NONE    = 3'd0,
    DEBUG_EBREAK  = 3'd1,
    DEBUG_TRIGGER = 3'd2,
    DEBUG_HALTREQ = 3'd3,
    DEBUG_STEP    = 3'd4
  } debug_cause_e;

  // funct3 of the SYSTEM opcode, low two bits: how a CSR is written.
  parameter logic [1:0] CSR_WRITE = 2'b01;
  parameter logic [1:0] CSR_SET   = 2'b10;
  parameter logic [1:0] CSR_CLEAR = 2'b11;

endpackage
