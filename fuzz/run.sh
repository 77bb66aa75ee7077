#!/usr/bin/env bash
# Runs every fuzz target for SECONDS (60 if not said), or only the targets named behind it.
# Needs rustup; installs a nightly toolchain and cargo-fuzz if they are missing.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- dissect answers analyse pairing records stream files profile filter config condition

rustup toolchain list | grep -q nightly || rustup toolchain install nightly --profile minimal
cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cargo +nightly run --quiet --bin seeds
for target in "$@"; do
    echo "== $target, $seconds s"
    export CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true
    # What libFuzzer says is long; of a good run its last line is enough.
    if ! cargo +nightly fuzz run --fuzz-dir . "$target" -- \
        -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=4096 >"$log" 2>&1; then
        tail -n 80 "$log"
        exit 1
    fi
    grep '^Done' "$log"
done
