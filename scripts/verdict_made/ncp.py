"""NetWare over IPX: requests one at a time that are repeated until they are answered, "being processed", and packet bursts."""

import struct

from .play import Request
from .sim import MS, US, Done, Frame, Message

SOCKET, MINE, BURST = 0x0451, 0x4003, 0x4005
READ, WRITE, SIZE = 72, 73, 71
READ_BURST, WRITE_BURST = "burst read", "burst write"
HANDLE = b"\1\0\x10\x20\x30\x40"
# What fits into a packet of 1,470 bytes behind the headers of IPX and of bursts.
FRAGMENT = 1_470 - 30 - 36


def packet(sender, target, from_socket, to_socket, data):
    """IPX in an Ethernet II frame."""
    ipx = struct.pack(">HHBB", 0xFFFF, 30 + len(data), 0, 17)
    for station, socket in ((target, to_socket), (sender, from_socket)):
        ipx += struct.pack(">I", 0x10) + station.mac + struct.pack(">H", socket)
    return target.mac + sender.mac + b"\x81\x37" + ipx + data


class Session:
    """A client's connection to a NetWare server. Time-outs double, up to `most`."""

    def __init__(self, lab, client, server, number=3, first=300 * MS, most=4_000 * MS, gap=100 * US):
        self.lab, self.sim, self.client, self.server, self.number = lab, lab.sim, client, server, number
        self.first, self.most, self.gap = first, most, gap
        self.sequence, self.burst, self.packets = 0, 0, {"client": 0, "server": 0}
        self.open, self.kept, self.working = None, {}, set()
        for station in (client, server.station):
            station.takers[id(self), station.side] = self.take

    def send(self, sender, data, parts=(), kind="data", again=False, burst=False):
        """A frame."""
        there = self.server.station if sender is self.client else self.client
        mine = BURST if burst else MINE
        sockets = (mine, SOCKET) if sender is self.client else (SOCKET, mine)
        raw = packet(sender, there, *sockets, data)
        sender.send(Frame(raw, there.name, parts, kind, again, (self, data, parts, there)))

    def take(self, frame):
        """A frame that may be for this session."""
        if not isinstance(frame.packet, tuple) or frame.packet[0] is not self:
            return False
        _, data, parts, there = frame.packet
        if data[:2] == b"\x77\x77":
            self.burst_came(there, data, parts)
        elif there is self.client:
            self.answered(data)
        else:
            self.asked(data)
        return True

    # Requests and replies.

    def header(self, kind, function):
        return struct.pack(">HBBBBB", kind, self.sequence, self.number & 0xFF, 2, 0, function)

    def ask(self, function, size=0, kind=0x2222):
        """One request; the reply sets `answered`."""
        self.sequence = (self.sequence + 1) & 0xFF if kind == 0x2222 else 0
        body = b""
        if function in (READ, WRITE):
            body = b"\0" + HANDLE + struct.pack(">IH", 0x1000, size) + (bytes(range(1, 251)) * 8)[:size if function == WRITE else 0]
        elif function == SIZE:
            body = b"\0" + HANDLE
        elif function == 33:
            body = struct.pack(">H", 1_024)
        elif function == 101:
            body = struct.pack(">IIHII", 0xC11E, 1_470, BURST, 65_536, 65_536)
        message = Message(self.header(kind, function) + body)
        request = Request(self.client, self.server.station, message, function, size, self.sequence)
        self.lab.requests.append(request)
        self.open = request
        self.again(request, self.first, False)
        return request

    def again(self, request, wait, again=True):
        """Send it, and once more if nothing comes."""
        if request is not self.open:
            return
        request.extra["wait"] = wait
        run = request.extra["run"] = request.extra.get("run", 0) + 1
        self.send(self.client, request.message.data, [(request.message, 0, request.message.size)], again=again)
        self.sim.after(wait, lambda: run == request.extra["run"] and self.again(request, min(2 * wait, self.most)))

    def asked(self, data):
        """The server has a request."""
        request = next(one for one in reversed(self.lab.requests) if one.message.data == data and one.client is self.client)
        if request in self.working:
            self.send(self.server.station, struct.pack(">HBBBBBB", 0x9999, data[2], self.number, 2, 0, 0, 0), kind="busy")
        elif request in self.kept:
            self.reply(request, True)
        else:
            self.working.add(request)
            self.server.take(self, request)

    def respond(self, request, *_):
        """The server is done."""
        self.working.discard(request)
        if request.kind in (READ_BURST, WRITE_BURST):
            self.burst_reply(request)
            return
        body = b""
        if request.kind == READ:
            body = struct.pack(">H", request.size) + (bytes(range(1, 251)) * 8)[:request.size]
        elif request.kind == SIZE:
            body = struct.pack(">I", 65_536)
        elif request.kind == 33:
            body = struct.pack(">H", 1_024)
        elif request.kind == 101:
            body = struct.pack(">IIII", 0x5EE1, 1_470, 65_536, 65_536)
        head = struct.pack(">HBBBBBB", 0x3333, request.number, self.number & 0xFF, 2, 0, 0, 0)
        request.response = Message(head + body)
        self.kept = {request: True}
        self.reply(request, False)

    def reply(self, request, again):
        self.send(self.server.station, request.response.data, [(request.response, 0, request.response.size)], again=again)

    def answered(self, data):
        """The client has a reply, or "being processed"."""
        request = self.open
        if request is None or data[2] != request.number:
            return
        if data[:2] == b"\x99\x99":
            request.extra["run"] += 1
            run = request.extra["run"]
            self.sim.after(self.most, lambda: run == request.extra["run"] and self.again(request, self.most))
            return
        self.open = None
        request.extra["run"] += 1
        request.answered.set()

    # Packet bursts.

    def burst_packet(self, sender, flags, total=0, offset=0, data=b"", missing=(), again=False, parts=(), kind="data"):
        """One packet of a burst."""
        side = sender.side
        ids = (0xC11E, 0x5EE1) if side == "client" else (0x5EE1, 0xC11E)
        acked = self.burst if side == "client" else self.burst + 1
        head = struct.pack(">HBBIIIIHHIIHH", 0x7777, flags, 2, *ids, self.packets[side], self.gap // (100 * US), self.burst, acked,
                           total, offset, len(data), len(missing))
        self.packets[side] += 1
        head += b"".join(struct.pack(">IH", *one) for one in missing)
        self.send(sender, head + data, parts, kind, again, True)

    def burst_ask(self, kind, size):
        """A read or a write of many packets."""
        self.burst += 1
        stream = struct.pack("<I", 1 if kind == READ_BURST else 2) + HANDLE[2:] + bytes(8) + struct.pack(">II", 0, size)
        if kind == WRITE_BURST:
            stream += (bytes(range(1, 251)) * (size // 250 + 1))[:size]
        message = Message(stream)
        request = Request(self.client, self.server.station, message, kind, size, self.burst)
        self.lab.requests.append(request)
        self.open = request
        request.extra.update(at_server=set(), at_client=set(), begun=False)
        self.stream(self.client, request, message, [(low, min(low + FRAGMENT, message.size))
                                                    for low in range(0, message.size, FRAGMENT)], False)
        self.burst_wait(request, self.first)
        return request

    def burst_wait(self, request, wait):
        """The client asks again if nothing moves."""
        moved = len(request.extra["at_client"]), request.extra.get("heard", 0)

        def over():
            if self.open is not request:
                return
            if moved != (len(request.extra["at_client"]), request.extra.get("heard", 0)):
                self.burst_wait(request, self.first)
                return
            if request.extra["at_client"]:
                self.missing(self.client, request, request.response, request.extra["at_client"])
            else:
                # The last packet once more: the server says what it lacks, or answers again.
                low = (request.message.size - 1) // FRAGMENT * FRAGMENT
                self.stream(self.client, request, request.message, [(low, request.message.size)], True)
            self.burst_wait(request, min(2 * wait, self.most))
        self.sim.after(wait, over)

    def stream(self, sender, request, message, pieces, again):
        """Packets one after the other, with the delay that both agreed on."""
        for place, (low, high) in enumerate(pieces):
            flags = 0x10 if high == message.size or place + 1 == len(pieces) else 0
            self.sim.after(place * self.gap, lambda low=low, high=high, flags=flags: self.burst_packet(
                sender, flags, message.size, low, message.data[low:high], again=again, parts=[(message, low, high)]))
        _ = request

    def missing(self, sender, request, message, have):
        """Tell what is missing."""
        lacks = [(low, min(FRAGMENT, message.size - low)) for low in range(0, message.size, FRAGMENT) if low not in have]
        self.burst_packet(sender, 0x80, missing=lacks, kind="ack")

    def burst_came(self, there, data, parts):
        """A packet of a burst."""
        request = self.open
        if request is None or request.kind not in (READ_BURST, WRITE_BURST):
            return
        flags, at_server = data[2], there is not self.client
        if flags & 0x80:
            request.extra["heard"] = request.extra.get("heard", 0) + 1
            count = struct.unpack(">H", data[34:36])[0]
            lacks = [struct.unpack(">IH", data[36 + 6 * n:42 + 6 * n]) for n in range(count)]
            message = request.response if at_server else request.message
            self.stream(there, request, message, [(low, low + size) for low, size in lacks], True)
            return
        message, low, _ = parts[0]
        if message is not (request.message if at_server else request.response):
            return
        have = request.extra["at_server" if at_server else "at_client"]
        have.add(low)
        whole = len(have) == -(-message.size // FRAGMENT)
        if whole and at_server and not request.extra["begun"]:
            request.extra["begun"] = True
            self.server.take(self, request)
        elif whole and at_server and request.response:
            self.stream(self.server.station, request, request.response, [(0, min(FRAGMENT, request.response.size))], True)
        elif whole and not at_server:
            self.open = None
            request.answered.set()
        elif flags & 0x10 and not whole:
            self.missing(there, request, message, have)

    def burst_reply(self, request):
        """The server's burst."""
        stream = struct.pack("<I", 0)
        if request.kind == READ_BURST:
            stream += struct.pack(">I", request.size) + (bytes(range(1, 251)) * (request.size // 250 + 1))[:request.size]
        message = request.response = Message(stream)
        self.stream(self.server.station, request, message, [(low, min(low + FRAGMENT, message.size))
                                                            for low in range(0, message.size, FRAGMENT)], False)


def work(session, case, lab):
    """The usual program of a client; a program for the simulation."""
    think = case.think(lab.rng)
    yield session.ask(0, kind=0x1111).answered
    yield 300 * US
    for function in (33, 101, SIZE):
        yield session.ask(function).answered
        yield 300 * US
    lab.began = lab.sim.now
    for _ in range(case.n):
        yield int(think())
        kind, size = case.kind(lab.rng) if callable(case.kind) else (case.kind, case.size)
        if kind in (READ_BURST, WRITE_BURST):
            yield session.burst_ask(kind, size).answered
        else:
            yield session.ask(kind, size).answered


__all__ = ["Done", "Session", "work"]
