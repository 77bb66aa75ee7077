#!/usr/bin/env bash
# `wirewait report`, on one thread and on two, beside tshark's response-time tables and a libpcap
# loop that does nothing, on captures that synth makes: median wall time of RUNS runs in turn, as
# ratios.
# Usage: side-by-side.sh [FRAMES [RUNS [SHAPE...]]]; without tshark its column stays empty.
# WIREWAIT names another build of it to be measured, as scripts/pgo.sh makes one.
set -euo pipefail
cd "$(dirname "$0")/.."
frames=${1:-2000000}
runs=${2:-5}
shift $(($# > 2 ? 2 : $#))
[ $# -gt 0 ] || set -- ncp smbtcp smbnbf smb2 mix

cargo build --release --quiet
cargo build --release --quiet -p wirewait-synth --example bulk
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d "${TMPDIR:-/tmp}/side-by-side.XXXXXX")
trap 'rm -rf "$work"' EXIT
wirewait=${WIREWAIT:-$target/release/wirewait}
cc -O2 -o "$work/loop" benches/loop.c -lpcap

# Wall time of one run in seconds, peak memory in KiB.
run() {
    local before after
    before=$(date +%s%N)
    "$@" >/dev/null 2>&1
    after=$(date +%s%N)
    echo $((after - before))
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

tables() {
    case $1 in
    ncp) echo "-z ncp,srt" ;;
    smb2) echo "-z smb2,srt" ;;
    mix) echo "-z ncp,srt -z smb,srt" ;;
    *) echo "-z smb,srt" ;;
    esac
}

printf '%-8s %9s %8s %8s %8s %9s %9s %9s %10s\n' capture frames 'one, ns' 'two, ns' 'loop' 'tshark' \
    'one/loop' 'two/loop' 'two/tshark'
for shape in "$@"; do
    file=$work/$shape.pcap
    "$target/release/examples/bulk" "$shape" "$frames" 1 "$file" 2>/dev/null
    cat "$file" >/dev/null
    : >"$work/ours"
    : >"$work/both"
    : >"$work/loops"
    : >"$work/theirs"
    for _ in $(seq "$runs"); do
        run "$wirewait" report --threads 1 "$file" >>"$work/ours"
        run "$wirewait" report --threads 2 "$file" >>"$work/both"
        run "$work/loop" "$file" >>"$work/loops"
    done
    if command -v tshark >/dev/null 2>&1; then
        # Minutes for millions of frames: once has to do.
        # shellcheck disable=SC2046
        run tshark -r "$file" -q $(tables "$shape") >>"$work/theirs"
    fi
    ours=$(median <"$work/ours")
    both=$(median <"$work/both")
    loops=$(median <"$work/loops")
    theirs=$(median <"$work/theirs")
    awk -v s="$shape" -v n="$frames" -v a="$ours" -v t="$both" -v b="$loops" -v c="${theirs:-0}" 'BEGIN {
        printf "%-8s %9d %8.0f %8.0f %8.0f %9s %8.1fx %8.1fx %10s\n", s, n, a / n, t / n, b / n,
            c ? sprintf("%.0f", c / n) : "-", a / b, t / b, c ? sprintf("1/%.1f", c / t) : "-"
    }'
    rm -f "$file"
done
[ "$frames" -gt 1048576 ] && echo "tshark's ncp,srt is wrong beyond frame 1,048,576: compare its speed there, not its figures."
exit 0
