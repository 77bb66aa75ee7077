#!/usr/bin/env bash
# Makes a virtual environment of Python with the engines that read rows (pyarrow, polars, pandas,
# DuckDB, chDB), and prints the path of its interpreter. What is there already is used again.
# Exits with 77 where Python or the packages cannot be had.
# Usage: rows-venv.sh FOLDER
set -euo pipefail

folder=$1
python=$folder/bin/python
modules="pyarrow, polars, pandas, duckdb, chdb"
if ! "$python" -c "import $modules" 2>/dev/null; then
    {
        python3 -m venv "$folder" &&
            "$folder/bin/pip" install --quiet --disable-pip-version-check \
                pyarrow polars pandas duckdb chdb &&
            "$python" -c "import $modules"
    } >&2 || exit 77
fi
echo "$python"
