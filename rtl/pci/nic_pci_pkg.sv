// Names inside the PCI block: bus commands, and the signals between the master and its two clients.

package nic_pci_pkg;

  // ---- Bus commands, C/BE[3:0]# in the address phase (PCI 2.3, section 3.1.1) ----

  parameter logic [3:0] CMD_MEMORY_READ          = 4'b0110;
  parameter logic [3:0] CMD_MEMORY_WRITE         = 4'b0111;
  parameter logic [3:0] CMD_CONFIG_READ          = 4'b1010;
  parameter logic [3:0] CMD_CONFIG_WRITE         = 4'b1011;
  parameter logic [3:0] CMD_MEMORY_READ_MULTIPLE = 4'b1100;
  parameter logic [3:0] CMD_MEMORY_READ_LINE     = 4'b1110;
  parameter logic [3:0] CMD_MEMORY_WRITE_INVAL   = 4'b1111;

  // ---- Between the master and a client (nic_pci_dma_read, nic_pci_dma_write) ----

  // The burst that a client requests next; registered. Until a data phase of it has moved, every
  // field but want stays as it is: a retried transaction is repeated without any change.
  typedef struct packed {
    logic        want;      // a burst can start: data (or room) for it are there
    logic [31:2] addr;      // address of the next dword
    logic        wide;      // worth 64 bits: more than one aligned 64-bit word, and the target is
                            // not known as narrow
    logic [3:0]  command;
  } burst_t;

  // The data phase that follows once the move of this clock is done.
  typedef struct packed {
    logic [7:0] be_wide;      // active high, of the aligned 64-bit word
    logic [3:0] be_narrow;    // active high, of the next dword
    logic       odd;          // the next dword is the upper half of its 64-bit word
    logic       last_wide;    // it must be the last one of the burst, if 64 bits wide
    logic       last_narrow;  // and if 32 bits wide
    logic       none;         // no dword is left
  } phase_t;

  // The data that moved in a data phase that completed in this clock.
  typedef struct packed {
    logic wide;      // an aligned 64-bit word
    logic narrow;    // one dword
  } move_t;

  // ---- Counters of regfile PCI in nicscope.rdl: one-clock pulses ----

  typedef struct packed {
    logic target_write;
    logic target_read;
    logic target_retry;
    logic target_discard;
    logic master_transaction;
    logic master_retry;
    logic master_disconnect;
    logic master_timeout;
    logic master_abort;
    logic target_abort;
    logic parity_error;
  } stat_t;
  parameter int unsigned STATS = 11;

  // Width of the stat_*_o counts: the core clock may be as slow as half the PCI clock.
  parameter int unsigned STAT_BITS = 3;

endpackage
