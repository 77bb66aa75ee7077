#!/usr/bin/env python3
"""Makes requests.tsv and replies.tsv: NCP requests of every function that tshark knows, and
replies to the common ones, as tshark takes them apart. Each line: function, subfunction, the
packet in hexadecimal, and the fields, each `start:size` and, of a number, `=value`. The reply
in a line of replies.tsv answers the request of that function in requests.tsv.

Also makes captures.tsv, from captures of real clients and servers: capture, frame, packet
type, sequence number, connection, task, function, subfunction, completion code, connection
status, and of some packets of each kind the fields as above.

The packets are made from tshark's own layout of an empty packet, so that numbers show the
order of their bytes, names are not empty and counts are nought. The table is committed, so
that the comparison (dissectors/tests/ncp/fields.rs) needs no tshark.
Usage: refresh.py CAPTURES_FOLDER (tshark must be installed)
"""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

# Functions with a length and a subfunction, and with a subfunction alone.
LENGTH = {17, 21, 22, 23, 35, 36, 90, 114, 123, 131}
# A name with a length of two bytes.
LONG = bytes([3, 0]) + b"ABC"
ALONE = {32, 34, 86, 87, 88, 89, 92, 94, 104, 111}


def tshark(*arguments):
    return subprocess.run(
        ["tshark", *arguments], check=True, capture_output=True, text=True
    ).stdout


def types():
    """The type of each field of NCP."""
    rows = (line.split("\t") for line in tshark("-G", "fields").splitlines())
    return {r[2]: r[3] for r in rows if r[0] == "F" and r[2].startswith("ncp.")}


def frame(packet):
    header = bytes.fromhex("020000000001" "020000000002" "8137" "ffff")
    header += (30 + len(packet)).to_bytes(2, "big") + bytes([0, 17])
    server = bytes.fromhex("00000001" "000000000001" "0451")
    client = bytes.fromhex("00000002" "020000000002" "4003")
    # To the server first, unless it is a reply.
    ends = (client, server) if packet[0] == 0x33 else (server, client)
    return header + b"".join(ends) + packet


def capture(packets):
    """A file with these packets."""
    with tempfile.NamedTemporaryFile(suffix=".pcap", dir=FOLDER, delete=False) as file:
        file.write((0xA1B2C3D4).to_bytes(4, "little"))
        file.write(bytes.fromhex("0200040000000000000000000000040001000000"))
        for number, packet in enumerate(packets):
            data = frame(packet)
            for value in (number, 0, len(data), len(data)):
                file.write(value.to_bytes(4, "little"))
            file.write(data)
    return file.name


def names(packets):
    """What tshark calls each packet."""
    return tshark("-r", capture(packets), "-T", "fields", "-e", "_ws.col.Info").splitlines()


def within(proto):
    """The whole fields of NCP's part of a packet, counted from its packet type."""
    if proto.get("name") != "ncp":
        return
    fields = list(proto.iter("field"))
    # Over TCP the framing header is part of it.
    base = next(int(f.get("pos")) for f in fields if f.get("name") == "ncp.type")
    for f in fields:
        # A field with a mask is bits of another.
        size = int(f.get("size") or 0)
        if f.get("unmaskedvalue") is None and size:
            yield int(f.get("pos")) - base, size, f.get("name"), f.get("show")


