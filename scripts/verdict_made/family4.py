"""Family 4: links of a limited rate."""

from .cases import Case
from .play import const, disk, each
from .sim import MS

M1, M4, M10, M20, M100 = 1_000_000, 4_000_000, 10_000_000, 20_000_000, 100_000_000


def limit(rate, place="near", queue=None, ways=("up", "down")):
    """A link of limited rate (bits per second), in both directions or one."""
    names = {"near": {"up": "up", "down": "down"}, "far": {"up": "far_down", "down": "far_up"}}[place]
    more = {"rate": rate, **({"queue": queue} if queue else {})}
    return {names[way]: more for way in ways}


def full(name, rate, size, place="near", timer=40, n=40, **more):
    """Data whose receiver acknowledges each second full-sized segment, and what is left over after a timer (ms)."""
    up = "-up-" in name
    more["its" if up else "mine"] = {"ack": "full", "delack": timer * MS}
    return Case(name, n=n, kind="write" if up else "read", size=size, **more, **limit(rate, place))


# All places: the wire has evidence of everything.
ALL = "client middle server"
CASES = [
    Case("down-4mbit-3seg", narrow="client server", **limit(M4)),
    Case("down-4mbit-20seg", narrow=ALL, n=40, size=28_000, **limit(M4)),
    Case("down-4mbit-1seg", size=1_000, **limit(M4)),
    Case("down-4mbit-20seg-far", narrow=ALL, n=40, size=28_000, **limit(M4, "far")),
    Case("up-4mbit-20seg", narrow=ALL, n=40, kind="write", size=28_000, **limit(M4)),
    Case("up-4mbit-20seg-far", narrow=ALL, n=40, kind="write", size=28_000, **limit(M4, "far")),
    Case("up-4mbit-1seg", kind="write", size=1_000, **limit(M4)),
    Case("up-4mbit-3seg-far", kind="write", size=4_000, **limit(M4, "far")),
    Case("down-20mbit-60k", narrow=ALL, n=40, size=60_000, **limit(M20)),
    Case("down-20mbit-60k-way-10ms", narrow=ALL, n=40, size=60_000, way=(5, 5), **limit(M20)),
    Case("up-20mbit-60k-way-10ms", narrow=ALL, n=40, kind="write", size=60_000, way=(5, 5), **limit(M20)),
    Case("down-4mbit-server-30ms", narrow=ALL, n=60, size=8_000, serve=const(30), **limit(M4)),
    Case("up-4mbit-server-60ms", n=60, kind="write", size=8_000, serve=const(60), **limit(M4)),
    Case("down-4mbit-client-60ms", n=60, size=8_000, think=const(60), **limit(M4)),
    Case("up-4mbit-client-60ms", n=60, kind="write", size=8_000, think=const(60), **limit(M4)),
    # Receivers that acknowledge each second full-sized segment, and what is left over after 40 ms.
    Case("full-acks-down-4mbit-client-60ms", n=60, size=8_000, think=const(60), mine={"ack": "full"}, **limit(M4)),
    Case("full-acks-down-4mbit-20seg", n=40, size=28_000, mine={"ack": "full"}, **limit(M4)),
    Case("full-acks-up-4mbit-20seg", n=40, kind="write", size=28_000, its={"ack": "full"}, **limit(M4)),
    Case("full-acks-up-4mbit-server-60ms", n=60, kind="write", size=8_000, serve=const(60), its={"ack": "full"}, **limit(M4)),
    full("full-acks-down-4mbit-2seg-client-60ms", M4, 2_500, think=const(60)),
    full("full-acks-down-1mbit-3seg", M1, 4_000),
    full("full-acks-down-1mbit-5seg-far-client-60ms", M1, 7_000, "far", think=const(60)),
    full("full-acks-down-20mbit-4seg-client-60ms", M20, 5_500, think=const(60)),
    full("full-acks-down-20mbit-7seg", M20, 10_000),
    full("full-acks-down-4mbit-6seg-server-60ms", M4, 8_000, serve=const(60)),
    full("full-acks-down-4mbit-6seg-client-60ms-200ms", M4, 8_000, timer=200, think=const(60)),
    full("full-acks-down-20mbit-20seg-far-200ms", M20, 28_000, "far", timer=200),
    full("full-acks-down-4mbit-6seg-4-outstanding", M4, 8_000, outstanding=4),
    full("full-acks-down-1mbit-20seg-4-outstanding", M1, 28_000, outstanding=4),
    full("full-acks-up-4mbit-2seg-server-60ms", M4, 2_500, serve=const(60)),
    full("full-acks-up-1mbit-3seg-far", M1, 4_000, "far"),
    full("full-acks-up-1mbit-4seg-server-60ms-200ms", M1, 5_500, timer=200, serve=const(60)),
    full("full-acks-up-1mbit-5seg-server-60ms", M1, 7_000, serve=const(60)),
    full("full-acks-up-20mbit-7seg-far", M20, 10_000, "far"),
    full("full-acks-up-4mbit-6seg-client-60ms", M4, 8_000, think=const(60)),
    full("full-acks-up-4mbit-20seg-far-200ms", M4, 28_000, "far", timer=200),
    full("full-acks-up-1mbit-2seg-4-outstanding", M1, 2_500, outstanding=4),
    full("full-acks-up-4mbit-5seg-4-outstanding-far", M4, 7_000, "far", outstanding=4),
    full("full-acks-up-20mbit-4seg-4-outstanding", M20, 5_500, outstanding=4),
    Case("down-100mbit-disk", n=100, size=60_000, serve=disk(), **limit(M100)),
    # Far nearer to the client than to the server, and a slow line between: no capture at the client.
    Case("down-100mbit-near-60k", n=40, size=60_000, way=(0.05, 1), down={"rate": M100}),
    Case("down-4mbit-near-2seg", n=60, size=2_500, way=(0.05, 1), down={"rate": M4}),
    Case("down-4mbit-queue-16k", n=40, size=60_000, **limit(M4, queue=16_000)),
    Case("up-4mbit-queue-16k", n=40, kind="write", size=60_000, **limit(M4, queue=16_000)),
    Case("down-4mbit-queue-16k-far", n=40, size=60_000, **limit(M4, "far", queue=16_000)),
    Case("down-4mbit-4-outstanding", n=80, size=8_000, outstanding=4, **limit(M4)),
    Case("down-4mbit-4-outstanding-far", n=80, size=8_000, outstanding=4, **limit(M4, "far")),
    Case("up-4mbit-4-outstanding", n=80, kind="write", size=8_000, outstanding=4, **limit(M4)),
    Case("up-4mbit-4-outstanding-60k", n=40, kind="write", size=60_000, outstanding=4, **limit(M4)),
    Case("up-4mbit-8-outstanding-28k", n=40, kind="write", size=28_000, outstanding=8, way=(0.05, 1), **limit(M4)),
    Case("up-20mbit-4-outstanding-60k-quick", n=60, kind="write", size=60_000, outstanding=4, its={"ack": "quick"}, **limit(M20)),
    Case("down-4mbit-3-clients-one-link", n=40, size=8_000, clients=3, places=("middle", "server"), **limit(M4, "far")),
    # A server that works at one request after the other for several clients is no line, and clients with a line each share none.
    Case("down-3-clients-one-worker", n=40, size=8_000, clients=3, workers=1, serve=const(8), places=("middle", "server")),
    Case("down-4mbit-3-clients-one-link-one-worker-30ms", n=40, size=8_000, clients=3, workers=1, serve=const(30),
         places=("middle", "server"), **limit(M4, "far")),
    Case("down-4mbit-3-clients-own-links", n=40, size=8_000, clients=3, places=("middle", "server"), **limit(M4)),
    Case("mixed-sizes-4mbit", n=150, kind=[("read", 1_000, 4), ("read", 16_000, 2), ("write", 4_000, 2), ("info", 100, 4)],
         **limit(M4)),
    Case("mixed-sizes-4mbit-far", n=150, kind=[("read", 1_000, 4), ("read", 16_000, 2), ("write", 4_000, 2), ("info", 100, 4)],
         **limit(M4, "far")),
    Case("dsl-16-1mbit", n=80, kind=[("read", 16_000, 2), ("write", 4_000, 2), ("info", 100, 4)], way=(8, 0.05),
         up={"rate": 1_000_000}, down={"rate": 16_000_000}),
    Case("dsl-each20", n=100, kind="read", size=4_000, way=(8, 0.05), serve=each(20, 0.5, 300),
         up={"rate": 1_000_000}, down={"rate": 16_000_000}),
    # Responses that a queue behind the server holds for longer than anyone thinks: no pauses.
    Case("down-10mbit-1m-queue", n=30, size=1_000_000, way=(2, 2), serve=const(0.3), late_proved=True, far_up={"rate": M10}),
    Case("down-10mbit-500k-queue-far", n=30, size=500_000, way=(20, 20), serve=const(0.3), late_proved=True, far_up={"rate": M10}),
    Case("down-10mbit-400k-queue-client-400ms", n=30, size=400_000, way=(2, 2), think=const(400), serve=const(0.3),
         late_proved=True, far_up={"rate": M10}),
    Case("down-4mbit-200k-queue-server-100ms", n=30, size=200_000, way=(2, 2), serve=const(100), late_proved=True, far_up={"rate": M4}),
]
