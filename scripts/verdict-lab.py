#!/usr/bin/env python3
"""A laboratory of known culprits: a real server, a real client, and a wire that fails as told.

    verdict-lab.py WIREWAIT [FOLDER] [NAME...]     needs root, smbd, gcc and impacket

Samba and a client of impacket stand in two network namespaces. Between their TAP devices this
program carries each frame: it delays, drops, duplicates and reorders, limits the rate, and writes
one capture at each end. The server is made to sleep in its reads of files (a preloaded library,
which logs each sleep); the client thinks between its requests, and logs both. From these logs alone
follows what of the time was whose: at least what was injected, and at most that and all that no log
explains. `wirewait report` on each capture must print an interval that agrees, and name nobody else.

Captures, logs and table.md go to FOLDER (verdict-lab). The exit code is 1 where a row is wrong, and
77 where something is missing that the laboratory needs.
"""

import ctypes
import fcntl
import heapq
import json
import os
import random
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

CLIENT, SERVER = "wwlab-c", "wwlab-s"
ADDRESS = {CLIENT: "10.77.0.2", SERVER: "10.77.0.1"}
# IPv6 numbers no packets: nothing then shows what was lost before the capture.
ADDRESS6 = {CLIENT: "fd77::2", SERVER: "fd77::1"}
READS = 120
# Percent: an interval is narrower than this wherever the wire has evidence.
NARROW = 15
# The only control bit of a segment that acknowledges and does nothing else.
ACK = 0x10

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
/* Sleeps in reads of shared files as $LAB/sleep says (microseconds, every nth, part of a name),
   and logs each sleep to $LAB/slept. */
