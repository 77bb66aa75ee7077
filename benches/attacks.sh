#!/usr/bin/env bash
# What traffic costs that is made to be dear: instructions that `wirewait report` spends on a
# frame of each attack that synth makes, early and late, and the memory it holds in the end.
# Fails where a late frame costs half as much again as an early one, where one costs more than
# LIMIT instructions, or where the memory exceeds what all tables together may take. A frame of a
# half-open flood may cost BEYOND hundredths of a frame between clients and a server at work.
# Twice as much is the bound of the design; what is reached is held.
# Usage: [FRAMES=20000] attacks.sh [ATTACK...]
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- holes backwards overlaps bytes open same compound chain fragments \
    connections stations half-open
# Frames of the shortest run, from one attacker.
few=${FRAMES:-20000}
limit=40000
beyond=180
memory_mib=256

cargo build --release --quiet
cargo build --release --quiet -p wirewait-synth --example bulk
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d "${TMPDIR:-/tmp}/attacks.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Instructions of a run over N frames (second argument) from M attackers (third; 50 clients without it).
count() {
    "$target/release/examples/bulk" "$1" "$2" 7 "$work/$2.pcap" ${3:+"$3"} 2>/dev/null
    valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$target/release/wirewait" report --threads 1 --format json "$work/$2.pcap" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}
peak_mib() {
    python3 - "$target/release/wirewait" "$work/$many.pcap" <<'PY'
import resource, subprocess, sys
subprocess.run([sys.argv[1], "report", "--format", "json", sys.argv[2]],
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PY
}

failed=0
printf '%-12s %14s %14s %10s\n' attack 'early, instr.' 'late, instr.' 'peak, MiB'
for attack in "$@"; do
    # While the tables fill, what a flood costs says nothing of what it costs from then on.
    from=$few
    if [ "$attack" = half-open ] && [ "$few" -lt 20000 ]; then
        from=20000
    fi
    some=$((from * 2))
    many=$((from * 4))
    first=$(count "$attack" $from 1)
    second=$(count "$attack" $some 1)
    third=$(count "$attack" $many 1)
    early=$(((second - first) / (some - from)))
    late=$(((third - second) / (many - some)))
    mib=$(peak_mib)
    verdict=
    if [ "$attack" = half-open ]; then
        good=$((($(count smbtcp 60000) - $(count smbtcp 20000)) / 40000))
        printf '%-12s %14s %14d\n' 'smbtcp' '' "$good"
        if [ "$late" -gt $((good * beyond / 100)) ]; then
            verdict='  too dear beside a good frame'
            failed=1
        fi
    fi
    if [ "$late" -gt $((early * 3 / 2 + 500)) ] || [ "$late" -gt $limit ] || [ "$mib" -gt $memory_mib ]; then
        verdict="${verdict}  too dear"
        failed=1
    fi
    printf '%-12s %14d %14d %10d%s\n' "$attack" "$early" "$late" "$mib" "$verdict"
    rm -f "$work"/*.pcap
done
exit $failed
