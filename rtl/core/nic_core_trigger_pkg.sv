// One trigger: its contents, their view in the CSRs, and the instructions that it matches.
// docs/debug.md, "Triggers".
//
// Compares: with `data` 0 the address of the instruction, or every address of a load or store; with
//           `data` 1 the instruction, or the data. Equal, or in a naturally aligned range whose
//           size tdata2 tells by its lowest ones.
// Limits:   a trigger that watches execution watches no loads and stores. Fields that do not exist
//           read zero.

`default_nettype none

package nic_core_trigger_pkg;

  typedef struct packed {
    logic        dmode;        // only debug mode writes it
    logic        data;
    logic [1:0]  size;         // 0: any; 1, 2, 3: 8, 16, 32 bits
    logic        into_debug;   // else an exception
    logic        napot;
    logic        m;
    logic        execute;
    logic        store;
    logic        load;
    logic [31:0] tdata2;
  } trigger_t;

  localparam logic [3:0] TypeMcontrol6 = 4'd6;

  // The subject of a comparison: an instruction that has not started, or a load that was answered.
  typedef struct packed {
    logic        loaded;
    logic        decoded;      // it was fetched and its encoding is not reserved: the fields after
                               // the pc have a meaning
    logic        compressed;
    logic        is_load;
    logic        is_store;
    logic [1:0]  size_log2;    // size of the access
    logic [31:1] pc;
    logic [31:0] encoding;
    logic [31:0] addr;         // if it is an access
    logic [31:0] data;         // data of a store, or of the load
  } seen_t;

  // Each function looks at some fields.
  // verilator lint_off UNUSEDSIGNAL

  function automatic logic watches(input trigger_t t);
    return t.m && (t.execute || t.store || t.load);
  endfunction

  // ---- CSRs -------------------------------------------------------------------------

  // hit 1: fired before the instruction; 3: immediately after it
  function automatic logic [31:0] tdata1(input trigger_t t, input logic [1:0] hit);
    return {TypeMcontrol6, t.dmode, 1'b0, hit[1], 2'b0, hit[0], t.data, 3'b0, t.size, 3'b0, t.into_debug, 1'b0,
            3'b0, t.napot, t.m, 3'b0, t.execute, t.store, t.load};
  endfunction

  function automatic trigger_t with_tdata1(input trigger_t t, input logic [31:0] wdata, input logic debug_mode);
    logic known, dmode;
    known = wdata[31:28] == TypeMcontrol6;   // any other type disables it
    dmode = wdata[27] && debug_mode;
    return '{
      dmode:      dmode,
      data:       wdata[21],
      size:       wdata[18] ? 2'd0 : wdata[17:16],
      into_debug: dmode && wdata[15:12] == 4'd1,
      napot:      wdata[10:7] == 4'd1,
      m:          known && wdata[6],
      execute:    known && wdata[2],
      store:      known && wdata[1] && !wdata[2],
      load:       known && wdata[0] && !wdata[2],
      tdata2:     t.tdata2
    };
  endfunction

  function automatic trigger_t with_tdata2(input trigger_t t, input logic [31:0] wdata);
    trigger_t written;
    written        = t;
    written.tdata2 = wdata;
    // The largest range is half of the address space.
    if (t.napot && wdata[30:0] == '1) written.tdata2[30] = 1'b0;
    return written;
  endfunction

  // ---- Comparison -------------------------------------------------------------------

  // Bits that an access of this size does not have.
  function automatic logic [31:0] beyond(input logic [1:0] size_log2);
    return size_log2 == 2'd0 ? 32'hFFFF_FF00 : size_log2 == 2'd1 ? 32'hFFFF_0000 : 32'd0;
  endfunction

  // Addresses within an access of this size.
  function automatic logic [31:0] covered(input logic [1:0] size_log2);
    return size_log2 == 2'd0 ? 32'd0 : size_log2 == 2'd1 ? 32'd1 : 32'd3;
  endfunction

  function automatic logic agrees(input trigger_t t, input seen_t seen);
    logic [1:0]  size_log2;
    logic [31:0] value, ignored;
    logic        concerned;
    size_log2 = (t.execute && !seen.loaded) ? (seen.compressed ? 2'd1 : 2'd2) : seen.size_log2;
    if (t.execute) begin
      concerned = !seen.loaded && (!t.data || seen.decoded);
      value     = t.data ? seen.encoding : {seen.pc, 1'b0};
      ignored   = t.data ? beyond(size_log2) : 32'd0;
    end else begin
      // Data of a load are there when it is over.
      concerned = seen.loaded ? t.load && t.data
                              : seen.decoded && ((seen.is_load && t.load && !t.data) || (seen.is_store && t.store));
      value     = t.data ? seen.data : seen.addr;
      ignored   = t.data ? beyond(size_log2) : covered(size_log2);
    end
    if (t.napot) ignored |= t.tdata2 ^ (t.tdata2 + 32'd1);
    return t.m && concerned && (t.size == 2'd0 || t.size == size_log2 + 2'd1) && ((value ^ t.tdata2) & ~ignored) == '0;
  endfunction

  // verilator lint_on UNUSEDSIGNAL

endpackage

`default_nettype wire
