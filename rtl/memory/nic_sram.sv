// The SRAM of the NIC: one synchronous port, 64 bits with byte enables.
//
// Timing:  an access in one clock; read data stand on rdata_o in the clock after req_i, and stay
//          until the next read.
// Content: undefined after power-up, kept through reset.

`default_nettype none

module nic_sram #(
  parameter int unsigned SramBytes = 524288   // a power of two, at most 2 MB
) (
  input  wire logic               clk_i,
  input  wire logic               req_i,
  input  wire nic_pkg::sram_req_t access_i,
  output wire logic [63:0]        rdata_o
);

  localparam int unsigned Words    = SramBytes / 8;
  localparam int unsigned WordBits = $clog2(Words);

  if (SramBytes != (1 << $clog2(SramBytes)) || SramBytes > (1 << nic_pkg::SRAM_ADDR_BITS)) begin : gen_bad_size
    $error("nic_sram: SramBytes must be a power of two up to 2 MB");
  end

  logic [63:0] memory_q [Words];
  logic [63:0] rdata_q;

  wire logic [WordBits-1:0] word = access_i.addr[WordBits+2:3];

  assign rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
    if (req_i) begin
      if (access_i.we) begin
        for (int i = 0; i < 8; i++) if (access_i.be[i]) memory_q[word][8*i+:8] <= access_i.wdata[8*i+:8];
      end else begin
        rdata_q <= memory_q[word];
      end
    end
  end

  // ---- Assertions ---------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (req_i) AddressIsInSram: assert ({11'd0, access_i.addr, 3'd0} < SramBytes);
  end

endmodule

`default_nettype wire
