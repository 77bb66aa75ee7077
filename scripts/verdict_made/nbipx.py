"""SMB1 over NetBIOS over IPX: numbered packets that are acknowledged by others or by themselves, and asked for if one is missing."""

import struct

from . import netbeui
from .ncp import packet
from .sim import MS, US, Frame, Message

SOCKET, MOST = 0x0455, 1_400
IDS = {"client": (0x1001, 0x2002), "server": (0x2002, 0x1001)}


class End(netbeui.End):
    """One end of a session; a packet is (total, offset, data)."""

    numbers = 65_536

    def __init__(self, station, every=2, late=60 * MS, wait=400 * MS, window=4):
        super().__init__(station, every, late, wait, window)
        self.sent = self.expects = 1

    def session(self, control, number, total=0, offset=0, data=b"", parts=(), kind="ack", again=False):
        """A packet of the session."""
        header = struct.pack("<BBHHHHHHHH", control, 6, *IDS[self.station.side], number, total, offset, len(data),
                             self.expects, self.expects + self.window)
        there = self.peer.station
        raw = packet(self.station, there, SOCKET, SOCKET, header + data)
        raw = raw[:19] + b"\x04" + raw[20:]
        self.station.send(Frame(raw, there.name, parts, kind, again, (self.peer, header + data, parts)))

    def put(self, number, information, parts, again):
        """A packet with data; it acknowledges what came."""
        self.owed, self.ack_run = 0, self.ack_run + 1
        total, offset, data = information
        self.session(0x10 if offset + len(data) == total else 0, number, total, offset, data, parts, "data", again)

    def supervise(self, kind, command=False, bit=False):
        """An acknowledgement (RR), or a packet is missing (REJ)."""
        self.owed, self.ack_run = 0, self.ack_run + 1
        self.session(0x88 if kind == 0x09 else 0x80, self.sent)

    def start(self):
        """The retransmission time-out runs."""
        self.timer += 1
        run = self.timer

        def over():
            if run == self.timer and self.flying:
                self.put(*self.flying[0], True)
                self.start()
        self.sim.after(self.wait, over)

    def take(self, frame):
        """A frame that may be for this end."""
        if not isinstance(frame.packet, tuple) or frame.packet[0] is not self:
            return False
        data, parts = frame.packet[1:]
        control, _, _, _, number, total, offset, size, expects, _ = struct.unpack("<BBHHHHHHHH", data[:18])
        self.acknowledged(expects)
        if control & 0x08:
            for one in self.flying:
                self.put(*one, True)
        if not control & 0x80:
            self.information(number, (total, offset, data[18:18 + size]), parts)
        return True

    def push(self):
        """Send what the window takes."""
        while self.queue and len(self.flying) < self.window:
            information, parts = self.queue.pop(0)
            self.flying.append((self.sent, information, parts))
            self.put(*self.flying[-1], False)
            self.sent += 1
            if len(self.flying) == 1:
                self.start()


class Session(netbeui.Session):
    """A client's session with a server."""

    ends = End

    def open(self):
        """The session is called; a program."""
        names = b"CLIENT".ljust(15) + b"\0" + b"SRV".ljust(15) + b"\x20"
        data = names + struct.pack("<HHH", MOST, 100, 50)
        one = self.exchange(self.call(0xC0, (IDS["client"][0], 0xFFFF), data, 0))
        self.put(self.near, one.message)
        yield 1 * MS + self.way()
        one.response = Message(self.call(0x80, IDS["server"], b"", 1))
        self.put(self.far, one.response)
        yield 1 * MS + self.way()
        self.near.sent, self.far.sent, self.near.expects, self.far.expects = 1, 0, 0, 1
        for kind in (netbeui.NEGOTIATE, netbeui.TREE, netbeui.OPEN):
            yield self.ask(kind).answered
            yield 300 * US

    @staticmethod
    def call(control, ids, data, expects):
        """A packet that calls, or accepts."""
        return struct.pack("<BBHHHHHHHH", control, 6, *ids, 0, len(data), 0, len(data), expects, expects + 4) + data

    def put(self, end, message):
        """It goes out."""
        there = end.peer.station
        raw = packet(end.station, there, SOCKET, SOCKET, message.data)
        end.station.send(Frame(raw[:19] + b"\x04" + raw[20:], there.name, [(message, 0, message.size)], packet=(self, None)))

    def say(self, end, message, acked):
        """A message in as many packets as it takes."""
        for low in range(0, message.size, MOST):
            high = min(low + MOST, message.size)
            end.send((message.size, low, message.data[low:high]), [(message, low, high)])

    def at_server(self, information, parts):
        """A packet is at the server's program."""
        total, offset, data = information
        if offset + len(data) == total:
            self.acks = 0
            self.server.take(self, self.asked.pop(0))

    def at_client(self, information, parts):
        """A packet is at the client's program."""
        total, offset, data = information
        if offset + len(data) == total:
            self.told.pop(0).answered.set()
