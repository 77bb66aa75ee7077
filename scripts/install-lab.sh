#!/usr/bin/env bash
# Follows the README's installation in an empty Debian, as a new user would: runs the lines of its
# section "Install" until a capture of one's own is analysed, and times each.
# By hand, as root: needs debootstrap, about 5 GB and ten minutes. Everything is below FOLDER, which
# is deleted at the end unless KEEP=1. Where rustup's server cannot be reached, this machine's toolchain
# is mounted where rustup places one, and the lab says so.
# usage: [KEEP=1] [SUITE=trixie] [MIRROR=URL] scripts/install-lab.sh [CAPTURE [FOLDER]]
set -euo pipefail
cd "$(dirname "$0")/.."
capture=$(realpath "${1:-captures/demo.pcapng}")
folder=${2:-$(mktemp -d)}
root=$folder/root
suite=${SUITE:-trixie}
mirror=${MIRROR:-http://deb.debian.org/debian}

# All mounts are in a namespace of their own and end with it, before anything is deleted.
if [ -z "${INSTALL_LAB:-}" ]; then
    failed=0
    INSTALL_LAB=1 unshare --mount --propagation private "$0" "$capture" "$folder" || failed=$?
    [ -n "${KEEP:-}" ] || rm -rf --one-file-system "$root"
    exit "$failed"
fi

# The shell lines of the README's section on installation.
lines() {
    awk '/^## /{here = $0 == "## Install"} /^```/{code = here && $0 == "```sh"; next} code' README.md |
        sed 's/ *#.*//'
}

# One line in a login shell of a user who is root, in their checkout or beside it.
inside() {
    chroot "$root" env -i HOME=/root USER=root TERM=dumb DEBIAN_FRONTEND=noninteractive \
        ${SSL_CERT_FILE:+CARGO_HTTP_CAINFO=/root/certificates} \
        bash -lc "cd /root/wirewait && $1" </dev/null
}

# Rust from this machine, where rustup places it.
toolchain() {
    local sysroot
    sysroot=$(rustc --print sysroot)
    mkdir -p "$root/root/.cargo/bin" "$root$sysroot"
    mount --bind -o ro "$sysroot" "$root$sysroot"
    ln -sf "$sysroot"/bin/* "$root/root/.cargo/bin"
    echo 'PATH=$HOME/.cargo/bin:$PATH' >"$root/root/.cargo/env"
    echo '. "$HOME/.cargo/env"' >>"$root/root/.profile"
}

mkdir -p "$folder"
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$folder/debootstrap.log"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/resolv.conf"
[ -z "${SSL_CERT_FILE:-}" ] || cp "$SSL_CERT_FILE" "$root/root/certificates"
mkdir "$root/root/wirewait"
git archive HEAD | tar -x -C "$root/root/wirewait"
cp "$capture" "$root/root/wirewait/capture.pcapng"
echo "an empty Debian $(cat "$root/etc/debian_version"), $(nproc) processors"

started=$SECONDS
while read -r line; do
    [ -n "$line" ] || continue
    begin=$SECONDS
    # There is no sudo in an empty system, and its user is root.
    if ! inside "${line//sudo /}" >"$folder/output" 2>&1; then
        if [[ $line == *rustup* ]] && grep -q '^curl: ' "$folder/output"; then
            grep '^curl: ' "$folder/output"
            toolchain
            echo "  this machine's Rust instead: $(inside "rustc --version")"
        else
            tail -20 "$folder/output"
            echo "failed after $((SECONDS - begin)) s: $line" >&2
            exit 1
        fi
    fi
    compiled=$(grep -c '^ *Compiling' "$folder/output" || true)
    printf '%6d s  %s  (crates compiled: %d)\n' $((SECONDS - begin)) "$line" "$compiled"
    case $line in
    "wirewait capture.pcapng")
        grep -q 'of active time' "$folder/output" || {
            cat "$folder/output"
            echo "no verdict" >&2
            exit 1
        }
        printf '%6d s  until this verdict:\n' $((SECONDS - started))
        head -3 "$folder/output"
        exit 0
        ;;
    esac
done < <(lines)
echo "the README does not say how to analyse a capture" >&2
exit 1
