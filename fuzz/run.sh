#!/bin/sh
# Runs every fuzz target for SECONDS (60 if not said), or only the targets named behind it.
# Needs rustup; installs a nightly toolchain and cargo-fuzz if they are missing.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- dissect analyse pairing stream files

rustup toolchain list | grep -q nightly || rustup toolchain install nightly --profile minimal
cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked

cargo +nightly run --quiet --bin seeds
for target in "$@"; do
    echo "== $target, $seconds s"
    cargo +nightly fuzz run --fuzz-dir . "$target" -- \
        -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=4096 -print_final_stats=0
done
