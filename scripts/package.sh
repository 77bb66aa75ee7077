#!/usr/bin/env bash
# Packs each crate that can be published, as `cargo publish` would, in the order of what they depend on:
# metadata and content of all, and that the library compiles from its archives alone; with `all`, that
# each crate does, which takes as long as the first build of the program. Nothing is uploaded, and no
# network is needed: `cargo publish --dry-run` asks the registry besides, which says only whether a
# version is taken. Leaves the archives in target/package.
# Usage: package.sh [all]
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$(realpath -m "${CARGO_TARGET_DIR:-target}")/package
log=$(mktemp "${TMPDIR:-/tmp}/package.XXXXXX")
trap 'rm -f "$log"' EXIT
rm -f "$packages"/*.crate

# Names of the crates that can be published, one a line. Those whose metadata lacks something are errors.
crates=$(cargo metadata --no-deps --offline --locked --format-version 1 | python3 -c '
import json, os, sys
wrong = 0
for crate in json.load(sys.stdin)["packages"]:
    if crate["publish"] == []:
        continue
    print(crate["name"])
    folder = os.path.dirname(crate["manifest_path"])
    lacks = [field for field in ("description", "license", "keywords", "categories", "readme") if not crate[field]]
    if crate["readme"] and not os.path.isfile(os.path.join(folder, crate["readme"])):
        lacks.append("its readme")
    # Limits of crates.io.
    if len(crate["keywords"]) > 5 or len(crate["categories"]) > 5:
        lacks.append("a list of at most five keywords and categories")
    for field in lacks:
        print("package.sh: " + crate["name"] + " lacks " + field, file=sys.stderr)
        wrong = 1
sys.exit(wrong)')
chosen=()
for crate in $crates; do
    chosen+=(--package "$crate")
done

pack() {
    cargo package "$@" --offline --locked --allow-dirty 2>"$log" || {
        cat "$log" >&2
        exit 1
    }
}
# A dependency by path without a version, or a circle of them, stops this.
pack "${chosen[@]}" --no-verify

# What belongs in an archive. Captures, tests beside `src`, and what only they read do not.
fits='Cargo\.(toml|toml\.orig|lock)|\.cargo_vcs_info\.json|(README|CHANGELOG)\.md|LICENSE-(MIT|APACHE)|askama\.toml'
fits="$fits|src/.+\.(rs|csv|toml|html|css|js)|examples/[^/]+\.rs"
# The program: its sources, and what packages of distributions take along.
program='crates/cli/.+\.rs|schemas/[^/]+\.schema\.json|packaging/[^/]+|examples/(prometheus|spark|clickhouse)/[^/]+'
wrong=
for crate in $crates; do
    archive=$(echo "$packages/$crate"-[0-9]*.crate)
    [ -f "$archive" ] || {
        echo "package.sh: $crate was not packed" >&2
        exit 1
    }
    files=$(tar -tzf "$archive" | sed 's|^[^/]*/||')
    allowed=$fits
    [ "$crate" != wirewait-cli ] || allowed="$fits|$program"
    unwanted=$(grep -vxE "$allowed" <<<"$files" || true; grep -E '(^|/)test_' <<<"$files" || true)
    if [ -n "$unwanted" ]; then
        printf 'package.sh: %s has what does not belong in it:\n%s\n' "$crate" "$unwanted" >&2
        wrong=1
    fi
    grep -qx README.md <<<"$files" || {
        echo "package.sh: there is no README.md in $archive" >&2
        wrong=1
    }
    printf '%9d bytes, %3d files  %s\n' "$(stat -c %s "$archive")" "$(wc -l <<<"$files")" "${archive##*/}"
done
[ -z "$wrong" ] || exit 1

# cargo unpacks, and compiles, what one crate needs of the others once for each version: an earlier state has the same.
home=${CARGO_HOME:-$HOME/.cargo}
for crate in $crates; do
    rm -rf "$home"/registry/src/-*/"$crate"-[0-9]* "$home"/registry/cache/-*/"$crate"-[0-9]*
done

# The library and what it depends on, tests left out.
if [ "${1:-}" != all ]; then
    chosen=()
    for crate in $(cargo tree --package wirewait --edges normal --prefix none --offline --locked | cut -d ' ' -f 1 | sort -u); do
        ! grep -qx "$crate" <<<"$crates" || chosen+=(--package "$crate")
    done
    # Packing resolves what tests depend on, too.
    chosen+=(--package wirewait-capture)
fi
verified=$packages-verified
rm -rf "$verified"
CARGO_TARGET_DIR=$verified pack "${chosen[@]}"
rm -rf "$verified"
compiled=$(grep -c '^ *Verifying' "$log")
[ "$compiled" -eq $((${#chosen[@]} / 2)) ] || {
    echo "package.sh: $compiled archives of $((${#chosen[@]} / 2)) were compiled" >&2
    exit 1
}
echo "crates that can be published: $(wc -w <<<"$crates"), compiled from their archives: $compiled"
