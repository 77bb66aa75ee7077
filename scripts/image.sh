#!/usr/bin/env bash
# Makes a container image of the static program (packaging/Containerfile), as an archive that
# `podman load` and `docker load` read: target/dist/wirewait-VERSION-MACHINE.image.tar.
# Wants buildah and setcap; as root, who alone may give a file a capability. Usage: image.sh
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in buildah setcap; do
    command -v "$tool" >/dev/null || {
        echo "image.sh: install $tool, then try again (Debian: buildah libcap2-bin)" >&2
        exit 1
    }
done
[ "$(id -u)" -eq 0 ] || {
    echo "image.sh: only root may give a file a capability" >&2
    exit 1
}
program=$(./scripts/static.sh | tail -n 1)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
archive=$PWD/target/dist/wirewait-$version-$(uname -m).image.tar
context=$PWD/target/image
work=$(mktemp -d "${TMPDIR:-/tmp}/image.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT

rm -rf "$context"
root=$context/root
mkdir -p "$root/usr/bin" "$root/usr/share/doc/wirewait" "$root/data"
mkdir -m 1777 "$root/tmp"
cp LICENSE-MIT LICENSE-APACHE "$root/usr/share/doc/wirewait/"
cp target/static-pcap/LICENSE "$root/usr/share/doc/wirewait/LICENSE-libpcap"
install -m 755 "$program" "$root/usr/bin/wirewait"
# Permitted only, not effective: the program starts where the runtime grants no capability, too, and takes
# it up where it captures (crates/cli/rights/capable.rs).
setcap cap_net_raw,cap_net_admin=p "$root/usr/bin/wirewait"

# A storage of its own, so that it leaves nothing but the archive. Nothing runs while it is built.
builder=(buildah --storage-driver vfs --root "$work/root" --runroot "$work/run")
"${builder[@]}" build --quiet --isolation chroot --timestamp 0 --file packaging/Containerfile \
    --tag "wirewait:$version" "$context" >/dev/null
rm -f "$archive"
"${builder[@]}" push --quiet "wirewait:$version" "docker-archive:$archive:wirewait:$version"
ls -l "$archive"
