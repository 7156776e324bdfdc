// The instruction set, written from the specification and independently of rtl/core.

package formal_core_pkg;

  // One instruction as RVFI reports it.
  typedef struct packed {
    logic        valid;
    logic [63:0] order;
    logic [31:0] insn;
    logic        trap;
    logic        intr;
    logic [4:0]  rs1_addr;
    logic [4:0]  rs2_addr;
    logic [31:0] rs1_rdata;
    logic [31:0] rs2_rdata;
    logic [4:0]  rd_addr;
    logic [31:0] rd_wdata;
    logic [31:0] pc_rdata;
    logic [31:0] pc_wdata;
    logic [31:0] mem_addr;
    logic [3:0]  mem_rmask;
    logic [3:0]  mem_wmask;
    logic [31:0] mem_rdata;
    logic [31:0] mem_wdata;
  } rvfi_t;

  parameter logic [31:0] MRET = 32'h3020_0073;
  parameter logic [31:0] WFI  = 32'h1050_0073;

  parameter logic [31:0] CSRW_MIE_X1     = 32'h3040_9073;
  parameter logic [31:0] CSRSI_MSTATUS_8 = 32'h3004_6073;

  // The address at which a program begins, unless the solver chooses it.
  parameter logic [31:0] BOOT = 32'h0000_0100;

  // Clocks within which an instruction retires, and within which a request to halt is obeyed.
  parameter int unsigned RETIRE_BOUND  = 17;
  parameter int unsigned REQUEST_BOUND = 22;

  // The code of a halted core: it shows dpc with a store, decides whether to step, and leaves.
  function automatic logic [31:0] debug_code(logic [2:0] word, logic steps);
    case (word)
      3'd0:    debug_code = 32'h7B10_20F3;                             // csrr x1, dpc
      3'd1:    debug_code = 32'h0010_2023;                             // sw x1, 0(x0)
      // csrwi dcsr, 4 or 0; exceptions come here
      3'd2:    debug_code = steps ? 32'h7B02_5073 : 32'h7B00_5073;
      default: debug_code = 32'h7B20_0073;                             // dret
    endcase
  endfunction

  // ---- Compressed instructions (chapter "C") ------------------------------------------

  // The instruction that a compressed one stands for; 0, which is illegal, if it is reserved.
  function automatic logic [31:0] expand(logic [15:0] c);
    logic [4:0]  rd, rs2, rdp, rs1p;
    logic [11:0] imm6;
    logic [11:0] word_offset;
    logic [20:0] jump;
    logic [12:0] branch;
    rd          = c[11:7];
    rs2         = c[6:2];
    rdp         = {2'b01, c[4:2]};
    rs1p        = {2'b01, c[9:7]};
    imm6        = {{7{c[12]}}, c[6:2]};
    word_offset = {5'b0, c[5], c[12:10], c[6], 2'b00};
    jump        = {{10{c[12]}}, c[8], c[10:9], c[6], c[7], c[2], c[11], c[5:3], 1'b0};
    branch      = {{5{c[12]}}, c[6:5], c[2], c[11:10], c[4:3], 1'b0};
    expand      = 32'd0;
    case ({c[1:0], c[15:13]})
      5'b00_000: if (c[12:5] != 8'd0) expand = {2'b0, c[10:7], c[12:11], c[5], c[6], 2'b00, 5'd2, 3'd0, rdp, 7'h13};
      5'b00_010: expand = {word_offset, rs1p, 3'd2, rdp, 7'h03};
      5'b00_110: expand = {word_offset[11:5], rdp, rs1p, 3'd2, word_offset[4:0], 7'h23};
      5'b01_000: expand = {imm6, rd, 3'd0, rd, 7'h13};
      5'b01_001: expand = {jump[20], jump[10:1], jump[11], jump[19:12], 5'd1, 7'h6F};
      5'b01_010: expand = {imm6, 5'd0, 3'd0, rd, 7'h13};
      5'b01_011: begin
        if ({c[12], c[6:2]} != 6'd0) begin
          if (rd == 5'd2) expand = {{3{c[12]}}, c[4:3], c[5], c[2], c[6], 4'b0, 5'd2, 3'd0, 5'd2, 7'h13};
          else            expand = {{15{c[12]}}, c[6:2], rd, 7'h37};
        end
      end
      5'b01_100: begin
        case (c[11:10])
          2'b00: if (!c[12]) expand = {7'h00, c[6:2], rs1p, 3'd5, rs1p, 7'h13};
          2'b01: if (!c[12]) expand = {7'h20, c[6:2], rs1p, 3'd5, rs1p, 7'h13};
          2'b10: expand = {imm6, rs1p, 3'd7, rs1p, 7'h13};
          default: begin
            if (!c[12]) begin
              case (c[6:5])
                2'b00:   expand = {7'h20, rdp, rs1p, 3'd0, rs1p, 7'h33};
                2'b01:   expand = {7'h00, rdp, rs1p, 3'd4, rs1p, 7'h33};
                2'b10:   expand = {7'h00, rdp, rs1p, 3'd6, rs1p, 7'h33};
                default: expand = {7'h00, rdp, rs1p, 3'd7, rs1p, 7'h33};
              endcase
            end
          end
        endcase
      end
      5'b01_101: expand = {jump[20], jump[10:1], jump[11], jump[19:12], 5'd0, 7'h6F};
      5'b01_110: expand = {branch[12], branch[10:5], 5'd0, rs1p, 3'd0, branch[4:1], branch[11], 7'h63};
      5'b01_111: expand = {branch[12], branch[10:5], 5'd0, rs1p, 3'd1, branch[4:1], branch[11], 7'h63};
      5'b10_000: if (!c[12]) expand = {7'h00, rs2, rd, 3'd1, rd, 7'h13};
      5'b10_010: if (rd != 5'd0) expand = {4'b0, c[3:2], c[12], c[6:4], 2'b00, 5'd2, 3'd2, rd, 7'h03};
      5'b10_100: begin
        if (!c[12]) begin
          if (rs2 != 5'd0)     expand = {7'h00, rs2, 5'd0, 3'd0, rd, 7'h33};
          else if (rd != 5'd0) expand = {12'd0, rd, 3'd0, 5'd0, 7'h67};
        end else begin
          if (rs2 != 5'd0)     expand = {7'h00, rs2, rd, 3'd0, rd, 7'h33};
          else if (rd != 5'd0) expand = {12'd0, rd, 3'd0, 5'd1, 7'h67};
          else                 expand = 32'h0010_0073;
        end
      end
      5'b10_110: expand = {4'b0, c[8:7], c[12], rs2, 5'd2, 3'd2, c[11:9], 2'b00, 7'h23};
      default: ;
    endcase
  endfunction

  // ---- CSRs (chapter "Zicsr") -------------------------------------------------------------

  // The effect of an instruction on a CSR.
  typedef struct packed {
    logic        accesses;   // any instruction on a CSR
    logic        writes;     // ... that did not trap and writes it
    logic        whole;      // ... whatever was in it
    logic        clears;     // else it sets bits
    logic [11:0] number;
    logic [31:0] operand;
  } csr_write_t;

  function automatic csr_write_t csr_write(rvfi_t rvfi);
    csr_write.accesses = rvfi.insn[6:0] == 7'h73 && rvfi.insn[13:12] != 2'd0;
    csr_write.whole    = rvfi.insn[13:12] == 2'd1;
    csr_write.writes   = rvfi.valid && !rvfi.trap && csr_write.accesses && (csr_write.whole || rvfi.insn[19:15] != 5'd0);
    csr_write.clears   = rvfi.insn[13:12] == 2'd3;
    csr_write.number   = rvfi.insn[31:20];
    csr_write.operand  = rvfi.insn[14] ? {27'b0, rvfi.insn[19:15]} : rvfi.rs1_rdata;
  endfunction

  // The contents of a CSR after it, if all bits of the CSR can be written.
  function automatic logic [31:0] written(csr_write_t csr, logic [31:0] old);
    written = csr.whole ? csr.operand : csr.clears ? old & ~csr.operand : old | csr.operand;
  endfunction

  // ---- Arithmetic -----------------------------------------------------------------------

  typedef struct packed {
    logic        known;    // an instruction of this table
    logic [31:0] value;
  } result_t;

  function automatic logic [5:0] ones(logic [31:0] a);
    ones = 6'd0;
    for (int i = 0; i < 32; i++) ones = ones + {5'b0, a[i]};
  endfunction

  // Zeros above the highest one.
  function automatic logic [5:0] leading(logic [31:0] a);
    leading = 6'd32;
    for (int i = 0; i < 32; i++) if (a[i]) leading = 6'(31 - i);
  endfunction

  function automatic logic [31:0] mirrored(logic [31:0] a);
    for (int i = 0; i < 32; i++) mirrored[i] = a[31 - i];
  endfunction

  // Opcodes OP and OP-IMM; `b` is the register or the immediate. `bitmanip`: with Zba, Zbb, Zbs.
  function automatic result_t arithmetic(logic bitmanip, logic immediate, logic [6:0] funct7, logic [2:0] funct3, logic [4:0] field,
                                         logic [31:0] a, logic [31:0] b);
    logic [4:0]  shift;
    logic [31:0] bit_b;
    logic        plain;
    shift = b[4:0];
    bit_b = 32'd1 << shift;
    // An immediate that is no shift distance fills funct7.
    plain = (immediate && funct3 != 3'd1 && funct3 != 3'd5) || funct7 == 7'h00;
    arithmetic = '{known: 1'b0, value: 32'd0};
    if (plain) begin
      arithmetic.known = 1'b1;
      case (funct3)
        3'd0: arithmetic.value = a + b;
        3'd1: arithmetic.value = a << shift;
        3'd2: arithmetic.value = {31'b0, $signed(a) < $signed(b)};
        3'd3: arithmetic.value = {31'b0, a < b};
        3'd4: arithmetic.value = a ^ b;
        3'd5: arithmetic.value = a >> shift;
        3'd6: arithmetic.value = a | b;
        default: arithmetic.value = a & b;
      endcase
    end else if (funct7 == 7'h20 && funct3 == 3'd5) begin
      arithmetic = '{known: 1'b1, value: $unsigned($signed(a) >>> shift)};
    end else if (funct7 == 7'h20 && funct3 == 3'd0) begin
      arithmetic = '{known: 1'b1, value: a - b};
    end else if (bitmanip) begin
      arithmetic.known = 1'b1;
      case ({funct7, funct3})
        {7'h30, 3'd5}: arithmetic.value = (a >> shift) | (a << (6'd32 - {1'b0, shift}));
        {7'h24, 3'd1}: arithmetic.value = a & ~bit_b;
        {7'h24, 3'd5}: arithmetic.value = {31'b0, a[shift]};
        {7'h34, 3'd1}: arithmetic.value = a ^ bit_b;
        {7'h14, 3'd1}: arithmetic.value = a | bit_b;
        default: begin
          if (immediate) begin
            case ({funct7, field, funct3})
              {7'h30, 5'd0, 3'd1}:  arithmetic.value = {26'b0, leading(a)};
              {7'h30, 5'd1, 3'd1}:  arithmetic.value = {26'b0, leading(mirrored(a))};
              {7'h30, 5'd2, 3'd1}:  arithmetic.value = {26'b0, ones(a)};
              {7'h30, 5'd4, 3'd1}:  arithmetic.value = {{24{a[7]}}, a[7:0]};
              {7'h30, 5'd5, 3'd1}:  arithmetic.value = {{16{a[15]}}, a[15:0]};
              {7'h14, 5'd7, 3'd5}:  arithmetic.value = {{8{|a[31:24]}}, {8{|a[23:16]}}, {8{|a[15:8]}}, {8{|a[7:0]}}};
              {7'h34, 5'd24, 3'd5}: arithmetic.value = {a[7:0], a[15:8], a[23:16], a[31:24]};
              default:              arithmetic.known = 1'b0;
            endcase
          end else begin
            case ({funct7, funct3})
              {7'h10, 3'd2}: arithmetic.value = (a << 1) + b;
              {7'h10, 3'd4}: arithmetic.value = (a << 2) + b;
              {7'h10, 3'd6}: arithmetic.value = (a << 3) + b;
              {7'h20, 3'd7}: arithmetic.value = a & ~b;
              {7'h20, 3'd6}: arithmetic.value = a | ~b;
              {7'h20, 3'd4}: arithmetic.value = ~(a ^ b);
              {7'h05, 3'd4}: arithmetic.value = ($signed(a) < $signed(b)) ? a : b;
              {7'h05, 3'd5}: arithmetic.value = (a < b) ? a : b;
              {7'h05, 3'd6}: arithmetic.value = ($signed(a) < $signed(b)) ? b : a;
              {7'h05, 3'd7}: arithmetic.value = (a < b) ? b : a;
              {7'h30, 3'd1}: arithmetic.value = (a << shift) | (a >> (6'd32 - {1'b0, shift}));
              {7'h04, 3'd4}: begin
                arithmetic.known = field == 5'd0;
                arithmetic.value = {16'b0, a[15:0]};
              end
              default: arithmetic.known = 1'b0;
            endcase
          end
        end
      endcase
    end
    // sub has no immediate form; it is an addition with a negative number.
  endfunction

  function automatic logic taken(logic [2:0] funct3, logic [31:0] a, logic [31:0] b);
    case (funct3)
      3'd0:    taken = a == b;
      3'd1:    taken = a != b;
      3'd4:    taken = $signed(a) < $signed(b);
      3'd5:    taken = $signed(a) >= $signed(b);
      3'd6:    taken = a < b;
      default: taken = a >= b;
    endcase
  endfunction

endpackage
