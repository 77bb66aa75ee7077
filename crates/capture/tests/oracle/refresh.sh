#!/bin/sh
# Remakes the tables that the readers are compared with, of what tshark makes of the
# files (compressed or not) under the shared captures: tshark.tsv of pcap and pcapng files
# for tests/oracle.rs, legacy.tsv of files of older formats for tests/legacy.rs. Needs
# tshark, capinfos and python3.
#
#   refresh.sh CAPTURES
set -eu
captures=${1:?usage: refresh.sh CAPTURES, the folder with formats/ pcapng/ real/ derived/}
here=$(cd "$(dirname "$0")" && pwd)
tshark --version 2>/dev/null | head -n 1
CAPTURES=$captures python3 - > "$here/tshark.tsv.new" <<'EOF'
import os, struct, subprocess

root = os.environ["CAPTURES"]
version = subprocess.run(["tshark", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
print("# What tshark reads, made by refresh.sh with " + version)
print("# file\tframes\tsum of wire lengths\tsum of captured lengths\tFNV-1a 64 of (ns i64, wire u32, captured u32) little-endian\tto its end")

def fnv(data, value):
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return value

def nanos(text):
    sign, text = (-1, text[1:]) if text.startswith("-") else (1, text)
    whole, _, part = text.partition(".")
    value = sign * (int(whole) * 10**9 + int(part.ljust(9, "0")[:9]))
    # Times that 64 bits do not hold saturate, as they do in Timestamp.
    return max(-(1 << 63), min(value, (1 << 63) - 1))

PCAP = ("pcap", "pcapng", "modified", "nokia", "redhat", "suse", "nanosecond")
for folder in ("formats", "pcapng", "real", "derived"):
    for where, folders, files in sorted(os.walk(os.path.join(root, folder))):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(where, name)
            kind = subprocess.run(["capinfos", "-t", path], capture_output=True, text=True)
            known = [l.split(":", 1)[1].lower() for l in kind.stdout.splitlines() if l.startswith("File type:")]
            with open(path, "rb") as f:
                ng = f.read(4) == b"\n\r\r\n"
            if not ng and not any(word in k for k in known for word in PCAP):
                continue
            run = subprocess.run(
                ["tshark", "-n", "-r", path, "-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "frame.cap_len",
                 "-e", "frame.encap_type"],
                capture_output=True, text=True)
            frames = wire = captured = last = 0
            digest = 0xCBF29CE484222325
            for line in run.stdout.splitlines():
                time, length, kept, link = line.split("\t")
                # tshark shows custom blocks as frames, of no link.
                if not link:
                    continue
                # Without a time stamp of its own a frame has that of the one before it.
                last = nanos(time) if time else last
                frames, wire, captured = frames + 1, wire + int(length), captured + int(kept)
                digest = fnv(struct.pack("<qII", last, int(length), int(kept)), digest)
            end = "whole" if run.returncode == 0 else "damaged"
            print(os.path.relpath(path, root), frames, wire, captured, "%016x" % digest, end, sep="\t")
EOF
mv "$here/tshark.tsv.new" "$here/tshark.tsv"
CAPTURES=$captures TZ=UTC python3 - > "$here/legacy.tsv.new" <<'EOF'
import gzip, json, os, struct, subprocess, zlib

root = os.environ["CAPTURES"]
version = subprocess.run(["tshark", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
print("# What tshark reads, made by refresh.sh with " + version)
print("# file\tframes\tFNV-1a 64 of (link type u16, wire u32, captured u32) little-endian and the bytes\tnumber:ns of some frames")

MAGICS = (b"TRSNIFF data", b"XCP\0", b"VL\0\0", b"RTSS", b"GMBU", b"snoop\0\0\0", b"iptrace ", b"\x01\x10", b"\x07\x10")
# LINKTYPE values of wiretap's encapsulations; events and process names that Network
# Monitor keeps as frames are none.
LINKS = {"1": 1, "2": 6, "6": 10, "7": 101, "22": 105, "189": None, "190": None}

def fnv(data, value):
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return value

def nanos(text):
    whole, _, part = text.partition(".")
    return int(whole) * 10**9 + int(part.ljust(9, "0"))

def tshark(path, *what):
    run = subprocess.run(["tshark", "-n", "-r", path, *what], capture_output=True, text=True, check=True)
    return run.stdout

for folder in ("formats", "real", "derived"):
    for where, folders, files in sorted(os.walk(os.path.join(root, folder))):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(where, name)
            with open(path, "rb") as f:
                head = f.read(32)
            if head.startswith(b"\x1f\x8b"):
                with gzip.open(path) as f:
                    head = f.read(32)
            if not head.startswith(MAGICS):
                continue
            rows = tshark(path, "-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "frame.encap_type").splitlines()
            # Keys that come more than once: the frame is the first.
            first = lambda pairs: dict(reversed(pairs))
            bodies = json.loads(tshark(path, "-T", "jsonraw", "-j", "frame"), object_pairs_hook=first)
            times, digest = [], 0xCBF29CE484222325
            for row, body in zip(rows, bodies, strict=True):
                time, length, link = row.split("\t")
                if LINKS[link] is None:
                    continue
                data, length = bytes.fromhex(body["_source"]["layers"]["frame_raw"][0]), int(length)
                # tshark keeps the check sequence that Sniffer Pro has put behind a frame.
                if head.startswith(b"XCP\x00002") and len(data) > 4 and struct.pack("<I", zlib.crc32(data[:-4])) == data[-4:]:
                    data, length = data[:-4], length - 4
                digest = fnv(struct.pack("<HII", LINKS[link], length, len(data)) + data, digest)
                times.append(nanos(time))
            some = sorted({round(i * (len(times) - 1) / 16) for i in range(17)})
            print(os.path.relpath(path, root), len(times), "%016x" % digest, " ".join("%d:%d" % (i, times[i]) for i in some), sep="\t")
EOF
mv "$here/legacy.tsv.new" "$here/legacy.tsv"
