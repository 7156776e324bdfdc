// The code that a hart executes in debug mode, word by word.
//
//   0  entry      store PARKED
//   1  park       jump to itself; to 8 while go_i; to 5 while resume_i
//   2  exception  s0 back from scratch, if a transfer of a CSR failed
//   3             store EXCEPTION
//   4             ebreak: to entry
//   5  resume     store RESUMING
//   6             dret
//   8  transfer   four words between data0 and a register
//  12             store STARTED
//  13             ebreak, unless the program follows
//  14  program    progbuf0 and up
//  16             ebreak
//
// Timing: combinational; a word is made when req_i asks for it.
// Order:  harts fetch ahead. A word that depends on a state is reached only by a trap or a jump
//         that executes behind the store which changes that state, so that what was fetched before
//         it is never executed. Hence the ebreak in word 4: a jump may be predicted, and the park
//         word fetched while go_i still stands.
// CSRs:   travel through s0, which waits in a scratch register: in dscratch1 if the transfer is of
//         dscratch0, otherwise in dscratch0.

`default_nettype none

module nic_debug_code (
  input  wire logic                                           req_i,
  input  wire logic [4:0]                                     word_i,
  input  wire logic                                           go_i,
  input  wire logic                                           resume_i,
  input  wire nic_debug_pkg::transfer_t                       transfer_i,
  input  wire logic [nic_debug_pkg::PROGBUF_WORDS-1:0][31:0]  progbuf_i,
  output wire logic [31:0]                                    insn_o
);

  // A program is read as one: its instructions and places go by their bare names.
  import nic_debug_pkg::lw, nic_debug_pkg::sw, nic_debug_pkg::csrr, nic_debug_pkg::csrw, nic_debug_pkg::jump;
  import nic_debug_pkg::NOP, nic_debug_pkg::EBREAK, nic_debug_pkg::DRET, nic_debug_pkg::S0, nic_debug_pkg::DSCRATCH0, nic_debug_pkg::DSCRATCH1;
  import nic_debug_pkg::AT_DATA, nic_debug_pkg::AT_PARKED, nic_debug_pkg::AT_EXCEPTION, nic_debug_pkg::AT_RESUMING, nic_debug_pkg::AT_STARTED;
  import nic_debug_pkg::CODE_PARK, nic_debug_pkg::CODE_RESUME, nic_debug_pkg::CODE_TRANSFER;

  // ---- Transfer -------------------------------------------------------------------

  function automatic logic [31:0] transfer_word(input logic [1:0] word);
    logic [11:0] scratch;
    scratch = transfer_i.number == DSCRATCH0 ? DSCRATCH1 : DSCRATCH0;
    if (!transfer_i.transfer) return NOP;
    if (transfer_i.is_gpr)    return word != 2'd0 ? NOP : transfer_i.write ? lw(transfer_i.number[4:0], AT_DATA) : sw(transfer_i.number[4:0], AT_DATA);
    case (word)
      2'd0:    return csrw(scratch, S0);
      2'd1:    return transfer_i.write ? lw(S0, AT_DATA)    : csrr(S0, transfer_i.number);
      2'd2:    return transfer_i.write ? csrw(transfer_i.number, S0) : sw(S0, AT_DATA);
      default: return csrr(S0, scratch);
    endcase
  endfunction

  // ---- All words ------------------------------------------------------------------

  logic [31:0] insn;
  always_comb begin
    insn = EBREAK;
    if (req_i) begin
      case (word_i)
        5'd0:    insn = sw(5'd0, AT_PARKED);
        5'd1:    insn = go_i ? jump(CODE_TRANSFER - CODE_PARK) : resume_i ? jump(CODE_RESUME - CODE_PARK) : jump(5'd0);
        5'd2:    insn = (go_i && transfer_i.transfer && !transfer_i.is_gpr) ? transfer_word(2'd3) : NOP;
        5'd3:    insn = sw(5'd0, AT_EXCEPTION);
        5'd5:    insn = sw(5'd0, AT_RESUMING);
        5'd6:    insn = DRET;
        5'd8, 5'd9, 5'd10, 5'd11:
                 insn = transfer_word(word_i[1:0]);
        5'd12:   insn = sw(5'd0, AT_STARTED);
        5'd13:   insn = transfer_i.postexec ? NOP : EBREAK;
        5'd14, 5'd15:
                 insn = progbuf_i[word_i[0]];
        default: ;
      endcase
    end
  end
  assign insn_o = insn;

endmodule

`default_nettype wire
