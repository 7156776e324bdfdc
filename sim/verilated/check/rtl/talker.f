// Relative to this list
talker.sv