static int calls;
static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static void rest(int fd) {
    char link[64], path[512], file[512], name[128] = "";
    const char *lab = getenv("LAB");
    long us = 0, every = 1;
    if (!lab) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return;
    path[n] = 0;
    if (!strstr(path, "/share/")) return;
    snprintf(file, sizeof file, "%s/sleep", lab);
    FILE *f = fopen(file, "r");
    if (!f) return;
    int got = fscanf(f, "%ld %ld %127s", &us, &every, name);
    fclose(f);
    if (got < 2 || us <= 0 || (got == 3 && !strstr(path, name))) return;
    if (__sync_add_and_fetch(&calls, 1) % every) return;
    long long from = now();
    usleep(us);
    snprintf(file, sizeof file, "%s/slept", lab);
    int out = open(file, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (out >= 0) { dprintf(out, "%lld %lld\n", from, now()); close(out); }
}
ssize_t pread(int fd, void *b, size_t n, off_t at) {
    static ssize_t (*real)(int, void *, size_t, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "pread");
    rest(fd);
    return real(fd, b, n, at);
}
ssize_t pread64(int fd, void *b, size_t n, off64_t at) {
    static ssize_t (*real)(int, void *, size_t, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "pread64");
    rest(fd);
    return real(fd, b, n, at);
}
"""

WORK = r"""
import json, os, sys, time
from impacket.smbconnection import SMBConnection
address, dialect, reads, size, think_us, log = sys.argv[1:7]
c = SMBConnection("lab", address, sess_port=445, preferredDialect=int(dialect) if dialect.isdigit() else dialect)
c.login("", "")
tree = c.connectTree("lab")
files = [c.openFile(tree, name, desiredAccess=0x1, shareMode=7) for name in ("even.bin", "odd.bin")]
done = []
# Set-up and end are not in the log: nothing is to go wrong in them.
open(log + ".reads", "w").close()
for n in range(int(reads)):
    began = time.time_ns()
    c.readFile(tree, files[n % 2], offset=(n * 4096) % 500_000, bytesToRead=int(size))
    done.append((began, time.time_ns()))
    time.sleep(int(think_us) / 1e6)
os.remove(log + ".reads")
json.dump(done, open(log, "w"))
"""

CONF = """[global]
  workgroup = LAB
  server min protocol = NT1
  smb ports = 445
  disable netbios = yes
  map to guest = bad user
  guest account = nobody
  load printers = no
  printing = bsd
  oplocks = no
  aio read size = 0
  use sendfile = no
  log file = {0}/samba/log
  lock directory = {0}/samba
  state directory = {0}/samba
  cache directory = {0}/samba
  pid directory = {0}/samba
  private dir = {0}/samba
  ncalrpc dir = {0}/samba/ncalrpc
[lab]
  path = {0}/share
  guest ok = yes
  read only = yes
  force user = root
"""


class Fault:
    """What is wrong with the wire, the server and the client of one run."""

    def __init__(self, name, dialect="768", sleep="0 1", think_us=0, way_ms=0.0, lost=(0, 0),
                 late=(0, 0), twice=(0, 0), bytes_per_s=0, size=4096, reads=READS, acks=(0, 0), ipv6=False):
        self.name, self.dialect, self.sleep, self.think_us = name, dialect, sleep, think_us
        self.way_ms, self.lost, self.late, self.twice = way_ms, lost, late, twice
        self.bytes_per_s, self.size, self.reads = bytes_per_s, size, reads
        # Each nth acknowledgement without data is lost, which costs nobody time.
        self.acks = acks
        self.ipv6 = ipv6


SMB1, SMB2, SMB3 = "NT LM 0.12", "528", "768"
FAULTS = [
    Fault("none"),
    Fault("sleep-8ms", sleep="8000 1"),
    Fault("sleep-8ms-smb1", SMB1, sleep="8000 1"),
    Fault("sleep-8ms-smb2", SMB2, sleep="8000 1"),
    Fault("sleep-every-20th-80ms", sleep="80000 20"),
    Fault("sleep-one-file-20ms", sleep="20000 1 odd"),
    Fault("think-20ms", think_us=20_000),
    Fault("think-20ms-smb1", SMB1, think_us=20_000),
    Fault("think-5ms", think_us=5_000),
    Fault("way-0.2ms", way_ms=0.2),
    Fault("way-2ms", way_ms=2),
    Fault("way-2ms-smb1", SMB1, way_ms=2),
    Fault("way-10ms", way_ms=10),
    Fault("way-20ms", way_ms=20),
    Fault("lost-requests-2", lost=(0.02, 0)),
    Fault("lost-responses-2", lost=(0, 0.02)),
    Fault("lost-both-5", lost=(0.05, 0.05), reads=60),
    Fault("lost-requests-2-smb1", SMB1, lost=(0.02, 0)),
    Fault("late-1.5ms-way-4ms", way_ms=4, late=(0.05, 1.5), size=60_000),
    Fault("twice-5-way-2ms", way_ms=2, twice=(0.05, 0.05)),
    Fault("rate-4mbit", bytes_per_s=500_000, size=32_768, reads=60),
    Fault("rate-4mbit-smb1", SMB1, bytes_per_s=500_000, size=16_384, reads=60),
    Fault("sleep-8ms-way-2ms", sleep="8000 1", way_ms=2),
    Fault("sleep-8ms-think-2ms", sleep="8000 1", think_us=2_000),
    Fault("think-20ms-way-2ms", think_us=20_000, way_ms=2),
    Fault("think-4ms-way-10ms", think_us=4_000, way_ms=10),
    Fault("sleep-2ms-way-10ms", sleep="2000 1", way_ms=10),
    Fault("sleep-20ms-lost-2", sleep="20000 1", lost=(0.02, 0)),
    Fault("think-20ms-lost-1", think_us=20_000, lost=(0.01, 0)),
    Fault("sleep-4ms-think-20ms-way-2ms", sleep="4000 1", think_us=20_000, way_ms=2),
    Fault("sleep-350ms-lost-acks", sleep="350000 1", acks=(0, 3), reads=20),
    Fault("think-350ms-lost-acks", think_us=350_000, acks=(2, 0), size=1024, reads=20),
    Fault("none-ipv6", ipv6=True),
    Fault("sleep-8ms-ipv6", sleep="8000 1", ipv6=True),
    Fault("sleep-350ms-ipv6", sleep="350000 1", reads=20, ipv6=True),
    Fault("think-20ms-ipv6", think_us=20_000, ipv6=True),
    Fault("think-350ms-ipv6", think_us=350_000, reads=20, ipv6=True),
    Fault("way-2ms-ipv6", way_ms=2, ipv6=True),
    Fault("lost-requests-3-ipv6", lost=(0.03, 0), ipv6=True),
    Fault("lost-responses-3-ipv6", lost=(0, 0.03), ipv6=True),
]


# Symptoms of which a fault must raise one, at which end, judged by hand; whatever else is raised is in the
# table. (On a busy machine, a late response in between hides a period.)
# Nothing else has to: 8 and 20 ms of a server are below what "slow responses" are (100 ms), losses are
# few, and a client that thinks, or a long way, is healthy.
RAISED = {
    ("sleep-every-20th-80ms", "client"): {"fluctuating_server", "regular_slow_answers"},
    ("sleep-every-20th-80ms", "server"): {"fluctuating_server", "regular_slow_answers"},
    ("sleep-350ms-lost-acks", "client"): {"slow_server"},
    ("sleep-350ms-lost-acks", "server"): {"slow_server"},
    ("sleep-350ms-ipv6", "client"): {"slow_server"},
    ("sleep-350ms-ipv6", "server"): {"slow_server"},
    # At the server, its segments are still in order.
    ("late-1.5ms-way-4ms", "client"): {"frames_reordered"},
}


def tap(namespace):
    """A TAP device in a namespace, and its file."""
    subprocess.run(["ip", "netns", "add", namespace], check=True)
    libc, home = ctypes.CDLL(None, use_errno=True), os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(f"/var/run/netns/{namespace}", os.O_RDONLY)
    libc.setns(there, 0)
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    # TUNSETIFF with IFF_TAP and IFF_NO_PI.
    fcntl.ioctl(device, 0x400454CA, struct.pack("16sH", b"tap0", 0x1002))
    libc.setns(home, 0)
    run = ["ip", "-n", namespace]
    subprocess.run([*run, "addr", "add", f"{ADDRESS[namespace]}/24", "dev", "tap0"], check=True)
    subprocess.run([*run, "addr", "add", f"{ADDRESS6[namespace]}/64", "dev", "tap0", "nodad"], check=True)
    for link in ("lo", "tap0"):
        subprocess.run([*run, "link", "set", link, "up"], check=True)
    return device


class Wire(threading.Thread):
    """Carries frames between two TAP devices, captures at both, and logs what it does to them."""

    def __init__(self, devices, reads):
        """While the file `reads` is there, frames are lost, late, or come twice."""
        super().__init__(daemon=True)
        self.reads = reads
        self.devices, self.fault, self.files, self.lock = devices, Fault("idle"), None, threading.Lock()
        self.log, self.free = {}, [0.0, 0.0]

    def begin(self, fault, folder):
        with self.lock:
            self.fault, self.log = fault, {"lost_at": [], "lost_acks": 0, "late": 0, "twice": 0}
            self.files = []
            for end in ("client", "server"):
                file = open(f"{folder}/{fault.name}-at-{end}.pcap", "wb")
                file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
                self.files.append(file)
            self.chance, self.acks = random.Random(fault.name), [0, 0]

    def end(self):
        with self.lock:
            for file in self.files:
                file.close()
            self.files = None
            return self.log

    def capture(self, end, frame, at):
        if self.files:
            self.files[end].write(struct.pack("<IIII", at // 10**9, at % 10**9, len(frame), len(frame)) + frame)

    def run(self):
        waiting, number = [], 0
        poll = select.poll()
        for device in self.devices:
            poll.register(device, select.POLLIN)
        while True:
            left = max(0.0, waiting[0][0] - time.monotonic()) if waiting else 0.2
            # What is due within the grain of the timer is waited for awake.
            poll.poll(0 if left < 0.0015 else (left - 0.001) * 1000)
            with self.lock:
                for way, device in enumerate(self.devices):
                    while True:
                        try:
                            frame = os.read(device, 65536)
                        except BlockingIOError:
                            break
                        self.capture(way, frame, time.time_ns())
                        for due in self.fate(way, frame):
                            heapq.heappush(waiting, (due, number, way, frame))
                            number += 1
                while waiting and waiting[0][0] <= time.monotonic():
                    _, _, way, frame = heapq.heappop(waiting)
                    self.capture(1 - way, frame, time.time_ns())
                    os.write(self.devices[1 - way], frame)

    def fate(self, way, frame):
        """When a frame arrives at the other end; several times, or never."""
        fault, now = self.fault, time.monotonic()
        if frame[12:14] == b"\x08\x00" and frame[23] == 6:
            segment = 14 + 20
        elif frame[12:14] == b"\x86\xdd" and frame[20] == 6:
            segment = 14 + 40
        else:
            return [now]
        due = now + fault.way_ms / 1000
        data = len(frame) > segment + 4 * (frame[segment + 12] >> 4)
        if fault.bytes_per_s:
            begins = max(due, self.free[way])
            self.free[way] = begins + len(frame) / fault.bytes_per_s
            due = self.free[way]
        if not os.path.exists(self.reads):
            return [due]
        if data and self.chance.random() < fault.lost[way]:
            self.log["lost_at"].append(time.time_ns())
            return []
        if not data and frame[segment + 13] == ACK and fault.acks[way]:
            self.acks[way] += 1
            if self.acks[way] % fault.acks[way] == 0:
                self.log["lost_acks"] += 1
                return []
        if data and self.chance.random() < fault.late[0]:
            self.log["late"] += 1
            due += fault.late[1] / 1000
        if data and self.chance.random() < fault.twice[way]:
            self.log["twice"] += 1
            return [due, due + 0.0003]
        return [due]


def truth(fault, done, slept, lost_at):
    """Shares of the client's time, from the logs: at least, and at most, of client, network, server."""
    began, ended = done[0][0], done[-1][1]
    active = ended - began
    think = sum(b[0] - a[1] for a, b in zip(done, done[1:]))
    within = [(a, b) for a, b in slept if a >= began and b <= ended]
    server = sum(b - a for a, b in within)
    # Each read goes and comes once; a response of several frames takes the rate's time for each.
    network = len(done) * 2 * fault.way_ms * 1e6
    if fault.bytes_per_s:
        network += len(done) * fault.size / fault.bytes_per_s * 1e9
    # A frame that was lost costs what its request took longer than three times the median, but
    # nothing before it was lost.
    usual = sorted(b - a for a, b in done)[len(done) // 2]
    for a, b in done:
        lost = [at for at in lost_at if a <= at <= b]
        if lost:
            network += max(0, min(b - a - 3 * usual, b - lost[0]))
    rest = max(0, active - think - server - network)
    return active, {"client": (think, think + rest), "network": (network, network + rest),
                    "server": (server, server + rest)}


def evidence(fault, end, active):
    """Who of client, network and server must be known closely, as far as the fault says so.

    What hides in a station's time is the way to it. At its own end there is none, and what it needs for
    the cheapest request bounds it. TCP answers by itself at the other end: the handshake, and data that may
    not wait for its acknowledgement. At the client that is the server's answer to the handshake at
    least. At the server it is the client's to a response of two segments, since a client's
    acknowledgement of one may ride on its next request; without it the way is bounded by its shortest gap.
    """
    # Between two requests the client's program needs 0.3 ms, and the server as much for a read.
    way = 2 * fault.way_ms
    known = {}
    for station in ("client", "server"):
        bound = ((0 if station == end else way) + 0.3) * 1e6 * fault.reads
        itself = station != end and (station == "server" or fault.size > 2 * 1460)
        known[station] = itself or 100 * bound < 0.9 * NARROW * active
    # What was lost before the capture is shown by numbers of packets, which IPv6 has not.
    if fault.ipv6 and end == "server" and fault.lost[0]:
        known["client"] = False
    known["network"] = known["client"] and known["server"]
    return known


def judged(wirewait, capture):
    out = subprocess.run([wirewait, "report", "--format", "json", capture], capture_output=True, check=True)
    report = json.loads(out.stdout)
    raised = {found["id"] for found in report["symptoms"]["found"] if found["state"] == "raised"}
    return report["verdict"], raised


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wirewait = os.path.abspath(sys.argv[1])
    folder = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else "verdict-lab")
    wanted = sys.argv[3:]
    missing = [tool for tool in ("smbd", "gcc", "ip") if not shutil.which(tool)]
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
    for name, text in (("shim.c", SHIM), ("work.py", WORK), ("smb.conf", CONF.format(lab)), ("sleep", "0 1")):
        with open(f"{lab}/{name}", "w") as file:
            file.write(text)
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", f"{lab}/shim.so", f"{lab}/shim.c", "-ldl"], check=True)
    smbd, rows, wrong, wides = None, [], 0, 0
    try:
        wire = Wire([tap(CLIENT), tap(SERVER)], f"{lab}/done.json.reads")
        wire.start()
        smbd = subprocess.Popen(
            ["ip", "netns", "exec", SERVER, "smbd", "--foreground", "--no-process-group", "-s", f"{lab}/smb.conf"],
            env={**os.environ, "LD_PRELOAD": f"{lab}/shim.so", "LAB": lab},
            stdout=open(f"{lab}/smbd.out", "w"), stderr=subprocess.STDOUT, start_new_session=True)
        for fault in FAULTS:
            if wanted and fault.name not in wanted:
                continue
            done = run(fault, wire, lab, folder, python)
            if done is None:
                wrong += 1
                rows.append((fault.name, "-", "-", "the client did not finish", "WRONG", "-"))
                continue
            active, shares = done
            for end in ("client", "server"):
                row, right, wide = compare(wirewait, fault, end, active, shares, folder)
                wrong += not right
                wides += wide
                rows.append(row)
                print(" | ".join(row), flush=True)
    finally:
        if smbd:
            os.killpg(smbd.pid, signal.SIGTERM)
        for namespace in (CLIENT, SERVER):
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True)
        shutil.rmtree(lab, ignore_errors=True)
    with open(f"{folder}/table.md", "w") as file:
        file.write("| fault | captured at | truth % (client, network, server) | printed % | named | symptoms |\n"
                   "|---|---|---|---|---|---|\n")
        file.writelines(f"| {' | '.join(row)} |\n" for row in rows)
    # How wide an interval is hangs on how fast this machine is, so that it is no error here; tests/known.rs
    # holds it in virtual time.
    print(f"{len(rows)} captures, {wrong} wrong, {wides} wider than {NARROW} points where the wire has evidence")
    sys.exit(1 if wrong else 0)


