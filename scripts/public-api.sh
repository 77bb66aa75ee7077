#!/usr/bin/env bash
# Compares the public API of the library with its listings, public-api.txt in the folder of each
# crate: those of the façade and of all that it shows of other crates. A change is meant or a mistake;
# WIREWAIT_BLESS=1 writes the listings. cargo-public-api reads what a nightly rustdoc writes; without
# a nightly this says so loudly and exits with 77.
# Usage: public-api.sh
set -euo pipefail
cd "$(dirname "$0")/.."

# The version that reads the JSON of the nightly that made the listings: another one may write them
# otherwise, and then says nothing of a change. It is written here by hand, if another one blesses.
version=0.52.0
nightly="rustc 1.97.0-nightly (e50aa6fba 2026-05-19)"
crates="wirewait:crates/wirewait wirewait-wire:crates/wire wirewait-model:crates/model
    wirewait-analysis:crates/analysis wirewait-stats:crates/stats wirewait-judge:crates/judge
    wirewait-dissectors:dissectors"

unchecked() {
    cat >&2 <<END
******************************************************************************
NOT CHECKED: whether the public API of the library changed: $1.
******************************************************************************
END
    exit 77
}

if ! command -v rustup >/dev/null || ! rustup run nightly rustdoc --version >/dev/null 2>&1; then
    unchecked "there is no nightly toolchain"
fi
found=$(rustup run nightly rustc --version)
if [ "${WIREWAIT_BLESS:-}" != 1 ] && [ "$found" != "$nightly" ]; then
    unchecked "the listings are of $nightly, here is $found"
fi
if [ "$(cargo public-api --version 2>/dev/null)" != "cargo-public-api $version" ]; then
    # Unoptimised: built in half the time, for a run of seconds.
    CARGO_PROFILE_DEV_DEBUG=0 cargo install --quiet --locked --debug "cargo-public-api@$version" ||
        unchecked "there is no cargo-public-api $version, and none to be had"
fi

target=$(realpath -m "${CARGO_TARGET_DIR:-target}/public-api")
mkdir -p "$target"
changed=
for crate in $crates; do
    name=${crate%%:*}
    listing=${crate#*:}/public-api.txt
    # Without implementations for all types and those that a compiler finds by itself.
    if ! cargo +nightly public-api -p "$name" -ss --target-dir "$target" \
        >"$target/$name.txt" 2>"$target/$name.log"; then
        cat "$target/$name.log" >&2
        grep -q 'rustdoc JSON' "$target/$name.log" &&
            unchecked "the nightly toolchain does not fit cargo-public-api $version"
        exit 1
    fi
    if [ "${WIREWAIT_BLESS:-}" = 1 ]; then
        cp "$target/$name.txt" "$listing"
    elif ! diff -u "$listing" "$target/$name.txt"; then
        changed="$changed $listing"
    fi
done
if [ -n "$changed" ]; then
    cat >&2 <<END
public-api.sh: the public API differs from$changed.
If that is meant, write the listings with WIREWAIT_BLESS=1 scripts/public-api.sh, and commit them.
END
    exit 1
fi
echo "the public API is as listed: $(wc -w <<<"$crates") crates"
