// Parts of the PCI block side by side, to break their contracts one by one.

`default_nettype none

module bench_pci_parts (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // nic_pci_range
  input  wire logic        range_load_i,
  input  wire logic [31:0] range_addr_i,
  input  wire logic [15:0] range_len_bytes_i,
  input  wire logic        range_wide_i,
  input  wire logic        range_narrow_i,
  output wire logic [14:0] range_left_dwords_o,
  output wire logic [14:0] range_left_words_o,
  output wire logic [7:0]  range_be_wide_o,
  output wire logic [3:0]  range_be_narrow_o,

  // nic_pci_lanes
  input  wire logic        lanes_target_oe_i,
  input  wire logic        lanes_master_oe_i,
  output wire logic [1:0]  lanes_ad_oe_o,

  // nic_pci_delayed_read
  input  wire logic        read_attempt_i,
  input  wire logic [3:0]  read_dwords_i,
  input  wire logic        read_next_i,
  output wire logic        read_ask_o
);

  /* verilator lint_off PINCONNECTEMPTY */  // only what the tests look at is laid open
  nic_pci_range u_range (
    .clk_i                (clk_i),
    .rst_ni               (rst_ni),
    .load_i               (range_load_i),
    .cmd_i                ('{addr: range_addr_i, len_bytes: range_len_bytes_i}),
    .move_i               ('{wide: range_wide_i, narrow: range_narrow_i}),
    .addr_o               (),
    .left_dwords_o        (range_left_dwords_o),
    .left_words_o         (range_left_words_o),
    .left_none_o          (),
    .left_single_word_o   (),
    .next_word_o          (),
    .next_none_o          (),
    .next_odd_o           (),
    .next_be_wide_o       (range_be_wide_o),
    .next_be_narrow_o     (range_be_narrow_o),
    .next_single_wide_o   (),
    .next_single_narrow_o ()
  );

  nic_pci_lanes u_lanes (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .target_load_i     (1'b0),
    .target_ad_i       ('0),
    .target_oe_i       (lanes_target_oe_i),
    .master_ad_load_i  (1'b0),
    .master_ad_i       ('0),
    .master_ad_oe_i    ({1'b0, lanes_master_oe_i}),
    .master_cbe_load_i (1'b0),
    .master_cbe_ni     ('0),
    .master_cbe_oe_i   ('0),
    .ad_o              (),
    .ad_oe_o           (lanes_ad_oe_o),
    .cbe_no            (),
    .cbe_oe_o          ()
  );

  nic_pci_delayed_read u_delayed_read (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .attempt_i      (read_attempt_i),
    .command_i      (nic_pci_pkg::CMD_MEMORY_READ),
    .addr_i         ('0),
    .be_ni          ('0),
    .dwords_i       (read_dwords_i),
    .queue_free_i   (1'b1),
    .ask_o          (read_ask_o),
    .deliver_o      (),
    .next_i         (read_next_i),
    .end_i          (1'b0),
    .answer_valid_i (1'b0),
    .answer_used_i  ('0),
    .answer_ready_o (),
    .discard_o      ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule

`default_nettype wire
