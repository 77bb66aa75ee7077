#!/usr/bin/env bash
# How much of each dissector the corpus of `dissect` reaches, and of the analysis that of
# `analyse`: lines and regions by file. Run it behind run.sh, which makes the corpus grow.
# Usage: coverage.sh; needs what run.sh needs, and nightly's llvm-tools.
set -euo pipefail
cd "$(dirname "$0")"
[ -d corpus/dissect ] || cargo +nightly run --quiet --bin seeds
rustup component add --quiet --toolchain nightly llvm-tools 2>/dev/null || true
host=$(rustc +nightly -vV | awk '/^host:/ { print $2 }')
tools=$(rustc +nightly --print sysroot)/lib/rustlib/$host/bin

for target in dissect analyse; do
    case $target in
    dissect) sources=../dissectors/src ;;
    analyse) sources=../crates/analysis/src ;;
    esac
    cargo +nightly fuzz coverage --fuzz-dir . "$target" >/dev/null 2>&1
    program=$(find "${CARGO_TARGET_DIR:-target}" -path "*coverage*/release/$target" -type f | head -n 1)
    echo "== $target: $(find "corpus/$target" -type f | wc -l) inputs"
    "$tools/llvm-cov" report "$program" --instr-profile "coverage/$target/coverage.profdata" \
        --sources "$sources" |
        awk 'NF > 9 && $1 != "Filename" { printf "%-28s lines %7s  regions %7s\n", $1, $10, $4 }'
done
