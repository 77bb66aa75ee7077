#!/usr/bin/env bash
# Instructions that `wirewait report` spends on a frame of each shape that synth makes, counted
# by valgrind: the same on a busy machine. What a run costs apart from its frames is left out,
# by the difference of two runs. Fails where a shape is above its limit in instructions.limits.
# Usage: instructions.sh [SHAPE...]
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- ncp smbtcp smbnbf smb2 mix
few=20000
many=60000

cargo build --release --quiet
cargo build --release --quiet -p wirewait-synth --example bulk
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d "${TMPDIR:-/tmp}/instructions.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Instructions of a run over so many frames of a shape.
count() {
    "$target/release/examples/bulk" "$1" "$2" 7 "$work/capture.pcap" 2>/dev/null
    valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$target/release/wirewait" report --threads 1 --format json "$work/capture.pcap" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}

failed=0
printf '%-8s %22s %10s\n' shape 'instructions a frame' limit
for shape in "$@"; do
    limit=$(awk -v shape="$shape" '$1 == shape { print $2 }' benches/instructions.limits)
    each=$((($(count "$shape" $many) - $(count "$shape" $few)) / (many - few)))
    printf '%-8s %22d %10s\n' "$shape" "$each" "${limit:--}"
    if [ -z "$limit" ] || [ "$each" -gt "$limit" ]; then
        failed=1
    fi
done
exit $failed
