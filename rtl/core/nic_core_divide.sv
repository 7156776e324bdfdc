// div, divu, rem, remu: restoring division, one bit of the quotient each clock.
//
// Handshake: start_i in the first clock with operands; 33 clocks later done_o and result_o hold
// until taken_i.
// Timing:    the same number of clocks for all operands.
// Rule:      division by zero gives quotient -1 and remainder a; the most negative number by -1
//            gives itself and remainder 0. Both follow from the algorithm: every bit of the
//            quotient is 1 for a divisor of zero, and only the sign of the quotient is a special
//            case.

`default_nettype none

module nic_core_divide (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  input  wire logic        start_i,
  input  wire logic [1:0]  funct3_i,      // 0 div, 1 divu, 2 rem, 3 remu; stable until taken
  input  wire logic [31:0] a_i,
  input  wire logic [31:0] b_i,

  output wire logic        done_o,
  output wire logic [31:0] result_o,
  input  wire logic        taken_i
);

  wire logic is_signed    = !funct3_i[0];
  wire logic wants_rest   = funct3_i[1];
  wire logic a_is_negative = is_signed && a_i[31];
  wire logic b_is_negative = is_signed && b_i[31];

  logic [5:0]  left_q;       // clocks to go; 0: idle
  logic        done_q;
  logic        negate_q;     // the sign of the result
  logic [31:0] divisor_q;
  logic [31:0] rest_q;
  logic [31:0] quotient_q;   // holds what is left of the dividend in its upper bits

  // One step: bring down a bit, subtract the divisor if it fits.
  wire logic [32:0] shifted    = {rest_q, quotient_q[31]};
  wire logic [32:0] difference = shifted - {1'b0, divisor_q};
  wire logic        fits       = !difference[32];

  wire logic [31:0] magnitude = wants_rest ? rest_q : quotient_q;

  assign done_o   = done_q;
  assign result_o = negate_q ? -magnitude : magnitude;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q <= 6'd0;
      done_q <= 1'b0;
    end else begin
      if (start_i)              left_q <= 6'd32;
      else if (left_q != 6'd0)  left_q <= left_q - 6'd1;

      if (left_q == 6'd1) done_q <= 1'b1;
      else if (taken_i)   done_q <= 1'b0;
    end

    if (start_i) begin
      negate_q   <= wants_rest ? a_is_negative : (a_is_negative != b_is_negative) && b_i != 32'd0;
      divisor_q  <= b_is_negative ? -b_i : b_i;
      quotient_q <= a_is_negative ? -a_i : a_i;
      rest_q     <= 32'd0;
    end else if (left_q != 6'd0) begin
      rest_q     <= fits ? difference[31:0] : shifted[31:0];
      quotient_q <= {quotient_q[30:0], fits};
    end
  end

endmodule

`default_nettype wire
