// A design in which each rule of crossings.py is kept once and broken once.

module a_reset (input wire clk_i, input wire pad_ni, output wire rst_no);
  (* ASYNC_REG = "TRUE" *) reg meta_q;
  reg rst_q;
  assign rst_no = rst_q;
  always_ff @(posedge clk_i or negedge pad_ni) begin
    if (!pad_ni) {rst_q, meta_q} <= '0;
    else         {rst_q, meta_q} <= {meta_q, 1'b1};
  end
endmodule

module a_sync #(parameter int WidthBits = 1) (
  input wire clk_i, input wire rst_ni, input wire [WidthBits-1:0] in_i, output wire [WidthBits-1:0] out_o
);
  (* ASYNC_REG = "TRUE" *) reg [WidthBits-1:0] meta_q;
  reg [WidthBits-1:0] out_q;
  assign out_o = out_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {out_q, meta_q} <= '0;
    else         {out_q, meta_q} <= {meta_q, in_i};
  end
endmodule

// A sound crossing: a level, and a register that holds its source until it is taken.
module sound (
  input wire clk_a_i, input wire rst_a_ni, input wire clk_b_i, input wire rst_b_ni, input wire a_i, input wire [3:0] data_i, output reg [3:0] b_q
);
  reg level_q;
  reg [3:0] held_q;
  wire level;
  always_ff @(posedge clk_a_i) begin
    level_q <= a_i;
    if (a_i) held_q <= data_i;
  end
  a_sync u_level (.clk_i (clk_b_i), .rst_ni (rst_b_ni), .in_i (level_q), .out_o (level));
  always_ff @(posedge clk_b_i) if (level) b_q <= held_q;
endmodule

module broken (
  input wire clk_a_i, input wire clk_b_i, input wire clk_stray_i, input wire pad_ni,
  input wire a_i, input wire [3:0] a_data_i, output wire [3:0] b_sound_o, output reg [11:0] b_o, output reg a_other_o
);
  wire rst_a_n, rst_b_n;
  a_reset u_reset_a (.clk_i (clk_a_i), .pad_ni (pad_ni), .rst_no (rst_a_n));
  a_reset u_reset_b (.clk_i (clk_b_i), .pad_ni (pad_ni), .rst_no (rst_b_n));
  sound u_sound (.clk_a_i, .rst_a_ni (rst_a_n), .clk_b_i, .rst_b_ni (rst_b_n), .a_i, .data_i (a_data_i), .b_q (b_sound_o));

  reg first_q, second_q;
  reg [1:0] wide_q;
  always_ff @(posedge clk_a_i) begin
    first_q  <= a_i;
    second_q <= first_q;
    wide_q   <= wide_q + 2'(a_i);
  end

  wire       through_logic;
  wire [1:0] wide;
  a_sync              u_logic (.clk_i (clk_b_i), .rst_ni (rst_b_n), .in_i (first_q & second_q), .out_o (through_logic));
  a_sync #(.WidthBits(2)) u_wide (.clk_i (clk_b_i), .rst_ni (rst_b_n), .in_i (wide_q), .out_o (wide));

  // Without a synchroniser, behind logic; a port and a clock as signals; the pad as one.
  reg bare_q, port_q, level_q, pad_q;
  always_ff @(posedge clk_b_i) begin
    bare_q  <= first_q ^ b_o[0];
    port_q  <= a_i;
    level_q <= clk_a_i;
    pad_q   <= pad_ni;
  end

  // Cleared by the pad, by the reset of the other clock, and by logic.
  reg by_pad_q, by_other_q, by_logic_q;
  always_ff @(posedge clk_b_i or negedge pad_ni)  if (!pad_ni)  by_pad_q   <= 1'b0; else by_pad_q   <= 1'b1;
  always_ff @(posedge clk_b_i or negedge rst_a_n) if (!rst_a_n) by_other_q <= 1'b0; else by_other_q <= 1'b1;
  wire logic_n = rst_b_n & bare_q;
  always_ff @(posedge clk_b_i or negedge logic_n) if (!logic_n) by_logic_q <= 1'b0; else by_logic_q <= 1'b1;

  // Clocked by no clock of the list, and by a clock that logic makes.
  reg stray_q, made_q;
  always_ff @(posedge clk_stray_i) stray_q <= ~stray_q;
  wire made = clk_b_i & bare_q;
  always_ff @(posedge made) made_q <= ~made_q;

  // A memory that one clock writes and the other reads.
  reg [3:0] memory_q [8];
  always_ff @(posedge clk_a_i) if (a_i) memory_q[a_data_i[2:0]] <= a_data_i;
  reg [3:0] read_q;
  always_ff @(posedge clk_b_i) read_q <= memory_q[{1'b0, wide}];

  always_ff @(posedge clk_b_i) b_o <= {through_logic, wide, bare_q, port_q, level_q, pad_q, by_pad_q, by_other_q, by_logic_q, ^read_q, stray_q ^ made_q};
  assign a_other_o = by_pad_q;
endmodule
