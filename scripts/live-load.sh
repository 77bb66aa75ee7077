#!/usr/bin/env bash
# How much `wirewait live` takes: frames are sent over a veth pair at one rate after another,
# first with dumpcap listening, then with wirewait; at the highest rate that dumpcap takes without
# a drop, and at twice that. Then, if asked, a soak.
#
#   live-load.sh WIREWAIT [SECONDS]              the highest rates, SECONDS (5) each
#   live-load.sh WIREWAIT soak [MINUTES [RATE]]  10 minutes at 30000 frames/s: memory every 10 s,
#                                                of a plain report and of the screen beside it
#
# WIREWAIT should be a release build. Needs root (namespaces), ip, dumpcap, tcpreplay, tmux (for
# the screen), cargo's example `bulk` (built here) for the frames. The sender takes a processor,
# too: with two of them all numbers are for one processor that receives and analyses.
set -uo pipefail
# Not what somebody has configured here.
export XDG_CONFIG_HOME=/nonexistent
[ $# -ge 1 ] || { sed -n '2,14p' "$0"; exit 2; }
wirewait=$(realpath "$1")
mode=${2:-5}
root=$(cd "$(dirname "$0")/.." && pwd)
for tool in ip dumpcap tcpreplay tmux python3; do
    command -v $tool >/dev/null || { echo "SKIPPED: live-load: there is no $tool"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "SKIPPED: live-load: not root"; exit 77; }

id=wl$$
server=$id-s client=$id-c
work=$(mktemp -d)
clean() {
    # Those that still run; numbers of others may be somebody else's by now.
    kill $(jobs -pr) 2>/dev/null
    tmux -L $id kill-server 2>/dev/null
    ip netns del $server 2>/dev/null
    ip netns del $client 2>/dev/null
    rm -rf "$work"
}
trap clean EXIT
for space in $server $client; do
    ip netns add $space
    ip netns exec $space sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
done
ip link add s0 netns $server type veth peer name c0 netns $client
ip -n $server link set s0 up
ip -n $client link set c0 up

until_says() {
    for _ in $(seq 100); do
        grep -q -- "$2" "$1" 2>/dev/null && return
        sleep 0.1
    done
    cat "$1"
    exit 1
}
received() { ip netns exec $server cat /sys/class/net/s0/statistics/rx_packets; }

echo "making frames"
bulk=${BULK:-}
if [ -z "$bulk" ]; then
    (cd "$root" && cargo build --quiet --release -p wirewait-synth --example bulk) || exit 1
    bulk=${CARGO_TARGET_DIR:-$root/target}/release/examples/bulk
fi
frames=${FRAMES:-400000}
"$bulk" mix "$frames" 1 "$work/mix.pcap" 2>/dev/null || exit 1

# Sends so many of them at a rate; says the rate that came out and how many arrived.
send() { # send RATE COUNT
    local before after begun ended
    before=$(received)
    begun=$(date +%s.%N)
    ip netns exec $client tcpreplay -q -K --loop=1000000 --limit="$2" --pps="$1" -i c0 "$work/mix.pcap" \
        >"$work/send.out" 2>&1
    ended=$(date +%s.%N)
    after=$(received)
    arrived=$((after - before))
    rate=$(grep -o 'Rated: .*' "$work/send.out" | grep -o '[0-9.]* pps' | cut -d. -f1)
    rate=${rate:-$(python3 -c "print(int($arrived / ($ended - $begun)))")}
}

# One round: what was dropped of COUNT frames at RATE.
with_dumpcap() { # with_dumpcap RATE COUNT
    ip netns exec $server dumpcap -q -i s0 -B 64 -w "$work/saved" 2>"$work/dumpcap.err" &
    local pid=$!
    until_says "$work/dumpcap.err" "File:"
    sleep 0.5
    send "$1" "$2"
    sleep 1
    kill -TERM $pid
    wait $pid
    # Packets received/dropped on interface 's0': 1000/0 (...)
    dropped=$(grep -o ": [0-9]*/[0-9]* (" "$work/dumpcap.err" | tail -n 1 | tr -dc '0-9/' | cut -d/ -f2)
    rm -f "$work/saved"
}
with_wirewait() { # with_wirewait RATE COUNT [BUFFER SECONDS]: held still for so long meanwhile
    ip netns exec $server "$wirewait" live -i s0 --buffer "${3:-64M}" --format json -o "$work/report.json" 2>"$work/live.err" &
    local pid=$!
    until_says "$work/live.err" "capturing on"
    sleep 0.5
    if [ -n "${4:-}" ]; then
        (sleep 0.5; kill -STOP $pid; sleep "$4"; kill -CONT $pid) &
    fi
    send "$1" "$2"
    [ -n "${4:-}" ] && sleep "$4"
    sleep 1
    kill -TERM $pid
    wait $pid
    read -r seen dropped grade <<<"$(counted)"
    tail -n 1 "$work/live.err" | sed 's/^/    /'
    account
}
# Frames, drops and the grade of the report.
counted() {
    python3 -c "
import json
capture = json.load(open('$work/report.json'))['capture']
print(capture['frames'], capture['dropped'], capture['quality']['grade'])"
}
# What was sent is what was seen and what was dropped.
account() {
    if [ $((seen + dropped)) = "$arrived" ]; then
        echo "    at $rate/s: $seen seen + $dropped dropped = $arrived sent; quality $grade"
    else
        echo "    FAILED: $seen seen + $dropped dropped is not $arrived sent"
        failed=1
    fi
}

# The screen, in a terminal of its own; what it says when it is left goes to screen.err.
screen_on() {
    tmux -L $id -f /dev/null new-session -d -x 132 -y 43 \
        "exec ip netns exec $server '$wirewait' live -i s0 --buffer 64M 2>'$work/screen.err'"
    screen=$(tmux -L $id display-message -p '#{pane_pid}')
    for _ in $(seq 100); do
        tmux -L $id capture-pane -p | grep -q Overview && return
        sleep 0.1
    done
    cat "$work/screen.err"
    exit 1
}
screen_off() {
    tmux -L $id send-keys q
    for _ in $(seq 100); do
        kill -0 "$screen" 2>/dev/null || break
        sleep 0.1
    done
    # 1000 frames in 5.0 s; s0: 0 dropped; ...
    read -r seen dropped <<<"$(grep -a 'frames in' "$work/screen.err" | tail -n 1 | tr -d , |
        sed -E 's/^[^0-9]*([0-9]+) frames in .*: ([0-9]+) dropped.*/\1 \2/')"
    grade='as the screen says'
    grep -a 'frames in' "$work/screen.err" | tail -n 1 | sed 's/^/    /'
}
with_screen() { # with_screen RATE COUNT
    screen_on
    sleep 0.5
    send "$1" "$2"
    sleep 1.5
    screen_off
    account
}

