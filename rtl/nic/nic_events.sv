// The events of one core: pending, enabled, and the number of the next one to serve
// (docs/events.md).
//
// Registers: a slave of the register bus.
// Timing:    a pulse on set_i is pending, and on irq_o, in the next clock; next_valid_o and next_o
//            show it one clock later.
// Races:     an event that is set and cleared in the same clock stays pending: no wake-up is lost.

`default_nettype none

module nic_events (
  input  wire logic                       clk_i,
  input  wire logic                       clk_core_i,       // the same, but may stop while the core
                                                            // sleeps and soon_o is low
  input  wire logic                       rst_ni,

  // Register bus
  input  wire logic                       reg_sel_i,
  input  wire nic_pkg::reg_req_t          reg_req_i,
  output wire logic [31:0]                reg_rdata_o,

  // From the hardware: high for one clock sets the event
  input  wire logic [nic_pkg::EVENTS-1:0] set_i,

  // To the core: high while an enabled event is pending, and the lowest such event, from registers
  output wire logic                       irq_o,
  output wire logic                       next_valid_o,
  output wire logic [4:0]                 next_o,
  output wire logic                       soon_o            // the last two may change with the next
                                                            // edge
);

  // Word offsets in the slot.
  localparam logic [7:2] Pending = nic_regs_pkg::EVENT_A_PENDING[7:2];
  localparam logic [7:2] Clear   = nic_regs_pkg::EVENT_A_CLEAR[7:2];
  localparam logic [7:2] Set     = nic_regs_pkg::EVENT_A_SET[7:2];
  localparam logic [7:2] Enable  = nic_regs_pkg::EVENT_A_ENABLE[7:2];
  localparam logic [7:2] Next    = nic_regs_pkg::EVENT_A_NEXT[7:2];

  logic [31:0] pending_q, enable_q, rdata_q;

  wire logic        write_whole = reg_sel_i && reg_req_i.we && reg_req_i.be == 4'hF;
  wire logic [7:2]  word        = reg_req_i.addr[7:2];
  wire logic [31:0] clear       = write_whole && word == Clear ? reg_req_i.wdata : '0;
  wire logic [31:0] set         = write_whole && word == Set   ? reg_req_i.wdata : '0;

  wire logic [31:0] active = pending_q & enable_q;

  assign irq_o       = active != '0;
  assign reg_rdata_o = rdata_q;

  // Four times the number of the lowest bit that is set, 128 when none is.
  function automatic logic [31:0] next_offset(input logic [31:0] bits);
    logic [31:0] lowest;
    lowest = bits & (~bits + 32'd1);
    return {
      24'd0,
      bits == '0,
      (lowest & 32'hFFFF_0000) != '0,
      (lowest & 32'hFF00_FF00) != '0,
      (lowest & 32'hF0F0_F0F0) != '0,
      (lowest & 32'hCCCC_CCCC) != '0,
      (lowest & 32'hAAAA_AAAA) != '0,
      2'd0
    };
  endfunction

  wire logic [31:0] offset = next_offset(active);

  // Pending events change in the clock after a cause, and then the next event is searched.
  logic       look_q;
  logic       next_valid_q;
  logic [4:0] next_q;

  assign next_valid_o = next_valid_q;
  assign next_o       = next_q;

  assign soon_o       = look_q;

  always_ff @(posedge clk_i) look_q <= !rst_ni || reg_sel_i || set_i != '0;

  // The core reads these in a clock of its own only.
  always_ff @(posedge clk_core_i) begin
    if (look_q) begin
      next_valid_q <= !offset[7];
      next_q       <= offset[6:2];
    end
  end

  always_ff @(posedge clk_i) begin
    rdata_q <= '0;
    if (!rst_ni) begin
      pending_q <= '0;
      enable_q  <= nic_regs_pkg::EVENT_A_ENABLE_RESET;
    end else begin
      if (reg_sel_i || set_i != '0) pending_q <= (pending_q & ~clear) | set | set_i;
      if (reg_sel_i) begin
        if (write_whole && word == Enable) enable_q <= reg_req_i.wdata;
        if (!reg_req_i.we) begin
          case (word)
            Pending: rdata_q <= pending_q;
            Enable:  rdata_q <= enable_q;
            Next:    rdata_q <= offset;
            default: ;
          endcase
        end
      end
    end
  end

  wire logic unused = &{1'b0, reg_req_i.addr[16:8], reg_req_i.addr[1:0], reg_req_i.from_host};

endmodule

`default_nettype wire
