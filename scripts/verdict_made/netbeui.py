"""SMB1 over NetBIOS frames over LLC type 2 (NetBEUI): numbered frames, late acknowledgements, polls, REJ and RNR."""

import struct

from .play import Request
from .sim import MS, S, US, Done, Frame, Message

NEGOTIATE, TREE, OPEN, READ, WRITE, INFO = 0x72, 0x70, 0x02, 0x0A, 0x0B, 0x08
MOST = 1_464


def smb(command, number, response=False, words=b"", data=b""):
    """An SMB1 message."""
    return (b"\xffSMB" + struct.pack("<BIBHH", command, 0, 0x80 if response else 0, 0, 0) + bytes(8)
            + struct.pack("<HHHHH", 0, 1, 0x20, 1, number) + struct.pack("<B", len(words) // 2) + words
            + struct.pack("<H", len(data)) + data)


def request(command, number, size):
    """A request of the core dialect."""
    if command == NEGOTIATE:
        return smb(command, number, data=b"\2PC NETWORK PROGRAM 1.0\0")
    if command == TREE:
        return smb(command, number, data=b"\4\\\\SRV\\SHARE\0\4\0\4A:\0")
    if command == OPEN:
        return smb(command, number, words=struct.pack("<HH", 2, 0), data=b"\4WORK.DAT\0")
    if command == READ:
        return smb(command, number, words=struct.pack("<HHIH", 7, size, 0, 0))
    if command == WRITE:
        return smb(command, number, words=struct.pack("<HHIH", 7, size, 0, 0), data=struct.pack("<BH", 1, size) + filler(size))
    return smb(command, number, data=b"\4WORK.DAT\0")


def response(command, number, size):
    """Its response."""
    words, data = b"", b""
    if command == NEGOTIATE:
        words = struct.pack("<H", 0)
    elif command == TREE:
        words = struct.pack("<HH", 4_356, 1)
    elif command == OPEN:
        words = struct.pack("<HHIIH", 7, 0, 0, 65_536, 2)
    elif command == READ:
        words, data = struct.pack("<HQ", size, 0), struct.pack("<BH", 1, size) + filler(size)
    elif command == WRITE:
        words = struct.pack("<H", size)
    else:
        words = struct.pack("<HII", 0, 0, 65_536) + bytes(10)
    return smb(command, number, True, words, data)


def filler(size):
    return (bytes(range(1, 251)) * (size // 250 + 1))[:size]


class End:
    """One end of a link. `every`: how many frames it takes before it acknowledges, 0 for each before anything else is done with
    it; `late`: or after this time."""

    # How many numbers there are.
    numbers = 128

    def __init__(self, station, every=2, late=60 * MS, wait=400 * MS, window=7):
        self.station, self.sim = station, station.sim
        self.every, self.late, self.wait, self.window = every, late, wait, window
        self.peer, self.on_data = None, None
        self.sent, self.acked, self.expects, self.owed = 0, 0, 0, 0
        self.queue, self.flying, self.ack_run, self.timer = [], [], 0, 0
        self.rejected, self.busy, self.peer_busy, self.polls = False, None, False, 0

    def frame(self, body, parts=(), kind="ack", again=False):
        """An 802.3 frame."""
        raw = self.peer.station.mac + self.station.mac + struct.pack(">H", len(body)) + body
        self.station.send(Frame(raw, self.peer.station.name, parts, kind, again, (self.peer, body, parts)))

    def send(self, information, parts=()):
        """An I-frame, as soon as the window is open."""
        self.queue.append((information, parts))
        self.push()

    def push(self):
        while self.queue and len(self.flying) < self.window and not self.peer_busy:
            information, parts = self.queue.pop(0)
            self.flying.append((self.sent, information, parts))
            self.put(*self.flying[-1], False)
            self.sent = (self.sent + 1) % self.numbers
            if len(self.flying) == 1:
                self.start()

    def put(self, number, information, parts, again):
        """The I-frame; it acknowledges what came."""
        self.owed, self.ack_run = 0, self.ack_run + 1
        self.frame(bytes([0xF0, 0xF0, number << 1, self.expects << 1]) + information, parts, "data", again)

    def start(self):
        """T1 runs."""
        self.timer += 1
        run = self.timer

        def over():
            if run == self.timer and self.flying:
                self.supervise(0x01, command=True, bit=True)
                self.polls += 1
                self.start()
        self.sim.after(self.wait, over)

    def supervise(self, kind, command=False, bit=False):
        """RR, RNR or REJ."""
        self.owed, self.ack_run = 0, self.ack_run + 1
        if kind == 0x01 and self.busy:
            kind = 0x05
        self.frame(bytes([0xF0, 0xF0 if command else 0xF1, kind, self.expects << 1 | bit]))

    def take(self, frame):
        """A frame that may be for this end."""
        if not isinstance(frame.packet, tuple) or frame.packet[0] is not self:
            return False
        body, parts = frame.packet[1:]
        if body[2] & 1 == 0:
            self.acknowledged(body[3] >> 1)
            self.information(body[2] >> 1, body[4:], parts)
        elif body[2] & 3 == 1:
            self.supervised(body[2], body[1] & 1, body[3] & 1, body[3] >> 1)
        return True

    def supervised(self, kind, final, bit, number):
        """RR, RNR or REJ came."""
        self.acknowledged(number)
        self.peer_busy = kind == 0x05
        if bit and not final:
            self.sim.after(5 * US, lambda: self.supervise(0x01, bit=True))
        if kind == 0x09 or kind == 0x01 and final and bit:
            for one in self.flying:
                self.put(*one, True)
            if self.flying:
                self.start()
        self.push()

    def acknowledged(self, number):
        """All before this number are there."""
        numbers = [one[0] for one in self.flying]
        if number in numbers or number == self.sent:
            gone = numbers.index(number) if number in numbers else len(numbers)
            self.flying = self.flying[gone:]
            if gone:
                self.timer += 1
                if self.flying:
                    self.start()
        self.push()

    def information(self, number, information, parts):
        """An I-frame came."""
        if number != self.expects:
            if not self.rejected and (number - self.expects) % self.numbers < self.numbers // 2:
                self.rejected = True
                self.sim.after(5 * US, lambda: self.supervise(0x09))
            elif (number - self.expects) % self.numbers >= self.numbers // 2:
                self.sim.after(5 * US, lambda: self.supervise(0x01))
            return
        self.expects, self.rejected = (number + 1) % self.numbers, False
        if self.every == 0:
            self.supervise(0x01)
            self.on_data(information, parts)
            return
        self.owed += 1
        self.ack_run += 1
        run, came = self.ack_run, self.sim.now

        def over():
            if run == self.ack_run and self.owed:
                if self.owed < self.every and self.peer.queue:
                    # The other end waits for this with more to send.
                    self.station.stalls.append((came, self.sim.now, True))
                self.supervise(0x01)
        self.sim.after(5 * US if self.owed >= self.every else self.late, over)
        self.on_data(information, parts)

    def stop(self, ms):
        """The program takes nothing for a while: RNR now, RR then."""
        self.busy = self.sim.now
        self.supervise(0x05)

        def over():
            self.station.stalls.append((self.busy, self.sim.now, True))
            self.busy = None
            self.supervise(0x01)
        self.sim.after(ms * MS, over)


class Session:
    """A client's NetBIOS session with a server. `acks`: each message is acknowledged by a frame of its own (DATA_ACK)."""

    ends = End

    def __init__(self, lab, client, server, stop=None, acks=False, **settings):
        self.acks_each = acks
        self.lab, self.sim, self.client, self.server, self.stop = lab, lab.sim, client, server, stop
        self.near, self.far = self.ends(client, **settings), self.ends(server.station, **settings)
        self.near.peer, self.far.peer = self.far, self.near
        for end in (self.near, self.far):
            end.station.takers[id(end)] = end.take
        self.near.on_data, self.far.on_data = self.at_client, self.at_server
        self.number, self.asked, self.told, self.correlator, self.got = 0, [], [], 1, 0

    def open(self):
        """Name, link and session; a program."""
        names = [name.ljust(15) + bytes([suffix]) for name, suffix in ((b"SRV", 0x20), (b"CLIENT", 0))]
        find = struct.pack("<HHBBHHH", 44, 0xEFFF, 0x0A, 0, 5, 0, 0x1111) + names[0] + names[1]
        one = self.exchange(b"\xf0\xf0\x03" + find)
        raw = bytes([3, 0, 0, 0, 0, 1]) + self.client.mac + struct.pack(">H", one.message.size) + one.message.data
        self.client.send(Frame(raw, self.server.station.name, [(one.message, 0, one.message.size)], packet=(self, None)))
        yield 2 * MS + self.way()
        one.response = Message(b"\xf0\xf0\x03" + struct.pack("<HHBBHHH", 44, 0xEFFF, 0x0E, 0, 7, 0x1111, 0x2222) + names[1] + names[0])
        self.far.frame(one.response.data, [(one.response, 0, one.response.size)])
        yield 2 * MS + self.way()
        self.near.frame(b"\xf0\xf0\x7f")
        yield 30 * US + self.way()
        self.far.frame(b"\xf0\xf1\x73")
        yield 30 * US + self.way()
        self.near.supervise(0x01, True, True)
        yield 1 * MS + 2 * self.way()
        one = self.exchange(self.netbios(0x19, 0x8F, MOST, 0x2222, 0x3333, 7, 5))
        self.near.send(one.message.data, [(one.message, 0, one.message.size)])
        yield 1 * MS + self.way()
        one.response = Message(self.netbios(0x17, 0x81, MOST, 0x3333, 0x4444, 5, 7))
        self.far.send(one.response.data, [(one.response, 0, one.response.size)])
        yield 1 * MS + self.way()
        for kind in (NEGOTIATE, TREE, OPEN):
            yield self.ask(kind).answered
            yield 300 * US

    def exchange(self, data):
        """A request of the set-up, which is one like others."""
        one = Request(self.client, self.server.station, Message(data), "set-up")
        self.lab.requests.append(one)
        return one

    def way(self):
        """A little longer than short frames are on their way."""
        ways = (self.client.up, self.server.station.down)
        rates = [way.rate for way in (*ways, self.client.down, self.server.station.up) if way.rate]
        return sum(int(way.delay(0)) for way in ways) + max([300 * US] + [150 * 8 * S // rate for rate in rates])

    @staticmethod
    def netbios(command, data1, data2, to, back, there, here):
        return struct.pack("<HHBBHHHBB", 14, 0xEFFF, command, data1, data2, to, back, there, here)

    def say(self, end, message, acked):
        """A message in as many frames as it takes; the first acknowledges what the other end said last."""
        there, here = (7, 5) if end is self.near else (5, 7)
        if self.acks_each:
            acked = 0
        for low in range(0, message.size, MOST):
            high = min(low + MOST, message.size)
            command = 0x16 if high == message.size else 0x15
            flags = (0x04 if command == 0x16 else 0) | (0x08 if acked and not low else 0)
            self.correlator += 1
            end.send(self.netbios(command, flags, 0, acked if not low else 0, self.correlator, there, here)
                     + message.data[low:high], [(message, low, high)])

    def ask(self, kind, size=0):
        """A request."""
        self.number += 1
        message = Message(request(kind, self.number, size))
        one = Request(self.client, self.server.station, message, kind, size, self.number)
        self.lab.requests.append(one)
        self.asked.append(one)
        if self.acks_each:
            # The link may not let it go yet.
            one.extra["asked"] = self.sim.now
        self.say(self.near, message, self.got)
        return one

    def at_server(self, information, parts):
        """A frame is at the server's program."""
        if information[4] == 0x16:
            self.acks = struct.unpack("<H", information[10:12])[0]
            if self.acks_each:
                self.far.send(self.netbios(0x14, 0, 0, self.acks, 0, 5, 7))
            self.server.take(self, self.asked.pop(0))
        elif self.stop and information[4] == 0x15 and not self.far.busy and self.lab.rng.random() < self.stop[1]:
            self.far.stop(self.stop[0])

    def respond(self, one, *_):
        """The server is done."""
        one.response = Message(response(one.kind, one.number, one.size))
        self.told.append(one)
        if self.acks_each:
            one.extra["done"] = self.sim.now
        self.say(self.far, one.response, self.acks)

    def at_client(self, information, parts):
        """A frame is at the client's program."""
        if information[4] == 0x16:
            self.got = struct.unpack("<H", information[10:12])[0]
            if self.acks_each:
                self.near.send(self.netbios(0x14, 0, 0, self.got, 0, 7, 5))
            self.told.pop(0).answered.set()
        elif self.stop and information[4] == 0x15 and not self.near.busy and self.lab.rng.random() < self.stop[1]:
            self.near.stop(self.stop[0])


def work(session, case, lab):
    """The usual program of a client."""
    think = case.think(lab.rng)
    yield from session.open()
    lab.began = lab.sim.now
    for _ in range(case.n):
        yield int(think())
        yield session.ask(case.kind, case.size).answered


__all__ = ["Done", "Session", "work"]
