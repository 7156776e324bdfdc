// The interrupt to the host: causes, which of them are enabled, and the level behind INTA#.
//
// Registers: a slave of the register bus.
// Timing:    a pulse on set_i is in CAUSE in the next clock and on inta_o one clock later: a
//            register, since the level goes on to another clock.
// Races:     a cause that is set and cleared in the same clock stays set; inta_o falls only when no
//            enabled cause is set.

`default_nettype none

module nic_interrupt (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  // Register bus
  input  wire logic              reg_sel_i,
  input  wire nic_pkg::reg_req_t reg_req_i,
  output wire logic [31:0]       reg_rdata_o,

  // Causes 0 to 7: a core wrote a mailbox to the host
  input  wire logic [7:0]        set_i,

  // To the PCI pins
  output wire logic              inta_o,
  output wire logic              probe_rise_o    // inta_o rises in the next clock
);

  // Word offsets in the slot.
  localparam logic [7:2] Cause  = nic_regs_pkg::INTERRUPT_CAUSE[7:2];
  localparam logic [7:2] Set    = nic_regs_pkg::INTERRUPT_SET[7:2];
  localparam logic [7:2] Enable = nic_regs_pkg::INTERRUPT_ENABLE[7:2];
  localparam logic [7:2] Status = nic_regs_pkg::INTERRUPT_STATUS[7:2];

  logic [31:0] cause_q, enable_q, rdata_q;
  logic        inta_q;

  wire logic        write_whole = reg_sel_i && reg_req_i.we && reg_req_i.be == 4'hF;
  wire logic [7:2]  word        = reg_req_i.addr[7:2];
  wire logic [31:0] clear       = write_whole && word == Cause ? reg_req_i.wdata : '0;
  wire logic [31:0] set         = write_whole && word == Set   ? reg_req_i.wdata : '0;

  wire logic [31:0] active = cause_q & enable_q;

  wire logic        inta   = active != '0;

  assign inta_o       = inta_q;
  assign probe_rise_o = inta && !inta_q;
  assign reg_rdata_o  = rdata_q;

  always_ff @(posedge clk_i) begin
    rdata_q <= '0;
    if (!rst_ni) begin
      cause_q  <= nic_regs_pkg::INTERRUPT_CAUSE_RESET;
      enable_q <= nic_regs_pkg::INTERRUPT_ENABLE_RESET;
      inta_q   <= 1'b0;
    end else begin
      inta_q <= inta;
      if (reg_sel_i || set_i != '0) cause_q <= (cause_q & ~clear) | set | {24'd0, set_i};
      if (reg_sel_i) begin
        if (write_whole && word == Enable) enable_q <= reg_req_i.wdata;
        if (!reg_req_i.we) begin
          case (word)
            Cause:   rdata_q <= cause_q;
            Enable:  rdata_q <= enable_q;
            Status:  rdata_q <= active;
            default: ;
          endcase
        end
      end
    end
  end

  wire logic unused = &{1'b0, reg_req_i.addr[16:8], reg_req_i.addr[1:0], reg_req_i.from_host};

endmodule

`default_nettype wire
