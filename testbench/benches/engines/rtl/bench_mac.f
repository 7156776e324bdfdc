-f rtl/link/link.f
-f rtl/checkers/checkers.f
testbench/benches/engines/rtl/bench_mac.sv
