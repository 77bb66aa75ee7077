#!/usr/bin/env bash
# What the screen costs beside the analysis: instructions a frame of `view --speed max` against
# `report`, counted by valgrind, and the bytes that the last minutes take with 50 clients and with
# 5,000, by their own count and by an allocator's. What a run costs apart from its frames is left
# out, by the difference of two runs; what `view` draws meanwhile is in it, and depends a little
# on how busy the machine is.
# Usage: screen-cost.sh [SHAPE...]
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- ncp smbtcp smbnbf smb2 mix
few=20000
many=60000
for tool in tmux valgrind; do
    command -v "$tool" >/dev/null || { echo "screen-cost.sh: $tool is needed" >&2; exit 1; }
done

cargo build --release --quiet
cargo build --release --quiet -p wirewait-synth --example bulk
target=${CARGO_TARGET_DIR:-$PWD/target}
work=$(mktemp -d "${TMPDIR:-/tmp}/screen-cost.XXXXXX")
trap 'for s in "$work"/tmux.*; do tmux -S "$s" kill-server 2>/dev/null || true; done; rm -rf "$work"' EXIT
counted="valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=$work/log"

# Instructions of a report of the capture.
report() {
    $counted "$target/release/wirewait" report --threads 1 --format json "$work/capture.pcap" >/dev/null
    collected
}
# The same of the screen, until it has shown all of it.
view() {
    # Another server each time: the one before may still be on its way out.
    socket=$(mktemp -u "$work/tmux.XXXXXX")
    tmux -S "$socket" -f /dev/null new-session -d -x 132 -y 43 \
        "exec $counted $target/release/wirewait view --speed max $work/capture.pcap"
    until tmux -S "$socket" capture-pane -p 2>/dev/null | grep -q '  END  '; do
        if ! tmux -S "$socket" has-session 2>/dev/null; then
            echo "screen-cost.sh: view ended early; $(tail -n 1 "$work/log")" >&2
            return 1
        fi
        sleep 0.5
    done
    tmux -S "$socket" send-keys q
    while tmux -S "$socket" has-session 2>/dev/null; do
        sleep 0.2
    done
    collected
}
collected() { awk '/Collected/ { print $NF }' "$work/log"; }
count() { # what, the shape, frames
    "$target/release/examples/bulk" "$2" "$3" 7 "$work/capture.pcap" 2>/dev/null
    "$1"
}
each() {
    local more less
    more=$(count "$1" "$2" $many)
    less=$(count "$1" "$2" $few)
    echo $(((more - less) / (many - few)))
}

printf '%-8s %14s %14s %8s\n' shape report view 'times'
for shape in "$@"; do
    report=$(each report "$shape")
    view=$(each view "$shape")
    awk -v shape="$shape" -v report="$report" -v view="$view" \
        'BEGIN { printf "%-8s %14d %14d %8.2f\n", shape, report, view, view / report }'
done
cargo test --quiet --test integration what_the_last_minutes_take -- --nocapture 2>&1 |
    grep 'the last minutes,'
