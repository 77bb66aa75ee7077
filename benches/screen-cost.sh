#!/usr/bin/env bash
# What the screen costs beside the analysis: processor time of `view --speed max`, until it has
# shown all of a capture, against that of `report`, and the bytes that the last minutes take with
# 50 clients and with 5,000, by their own count and by an allocator's.
# Usage: screen-cost.sh [FRAMES [SHAPE...]]; WIREWAIT names another program than the one built here.
set -euo pipefail
cd "$(dirname "$0")/.."
frames=${1:-500000}
shift $(($# > 0 ? 1 : 0))
[ $# -gt 0 ] || set -- ncp smbtcp smbnbf smb2 mix
command -v tmux >/dev/null || { echo "screen-cost.sh: tmux is needed" >&2; exit 1; }

target=${CARGO_TARGET_DIR:-$PWD/target}
[ -n "${WIREWAIT:-}" ] || cargo build --release --quiet
program=${WIREWAIT:-$target/release/wirewait}
[ -n "${WIREWAIT:-}" ] || cargo build --release --quiet -p wirewait-synth --example bulk
work=$(mktemp -d "${TMPDIR:-/tmp}/screen-cost.XXXXXX")
socket=
trap '[ -z "$socket" ] || tmux -S "$socket" kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
hundredths=$((100 / $(getconf CLK_TCK)))

# Processor time of a process and its threads, hundredths of a second.
spent() { awk -v h="$hundredths" '{ sub(/.*\) /, ""); print ($12 + $13) * h }' "/proc/$1/stat"; }

report() {
    local TIMEFORMAT='%U %S'
    { time "$program" --no-config report --threads 1 "$work/capture.pcap" >/dev/null 2>&1; } 2>&1 |
        awk '{ printf "%d\n", ($1 + $2) * 100 }'
}
view() {
    # Another server each time: the one before may still be on its way out.
    socket=$(mktemp -u "$work/tmux.XXXXXX")
    tmux -S "$socket" -f /dev/null new-session -d -x 132 -y 43 \
        "exec '$program' --no-config view --speed max '$work/capture.pcap'"
    local pid
    pid=$(tmux -S "$socket" display-message -p '#{pane_pid}')
    until tmux -S "$socket" capture-pane -p | grep -q '  END  '; do
        kill -0 "$pid" 2>/dev/null || { echo "screen-cost.sh: view ended early" >&2; exit 1; }
        sleep 0.1
    done
    spent "$pid"
    tmux -S "$socket" send-keys q
    while tmux -S "$socket" has-session 2>/dev/null; do sleep 0.1; done
}

printf '%-8s %12s %12s %8s\n' shape 'report, s' 'view, s' 'times'
for shape in "$@"; do
    "$target/release/examples/bulk" "$shape" "$frames" 7 "$work/capture.pcap" 2>/dev/null
    report=$(report)
    view=$(view)
    awk -v shape="$shape" -v report="$report" -v view="$view" \
        'BEGIN { printf "%-8s %12.2f %12.2f %8.2f\n", shape, report / 100, view / 100, view / report }'
done
[ -n "${WIREWAIT:-}" ] ||
    cargo test --quiet --test integration what_the_last_minutes_take -- --nocapture 2>&1 |
    grep 'the last minutes,'
