// Types inside the host DMA engines.

package nic_dma_pkg;

  // Status of a descriptor whose SRAM range is not in the SRAM, beside those of
  // nic_pkg::pci_status_e.
  parameter logic [2:0] STATUS_REFUSED = 3'd7;

  // The move of one descriptor, without its flags.
  typedef struct packed {
    logic [31:0]                        host_addr;
    logic [nic_pkg::SRAM_ADDR_BITS-1:0] sram_addr;
    logic [15:0]                        len_bytes;   // not zero, and the range is in the SRAM
  } move_t;

  // Aligned 64-bit words that hold len_bytes bytes from a byte offset in the first word on.
  function automatic logic [13:0] words_spanned(input logic [2:0] offset, input logic [15:0] len_bytes);
    return 14'(({14'b0, offset} + {1'b0, len_bytes} + 17'd7) >> 3);
  endfunction

endpackage
