// Integer arithmetic of one clock, and the comparison of branches.
//
// Timing: combinational. Targets of branches and addresses of data have adders of their own
//         elsewhere; counting, min, max and multiplying take a clock more (nic_core_bit_count,
//         nic_core_multiply).

`default_nettype none

module nic_core_alu (
  input  wire nic_core_pkg::alu_t op_i,
  input  wire logic               unsigned_i,    // how the two are compared
  input  wire logic [31:0]        a_i,
  input  wire logic [31:0]        b_i,
  output wire logic [31:0]        result_o,
  output wire logic               equal_o,
  output wire logic               below_o
);

  // ---- Comparison -----------------------------------------------------------------

  // Signed numbers compare like unsigned numbers once their sign bits are inverted.
  wire logic [31:0] flip  = {!unsigned_i, 31'b0};
  wire logic        below = (a_i ^ flip) < (b_i ^ flip);

  assign equal_o = a_i == b_i;
  assign below_o = below;

  // ---- Sums -----------------------------------------------------------------------

  logic [31:0] addend;
  always_comb begin
    case (op_i.shift_a)
      2'd1:    addend = {a_i[30:0], 1'b0};
      2'd2:    addend = {a_i[29:0], 2'b0};
      2'd3:    addend = {a_i[28:0], 3'b0};
      default: addend = a_i;
    endcase
  end

  wire logic [31:0] sum = addend + (b_i ^ {32{op_i.subtracts}}) + {31'b0, op_i.subtracts};

  // ---- Shifts: a window of 32 bits in 63, moved to the right ------------------------

  // A shift to the left by n is a shift to the right by 31 - n from one place further up.
  wire logic        fill    = op_i.arithmetic && a_i[31];
  wire logic [30:0] beside  = op_i.rotates ? (op_i.left ? a_i[31:1] : a_i[30:0]) : {31{fill}};
  wire logic [62:0] window  = op_i.left ? {a_i, beside} : {beside, a_i};
  wire logic [62:0] moved   = window >> (b_i[4:0] ^ {5{op_i.left}});
  wire logic [31:0] shifted = moved[31:0];

  // ---- Logic ------------------------------------------------------------------------

  wire logic [31:0] mask    = 32'd1 << b_i[4:0];
  wire logic [31:0] b       = (op_i.use_mask ? mask : b_i) ^ {32{op_i.inverts_b}};
  wire logic [31:0] logical = op_i.is_xor ? a_i ^ b : op_i.is_or ? a_i | b : a_i & b;

  // ---- Bytes ------------------------------------------------------------------------

  wire logic [31:0] orc_b = {{8{|a_i[31:24]}}, {8{|a_i[23:16]}}, {8{|a_i[15:8]}}, {8{|a_i[7:0]}}};
  wire logic [31:0] rev8  = {a_i[7:0], a_i[15:8], a_i[23:16], a_i[31:24]};
  wire logic [31:0] bytes = ({32{op_i.sext_b}} & {{24{a_i[7]}}, a_i[7:0]}) |
                            ({32{op_i.sext_h}} & {{16{a_i[15]}}, a_i[15:0]}) |
                            ({32{op_i.zext_h}} & {16'b0, a_i[15:0]}) |
                            ({32{op_i.orc_b}}  & orc_b) |
                            ({32{op_i.rev8}}   & rev8);

  // ---- Result ---------------------------------------------------------------------

  assign result_o = ({32{op_i.sum}}     & sum) |
                    ({32{op_i.shift}}   & shifted) |
                    ({32{op_i.logical}} & logical) |
                    {31'b0, (op_i.bext && shifted[0]) || (op_i.less && below)} |
                    bytes;

  // extreme and wants_max are for nic_core_bit_count
  wire logic unused = &{1'b0, moved[62:32], op_i};

endmodule

`default_nettype wire
