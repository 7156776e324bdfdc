// Last stage: writes results to the registers, and forwards them to younger instructions.
//
// Timing: leave_i with its group in clock n. In n+1 the result is on result_o; a late result (load,
//         multiply, count) comes in the clock of written_o, n+1 or later. In the clock behind
//         written_o it is on last_o and is written to the registers. So the memory is on only one
//         path, which ends in a register here.

`default_nettype none

module nic_core_writeback (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // From the execute stage
  input  wire logic        leave_i,
  input  wire logic        is_access_i,     // load or store: its result is the address, kept for
                                            // faults
  input  wire logic        is_multiply_i,
  input  wire logic        is_count_i,
  input  wire logic        writes_rd_i,
  input  wire logic [4:0]  rd_i,
  input  wire logic [31:0] result_i,
  input  wire logic [31:1] pc_i,

  // Late results
  input  wire logic        access_pending_i,
  input  wire logic        load_valid_i,
  input  wire logic [31:0] load_data_i,
  input  wire logic [31:0] multiply_result_i,
  input  wire logic [31:0] count_result_i,

  // To the execute stage
  output wire logic        settled_o,       // an instruction other than an access retires in this
                                            // clock
  output wire logic        writes_rd_o,     // an instruction is here that writes rd_o
  output wire logic        late_o,          // ... and its result is late
  output wire logic        written_o,       // ... and known after this clock
  output wire logic [4:0]  rd_o,
  output wire logic [31:0] result_o,
  output wire logic [31:0] final_o,         // with written_o, for RVFI
  output wire logic [31:1] pc_o,

  // To the registers: the result that was known in the previous clock
  output wire logic        register_we_o,
  output wire logic [4:0]  register_rd_o,
  output wire logic [31:0] register_data_o
);

  logic        settled_q;        // an instruction other than an access is here: it retires now
  logic        is_access_q, is_multiply_q, is_count_q;
  logic        writes_rd_q;
  logic [4:0]  rd_q;
  logic [31:0] result_q;
  logic        last_we_q;
  logic [4:0]  last_rd_q;
  logic [31:0] last_q;
  logic [31:1] pc_q;

  wire logic is_late = is_access_q || is_multiply_q || is_count_q;

  assign settled_o       = settled_q;
  assign writes_rd_o     = writes_rd_q && (settled_q || access_pending_i);
  assign late_o          = is_late;
  assign rd_o            = rd_q;
  assign result_o        = result_q;
  assign pc_o            = pc_q;

  assign written_o       = writes_rd_q && (settled_q || load_valid_i);

  // Loads come last; they are zero for every other instruction.
  wire logic [31:0] other = is_access_q ? 32'd0 : is_multiply_q ? multiply_result_i : is_count_q ? count_result_i : result_q;
  assign final_o         = load_data_i | other;

  assign register_we_o   = last_we_q;
  assign register_rd_o   = last_rd_q;
  assign register_data_o = last_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      settled_q <= 1'b0;
      last_we_q <= 1'b0;
    end else begin
      settled_q <= leave_i && !is_access_i;
      last_we_q <= written_o;
    end

    if (leave_i) begin
      is_access_q   <= is_access_i;
      is_multiply_q <= is_multiply_i;
      is_count_q    <= is_count_i;
      writes_rd_q   <= writes_rd_i;
      rd_q          <= rd_i;
      result_q      <= result_i;
      pc_q          <= pc_i;
    end
    if (written_o) begin
      last_rd_q <= rd_q;
      // final_o: here it is evaluated only when there is something
      last_q    <= load_data_i | other;
    end
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) OneResultAtATime: assert (!(settled_q && load_valid_i));
  end

endmodule

`default_nettype wire
