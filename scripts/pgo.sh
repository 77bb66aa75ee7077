#!/usr/bin/env bash
# Builds a wirewait that takes a fifth less time: the compiler is told what it did on captures that synth makes
# (profile-guided optimisation). Takes two builds and leaves the program in target/pgo/wirewait.
# Usage: pgo.sh; needs rustup's llvm-tools and adds them if they are missing.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/pgo"
target=$(cd "$target" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/pgo.XXXXXX")
trap 'rm -rf "$work"' EXIT

merge=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | awk '/^host:/ { print $2 }')/bin/llvm-profdata
if [ ! -x "$merge" ]; then
    rustup component add llvm-tools
fi

cargo build --release --quiet -p wirewait-synth --example bulk
bulk=$target/release/examples/bulk

# A folder of its own: other flags would build everything in the usual one anew.
export CARGO_TARGET_DIR=$target/pgo/build
RUSTFLAGS="-Cprofile-generate=$work/raw" cargo build --release --quiet
# It writes its profile at the end, so it keeps its rights. Those of programs that take part in the build are of no use.
report=("$CARGO_TARGET_DIR/release/wirewait" report --no-sandbox --user "$(id -un)")
export LLVM_PROFILE_FILE=$work/raw/program-%p.profraw
rm -rf "$work/raw"
for shape in ncp smbtcp smbnbf smb2 mix churn; do
    echo "watching it work on $shape" >&2
    "$bulk" "$shape" 100000 3 "$work/$shape.pcap" 2>/dev/null
    for threads in 1 2; do
        "${report[@]}" --threads "$threads" "$work/$shape.pcap" >/dev/null
    done
done
"${report[@]}" --format json captures/*.pcap* >/dev/null
unset LLVM_PROFILE_FILE
"$merge" merge -o "$work/profile" "$work/raw"

RUSTFLAGS="-Cprofile-use=$work/profile" cargo build --release --quiet
cp "$CARGO_TARGET_DIR/release/wirewait" "$target/pgo/wirewait"
echo "$target/pgo/wirewait"
