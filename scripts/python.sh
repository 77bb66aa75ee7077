#!/usr/bin/env bash
# Builds the Python package as a wheel (python/target/wheels), installs it in a virtual environment
# and tests it there, against the program. Exits with 77 where Python or the packages cannot be had.
# Usage: python.sh [the program to compare with; it is built otherwise]
set -euo pipefail
cd "$(dirname "$0")/.."

program=${1:-}
if [ -z "$program" ]; then
    cargo build --release --quiet
    program=$PWD/target/release/wirewait
fi
python=$(./scripts/rows-venv.sh target/rows-venv)
python=$PWD/$python
modules="maturin, mypy, pytest"
if ! "$python" -c "import $modules" 2>/dev/null; then
    "$python" -m pip install --quiet --disable-pip-version-check maturin mypy pytest >&2 || exit 77
fi

cd python
rm -rf target/wheels
"$python" -m maturin build --release --quiet --auditwheel skip --interpreter "$python" --out target/wheels
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall \
    target/wheels/wirewait-*.whl
ls -l target/wheels
# The stubs are judged by mypy, on the module as it is.
"$python" -m mypy.stubtest --allowlist tests/stubtest.txt wirewait
WIREWAIT_PROGRAM=$program "$python" -m pytest --quiet tests
