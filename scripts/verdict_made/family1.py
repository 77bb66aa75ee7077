"""Family 1: ways that take the same time, servers that sleep, clients that think."""

from .cases import Case
from .play import bimodal, const, disk, each, uniform
from .sim import US

QUICK, READ_LATE = {"ack": "quick"}, {"ack": "read", "read_delay": lambda rng: lambda: rng.uniform(500, 700) * US}
SOMETIMES = {"ack": "read", "read_delay": lambda rng: lambda: rng.uniform(500, 700) * US if rng.random() < 0.6 else 4 * US}

# All places: the wire has evidence of everything.
ALL = "client middle server"
CASES = [
    Case("lan-server", narrow=ALL, serve=const(5), think=const(0.5)),
    Case("lan-client", narrow=ALL, serve=const(0.3), think=const(8)),
    Case("lan-disk", serve=disk(), think=const(0.4), size=28_000),
    Case("lan-bimodal", serve=bimodal(0.3, 20), think=const(1), size=1_000),
    Case("lan-each20", serve=each(20, 0.5, 80), think=const(1), size=1_000),
    Case("wan-reads", narrow=ALL, way=(2, 2), serve=const(1), think=const(1)),
    Case("wan-reads-1seg", way=(2, 2), serve=const(1), think=const(1), size=1_000),
    Case("wan-reads-20seg", narrow=ALL, way=(2, 2), serve=const(1), think=const(1), size=28_000),
    Case("wan-writes", narrow="client", way=(2, 2), serve=const(1), think=const(1), kind="write"),
    Case("wan-writes-20seg", narrow="client", way=(2, 2), serve=const(1), think=const(1), kind="write", size=28_000),
    Case("wan-info", narrow="client", way=(2, 2), serve=const(1), think=const(1), kind="info", size=100),
    Case("wan10-server", narrow=ALL, way=(5, 5), serve=const(40), think=const(1)),
    Case("wan10-client", narrow=ALL, way=(5, 5), serve=const(1), think=uniform(20, 60)),
    Case("wan20-near-server", narrow=ALL, way=(20, 0.05), serve=const(4), think=const(4)),
    Case("wan20-near-client", narrow=ALL, way=(0.05, 20), serve=const(4), think=const(4)),
    Case("late-always", way=(0.1, 0.1), serve=const(0.3), think=const(1), mine=READ_LATE),
    Case("late-sometimes", narrow="client", way=(0.1, 0.1), serve=const(0.3), think=const(1), mine=SOMETIMES),
    Case("full-acks-client-60ms", n=60, size=8_000, way=(0.2, 0.2), think=const(60), mine={"ack": "full"}),
    Case("full-acks-server", n=100, size=8_000, way=(0.2, 0.2), serve=const(6), mine={"ack": "full"}, its={"ack": "full"}),
    Case("full-acks-server-60ms-writes", n=60, kind="write", size=8_000, way=(0.2, 0.2), serve=const(60), its={"ack": "full"}),
    Case("quick-1seg", narrow="client server", way=(1, 1), serve=const(1), think=const(2), size=1_000, mine=QUICK, its=QUICK),
    Case("quick-3seg", narrow=ALL, way=(1, 1), serve=disk(), think=uniform(0.3, 5), mine=QUICK, its=QUICK),
    Case("mixed", way=(0.5, 0.5), serve=disk(4), think=uniform(0.2, 4),
         kind=[("read", 4_000, 3), ("write", 4_000, 2), ("info", 100, 5)]),
]
