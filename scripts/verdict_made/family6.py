"""Family 6: time within a transfer that is a station's own."""

from .cases import Case, pick, styles
from .play import bimodal, const, disk, each, uniform
from .sim import MS

# Windows that close to nothing, and to less than a segment.
CLOSES = {"buffer": 11 * 1_460, "scale": 0}
NEARLY = {"buffer": 16_384, "scale": 0}


def reads_after(ms):
    """A program that reads so long after data came."""
    return lambda rng: lambda: ms * MS


def now_and_then(ms, part):
    """A program that reads at once, or after a while."""
    return lambda rng: lambda: ms * MS if rng.random() < part else 20_000


def stops(at, ms, part=1.0):
    """The sender stops after that part of its message, always or in a part of all messages."""
    return lambda rng: lambda *_: (at, int(ms(rng)() if callable(ms) else ms * rng.uniform(1, 1.1) * MS)) if rng.random() < part else None


def sometimes(at, ms, part):
    """The same of a client: each request is asked by itself."""
    return lambda rng: (at, int(ms * rng.uniform(1, 1.1) * MS)) if rng.random() < part else None


def in_pairs(lab, case):
    """Two requests at once, and the next two when both are answered; of two kinds if `case.kind` has them."""
    link = lab.connect(lab.clients[0], lab.server, *styles(lab, case))
    think = case.think(lab.rng)

    def work():
        yield from link.open()
        lab.began = lab.sim.now
        for _ in range(case.n):
            yield int(think())
            for one in [link.ask(*pick(lab, case)) for _ in range(2)]:
                yield one.answered
    lab.sim.process(work())


