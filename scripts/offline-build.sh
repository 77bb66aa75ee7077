#!/usr/bin/env bash
# Proves that the committed sources and the libraries that Cargo.lock names are enough: copies the
# libraries into a folder, then builds without a network and without anything else of Cargo's.
# Usage: offline-build.sh [arguments of cargo build]
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d "${TMPDIR:-/tmp}/offline.XXXXXX")
trap 'rm -rf "$work"' EXIT

mkdir "$work/sources" "$work/home"
git archive HEAD | tar -x -C "$work/sources"
cargo vendor --quiet --locked "$work/vendor" >/dev/null
cat >"$work/home/config.toml" <<END
[source.crates-io]
replace-with = "vendored"

[source.vendored]
directory = "$work/vendor"
END

alone=()
if unshare --net true 2>/dev/null; then
    alone=(unshare --net)
elif unshare --user --map-root-user --net true 2>/dev/null; then
    alone=(unshare --user --map-root-user --net)
else
    echo "no network namespace can be made here: --offline alone keeps it from the network" >&2
fi
cd "$work/sources"
# rustup finds the compiler by its own folder, which is not Cargo's.
"${alone[@]}" env -u CARGO_TARGET_DIR CARGO_HOME="$work/home" \
    cargo build --quiet --frozen --offline "$@"
program=$(ls target/*/wirewait)
"$program" report captures/demo.pcapng >/dev/null
echo "built without a network from $(find "$work/vendor" -mindepth 1 -maxdepth 1 | wc -l) vendored libraries: $("$program" --version)"
