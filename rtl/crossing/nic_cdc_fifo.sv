// A first-in first-out queue between two unrelated clocks, with Gray-coded pointers.
//
// Handshake:  valid/ready on both sides; out_data_o holds while out_valid_o waits for out_ready_i.
// Timing:     an entry is visible three clk_out_i edges after the clk_in_i edge that took it, at
//             most; no path from one side's inputs to the other side's outputs. out_data_o and both
//             levels are registers. A level counts all entries of its own side at once. It counts
//             those of the other side one clock later than out_valid_o, or two clocks later than
//             in_ready_o.
// Reset:      entries are lost. It clears what crosses at once, and all else at an edge. Both
//             resets must be low at the same time once, and may end in any order. A clock may stand
//             still meanwhile; then its domain sees two edges in reset.
// Constraint: rtl/crossing/crossings.toml, and nic_top.sdc that is made of it.

`default_nettype none

module nic_cdc_fifo #(
  parameter int unsigned WidthBits = 64,
  parameter int unsigned DepthLog2 = 3       // 2 to 10
) (
  input  wire logic                 clk_in_i,
  input  wire logic                 rst_in_ni,
  input  wire logic                 in_valid_i,
  output wire logic                 in_ready_o,
  input  wire logic [WidthBits-1:0] in_data_i,
  output wire logic [DepthLog2:0]   in_free_o,   // entries that surely fit; may lag, never too
                                                 // large

  input  wire logic                 clk_out_i,
  input  wire logic                 rst_out_ni,
  output wire logic                 out_valid_o,
  input  wire logic                 out_ready_i,
  output wire logic [WidthBits-1:0] out_data_o,
  output wire logic [DepthLog2:0]   out_used_o   // entries that surely wait; may lag, never too
                                                 // large
);

  localparam int unsigned Depth = 1 << DepthLog2;
  // one bit more than the index, to tell full from empty
  typedef logic [DepthLog2:0] pointer_t;

  if (DepthLog2 < 2 || DepthLog2 > 10) begin : gen_bad_depth
    $error("nic_cdc_fifo: DepthLog2 must be 2 to 10");
  end

  function automatic pointer_t to_gray(input pointer_t binary);
    return binary ^ (binary >> 1);
  endfunction

  // Each bit is the parity of the bits from it upwards: doubled shifts cost the logarithm of the
  // width.
  function automatic pointer_t to_binary(input pointer_t gray);
    pointer_t binary = gray;
    for (int unsigned shift = 1; shift <= DepthLog2; shift *= 2) binary ^= binary >> shift;
    return binary;
  endfunction

  logic [WidthBits-1:0] memory_q [Depth];

  // ---- Writing side -----------------------------------------------------------

  pointer_t write_q, write_gray_q;
  pointer_t write_cross_q;   // equals write_gray_q; for the other clock alone
  pointer_t read_gray_q, read_cross_q;
  wire pointer_t read_gray;

  nic_cdc_sync #(.WidthBits($bits(pointer_t))) u_read_sync (
    .clk_in_i (clk_out_i),
    .clk_i    (clk_in_i),
    .in_i     (read_cross_q),
    .out_o    (read_gray)
  );

  wire pointer_t write_next = write_q + pointer_t'(1);
  wire logic     put        = in_valid_i && in_ready_o;

  // In Gray code a pointer that is one lap ahead differs in its two upper bits.
  assign in_ready_o = write_gray_q != (read_gray ^ (pointer_t'(3) << (DepthLog2 - 1)));

  // Both differences are made before it is known whether something is put.
  pointer_t free_q;
  pointer_t write_end_q;    // the limit of writing: one lap ahead of reading
  assign in_free_o = free_q;

  always_ff @(posedge clk_in_i or negedge rst_in_ni) begin
    if (!rst_in_ni) write_cross_q <= '0;
    else if (put)   write_cross_q <= to_gray(write_next);
  end

  always_ff @(posedge clk_in_i) begin
    if (!rst_in_ni) begin
      write_q      <= '0;
      write_gray_q <= '0;
      free_q       <= pointer_t'(Depth);
      write_end_q  <= pointer_t'(Depth);
    end else begin
      free_q      <= put ? write_end_q - write_next : write_end_q - write_q;
      write_end_q <= to_binary(read_gray) ^ pointer_t'(Depth);
      if (put) begin
        write_q      <= write_next;
        write_gray_q <= to_gray(write_next);
      end
    end
    if (put) memory_q[write_q[DepthLog2-1:0]] <= in_data_i;
  end

  // ---- Reading side -----------------------------------------------------------

  pointer_t read_q;
  pointer_t used_q;
  wire pointer_t write_gray;

  nic_cdc_sync #(.WidthBits($bits(pointer_t))) u_write_sync (
    .clk_in_i,
    .clk_i  (clk_out_i),
    .in_i   (write_cross_q),
    .out_o  (write_gray)
  );

  logic [WidthBits-1:0] out_data_q;

  wire logic     take      = out_valid_o && out_ready_i;
  wire pointer_t read_next = read_q + pointer_t'(1);

  assign out_used_o  = used_q;
  assign out_valid_o = write_gray != read_gray_q;
  assign out_data_o  = out_data_q;

  always_ff @(posedge clk_out_i or negedge rst_out_ni) begin
    if (!rst_out_ni) read_cross_q <= '0;
    else if (take)   read_cross_q <= to_gray(read_next);
  end

  always_ff @(posedge clk_out_i) begin
    if (!rst_out_ni) begin
      read_q       <= '0;
      read_gray_q  <= '0;
      used_q       <= '0;
    end else begin
      used_q <= take ? to_binary(write_gray) - read_next : to_binary(write_gray) - read_q;
      if (take) begin
        read_q      <= read_next;
        read_gray_q <= to_gray(read_next);
      end
    end
    // An entry is in the memory a clock before its pointer has come through both registers, so what
    // is read when it becomes visible holds still; an entry that is read too early is ignored, and
    // read again. Behind a register, the logic of the reading side hangs on its own clock alone.
    // The address does not wait for out_ready_i.
    if (out_ready_i || !out_valid_o) begin
      out_data_q <= memory_q[out_valid_o ? read_next[DepthLog2-1:0] : read_q[DepthLog2-1:0]];
    end
  end

  // ---- Assertions ---------------------------------------------------------------

  always_ff @(posedge clk_in_i) begin
    if (rst_in_ni && put) NeverOverfilled: assert (write_q - to_binary(read_gray) < pointer_t'(Depth));
  end
  always_ff @(posedge clk_out_i) begin
    if (rst_out_ni && take) NeverOverdrawn: assert (to_binary(write_gray) - read_q <= pointer_t'(Depth));
  end

endmodule

`default_nettype wire