# All places: the wire has evidence of everything.
ALL = "client middle server"
CASES = [
    Case("client-window-150ms", n=30, size=40_000, way=(0.2, 0.2), mine={**CLOSES, "read_delay": reads_after(150)}),
    Case("client-window-20ms", n=40, size=40_000, way=(0.2, 0.2), mine={**CLOSES, "read_delay": reads_after(20)}),
    Case("client-window-20ms-way-5ms", narrow="client", n=40, size=40_000, way=(2.5, 2.5), mine={**CLOSES,
         "read_delay": reads_after(20)}),
    Case("client-window-5ms-way-5ms", narrow="client", n=40, size=40_000, way=(2.5, 2.5), mine={**CLOSES,
         "read_delay": reads_after(5)}),
    Case("client-window-seldom", n=60, size=40_000, way=(0.5, 0.5), mine={**CLOSES, "read_delay": now_and_then(60, 0.2)}),
    Case("client-window-buffer-32k-scaled", n=40, size=60_000, way=(0.5, 0.5),
         mine={"buffer": 32_768, "scale": 2, "read_delay": reads_after(30)}),
    Case("client-window-nearly", n=40, size=40_000, way=(0.5, 0.5), mine={**NEARLY, "read_delay": reads_after(50)}),
    Case("server-window-nearly", n=40, kind="write", size=40_000, way=(0.5, 0.5), its={**NEARLY, "read_delay": reads_after(50)}),
    Case("server-window-150ms", n=30, kind="write", size=40_000, way=(0.2, 0.2), its={**CLOSES, "read_delay": reads_after(150)}),
    Case("server-window-20ms", n=40, kind="write", size=40_000, way=(0.2, 0.2), its={**CLOSES, "read_delay": reads_after(20)}),
    Case("server-window-20ms-way-5ms", narrow="server", n=40, kind="write", size=40_000, way=(2.5, 2.5),
         its={**CLOSES, "read_delay": reads_after(20)}),
    Case("server-window-600ms-probed", n=8 * 3, kind="write", size=30_000, way=(0.2, 0.2),
         its={**CLOSES, "read_delay": reads_after(600)}),
    Case("server-stops-30ms", n=40, size=8_000, way=(0.5, 0.5), stop=stops(2_924, 30)),
    Case("server-stops-30ms-way-5ms", n=40, size=8_000, way=(2.5, 2.5), stop=stops(2_924, 30)),
    Case("server-stops-disk", n=60, size=28_000, way=(0.5, 0.5), stop=stops(14_600, disk(8))),
    Case("server-stops-in-segment", n=40, size=8_000, way=(0.5, 0.5), stop=stops(2_000, 30)),
    Case("server-stops-seldom", n=100, size=8_000, way=(0.5, 0.5), stop=stops(2_924, 100, 0.1)),
    Case("server-stops-300ms", n=30, size=8_000, way=(0.5, 0.5), stop=stops(4_380, 300)),
    Case("server-stops-after-1-segment", n=40, size=4_000, way=(0.5, 0.5), stop=stops(1_460, 25)),
    Case("server-stops-quick-acks", n=40, size=8_000, way=(0.5, 0.5), stop=stops(2_924, 30), mine={"ack": "quick"}),
    Case("server-stops-stamps", n=40, size=8_000, way=(2.5, 2.5), stop=stops(2_896, 30), mine={"stamps": True},
         its={"stamps": True}),
    Case("client-stops-30ms", n=40, kind="write", size=8_000, way=(0.5, 0.5), stop_request=sometimes(2_924, 30, 1)),
    Case("client-stops-30ms-way-5ms", n=40, kind="write", size=8_000, way=(2.5, 2.5), stop_request=sometimes(2_924, 30, 1)),
    Case("client-stops-seldom", n=100, kind="write", size=8_000, way=(0.5, 0.5), stop_request=sometimes(2_924, 100, 0.1)),
    Case("client-stops-300ms", n=30, kind="write", size=8_000, way=(0.5, 0.5), stop_request=sometimes(4_380, 300, 1)),
    Case("nagle-response-40ms", narrow=ALL, n=40, size=2_000, way=(0.2, 0.2), its={"nagle": True}),
    Case("nagle-response-200ms", n=30, size=2_000, way=(0.2, 0.2), its={"nagle": True}, mine={"delack": 199 * MS}),
    Case("nagle-response-40ms-way-5ms", narrow="client", n=40, size=2_000, way=(2.5, 2.5), its={"nagle": True}),
    Case("nagle-request-200ms", narrow=ALL, n=30, kind="write", size=2_000, way=(0.2, 0.2), mine={"nagle": True},
         its={"delack": 199 * MS}),
    Case("nagle-request-40ms-way-5ms", narrow="server", n=40, kind="write", size=2_000, way=(2.5, 2.5), mine={"nagle": True}),
    Case("nagle-next-response-40ms", n=40, kind="write", size=500, way=(0.1, 0.1), program=in_pairs, its={"nagle": True}),
    Case("nagle-next-response-200ms", n=30, kind="write", size=500, way=(0.1, 0.1), program=in_pairs, its={"nagle": True},
         mine={"delack": 199 * MS}),
    Case("nagle-next-response-200ms-way-5ms", n=30, kind="write", size=500, way=(2.5, 2.5), program=in_pairs, its={"nagle": True},
         mine={"delack": 199 * MS}),
    Case("nagle-next-response-info", n=40, kind="info", size=100, way=(0.1, 0.1), program=in_pairs, its={"nagle": True}),
    # No response is held: each second one takes about as long as the client keeps its acknowledgement.
    Case("server-as-late-as-acknowledgements", n=60, kind="write", size=500, program=in_pairs, serve=each(2, 0.5, 41)),
    Case("server-later-than-acknowledgements", n=60, kind="write", size=500, program=in_pairs, serve=bimodal(0.5, 60)),
    Case("server-about-as-late-as-acknowledgements", n=60, kind="write", size=500, program=in_pairs, serve=uniform(1, 80)),
    Case("server-40ms", n=60, kind="write", size=500, program=in_pairs, serve=const(40.3), workers=1),
    Case("both-pause", n=40, size=8_000, way=(0.5, 0.5), serve=const(10), think=const(10), stop=stops(2_924, 20)),
    Case("both-stop", n=40, kind="write", size=8_000, way=(0.5, 0.5), serve=const(15),
         stop_request=sometimes(2_924, 20, 1)),
    Case("window-and-sleep", n=40, size=40_000, way=(0.5, 0.5), serve=const(30), mine={**CLOSES, "read_delay": reads_after(8)}),
]
