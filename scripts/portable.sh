#!/usr/bin/env bash
# Machines that are not here: what reads frames must not care for the width of a word or the
# order of its bytes. Checks `wire`, `dissectors` and `analysis` for a machine of 32 bits and
# for a big-endian one; with `tests`, runs their tests for both: the first as programs of their
# own (wants gcc-multilib), the second in Miri, which takes its time (wants a nightly toolchain).
# Usage: portable.sh [tests]
set -euo pipefail
cd "$(dirname "$0")/.."
small=i686-unknown-linux-gnu
big=s390x-unknown-linux-gnu
packages=(-p wirewait-wire -p wirewait-dissectors -p wirewait-analysis)

if ! command -v rustup >/dev/null || ! rustup target add $small $big 2>/dev/null; then
    echo "SKIPPED: 32 bits and big-endian: rustup has no libraries for them here"
    exit 77
fi
for target in $small $big; do
    echo "== check, $target"
    cargo check --quiet --target $target "${packages[@]}"
done
[ "${1:-}" = tests ] || exit 0
echo "== tests, $small"
cargo test --quiet --target $small "${packages[@]}" --lib
echo "== tests, $big"
rustup component add miri rust-src --toolchain nightly 2>/dev/null
MIRIFLAGS=-Zmiri-disable-isolation \
    cargo +nightly miri test --quiet --target $big -p wirewait-wire -p wirewait-dissectors --lib
