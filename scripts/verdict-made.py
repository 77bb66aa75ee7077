#!/usr/bin/env python3
"""Judges the verdict by captures that are made in virtual time, of which the truth is known.

    verdict-made.py WIREWAIT [--family N] [--keep FOLDER] [--further N] [--snap BYTES] [NAME...]

A small simulation (scripts/verdict_made) has clients, servers, links and TCP; it shares no code with the rest of the repository. It
writes each scenario's captures, made at the client, in the middle and at the server, and knows from its own record whose
the time was. `wirewait report` must print intervals that contain it, and not name another. One line a capture:

    WRONG    a truth outside its interval, or a name that had less than another
    HEDGED   two names, or none
    WIDE     an interval wider than 15 points where the wire has evidence

Exit code 1 if a row is WRONG that is not in KNOWN (verdict_made/known.py), or one of those is right. `--further` draws as many
more mixtures, which no rule was made for and no row is known of: they show how the others carry over. Exit code 1 if one of
them has a wrong name.
"""

import argparse
import importlib
import os
import sys
import tempfile

from verdict_made import cases, family9, judge
from verdict_made.known import KNOWN

FAMILIES = range(1, 11)


def wanted(family, names):
    """The scenarios to run, of those families that exist."""
    for number in FAMILIES:
        if family and number != family:
            continue
        try:
            module = importlib.import_module(f"verdict_made.family{number}")
        except ModuleNotFoundError:
            continue
        for case in module.CASES:
            case.family = number
            if not names or any(name in f"{number}/{case.name}" for name in names):
                yield case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wirewait")
    parser.add_argument("--family", type=int)
    parser.add_argument("--keep", help="folder for the captures")
    parser.add_argument("--further", type=int, default=0, help="more mixtures")
    parser.add_argument("--snap", type=int, help="cut each frame behind that many bytes, as `tcpdump -s` does")
    parser.add_argument("names", nargs="*", help="parts of names of scenarios (family/name)")
    arguments = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory(prefix="verdict-made.") as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        of = (arguments.wirewait, folder, arguments.snap)
        rows = [row for case in wanted(arguments.family, arguments.names) for row in judged(case, *of)]
        more = [row for case in further(arguments.further) for row in judged(case, *of)]
    failed = summary(rows)
    if more:
        failed |= summary_of_further(more)
    sys.exit(failed)


def further(count):
    """Mixtures beyond those of family 9."""
    for number in range(len(family9.CASES), len(family9.CASES) + count):
        case = family9.draw(number)
        case.family = 9
        yield case


def judged(case, wirewait, folder, snap):
    """The rows of one scenario."""
    for place, frames, shares in cases.captures(case):
        name = f"{case.family}/{case.name}@{place}"
        path = os.path.join(folder, name.replace("/", "-") + ".pcap")
        judge.write(path, frames, snap=snap)
        row = judge.judge(wirewait, path, name, shares, case, place in case.narrow.split())
        known = KNOWN.get(name)
        print(row.line() + (f" KNOWN: {known}" if known else ""), flush=True)
        yield row


def summary(rows):
    """The last lines, and the exit code."""
    bad = [row for row in rows if row.wrong and row.name not in KNOWN]
    right = [row for row in rows if not row.wrong and row.name in KNOWN]
    for row in right:
        print(f"{row.name} is right, and is listed as known to be wrong")
    count = counts(rows)
    print(f"{len(rows)} captures: {count['wrong']} wrong ({misnamed(rows)} by a name; {len(bad)} not known), "
          f"{count['hedged']} hedged, {count['wide']} wide")
    return 1 if bad or right else 0


def summary_of_further(rows):
    """The line of the further mixtures, and the exit code."""
    count = counts(rows)
    print(f"{len(rows)} captures of further mixtures: {count['wrong']} wrong ({misnamed(rows)} by a name), {count['hedged']} hedged")
    return 1 if misnamed(rows) else 0


def counts(rows):
    """How many are what."""
    return {what: sum(1 for row in rows if getattr(row, what)) for what in ("wrong", "hedged", "wide")}


def misnamed(rows):
    """How many have a wrong name."""
    return sum(1 for row in rows if any(what.startswith("named") for what in row.wrong))


if __name__ == "__main__":
    main()
