"""Clients and servers of SMB2: what they send, when, and the record of each request, from which the truth follows."""

from . import smb2
from .segment import Style
from .sim import MS, S, US, Done, Message, Net, Sim, Station, Way
from .tcp import Tcp


class Request:
    """One request of a client: its messages, and whether it waits by design."""

    def __init__(self, client, server, message, kind, size=0, number=0, waiting=False):
        self.client, self.server, self.message, self.kind, self.size = client, server, message, kind, size
        self.number, self.waiting, self.response = number, waiting, None
        self.answered = Done()
        self.extra = {}


class Connection:
    """A client's connection to a server."""

    def __init__(self, lab, client, server, port, styles):
        self.lab, self.sim, self.client, self.server = lab, lab.sim, client, server
        self.near, self.far = Tcp(client, port, styles[0]), Tcp(server.station, 445, styles[1])
        self.near.on_bytes, self.far.on_bytes = self.reader(self.response), self.reader(self.arrived)
        self.asked, self.told, self.number, self.opened = [], [], 0, Done()
        self.near.on_open = self.opened.set
        self.on_told = None

    def open(self):
        """The handshake, and what every client asks for first; a program."""
        self.near.connect(self.far)
        yield self.opened
        for kind in (smb2.NEGOTIATE, smb2.SETUP, smb2.TREE, smb2.CREATE):
            yield self.ask(kind).answered
            yield 150 * US

    @staticmethod
    def reader(each):
        """Cuts the bytes of a connection into messages."""
        held = bytearray()

        def take(data):
            held.extend(data)
            while len(held) >= 4 and len(held) >= 4 + int.from_bytes(held[:4], "big"):
                del held[:4 + int.from_bytes(held[:4], "big")]
                each()
        return take

    def ask(self, kind, size=0, waiting=False, data=None, count=1, stop=None, **more):
        """Send a request. With `stop` (bytes, ns), the client stops for a while within it."""
        if data is None:
            data = smb2.request(kind, self.number, size, **more)
        message = Message(data)
        request = Request(self.client, self.server.station, message, kind, size, self.number, waiting)
        self.number += count
        self.asked.append(request)
        self.lab.requests.append(request)
        in_parts(self.sim, self.near, message, self.client, stop)
        return request

    def arrived(self):
        """A message is at the server's program."""
        self.server.take(self, self.asked.pop(0))

    def respond(self, request, data, stop=None):
        """The server sends a response."""
        request.response = Message(data)
        self.told.append(request)
        in_parts(self.sim, self.far, request.response, self.server.station, stop)

    def tell(self, data):
        """The server sends something that is no response, or no final one."""
        self.told.append(None)
        self.far.send(Message(data))

    def response(self):
        """A message is at the client's program."""
        request = self.told.pop(0)
        if request:
            request.answered.set()
        elif self.on_told:
            self.on_told(self)


def in_parts(sim, end, message, station, stop):
    """Send a message as a whole, or in two parts between which the sender has the time to itself."""
    if not stop or stop[0] >= message.size:
        end.send(message)
        return
    size, wait = stop
    end.send(message, 0, size)
    began = sim.now

    def rest():
        # Only from when the first part was out: what a closed window or congestion holds back is none of the program's.
        station.stalls.append((began, sim.now, True))
        end.send(message, size)
    sim.after(wait, rest)


class Server:
    """A server: how long each request takes, and how many it works at together (0: any number)."""

    def __init__(self, lab, station, serve, workers=0, pending=None, stop=None):
        self.lab, self.sim, self.station, self.serve = lab, lab.sim, station, serve
        self.workers, self.pending, self.stop = workers, pending, stop
        self.queue, self.busy, self.held = [], 0, None

    def take(self, connection, request):
        """A request came."""
        if self.held and self.held(connection, request):
            return
        self.queue.append((connection, request))
        self.work()

    def work(self):
        """Work at what is there, as far as there are workers."""
        while self.queue and (not self.workers or self.busy < self.workers):
            connection, request = self.queue.pop(0)
            self.busy += 1
            took = int(self.serve(request))
            if self.pending and took > self.pending:
                self.sim.after(self.pending, lambda c=connection, r=request: self.interim(c, r))
            self.sim.after(took, lambda c=connection, r=request: self.finish(c, r))

    def interim(self, connection, request):
        """Tell that it will take longer."""
        request.extra["pending"] = 0x100 + request.number
        connection.tell(smb2.response(request.kind, request.number, status=smb2.PENDING, pending=0x100 + request.number))

    def finish(self, connection, request):
        """The response."""
        self.busy -= 1
        if "data" in request.extra or not isinstance(connection, Connection):
            data = request.extra.get("data")
        else:
            data = smb2.response(request.kind, request.number, request.size, pending=request.extra.get("pending"))
        stop = self.stop(request) if self.stop else None
        connection.respond(request, data, stop)
        self.work()


class Lab:
    """A simulation with its stations and the record of all requests."""

    def __init__(self, seed):
        self.sim = Sim(seed)
        self.net = Net(self.sim)
        self.rng = self.sim.rng
        self.requests, self.clients, self.servers, self.port = [], [], [], 49_152

    def station(self, side, up=None, down=None):
        """A further client or server; `up` and `down` are its ways to and from the middle, by the arguments of `Way`."""
        same = self.clients if side == "client" else self.servers
        number = (20 if side == "client" else 1) + len(same)
        name = side if not same else f"{side}{len(same) + 1}"
        ways = [Way(self.sim, **{"delay": lambda now: 5 * US, **(way or {})}) for way in (up, down)]
        station = Station(self.net, name, number, side, *ways)
        same.append(station)
        return station

    def connect(self, client, server, mine=None, its=None):
        """A connection that is not yet open."""
        self.port += 1
        return Connection(self, client, server, self.port, (mine or Style(), its or Style()))

    def tap(self, place):
        """The capture of a place."""
        return self.net.middle if place == "middle" else self.net.stations[place].tap


# How long something takes: functions without arguments (nanoseconds) of a random source, from milliseconds.


def const(ms):
    """Always as long, but for 2 % or 20 us that any program varies by."""
    return lambda rng: lambda *_: ms * MS + rng.uniform(0, max(0.02 * ms * MS, 20 * US))


def uniform(low, high):
    """Anything between the two."""
    return lambda rng: lambda *_: rng.uniform(low, high) * MS


def disk(ms=6):
    """A disk: a seek and half a turn, or more; some of it from the cache."""
    return lambda rng: lambda *_: (rng.uniform(0.05, 0.15) if rng.random() < 0.2 else
                                   rng.uniform(0.3, 1) * ms + rng.expovariate(3 / ms)) * MS


def bimodal(low, high, part=0.5):
    """One time or the other."""
    return lambda rng: lambda *_: (high if rng.random() < part else low) * rng.uniform(1, 1.02) * MS


def each(number, low, high):
    """Each so manieth takes longer."""
    def made(rng):
        count = [0]

        def one(*_):
            count[0] += 1
            return (low if count[0] % number else high) * rng.uniform(1, 1.02) * MS
        return one
    return made


def tail(ms, part, low, high):
    """Mostly as long; one part of them longer."""
    return lambda rng: lambda *_: (ms + (rng.uniform(low, high) if rng.random() < part else 0)) * MS


def step(low, high, when_s):
    """One time until a moment, another one behind it: a route that changes."""
    return lambda rng: lambda now=0, *_: (low if now < when_s * S else high) * MS + rng.uniform(0, 10) * US
