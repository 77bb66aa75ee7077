#!/usr/bin/env bash
# Plots how the cost of a frame grows with frames, clients, connections and servers (docs/growth.svg).
# Wants valgrind; takes some minutes. Usage: growth.sh [PLOT.svg]
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet
cargo build --release --quiet -p wirewait-synth --example bulk
target=${CARGO_TARGET_DIR:-target}
python3 benches/growth.py "$target/release/wirewait" "$target/release/examples/bulk" "${1:-docs/growth.svg}"
