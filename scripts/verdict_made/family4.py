"""Family 4: links of a limited rate."""

from .cases import Case
from .play import const, disk, each

M4, M20, M100 = 4_000_000, 20_000_000, 100_000_000


def limit(rate, place="near", queue=None, ways=("up", "down")):
    """A link of limited rate (bits per second), in both directions or one."""
    names = {"near": {"up": "up", "down": "down"}, "far": {"up": "far_down", "down": "far_up"}}[place]
    more = {"rate": rate, **({"queue": queue} if queue else {})}
    return {names[way]: more for way in ways}


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
    Case("mixed-sizes-4mbit", n=150, kind=[("read", 1_000, 4), ("read", 16_000, 2), ("write", 4_000, 2), ("info", 100, 4)],
         **limit(M4)),
    Case("mixed-sizes-4mbit-far", n=150, kind=[("read", 1_000, 4), ("read", 16_000, 2), ("write", 4_000, 2), ("info", 100, 4)],
         **limit(M4, "far")),
    Case("dsl-16-1mbit", n=80, kind=[("read", 16_000, 2), ("write", 4_000, 2), ("info", 100, 4)], way=(8, 0.05),
         up={"rate": 1_000_000}, down={"rate": 16_000_000}),
    Case("dsl-each20", n=100, kind="read", size=4_000, way=(8, 0.05), serve=each(20, 0.5, 300),
         up={"rate": 1_000_000}, down={"rate": 16_000_000}),
]
