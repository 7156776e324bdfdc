-f rtl/dma/dma.f
-f rtl/checkers/checkers.f
testbench/engines/rtl/bench_dma.sv
