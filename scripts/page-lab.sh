#!/usr/bin/env bash
# Judges the HTML pages as a browser shows them: html-validate, axe at 1280 and 390 px, tables that
# fit at 1280 px, tables that sort without network (page-lab.js).
# By hand: needs node, npm and chromium; fetches three npm packages into target/page-lab.
# usage: [WIREWAIT=path/to/wirewait] scripts/page-lab.sh [CAPTURE...]
set -euo pipefail
cd "$(dirname "$0")/.."
lab=$PWD/target/page-lab
program=${WIREWAIT:-}
if [ -z "$program" ]; then
    cargo build --release --quiet
    program=${CARGO_TARGET_DIR:-target}/release/wirewait
fi
[ $# -gt 0 ] || set -- captures/demo.pcapng
mkdir -p "$lab"
cp scripts/page-lab.js "$lab"
echo '{"extends":["html-validate:recommended"],"rules":{"long-title":"off","no-inline-style":"error"}}' \
    >"$lab/.htmlvalidate.json"
[ -d "$lab/node_modules" ] ||
    (cd "$lab" && npm install --silent puppeteer-core@24 axe-core@4 html-validate@10)
pages=()
for capture in "$@"; do
    page=$lab/$(basename "$capture").html
    "$program" report "$capture" --format html >"$page"
    pages+=("$page")
done
"$program" compare captures/demo.pcapng "$1" --format html >"$lab/compare.html"
pages+=("$lab/compare.html")
cd "$lab"
npx html-validate "${pages[@]}"
node page-lab.js "${pages[@]}"
