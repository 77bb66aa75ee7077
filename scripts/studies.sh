#!/bin/sh
# Prints the tables of the published studies from the captures in captures/studies.
# Usage: scripts/studies.sh [WIREWAIT [WIREWAIT-SYNTH]]: the programs; built if they are not named.
set -eu
cd "$(dirname "$0")/.."
if [ $# -lt 2 ]; then
    cargo build --release --quiet -p wirewait-cli -p wirewait-synth
fi
wirewait=$(realpath "${1:-target/release/wirewait}")
synth=$(realpath "${2:-target/release/wirewait-synth}")
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
cd captures/studies

# The capture of a scenario: the one that is shipped, or one that is made now.
capture() {
    if [ -f "$1.pcapng" ]; then
        echo "$1.pcapng"
    else
        of="$made/$(basename "$1").pcapng"
        [ -f "$of" ] || "$synth" "$1.scenario" -o "$of"
        echo "$of"
    fi
}

# Which captures a table is from: the files that are shipped, or the scenarios that they are made of now.
named() {
    for study in "$@"; do
        of=$study.scenario
        [ -f "$study.pcapng" ] && of=$study.pcapng
        echo "  captures/studies/$of"
    done
}

# NAME FIGURES BASE=SCENARIO OTHER=SCENARIO: rows of a comparison, behind its name.
compared() {
    name=$1 rows=$2 base=$3 other=$4
    "$wirewait" compare "${base%%=*}=$(capture "${base#*=}")" "${other%%=*}=$(capture "${other#*=}")" |
        grep -E "^ +($rows) " | sed "s|^|$name|"
}

echo "Wells 1992, table 1: turnaround over four interfaces"
named wells/interface-qio wells/interface-qio-wake wells/interface-cmkrnl-wake wells/interface-kernel
"$wirewait" compare "QIO=$(capture wells/interface-qio)" \
    "QIO/WAKE=$(capture wells/interface-qio-wake)" \
    "CMKRNL/WAKE=$(capture wells/interface-cmkrnl-wake)" \
    "KERNEL=$(capture wells/interface-kernel)" | sed -n '/^  configuration/,/^$/p'

echo "Wells 1992, table 2: elapsed time over DECnet, over LAST, and the change"
for test in all-io-0 all-io-2 all-io-4 tp-1 tp-5; do
    named "wells/$test-decnet" "wells/$test-last"
done
for test in all-io-0 all-io-2 all-io-4 tp-1 tp-5; do
    compared "$(printf '  %-10s' "$test")" "elapsed time" \
        "DECnet=wells/$test-decnet" "LAST=wells/$test-last"
done

echo
echo "Wells 1992, table 3: a tree of 51 files is copied over LAST, over DECnet, and the change"
for way in to-client to-server; do
    named "wells/xcopy-$way-last" "wells/xcopy-$way-decnet"
done
for way in to-client to-server; do
    compared "$(printf '  %-10s' "$way")" "elapsed time|throughput over elapsed time|jobs" \
        "LAST=wells/xcopy-$way-last" "DECnet=wells/xcopy-$way-decnet"
done

echo
echo "Jackman, bridges in series: by hops"
named bridges/by-hops
"$wirewait" report "$(capture bridges/by-hops)" | sed -n '/^Routers on the way/,/^$/p' | sed 1d

echo
echo "Jackman, table III: Kbyte (1024 bytes) per second, and the drop against no bridge"
set --
for bridge in none internal-215-386-dedicated internal-215-386-nondedicated internal-30-dedicated \
    internal-30-nondedicated internal-215-286-dedicated internal-215-286-nondedicated external-1 \
    external-2 external-3 external-4 external-5 external-6 nondedicated-1 nondedicated-2; do
    named "bridges/$bridge"
    set -- "$@" "$bridge=$(capture "bridges/$bridge")"
done
# The exact figure of each: bytes per second of elapsed time.
"$wirewait" compare "$@" --format csv | awk -F , '
    NR == 1 { for (n = 1; n <= NF; n++) if ($n == "wall_throughput_bytes_per_second") rate = n }
    $1 == "all" { if (!base) base = $rate
        printf "  %-30s  %7.2f  %5.1f %%\n", $3, $rate / 1024, 100 - 100 * $rate / base }'

echo
echo "IBM 1998, NetBench and ServerBench: peaks, of the whole capture"
named netbench/netbench-netfinity netbench/netbench-prosignia netbench/serverbench-netfinity \
    netbench/serverbench-prosignia
for test in netbench serverbench; do
    for server in netfinity prosignia; do
        peak=$("$wirewait" report "$(capture netbench/$test-$server)" | grep -m 1 "^ *peak:")
        echo "  $test $server $peak"
    done
done

echo
echo "The papers' conclusions, as the first line of a comparison"
first() {
    base=$1 other=$2
    shift 2
    named "${base#*=}" "${other#*=}"
    "$wirewait" compare "${base%%=*}=$(capture "${base#*=}")" "${other%%=*}=$(capture "${other#*=}")" "$@" |
        sed -n '1s/^/    /p'
}
first "none=bridges/none" "one bridge=bridges/external-1"
first "NetWare 2.15=bridges/internal-215-386-dedicated" "NetWare 3.0=bridges/internal-30-dedicated"
first "QIO=wells/interface-qio" "KERNEL=wells/interface-kernel"
first "DECnet=wells/all-io-4-decnet" "LAST=wells/all-io-4-last"
first "DECnet=wells/tp-5-decnet" "LAST=wells/tp-5-last"
first "LAST=wells/xcopy-to-client-last" "DECnet=wells/xcopy-to-client-decnet"
first "Novell=lans/novell-30k-read" "3Server=lans/3server-30k-read"
first "Novell=lans/novell-6k-read" "3Server=lans/3server-6k-read"
first "3Server=lans/3server-750-read" "Novell=lans/novell-750-read" --peak
first "ProSignia=netbench/netbench-prosignia" "Netfinity=netbench/netbench-netfinity" --at-load 45
first "ProSignia=netbench/serverbench-prosignia" "Netfinity=netbench/serverbench-netfinity" --peak
