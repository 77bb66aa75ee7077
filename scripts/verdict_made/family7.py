"""Family 7: transports without TCP."""

from . import nbipx, ncp, netbeui
from .cases import Case
from .family3 import losing
from .play import bimodal, const, disk, each
from .sim import MS


def netware(**settings):
    """The usual work over NCP."""
    def program(lab, case):
        for number, client in enumerate(lab.clients):
            session = ncp.Session(lab, client, lab.server, number=3 + number, **settings)
            lab.sim.process(ncp.work(session, case, lab))
    return program


def nbf(session=netbeui.Session, **settings):
    """The usual work over NetBEUI, or NetBIOS over IPX."""
    def program(lab, case):
        for client in lab.clients:
            lab.sim.process(netbeui.work(session(lab, client, lab.server, **settings), case, lab))
    return program


NBF = {"program": nbf(), "kind": netbeui.READ, "size": 4_000}
NBF_WRITE = {**NBF, "kind": netbeui.WRITE}
NBIPX = {"program": nbf(nbipx.Session), "kind": netbeui.READ, "size": 4_000}
NBIPX_WRITE = {**NBIPX, "kind": netbeui.WRITE}
NCP = {"program": netware(), "kind": ncp.READ, "size": 1_024}
FIVE = losing(0.05)


def losses(name, reads, writes=None):
    """Each twentieth request or response is lost, before or behind the middle."""
    found = [
        Case(f"{name}-lost-requests-near", **reads, up=FIVE),
        Case(f"{name}-lost-requests-far", **reads, far_down=FIVE),
        Case(f"{name}-lost-responses-near", **reads, down=FIVE),
        Case(f"{name}-lost-responses-far", **reads, far_up=FIVE),
    ]
    if writes:
        found += [
            Case(f"{name}-writes-lost-near", **writes, up=FIVE),
            Case(f"{name}-writes-lost-far", **writes, far_down=FIVE),
        ]
    return found


def one_frame(name, reads, writes, program):
    """A window of one frame, or two: acknowledgements that a timer of the receiver keeps, and others that are as late on their way."""
    def case(what, usual=reads, n=50, window=1, every=2, late=60, **more):
        settings = {"window": window, "every": every, "late": late * MS}
        return Case(f"{name}-window-{window}-{what}", **{**usual, "n": n, "program": program(**settings)}, **more)

    def line(rate, near=True):
        return {way: {"rate": rate, "least": 60} for way in (("up", "down") if near else ("far_up", "far_down"))}

    return [
        case("late-acks"),
        case("late-acks-writes", writes),
        case("late-acks-200ms", late=200),
        case("late-acks-way-20ms", way=(10, 10)),
        case("late-acks-writes-way-20ms", writes, way=(10, 10)),
        case("late-acks-server-300ms", n=30, serve=const(300)),
        case("late-acks-writes-server-300ms", writes, n=30, serve=const(300)),
        case("late-acks-think-100ms", think=const(100)),
        case("late-acks-lost", far_up=losing(0.02)),
        case("late-acks-256kbit", **line(256_000)),
        case("late-acks-64kbit", late=200, **line(64_000)),
        case("late-acks", window=2, every=3),
        case("late-acks-writes", writes, window=2, every=3),
        case("256kbit", every=1, **line(256_000)),
        case("256kbit-far", every=1, **line(256_000, False)),
        case("256kbit-client-20ms", every=1, think=const(20), **line(256_000)),
        case("256kbit-writes", writes, every=1, **line(256_000)),
        case("256kbit-writes-far", writes, every=1, **line(256_000, False)),
        case("256kbit", window=2, **line(256_000)),
        case("way-20ms", every=1, way=(10, 10)),
        case("way-60ms", every=1, way=(30, 30)),
        case("way-60ms-writes", writes, every=1, way=(30, 30)),
        # The client's end of it would get what opens a session out of order.
        case("way-varies", every=1, down={"delay": varying}, places=("middle", "server")),
        case("way-varies-writes", writes, every=1, up={"delay": varying}, places=("middle", "server")),
    ]


def acknowledged(name, usual):
    """Each frame is acknowledged at once, and each message by a frame of its own; with a window of one frame, the next message waits."""
    def case(what, think, serve, window=7, **more):
        return Case(f"{name}-acks-at-once-{what}", **{**usual, "program": nbf(every=0, acks=True, window=window)}, think=think,
                    serve=serve, **more)

    return [
        case("client", exponential(8), exponential(2), way=(0.15, 0.15)),
        case("client-way-8ms", exponential(8), exponential(2), way=(4, 4)),
        case("server", exponential(1), exponential(7), way=(0.2, 0.2)),
        case("way-4ms", exponential(1), exponential(0.5), way=(2, 2)),
        case("window-1-client", exponential(8), exponential(2), 1, way=(0.15, 0.15)),
        case("window-1-server", exponential(1), exponential(7), 1, way=(0.2, 0.2)),
        case("window-1-way-4ms", exponential(1), exponential(0.5), 1, way=(2, 2)),
    ]


