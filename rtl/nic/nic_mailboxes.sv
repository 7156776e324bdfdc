// Sixteen words between host and core, eight in each direction. Writing one tells the other side.
//
// Registers: a slave of the register bus; mailboxes take any bytes, the others keep their value. A
//            write without a byte does nothing.
// Signals:   a write by the host to TO_NIC_n sets PENDING.n and raises to_nic_o; a write by a core
//            to TO_HOST_n raises to_host_o[n]. Both are high in the clock of the write; the value
//            can be read from the next clock on.
// Races:     a mailbox that is written while its bit is cleared stays pending.

`default_nettype none

module nic_mailboxes (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  // Register bus
  input  wire logic              reg_sel_i,
  input  wire nic_pkg::reg_req_t reg_req_i,
  output wire logic [31:0]       reg_rdata_o,

  // To the events
  output wire logic              to_nic_o,

  // To the interrupt
  output wire logic [7:0]        to_host_o
);

  // Word offsets in the slot.
  localparam logic [7:2] Pending = nic_regs_pkg::MAILBOX_PENDING[7:2];
  localparam logic [7:2] Clear   = nic_regs_pkg::MAILBOX_CLEAR[7:2];

  logic [7:0]  pending_q;
  // TO_NIC, then TO_HOST
  logic [31:0] value_q [nic_regs_pkg::MAILBOX_TO_NIC_COUNT + nic_regs_pkg::MAILBOX_TO_HOST_COUNT];
  logic [31:0] rdata_q;

  wire logic [7:2] word        = reg_req_i.addr[7:2];
  wire logic       in_values   = word[7:6] == nic_regs_pkg::MAILBOX_TO_NIC[7:6];
  wire logic       is_to_host  = word[5] == nic_regs_pkg::MAILBOX_TO_HOST[5];
  wire logic       write       = reg_sel_i && reg_req_i.we;
  wire logic       write_value = write && in_values && reg_req_i.be != '0;
  wire logic       to_nic      = write_value && !is_to_host && reg_req_i.from_host;
  wire logic       to_host     = write_value && is_to_host && !reg_req_i.from_host;
  wire logic [7:0] box         = 8'd1 << word[4:2];
  wire logic [7:0] clear       = write && reg_req_i.be == 4'hF && word == Clear ? reg_req_i.wdata[7:0] : '0;

  assign to_nic_o    = to_nic;
  assign to_host_o   = to_host ? box : '0;
  assign reg_rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
    rdata_q <= '0;
    if (!rst_ni) begin
      pending_q <= '0;
      for (int i = 0; i < int'(nic_regs_pkg::MAILBOX_TO_NIC_COUNT + nic_regs_pkg::MAILBOX_TO_HOST_COUNT); i++) value_q[i] <= '0;
    end else if (reg_sel_i) begin
      pending_q <= (pending_q & ~clear) | (to_nic ? box : '0);
      if (write_value) value_q[word[5:2]] <= nic_pkg::merge_bytes(value_q[word[5:2]], reg_req_i.wdata, reg_req_i.be);
      if (!reg_req_i.we) begin
        if (in_values)            rdata_q <= value_q[word[5:2]];
        else if (word == Pending) rdata_q <= {24'd0, pending_q};
      end
    end
  end

  wire logic unused = &{1'b0, reg_req_i.addr[16:8], reg_req_i.addr[1:0]};

endmodule

`default_nettype wire
