// Four one-shot timers on the core's cycle counter.
//
// Registers: a slave of the register bus, 128 bytes.
// Timing:    an armed timer pulses fires_o in the first clock in which COUNT - COMPARE is not
//            negative as a signed number, and disarms. COMPARE may be up to 2^31 - 1 clocks ahead;
//            the counter wraps.
// Races:     a timer that is armed in the clock in which it fires stays armed; arming wins over
//            disarming.

`default_nettype none

module nic_timers (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  // Register bus
  input  wire logic              reg_sel_i,
  input  wire nic_pkg::reg_req_t reg_req_i,
  output wire logic [31:0]       reg_rdata_o,

  // Time
  input  wire logic [31:0]       cycles_i,

  // To the events
  output wire logic [3:0]        fires_o
);

  localparam int unsigned Timers = nic_regs_pkg::TIMER_COMPARE_COUNT;

  // Word offsets in the slot.
  localparam logic [6:2] Count  = nic_regs_pkg::TIMER_COUNT[6:2];
  localparam logic [6:2] Arm    = nic_regs_pkg::TIMER_ARM[6:2];
  localparam logic [6:2] Disarm = nic_regs_pkg::TIMER_DISARM[6:2];

  logic [3:0]  armed_q;
  logic [31:0] compare_q [Timers];
  logic [31:0] rdata_q;

  wire logic       write_whole   = reg_sel_i && reg_req_i.we && reg_req_i.be == 4'hF;
  wire logic [6:2] word          = reg_req_i.addr[6:2];
  wire logic       in_compare    = word[6:4] == nic_regs_pkg::TIMER_COMPARE[6:4];
  wire logic       write_compare = write_whole && in_compare;
  wire logic [3:0] arm           = write_compare ? 4'd1 << word[3:2] :
                                   write_whole && word == Arm ? reg_req_i.wdata[3:0] : '0;
  wire logic [3:0] disarm        = write_whole && word == Disarm ? reg_req_i.wdata[3:0] : '0;

  logic [3:0] fires;
  always_comb begin
    fires = '0;
    if (armed_q != '0) begin
      for (int i = 0; i < int'(Timers); i++) fires[i] = armed_q[i] && signed'(cycles_i - compare_q[i]) >= 0;
    end
  end

  assign fires_o     = fires;
  assign reg_rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
    rdata_q <= '0;
    if (!rst_ni) begin
      armed_q <= '0;
      for (int i = 0; i < int'(Timers); i++) compare_q[i] <= nic_regs_pkg::TIMER_COMPARE_RESET;
    end else begin
      if (reg_sel_i || fires != '0) armed_q <= (armed_q & ~fires & ~disarm) | arm;
      if (reg_sel_i) begin
        if (write_compare) compare_q[word[3:2]] <= reg_req_i.wdata;
        if (!reg_req_i.we) begin
          if (in_compare)         rdata_q <= compare_q[word[3:2]];
          else if (word == Count) rdata_q <= cycles_i;
          else if (word == Arm)   rdata_q <= {28'd0, armed_q};
        end
      end
    end
  end

  wire logic unused = &{1'b0, reg_req_i.addr[16:7], reg_req_i.addr[1:0], reg_req_i.from_host};

endmodule

`default_nettype wire
