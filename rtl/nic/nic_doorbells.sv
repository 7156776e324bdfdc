// The doorbells: one page of BAR 0 for each process, to which the process writes without the
// kernel.
//
// Pages:     a write by the host of at least one byte rings: the value is kept, bytes that were not
//            written are zero. Reads, and accesses of a core, do nothing.
// Registers: a slave of the register bus.
// Timing:    rings_o is high in the clock of the write; bit and value can be read from the next
//            clock on.
// Races:     a doorbell that rings while its bit is cleared stays pending.

`default_nettype none

module nic_doorbells (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  // Register bus
  input  wire logic              reg_sel_i,
  input  wire logic              page_sel_i,
  input  wire nic_pkg::reg_req_t reg_req_i,
  output wire logic [31:0]       reg_rdata_o,

  // To the events
  output wire logic              rings_o
);

  // Word offsets in the slot.
  localparam logic [7:2] Pending = nic_regs_pkg::DOORBELL_PENDING[7:2];
  localparam logic [7:2] Clear   = nic_regs_pkg::DOORBELL_CLEAR[7:2];

  logic [15:0] pending_q;
  logic [31:0] value_q [nic_regs_pkg::DOORBELL_VALUE_COUNT];
  logic [31:0] rdata_q;

  wire logic [3:0]  page        = reg_req_i.addr[15:12];
  wire logic        rings       = page_sel_i && reg_req_i.we && reg_req_i.from_host && reg_req_i.be != '0;
  wire logic        write_whole = reg_sel_i && reg_req_i.we && reg_req_i.be == 4'hF;
  wire logic [7:2]  word        = reg_req_i.addr[7:2];
  wire logic        in_values   = word[7:6] == nic_regs_pkg::DOORBELL_VALUE[7:6];
  wire logic [15:0] clear       = write_whole && word == Clear ? reg_req_i.wdata[15:0] : '0;
  wire logic [15:0] set         = rings ? 16'd1 << page : '0;

  assign rings_o     = rings;
  assign reg_rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
    rdata_q <= '0;
    if (!rst_ni) begin
      pending_q <= '0;
    end else if (reg_sel_i || page_sel_i) begin
      pending_q <= (pending_q & ~clear) | set;
      if (reg_sel_i && !reg_req_i.we) begin
        if (in_values)            rdata_q <= value_q[word[5:2]];
        else if (word == Pending) rdata_q <= {16'd0, pending_q};
      end
    end
    if (rings) value_q[page] <= nic_pkg::merge_bytes('0, reg_req_i.wdata, reg_req_i.be);
  end

  wire logic unused = &{1'b0, reg_req_i.addr[16], reg_req_i.addr[11:8], reg_req_i.addr[1:0]};

endmodule

`default_nettype wire