def exponential(mean):
    """Times with this mean, ms."""
    return lambda rng: lambda *_: rng.expovariate(1 / mean) * MS


def varying(rng):
    """A way of 10 to 150 ms."""
    return lambda now: rng.uniform(10, 150) * MS


CASES = [
    Case("ncp-lan-server", **NCP, serve=const(5)),
    Case("ncp-lan-client", **NCP, serve=const(0.3), think=const(6)),
    Case("ncp-way-10ms", **NCP, serve=const(1), way=(2.5, 2.5)),
    Case("ncp-disk", **NCP, serve=disk()),
    Case("ncp-each20", **NCP, serve=each(20, 0.5, 80)),
    Case("ncp-bimodal-client-5ms", **NCP, serve=bimodal(0.3, 12), think=const(5)),
    Case("ncp-writes", **{**NCP, "kind": ncp.WRITE}, serve=const(3)),
    *losses("ncp", NCP),
    Case("ncp-busy-700ms", **{**NCP, "n": 30}, serve=const(700)),
    Case("ncp-busy-seldom-1500ms", **NCP, serve=each(20, 2, 1_500)),
    Case("ncp-lost-and-busy", **NCP, serve=each(10, 2, 700), far_up=FIVE),
    Case("ncp-4-clients-one-worker", **NCP, clients=4, workers=1, serve=const(3), places=("middle", "server")),
    Case("ncp-4mbit", **NCP, down={"rate": 4_000_000}),
    Case("burst-read-16k", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 60}),
    Case("burst-read-16k-way-5ms", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 60}, way=(2.5, 2.5)),
    Case("burst-read-16k-server-30ms", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 60}, serve=const(30)),
    Case("burst-read-16k-lost-near", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 60}, down=losing(0.02)),
    Case("burst-read-16k-lost-far", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 60}, far_up=losing(0.02)),
    Case("burst-read-16k-paced-2ms", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 40, "program": netware(gap=2 * MS)},
         serve=const(4)),
    Case("burst-write-16k-paced-2ms", **{**NCP, "kind": ncp.WRITE_BURST, "size": 16_384, "n": 40, "program": netware(gap=2 * MS)},
         serve=const(4)),
    Case("burst-write-16k", **{**NCP, "kind": ncp.WRITE_BURST, "size": 16_384, "n": 60}, serve=const(5)),
    Case("burst-write-16k-lost-near", **{**NCP, "kind": ncp.WRITE_BURST, "size": 16_384, "n": 60}, up=losing(0.02)),
    Case("burst-write-16k-lost-far", **{**NCP, "kind": ncp.WRITE_BURST, "size": 16_384, "n": 60}, far_down=losing(0.02)),
    Case("burst-read-4mbit", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 40}, down={"rate": 4_000_000}),
    Case("nbf-server", **NBF, serve=const(5)),
    Case("nbf-client", **NBF, serve=const(0.5), think=const(8)),
    Case("nbf-way-5ms", **NBF, serve=const(1), way=(2.5, 2.5)),
    Case("nbf-way-5ms-writes", **NBF_WRITE, serve=const(1), way=(2.5, 2.5)),
    Case("nbf-1frame-way-5ms", **{**NBF, "size": 1_000}, serve=const(1), way=(2.5, 2.5)),
    Case("nbf-disk", **NBF, serve=disk()),
    Case("nbf-acks-each", **{**NBF, "program": nbf(every=1)}, serve=const(3), way=(1, 1)),
    Case("nbf-think-100ms", **{**NBF, "n": 50}, serve=const(40), think=const(100)),
    Case("nbf-server-300ms", **{**NBF, "n": 30}, serve=const(300)),
    *losses("nbf", NBF, NBF_WRITE),
    Case("nbf-client-not-ready", **{**NBF, "n": 50, "program": nbf(stop=(60, 0.3), every=1, window=1)}),
    Case("nbf-server-not-ready", **{**NBF_WRITE, "n": 50, "program": nbf(stop=(60, 0.3), every=1, window=1)}),
    *one_frame("nbf", NBF, NBF_WRITE, nbf),
    *acknowledged("nbf", NBF),
    Case("nbf-4mbit", **NBF, down={"rate": 4_000_000}),
    Case("nbipx-server", **NBIPX, serve=const(5)),
    Case("nbipx-client", **NBIPX, serve=const(0.5), think=const(8)),
    Case("nbipx-way-5ms", **NBIPX, serve=const(1), way=(2.5, 2.5)),
    Case("nbipx-way-5ms-writes", **NBIPX_WRITE, serve=const(1), way=(2.5, 2.5)),
    Case("nbipx-server-300ms", **{**NBIPX, "n": 30}, serve=const(300)),
    *losses("nbipx", NBIPX, NBIPX_WRITE),
    *one_frame("nbipx", NBIPX, NBIPX_WRITE, lambda **settings: nbf(nbipx.Session, **settings)),
    Case("nbipx-4mbit", **NBIPX, down={"rate": 4_000_000}),
]
