#!/usr/bin/env python3
"""How the instructions that a frame costs grow with frames, clients, connections and servers.

    growth.py WIREWAIT BULK [PLOT.svg]

Each figure is the difference of two runs of `wirewait report` under valgrind, over the second half of a
capture that synth makes: the same on a busy machine. Prints a table; writes four plots.
"""

import os
import subprocess
import sys
import tempfile

# What grows, the shape of the traffic, and (frames, clients, servers) at each step.
SERIES = [
    ("frames", "mix", [(n, 50, 2) for n in (50_000, 100_000, 200_000, 400_000, 800_000)]),
    ("clients", "ncp", [(200_000, n, 2) for n in (50, 500, 2_000, 5_000, 10_000)]),
    ("connections", "smbtcp", [(400_000, n, 2) for n in (50, 500, 2_000, 5_000, 10_000)]),
    ("servers", "ncp", [(200_000, 1_000, n) for n in (1, 10, 100, 500, 1_000)]),
]


def instructions(wirewait, bulk, shape, frames, clients, servers, folder):
    """Of a whole run over a capture."""
    capture = os.path.join(folder, "capture.pcap")
    subprocess.run([bulk, shape, str(frames), "7", capture, str(clients), str(servers)],
                   check=True, stderr=subprocess.DEVNULL)
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", wirewait, "report", "--threads", "1",
         "--format", "json", "--limit", f"conversations={max(clients, 4096)}", capture],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return int(next(line.split()[-1] for line in run.stderr.splitlines() if "Collected" in line))


def measured(wirewait, bulk, folder):
    found = []
    for what, shape, steps in SERIES:
        points = []
        for frames, clients, servers in steps:
            whole, half = (instructions(wirewait, bulk, shape, n, clients, servers, folder)
                           for n in (frames, frames // 2))
            at = {"frames": frames, "servers": servers}.get(what, clients)
            points.append((at, (whole - half) / (frames - frames // 2)))
            print(f"{what:12} {shape:7} {at:8,} {points[-1][1]:8,.0f}", flush=True)
        found.append((what, shape, points))
    return found


def plot(found):
    """Four plots side by side, each from zero."""
    top = max(y for *_, points in found for _, y in points) * 1.1
    wide, high, left, gap = 200, 150, 50, 30
    parts = []
    for at, (what, shape, points) in enumerate(found):
        x0 = left + at * (wide + gap)
        place = [(x0 + wide * i / (len(points) - 1), 20 + high * (1 - y / top)) for i, (_, y) in enumerate(points)]
        parts.append(f'<path d="M{x0} 20V{20 + high}H{x0 + wide}" class="axis"/>')
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in place)
        parts.append(f'<polyline points="{line}"/>')
        for (x, y), (n, cost) in zip(place, points):
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>')
            parts.append(f'<text x="{x:.1f}" y="{y - 7:.1f}">{cost / 1000:.1f}</text>')
            short = f"{n // 1000}k" if n >= 1000 else str(n)
            parts.append(f'<text x="{x:.1f}" y="{35 + high}">{short}</text>')
        parts.append(f'<text x="{x0 + wide / 2}" y="{55 + high}">{what} ({shape})</text>')
    width = left + len(found) * (wide + gap)
    parts.append('<text x="4" y="12" class="title">thousand instructions a frame</text>')
    style = ("text{font:11px sans-serif;text-anchor:middle;fill:#444}.title{text-anchor:start}"
             ".axis{fill:none;stroke:#888}polyline{fill:none;stroke:#06c;stroke-width:1.5}circle{fill:#06c}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {high + 65}">'
            f'<rect width="100%" height="100%" fill="#fff"/><style>{style}</style>{"".join(parts)}</svg>\n')


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="growth.") as folder:
        os.chmod(folder, 0o755)
        found = measured(sys.argv[1], sys.argv[2], folder)
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w", encoding="utf-8") as file:
            file.write(plot(found))


if __name__ == "__main__":
    main()