def dissect(packets):
    """tshark's fields of each packet: start, size, name, shown value."""
    run = subprocess.Popen(
        ["tshark", "-r", capture(packets), "-T", "pdml"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    for _, packet in tree.iterparse(run.stdout):
        if packet.tag != "packet":
            continue
        yield [f for proto in packet.iter("proto") for f in within(proto)]
        packet.clear()
    run.wait()


def head(function, subfunction):
    packet = bytes([0x22, 0x22, 5, 3, 2, 0, function])
    if function in LENGTH:
        packet += bytes([0, 121])
    if subfunction is not None:
        packet += bytes([subfunction])
    return packet


def fill(function, start, fields, kinds):
    """A body whose numbers show their order and whose names are not empty."""
    body = b""
    behind = b""
    at = start
    for where, size, name, _ in sorted(fields, key=lambda f: (f[0], -f[1])):
        if where < at or name in ("ncp.data", "", "_ws.malformed"):
            continue
        body += bytes(where - at)
        at = where + size
        if kinds.get(name) == "FT_UINT_STRING" and size in (1, 2):
            body += LONG if size == 2 else bytes([2]) + b"AB"
        elif name in ("ncp.path_count", "ncp.source_component_count", "ncp.dest_component_count"):
            # One name; that of a path stands behind everything else.
            body += bytes([1])
            if name == "ncp.path_count":
                behind += LONG if function == 89 else bytes([2]) + b"AB"
        elif any(word in name for word in ("count", "cnt", "_len", "form_type", "list")):
            body += bytes(size)
        elif size == 1:
            body += bytes([1])
        else:
            body += bytes((where + i) & 0x7F for i in range(size))
    return body + behind


def ruler(fields):
    """The body of a reply whose numbers show the order of their bytes."""
    body = bytearray(BODY)
    for where, size, name, _ in fields:
        silent = ("count", "cnt", "_len", "flag", "mask", "num_", "number_of", "items")
        if where + size <= 8 + BODY and 2 <= size <= 8 and not any(w in name for w in silent):
            body[where - 8 : where - 8 + size] = bytes(i & 0x7F for i in range(where, where + size))
    return bytes(body)


def listed(fields, kinds, start, end):
    """The fields from `start` on, those left out that only hold others together."""
    shown = {}
    for where, size, name, show in fields:
        if where < start or where + size > end or name == "ncp.subfunc":
            continue
        text = f"{where}:{size}"
        if kinds.get(name, "").startswith("FT_UINT") and size in (1, 2, 4, 8):
            try:
                text += f"={int(show, 0)}"
            except ValueError:
                pass
        shown.setdefault((where, -size), text)
    inner = [
        k
        for k in shown
        if not any(o != k and k[0] <= o[0] and o[0] - o[1] <= k[0] - k[1] for o in shown)
    ]
    return " ".join(shown[k] for k in sorted(inner))


def row(out, key, packet, fields, kinds, start):
    function, subfunction = key
    subfunction = "" if subfunction is None else subfunction
    text = listed(fields, kinds, start, len(packet))
    print(function, subfunction, packet.hex(), text, sep="\t", file=out)


def of_capture(out, name, kinds):
    """The packets of a capture."""
    columns = ("type", "seq", "connection", "task", "func", "subfunc", "completion_code")
    columns += ("connection_status",)
    seen = {}
    run = subprocess.Popen(
        ["tshark", "-r", os.path.join(sys.argv[1], name), "-T", "pdml", "-Y", "ncp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    for _, packet in tree.iterparse(run.stdout):
        if packet.tag != "packet":
            continue
        number = next(
            f.get("show") for f in packet.iter("field") if f.get("name") == "frame.number"
        )
        for proto in packet.iter("proto"):
            if proto.get("name") != "ncp":
                continue
            values = {}
            for f in proto.iter("field"):
                values.setdefault(f.get("name").removeprefix("ncp."), f.get("show"))
            head = [str(int(values[c], 0)) if c in values else "" for c in columns]
            kind = tuple(head[i] for i in (0, 4, 5, 6))
            seen[kind] = seen.get(kind, 0) + 1
            deep = listed(within(proto), kinds, 7, 1 << 16) if seen[kind] <= EACH else ""
            print(name, number, *head, deep, sep="\t", file=out)
        packet.clear()
    run.wait()


# The captures, and of how many packets of each kind all fields are listed.
CAPTURES = (
    "real/ncp_tcp524_netware-file-io.pcap",
    "lab/ncp3_8022_slowserver_requestbeingprocessed_srv.pcap",
)
EACH = 3

# Bytes of a reply behind its header, and the functions to which replies are made.
BODY = 120
REPLIES = {17, 18, 20, 21, 22, 23, 32, 33, 34, 36, 62, 63, 64, 65, 67, 71, 74, 76, 77, 84, 85}
REPLIES |= {87, 89, 97, 98, 101, 104, 111, 114}

HERE = os.path.dirname(os.path.abspath(__file__))
with tempfile.TemporaryDirectory() as FOLDER:
    kinds = types()
    heads = {
        (f, s): head(f, s)
        for f in range(256)
        for s in (range(256) if f in LENGTH | ALONE else [None])
    }
    empty = {k: h + bytes(120) for k, h in heads.items()}
    known = [k for k, name in zip(empty, names(empty.values())) if "Unknown" not in name]
    packets = {
        k: heads[k] + fill(k[0], len(heads[k]), fields, kinds)
        for k, fields in zip(known, dissect([empty[k] for k in known]))
    }
    with open(os.path.join(HERE, "requests.tsv"), "w") as out:
        for k, fields in zip(known, dissect(packets.values())):
            row(out, k, packets[k], fields, kinds, len(heads[k]))

    def answered(bodies):
        """tshark's fields of replies with these bodies, each behind its request."""
        pairs = []
        for n, (k, body) in enumerate(bodies.items()):
            # A connection of its own for each, so that nothing else is taken for its request.
            number = bytes([5, n % 250 + 1, 2, n // 250])
            pairs.append(packets[k][:2] + number + packets[k][6:])
            pairs.append(bytes([0x33, 0x33]) + number + bytes(2) + body)
        return zip(bodies, list(dissect(pairs))[1::2])

    asked = [k for k in known if k[0] in REPLIES]
    replies = {k: ruler(fields) for k, fields in answered(dict.fromkeys(asked, bytes(BODY)))}
    with open(os.path.join(HERE, "replies.tsv"), "w") as out:
        for k, fields in answered(replies):
            packet = bytes([0x33, 0x33, 5, 3, 2, 0, 0, 0]) + replies[k]
            row(out, k, packet, fields, kinds, 8)
    with open(os.path.join(HERE, "captures.tsv"), "w") as out:
        for name in CAPTURES:
            of_capture(out, name, kinds)
    print(len(known), "functions", file=sys.stderr)
