// Says and does whatever its input asks for.

`default_nettype none

module talker (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic [2:0] do_i,
  output wire logic [7:0] count_o,
  output wire logic       verbose_o
);

  localparam logic [2:0] ASSERT  = 3'd1;
  localparam logic [2:0] ERROR   = 3'd2;
  localparam logic [2:0] FATAL   = 3'd3;
  localparam logic [2:0] STOP    = 3'd4;
  localparam logic [2:0] FINISH  = 3'd5;
  localparam logic [2:0] DISPLAY = 3'd6;
  localparam logic [2:0] WARNING = 3'd7;

  logic [7:0] count_q;
  logic       verbose;

  assign count_o   = count_q;
  assign verbose_o = verbose;

  initial verbose = $test$plusargs("verbose") != 0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else         count_q <= count_q + 8'd1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) AskedNotToFail: assert (do_i != ASSERT);
    if (rst_ni) begin
      case (do_i)
        ERROR:   $error("an error of %0d", count_q);
        FATAL:   $fatal(1, "fatal at %0d", count_q);
        STOP:    $stop;
        FINISH:  $finish;
        DISPLAY: $display("count is %0d at %0t", count_q, $time);
        WARNING: $warning("only a warning");
        default: ;
      endcase
    end
  end

endmodule

`default_nettype wire
