"""Family 10: SMB1 over TCP, NetBEUI and NetBIOS over IPX whose requests and responses are several messages: go-aheads, secondary requests, responses in parts."""

import struct

from . import nbipx, netbeui
from .cases import Case, styles
from .family3 import losing
from .netbeui import MOST, filler, smb
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
        return smb(TRANS2, number, words=words, data=bytes(3) + parameters + filler(here))
    at = 32 + 1 + 18 + 2 + 3
    words = struct.pack("<HHHHHHHHH", 8, total, 0, at, 8, here, at, have, 0xFFFF)
    return smb(SECONDARY, number, words=words, data=bytes(3) + filler(here))


def in_trans2(number, have, total, parameters=b"\0\0"):
    """A response to TRANS2, or a part of it."""
    here, at = min(BATCH, total - have), 32 + 1 + 20 + 2 + 1
    first = parameters if not have else b""
    words = struct.pack("<HHHHHHHHHBB", len(parameters), total, 0, len(first), at, len(parameters) - len(first), here,
                        at + len(first), have, 0, 0)
    return smb(TRANS2, number, True, words, b"\0" + first + filler(here))


class Dialogue:
    """What is said in several messages, on any transport. It puts a length before each message (`framed`), and sends a range of
    the bytes of all messages of a request or a response, as messages of their own (`says`)."""

    @staticmethod
    def framed(data):
        """Links have messages."""
        return data

    def ask_for(self, asked, go_ahead, told, quick=False):
        """A request of these messages; behind the first one, the server says to go on, if it does."""
        asked, told = [self.framed(one) for one in asked], [self.framed(one) for one in told]
        message = Message(b"".join(asked))
        request = Request(self.client, self.server.station, message, "quick" if quick else "parts", number=self.number)
        request.extra["data"], request.extra["parts"] = b"".join(told), [len(one) for one in told]
        self.number = self.number % 60_000 + 1
        self.lab.requests.append(request)
        self.says(self.near, message, asked[:1])

        def lets_go_on():
            """The first one came: the server takes its time to let the rest come."""
            came = self.sim.now

            def lets():
                self.server.station.stalls.append((came, self.sim.now, True))
                data = self.framed(go_ahead)
                self.told.append(goes_on)
                self.says(self.far, Message(data), [data])
            self.sim.after(int(self.late[0]()), lets)

        def goes_on():
            """The client may go on, and does so in its own time."""
            told_at = self.sim.now

            def sends():
                self.client.stalls.append((told_at, self.sim.now, True))
                self.says(self.near, message, asked[1:], len(asked[0]))
            self.sim.after(int(self.late[1]()), sends)
        last = lambda: self.server.take(self, request)
        self.asked.extend([lets_go_on] + [lambda: None] * (len(asked) - 2) + [last] if asked[1:] else [last])
        return request

    def heard_by_server(self):
        """A message is at the server."""
        self.asked.pop(0)()

    def heard_by_client(self):
        """A message is at the client."""
        self.told.pop(0)()

    def respond(self, request, data, stop=None):
        """All parts of a response; the server may stop behind the first of them."""
        request.response = Message(data)
        sizes = request.extra["parts"]
        self.told.extend([lambda: None] * (len(sizes) - 1) + [request.answered.set])
        ends = [sum(sizes[:place + 1]) for place in range(len(sizes))]
        parts = [data[end - size:end] for size, end in zip(sizes, ends)]
        if not stop or len(parts) == 1:
            self.says(self.far, request.response, parts)
            return
        self.says(self.far, request.response, parts[:1])
        began = self.sim.now

        def rest():
            self.server.station.stalls.append((began, self.sim.now, True))
            self.says(self.far, request.response, parts[1:], sizes[0])
        self.sim.after(int(stop), rest)

    def sets(self):
        """TRANS2 with a secondary request."""
        number = self.number
        asked = [of_trans2(number, 0, 2 * BATCH, True), of_trans2(number, BATCH, 2 * BATCH, False)]
        return self.ask_for(asked, smb(TRANS2, number, True), [in_trans2(number, 0, 0)])

    def writes(self):
        """WRITE_RAW, which the server confirms."""
        number, size = self.number, 2 * BATCH
        words = struct.pack("<HHHIIHIHH", 7, size, 0, 0, 0, 1, 0, 0, 0)
        asked = [smb(WRITE_RAW, number, words=words), filler(size)]
        return self.ask_for(asked, smb(WRITE_RAW, number, True, struct.pack("<H", 0xFFFF)),
                            [smb(WRITE_DONE, number, True, struct.pack("<H", size))])

    def finds(self):
        """A search with a response in three parts."""
        number, total = self.number, 3 * BATCH
        at = 32 + 1 + 30 + 2 + 1
        parameters = struct.pack("<HHHHI", 0x16, 100, 0, 1, 0) + b"*\0"
        words = struct.pack("<HHHHBBHIHHHHHBBH", len(parameters), 0, 10, 16_644, 0, 0, 0, 0, 0, len(parameters), at, 0, 0, 1, 0, 1)
        asked = [smb(TRANS2, number, words=words, data=b"\0" + parameters)]
        answer = struct.pack("<HHHHH", 0x801, 100, 1, 0, 0)
        return self.ask_for(asked, None, [in_trans2(number, have, total, answer) for have in range(0, total, BATCH)])


