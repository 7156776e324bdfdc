-f rtl/link/link.f
-f rtl/checkers/checkers.f
testbench/engines/rtl/bench_mac.sv
