#!/bin/sh
# Installs what building wirewait needs and this machine lacks: a C compiler and libpcap's
# headers. Does nothing when all of it is there. Rust itself must be installed.
set -eu

have_compiler() { command -v cc >/dev/null 2>&1; }
have_pcap() { printf '#include <pcap/pcap.h>\n' | cc -E -x c - >/dev/null 2>&1; }

command -v cargo >/dev/null 2>&1 || {
    echo "setup: Rust is missing: install rustup (its page says how), then try again" >&2
    exit 1
}
have_compiler && have_pcap && exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
        echo "setup: install a C compiler and libpcap's headers (Debian: build-essential libpcap-dev), then try again" >&2
        exit 1
    }
    as_root=sudo
fi
if command -v apt-get >/dev/null 2>&1; then
    $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq build-essential libpcap-dev
elif command -v dnf >/dev/null 2>&1; then
    $as_root dnf install -y gcc libpcap-devel
else
    echo "setup: install a C compiler and libpcap's headers, then try again" >&2
    exit 1
fi
have_compiler && have_pcap || {
    echo "setup: a C compiler or libpcap's headers are still missing" >&2
    exit 1
}
