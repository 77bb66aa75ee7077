#!/usr/bin/env bash
# Makes what others install, in target/dist:
#   wirewait               the stripped program (release.sh)
#   wirewait_*.deb         for Debian and its kind (cargo-deb)
#   wirewait-*-musl.tar.gz a static program for any Linux, with a libpcap of its own (static-pcap.sh)
#   wirewait-*.rpm         for Fedora and its kind (cargo-generate-rpm): the static program, as
#                          libpcap has another name there
# scripts/dist-check.sh installs and runs all of them. Usage: dist.sh
set -euo pipefail
cd "$(dirname "$0")/.."
# The lists of files in Cargo.toml name this folder.
export CARGO_TARGET_DIR=target
dist=$PWD/target/dist
# Manual and completions; cargo-generate-rpm takes target/dist for that of its --target.
texts=$PWD/target/packages
musl=$(uname -m)-unknown-linux-musl
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

tool() {
    command -v "$1" >/dev/null || cargo install --quiet --locked "$1"
}

tool cargo-deb
tool cargo-generate-rpm

rm -f "$dist"/*.deb "$dist"/*.rpm "$dist"/*.tar.gz
program=$(./scripts/release.sh | tail -n 1)
static=$(./scripts/static.sh | tail -n 1)
"$program" man --output "$texts/man"
mkdir -p "$texts/completions"
"$program" completions bash --output "$texts/completions/wirewait"
"$program" completions zsh --output "$texts/completions/_wirewait"
"$program" completions fish --output "$texts/completions/wirewait.fish"

cargo deb --quiet --no-build --no-strip --profile dist --output "$dist/"
cargo generate-rpm --target "$musl" --profile dist --auto-req disabled --output "$dist/"

name=wirewait-$version-$(uname -m)-linux-musl
rm -rf "${dist:?}/$name"
mkdir -p "$dist/$name/examples"
cp "$static" README.md LICENSE-MIT LICENSE-APACHE "$dist/$name/"
cp target/static-pcap/LICENSE "$dist/$name/LICENSE-libpcap"
cp -r "$texts/man" "$texts/completions" packaging schemas "$dist/$name/"
cp -r examples/prometheus "$dist/$name/examples/"
tar -C "$dist" --sort=name --owner=0 --group=0 --mtime=@0 -cf - "$name" | gzip -n >"$dist/$name.tar.gz"
rm -rf "${dist:?}/$name"
ls -l "$program" "$static" "$dist"/*.deb "$dist"/*.rpm "$dist"/*.tar.gz
