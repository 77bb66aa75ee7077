"""Family 10: SMB1 over TCP whose requests and responses are several messages: go-aheads, secondary requests, responses in parts."""

import struct

from .cases import Case, styles
from .family3 import losing
from .netbeui import filler, smb
from .play import Connection, Request, const, disk, uniform
from .sim import MS, Message
from .smb2 import framed

NEGOTIATE, TREE, ECHO, READ_MPX, WRITE_RAW, WRITE_DONE, TRANS2, SECONDARY, READ = (
    0x72, 0x70, 0x2B, 0x1B, 0x1D, 0x20, 0x32, 0x33, 0x2E)
BATCH = 4_000


def of_trans2(number, have, total, setup):
    """TRANS2 with parameters, or TRANS2_SECONDARY: data from `have` on, of `total` bytes."""
    parameters = b"\1\1\0\0\0\0A\0" if setup else b""
    here = min(BATCH, total - have)
    # Word count, words, byte count and a pad of 1 or 3 bytes stand before the parameters.
    if setup:
        at = 32 + 1 + 30 + 2 + 3
        words = struct.pack("<HHHHBBHIHHHHHBBH", 8, total, 10, 16_644, 0, 0, 0, 0, 0, 8, at, here, at + 8, 1, 0, 6)
        return framed(smb(TRANS2, number, words=words, data=bytes(3) + parameters + filler(here)))
    at = 32 + 1 + 18 + 2 + 3
    words = struct.pack("<HHHHHHHHH", 8, total, 0, at, 8, here, at, have, 0xFFFF)
    return framed(smb(SECONDARY, number, words=words, data=bytes(3) + filler(here)))


def in_trans2(number, have, total, parameters=b"\0\0"):
    """A response to TRANS2, or a part of it."""
    here, at = min(BATCH, total - have), 32 + 1 + 20 + 2 + 1
    first = parameters if not have else b""
    words = struct.pack("<HHHHHHHHHBB", len(parameters), total, 0, len(first), at, len(parameters) - len(first), here,
                        at + len(first), have, 0, 0)
    return framed(smb(TRANS2, number, True, words, b"\0" + first + filler(here)))


class InParts(Connection):
    """A connection of SMB1."""

    def __init__(self, lab, case, client):
        super().__init__(lab, client, lab.server, 49_400 + len(lab.requests) % 90, styles(lab, case))
        self.case = case
        self.late = [of(lab.rng) for of in case.late]

    def open(self):
        """The handshake, negotiation and a share."""
        self.near.connect(self.far)
        yield self.opened
        for command, words, response, data in (
                (NEGOTIATE, b"", struct.pack("<H", 0), b"\2PC NETWORK PROGRAM 1.0\0"),
                (TREE, b"", struct.pack("<HH", 4_356, 1), b"\4\\\\SRV\\SHARE\0\4\0\4A:\0")):
            number = self.number
            yield self.say([framed(smb(command, number, words=words, data=data))], 0,
                           [framed(smb(command, number, True, response))], quick=True).answered

    def say(self, asked, go_ahead, told, quick=False):
        """A request of these messages; behind the first one, the server says to go on, if it does."""
        message = Message(b"".join(asked))
        request = Request(self.client, self.server.station, message, "quick" if quick else "parts", number=self.number)
        request.extra["data"], request.extra["parts"] = b"".join(told), len(told)
        self.number = self.number % 60_000 + 1
        self.lab.requests.append(request)
        first = len(asked[0])
        self.near.send(message, 0, first)
        rest = len(asked) - 1

        def comes_behind():
            """The last message: the server works on it."""
            self.server.take(self, request)

        def lets_go_on():
            """The first one: the server takes its time to let the rest come."""
            came = self.sim.now

            def lets():
                self.server.station.stalls.append((came, self.sim.now, True))
                self.on_told = goes_on
                self.tell(go_ahead)
            self.sim.after(int(self.late[0]()), lets)

        def goes_on(_):
            """The client may go on, and does so in its own time."""
            told_at = self.sim.now

            def sends():
                self.client.stalls.append((told_at, self.sim.now, True))
                self.near.send(message, first)
            self.sim.after(int(self.late[1]()), sends)
        self.asked.extend([lets_go_on] + [lambda: None] * (rest - 1) + [comes_behind] if rest else [comes_behind])
        return request

    def arrived(self):
        """A message is at the server."""
        self.asked.pop(0)()

    def respond(self, request, data, stop=None):
        """All parts of a response."""
        self.on_told = None
        self.told.extend([None] * (request.extra["parts"] - 1))
        super().respond(request, data, stop)

    def sets(self):
        """TRANS2 with a secondary request."""
        number = self.number
        asked = [of_trans2(number, 0, 2 * BATCH, True), of_trans2(number, BATCH, 2 * BATCH, False)]
        return self.say(asked, framed(smb(TRANS2, number, True)), [in_trans2(number, 0, 0)])

    def writes(self):
        """WRITE_RAW, which the server confirms."""
        number, size = self.number, 2 * BATCH
        words = struct.pack("<HHHIIHIHH", 7, size, 0, 0, 0, 1, 0, 0, 0)
        asked = [framed(smb(WRITE_RAW, number, words=words)), framed(filler(size))]
        return self.say(asked, framed(smb(WRITE_RAW, number, True, struct.pack("<H", 0xFFFF))),
                        [framed(smb(WRITE_DONE, number, True, struct.pack("<H", size)))])

    def finds(self):
        """A search with a response in three parts."""
        number, total = self.number, 3 * BATCH
        at = 32 + 1 + 30 + 2 + 1
        parameters = struct.pack("<HHHHI", 0x16, 100, 0, 1, 0) + b"*\0"
        words = struct.pack("<HHHHBBHIHHHHHBBH", len(parameters), 0, 10, 16_644, 0, 0, 0, 0, 0, len(parameters), at, 0, 0, 1, 0, 1)
        asked = [framed(smb(TRANS2, number, words=words, data=b"\0" + parameters))]
        answer = struct.pack("<HHHHH", 0x801, 100, 1, 0, 0)
        return self.say(asked, None, [in_trans2(number, have, total, answer) for have in range(0, total, BATCH)])