def run(fault, wire, lab, folder, python):
    """One fault: the client's and the server's log and both captures."""
    with open(f"{lab}/sleep", "w") as file:
        file.write(fault.sleep)
    for name in ("slept", "done.json", "done.json.reads"):
        if os.path.exists(f"{lab}/{name}"):
            os.remove(f"{lab}/{name}")
    for attempt in range(20):
        wire.begin(fault, folder)
        client = subprocess.run(
            ["ip", "netns", "exec", CLIENT, python, f"{lab}/work.py", (ADDRESS6 if fault.ipv6 else ADDRESS)[SERVER], fault.dialect,
             str(fault.reads), str(fault.size), str(fault.think_us), f"{lab}/done.json"],
            capture_output=True, text=True, timeout=300, check=False)
        time.sleep(0.3)
        log = wire.end()
        if client.returncode == 0:
            break
        # The server may still be starting.
        if attempt > 5 and "refused" not in client.stderr:
            print(client.stderr[-2000:], file=sys.stderr)
            return None
        time.sleep(0.5)
    with open(f"{lab}/done.json") as file:
        done = json.load(file)
    slept = []
    if os.path.exists(f"{lab}/slept"):
        with open(f"{lab}/slept") as file:
            slept = [tuple(map(int, line.split())) for line in file]
    active, shares = truth(fault, done, slept, log["lost_at"])
    with open(f"{folder}/{fault.name}.json", "w") as file:
        json.dump({"reads": done, "slept": slept, "wire": log}, file)
    return active, shares


