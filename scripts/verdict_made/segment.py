"""Segments of TCP, how an end does TCP, and the frames on the wire."""

import struct

from .sim import MS, US, Frame

SYN, PSH, ACK = 2, 8, 16


class Style:
    """How one end does it. `ack` is one of

    - "delayed": more than one segment at once, one after `delack`;
    - "full": two full segments at once (the least that RFC 5681 asks for), less after `delack`;
    - "quick": each segment at once;
    - "read": when the program reads, `read_delay` after data came, or after `delack`."""

    def __init__(self, mss=1460, ack="delayed", delack=40 * MS, read_delay=None, nagle=False, sack=True, dsack=True,
                 stamps=False, tlp=False, rto_min=200 * MS, buffer=1 << 20, scale=8, window=10, stack=(3, 12)):
        self.mss, self.ack, self.delack, self.read_delay = mss - 12 * stamps, ack, delack, read_delay
        self.nagle, self.sack, self.dsack, self.stamps, self.tlp = nagle, sack, dsack, stamps, tlp
        self.rto_min, self.buffer, self.scale, self.window = rto_min, buffer, scale, window
        self.stack = stack


class Segment:
    """What one end tells the other."""

    def __init__(self, seq, ack, flags, window, data=b"", sack=(), stamp=None):
        self.seq, self.ack, self.flags, self.window = seq, ack, flags, window
        self.data, self.sack, self.stamp = data, sack, stamp
        self.end = seq + len(data)


class Flying:
    """Data that was sent and not acknowledged."""

    __slots__ = ("seq", "end", "sent", "sacked", "lost", "again")

    def __init__(self, seq, end, sent):
        self.seq, self.end, self.sent = seq, end, sent
        self.sacked = self.lost = self.again = False


def frame(end, seg, kind, parts=(), again=False):
    """The frame of a segment that an end sends; options as Linux and Windows have them."""
    style, there = end.style, end.peer.station
    options = b""
    if seg.flags & SYN:
        options += struct.pack(">BBH", 2, 4, style.mss + 12 * style.stamps)
        options += b"\1\1\4\2" if style.sack else b""
        options += struct.pack(">BBBB", 1, 3, 3, style.scale)
    if style.stamps:
        seg.stamp = ((end.stamp_base + end.sim.now // MS) & 0xFFFFFFFF, end.echo)
        options += struct.pack(">BBBBII", 1, 1, 8, 10, *seg.stamp)
    if seg.sack:
        options += struct.pack(">BBBB", 1, 1, 5, 2 + 8 * len(seg.sack))
        options += b"".join(struct.pack(">II", *block) for block in seg.sack)
    seg.window = seg.window if seg.flags & SYN else seg.window >> style.scale
    header = struct.pack(">HHIIBBHHH", end.port, end.peer.port, seg.seq, seg.ack,
                         (20 + len(options)) // 4 << 4, seg.flags, seg.window, 0, 0) + options
    address = end.station.ip + there.ip
    whole = address + struct.pack(">HH", 6, len(header) + len(seg.data)) + header + seg.data
    header = header[:16] + struct.pack(">H", checksum(whole)) + header[18:]
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(header) + len(seg.data), end.station.next_packet(), 0x4000, 64, 6, 0)
    ip = ip[:10] + struct.pack(">H", checksum(ip + address)) + address
    raw = there.mac + end.station.mac + b"\x08\0" + ip + header + seg.data
    stream = (end.peer, seg.seq, len(seg.data)) if seg.data else None
    return Frame(raw, there.name, parts, kind, again, (end.peer, seg), stream)


def checksum(data):
    """RFC 1071."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF
