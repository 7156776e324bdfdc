// The registers and indices of one descriptor ring in SRAM; each of the four rings of the NIC has
// one.
//
// Registers:  CONTROL, RING_BASE, RING_LOG2, PRODUCER and CONSUMER, which have the same place in
//             all four register files. The parent decodes its other registers and ORs the answers.
//             RING_LOG2 takes 1 to 8 and ignores other numbers; the low address bits of RING_BASE
//             address bytes of an entry, and read zero.
// Indices:    free-running, mod 2^16. Entries from consumer to producer belong to the hardware.
// Timing:     a register write, produce_count_i and consume_i show in the next clock. entry_addr_o
//             follows index_i in the same clock and wraps at the end of the SRAM.

`default_nettype none

module nic_ring #(
  parameter int unsigned SramBytes  = 524288,   // a power of two
  parameter int unsigned EntryWords = 2,        // of 64 bits: 1 or 2
  parameter int unsigned ResetLog2  = 6
) (
  input  wire logic                                  clk_i,
  input  wire logic                                  rst_ni,

  // Registers, decoded by the parent: write_i only with all byte enables
  input  wire logic                                  write_i,
  input  wire logic                                  read_i,
  input  wire logic [7:2]                            offset_i,
  input  wire logic [31:0]                           wdata_i,
  output wire logic [31:0]                           rdata_o,         // the clock after read_i,
                                                                      // else zero

  // To the engine
  input  wire logic                                  clear_i,         // all registers get their
                                                                      // reset values
  output wire logic                                  enable_o,
  output wire logic [15:0]                           producer_o,
  output wire logic [15:0]                           consumer_o,
  input  wire logic                                  idle_i,          // a write of CONSUMER may be
                                                                      // taken
  input  wire logic                                  consume_i,       // the entry at consumer_o is
                                                                      // done
  input  wire logic [8:0]                            produce_count_i, // entries to add to the
                                                                      // producer index

  // Where an entry lies
  input  wire logic [7:0]                            index_i,         // the low bits of its index
  output wire logic [nic_pkg::SRAM_ADDR_BITS-1:3]    entry_addr_o
);

  typedef logic [nic_pkg::SRAM_ADDR_BITS-1:3] word_addr_t;
  localparam word_addr_t AddrMask = word_addr_t'(SramBytes / 8 - 1);
  localparam word_addr_t BaseMask = AddrMask & ~word_addr_t'(EntryWords - 1);

  localparam logic [7:2] OffsetControl  = {1'b0, nic_regs_pkg::DMA_READ_CONTROL[6:2]};
  localparam logic [7:2] OffsetBase     = {1'b0, nic_regs_pkg::DMA_READ_RING_BASE[6:2]};
  localparam logic [7:2] OffsetLog2     = {1'b0, nic_regs_pkg::DMA_READ_RING_LOG2[6:2]};
  localparam logic [7:2] OffsetProducer = {1'b0, nic_regs_pkg::DMA_READ_PRODUCER[6:2]};
  localparam logic [7:2] OffsetConsumer = {1'b0, nic_regs_pkg::DMA_READ_CONSUMER[6:2]};

  if (EntryWords != 1 && EntryWords != 2) begin : gen_bad_entry
    $error("nic_ring: EntryWords must be 1 or 2");
  end
  if ((SramBytes & (SramBytes - 1)) != 0) begin : gen_bad_sram
    $error("nic_ring: SramBytes must be a power of two");
  end
  if (nic_regs_pkg::DMA_WRITE_PRODUCER[6:2] != OffsetProducer[6:2] || nic_regs_pkg::MAC_TX_PRODUCER[7:2] != OffsetProducer ||
      nic_regs_pkg::MAC_RX_PRODUCER[7:2] != OffsetProducer || nic_regs_pkg::MAC_TX_CONSUMER[7:2] != OffsetConsumer ||
      nic_regs_pkg::MAC_TX_RING_BASE[7:2] != OffsetBase || nic_regs_pkg::MAC_RX_RING_LOG2[7:2] != OffsetLog2) begin : gen_bad_map
    $error("nic_ring: the ring registers must have the same place in all four register files");
  end

  logic        enable_q;
  word_addr_t  base_q;
  logic [3:0]  log2_q;
  logic [15:0] producer_q, consumer_q;
  logic [31:0] rdata_q;

  assign enable_o   = enable_q;
  assign producer_o = producer_q;
  assign consumer_o = consumer_q;
  assign rdata_o    = rdata_q;

  wire logic [8:0]  size       = 9'd1 << log2_q;
  wire logic [7:0]  slot       = index_i & 8'(size - 9'd1);
  assign entry_addr_o = (base_q + (word_addr_t'(slot) << (EntryWords - 1))) & AddrMask;

  wire logic        log2_legal      = wdata_i[31:4] == '0 && wdata_i[3:0] >= 4'd1 && wdata_i[3:0] <= 4'd8;
  wire logic        write_producer  = write_i && offset_i == OffsetProducer;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      enable_q   <= 1'b0;
      base_q     <= '0;
      log2_q     <= 4'(ResetLog2);
      producer_q <= '0;
      consumer_q <= '0;
    end else begin
      if (write_i) begin
        if (offset_i == OffsetControl)            enable_q <= wdata_i[0];
        if (offset_i == OffsetBase)               base_q   <= wdata_i[nic_pkg::SRAM_ADDR_BITS-1:3] & BaseMask;
        if (offset_i == OffsetLog2 && log2_legal) log2_q   <= wdata_i[3:0];
        if (offset_i == OffsetConsumer && idle_i && !enable_q) consumer_q <= wdata_i[15:0];
      end
      if (consume_i) consumer_q <= consumer_q + 16'd1;
      // The value that software wrote, plus the entries that arrived in the same clock.
      if (write_producer || produce_count_i != '0) begin
        producer_q <= (write_producer ? wdata_i[15:0] : producer_q) + {7'b0, produce_count_i};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    rdata_q <= '0;
    if (rst_ni && read_i) begin
      case (offset_i)
        OffsetControl:  rdata_q <= {31'b0, enable_q};
        OffsetBase:     rdata_q <= {{32 - nic_pkg::SRAM_ADDR_BITS{1'b0}}, base_q, 3'b0};
        OffsetLog2:     rdata_q <= {28'b0, log2_q};
        OffsetProducer: rdata_q <= {16'b0, producer_q};
        OffsetConsumer: rdata_q <= {16'b0, consumer_q};
        default:        rdata_q <= '0;
      endcase
    end
  end

  // ---- Assertions ---------------------------------------------------------------

  wire logic [15:0] owned = producer_q - consumer_q;
  always_ff @(posedge clk_i) begin
    if (rst_ni && consume_i) begin
      ConsumesOnlyWhatItOwns:  assert (owned != '0);
      OwnedNeverExceedsRing:   assert (owned <= {7'b0, size});
    end
  end

endmodule

`default_nettype wire
