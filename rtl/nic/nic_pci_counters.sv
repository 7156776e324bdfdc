// Adds up the counts that the PCI agent reports (docs/registers.md, PCI).
//
// Registers: a slave of the register bus. Counter n is register n of the slot.

`default_nettype none

module nic_pci_counters #(
  parameter  int unsigned AddBits  = 3,
  localparam int unsigned Counters = 11
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,

  // The counts to be added in this clock; the count of counter 0 is in the highest field
  input  wire logic [Counters-1:0][AddBits-1:0] add_i,

  // Register bus
  input  wire logic               reg_sel_i,
  input  wire nic_pkg::reg_req_t  reg_req_i,
  output wire logic [31:0]        reg_rdata_o
);

  typedef logic [Counters-1:0][31:0] counts_t;

  counts_t     count_q;
  logic [31:0] rdata_q;

  function automatic counts_t added(input counts_t kept, input logic [Counters-1:0][AddBits-1:0] add);
    counts_t sum = kept;
    for (int i = 0; i < int'(Counters); i++) begin
      if (add[int'(Counters)-1-i] != '0) sum[i] = kept[i] + 32'(add[int'(Counters)-1-i]);
    end
    return sum;
  endfunction

  wire logic [7:2] word = reg_req_i.addr[7:2];

  assign reg_rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
    rdata_q <= '0;
    if (!rst_ni) begin
      count_q <= '0;
    end else begin
      // Mostly all counts are zero, and one comparison shows that.
      if (add_i != '0) count_q <= added(count_q, add_i);
      if (reg_sel_i && !reg_req_i.we && word < 6'(Counters)) rdata_q <= count_q[word[5:2]];
    end
  end

  // The last register of the map has a counter too.
  if (nic_regs_pkg::PCI_PARITY_ERRORS[7:2] != 6'(Counters - 1)) begin : gen_bad_map
    $error("nic_pci_counters: the register map has another number of PCI counters");
  end

  // Only the offset and the direction matter: all registers are read-only.
  wire logic unused = &{1'b0, reg_req_i.addr[16:8], reg_req_i.addr[1:0], reg_req_i.be, reg_req_i.wdata, reg_req_i.from_host};

endmodule

`default_nettype wire
