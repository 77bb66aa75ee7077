"""Family 8: what captures do to frames, and conversations that keep themselves alive."""

from . import smb2
from .cases import Case, styles
from .faults import (acknowledgement, any_frame, bursts, coarse, copies, cut, drift, from_client, from_server, hole, jump, missed,
                     one_direction)
from .play import const, disk
from .sim import MS, S, US


def keeps_alive(how, each_s, idle_s):
    """Two stretches of work with a long pause between them, in which the client shows that it is there."""
    def program(lab, case):
        link = lab.connect(lab.clients[0], lab.server, *styles(lab, case))
        think = case.think(lab.rng)

        def work():
            yield from link.open()
            lab.began = lab.sim.now
            for part in range(2):
                for _ in range(case.n // 2):
                    yield int(think())
                    yield link.ask(smb2.READ, case.size).answered
                if part:
                    return
                for _ in range(idle_s // each_s):
                    yield each_s * S
                    if how == "echo":
                        request = link.ask(smb2.ECHO)
                        request.extra["optional"] = True
                        yield request.answered
                    elif how == "tcp":
                        link.near.keep_alive()
                yield 700 * MS
        lab.sim.process(work())
    return program


STAMPS = {"mine": {"stamps": True}, "its": {"stamps": True}}
SERVER = {"serve": const(6), "think": const(1), "way": (0.3, 0.3)}
CLIENT = {"serve": const(1), "think": const(8), "way": (0.3, 0.3)}
NETWORK = {"serve": const(1), "think": const(1), "way": (2, 2)}
CASES = [
    Case("missed-requests", n=200, slack=3, fault=missed(0.05, from_client), **SERVER),
    Case("missed-responses", n=200, slack=3, fault=missed(0.05, from_server), **SERVER),
    Case("missed-responses-1seg", n=200, size=1_000, slack=3, fault=missed(0.05, from_server), **SERVER),
    Case("missed-acks", n=200, fault=missed(0.5, acknowledgement), **SERVER),
    Case("missed-any-client", n=200, slack=3, fault=missed(0.03, any_frame), **CLIENT),
    Case("missed-any-network", n=200, slack=5, fault=missed(0.03, any_frame), **NETWORK),
    Case("missed-any-writes", n=200, kind="write", slack=5, fault=missed(0.03, any_frame), **NETWORK),
    Case("missed-any-20-percent", n=300, slack=12, fault=missed(0.2, any_frame), **SERVER),
    Case("hole", n=200, slack=3, fault=hole(0.4, 0.6), **SERVER),
    Case("cut-96", fault=cut(96), **SERVER),
    Case("cut-128", fault=cut(128), **NETWORK),
    Case("cut-200-writes", kind="write", fault=cut(200), **SERVER),
    Case("copies-1us", fault=copies(1 * US), **NETWORK),
    Case("copies-1us-client", fault=copies(1 * US), **CLIENT),
    Case("copies-2ms", slack=1, fault=copies(2 * MS), **SERVER),
    Case("copies-2ms-lan", slack=1, fault=copies(2 * MS), serve=disk(12), think=const(10)),
    Case("copies-2ms-writes", slack=1, kind="write", fault=copies(2 * MS), **SERVER),
    Case("clock-1ms", n=200, fault=coarse(MS), **SERVER),
    Case("clock-1ms-lan", n=300, fault=coarse(MS), serve=const(0.3), think=const(0.4)),
    Case("clock-1ms-network", n=200, fault=coarse(MS), **NETWORK),
    Case("clock-10ms", n=200, fault=coarse(10 * MS), serve=const(25), think=const(3)),
    Case("clock-10ms-client", n=200, fault=coarse(10 * MS), serve=const(2), think=const(15)),
    Case("clock-10ms-network", n=200, fault=coarse(10 * MS), serve=const(2), think=const(3), way=(8, 8)),
    Case("clock-55ms", n=200, fault=coarse(55 * MS), serve=disk(60), think=const(10)),
    Case("clock-55ms-client", n=200, fault=coarse(55 * MS), serve=const(5), think=const(30)),
    Case("bursts-have-one-stamp", n=150, fault=bursts(3 * US), **SERVER),
    Case("bursts-have-one-stamp-client", n=150, fault=bursts(3 * US), **CLIENT),
    Case("jump-on-1h-in-request-1seg", n=200, size=1_000, fault=jump(3_600 * S, 0.5, from_server), **SERVER),
    Case("jump-back-2s-in-request", n=200, fault=jump(-2 * S, 0.5, from_server), **SERVER),
    Case("jump-back-2s-in-gap", n=200, fault=jump(-2 * S, 0.5, from_client), **SERVER),
    Case("jump-on-5s-in-request-stamps", n=200, fault=jump(5 * S, 0.5, from_server), **SERVER, **STAMPS),
    Case("jump-on-5s-in-gap-stamps", n=200, fault=jump(5 * S, 0.5, from_client), **CLIENT, **STAMPS),
    Case("jump-on-1h-in-request", n=200, fault=jump(3_600 * S, 0.5, from_server), **SERVER),
    Case("drift-1-in-10000", n=200, fault=drift(100_000), **NETWORK),
    Case("echo-each-30s", n=100, program=keeps_alive("echo", 30, 300), **SERVER),
    Case("echo-each-1s", n=100, program=keeps_alive("echo", 1, 60), **CLIENT),
    Case("tcp-keep-alive", n=100, program=keeps_alive("tcp", 30, 300), **NETWORK),
    Case("only-requests", fault=one_direction("client"), unknown=True, **SERVER),
    Case("only-responses", fault=one_direction("server"), unknown=True, **SERVER),
    Case("begins-late", n=150, late_start=True, **SERVER),
    Case("begins-late-network", n=150, late_start=True, **NETWORK),
    Case("begins-late-1seg-network", n=150, size=1_000, late_start=True, **NETWORK),
    Case("begins-late-client-writes", n=150, kind="write", late_start=True, **CLIENT),
]
