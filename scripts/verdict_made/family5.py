"""Family 5: requests that overlap, clients that queue, answers in between, and waits for others."""

from . import smb2
from .cases import Case, styles, usual
from .play import bimodal, const, disk, uniform
from .sim import MS, S, US
from .smb2 import BREAK, CLOSE, CREATE, LOCK, NOTIFY, READ

MINE, THEIRS = smb2.FILE, b"\x33" + bytes(7) + b"\x44" + bytes(7)


def beside(lab, case):
    """The usual work, and a connection of the same client beside it."""
    usual(lab, case, lab.clients[0])
    return lab.connect(lab.clients[0], lab.server, *styles(lab, case))


def answered_after(lab, connection, request, ms, size=0):
    """The server says that the request takes longer, and answers it so much later, if it does."""
    lab.server.interim(connection, request)
    if ms:
        lab.sim.after(ms * MS, lambda: connection.respond(request, smb2.response(
            request.kind, request.number, size, pending=request.extra["pending"])))


def compounds(lab, case):
    """Each action is CREATE, INFO and CLOSE in one message."""
    link = lab.connect(lab.clients[0], lab.server, *styles(lab, case))
    think = case.think(lab.rng)

    def work():
        yield from link.open()
        lab.began = lab.sim.now
        for _ in range(case.n):
            yield int(think())
            parts = (CREATE, smb2.INFO, CLOSE)
            request = link.ask(smb2.INFO, data=smb2.compound(parts, link.number), count=3)
            request.extra["data"] = smb2.compound(parts, request.number, True, (0, case.size, 0))
            yield request.answered
    lab.sim.process(work())


def notified(every):
    """A notification is outstanding beside the usual work; it is answered now and then, and asked for again."""
    def program(lab, case):
        link = beside(lab, case)

        def held(connection, request):
            if request.kind != NOTIFY:
                return False
            answered_after(lab, connection, request, every, 32)
            if not every:
                request.extra["open"] = connection
            return True
        lab.server.held = held

        def work():
            yield from link.open()
            while every and lab.sim.now < case.until:
                yield link.ask(NOTIFY, waiting=True).answered
                yield 100 * US
            if not every:
                link.ask(NOTIFY, waiting=True)
        lab.sim.process(work())
    return program


def breaks(how, hold_ms):
    """One client has an oplock, another one opens the file: the server takes it back first."""
    def program(lab, case):
        first, second = lab.clients
        holder, other = (lab.connect(client, lab.server, *styles(lab, case)) for client in (first, second))
        think = case.think(lab.rng)
        state = {"held": False, "waits": None}

        def held(connection, request):
            if lab.began is None or request.kind != CREATE:
                return False
            if connection is holder:
                state["held"] = True
                request.extra["data"] = smb2.response(CREATE, request.number, file=MINE)
                return False
            request.extra["data"] = smb2.response(CREATE, request.number, file=THEIRS)
            if not state["held"]:
                return False
            state["waits"] = (connection, request, lab.sim.now)
            request.extra["pending"] = 0x200 + request.number
            connection.tell(smb2.response(CREATE, request.number, status=smb2.PENDING, pending=0x200 + request.number))
            request.extra["data"] = smb2.response(CREATE, request.number, file=THEIRS, pending=0x200 + request.number)
            holder.tell(smb2.broken(MINE))
            if how == "never":
                lab.sim.after(35 * S, granted)
            return True

        def granted(*_):
            if not state["waits"]:
                return
            connection, request, since = state["waits"]
            state["waits"], state["held"] = None, False
            way = 2 * sum(case.way) * MS
            # All but the ways of the break is the other client's; a break that is never answered may be called the server's as well.
            request.extra["waited_for_client"] = [(since + way / 2, lab.sim.now - way / 2)]
            request.extra["break_ways"] = way
            request.extra["never"] = how == "never"
            connection.respond(request, request.extra["data"])

        def told(_):
            hold = int(hold_ms * MS * lab.rng.uniform(1, 1.1))
            if how == "acknowledge":
                def give_back():
                    request = holder.ask(BREAK, data=smb2.give_back(holder.number, MINE))
                    request.extra.update(optional=True, data=smb2.given_back(request.number, MINE))
                lab.sim.after(hold, give_back)
            elif how == "close":
                def close():
                    request = holder.ask(CLOSE, file=MINE)
                    request.extra["closes"] = True
                lab.sim.after(hold, close)

        def arrived(connection, request):
            if held(connection, request):
                return True
            if request.extra.get("closes") or request.kind == BREAK:
                lab.sim.after(300 * US, granted)
            return False

        lab.server.held, holder.on_told = arrived, told

        def work():
            yield from holder.open()
            yield from other.open()
            lab.began = lab.sim.now
            for _ in range(case.n):
                yield holder.ask(CREATE).answered
                yield 5 * MS
                yield other.ask(CREATE).answered
                for _ in range(4):
                    yield int(think())
                    yield other.ask(READ, 1_000, file=THEIRS).answered
                yield other.ask(CLOSE, file=THEIRS).answered
                yield 5 * MS
        lab.sim.process(work())
    return program


