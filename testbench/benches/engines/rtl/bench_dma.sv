// Both host DMA engines with scalar pins, for tests in Rust. The register bus and the SRAM's read
// data are shared as in the NIC.

`default_nettype none

module bench_dma #(
  parameter int unsigned SramBytes = 65536
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  input  wire logic [1:0]  reg_sel_i,          // bit 0 DMA_READ, bit 1 DMA_WRITE
  input  wire logic [16:0] reg_addr_i,
  input  wire logic        reg_we_i,
  input  wire logic [3:0]  reg_be_i,
  input  wire logic [31:0] reg_wdata_i,
  output wire logic [31:0] reg_rdata_o,

  output wire logic [1:0]  sram_req_o,         // bit 0 host read, bit 1 host write
  input  wire logic [1:0]  sram_gnt_i,
  input  wire logic [1:0]  sram_rvalid_i,
  input  wire logic [63:0] sram_rdata_i,
  output wire logic [17:0] read_sram_addr_o,
  output wire logic        read_sram_we_o,
  output wire logic [7:0]  read_sram_be_o,
  output wire logic [63:0] read_sram_wdata_o,
  output wire logic [17:0] write_sram_addr_o,
  output wire logic        write_sram_we_o,
  output wire logic [7:0]  write_sram_be_o,
  output wire logic [63:0] write_sram_wdata_o,

  output wire logic        read_cmd_valid_o,
  input  wire logic        read_cmd_ready_i,
  output wire logic [31:0] read_cmd_addr_o,
  output wire logic [15:0] read_cmd_len_bytes_o,
  input  wire logic        read_beat_valid_i,
  output wire logic        read_beat_ready_o,
  input  wire logic [63:0] read_beat_data_i,
  input  wire logic        read_beat_last_i,
  input  wire logic [2:0]  read_beat_status_i,

  output wire logic        write_cmd_valid_o,
  input  wire logic        write_cmd_ready_i,
  output wire logic [31:0] write_cmd_addr_o,
  output wire logic [15:0] write_cmd_len_bytes_o,
  output wire logic        write_data_valid_o,
  input  wire logic        write_data_ready_i,
  output wire logic [63:0] write_data_o,
  input  wire logic        write_done_valid_i,
  input  wire logic [2:0]  write_done_status_i,

  // Bit 0 host read, bit 1 host write
  output wire logic [1:0]  stop_o,
  input  wire logic [1:0]  stop_ack_i,
  output wire logic [1:0]  event_done_o,
  output wire logic [1:0]  event_error_o,
  output wire logic        assist_o,
  output wire logic [1:0]  probe_start_o,
  output wire logic [1:0]  probe_done_o
);

  nic_pkg::reg_req_t    reg_req;
  wire nic_pkg::pci_status_e pci_status = nic_pkg::pci_status_e'(write_done_status_i);
  nic_pkg::sram_req_t   read_sram, write_sram;
  nic_pkg::dma_cmd_t    read_cmd, write_cmd;
  nic_pkg::dma_read_beat_t read_beat;
  logic [31:0]          read_rdata, write_rdata;

  assign reg_req     = '{addr: reg_addr_i, we: reg_we_i, be: reg_be_i, wdata: reg_wdata_i, from_host: 1'b0};
  assign reg_rdata_o = read_rdata | write_rdata;
  assign read_beat   = '{data: read_beat_data_i, last: read_beat_last_i, status: nic_pkg::pci_status_e'(read_beat_status_i)};

  assign {read_sram_addr_o, read_sram_we_o, read_sram_be_o, read_sram_wdata_o}     = read_sram;
  assign {write_sram_addr_o, write_sram_we_o, write_sram_be_o, write_sram_wdata_o} = write_sram;
  assign {read_cmd_addr_o, read_cmd_len_bytes_o}   = read_cmd;
  assign {write_cmd_addr_o, write_cmd_len_bytes_o} = write_cmd;

  nic_dma_read #(
    .SramBytes (SramBytes)
  ) u_read (
    .clk_i,
    .rst_ni,
    .reg_sel_i     (reg_sel_i[0]),
    .reg_req_i     (reg_req),
    .reg_rdata_o   (read_rdata),
    .sram_req_o    (sram_req_o[0]),
    .sram_o        (read_sram),
    .sram_gnt_i    (sram_gnt_i[0]),
    .sram_rvalid_i (sram_rvalid_i[0]),
    .sram_rdata_i,
    .cmd_valid_o   (read_cmd_valid_o),
    .cmd_ready_i   (read_cmd_ready_i),
    .cmd_o         (read_cmd),
    .beat_valid_i  (read_beat_valid_i),
    .beat_ready_o  (read_beat_ready_o),
    .beat_i        (read_beat),
    .stop_o        (stop_o[0]),
    .stop_ack_i    (stop_ack_i[0]),
    .event_done_o  (event_done_o[0]),
    .event_error_o (event_error_o[0]),
    .assist_o,
    .probe_start_o (probe_start_o[0]),
    .probe_done_o  (probe_done_o[0])
  );

  nic_dma_write #(
    .SramBytes (SramBytes)
  ) u_write (
    .clk_i,
    .rst_ni,
    .reg_sel_i     (reg_sel_i[1]),
    .reg_req_i     (reg_req),
    .reg_rdata_o   (write_rdata),
    .sram_req_o    (sram_req_o[1]),
    .sram_o        (write_sram),
    .sram_gnt_i    (sram_gnt_i[1]),
    .sram_rvalid_i (sram_rvalid_i[1]),
    .sram_rdata_i,
    .cmd_valid_o   (write_cmd_valid_o),
    .cmd_ready_i   (write_cmd_ready_i),
    .cmd_o         (write_cmd),
    .data_valid_o  (write_data_valid_o),
    .data_ready_i  (write_data_ready_i),
    .data_o        (write_data_o),
    .done_valid_i  (write_done_valid_i),
    .done_status_i (pci_status),
    .stop_o        (stop_o[1]),
    .stop_ack_i    (stop_ack_i[1]),
    .event_done_o  (event_done_o[1]),
    .event_error_o (event_error_o[1]),
    .probe_start_o (probe_start_o[1]),
    .probe_done_o  (probe_done_o[1])
  );

  // ---- Checkers -------------------------------------------------------------------

  nic_sram_port_checker #(.SramBytes (SramBytes)) u_read_port (
    .clk_i, .rst_ni, .req_i (sram_req_o[0]), .access_i (read_sram), .gnt_i (sram_gnt_i[0]), .rvalid_i (sram_rvalid_i[0])
  );
  nic_sram_port_checker #(.SramBytes (SramBytes)) u_write_port (
    .clk_i, .rst_ni, .req_i (sram_req_o[1]), .access_i (write_sram), .gnt_i (sram_gnt_i[1]), .rvalid_i (sram_rvalid_i[1])
  );
  nic_register_slave_checker u_read_registers (
    .clk_i, .rst_ni, .reg_sel_i (reg_sel_i[0]), .reg_req_i (reg_req), .reg_rdata_o (read_rdata)
  );
  nic_register_slave_checker u_write_registers (
    .clk_i, .rst_ni, .reg_sel_i (reg_sel_i[1]), .reg_req_i (reg_req), .reg_rdata_o (write_rdata)
  );

  // The command is held until it is taken, and so are data words.
  logic        waiting_q;
  logic [47:0] read_cmd_q;
  logic        data_waiting_q;
  logic [63:0] data_q;
  always_ff @(posedge clk_i) begin
    waiting_q      <= rst_ni && read_cmd_valid_o && !read_cmd_ready_i;
    read_cmd_q     <= read_cmd;
    data_waiting_q <= rst_ni && write_data_valid_o && !write_data_ready_i;
    data_q         <= write_data_o;
    if (rst_ni && waiting_q)      CommandHeldUntilTaken: assert (read_cmd_valid_o && read_cmd == read_cmd_q);
    if (rst_ni && data_waiting_q) WordHeldUntilTaken:    assert (write_data_valid_o && write_data_o == data_q);
  end

endmodule

`default_nettype wire
