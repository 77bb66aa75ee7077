#!/usr/bin/env bash
# Builds the program for any Linux: static (musl), with a libpcap of its own (static-pcap.sh).
# Its last line is where it is. Usage: static.sh
set -euo pipefail
cd "$(dirname "$0")/.."
musl=$(uname -m)-unknown-linux-musl
rustup target add "$musl" 2>/dev/null
./scripts/static-pcap.sh
pcap=$PWD/target/static-pcap
LIBPCAP_LIBDIR=$pcap LIBPCAP_VER=$(cat "$pcap/version") ./scripts/release.sh --target "$musl"