def parts(each):
    """A client that does so one after the other."""
    def program(lab, case):
        link = InParts(lab, case, lab.clients[0])
        think = case.think(lab.rng)

        def work():
            yield from link.open()
            lab.began = lab.sim.now
            for _ in range(case.n):
                yield int(think())
                yield each(link).answered
        lab.sim.process(work())
    return program


def case(name, each, server=const(0.1), client=const(0.1), **settings):
    """One of them; how late the go-ahead is, and the rest."""
    made = Case(name, program=parts(each), **{"n": 120, "serve": const(1), "think": const(1), **settings})
    made.late = (server, client)
    return made


def stops(least):
    """The server stops behind the first, or the second, part of a response."""
    size = len(in_trans2(0, 0, 3 * BATCH, bytes(10)))
    return lambda rng: lambda one: ((size, least * MS) if one.kind == "parts" else None)


FAR = {"way": (2, 8)}
SLOW = {"down": {"rate": 1_000_000}, "up": {"rate": 1_000_000}}
KINDS = {"sets": InParts.sets, "raw": InParts.writes}
CASES = [
    made for name, each in KINDS.items() for made in (
        case(f"{name}-prompt", each),
        case(f"{name}-server-late", each, server=const(8)),
        case(f"{name}-client-late", each, client=const(8)),
        case(f"{name}-server-late-far", each, server=const(60), **FAR),
        case(f"{name}-client-late-far", each, client=const(60), **FAR),
        case(f"{name}-far", each, **FAR),
        case(f"{name}-server-late-disk", each, server=disk(12)),
        case(f"{name}-both-late", each, server=uniform(2, 9), client=uniform(1, 6)),
        case(f"{name}-slow-line", each, n=40, **SLOW),
        case(f"{name}-server-late-slow-line", each, n=40, server=const(200), **SLOW),
        case(f"{name}-lost-near", each, up=losing(0.03), down=losing(0.03)),
        case(f"{name}-lost-far", each, far_up=losing(0.03), far_down=losing(0.03)),
        case(f"{name}-server-late-lost-near", each, server=const(20), up=losing(0.03), down=losing(0.03)),
        case(f"{name}-server-late-lost-far", each, server=const(20), far_up=losing(0.03), far_down=losing(0.03)),
        case(f"{name}-client-late-lost-near", each, client=const(20), up=losing(0.03), down=losing(0.03)),
        case(f"{name}-client-late-lost-far", each, client=const(20), far_up=losing(0.03), far_down=losing(0.03)),
    )
] + [
    case("search", InParts.finds),
    case("search-slow-line", InParts.finds, n=40, **SLOW),
    case("search-far", InParts.finds, **FAR),
    case("search-server-stops", InParts.finds, n=60, stop=stops(300)),
    case("search-server-stops-far", InParts.finds, n=60, stop=stops(300), **FAR),
    case("search-server-stops-30ms", InParts.finds, stop=stops(30)),
    case("search-lost-far", InParts.finds, far_up=losing(0.03)),
    case("search-lost-near", InParts.finds, down=losing(0.03)),
]
