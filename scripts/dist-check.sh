#!/usr/bin/env bash
# Installs what dist.sh made in roots of their own, and runs it there: the deb by apt in a Debian of
# its own, the rpm by rpm in a second one, the static archive in a folder that holds nothing else.
# Wants root, debootstrap, rpm and Debian's packages; exits with 77 without them. Usage: dist-check.sh
set -euo pipefail
cd "$(dirname "$0")/.."
dist=$PWD/target/dist
# Who runs it there has no configuration.
export HOME=/
capture=$PWD/captures/demo.pcapng
for tool in debootstrap rpm chroot getcap readelf; do
    command -v "$tool" >/dev/null || {
        echo "SKIPPED: packages are not tried: there is no $tool" >&2
        exit 77
    }
done
[ "$(id -u)" -eq 0 ] || {
    echo "SKIPPED: packages are not tried: only root can change its root folder" >&2
    exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/dist-check.XXXXXX")
clean() {
    local root
    for root in deb rpm; do
        ! mountpoint -q "$work/$root/proc" || umount "$work/$root/proc"
    done
    rm -rf --one-file-system "$work"
}
trap clean EXIT

fail() {
    echo "dist-check.sh: $*" >&2
    exit 1
}

# What any installation has to do. $1: the root; the rest: how to run the program in it.
runs() {
    local root=$1 out
    shift
    cp "$capture" "$root/tmp/demo.pcapng"
    out=$("$@" report --short /tmp/demo.pcapng)
    [[ $out == Server:\ *10.0.0.8* ]] || fail "$root: an unexpected report: $out"
    out=$("$@" transactions --format parquet /tmp/demo.pcapng | head -c 4)
    [ "$out" = PAR1 ] || fail "$root: rows are no Parquet: $out"
}

# What the packages bring besides. $1: the root, $2: the folder of zsh's completions.
complete() {
    local file
    for file in usr/share/man/man1/wirewait.1 usr/share/man/man1/wirewait-live.1 \
        usr/share/bash-completion/completions/wirewait "$2/_wirewait" \
        usr/share/fish/vendor_completions.d/wirewait.fish usr/lib/systemd/system/wirewait@.service \
        etc/default/wirewait usr/share/doc/wirewait/LICENSE-MIT \
        usr/share/doc/wirewait/examples/prometheus/alerts.yml; do
        [ -s "$1/$file" ] || [ -s "$1/$file.gz" ] || fail "$1: $file is missing"
    done
    # shellcheck disable=SC2016 # the shell in there expands it
    chroot "$1" bash -c 'source /usr/share/bash-completion/completions/wirewait
        COMP_WORDS=(wirewait tran) COMP_CWORD=1; _wirewait wirewait tran wirewait
        [ "${COMPREPLY[*]}" = transactions ]' || fail "$1: bash completes nothing"
}

# Members of the group capture, others are told what to do; both read captures. $1: the root.
captures() {
    local root=$1 group said live=(wirewait live -i lo --duration 200ms --format json)
    group=$(chroot "$root" getent group wirewait | cut -d : -f 3)
    [ -z "$(getcap "$root/usr/bin/wirewait")" ] || fail "$root: everyone may capture"
    [[ $(getcap "$root/usr/lib/wirewait/wirewait") == *cap_net_admin,cap_net_raw=eip ]] ||
        fail "$root: the copy for the group has no capability"
    ! chroot --userspec=65534:65534 "$root" /usr/lib/wirewait/wirewait --version >"$work/log" 2>&1 ||
        fail "$root: everyone can run the copy for the group"
    said=$(chroot --userspec=65534:65534 --groups="$group" "$root" "${live[@]}") ||
        fail "$root: a member of the group cannot capture"
    [[ $said == "{"* ]] || fail "$root: an unexpected report: $said"
    ! said=$(chroot --userspec=65534:65534 "$root" "${live[@]}" 2>&1) || fail "$root: others capture, too"
    [[ $said == *"group wirewait may capture"* ]] || fail "$root: an unexpected error: $said"
    runs "$root" chroot --userspec=65534:65534 "$root" wirewait
    runs "$root" chroot --userspec=65534:65534 --groups="$group" "$root" /usr/lib/wirewait/wirewait
}

# Nothing of the package is left. $1: the root.
gone() {
    local file
    for file in usr/bin/wirewait usr/lib/wirewait usr/lib/systemd/system/wirewait@.service \
        etc/default/wirewait usr/share/doc/wirewait; do
        [ ! -e "$1/$file" ] || fail "$1: $file is left behind"
    done
}

apt_install() {
    chroot "$work/deb" sh -c "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $1 /tmp/wirewait.deb" \
        >"$work/log" 2>&1 || { cat "$work/log"; fail "apt-get install $1 failed"; }
}

echo "== a Debian of its own"
debootstrap --variant=minbase --include=libpcap0.8,libcap2-bin \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$work/deb" >"$work/log" 2>&1 ||
    { tail "$work/log"; fail "debootstrap failed"; }
umount "$work/deb/proc" 2>/dev/null || true
cp -a "$work/deb" "$work/rpm"
for root in deb rpm; do
    # The program finds its copy by its own path.
    mount -t proc proc "$work/$root/proc"
done

echo "== deb"
cp "$dist"/wirewait_*.deb "$work/deb/tmp/wirewait.deb"
apt_install ""
complete "$work/deb" usr/share/zsh/vendor-completions
captures "$work/deb"
echo OPTIONS=--no-promiscuous >"$work/deb/etc/default/wirewait"
apt_install --reinstall
grep -q '^OPTIONS=--no-promiscuous' "$work/deb/etc/default/wirewait" || fail "an upgrade undid a setting"
captures "$work/deb"
chroot "$work/deb" dpkg --purge wirewait >/dev/null
gone "$work/deb"

echo "== rpm"
# No distribution's database: what it requires is there, but rpm does not know.
rpm --root "$work/rpm" --initdb
requires=$(rpm -qp --requires "$dist"/wirewait-*.rpm)
[[ $requires == *libcap* && $requires != *.so* ]] || fail "the rpm requires: $requires"
rpm --root "$work/rpm" --install --nodeps "$dist"/wirewait-*.rpm
rm "$work/rpm"/usr/lib/*/libpcap.so.*
complete "$work/rpm" usr/share/zsh/site-functions
captures "$work/rpm"
rpm --root "$work/rpm" --upgrade --replacepkgs --nodeps "$dist"/wirewait-*.rpm
captures "$work/rpm"
rpm --root "$work/rpm" --erase --nodeps wirewait
gone "$work/rpm"

echo "== static archive"
mkdir -p "$work/static/tmp"
tar -C "$work/static" --strip-components=1 -xzf "$dist"/wirewait-*-musl.tar.gz
! readelf -l "$work/static/wirewait" | grep -q INTERP || fail "the archive's program is not static"
runs "$work/static" chroot --userspec=65534:65534 "$work/static" /wirewait
said=$(chroot "$work/static" /wirewait live -i lo --duration 200ms --format json)
[[ $said == "{"* ]] || fail "the static program captures nothing: $said"

echo "packages are installed, run and removed as they should be"
