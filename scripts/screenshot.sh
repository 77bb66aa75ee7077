#!/usr/bin/env bash
# Makes the README's picture of the screen: a real one, in a real terminal (tmux).
# usage: [WIREWAIT=path/to/wirewait] scripts/screenshot.sh [docs/screen.svg]
set -euo pipefail
# Not what somebody has configured here.
export XDG_CONFIG_HOME=/nonexistent
cd "$(dirname "$0")/.."
out=${1:-docs/screen.svg}
for tool in tmux python3; do
    command -v "$tool" >/dev/null || { echo "screenshot.sh: $tool is needed" >&2; exit 1; }
done
program=${WIREWAIT:-}
if [ -z "$program" ]; then
    cargo build --release --quiet
    program=${CARGO_TARGET_DIR:-target}/release/wirewait
fi
socket=wirewait-screenshot-$$
trap 'tmux -L "$socket" kill-server 2>/dev/null || true' EXIT
tmux -L "$socket" -f /dev/null new-session -d -x 110 -y 32 \
    "env -u NO_COLOR TERM=screen-256color COLORTERM=truecolor LC_ALL=C.UTF-8 \
        $program view captures/demo.pcapng --speed max"
# All of it was shown when the replay says that it ended.
for _ in $(seq 100); do
    tmux -L "$socket" capture-pane -p | grep -qw END && break
    sleep 0.1
done
sleep 0.5
tmux -L "$socket" capture-pane -p -e | python3 scripts/ansi-to-svg.py >"$out"
tmux -L "$socket" send-keys q
echo "$out"
