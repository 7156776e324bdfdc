// The data port: one access at a time, from address to extended result.
//
// Handshake: OBI. access_i with its group starts an access and holds until data_gnt_i. From the
//            next clock on the access is pending until its answer; the next access may start in the
//            clock of the answer. So no access is requested before every older one is known to be
//            good, and faults are precise.
// Timing:    one access each clock with a memory that grants at once and answers in the next.
//            data_rvalid_i and data_err_i reach data_req_o in the same clock (through error_o,
//            free_o and the caller's access_i): memories should give both from registers.
//            data_rdata_i goes only to load_data_o, through two choices; data_slow_rdata_i passes a
//            third choice before them, and data_slow_i should come early.
// Faults:    error_o is high in the clock of a bad answer, fault_o in the clock after it.

`default_nettype none

module nic_core_load_store (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // Data port
  output wire logic        data_req_o,
  input  wire logic        data_gnt_i,
  output wire logic [31:0] data_addr_o,
  output wire logic        data_we_o,
  output wire logic [3:0]  data_be_o,
  output wire logic [31:0] data_wdata_o,
  input  wire logic        data_rvalid_i,
  input  wire logic [31:0] data_rdata_i,
  input  wire logic        data_slow_i,     // ... is on this instead:
  input  wire logic [31:0] data_slow_rdata_i,
  input  wire logic        data_err_i,

  // From the execute stage
  input  wire logic        access_i,
  input  wire logic        store_i,
  input  wire logic [2:0]  funct3_i,        // [1:0] 0 byte, 1 halfword, 2 word; [2] load
                                            // zero-extended
  input  wire logic [31:0] addr_i,
  input  wire logic [31:0] wdata_i,
  output wire logic        misaligned_o,    // combinational from address and size; such an access
                                            // must not start

  // The access that is pending
  output wire logic        pending_o,
  output wire logic        free_o,          // none is pending, or it is answered in this clock
  output wire logic        good_o,          // it is answered in this clock, without error
  output wire logic        error_o,         // it is answered in this clock, with an error
  output wire logic        fault_o,         // it was answered with an error in the clock before
  output wire logic        fault_store_o,   // ... and was a store
  output wire logic        load_valid_o,    // load_data_o holds its result in this clock
  output wire logic [31:0] load_data_o      // else zero
);

  // ---- Request --------------------------------------------------------------------

  wire logic [1:0] lane = addr_i[1:0];

  // The register is copied into all lanes, so that the byte enables alone select.
  logic [3:0]  be;
  logic [31:0] wdata;
  always_comb begin
    case (funct3_i[1:0])
      2'd0: begin
        be    = 4'b0001 << lane;
        wdata = {4{wdata_i[7:0]}};
      end
      2'd1: begin
        be    = lane[1] ? 4'b1100 : 4'b0011;
        wdata = {2{wdata_i[15:0]}};
      end
      default: begin
        be    = 4'b1111;
        wdata = wdata_i;
      end
    endcase
  end

  assign misaligned_o = (funct3_i[0] && lane[0]) || (funct3_i[1] && lane != 2'd0);

  assign data_req_o   = access_i;
  assign data_addr_o  = {addr_i[31:2], 2'b00};
  assign data_we_o    = store_i;
  assign data_be_o    = be;
  assign data_wdata_o = wdata;

  wire logic granted = access_i && data_gnt_i;

  // ---- Answer ---------------------------------------------------------------------

  logic       pending_d, pending_q;
  logic       fault_q;
  logic       store_q;
  logic [2:0] funct3_q;
  logic [1:0] lane_q;

  wire logic answered = pending_q && data_rvalid_i;
  wire logic [31:0] fast_data, slow_data;

  assign pending_d = granted || (pending_q && !data_rvalid_i);

  assign pending_o      = pending_q;
  assign good_o         = answered && !data_err_i;
  assign free_o         = !pending_q || data_rvalid_i;
  assign error_o        = answered && data_err_i;
  assign fault_o        = fault_q;
  assign fault_store_o  = store_q;
  assign load_valid_o   = answered && !store_q && !data_err_i;

  nic_core_load_align u_align (
    .is_load_i  (pending_q && !store_q && !data_slow_i),
    .funct3_i   (funct3_q),
    .lane_i     (lane_q),
    .word_i     (data_rdata_i),
    .data_o     (fast_data)
  );

  nic_core_load_align u_slow_align (
    .is_load_i  (pending_q && !store_q && data_slow_i),
    .funct3_i   (funct3_q),
    .lane_i     (lane_q),
    .word_i     (data_slow_rdata_i),
    .data_o     (slow_data)
  );

  assign load_data_o = fast_data | slow_data;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= 1'b0;
      fault_q   <= 1'b0;
    end else begin
      pending_q <= pending_d;
      fault_q   <= error_o;
    end
    if (granted) begin
      store_q  <= store_i;
      funct3_q <= funct3_i;
      lane_q   <= lane;
    end
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      OneAccessAtATime:    assert (!access_i || (free_o && !error_o && !fault_q));
      NeverMisaligned:     assert (!access_i || !misaligned_o);
    end
  end

endmodule

`default_nettype wire
