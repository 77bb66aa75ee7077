#!/usr/bin/env bash
# What the screen costs when nothing moves, and whether its memory stays flat: the program runs in
# tmux, and /proc tells.
# usage: [WIREWAIT=path/to/wirewait] benches/screen.sh [seconds [interface]]
#   - `view` at the end of a capture, and paused in the middle of it
#   - `view` replaying the capture over and over for that long
#   - `live` on an interface on which nothing comes, if one is named and the rights are there
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
interface=${2:-}
command -v tmux >/dev/null || { echo "screen.sh: tmux is needed" >&2; exit 1; }
program=${WIREWAIT:-}
if [ -z "$program" ]; then
    cargo build --release --quiet
    program=${CARGO_TARGET_DIR:-$PWD/target}/release/wirewait
fi
capture=$PWD/captures/demo.pcapng
socket=wirewait-bench-$$
folder=$(mktemp -d)
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT

start() { # the command line
    # Another server each time: the one before may still be on its way out.
    tmux -L "$socket" kill-server 2>/dev/null || true
    socket=wirewait-bench-$$-$SECONDS
    tmux -L "$socket" -f /dev/null new-session -d -x 132 -y 43 "exec $*"
    pid=$(tmux -L "$socket" display-message -p '#{pane_pid}')
    sleep 3
}
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$pid/stat"; }
memory() { awk '/^RssAnon:/ { print $2 }' "/proc/$pid/status"; }
# Processor time in % of one core over so many seconds (a tick is 10 ms), and bytes drawn: what
# is written by the whole process, of which nothing else writes here.
cost() {
    local before after wrote
    before=$(ticks); wrote=$(awk '/^wchar/ { print $2 }' "/proc/$pid/io" 2>/dev/null || echo 0)
    sleep "$1"
    after=$(ticks)
    awk -v t=$((after - before)) -v s="$1" -v w=$(($(awk '/^wchar/ { print $2 }' "/proc/$pid/io" 2>/dev/null || echo 0) - wrote)) \
        'BEGIN { printf "%5.2f %% of a core, %6.0f bytes drawn a second\n", t / s, w / s }'
}

start "$program" view "$capture" --speed max
printf 'view, at the end:          '; cost "$seconds"
start "$program" view "$capture" --speed 1
tmux -L "$socket" send-keys Space; sleep 1
printf 'view, paused:              '; cost "$seconds"
start "$program" view "$capture" --speed 10
printf 'view, at ten times:        '; cost 5

start "$program" view "$capture" --speed max
first=$(memory)
echo "view, replayed again and again, memory in KiB:"
end=$((SECONDS + seconds)); next=$SECONDS; rounds=0
while [ "$SECONDS" -lt "$end" ]; do
    tmux -L "$socket" send-keys '{'; sleep 0.3
    tmux -L "$socket" send-keys '}'; sleep 0.7
    rounds=$((rounds + 1))
    if [ "$SECONDS" -ge "$next" ]; then
        printf '  after %4d rounds %7d\n' "$rounds" "$(memory)"
        next=$((SECONDS + (seconds + 5) / 6))
    fi
done
printf '  in the beginning %7d, at the end %7d\n' "$first" "$(memory)"

if [ -n "$interface" ]; then
    start "$program" live -i "$interface"
    printf 'live, nothing comes:       '; cost "$seconds"
fi
