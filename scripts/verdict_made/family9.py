"""Family 9: mixtures of the others, drawn at random: the same each time, as their names are what they are drawn by."""

import random

from .cases import Case
from .family3 import losing, overtaken
from .play import bimodal, const, disk, each, tail, uniform
from .sim import US


def draw(number):
    """A scenario."""
    rng = random.Random(f"mixture {number}")
    way = rng.choice([(0.05, 0.05), (0.05, 0.05), (0.2, 0.2), (0.05, 1), (1, 0.05), (2, 2), (0.1, 8), (8, 0.1), (15, 5)])
    serve = rng.choice([const(rng.uniform(0.1, 1)), const(rng.uniform(1, 10)), const(rng.uniform(10, 60)), disk(rng.uniform(2, 10)),
                        bimodal(0.3, rng.uniform(5, 40), 0.3), each(20, 0.5, rng.uniform(20, 200)), uniform(0.2, 4)])
    think = rng.choice([const(rng.uniform(0.1, 1)), const(rng.uniform(1, 10)), const(rng.uniform(10, 80)), uniform(0.2, 8),
                        tail(0.5, 0.05, 50, 300)])
    size = rng.choice([200, 1_000, 1_400, 2_500, 4_000, 8_000, 28_000, 60_000])
    kind = rng.choice(["read", "read", "write", "mixture"])
    if kind == "mixture":
        kind = [("read", size, 3), ("write", rng.choice([500, 4_000, 12_000]), 2), ("info", 100, 3)]
    more = {}
    if rng.random() < 0.3:
        more[rng.choice(["up", "down", "far_up", "far_down"])] = losing(rng.choice([0.005, 0.02]))
    if rng.random() < 0.2:
        more.setdefault(rng.choice(["up", "down"]), {})["rate"] = rng.choice([4_000_000, 10_000_000, 100_000_000])
    if rng.random() < 0.1:
        more.setdefault("down", {}).update(overtaken(0.03, 1))
    ends = []
    for _ in range(2):
        settings = {"stamps": rng.random() < 0.3, "tlp": rng.random() < 0.5, "ack": rng.choice(["delayed", "delayed", "quick"])}
        if rng.random() < 0.2:
            late = rng.uniform(50, 400)
            settings.update(ack="read", read_delay=lambda source, late=late: lambda: (
                late * US if source.random() < 0.5 else 4 * US))
        ends.append(settings)
    if ends[0]["stamps"] != ends[1]["stamps"]:
        ends[1]["stamps"] = ends[0]["stamps"]
    outstanding = rng.choice([1, 1, 1, 1, 2, 4, 8])
    return Case(f"mixture-{number}", n=rng.choice([40, 100, 200]), kind=kind, size=size, serve=serve, think=think, way=way,
                mine=ends[0], its=ends[1], outstanding=outstanding, connections=rng.choice([1, 1, 1, 2]),
                workers=rng.choice([0, 0, 1]), pending=rng.choice([None, None, None, 5]), late_start=rng.random() < 0.15, **more)


CASES = [draw(number) for number in range(150)]
