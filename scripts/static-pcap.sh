#!/usr/bin/env bash
# Builds libpcap for static programs (musl), from the sources of Debian's package: target/static-pcap
# holds the library and its version. Wants apt-get, musl-gcc, flex, bison and the kernel's headers.
# WIREWAIT_LIBPCAP names an archive of libpcap's sources to use instead. Usage: static-pcap.sh
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/target/static-pcap
[ ! -s "$out/version" ] || exit 0
missing=
for tool in musl-gcc:musl-tools flex:flex bison:bison make:make; do
    command -v "${tool%:*}" >/dev/null || missing="$missing ${tool#*:}"
done
[ -z "$missing" ] || {
    echo "static-pcap.sh: install$missing, then try again" >&2
    exit 1
}
work=$(mktemp -d "${TMPDIR:-/tmp}/static-pcap.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Lists of apt that are its own: the machine may have none of sources. apt checks signatures.
sources() {
    local release keys=/usr/share/keyrings/debian-archive-keyring.gpg
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    echo "deb-src [signed-by=$keys] http://deb.debian.org/debian $release main" >"$work/sources.list"
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/source"
    local apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
    "${apt[@]}" update
    (cd "$work/source" && "${apt[@]}" source --download-only libpcap)
    echo "$work"/source/libpcap_*.orig.tar.*z
}

archive=${WIREWAIT_LIBPCAP:-$(sources)}
mkdir "$work/build"
tar -C "$work/build" --strip-components=1 -xf "$archive"
# musl-gcc knows no headers of the kernel.
mkdir "$work/include"
for folder in linux asm-generic "$(uname -m)-linux-gnu/asm"; do
    ln -s "/usr/include/$folder" "$work/include/${folder##*/}"
done
version=$(cat "$work/build/VERSION")
cd "$work/build"
{
    CC=musl-gcc CFLAGS="-O2 -fPIC -isystem $work/include -ffile-prefix-map=$work/build=/libpcap" ./configure \
        --host="$(uname -m)-linux-musl" --with-pcap=linux --disable-shared --disable-usb --disable-bluetooth \
        --disable-dbus --disable-rdma --without-libnl
    make -j "$(nproc)" libpcap.a
} >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    exit 1
}
mkdir -p "$out"
cp libpcap.a LICENSE "$out/"
echo "$version" >"$out/version"
