"""Captures written as files, and what wirewait says of them against the truth."""

import json
import struct
import subprocess

from .sim import S
from .truth import WHO

# Percent of active time, and nanoseconds in all: as near as an interval has to be to the truth.
POINTS, ENOUGH_NS = 0.5, 1_000_000
# Percent: wider is wide, where the wire has evidence.
NARROW = 15
BEGAN = 1_700_000_000 * S


def write(path, frames, link=1, snap=None):
    """A file of pcap with nanoseconds; `frames` are (time, bytes, length on the wire), of which `snap` are kept."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262_144, link))
        for time, raw, size in frames:
            time, raw = int(time) + BEGAN, raw[:snap]
            file.write(struct.pack("<IIII", time // S, time % S, len(raw), size) + raw)


class Finding:
    """One row of the table."""

    def __init__(self, name):
        self.name, self.wrong, self.hedged, self.wide = name, [], False, []
        self.named, self.true, self.printed, self.sentence = "-", {}, {}, ""

    def line(self):
        """As it is printed."""
        true = " ".join(f"{span(*self.true[who])}" for who in WHO) if self.true else "-"
        printed = " ".join(f"{span(*self.printed[who])}" for who in WHO) if self.printed else "-"
        notes = [f"WRONG {what}" for what in self.wrong] + [f"WIDE {who}" for who in self.wide]
        notes += ["HEDGED"] if self.hedged else []
        return f"{self.name:44} true {true:32} printed {printed:32} {self.named:18} {'; '.join(notes)}"


def span(low, high):
    return f"{low:.1f}" if high - low < 0.06 else f"{low:.1f}-{high:.1f}"


def report(wirewait, path):
    """What wirewait says."""
    out = subprocess.run([wirewait, "report", "--format", "json", path], capture_output=True, check=False, timeout=120)
    if out.returncode:
        return None, out.stderr.decode(errors="replace").strip()
    return json.loads(out.stdout), ""


def judge(wirewait, path, name, shares, case, narrow):
    """A row: the truth, what is printed, and what is wrong with it. `narrow`: the wire has evidence of all three."""
    row = Finding(name)
    said, error = report(wirewait, path)
    row.true = shares.percent()
    if said is None:
        row.wrong.append(error)
        return row
    verdict = said["verdict"]
    row.named, row.sentence = verdict["culprit"], verdict["sentence"]
    if case.unknown:
        # The capture has half of the conversation: a name is a guess.
        row.wrong += [] if row.named == "none" else [f"named {row.named} where nothing can be known"]
        return row
    if not verdict["shares"]:
        row.hedged = True
        return row
    row.printed = {who: (verdict["shares"][who]["low_per_mille"] / 10, verdict["shares"][who]["high_per_mille"] / 10) for who in WHO}
    active = max(1, verdict["active_ns"])
    slack = max(POINTS, 100 * ENOUGH_NS / active, case.slack)
    for who in WHO:
        low, high = row.printed[who]
        true_low, true_high = row.true[who]
        if true_high < low - slack or true_low > high + slack:
            row.wrong.append(f"{who} {span(low, high)} for {span(true_low, true_high)}")
        if narrow and high - low > NARROW:
            row.wide.append(who)
    greatest = max(row.true[who][1] for who in WHO)
    least_of_greatest = max(row.true[who][0] for who in WHO)
    may = {who for who in WHO if row.true[who][1] >= min(greatest, least_of_greatest) - POINTS}
    if row.named == "none":
        row.hedged = True
    elif row.named in WHO:
        if row.named not in may:
            row.wrong.append(f"named {row.named} for {' or '.join(sorted(may))}")
    else:
        row.hedged = True
        # Two are said to have most together; that the third may have had more than each is said as a doubt.
        third = any("each of the two may have had less" in doubt for doubt in verdict["doubts"])
        if not third and not may & set(row.named.split("_or_")):
            row.wrong.append(f"named {row.named} for {' or '.join(sorted(may))}")
    # The active time itself, within what both readings allow.
    low, high = shares.active()
    if not case.slack and not low - 2 * ENOUGH_NS - low // 200 <= active <= high + 2 * ENOUGH_NS + high // 200:
        row.wrong.append(f"active {active / 1e6:.1f} ms for {low / 1e6:.1f}-{high / 1e6:.1f}")
    return row
