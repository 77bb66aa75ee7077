#!/usr/bin/env bash
# Memory for many connections at once: 20,000 clients at a hundred servers, one connection each,
# all of them followed (`--limit conversations`). Fails above 128 MiB of anonymous memory, or where
# a connection was given up.
# Usage: connections.sh [FRAMES [CLIENTS]]
set -euo pipefail
cd "$(dirname "$0")/.."
frames=${1:-1000000}
clients=${2:-20000}
most_mib=128

cargo build --release --quiet
cargo build --release --quiet -p wirewait-synth --example bulk
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d "${TMPDIR:-/tmp}/connections.XXXXXX")
trap 'rm -rf "$work"' EXIT

"$target/release/examples/bulk" smbtcp "$frames" 7 "$work/capture.pcap" "$clients" 2>/dev/null
python3 - "$target/release/wirewait" "$work/capture.pcap" "$clients" "$most_mib" <<'PY'
import json, re, subprocess, sys, tempfile, time

program, capture, clients, most = sys.argv[1:5]
command = [program, "report", "--format", "json", "--threads", "1"]
command += ["--limit", f"conversations={clients}", capture]
out = tempfile.TemporaryFile()
process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
peak = 0
while process.poll() is None:
    with open(f"/proc/{process.pid}/status") as status:
        found = re.search(r"RssAnon:\s+(\d+)", status.read())
    peak = max(peak, int(found.group(1)) / 1024 if found else 0)
    time.sleep(0.01)
out.seek(0)
report = json.load(out)["capture"]
followed, evicted = report["conversations"], report["evicted_conversations"]
print(f"{followed} conversations, {evicted} given up; at most {peak:.0f} of {most} MiB")
sys.exit(process.returncode != 0 or peak > float(most) or evicted > 0 or followed != int(clients))
PY
