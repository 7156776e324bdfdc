// A short first-in first-out queue of 64-bit words in one clock domain.
//
// Handshake:  put_i only with free_o not zero; valid/ready at the output.
// Timing:     a word is visible in the clock after put_i.

`default_nettype none

module nic_word_queue #(
  parameter int unsigned DepthLog2 = 2
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,

  input  wire logic               put_i,
  input  wire logic [63:0]        data_i,
  output wire logic [DepthLog2:0] free_o,

  output wire logic               valid_o,
  input  wire logic               ready_i,
  output wire logic [63:0]        data_o
);

  localparam int unsigned Depth = 1 << DepthLog2;
  typedef logic [DepthLog2:0] pointer_t;   // one bit more than the index, to tell full from empty

  logic [63:0] memory_q [Depth];
  pointer_t    write_q, read_q;

  assign free_o  = pointer_t'(Depth) - (write_q - read_q);
  assign valid_o = write_q != read_q;
  assign data_o  = memory_q[read_q[DepthLog2-1:0]];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (put_i)              write_q <= write_q + pointer_t'(1);
      if (valid_o && ready_i) read_q  <= read_q + pointer_t'(1);
    end
    if (put_i) memory_q[write_q[DepthLog2-1:0]] <= data_i;
  end

  // ---- Assertions ---------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && put_i) NeverOverfilled: assert (free_o != '0);
  end

endmodule

`default_nettype wire
