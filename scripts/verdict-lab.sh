#!/usr/bin/env bash
# Judges the verdict in the laboratory of verdict-lab.py, which it gives a Python with impacket.
# Exits with 77 where something is missing that the laboratory needs.
# Usage: verdict-lab.sh [--all | NAME...]
set -euo pipefail
cd "$(dirname "$0")/.."

venv=target/lab-venv
if ! "$venv/bin/python" -c "import impacket" 2>/dev/null; then
    {
        python3 -m venv "$venv" &&
            "$venv/bin/pip" install --quiet --disable-pip-version-check impacket &&
            "$venv/bin/python" -c "import impacket"
    } >&2 || exit 77
fi
cargo build --release --quiet
# The users that the captures are written and read as must come to the folder.
made=$(mktemp -d "${TMPDIR:-/tmp}/verdict-lab.XXXXXX")
chmod 755 "$made"
trap 'rm -rf "$made"' EXIT
all=()
if [ "${1:-}" = --all ]; then
    all=(--all)
    shift
fi
LAB_PYTHON=$PWD/$venv/bin/python python3 scripts/verdict-lab.py "${all[@]}" \
    "${CARGO_TARGET_DIR:-target}/release/wirewait" "$made" "$@"
