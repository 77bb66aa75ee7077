#!/usr/bin/env bash
# Machines that are not here. What reads frames must not care for the width of a word or the order
# of its bytes: `wire`, `dissectors` and `analysis` are checked for a machine of 32 bits and for a
# big-endian one. The program is checked for other systems. With `tests`,
# runs the tests of the three for both machines: the first as programs of their own (wants
# gcc-multilib), the second in Miri, which takes its time (wants a nightly toolchain).
# Usage: portable.sh [tests]
set -euo pipefail
cd "$(dirname "$0")/.."
small=i686-unknown-linux-gnu
big=s390x-unknown-linux-gnu
packages=(-p wirewait-wire -p wirewait-dissectors -p wirewait-analysis)
systems=(x86_64-pc-windows-gnu aarch64-apple-darwin x86_64-unknown-freebsd)

if ! command -v rustup >/dev/null || ! rustup target add $small $big 2>/dev/null; then
    echo "SKIPPED: 32 bits and big-endian: rustup has no libraries for them here"
    exit 77
fi
for target in $small $big; do
    echo "== check, $target"
    cargo check --quiet --target $target "${packages[@]}"
done
for target in "${systems[@]}"; do
    if ! rustup target add "$target" 2>/dev/null; then
        echo "SKIPPED: $target: rustup has no libraries for it here"
        continue
    fi
    echo "== check of the program, $target"
    # A check links nothing, so that no C compiler for that system is needed.
    TARGET_CC=true TARGET_AR=true cargo check --quiet --target "$target"
done
[ "${1:-}" = tests ] || exit 0
echo "== tests, $small"
cargo test --quiet --target $small "${packages[@]}" --lib
echo "== tests, $big"
rustup component add miri rust-src --toolchain nightly 2>/dev/null
MIRIFLAGS=-Zmiri-disable-isolation \
    cargo +nightly miri test --quiet --target $big -p wirewait-wire -p wirewait-dissectors --lib