class OverTcp(Dialogue, Connection):
    """A connection of SMB1."""

    framed = staticmethod(framed)

    def __init__(self, lab, case):
        Connection.__init__(self, lab, lab.clients[0], lab.server, 49_400, styles(lab, case))
        self.late = [of(lab.rng) for of in case.late]
        self.near.on_bytes, self.far.on_bytes = self.reader(self.heard_by_client), self.reader(self.heard_by_server)

    def open(self):
        """The handshake, negotiation and a share."""
        self.near.connect(self.far)
        yield self.opened
        for command, response, data in ((NEGOTIATE, struct.pack("<H", 0), b"\2PC NETWORK PROGRAM 1.0\0"),
                                        (TREE, struct.pack("<HH", 4_356, 1), b"\4\\\\SRV\\SHARE\0\4\0\4A:\0")):
            number = self.number
            yield self.ask_for([smb(command, number, data=data)], None, [smb(command, number, True, response)], quick=True).answered

    @staticmethod
    def says(end, message, parts, at=0):
        """All at once."""
        end.send(message, at, at + sum(len(one) for one in parts))


class OverLink(Dialogue):
    """A NetBIOS session; each message is one of the session."""

    def __init__(self, lab, case):
        super().__init__(lab, lab.clients[0], lab.server)
        self.late = [of(lab.rng) for of in case.late]

    def ask(self, kind, size=0):
        """What opens a session."""
        number = self.number
        return self.ask_for([netbeui.request(kind, number, size)], None, [netbeui.response(kind, number, size)], quick=True)

    def says(self, end, message, parts, at=0):
        """Each in as many frames as it takes."""
        for part in parts:
            for low in range(0, len(part), self.most):
                high = min(low + self.most, len(part))
                self.says_frame(end, (message, at + low, at + high), high == len(part))
            at += len(part)

    def at_server(self, information, parts):
        """A frame is at the server's program."""
        if self.is_last(information):
            self.heard_by_server()

    def at_client(self, information, parts):
        """A frame is at the client's program."""
        if self.is_last(information):
            self.heard_by_client()


class OverNetbeui(OverLink, netbeui.Session):
    """Over LLC."""

    most = MOST

    @staticmethod
    def is_last(information):
        return information[4] == 0x16

    def says_frame(self, end, part, last):
        """A frame of NetBIOS."""
        there, here = (7, 5) if end is self.near else (5, 7)
        self.correlator += 1
        message, low, high = part
        end.send(self.netbios(0x16 if last else 0x15, 0x04 if last else 0, 0, 0, self.correlator, there, here) + message.data[low:high],
                 [part])


def parts(each):
    """A client that does so one after the other."""
    def program(lab, case):
        link = case.over(lab, case)
        think = case.think(lab.rng)

        def work():
            yield from link.open()
            lab.began = lab.sim.now
            for _ in range(case.n):
                yield int(think())
                yield each(link).answered
        lab.sim.process(work())
    return program


def case(name, each, server=const(0.1), client=const(0.1), over=OverTcp, **settings):
    """One of them; how late the go-ahead is, and the rest."""
    made = Case(name, program=parts(each), **{"n": 120, "serve": const(1), "think": const(1), **settings})
    made.late, made.over = (server, client), over
    return made


def stops(ms):
    """The server stops behind the first part of a response."""
    return lambda rng: lambda one: ms * MS if one.kind == "parts" else None


FAR = {"way": (2, 8)}
SLOW = {"down": {"rate": 1_000_000}, "up": {"rate": 1_000_000}}
KINDS = {"sets": Dialogue.sets, "raw": Dialogue.writes}
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
    case("search", Dialogue.finds),
    case("search-slow-line", Dialogue.finds, n=40, **SLOW),
    case("search-far", Dialogue.finds, **FAR),
    case("search-server-stops", Dialogue.finds, n=60, stop=stops(300)),
    case("search-server-stops-far", Dialogue.finds, n=60, stop=stops(300), **FAR),
    case("search-server-stops-30ms", Dialogue.finds, stop=stops(30)),
    case("search-lost-far", Dialogue.finds, far_up=losing(0.03)),
    case("search-lost-near", Dialogue.finds, down=losing(0.03)),
] + [
    case(f"{name}-netbeui-{what}", each, n=60, over=OverNetbeui, **settings)
    for name, each in KINDS.items() for what, settings in (
        ("prompt", {}),
        ("server-late", {"server": const(20)}),
        ("client-late", {"client": const(20)}),
        ("server-late-far", {"server": const(60), **FAR}),
        ("client-late-far", {"client": const(60), **FAR}),
        ("far", FAR),
    )
] + [
    case("search-netbeui", Dialogue.finds, n=60, over=OverNetbeui),
    case("search-netbeui-server-stops", Dialogue.finds, n=60, over=OverNetbeui, stop=stops(300)),
    case("search-netbeui-slow-line", Dialogue.finds, n=30, over=OverNetbeui, **SLOW),
]
