-f rtl/dma/dma.f
-f rtl/checkers/checkers.f
testbench/benches/engines/rtl/bench_dma.sv