def compare(wirewait, fault, end, active, shares, folder):
    verdict, raised = judged(wirewait, f"{folder}/{fault.name}-at-{end}.pcap")
    missed = RAISED.get((fault.name, end), set())
    if missed & raised:
        missed = set()
    printed = verdict.get("shares") or {}
    true = {who: [100 * n / active for n in shares[who]] for who in shares}
    texts, agrees, wide = [], True, ""
    known = evidence(fault, end, active)
    for who in ("client", "network", "server"):
        if who not in printed:
            continue
        low, high = (printed[who][side] / 10 for side in ("low", "high"))
        texts.append(f"{low:.1f}-{high:.1f}")
        # Set-up and the end of the session are in the capture and not in the client's log.
        agrees &= low <= true[who][1] + 3 and high >= true[who][0] - 3
        if known[who] and high - low >= NARROW:
            wide += f" WIDE {who}"
    named = verdict["culprit"]
    first = max(true, key=lambda who: true[who][0])
    clear = all(true[first][0] > true[who][1] for who in true if who != first)
    right = agrees and (not clear or first in named or named == "none")
    said = ", ".join(f"{true[who][0]:.1f}-{true[who][1]:.1f}" for who in ("client", "network", "server"))
    missing = f" MISSED {', '.join(sorted(missed))}" if missed else ""
    row = (fault.name, end, said, ", ".join(texts) or "-", named + ("" if right else " WRONG") + wide + missing,
           ", ".join(sorted(raised)) or "-")
    return row, right and not missed, bool(wide)


if __name__ == "__main__":
    main()
