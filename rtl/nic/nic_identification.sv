// The identity of the NIC, and the switches that start it: identification, core control, cycle
// counter, window (docs/registers.md, IDENT).
//
// Registers: a slave of the register bus.
// Timing:    run_o follows a write of CORE_CONTROL by one clock.

`default_nettype none

module nic_identification #(
  parameter int unsigned Cores            = 1,
  parameter int unsigned SramBytes        = 524288,
  parameter int unsigned ScratchpadBytes  = 16384,
  parameter int unsigned ScratchpadBytesB = 8192
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  // Register bus
  input  wire logic              reg_sel_i,
  input  wire nic_pkg::reg_req_t reg_req_i,
  output wire logic [31:0]       reg_rdata_o,

  // Slot
  input  wire logic              pci_64_i,         // constant after reset

  // Cores, A in bit 0
  output wire logic [Cores-1:0]       run_o,
  output wire logic [Cores-1:0][31:0] boot_address_o,
  input  wire logic [Cores-1:0]       sleep_i,

  // Others
  output wire logic [63:0]       cycles_o,         // core clocks since reset
  output wire logic [20:11]      window_base_o,
  input  wire logic              refused_i         // a host access was refused
);

  localparam logic [7:0] DoorbellPages  = 8'd16;
  localparam logic [7:0] ScratchpadKibB = Cores > 1 ? 8'(ScratchpadBytesB / 1024) : 8'd0;

  logic [31:0]  rdata_q;
  logic [31:0]  scratch_q, cycles_high_q, refused_count_q;
  logic [Cores-1:0]       run_q;
  logic [Cores-1:0][31:0] boot_address_q;
  logic [63:0]  cycles_q;
  logic [20:11] window_base_q;

  assign reg_rdata_o    = rdata_q;
  assign run_o          = run_q;
  assign boot_address_o = boot_address_q;
  assign cycles_o       = cycles_q;
  assign window_base_o  = window_base_q;

  wire logic write       = reg_sel_i && reg_req_i.we;
  wire logic write_whole = write && reg_req_i.be == 4'hF;
  wire logic read        = reg_sel_i && !reg_req_i.we;

  always_ff @(posedge clk_i) begin
    rdata_q  <= '0;
    if (!rst_ni) begin
      run_q           <= '0;
      boot_address_q  <= {Cores{nic_regs_pkg::IDENT_BOOT_ADDRESS_RESET}};
      scratch_q       <= '0;
      cycles_q        <= '0;
      cycles_high_q   <= '0;
      window_base_q   <= '0;
      refused_count_q <= '0;
    end else begin
      cycles_q <= cycles_q + 64'd1;
      if (refused_i) refused_count_q <= refused_count_q + 32'd1;
      if (write) begin
        if (reg_req_i.addr[7:2] == nic_regs_pkg::IDENT_SCRATCH[7:2]) begin
          scratch_q <= nic_pkg::merge_bytes(scratch_q, reg_req_i.wdata, reg_req_i.be);
        end
      end
      if (write_whole) begin
        case (reg_req_i.addr[7:2])
          nic_regs_pkg::IDENT_CORE_CONTROL[7:2]: run_q          <= reg_req_i.wdata[nic_regs_pkg::IDENT_CORE_CONTROL_RUN_A_LSB +: Cores];
          nic_regs_pkg::IDENT_BOOT_ADDRESS[7:2]: boot_address_q[0] <= reg_req_i.wdata;
          nic_regs_pkg::IDENT_BOOT_ADDRESS_B[7:2]: if (Cores > 1) boot_address_q[Cores-1] <= reg_req_i.wdata;
          nic_regs_pkg::IDENT_WINDOW_BASE[7:2]:  window_base_q  <= reg_req_i.wdata[20:11];
          default: ;
        endcase
      end
      if (read) begin
        case (reg_req_i.addr[7:2])
          nic_regs_pkg::IDENT_ID[7:2]:           rdata_q <= nic_regs_pkg::IDENT_ID_RESET;
          nic_regs_pkg::IDENT_VERSION[7:2]:      rdata_q <= nic_regs_pkg::IDENT_VERSION_RESET;
          nic_regs_pkg::IDENT_SRAM_BYTES[7:2]:   rdata_q <= SramBytes;
          nic_regs_pkg::IDENT_CAPABILITIES[7:2]: rdata_q <= {3'd0, ScratchpadKibB, pci_64_i, 8'(ScratchpadBytes / 1024), DoorbellPages, 4'(Cores)};
          nic_regs_pkg::IDENT_CORE_CONTROL[7:2]: rdata_q <= 32'(run_q);
          nic_regs_pkg::IDENT_CORE_STATUS[7:2]:  rdata_q <= 32'(sleep_i);
          nic_regs_pkg::IDENT_BOOT_ADDRESS[7:2]: rdata_q <= boot_address_q[0];
          nic_regs_pkg::IDENT_BOOT_ADDRESS_B[7:2]: if (Cores > 1) rdata_q <= boot_address_q[Cores-1];
          nic_regs_pkg::IDENT_SCRATCH[7:2]:      rdata_q <= scratch_q;
          nic_regs_pkg::IDENT_CYCLES_LO[7:2]: begin
            rdata_q       <= cycles_q[31:0];
            cycles_high_q <= cycles_q[63:32];
          end
          nic_regs_pkg::IDENT_CYCLES_HI[7:2]:    rdata_q <= cycles_high_q;
          nic_regs_pkg::IDENT_WINDOW_BASE[7:2]:  rdata_q <= {11'd0, window_base_q, 11'd0};
          nic_regs_pkg::IDENT_HOST_REFUSED[7:2]: rdata_q <= refused_count_q;
          default: ;
        endcase
      end
    end
  end

  wire logic unused = &{1'b0, reg_req_i.addr[16:8], reg_req_i.addr[1:0], reg_req_i.from_host};

endmodule

`default_nettype wire
