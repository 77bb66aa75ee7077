#!/usr/bin/env bash
# `wirewait report`, on one thread and on two, beside a libpcap loop that does nothing and other
# programs, on captures that synth makes: median wall time of RUNS runs in turn, in nanoseconds a
# frame, and as ratios. The others: tcpdump that writes to /dev/null, capinfos without hashes,
# gopacket's fastest decoder (if there is Go), and once tshark's response-time tables.
# Usage: side-by-side.sh [FRAMES [RUNS [SHAPE...]]]; columns of programs that are not there say "-".
# WIREWAIT names another build of it to be measured, as scripts/release.sh makes one.
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

# Programs beside it, as far as they are here.
peers=(loop tcpdump capinfos gopacket)
declare -A command=([loop]="$work/loop" [tcpdump]="tcpdump -w /dev/null -r" [capinfos]="capinfos -c -u -a -e"
    [gopacket]="$work/gopacket")
# Without its download of modules there is no gopacket.
(cd benches/gopacket && go build -o "$work/gopacket" .) 2>/dev/null || true
for peer in "${peers[@]}"; do
    command -v "${command[$peer]%% *}" >/dev/null 2>&1 || unset "command[$peer]"
done

printf '%-8s %9s %6s %6s |' capture frames one two
printf ' %8s' "${peers[@]}" tshark
printf ' |'
printf ' %8s' "${peers[@]/#//}" /tshark
printf '\n'
for shape in "$@"; do
    file=$work/$shape.pcap
    "$target/release/examples/bulk" "$shape" "$frames" 1 "$file" 2>/dev/null
    cat "$file" >/dev/null
    rm -f "$work"/*.times
    for _ in $(seq "$runs"); do
        run "$wirewait" report --threads 1 "$file" >>"$work/one.times"
        run "$wirewait" report --threads 2 "$file" >>"$work/two.times"
        for peer in "${!command[@]}"; do
            # shellcheck disable=SC2086 # a command with its options
            run ${command[$peer]} "$file" >>"$work/$peer.times"
        done
    done
    if command -v tshark >/dev/null 2>&1; then
        # Minutes for millions of frames: once has to do.
        # shellcheck disable=SC2046
        run tshark -r "$file" -q $(tables "$shape") >>"$work/tshark.times"
    fi
    # What a frame costs in one program.
    each() {
        [ -s "$work/$1.times" ] || return 0
        median <"$work/$1.times" | awk -v n="$frames" '{ print $1 / n }'
    }
    one=$(each one)
    two=$(each two)
    printf '%-8s %9d %6.0f %6.0f |' "$shape" "$frames" "$one" "$two"
    for peer in "${peers[@]}" tshark; do
        each "$peer" | awk '{ printf " %8.0f", $1; found = 1 } END { if (!found) printf " %8s", "-" }'
    done
    printf ' |'
    for peer in "${peers[@]}" tshark; do
        each "$peer" | awk -v two="$two" -v one="$one" '{ best = one < two ? one : two; printf " %7.2fx", best / $1; found = 1 }
            END { if (!found) printf " %8s", "-" }'
    done
    printf '\n'
    rm -f "$file"
done
echo "ratios: the faster of one and two threads, as a multiple of the other program's time"
[ "$frames" -gt 1048576 ] && echo "tshark's ncp,srt is wrong beyond frame 1,048,576: compare its speed there, not its figures."
exit 0
