// The debug area as harts see it, and the few instructions that the module writes for them.
// docs/debug.md has the map.

// Each block of the module uses some of these.
// verilator lint_off UNUSEDPARAM

package nic_debug_pkg;

  parameter int unsigned DATA_WORDS    = 2;
  parameter int unsigned PROGBUF_WORDS = 2;

  // The last 2 KB of the address space, so that code reaches all of it from x0 and needs no
  // register for a base. These are the low twelve bits of the addresses; sign extension makes the
  // rest.
  parameter logic [31:0] AREA_BASE    = 32'hFFFF_F800;
  parameter logic [11:0] AT_PARKED    = 12'h800;   // a store: the hart waits in the park loop
  parameter logic [11:0] AT_EXCEPTION = 12'h804;   // a store: the command ended in an exception
  parameter logic [11:0] AT_STARTED   = 12'h808;   // a store: the transfer of the command is done,
                                                   // what follows is the program
  parameter logic [11:0] AT_RESUMING  = 12'h80C;   // a store: the hart is about to leave debug mode
  parameter logic [11:0] AT_DATA      = 12'h810;   // data0 and up
  parameter logic [11:0] AT_CODE      = 12'h900;

  // Words of the code.
  parameter logic [4:0] CODE_ENTRY     = 5'd0;
  parameter logic [4:0] CODE_PARK      = 5'd1;
  parameter logic [4:0] CODE_EXCEPTION = 5'd2;
  parameter logic [4:0] CODE_RESUME    = 5'd5;
  parameter logic [4:0] CODE_TRANSFER  = 5'd8;
  parameter logic [4:0] CODE_PROGBUF   = 5'd14;

  // Where a core goes to (parameters of nic_core).
  parameter logic [31:0] ENTRY_ADDR     = {20'hF_FFFF, AT_CODE} + 32'd4 * 32'(CODE_ENTRY);
  parameter logic [31:0] EXCEPTION_ADDR = {20'hF_FFFF, AT_CODE} + 32'd4 * 32'(CODE_EXCEPTION);

  // abstractcs.cmderr
  typedef enum logic [2:0] {
    ERR_NONE          = 3'd0,
    ERR_BUSY          = 3'd1,
    ERR_NOT_SUPPORTED = 3'd2,
    ERR_EXCEPTION     = 3'd3,
    ERR_HALT_RESUME   = 3'd4,
    ERR_OTHER         = 3'd7
  } cmderr_e;

  // What a hart is to execute for an abstract command.
  typedef struct packed {
    logic        transfer;
    logic        write;       // data0 to the register
    logic        is_gpr;
    logic [11:0] number;      // of the CSR, or of the GPR in the low five bits
    logic        postexec;
  } transfer_t;

  // What the debugger accesses in this clock, decoded once. While the module is inactive only
  // `control` comes; all is zero in a clock without an access, so that what depends on it can stand
  // behind one condition.
  typedef struct packed {
    logic                     we;
    logic                     read;          // and not we
    logic                     control;       // a write of dmcontrol
    logic                     clear;         // ... with dmactive 0: back to the reset values
    logic [DATA_WORDS-1:0]    data;
    logic [PROGBUF_WORDS-1:0] progbuf;
    logic                     command;
    logic                     abstractcs;
    logic                     abstractauto;
    logic                     sbcs;
    logic                     sbaddress;
    logic                     sbdata;
    logic                     to_command;    // a running command minds
    logic                     to_bus;        // an access of the bus that is under way minds
  } dmi_t;

  // The reports of a hart by its stores, one clock each.
  typedef struct packed {
    logic parked;
    logic exception;
    logic started;
    logic resuming;
  } hart_event_t;

  // ---- Instructions; addresses are relative to x0 ------------------------------

  parameter logic [4:0]  S0        = 5'd8;
  parameter logic [11:0] DSCRATCH0 = 12'h7B2;
  parameter logic [11:0] DSCRATCH1 = 12'h7B3;
  parameter logic [31:0] NOP       = 32'h0000_0013;
  parameter logic [31:0] EBREAK    = 32'h0010_0073;
  parameter logic [31:0] DRET      = 32'h7B20_0073;

  function automatic logic [31:0] sw(input logic [4:0] rs2, input logic [11:0] at);
    return {at[11:5], rs2, 5'd0, 3'b010, at[4:0], 7'h23};
  endfunction

  function automatic logic [31:0] lw(input logic [4:0] rd, input logic [11:0] at);
    return {at, 5'd0, 3'b010, rd, 7'h03};
  endfunction

  function automatic logic [31:0] csrr(input logic [4:0] rd, input logic [11:0] csr);
    return {csr, 5'd0, 3'b010, rd, 7'h73};
  endfunction

  function automatic logic [31:0] csrw(input logic [11:0] csr, input logic [4:0] rs1);
    return {csr, rs1, 3'b001, 5'd0, 7'h73};
  endfunction

  // Forwards by fewer than 32 words.
  function automatic logic [31:0] jump(input logic [4:0] words);
    return {1'b0, 4'd0, words, 1'b0, 1'b0, 8'd0, 5'd0, 7'h6F};
  endfunction

endpackage

// verilator lint_on UNUSEDPARAM
