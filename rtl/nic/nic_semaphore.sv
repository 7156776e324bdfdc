// One semaphore between the cores: a core asks for it, then reads until it owns it.
//
// Registers: a slave of the register bus. Any write of four bytes to CORE_n asks for core n; CORE_n
//            reads 1 while core n owns; RELEASE takes the number of the core that gives it back, or
//            no longer wants it.
// Reset:     a core that is in reset neither owns nor wants.
// Order:     the core that asks first owns; the other core follows in the clock in which it is
//            released.

`default_nettype none

module nic_semaphore (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  // Register bus
  input  wire logic              reg_sel_i,
  input  wire nic_pkg::reg_req_t reg_req_i,
  output wire logic [31:0]       reg_rdata_o,

  input  wire logic [1:0]        in_reset_i,       // of each core

  // Asked for and not owned
  output wire logic [1:0]        waits_o
);

  // Word offsets in the slot.
  localparam logic [7:2] CoreA   = nic_regs_pkg::SEMAPHORE_CORE_A[7:2];
  localparam logic [7:2] CoreB   = nic_regs_pkg::SEMAPHORE_CORE_B[7:2];
  localparam logic [7:2] Release = nic_regs_pkg::SEMAPHORE_RELEASE[7:2];

  // Bit 0 core A, bit 1 core B.
  logic [1:0]  wants_q, owns_q;
  logic [31:0] rdata_q;

  wire logic       write_whole = reg_sel_i && reg_req_i.we && reg_req_i.be == 4'hF;
  wire logic [7:2] word        = reg_req_i.addr[7:2];
  wire logic [1:0] ask         = {write_whole && word == CoreB, write_whole && word == CoreA};
  wire logic       is_release  = write_whole && word == Release;
  wire logic [1:0] release_of  = (is_release ? (reg_req_i.wdata[0] ? 2'b10 : 2'b01) : 2'b00) | in_reset_i;

  wire logic [1:0] wants_d = (wants_q | ask) & ~release_of;
  wire logic [1:0] keeps   = owns_q & ~release_of;

  // The bus brings one access in a clock, so the two cores never ask at once: when no core owns the
  // semaphore, at most one of them wants it.
  wire logic [1:0] owns_d = keeps != '0 ? keeps : wants_d;

  assign reg_rdata_o = rdata_q;
  assign waits_o     = wants_q & ~owns_q;

  always_ff @(posedge clk_i) begin
    rdata_q <= '0;
    if (!rst_ni) begin
      wants_q <= '0;
      owns_q  <= '0;
    end else if (reg_sel_i || in_reset_i != '0) begin
      wants_q <= wants_d;
      owns_q  <= owns_d;
      if (reg_sel_i && !reg_req_i.we) begin
        if (word == CoreA) rdata_q <= {31'd0, owns_q[0]};
        if (word == CoreB) rdata_q <= {31'd0, owns_q[1]};
      end
    end
  end

  // ---- Assertions ---------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && {wants_q, owns_q} != '0) begin
      OneOwnerAtMost:  assert (owns_q != 2'b11);
      OwnersWantIt:    assert ((owns_q & ~wants_q) == '0);
      NeverIdleInVain: assert (wants_q == '0 || owns_q != '0);
    end
  end

  wire logic unused = &{1'b0, reg_req_i.addr[16:8], reg_req_i.addr[1:0], reg_req_i.wdata[31:1], reg_req_i.from_host};

endmodule

`default_nettype wire
