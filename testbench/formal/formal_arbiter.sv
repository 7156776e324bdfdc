// The arbiter of the SRAM: at most one port is granted, only a port that asks, and none while no
// port asks. Every port that asks is served in bounded time.
//
// Requesters hold until they are granted. The bounds are those in the head of nic_sram_arbiter;
// Ports is 7 for one core, 9 for two.

`default_nettype none

module formal_arbiter #(
  parameter int unsigned Ports  = nic_pkg::SRAM_PORTS,
  parameter int unsigned Defect = 0
) (
  input wire logic             clk_i,
  input wire logic [Ports-1:0] req_i,
  input wire logic [Ports-1:0] we_i
);

  localparam logic [5:0] LinkBound = 6'd3;
  localparam logic [5:0] DmaBound  = 6'd33;
  localparam logic [5:0] RestBound = 6'(4 * (Ports - nic_pkg::SRAM_CORE_DATA) - 1);

  logic first_q = 1'b1;
  always_ff @(posedge clk_i) first_q <= 1'b0;
  wire logic rst_n = !first_q;

  wire logic [Ports-1:0] gnt, rvalid;
  nic_pkg::sram_req_t      access [Ports];
  wire nic_pkg::sram_req_t sram_access;
  wire logic               sram_req;

  for (genvar port = 0; port < Ports; port++) begin : gen_access
    always_comb begin
      access[port]    = '0;
      access[port].we = we_i[port];
    end
  end

  nic_sram_arbiter #(.Ports(Ports)) u_arbiter (
    .clk_i,
    .rst_ni        (rst_n),
    .req_i,
    .access_i      (access),
    .gnt_o         (gnt),
    .rvalid_o      (rvalid),
    .sram_req_o    (sram_req),
    .sram_access_o (sram_access)
  );

  // ---- Requesters ---------------------------------------------------------------------

  logic [Ports-1:0] waits_q;
  always_ff @(posedge clk_i) waits_q <= rst_n ? req_i & ~gnt : '0;
  always_comb begin
    RequestsHold: assume ((waits_q & ~req_i) == '0);
  end

  // The defect: now and then a granted port is reported as not granted.
  wire logic [Ports-1:0] told = (Defect != 0 && req_i == '1) ? '0 : gnt;

  // ---- Check --------------------------------------------------------------------------

  for (genvar port = 0; port < Ports; port++) begin : gen_wait
    localparam logic [5:0] Bound =
      (port == nic_pkg::SRAM_LINK_RX || port == nic_pkg::SRAM_LINK_TX) ? LinkBound :
      (port == nic_pkg::SRAM_DMA_READ || port == nic_pkg::SRAM_DMA_WRITE) ? DmaBound : RestBound;
    logic [5:0] waited_q;
    always_ff @(posedge clk_i) begin
      if (!rst_n || !req_i[port] || told[port]) waited_q <= 6'd0;
      else                                      waited_q <= waited_q + 6'd1;
    end
    always_ff @(posedge clk_i) begin
      if (rst_n) ServedInTime: assert (waited_q <= Bound);
    end
  end

  logic [Ports-1:0] reads_q;
  always_ff @(posedge clk_i) reads_q <= rst_n ? gnt & ~we_i : '0;

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      OneAtMost:       assert ((told & (told - Ports'(1))) == '0);
      OnlyToWhoAsks:   assert ((told & ~req_i) == '0);
      NoClockIsWasted: assert ((req_i == '0) == (told == '0));
      ReadsAreTold:    assert (rvalid == reads_q);
    end
  end

  wire logic unused = &{1'b0, sram_req, sram_access};

endmodule

`default_nettype wire
