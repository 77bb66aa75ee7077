#!/usr/bin/env python3
"""A laboratory of known culprits: a real server, real clients, and a wire that fails as told.

    verdict-lab.py [--all] WIREWAIT [FOLDER] [NAME...]     needs root, smbd, nmblookup, gcc and impacket
    verdict-lab.py --again WIREWAIT FOLDER [NAME...]     judges what stands in the folder

Samba and clients of impacket stand in two network namespaces. Between their TAP devices this
program carries each frame: it delays, drops, duplicates and reorders, limits the rate, and writes
one capture at each end. The server is made to sleep in its reads of files (a preloaded library,
which logs each sleep and for whom), directly or in a thread, which it first answers "pending"; the clients
think between their requests, lock, look up names that nobody has, and log each call. From these logs alone
follows what of the time was whose: at least what was injected, and at most that and all that no log
explains. `wirewait report` on each capture must print an interval that agrees, for all clients together and
for each of them, and name nobody else; and fairness, lookups and symptoms must be what the logs say.

Without names it makes those that CI does; `--all` makes those, too, that another one nearly shows.
Captures, logs and table.md go to FOLDER (verdict-lab). The exit code is 1 where a row is wrong or
wider than its evidence, and 77 where something is missing that the laboratory needs.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from verdict_lab import judge, truth
from verdict_lab.faults import DIRECT, FAULTS, NARROW, THREADS
from verdict_lab.wire import Wire, taps

CLIENT, SERVER = "wwlab-c", "wwlab-s"
# A fault is wrong if it is wrong this many times in a row.
TRIES = 3
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "verdict_lab")

CONF = """[global]
  workgroup = LAB
  server min protocol = NT1
  smb ports = 445
  disable netbios = {1}
  map to guest = bad user
  guest account = nobody
  load printers = no
  printing = bsd
  oplocks = no
  use sendfile = no
  log file = {0}/samba/log
  lock directory = {0}/samba
  state directory = {0}/samba
  cache directory = {0}/samba
  pid directory = {0}/samba
  private dir = {0}/samba
  ncalrpc dir = {0}/samba/ncalrpc
"""
SHARE = """[{1}]
  path = {0}/share
  guest ok = yes
  read only = no
  force user = root
  aio read size = {2}
