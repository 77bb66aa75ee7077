#!/usr/bin/env bash
# Memory against frames: synth's churn (ever new clients, servers and files, unanswered requests,
# half-open streams, used identifiers) streams through `wirewait report -`; every second its
# anonymous memory is read. Then the figures of the 30 clients that stay are compared with the
# truth. Fails above 256 MiB, or where a figure is wrong.
# Usage: memory.sh [FRAMES [CLIENTS [PLOT.svg]]]; a hundred million frames take some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
frames=${1:-100000000}
clients=${2:-330}
plot=${3:-}
most_mib=256

cargo build --release --quiet
cargo build --release --quiet -p wirewait-synth --example bulk
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d "${TMPDIR:-/tmp}/memory.XXXXXX")
trap 'rm -rf "$work"' EXIT

mkfifo "$work/pipe"
"$target/release/examples/bulk" churn "$frames" 7 "$work/pipe" "$clients" 2>"$work/truth" &
"$target/release/wirewait" report --format json - <"$work/pipe" >"$work/report.json" 2>/dev/null &
python3 - "$!" "$frames" "$work" "$most_mib" "$plot" <<'PY'
import json, re, sys, time

process, frames, work, most, plot = sys.argv[1:6]
frames, most = int(frames), int(most)

# What is read of the pipe is a measure of the frames; their mean size is known at the end.
points = []
try:
    while True:
        with open(f"/proc/{process}/io") as io:
            read = int(re.search(r"rchar: (\d+)", io.read()).group(1))
        with open(f"/proc/{process}/status") as status:
            found = re.search(r"RssAnon:\s+(\d+)", status.read())
        if not found:
            break
        points.append((read, int(found.group(1)) / 1024))
        time.sleep(1)
except (FileNotFoundError, ProcessLookupError):
    pass
while True:
    with open(f"{work}/truth") as file:
        truth = file.read()
    if "mean" in truth:
        break
    time.sleep(0.2)
total = int(re.search(r"(\d+) bytes", truth).group(1)) + 16 * frames
points = [(frames * read / total, mib) for read, mib in points if read]
step = max(1, len(points) // 20)
print("million frames  MiB")
for n, mib in points[::step] + points[-1:]:
    print(f"{n / 1e6:14.1f}  {mib:3.0f}")
peak = max(mib for _, mib in points)

for _ in range(600):
    try:
        with open(f"{work}/report.json") as file:
            report = json.load(file)
        break
    except json.JSONDecodeError:
        time.sleep(0.2)
staying = [row for row in report["servers"]
           if re.search(r"^10\.2\.0\.[01]$|020000ff000[01]$|^02-00-00-ff-00-0[01]$", row["server"])]
answered = sum(row["answered"] for row in staying)
requests = sum(row["requests"] for row in staying)
spent = sum(row["turnaround"]["total_ns"] for row in staying)
longest = max(row["turnaround"]["max_ns"] for row in staying)
mean = spent // max(1, sum(row["turnaround"]["n"] for row in staying))
ours = (report["capture"]["frames"], requests, answered, mean, longest)
numbers = [int(n) for n in re.findall(r"\d+", truth)]
theirs = (numbers[0], numbers[2], numbers[3], numbers[4], numbers[5])
names = ("frames", "requests", "answered", "turnaround mean, ns", "turnaround max, ns")
right = ours == theirs
for name, a, b in zip(names, ours, theirs):
    print(f"{name:20} {a:14} {'as it is' if a == b else f'WRONG: it is {b}'}")
print(f"peak {peak:.0f} MiB, of {most}")

if plot:
    width, height, left, top = 640, 280, 60, 20
    x = lambda n: left + (width - left - 20) * n / frames
    y = lambda mib: top + (height - top - 40) * (1 - mib / most)
    line = " ".join(f"{x(n):.1f},{y(mib):.1f}" for n, mib in points)
    marks = "".join(
        f'<text x="{left - 6}" y="{y(m) + 4:.1f}" text-anchor="end">{m}</text>'
        f'<line x1="{left}" x2="{width - 20}" y1="{y(m):.1f}" y2="{y(m):.1f}" stroke="#ccc"/>'
        for m in range(0, most + 1, 64))
    marks += "".join(
        f'<text x="{x(frames * k / 4):.1f}" y="{height - 20}" text-anchor="middle">'
        f'{frames * k / 4e6:.0f}</text>' for k in range(5))
    with open(plot, "w") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>'
            f'{marks}<polyline points="{line}" fill="none" stroke="#06c" stroke-width="2"/>'
            f'<text x="{width / 2}" y="{height - 4}" text-anchor="middle">million frames</text>'
            f'<text x="{left}" y="{top - 6}">anonymous memory, MiB (limit {most})</text></svg>\n')
sys.exit(0 if right and peak <= most else 1)
PY
