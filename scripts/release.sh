#!/usr/bin/env bash
# Builds the program to be handed to others: no path of this machine in it, no symbols, and the compiler is told
# what it did on captures that synth makes (profile-guided optimisation: a fifth less time).
# Leaves it in target/dist/wirewait, or with --target in a folder of that name, and beside it the profile that it was
# built by, wirewait.profdata. The same sources, compiler, libraries and profile give the same bytes in any
# folder (scripts/reproducible.sh).
# Takes two builds, or one with WIREWAIT_PROFILE=FILE, the profile of an earlier one; WIREWAIT_PROFILE=none builds
# without. Needs rustup's llvm-tools, and adds them if they are missing.
# Usage: release.sh [arguments of cargo build]
set -euo pipefail
cd "$(dirname "$0")/.."
here=$(pwd -P)
home=$(cd "${CARGO_HOME:-$HOME/.cargo}" && pwd -P)
sysroot=$(rustc --print sysroot)
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
target=$(cd "$target" && pwd -P)

# Where several fit, the last one counts: the target folder may be inside the sources. Libraries
# that were vendored are called as if they had been fetched.
flags=()
maps=()
map() {
    flags+=("--remap-path-prefix=$1=$2")
    maps+=("-ffile-prefix-map=$1=$2")
}
map "$here" /wirewait
map "$target" /target
map "$home" /cargo
for registry in "$home"/registry/src/*; do
    [ ! -d "$registry" ] || map "$registry" /cargo/registry
done
[ -z "${WIREWAIT_VENDOR:-}" ] || map "$WIREWAIT_VENDOR" /cargo/registry
map "$sysroot" /rust

# Builds it in this folder, with further flags of the compiler, up to `--`.
build() {
    local folder=$1 more=("${flags[@]}")
    shift
    while [ "$1" != -- ]; do
        more+=("$1")
        shift
    done
    shift
    CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; printf '%s' "${more[*]}") CFLAGS="${CFLAGS:-} ${maps[*]}" \
        CARGO_TARGET_DIR=$folder cargo build --locked --profile dist "$@"
}

# What the program does, by functions and branches: one thread gives nearly the same counts each time. It writes them down
# at its end, so it keeps its rights. The counts are those of the usual libraries of this machine.
watch() (
    unset LIBPCAP_LIBDIR LIBPCAP_VER
    merge=$sysroot/lib/rustlib/$(rustc -vV | awk '/^host:/ { print $2 }')/bin/llvm-profdata
    [ -x "$merge" ] || rustup component add llvm-tools
    watched=$target/watched
    rm -rf "$watched/counts" "$watched/captures"
    mkdir -p "$watched/captures"
    # Programs that take part in the build write counts as well, which are of no use.
    LLVM_PROFILE_FILE=$watched/unused/%p.profraw build "$watched" "-Cprofile-generate=$watched/counts" -- --quiet
    CARGO_TARGET_DIR=$target cargo build --locked --release --quiet -p wirewait-synth --example bulk
    report=("$watched/dist/wirewait" report --no-sandbox --user "$(id -un)" --threads 1)
    export LLVM_PROFILE_FILE=$watched/counts/%p.profraw
    for shape in ncp smbtcp smbnbf smb2 mix churn; do
        "$target/release/examples/bulk" "$shape" 100000 3 "$watched/captures/$shape.pcap" 2>/dev/null
        "${report[@]}" "$watched/captures/$shape.pcap" >/dev/null
    done
    "${report[@]}" --format json captures/*.pcap* >/dev/null
    "$merge" merge -o "$watched/latest.profdata" "$watched/counts"
    rm -rf "$watched/counts" "$watched/captures" "$watched/unused"
)

triple=
for argument; do
    [ "${before:-}" != --target ] || triple=/$argument
    before=$argument
done
mkdir -p "$target$triple/dist"
beside=$target$triple/dist/wirewait.profdata
case ${WIREWAIT_PROFILE:-} in
none)
    rm -f "$beside"
    build "$target" -- "$@"
    ;;
*)
    [ -n "${WIREWAIT_PROFILE:-}" ] || watch >&2
    latest=${WIREWAIT_PROFILE:-$target/watched/latest.profdata}
    # Cargo does not look into it: another profile needs another name.
    mkdir -p "$target/watched"
    profile=$target/watched/$(sha256sum "$latest" | cut -c 1-16).profdata
    cp "$latest" "$profile"
    build "$target" "-Cprofile-use=$profile" -- "$@"
    cp "$profile" "$beside"
    ;;
esac
program=$target$triple/dist/wirewait
for path in "$here" "$home" "$target" "$sysroot"; do
    if LC_ALL=C grep -qaF "$path" "$program"; then
        echo "release.sh: $program names a folder of this machine: $path" >&2
        exit 1
    fi
done
echo "$program"
