// The triggers of the core, and their CSRs: tselect, tdata1, tdata2, tinfo, tcontrol.
//
// Timing:  while a trigger watches, every instruction waits before it starts (hold_o): in one clock
//          its address and data are stored here, then one comparator compares them with each
//          trigger in turn. So no path of the core gets longer. While no trigger watches, no
//          instruction waits and no register changes.
// Before:  fire_* with the instruction that matched, in place of which the core performs the action
//          of the trigger.
// After:   late_o: fire_* are about a load that is done; they hold until the core acts on them.
// fired_i: the core acted, in this clock.

`default_nettype none

module nic_core_triggers (
  input  wire logic                        clk_i,
  input  wire logic                        rst_ni,
  input  wire logic                        debug_mode_i,

  // The instruction in the execute stage
  input  wire logic                        could_start_i,   // it could start, if hold_o is low
  input  wire logic                        decoded_i,       // the fields after the pc have a
                                                            // meaning
  input  wire logic                        compressed_i,
  input  wire logic                        is_load_i,
  input  wire logic                        is_store_i,
  input  wire logic [1:0]                  size_log2_i,     // of the access
  input  wire logic [31:1]                 pc_i,
  input  wire logic [31:0]                 encoding_i,
  input  wire logic [31:0]                 addr_i,
  input  wire logic [31:0]                 wdata_i,
  input  wire logic                        load_starts_i,   // it is a load and starts in this clock
  output wire logic                        on_o,            // else all other outputs are zero
  output wire logic                        hold_o,
  output wire logic                        fire_debug_o,
  output wire logic                        fire_exception_o,
  output wire logic                        late_o,
  input  wire logic                        fired_i,

  // The load before it is answered in this clock
  input  wire logic                        load_valid_i,
  input  wire logic [31:0]                 load_data_i,

  // Traps, and any other redirect in the clock behind it
  input  wire logic                        redirect_i,
  input  wire logic                        trap_i,
  input  wire logic                        mret_i,

  // CSR access (nic_core_csr)
  input  wire logic [11:0]                 csr_addr_i,
  input  wire logic                        csr_write_i,
  input  wire logic [31:0]                 csr_wdata_i,
  output wire logic                        csr_exists_o,
  output wire logic [31:0]                 csr_rdata_o
);

  localparam int unsigned Triggers = 4;

  localparam logic [11:0] Tselect  = 12'h7a0;
  localparam logic [11:0] Tdata1   = 12'h7a1;
  localparam logic [11:0] Tdata2   = 12'h7a2;
  localparam logic [11:0] Tinfo    = 12'h7a4;
  localparam logic [11:0] Tcontrol = 12'h7a5;

  localparam logic [31:0] TinfoValue = 32'h0100_0040;   // version 1; mcontrol6 only

  typedef logic [Triggers-1:0] set_t;
  typedef logic [$clog2(Triggers)-1:0] number_t;

  // The lowest bit: instructions wait.
  typedef enum logic [2:0] {
    StOff     = 3'b000,   // no trigger watches: most of the time, and then no register changes
    StFree    = 3'b001,   // nothing is stored
    StCompare = 3'b011,   // what is stored is compared with trigger number_q
    StDone    = 3'b010,   // the instruction may start, or fire_* tell the action
    StLate    = 3'b100,   // fire_* are about a load
    StRevise  = 3'b101    // a CSR here was written in the last clock
  } state_e;

  nic_core_trigger_pkg::trigger_t triggers_q [Triggers];
  set_t                           known_q;              // was written since reset
  set_t                           hit0_q, hit1_q;       // tdata1.hit
  number_t                        tselect_q;
  logic [1:0] te_q;               // tcontrol.mpte, tcontrol.mte: exceptions by triggers were on
                                  // before the trap; are on
  logic                           exists;               // the CSR that is accessed is here

  state_e   state_q;
  set_t     watches_q, debugs_q;  // the triggers that watch, and those that enter debug mode
  number_t  number_q;
  logic     loaded_q;             // a load that was answered is stored
  set_t     hits_q;               // the triggers that matched
  logic     fire_debug_q, fire_exception_q;
  logic [31:0] addr_q, data_q;
  logic [1:0]  load_size_log2_q;

  wire logic written = csr_write_i && exists;

  // ---- Firing -----------------------------------------------------------------------

  // All signals for which the core waits come from registers.
  assign on_o             = state_q != StOff;
  assign hold_o           = state_q[0];
  assign late_o           = state_q == StLate;
  assign fire_debug_o     = fire_debug_q;
  assign fire_exception_o = fire_exception_q;

  set_t watches_d, debugs_d;
  always_comb begin
    watches_d = watches_q;
    debugs_d  = debugs_q;
    if (state_q == StRevise) begin
      for (int t = 0; t < int'(Triggers); t++) begin
        watches_d[t] = known_q[t] && nic_core_trigger_pkg::watches(triggers_q[t]);
        debugs_d[t]  = triggers_q[t].into_debug;
      end
    end
  end

  // An exception by a trigger could hit its own handler: tcontrol keeps them off there.
  wire set_t armed_d = watches_d & (debugs_d | {Triggers{te_q[0]}});

  // Triggers are few and instructions wait anyway: one comparator is enough.
  logic hit;
  always_comb begin
    hit = 1'b0;
    if (state_q == StCompare) begin
      hit = watches_q[number_q] && (debugs_q[number_q] || te_q[0]) && nic_core_trigger_pkg::agrees(triggers_q[number_q], nic_core_trigger_pkg::seen_t'{
        loaded:     loaded_q,
        decoded:    decoded_i,
        compressed: compressed_i,
        is_load:    is_load_i,
        is_store:   is_store_i,
        size_log2:  loaded_q ? load_size_log2_q : size_log2_i,
        pc:         pc_i,
        encoding:   encoding_i,
        addr:       addr_q,
        data:       data_q
      });
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q          <= StOff;
      watches_q        <= '0;
      hits_q           <= '0;
      fire_debug_q     <= 1'b0;
      fire_exception_q <= 1'b0;
    end else if (state_q != StOff || written || (redirect_i && watches_q != '0)) begin
      if (load_starts_i) load_size_log2_q <= size_log2_i;

      if (state_q != StCompare && state_q != StLate) begin
        hits_q           <= '0;
        fire_debug_q     <= 1'b0;
        fire_exception_q <= 1'b0;
      end

      unique case (state_q)
        StFree: begin
          addr_q   <= addr_i;
          data_q   <= load_valid_i ? load_data_i : wdata_i;
          loaded_q <= load_valid_i;
          number_q <= '0;
          if (load_valid_i || could_start_i) state_q <= StCompare;
        end
        StCompare: begin
          number_q <= number_q + number_t'(1);
          if (hit) begin
            hits_q[number_q] <= 1'b1;
            if (debugs_q[number_q]) fire_debug_q     <= 1'b1;
            else                    fire_exception_q <= 1'b1;
          end
          if (number_q == number_t'(Triggers - 1)) state_q <= !loaded_q ? StDone : (hits_q != '0 || hit) ? StLate : StFree;
        end
        StLate:  if (fired_i) state_q <= StFree;
        default: state_q <= StFree;
      endcase

      // Not only writes but also traps, returns and changes of the mode arm and disarm triggers. A
      // stored instruction is void then; a stored load stays.
      if (state_q == StRevise || (redirect_i && state_q != StLate && !(state_q == StCompare && loaded_q))) begin
        watches_q <= watches_d;
        debugs_q  <= debugs_d;
        state_q   <= (armed_d != '0 && !debug_mode_i) ? StFree : StOff;
      end

      if (written) state_q <= StRevise;
    end
  end

  // ---- CSRs -------------------------------------------------------------------------

  // The selected trigger; all its fields are zero until it is written.
  function automatic nic_core_trigger_pkg::trigger_t current(input logic known, input nic_core_trigger_pkg::trigger_t trigger);
    return known ? trigger : nic_core_trigger_pkg::trigger_t'('0);
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tselect_q <= '0;
      te_q      <= '0;
      known_q   <= '0;
      hit0_q    <= '0;
      hit1_q    <= '0;
    end else begin
      if (te_q != '0) begin
        if (trap_i)      te_q <= {te_q[0], 1'b0};
        else if (mret_i) te_q <= {te_q[1], te_q[1]};
      end
      if (written) begin
        unique case (csr_addr_i)
          Tselect:  tselect_q <= csr_wdata_i[$bits(tselect_q)-1:0];
          Tcontrol: te_q      <= {csr_wdata_i[7], csr_wdata_i[3]};
          Tdata1, Tdata2: begin
            if (debug_mode_i || !(known_q[tselect_q] && triggers_q[tselect_q].dmode)) begin
              known_q[tselect_q]    <= 1'b1;
              triggers_q[tselect_q] <= csr_addr_i == Tdata1
                                     ? nic_core_trigger_pkg::with_tdata1(current(known_q[tselect_q], triggers_q[tselect_q]), csr_wdata_i, debug_mode_i)
                                     : nic_core_trigger_pkg::with_tdata2(current(known_q[tselect_q], triggers_q[tselect_q]), csr_wdata_i);
              if (csr_addr_i == Tdata1) begin
                hit0_q[tselect_q] <= csr_wdata_i[22];
                hit1_q[tselect_q] <= csr_wdata_i[25];
              end
            end
          end
          default: ;
        endcase
      end
      if (fired_i) begin
        hit0_q <= hit0_q | hits_q;
        hit1_q <= late_o ? hit1_q | hits_q : hit1_q & ~hits_q;
      end
    end
  end

  logic [31:0] rdata;
  always_comb begin
    rdata  = 32'd0;
    exists = 1'b0;
    if (csr_addr_i[11:3] == Tselect[11:3]) begin
      exists = 1'b1;
      unique case (csr_addr_i[2:0])
        Tselect[2:0]:  rdata  = 32'(tselect_q);
        Tdata1[2:0]:   rdata  = nic_core_trigger_pkg::tdata1(current(known_q[tselect_q], triggers_q[tselect_q]), {hit1_q[tselect_q], hit0_q[tselect_q]});
        Tdata2[2:0]:   rdata  = known_q[tselect_q] ? triggers_q[tselect_q].tdata2 : 32'd0;
        Tinfo[2:0]:    rdata  = TinfoValue;
        Tcontrol[2:0]: rdata  = {24'd0, te_q[1], 3'd0, te_q[0], 3'd0};
        default:       exists = 1'b0;
      endcase
    end
  end

  assign csr_exists_o = exists;
  assign csr_rdata_o  = rdata;

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (fired_i) FiresWithReason: assert (hits_q != '0);
      if (debug_mode_i) SilentInDebug: assert (state_q != StCompare && state_q != StDone && state_q != StLate);
    end
  end

endmodule

`default_nettype wire
