#!/bin/sh
# Remakes tshark.tsv, the table that tests/oracle.rs compares the readers with:
# for each pcap or pcapng file (compressed or not) under the shared captures, what tshark
# makes of it. Needs tshark, capinfos and python3.
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