def locks(hold_ms):
    """A lock that another client has: it waits by design."""
    def program(lab, case):
        link = beside(lab, case)

        def held(connection, request):
            if request.kind != LOCK:
                return False
            answered_after(lab, connection, request, hold_ms)
            return True
        lab.server.held = held

        def work():
            yield from link.open()
            for _ in range(10):
                yield link.ask(LOCK, waiting=True).answered
                yield 3 * MS
        lab.sim.process(work())
    return program


def one_idle(lab, case):
    """The usual work on one connection, and a keep-alive of TCP in each of its pauses on another one."""
    link = beside(lab, case)

    def work():
        yield from link.open()
        for _ in range(2 * case.n):
            yield 150 * MS
            link.near.keep_alive()
    lab.sim.process(work())


CASES = [
    Case("2-outstanding", n=150, outstanding=2, serve=const(3), way=(1, 1)),
    Case("8-outstanding-one-worker", n=200, outstanding=8, workers=1, serve=const(5), way=(1.5, 1.5)),
    Case("8-outstanding-parallel", n=200, outstanding=8, serve=const(5), way=(1.5, 1.5)),
    Case("16-outstanding-way-20ms", n=300, outstanding=16, serve=const(1), way=(5, 5)),
    Case("16-outstanding-disk", n=200, outstanding=16, workers=1, serve=disk(), way=(0.1, 0.1)),
    Case("4-outstanding-writes", n=150, outstanding=4, workers=1, kind="write", serve=const(4), way=(1, 1)),
    Case("4-outstanding-think-20ms", n=150, outstanding=4, serve=const(1), think=const(20), way=(1, 1)),
    Case("4-outstanding-1seg", n=200, outstanding=4, size=1_000, serve=const(1), way=(3, 3)),
    Case("4-outstanding-4mbit-1seg", n=200, outstanding=4, size=1_000, down={"rate": 4_000_000}),
    Case("8-outstanding-4mbit-1seg-far", n=200, outstanding=8, size=1_000, far_up={"rate": 4_000_000}),
    Case("8-outstanding-20mbit-8k", n=200, outstanding=8, size=8_000, down={"rate": 20_000_000}),
    # Two programs that do the same, each after the other's way: at the server one's request comes behind the other's response.
    Case("2-loops-way-16ms", n=150, outstanding=2, size=200, serve=const(1), think=uniform(20, 80), way=(8, 0.1)),
    Case("2-loops-way-16ms-2-connections", n=150, outstanding=2, connections=2, size=200, serve=const(1), think=uniform(20, 80),
         way=(8, 0.1)),
    Case("2-loops-way-16ms-3seg", n=150, outstanding=2, serve=const(1), think=uniform(20, 80), way=(8, 0.1)),
    Case("2-loops-way-16ms-think-10ms", n=150, outstanding=2, size=200, serve=const(1), think=uniform(6, 14), way=(8, 0.1)),
    Case("2-loops-in-step", n=100, outstanding=2, serve=const(1), think=const(46), way=(2, 2)),
    Case("2-loops-quick-acks", n=150, outstanding=2, size=200, serve=uniform(0.2, 4), think=const(66), way=(8, 0.1), mine={"ack": "quick"}),
    Case("2-loops-quick-acks-random", n=150, outstanding=2, size=200, serve=const(1), think=uniform(20, 80), way=(8, 0.1),
         mine={"ack": "quick"}),
    Case("8-loops-quick-acks", n=200, outstanding=8, size=1_000, serve=const(2), think=uniform(20, 60), way=(8, 2), mine={"ack": "quick"}),
    # Short responses of which the last waits for its acknowledgement, so that the server probes: nothing was lost.
    Case("4-loops-probed", n=100, outstanding=4, size=200, serve=const(0.5), think=const(75), way=(1, 0.05), its={"tlp": True}),
    Case("4-loops-probed-stamps", n=100, outstanding=4, size=200, serve=const(0.5), think=const(75), way=(1, 0.05),
         mine={"stamps": True}, its={"tlp": True, "stamps": True}),
    Case("8-loops-probed", n=100, outstanding=8, size=200, serve=const(0.5), think=const(75), way=(1, 0.05), its={"tlp": True}),
    Case("8-loops-not-probed", n=100, outstanding=8, size=200, serve=const(0.5), think=const(75), way=(1, 0.05)),
    Case("8-loops-late-server", n=100, outstanding=8, size=200, serve=const(0.5), think=const(75), way=(1, 0.05),
         its={"tlp": True, "ack": "read", "read_delay": lambda rng: lambda: 300 * US if rng.random() < 0.5 else 4 * US}),
    Case("4-loops-not-probed", n=100, outstanding=4, size=200, serve=const(0.5), think=const(75), way=(1, 0.05)),
    Case("4-loops-way-8ms", n=200, outstanding=4, size=1_000, serve=const(2), think=uniform(5, 60), way=(2, 2)),
    Case("4-connections", n=160, outstanding=4, connections=4, serve=const(4), way=(1, 1)),
    Case("4-connections-one-worker", n=160, outstanding=4, connections=4, workers=1, serve=const(4), way=(1, 1)),
    # Both connections count the packets of their station: a number that the one lacks, the other has.
    Case("2-connections-pauses-300ms", n=60, outstanding=2, connections=2, think=uniform(210, 400), serve=const(2)),
    Case("2-connections-one-idle", program=one_idle, n=40, think=uniform(210, 400), serve=const(2)),
    Case("4-clients-one-worker", n=50, clients=4, workers=1, serve=const(4), way=(1, 1), places=("middle", "server")),
    Case("4-clients-one-worker-disk", n=50, clients=4, workers=1, serve=disk(), way=(0.1, 0.1), places=("middle", "server")),
    Case("4-clients-parallel", n=50, clients=4, serve=const(4), think=const(10), way=(1, 1), places=("middle", "server")),
    Case("8-clients-think", n=30, clients=8, workers=1, serve=const(1), think=const(30), way=(0.2, 0.2), places=("middle", "server")),
    Case("compounds", program=compounds, size=100, serve=const(3)),
    Case("compounds-way-5ms", program=compounds, size=100, serve=const(1), way=(2.5, 2.5)),
    Case("pending-30ms", serve=const(30), pending=1, size=4_000, way=(1, 1)),
    Case("pending-bimodal", serve=bimodal(0.3, 60, 0.3), pending=5, size=4_000, way=(1, 1)),
    Case("pending-700ms", n=24, serve=const(700), pending=10, size=1_000, way=(1, 1)),
    Case("notify-open", program=notified(0), think=const(5)),
    Case("notify-open-think-80ms", program=notified(0), think=const(80), n=60),
    Case("notify-each-50ms", program=notified(50), think=const(5), serve=const(2)),
    Case("notify-each-50ms-think-100ms", program=notified(50), think=const(100), n=40),
    Case("lock-waits-200ms", program=locks(200), think=const(5), serve=const(4)),
    Case("break-700ms", program=breaks("acknowledge", 700), clients=2, n=12, places=("middle", "server")),
    Case("break-100ms-way-5ms", program=breaks("acknowledge", 100), clients=2, n=20, way=(2.5, 2.5), places=("middle", "server")),
    Case("break-close-300ms", program=breaks("close", 300), clients=2, n=12, places=("middle", "server")),
    Case("break-never", program=breaks("never", 0), clients=2, n=4, places=("middle", "server")),
]
for one in CASES:
    one.until = 1 * S
