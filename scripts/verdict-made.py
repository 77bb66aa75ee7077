#!/usr/bin/env python3
"""Judges the verdict by captures that are made in virtual time, of which the truth is known.

    verdict-made.py WIREWAIT [--family N] [--keep FOLDER] [NAME...]

A small simulation (scripts/verdict_made) has clients, servers, links and TCP; it shares no code with the rest of the repository. It
writes each scenario's captures, made at the client, in the middle and at the server, and knows from its own record whose
the time was. `wirewait report` must print intervals that contain it, and not name another. One line a capture:

    WRONG    a truth outside its interval, or a name that had less than another
    HEDGED   two names, or none
    WIDE     an interval wider than 15 points where the wire has evidence

Exit code 1 if a row is WRONG that is not in KNOWN (verdict_made/known.py), or one of those is right.
"""

import argparse
import importlib
import os
import sys
import tempfile

from verdict_made import cases, judge
from verdict_made.known import KNOWN

FAMILIES = range(1, 10)


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
    parser.add_argument("names", nargs="*", help="parts of names of scenarios (family/name)")
    arguments = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory(prefix="verdict-made.") as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        rows = [row for case in wanted(arguments.family, arguments.names)
                for row in judged(arguments.wirewait, case, folder)]
    sys.exit(summary(rows))


def judged(wirewait, case, folder):
    """The rows of one scenario."""
    for place, frames, shares in cases.captures(case):
        name = f"{case.family}/{case.name}@{place}"
        path = os.path.join(folder, name.replace("/", "-") + ".pcap")
        judge.write(path, frames)
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
    count = {what: sum(1 for row in rows if getattr(row, what)) for what in ("wrong", "hedged", "wide")}
    names = sum(1 for row in rows if any(what.startswith("named") for what in row.wrong))
    print(f"{len(rows)} captures: {count['wrong']} wrong ({names} by a name; {len(bad)} not known), "
          f"{count['hedged']} hedged, {count['wide']} wide")
    return 1 if bad or right else 0


if __name__ == "__main__":
    main()
