// The instruction that retires is the instruction that memory holds at its address.
//
// One word of memory is chosen and always reads the same; all other words may read as anything. A
// retired instruction that lies in that word, as a whole or with one half, has its bits.

`default_nettype none

module formal_fetch (
  input wire logic                   clk_i,
  input wire logic                   rst_ni,
  input wire formal_core_pkg::rvfi_t rvfi_i,
  input wire logic [31:0]            oldest_i,   // the address that is answered
  input wire logic                   rvalid_i,
  input wire logic [31:0]            rdata_i,
  input wire logic                   err_i,
  input wire logic                   look_valid_i,
  input wire logic [31:0]            look_addr_i,
  input wire logic [31:0]            look_rdata_i,
  input wire logic [31:0]            addr_i,     // of the chosen word
  input wire logic [31:0]            word_i      // its content
);

  wire logic [31:2] word = addr_i[31:2];

  always_comb begin
    AlsoWhenLookedAt:     assume (!look_valid_i || look_addr_i[31:2] != word || look_rdata_i == word_i);
    ChosenWordIsConstant: assume (!rvalid_i || oldest_i[31:2] != word || (rdata_i == word_i && !err_i));
  end

  wire logic [31:0] pc    = rvfi_i.pc_rdata;
  wire logic [31:0] upper = pc + 32'd2;
  // A fetch that failed retires with encoding 0.
  wire logic        looks = rvfi_i.valid && !(rvfi_i.trap && rvfi_i.insn == 32'd0);

  always_ff @(posedge clk_i) begin
    if (rst_ni && looks) begin
      if (pc[31:2] == word) begin
        LowerHalf: assert (rvfi_i.insn[15:0] == (pc[1] ? word_i[31:16] : word_i[15:0]));
        LengthIs:  assert (rvfi_i.insn[1:0] == 2'b11 || rvfi_i.insn[31:16] == 16'd0);
      end
      if (upper[31:2] == word && rvfi_i.insn[1:0] == 2'b11) begin
        UpperHalf: assert (rvfi_i.insn[31:16] == (upper[1] ? word_i[31:16] : word_i[15:0]));
      end
    end
    if (rst_ni && rvfi_i.valid && pc[31:2] == word && (pc[1] == 1'b0 || word_i[17:16] != 2'b11)) begin
      NoFault: assert (!(rvfi_i.trap && rvfi_i.insn == 32'd0) || word_i[15:0] == 16'd0 || word_i[31:16] == 16'd0);
    end
  end

  wire logic unused = &{1'b0, addr_i[1:0], look_addr_i[1:0]};

endmodule

`default_nettype wire
