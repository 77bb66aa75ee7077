#!/usr/bin/env bash
# How much of each dissector the corpora of `dissect` and `answers` reach, and of the analysis that of
# `analyse`: lines and regions by file. Run it behind run.sh, which makes the corpus grow.
# Usage: coverage.sh; needs what run.sh needs, and nightly's llvm-tools.
set -euo pipefail
cd "$(dirname "$0")"
[ -d corpus/dissect ] || cargo +nightly run --quiet --bin seeds
rustup component add --toolchain nightly llvm-tools >/dev/null 2>&1 || true
host=$(rustc +nightly -vV | awk '/^host:/ { print $2 }')
tools=$(rustc +nightly --print sysroot)/lib/rustlib/$host/bin

for target in dissect answers analyse; do
    case $target in
    dissect | answers) sources=../dissectors/src ;;
    analyse) sources=../crates/analysis/src ;;
    esac
    cargo +nightly fuzz coverage --fuzz-dir . "$target" >/dev/null 2>&1
    # cargo-fuzz has a folder of its own for this, whatever CARGO_TARGET_DIR says.
    program=target/$host/coverage/$host/release/$target
    echo "== $target: $(find "corpus/$target" -type f | wc -l) inputs"
    "$tools/llvm-cov" report "$program" --instr-profile "coverage/$target/coverage.profdata" \
        --sources "$sources" |
        awk 'NF > 9 && $1 != "Filename" { printf "%-32s lines %7s  regions %7s\n", $1, $10, $4 }'
done
