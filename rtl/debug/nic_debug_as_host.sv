// Routes the accesses of the debug module's bus like those of the host: to SRAM and registers.
//
// Map:       addresses are those of a core (docs/interfaces.md). SRAM and the register page are
//            there; anything else, and a register that does not exist, answers with an error and
//            touches nothing. For registers the debugger counts as the host.
// Host:      requests pass unchanged and hold until they are ready; one of the debug module goes
//            first, unless a request of the host waits already.
// Timing:    no clock added to the host's accesses.

`default_nettype none

module nic_debug_as_host #(
  parameter int unsigned SramBytes = 524288
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,

  // From the debug module
  input  wire logic               bus_req_i,
  output wire logic               bus_gnt_o,
  input  wire logic [31:2]        bus_word_i,
  input  wire logic               bus_we_i,
  input  wire logic [3:0]         bus_be_i,
  input  wire logic [31:0]        bus_wdata_i,
  output wire logic               bus_rvalid_o,
  output wire logic [31:0]        bus_rdata_o,
  output wire logic               bus_err_o,

  // From the PCI target
  input  wire logic               pci_req_valid_i,
  output wire logic               pci_req_ready_o,
  input  wire nic_pkg::host_req_t pci_req_i,
  output wire logic               pci_rsp_valid_o,
  output wire nic_pkg::host_rsp_t pci_rsp_o,

  // To the router
  output wire logic               host_req_valid_o,
  input  wire logic               host_req_ready_i,
  output wire nic_pkg::host_req_t host_req_o,
  input  wire logic               host_rsp_valid_i,
  input  wire nic_pkg::host_rsp_t host_rsp_i
);

  // ---- Where to ---------------------------------------------------------------------

  typedef enum logic [1:0] {
    Nothing,
    Registers,
    Sram
  } place_e;

  wire logic [31:0] address = {bus_word_i, 2'd0};

  // A request is looked at in its first clock, and asks from then on, when what the host asked for
  // before is granted.
  logic   seen_q, goes_q;
  place_e place_d, place_q;
  always_comb begin
    place_d = Nothing;
    if (bus_req_i) begin
      if (address[31:24] == 8'h10 && {8'd0, address[23:0]} < SramBytes)                  place_d = Sram;
      else if (address[31:12] == 20'h4_0000 && nic_regs_pkg::is_register(address[11:2])) place_d = Registers;
    end
  end

  // ---- Sharing ----------------------------------------------------------------------

  logic gnt;
  always_comb begin
    gnt = 1'b0;
    if (seen_q) gnt = place_q == Nothing || (goes_q && host_req_ready_i);
  end

  assign host_req_valid_o = goes_q || pci_req_valid_i;
  assign pci_req_ready_o  = host_req_ready_i && !goes_q;
  assign bus_gnt_o        = gnt;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      seen_q <= 1'b0;
      goes_q <= 1'b0;
    end else if (bus_req_i || seen_q) begin
      seen_q  <= bus_req_i && !gnt;
      place_q <= place_d;
      goes_q  <= bus_req_i && !gnt && place_d != Nothing && (goes_q || !pci_req_valid_i || pci_req_ready_o);
    end
  end

  nic_pkg::host_req_t request;
  always_comb begin
    request = pci_req_i;
    if (goes_q) begin
      request = '{
        space:       place_q == Sram ? nic_pkg::SPACE_SRAM : nic_pkg::SPACE_REGISTERS,
        addr:        address[nic_pkg::SRAM_ADDR_BITS-1:0],
        we:          bus_we_i,
        be:          bus_be_i,
        wdata:       bus_wdata_i,
        read_dwords: 4'd1
      };
    end
  end
  assign host_req_o = request;

  // ---- Answers ----------------------------------------------------------------------

  // A read of the debug module is answered in the clock after its grant; so are, here, its writes
  // and errors.
  logic answer_q, read_q, err_q;

  assign bus_rvalid_o    = answer_q;
  assign bus_rdata_o     = host_rsp_i.data;
  assign bus_err_o       = err_q;
  assign pci_rsp_valid_o = host_rsp_valid_i && !read_q;
  assign pci_rsp_o       = host_rsp_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      answer_q <= 1'b0;
      read_q   <= 1'b0;
    end else if (seen_q || answer_q) begin
      answer_q <= gnt;
      read_q   <= gnt && place_q != Nothing && !bus_we_i;
      err_q    <= place_q == Nothing;
    end
  end

  // ---- Assertions -------------------------------------------------------------------

  logic held_q;   // the debug module asks and was not granted
  always_ff @(posedge clk_i) begin
    if (seen_q) held_q <= rst_ni && goes_q && !host_req_ready_i;
    if (seen_q && rst_ni && held_q) DebugHolds: assert (goes_q);
    if (read_q && rst_ni) DebugAnswered: assert (host_rsp_valid_i);
  end

endmodule

`default_nettype wire
