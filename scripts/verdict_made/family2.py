"""Family 2: ways whose length changes."""

from .cases import Case, styles
from .play import const, disk, step, tail, uniform
from .sim import MS, S, US
from .smb2 import QUERY, READ


def way(times, **more):
    """A way whose frames take such times."""
    return {"delay": times, **more}


def queue(ms, period_s, least_ms=0.2):
    """Somebody else's traffic fills a queue, and leaves it: it grows for half a period, and drains."""
    def made(rng):
        def now_is(now, *_):
            part = now / (period_s * S) % 1
            high = part * 2 if part < 0.5 else 2 - part * 2
            return (least_ms + ms * high) * MS + rng.uniform(0, 50) * US
        return now_is
    return made


def grows(per_s, most_ms, least_ms=0.2):
    """A queue that builds up for as long as the capture."""
    return lambda rng: lambda now, *_: (least_ms + min(most_ms, now / S * per_s)) * MS + rng.uniform(0, 50) * US


def both(times, place="near", **more):
    """Both directions of a link."""
    names = ("up", "down") if place == "near" else ("far_up", "far_down")
    return {name: way(times, **more) for name in names}


def becomes(first, before_ms, behind):
    """A station that needs `before_ms` at first, and becomes slower at once."""
    def made(rng):
        later, done = behind(rng), [0]

        def takes(*_):
            done[0] += 1
            return before_ms * MS if done[0] <= first else later()
        return takes
    return made


def wakes(from_ms, to_ms, asleep_ms):
    """A way that falls asleep, and takes longer to wake up."""
    def made(rng):
        last = [0]

        def takes(now, *_):
            asleep = now - last[0] > asleep_ms * MS
            last[0] = now
            return int((rng.uniform(from_ms, to_ms) if asleep else 0.05) * MS)
        return takes
    return made


def of_queries(slow, other_ms):
    """A server that needs longer for queries."""
    def made(rng):
        takes = slow(rng)
        return lambda one: takes(one) if one.kind == QUERY else other_ms * MS
    return made


def queries_between(reads):
    """A query, behind the usual pause, then so many reads half a millisecond behind each other."""
    def program(lab, case):
        link = lab.connect(lab.clients[0], lab.server, *styles(lab, case))
        think = case.think(lab.rng)

        def work():
            yield from link.open()
            lab.began = lab.sim.now
            for _ in range(case.n):
                yield int(think())
                yield link.ask(QUERY, 300).answered
                for _ in range(reads):
                    yield 500 * US
                    yield link.ask(READ, 1_000).answered
        lab.sim.process(work())
    return program


UNIFORM, TAIL = uniform(1, 8), tail(0.3, 0.1, 20, 60)
QUICK = {"mine": {"ack": "quick"}, "its": {"ack": "quick"}}
CASES = [
    Case("uniform-reads", **both(UNIFORM)),
    Case("uniform-reads-far", **both(UNIFORM, "far")),
    Case("uniform-reads-1seg", size=1_000, **both(UNIFORM)),
    Case("uniform-reads-few", n=24, **both(UNIFORM)),
    Case("uniform-reads-20seg", size=28_000, **both(UNIFORM)),
    Case("uniform-writes", kind="write", **both(UNIFORM)),
    Case("uniform-writes-far", kind="write", **both(UNIFORM, "far")),
    Case("uniform-reads-many", n=400, **both(UNIFORM)),
    Case("uniform-server-30ms", serve=const(30), **both(UNIFORM)),
    Case("uniform-client-30ms", think=const(30), **both(UNIFORM)),
    Case("uniform-disk", serve=disk(), **both(UNIFORM)),
    Case("uniform-up-only", up=way(UNIFORM)),
    Case("uniform-down-only", down=way(UNIFORM)),
    Case("uniform-down-only-1seg", size=1_000, down=way(UNIFORM)),
    Case("uniform-far-up-only", far_up=way(UNIFORM)),
    Case("uniform-quick-acks", size=1_000, **QUICK, **both(UNIFORM)),
    Case("uniform-small-client", size=1_000, serve=const(0.2), think=uniform(2, 12), **both(uniform(0.1, 1))),
    Case("uniform-small-server", size=1_000, serve=uniform(2, 12), think=const(0.2), **both(uniform(0.1, 1))),
    # A way does not know what it carries; it may be asleep when a query comes.
    Case("queries-slow", n=80, think=const(0.5), serve=of_queries(uniform(20, 90), 1), program=queries_between(5)),
    Case("queries-slow-far", n=80, think=const(0.5), serve=of_queries(uniform(20, 90), 1), program=queries_between(5), way=(0.05, 5)),
    Case("queries-wake-the-way", n=80, think=const(120), serve=const(1), program=queries_between(5), up=way(wakes(20, 90, 50))),
    Case("queries-and-reads-late", n=80, think=const(0.5), serve=const(1), program=queries_between(5), **both(tail(0.3, 0.15, 20, 90))),
    Case("tail-reads", **both(TAIL)),
    Case("tail-reads-1seg", size=1_000, **both(TAIL)),
    Case("tail-writes", kind="write", **both(TAIL)),
    Case("tail-reads-far", **both(TAIL, "far")),
    Case("tail-seldom", n=300, **both(tail(0.3, 0.02, 50, 150))),
    Case("tail-server-5ms", serve=const(5), **both(TAIL)),
    Case("bloat-down", n=300, down=way(queue(60, 1))),
    Case("bloat-down-1seg", n=300, size=1_000, down=way(queue(60, 1))),
    Case("bloat-up", n=300, kind="write", up=way(queue(60, 1))),
    Case("bloat-far-down", n=300, far_down=way(queue(60, 1))),
    Case("bloat-both", n=200, **both(queue(30, 0.5))),
    Case("grows-down", n=300, down=way(grows(10, 80))),
    Case("grows-up-reads", n=300, up=way(grows(10, 80))),
    Case("grows-disk", n=200, serve=disk(), down=way(grows(10, 80))),
    Case("step-up-1-10ms", n=200, **both(step(0.2, 5, 0.5))),
    Case("step-down-10-1ms", n=300, **both(step(5, 0.2, 1))),
    Case("step-1seg", n=200, size=1_000, **both(step(0.2, 5, 0.5))),
    Case("step-writes", n=200, kind="write", **both(step(0.2, 5, 0.5))),
    Case("step-one-direction", n=200, down=way(step(0.2, 10, 0.5))),
    Case("step-far", n=200, **both(step(0.2, 5, 0.5), "far")),
    Case("step-1seg-client-10ms", n=200, size=1_000, think=const(10), **both(step(0.2, 5, 1))),
    Case("step-1seg-server-10ms", n=200, size=1_000, serve=const(10), **both(step(0.2, 5, 1))),
    # It is no way that becomes longer: the wire shows it, or the station is slower by more or less.
    Case("server-becomes-slow-writes", n=200, kind="write", serve=becomes(100, 1, const(11))),
    Case("server-becomes-slow-reads", n=200, serve=becomes(100, 1, const(11))),
    Case("server-becomes-slow-disk", n=200, serve=becomes(100, 1, disk())),
    Case("client-becomes-slow-reads", n=200, think=becomes(100, 1, const(11))),
    Case("client-becomes-slow-1seg", n=200, size=1_000, think=becomes(100, 1, const(11))),
    Case("client-becomes-slow-1seg-uniform", n=200, size=1_000, think=becomes(100, 1, uniform(5, 20))),
]
