// Configuration space: a type 0 header without capabilities (PCI 2.3, chapter 6).
//
// Timing:     reads are combinational from dword_i; a write takes effect at the edge. Status bits
//             are set by one-clock pulses; a pulse wins over a write of 1 in the same clock, so
//             that no error is lost.
// Own:        dword 0x40, bits 15:0, RETRY_LIMIT: so many retries of one transaction end the DMA
//             command. 0, the reset value, repeats for ever, as PCI asks of a master (3.3.3.2.2).
// Identity:   vendor 0x4E53 and device 0x4943 are letters (NSIC), not numbers assigned by the
//             PCI-SIG.

`default_nettype none

module nic_pci_config #(
  parameter int unsigned SramBytes = 524288    // size of BAR 1, a power of two of at least 16
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,

  // Configuration accesses
  input  wire logic [5:0]   dword_i,
  output wire logic [31:0]  rdata_o,
  input  wire logic         write_i,
  input  wire logic [3:0]   be_i,
  input  wire logic [31:0]  wdata_i,

  // What the status register remembers
  input  wire logic         set_master_data_parity_i,
  input  wire logic         set_received_target_abort_i,
  input  wire logic         set_received_master_abort_i,
  input  wire logic         set_signalled_system_error_i,
  input  wire logic         set_detected_parity_i,
  input  wire logic         irq_i,                       // level, before INTERRUPT_DISABLE

  // Settings
  output wire logic         cfg_memory_enable_o,
  output wire logic         cfg_bus_master_o,
  output wire logic         cfg_parity_response_o,
  output wire logic         cfg_serr_enable_o,
  output wire logic         cfg_interrupt_disable_o,
  output wire logic [7:0]   cfg_latency_timer_o,
  output wire logic [7:0]   cfg_cache_line_dwords_o,     // 0, 4, 8, 16 or 32
  output wire logic [15:0]  cfg_retry_limit_o,           // retries in a row; 0: no limit
  output wire logic [31:17] cfg_bar0_o,
  output wire logic [31:$clog2(SramBytes)] cfg_bar1_o
);

  localparam logic [15:0] VendorId   = 16'h4E53;
  localparam logic [15:0] DeviceId   = 16'h4943;
  localparam logic [23:0] ClassCode  = 24'h028000;       // network controller, other
  localparam logic [7:0]  Revision   = 8'h01;
  localparam logic [7:0]  MinGrant   = 8'd8;             // 2 us, in 250 ns: a full FIFO at 33 MHz
                                                         // on 64 bits
  localparam logic [7:0]  MaxLatency = 8'd0;

  localparam logic [31:4] Bar1Mask = 28'(~(SramBytes - 1) >> 4);

  logic         memory_enable_q, bus_master_q, parity_response_q, serr_enable_q, interrupt_disable_q;
  logic         master_data_parity_q, received_target_abort_q, received_master_abort_q;
  logic         signalled_system_error_q, detected_parity_q;
  logic [7:0]   cache_line_q, latency_timer_q, interrupt_line_q;
  logic [15:0]  retry_limit_q;
  logic [31:17] bar0_q;
  logic [31:4]  bar1_q;

  assign cfg_memory_enable_o     = memory_enable_q;
  assign cfg_bus_master_o        = bus_master_q;
  assign cfg_parity_response_o   = parity_response_q;
  assign cfg_serr_enable_o       = serr_enable_q;
  assign cfg_interrupt_disable_o = interrupt_disable_q;
  assign cfg_latency_timer_o     = latency_timer_q;
  assign cfg_cache_line_dwords_o = cache_line_q;
  assign cfg_retry_limit_o       = retry_limit_q;
  assign cfg_bar0_o              = bar0_q;
  assign cfg_bar1_o              = bar1_q[31:$clog2(SramBytes)];

  // ---- Reading ----------------------------------------------------------------------

  wire logic [15:0] command = {5'b0, interrupt_disable_q, 1'b0, serr_enable_q, 1'b0, parity_response_q,
                               3'b0, bus_master_q, memory_enable_q, 1'b0};
  // DEVSEL# timing 01 (medium), 66 MHz capable. Target abort is never signalled, so its bit stays
  // zero.
  wire logic [15:0] status  = {detected_parity_q, signalled_system_error_q, received_master_abort_q,
                               received_target_abort_q, 1'b0, 2'b01, master_data_parity_q,
                               2'b00, 1'b1, 1'b0, irq_i, 3'b0};

  logic [31:0] rdata;
  assign rdata_o = rdata;

  always_comb begin
    case (dword_i)
      6'h00:   rdata = {DeviceId, VendorId};
      6'h01:   rdata = {status, command};
      6'h02:   rdata = {ClassCode, Revision};
      6'h03:   rdata = {16'h0, latency_timer_q, cache_line_q};
      6'h04:   rdata = {bar0_q, 17'h0};
      6'h05:   rdata = {bar1_q, 4'b1000};                 // prefetchable
      6'h0B:   rdata = {DeviceId, VendorId};              // subsystem
      6'h0F:   rdata = {MaxLatency, MinGrant, 8'h01, interrupt_line_q};   // pin INTA#
      6'h10:   rdata = {16'h0, retry_limit_q};
      default: rdata = '0;
    endcase
  end

  // ---- Writing ----------------------------------------------------------------------

  // A line size that is not supported reads back as zero: no line commands are used then.
  wire logic [7:0] line         = wdata_i[7:0];
  wire logic       line_is_good = line == 8'd4 || line == 8'd8 || line == 8'd16 || line == 8'd32;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      memory_enable_q          <= 1'b0;
      bus_master_q             <= 1'b0;
      parity_response_q        <= 1'b0;
      serr_enable_q            <= 1'b0;
      interrupt_disable_q      <= 1'b0;
      master_data_parity_q     <= 1'b0;
      received_target_abort_q  <= 1'b0;
      received_master_abort_q  <= 1'b0;
      signalled_system_error_q <= 1'b0;
      detected_parity_q        <= 1'b0;
      cache_line_q             <= '0;
      latency_timer_q          <= '0;
      interrupt_line_q         <= '0;
      retry_limit_q            <= '0;
      bar0_q                   <= '0;
      bar1_q                   <= '0;
    end else begin
      if (write_i) begin
        case (dword_i)
          6'h01: begin
            if (be_i[0]) begin
              memory_enable_q   <= wdata_i[1];
              bus_master_q      <= wdata_i[2];
              parity_response_q <= wdata_i[6];
            end
            if (be_i[1]) begin
              serr_enable_q       <= wdata_i[8];
              interrupt_disable_q <= wdata_i[10];
            end
            // In the status register a 1 clears.
            if (be_i[3] && wdata_i[31]) detected_parity_q        <= 1'b0;
            if (be_i[3] && wdata_i[30]) signalled_system_error_q <= 1'b0;
            if (be_i[3] && wdata_i[29]) received_master_abort_q  <= 1'b0;
            if (be_i[3] && wdata_i[28]) received_target_abort_q  <= 1'b0;
            if (be_i[3] && wdata_i[24]) master_data_parity_q     <= 1'b0;
          end
          6'h03: begin
            if (be_i[0]) cache_line_q    <= line_is_good ? line : 8'd0;
            if (be_i[1]) latency_timer_q <= wdata_i[15:8];
          end
          6'h04: begin
            if (be_i[2]) bar0_q[23:17] <= wdata_i[23:17];
            if (be_i[3]) bar0_q[31:24] <= wdata_i[31:24];
          end
          6'h05: begin
            if (be_i[0]) bar1_q[7:4]   <= wdata_i[7:4]   & Bar1Mask[7:4];
            if (be_i[1]) bar1_q[15:8]  <= wdata_i[15:8]  & Bar1Mask[15:8];
            if (be_i[2]) bar1_q[23:16] <= wdata_i[23:16] & Bar1Mask[23:16];
            if (be_i[3]) bar1_q[31:24] <= wdata_i[31:24] & Bar1Mask[31:24];
          end
          6'h0F: begin
            if (be_i[0]) interrupt_line_q <= wdata_i[7:0];
          end
          6'h10: begin
            if (be_i[0]) retry_limit_q[7:0]  <= wdata_i[7:0];
            if (be_i[1]) retry_limit_q[15:8] <= wdata_i[15:8];
          end
          default: ;
        endcase
      end
      // Last, so that they win.
      if (set_detected_parity_i)        detected_parity_q        <= 1'b1;
      if (set_signalled_system_error_i) signalled_system_error_q <= 1'b1;
      if (set_received_master_abort_i)  received_master_abort_q  <= 1'b1;
      if (set_received_target_abort_i)  received_target_abort_q  <= 1'b1;
      if (set_master_data_parity_i)     master_data_parity_q     <= 1'b1;
    end
  end

endmodule

`default_nettype wire
