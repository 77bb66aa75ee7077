#!/usr/bin/env bash
# Builds the program twice from two copies of the committed sources, in two folders of unlike
# names, and compares them byte for byte. Usage: reproducible.sh
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d "${TMPDIR:-/tmp}/reproducible.XXXXXX")
trap 'rm -rf "$work"' EXIT

for folder in one another/that/lies-deeper; do
    mkdir -p "$work/$folder"
    git archive HEAD | tar -x -C "$work/$folder"
    started=$SECONDS
    (cd "$work/$folder" && env -u CARGO_TARGET_DIR ./scripts/release.sh --quiet) >"$work/built"
    echo "built in $((SECONDS - started)) s" >&2
    program=$(tail -n 1 "$work/built")
    cp "$program" "$work/wirewait-${folder%%/*}"
    # What a machine does in a given time differs from run to run: the second is built by the first one's profile.
    if [ -z "${WIREWAIT_PROFILE:-}" ]; then
        cp "$program.profdata" "$work/profile"
        export WIREWAIT_PROFILE=$work/profile
    fi
    # Nothing of it may serve the other one.
    rm -rf "${work:?}/$folder"
done
if ! cmp "$work/wirewait-one" "$work/wirewait-another"; then
    echo "reproducible.sh: two builds of the same sources differ" >&2
    exit 1
fi
sha256sum "$work/wirewait-one" | sed 's/ .*/  wirewait, both times/'
