#!/bin/bash
# Runs every test of the workspace and ends with one line that counts them. In the release profile: it shares the models, which
# are most of a build, with `make run`; overflow checks are on there.
set -u
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cargo test --release --workspace --no-fail-fast 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
# Each test binary closes with its own counts; the last line is their sum.
awk '/^test result:/ { passed += $4; failed += $6; skipped += $8 } END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }' "$log"
exit "$status"
