#!/usr/bin/env bash
# Builds the program to be handed to others: no path of this machine in it, no symbols. The same
# sources, compiler and libraries give the same bytes in any folder (scripts/reproducible.sh).
# Leaves it in target/dist/wirewait, or with --target in a folder of that name.
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

CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; printf '%s' "${flags[*]}")
CFLAGS="${CFLAGS:-} ${maps[*]}"
export CARGO_ENCODED_RUSTFLAGS CFLAGS
cargo build --locked --profile dist "$@"

triple=
for argument; do
    [ "${before:-}" != --target ] || triple=/$argument
    before=$argument
done
program=$target$triple/dist/wirewait
for path in "$here" "$home" "$target" "$sysroot"; do
    if LC_ALL=C grep -qaF "$path" "$program"; then
        echo "release.sh: $program names a folder of this machine: $path" >&2
        exit 1
    fi
done
echo "$program"