failed=0
if [ "$mode" = soak ]; then
    minutes=${3:-10} rate=${4:-30000}
    ip netns exec $server "$wirewait" live -i s0 --format json -o "$work/report.json" 2>"$work/live.err" &
    pid=$!
    until_says "$work/live.err" "capturing on"
    screen_on
    ip netns exec $client tcpreplay -q -K --loop=1000000 --limit=$((minutes * 60 * rate)) --pps="$rate" -i c0 \
        "$work/mix.pcap" >"$work/send.out" 2>&1 &
    sender=$!
    echo "seconds   frames  RssAnon kB: report  screen"
    begun=$SECONDS
    minute= last=
    anonymous() { awk '/RssAnon/ {print $2}' "/proc/$1/status"; }
    while kill -0 $sender 2>/dev/null; do
        sleep 10
        now=$((SECONDS - begun))
        last="$(anonymous $pid) $(anonymous "$screen")"
        [ -z "$minute" ] && [ $now -ge 60 ] && minute=$last
        # shellcheck disable=SC2086 # two numbers
        printf '%7d %8d %19d %7d\n' $now "$(received)" $last
    done
    sleep 1
    arrived=$(received)
    kill -TERM $pid
    wait $pid
    echo "report:"
    read -r seen dropped grade <<<"$(counted)"
    tail -n 1 "$work/live.err" | sed 's/^/    /'
    account
    echo "screen:"
    screen_off
    account
    # Flat: what is kept is bounded, and was all there after a minute, up to a tenth. The screen
    # keeps ten minutes, second by second, and fills them first: docs/bounds.md has its bounds.
    for of in 1 2; do
        then=$(echo "$minute" | cut -d' ' -f$of) now=$(echo "$last" | cut -d' ' -f$of)
        echo "memory after the first minute ${then:-unknown} kB, at the end $now kB"
        [ $of = 1 ] && [ -n "$then" ] && [ "$now" -gt $((then + then / 10 + 4096)) ] && { echo "FAILED: it grew"; failed=1; }
    done
    exit $failed
fi

best=
for rate_wanted in 10000 20000 40000 60000 80000 100000 150000 200000 300000 400000 600000; do
    with_dumpcap $rate_wanted $((rate_wanted * mode))
    echo "dumpcap at $rate_wanted/s (came out as $rate/s): $dropped dropped of $arrived"
    [ "${dropped:-1}" = 0 ] || break
    # The sender may have no more to give.
    best=$rate
    [ "$rate" -lt $((rate_wanted * 8 / 10)) ] && break
done
[ -n "$best" ] || { echo "dumpcap drops at every rate"; exit 1; }
echo "wirewait at $best/s, the highest that dumpcap takes without a drop:"
with_wirewait "$best" $((best * mode))
[ "$dropped" = 0 ] || echo "    it drops where dumpcap does not"
echo "the same with the screen on:"
with_screen "$best" $((best * mode))
[ "$dropped" = 0 ] || echo "    it drops where dumpcap does not"
echo "the screen at twice that:"
with_screen $((2 * best)) $((2 * best * mode))
echo "wirewait at twice that:"
with_wirewait $((2 * best)) $((2 * best * mode))
[ "$rate" -lt $((2 * best * 8 / 10)) ] && echo "    (the sender had no more to give)"
echo "wirewait with a buffer of 1 MiB, held still for two seconds at $best/s:"
with_wirewait "$best" $((best * mode)) 1M 2
[ "$dropped" -gt 0 ] || { echo "    FAILED: nothing was lost, which cannot be"; failed=1; }
exit $failed
