// Last stage: writes results to the registers, and lends them to the instruction behind.
//
// Timing: leave_i with its group in clock n; in n+1 the result is on forward_* and is written. The result of a load is
//         written in the clock of its answer and is not forwarded: an instruction that needs it waits one clock more,
//         which keeps data_rdata_i off every path but this one.

`default_nettype none

module nic_core_writeback (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // From the execute stage
  input  wire logic        leave_i,
  input  wire logic        is_access_i,     // load or store: its result is the address, kept for faults
  input  wire logic        writes_rd_i,
  input  wire logic [4:0]  rd_i,
  input  wire logic [31:0] result_i,
  input  wire logic [31:1] pc_i,

  // The load that is pending (nic_core_load_store)
  input  wire logic        load_valid_i,
  input  wire logic [31:0] load_data_i,

  // To the execute stage
  output wire logic        settled_o,       // an instruction other than an access retires in this clock
  output wire logic        forward_valid_o, // result_o is the newest value of register rd_o
  output wire logic        writes_rd_o,     // the instruction in this stage, or the access that is pending, writes rd_o
  output wire logic [4:0]  rd_o,
  output wire logic [31:0] result_o,
  output wire logic [31:1] pc_o,

  // To the registers
  output wire logic        register_we_o,
  output wire logic [4:0]  register_rd_o,
  output wire logic [31:0] register_data_o
);

  logic        settled_q;        // an instruction is here that is no access: it retires now
  logic        writes_rd_q;
  logic [4:0]  rd_q;
  logic [31:0] result_q;
  logic [31:1] pc_q;

  assign settled_o       = settled_q;
  assign forward_valid_o = settled_q && writes_rd_q;
  assign writes_rd_o     = writes_rd_q;
  assign rd_o            = rd_q;
  assign result_o        = result_q;
  assign pc_o            = pc_q;

  assign register_we_o   = writes_rd_q && (settled_q || load_valid_i);
  assign register_rd_o   = rd_q;
  assign register_data_o = load_valid_i ? load_data_i : result_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) settled_q <= 1'b0;
    else         settled_q <= leave_i && !is_access_i;

    if (leave_i) begin
      writes_rd_q <= writes_rd_i;
      rd_q        <= rd_i;
      result_q    <= result_i;
      pc_q        <= pc_i;
    end
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) OneResultAtATime: assert (!(settled_q && load_valid_i));
  end

endmodule

`default_nettype wire
