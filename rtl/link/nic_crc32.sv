// The frame check sequence of IEEE 802.3, 8 bits per clock, least significant bit first (reflected
// polynomial 0xEDB88320).
//
// Use:        clear_i before the first byte, enable_i with each byte. The FCS to send is ~crc_o,
//             byte 0 (bits 7:0) first; after data and FCS of a good frame crc_o is
//             nic_mac_pkg::CRC_RESIDUE.
// Timing:     crc_o covers a byte in the clock after enable_i.

`default_nettype none

module nic_crc32 (
  input  wire logic        clk_i,
  input  wire logic        clear_i,
  input  wire logic        enable_i,
  input  wire logic [7:0]  data_i,
  output wire logic [31:0] crc_o
);

  localparam logic [31:0] Polynomial = 32'hEDB8_8320;

  function automatic logic [31:0] add_byte(input logic [31:0] crc, input logic [7:0] data);
    logic [31:0] rest;
    rest = crc ^ {24'b0, data};
    for (int i = 0; i < 8; i++) rest = rest[0] ? (rest >> 1) ^ Polynomial : rest >> 1;
    return rest;
  endfunction

  logic [31:0] crc_q;

  assign crc_o = crc_q;

  always_ff @(posedge clk_i) begin
    if (clear_i)       crc_q <= '1;
    else if (enable_i) crc_q <= add_byte(crc_q, data_i);
  end

endmodule

`default_nettype wire
