// Performs the accesses of the host to the two BARs: registers, windows of the SRAM, and the SRAM
// itself.
//
// Requests:  valid/ready, in bus order. Each is complete, and ready, when its last dword has been
//            granted, so the order of effects is the order of requests.
// Answers:   one dword for each dword of a read, in the clock after its grant; the receiver is
//            always ready.
// Refused:   accesses to an address without register or memory. A write is dropped, a read answers
//            zero, refused_o is high for one clock for each dword.
// Map:       docs/interfaces.md, Addresses. Reads of doorbell pages answer zero and are not
//            refused.

`default_nettype none

module nic_host_router #(
  parameter int unsigned SramBytes = 524288
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,

  // From the PCI target
  input  wire logic               host_req_valid_i,
  output wire logic               host_req_ready_o,
  input  wire nic_pkg::host_req_t host_req_i,

  // To the PCI target
  output wire logic               host_rsp_valid_o,
  output wire nic_pkg::host_rsp_t host_rsp_o,

  // Register bus
  output wire logic               reg_req_o,
  output wire nic_pkg::reg_req_t  reg_access_o,
  input  wire logic               reg_gnt_i,
  input  wire logic [31:0]        reg_rdata_i,

  // SRAM port
  output wire logic               sram_req_o,
  output wire nic_pkg::sram_req_t sram_access_o,
  input  wire logic               sram_gnt_i,
  input  wire logic [63:0]        sram_rdata_i,

  // Identification registers
  input  wire logic [20:11]       window_base_i,
  output wire logic               refused_o
);

  typedef logic [nic_pkg::SRAM_ADDR_BITS-1:2] dword_t;   // in SRAM, or in BAR 0

  typedef enum logic [1:0] {
    Nothing,
    Registers,
    Sram
  } place_e;

  // ---- Where to -----------------------------------------------------------------

  logic [2:0] beat_q;                       // dwords of this request that were granted

  wire logic   in_sram_bar = host_req_i.space == nic_pkg::SPACE_SRAM;
  wire dword_t dword       = host_req_i.addr[nic_pkg::SRAM_ADDR_BITS-1:2] + dword_t'(beat_q);

  wire logic is_doorbell = dword[16];                                // 0x1_0000 to 0x1_FFFF
  wire logic is_low_sram = dword[16:10] == 7'b0_0001_01;             // 0x1400 to 0x17FF
  wire logic is_window   = dword[16:11] == 6'b0_0001_1;              // 0x1800 to 0x1FFF

  // The map is evaluated only while the host asks: it is a chain of comparisons that costs
  // simulators time.
  place_e place;
  dword_t sram_dword;
  always_comb begin
    place      = Nothing;
    sram_dword = '0;
    if (host_req_valid_i) begin
      if (in_sram_bar)    sram_dword = dword;
      else if (is_window) sram_dword = {window_base_i, dword[10:2]};
      else                sram_dword = dword_t'(dword[9:2]);

      if (in_sram_bar || is_low_sram || is_window) begin
        if ({11'd0, sram_dword, 2'd0} < SramBytes) place = Sram;
      end else if (is_doorbell || (dword[16:12] == 5'd0 && nic_regs_pkg::is_register(dword[11:2]))) begin
        place = Registers;
      end
    end
  end

  // ---- Asking -------------------------------------------------------------------

  assign reg_req_o    = place == Registers;
  assign reg_access_o = '{
    addr:      {dword[nic_pkg::REG_ADDR_BITS-1:2], 2'd0},
    we:        host_req_i.we,
    be:        host_req_i.be,
    wdata:     host_req_i.wdata,
    from_host: 1'b1
  };

  assign sram_req_o    = place == Sram;
  assign sram_access_o = '{
    addr:  sram_dword[nic_pkg::SRAM_ADDR_BITS-1:3],
    we:    host_req_i.we,
    be:    sram_dword[2] ? {host_req_i.be, 4'd0} : {4'd0, host_req_i.be},
    wdata: {host_req_i.wdata, host_req_i.wdata}
  };

  logic granted;
  always_comb begin
    case (place)
      Sram:      granted = sram_gnt_i;
      Registers: granted = reg_gnt_i;
      default:   granted = host_req_valid_i;
    endcase
  end

  wire logic last = host_req_i.we || {1'b0, beat_q} + 4'd1 == host_req_i.read_dwords;

  assign host_req_ready_o = granted && last;

  // ---- Answering ----------------------------------------------------------------

  logic   answer_q, answer_last_q, answer_high_q;
  place_e answer_place_q;

  logic [31:0] answer_data;
  always_comb begin
    case (answer_place_q)
      Sram:      answer_data = answer_high_q ? sram_rdata_i[63:32] : sram_rdata_i[31:0];
      Registers: answer_data = reg_rdata_i;
      default:   answer_data = '0;
    endcase
  end

  assign host_rsp_valid_o = answer_q;
  assign host_rsp_o       = '{data: answer_data, last: answer_last_q};

  // ---- Registers ----------------------------------------------------------------

  wire logic step = host_req_valid_i && granted;

  assign refused_o = step && place == Nothing;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q   <= '0;
      answer_q <= 1'b0;
    end else begin
      answer_q <= step && !host_req_i.we;
      if (step) beat_q <= last ? '0 : beat_q + 3'd1;
    end
    if (step) begin
      answer_place_q <= place;
      answer_last_q  <= last;
      answer_high_q  <= sram_dword[2];
    end
  end

  // ---- Assertions ---------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && host_req_valid_i) begin
      AddressIsADword: assert (host_req_i.addr[1:0] == 2'd0);
      ReadHasALength:  assert (host_req_i.we || (host_req_i.read_dwords >= 4'd1 && host_req_i.read_dwords <= 4'(nic_pkg::HOST_READ_DWORDS_MAX)));
      RegistersAreReadAlone: assert (host_req_i.we || in_sram_bar || host_req_i.read_dwords == 4'd1);
    end
  end

endmodule

`default_nettype wire
