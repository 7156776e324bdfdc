// Counts, for each SRAM port, the accesses granted and the clocks that a request waited
// (docs/registers.md, SRAM).
//
// Registers: a slave of the register bus.

`default_nettype none

module nic_sram_counters #(
  parameter int unsigned Ports = nic_pkg::SRAM_PORTS
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  // Watched: the arbiter's ports
  input  wire logic [Ports-1:0]  req_i,
  input  wire logic [Ports-1:0]  gnt_i,

  // Register bus
  input  wire logic              reg_sel_i,
  input  wire nic_pkg::reg_req_t reg_req_i,
  output wire logic [31:0]       reg_rdata_o
);

  typedef logic [Ports-1:0][31:0] counts_t;

  counts_t     grants_q, waits_q;
  logic [31:0] rdata_q;

  function automatic counts_t counted(input counts_t kept, input logic [Ports-1:0] ports);
    counts_t sum = kept;
    for (int i = 0; i < int'(Ports); i++) if (ports[i]) sum[i] = kept[i] + 32'd1;
    return sum;
  endfunction

  wire logic [Ports-1:0] waits = req_i & ~gnt_i;

  wire logic       in_grants = reg_req_i.addr[7:6] == nic_regs_pkg::SRAM_GRANTS[7:6];
  wire logic       in_waits  = reg_req_i.addr[7:6] == nic_regs_pkg::SRAM_WAITS[7:6];
  wire logic [3:0] port      = reg_req_i.addr[5:2];
  wire logic       is_port   = port < 4'(Ports);

  assign reg_rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
    rdata_q <= '0;
    if (!rst_ni) begin
      grants_q <= '0;
      waits_q  <= '0;
    end else begin
      if (gnt_i != '0) grants_q <= counted(grants_q, gnt_i);
      if (waits != '0) waits_q  <= counted(waits_q, waits);
      if (reg_sel_i) begin
        if (!reg_req_i.we && is_port && in_grants) rdata_q <= grants_q[port];
        if (!reg_req_i.we && is_port && in_waits)  rdata_q <= waits_q[port];
      end
    end
  end

  // Only the offset and the direction matter: all registers are read-only.
  wire logic unused = &{1'b0, reg_req_i.addr[16:8], reg_req_i.addr[1:0], reg_req_i.be, reg_req_i.wdata, reg_req_i.from_host};

endmodule

`default_nettype wire
