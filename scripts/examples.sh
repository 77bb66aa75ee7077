#!/usr/bin/env bash
# Tests the examples for ClickHouse (in chdb) and Spark (local mode) with the Python package that
# python.sh has installed. Exits with 77 where Java or the packages cannot be had.
# Usage: examples.sh [the program to compare with; target/release/wirewait otherwise]
set -euo pipefail
cd "$(dirname "$0")/.."

program=${1:-$PWD/target/release/wirewait}
python=$PWD/target/rows-venv/bin/python
"$python" -c "import wirewait, chdb" 2>/dev/null || { echo "first: make python" >&2; exit 77; }
export WIREWAIT_PROGRAM=$program

echo "ClickHouse:"
(cd examples/clickhouse && "$python" -m pytest --quiet)

if ! command -v java >/dev/null && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq default-jre-headless >/dev/null || true
fi
command -v java >/dev/null || { echo "SKIPPED: Spark: no Java to be had" >&2; exit 77; }
"$python" -c "import pyspark" 2>/dev/null ||
    "$python" -m pip install --quiet --disable-pip-version-check "pyspark>=4" >&2 || exit 77
echo "Spark:"
(cd examples/spark && "$python" -m pytest --quiet)