"""


def main():
    arguments = sys.argv[1:]
    again, everything = (arguments[:1] == [option] for option in ("--again", "--all"))
    arguments = arguments[again or everything:]
    if not arguments or again and len(arguments) < 2:
        sys.exit(__doc__)
    wirewait = os.path.abspath(arguments[0])
    folder = os.path.abspath(arguments[1] if len(arguments) > 1 else "verdict-lab")
    wanted = arguments[2:]
    unknown = set(wanted) - {fault.name for fault in FAULTS}
    if unknown:
        sys.exit(f"verdict-lab: no fault is named {', '.join(sorted(unknown))}")
    faults = [fault for fault in FAULTS if fault.name in wanted or not wanted and (again or everything or not fault.seldom)]
    if again:
        rows = judged(wirewait, faults, folder, lambda _: True)
    else:
        rows = made(wirewait, faults, folder)
    wrong, wides = (sum(row[side] for row in rows) for side in (1, 2))
    with open(f"{folder}/table.md", "w") as file:
        file.write("| fault | captured at | truth % (client, network, server) | printed % | named | symptoms |\n"
                   "|---|---|---|---|---|---|\n")
        file.writelines(f"| {' | '.join(row)} |\n" for row, _, _ in rows)
    print(f"{len(rows)} captures, {wrong} wrong, {wides} wider than {NARROW} points where the wire has evidence")
    sys.exit(1 if wrong or wides else 0)


def judged(wirewait, faults, folder, make, tries=1):
    """A row for each end of each fault, whether it is wrong, and whether an interval is too wide.

    What is made is not the same twice: where this machine takes the processor away from the wire or a station, the
    answers by which distances are measured are late, and no log says so. What is wrong is so each time."""
    rows = []
    for fault in faults:
        for attempt in range(tries):
            found = judged_once(wirewait, fault, folder, make)
            for row, *_ in found:
                print(" | ".join(row), flush=True)
            if not any(wrong or wide for _, wrong, wide in found):
                break
            if attempt + 1 < tries:
                print(f"{fault.name}: once more", flush=True)
        rows += found
    return rows


def judged_once(wirewait, fault, folder, make):
    """Rows of one fault."""
    try:
        if not make(fault):
            raise truth.Mistaken("the clients did not finish")
        with open(f"{folder}/{fault.name}.json") as file:
            kept = json.load(file)
        truths = truth.all_of(fault, list(kept["calls"].values()), kept["slept"], kept["wire"])
        found = [judge.compare(wirewait, fault, end, truths, kept["wire"], folder) for end in ("client", "server")]
        return [(row, not right, wide) for row, right, wide in found]
    except (truth.Mistaken, OSError) as error:
        return [((fault.name, "-", "-", str(error), "WRONG", "-"), True, False)]


def made(wirewait, faults, folder):
    """The same, of captures that are made now."""
    missing = [tool for tool in ("smbd", "nmblookup", "gcc", "ip") if not shutil.which(tool)]
    python = os.environ.get("LAB_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import impacket"], capture_output=True).returncode:
        missing.append("impacket (LAB_PYTHON names a python that has it)")
    if os.geteuid() or missing:
        print(f"SKIPPED: verdict-lab: not root, or there is no {', '.join(missing) or 'right'}")
        sys.exit(77)
    os.makedirs(folder, exist_ok=True)
    lab = tempfile.mkdtemp(prefix="verdict-lab.")
    os.chmod(lab, 0o755)
    for name in ("share", "samba"):
        os.makedirs(f"{lab}/{name}")
    for name in ("even.bin", "odd.bin"):
        with open(f"{lab}/share/{name}", "wb") as file:
            file.write(random.Random(name).randbytes(1 << 20))
    conf = CONF.format(lab, "yes")
    for name, text in (("client.conf", CONF.format(lab, "no")), ("sleep", "0 1"),
                       ("smb.conf", conf + SHARE.format(lab, DIRECT, 0) + SHARE.format(lab, THREADS, 1))):
        with open(f"{lab}/{name}", "w") as file:
            file.write(text)
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", f"{lab}/shim.so", f"{HERE}/shim.c", "-ldl"], check=True)
    smbd = None
    try:
        wire = Wire(taps(CLIENT, SERVER), f"{lab}/plan.reads")
        wire.start()
        smbd = subprocess.Popen(
            ["ip", "netns", "exec", SERVER, "smbd", "--foreground", "--no-process-group", "-s", f"{lab}/smb.conf"],
            env={**os.environ, "LD_PRELOAD": f"{lab}/shim.so", "LAB": lab},
            stdout=open(f"{lab}/smbd.out", "w"), stderr=subprocess.STDOUT, start_new_session=True)
        return judged(wirewait, faults, folder, lambda fault: run(fault, wire, lab, folder, python), TRIES)
    finally:
        if smbd:
            os.killpg(smbd.pid, signal.SIGTERM)
        for namespace in (CLIENT, SERVER):
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True)
        shutil.rmtree(lab, ignore_errors=True)


def run(fault, wire, lab, folder, python):
    """One fault, of which both captures and all logs go to the folder; whether the clients came to their end."""
    with open(f"{lab}/sleep", "w") as file:
        file.write(fault.sleep)
    with open(f"{lab}/plan", "w") as file:
        json.dump(fault.plan(f"{lab}/client.conf"), file)
    for attempt in range(20):
        for name in os.listdir(lab):
            if name.startswith("plan.") or name == "slept":
                os.remove(f"{lab}/{name}")
        wire.begin(fault, folder)
        work = subprocess.run(["ip", "netns", "exec", CLIENT, python, f"{HERE}/work.py", f"{lab}/plan"],
                              capture_output=True, text=True, timeout=300, check=False)
        time.sleep(0.3)
        log = wire.end()
        if work.returncode == 0:
            break
        # The server may still be starting.
        if attempt > 5 and "refused" not in work.stderr:
            print(work.stderr[-2000:], file=sys.stderr)
            return False
        time.sleep(0.5)
    else:
        print(work.stderr[-2000:], file=sys.stderr)
        return False
    calls, slept = [], []
    for number in range(len(fault.clients)):
        with open(f"{lab}/plan.{number}") as file:
            calls.append(json.load(file))
    if os.path.exists(f"{lab}/slept"):
        with open(f"{lab}/slept") as file:
            for line in file:
                began, ended, client = line.split()
                slept.append((int(began), int(ended), client))
    with open(f"{folder}/{fault.name}.json", "w") as file:
        json.dump({"calls": dict(zip(fault.addresses, calls)), "slept": slept, "wire": log}, file)
    return True


if __name__ == "__main__":
    main()
