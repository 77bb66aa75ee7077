"""Family 3: what is lost, overtaken, or comes twice."""

from .cases import Case
from .play import const, disk
from .sim import MS


def losing(part, kinds=("data",), again=False):
    """Loses a part of such frames; with `again`, of retransmissions, too."""
    return {"drop": lambda rng: lambda frame: frame.kind in kinds and (again or not frame.again) and rng.random() < part}


def tails(every):
    """Loses the last frame of each so manieth message that is longer than a segment."""
    def made(_):
        count = [0]

        def drop(frame):
            if frame.kind != "data" or frame.again or not any(high == message.size for message, _, high in frame.parts):
                return False
            count[0] += 1
            return count[0] > 4 and count[0] % every == 0
        return drop
    return {"drop": made}


def starts(every):
    """Loses the first frame of each so manieth message."""
    def made(_):
        count = [0]

        def drop(frame):
            if frame.kind != "data" or frame.again or not any(low == 0 for _, low, _ in frame.parts):
                return False
            count[0] += 1
            return count[0] > 4 and count[0] % every == 0
        return drop
    return {"drop": made}


def overtaken(part, ms):
    """A part of the frames is late, and others overtake it."""
    return {"late": lambda rng: lambda frame: ms * MS if frame.kind == "data" and rng.random() < part else 0}


def doubled(part):
    """A part of the frames comes twice."""
    return {"twice": lambda rng: lambda frame: frame.kind == "data" and rng.random() < part}


def interims(every):
    """Loses each so manieth "pending"."""
    def made(_):
        count = [0]

        def drop(frame):
            if frame.kind != "data" or frame.again or not any(message.size == 77 for message, _, _ in frame.parts):
                return False
            count[0] += 1
            return count[0] % every == 0
        return drop
    return {"drop": made}


STAMPS = {"mine": {"stamps": True}, "its": {"stamps": True}}
PROBES = {"mine": {"tlp": True}, "its": {"tlp": True}}
SILENT = {"mine": {"dsack": False}, "its": {"dsack": False}}
FAST = {"mine": {"rto_min": 200 * MS, "tlp": True, "stamps": True}, "its": {"rto_min": 200 * MS, "tlp": True, "stamps": True}}
FIVE = losing(0.05)
CASES = [
    Case("requests-near", up=FIVE),
    Case("requests-far", far_down=FIVE),
    Case("requests-1seg-near", size=1_000, up=FIVE),
    Case("requests-1seg-far", size=1_000, far_down=FIVE),
    Case("responses-near", down=FIVE),
    Case("responses-far", far_up=FIVE),
    Case("responses-1seg-near", size=1_000, down=FIVE),
    Case("responses-1seg-far", size=1_000, far_up=FIVE),
    Case("responses-20seg-near", n=60, size=28_000, down=losing(0.01)),
    Case("responses-20seg-far", n=60, size=28_000, far_up=losing(0.01)),
    Case("writes-20seg-near", n=60, kind="write", size=28_000, up=losing(0.01)),
    Case("writes-20seg-far", n=60, kind="write", size=28_000, far_down=losing(0.01)),
    Case("writes-3seg-near", kind="write", up=FIVE),
    Case("writes-3seg-far", kind="write", far_down=FIVE),
    Case("both-near-server-30ms", serve=const(30), up=FIVE, down=FIVE),
    Case("both-far-client-30ms", think=const(30), far_up=FIVE, far_down=FIVE),
    Case("lost-20-percent-near", n=60, down=losing(0.2, again=True)),
    Case("lost-20-percent-far", n=60, far_down=losing(0.2, again=True)),
    Case("tails-near", down=tails(8)),
    Case("tails-far", far_up=tails(8)),
    Case("tails-near-probes", down=tails(8), **PROBES),
    Case("tails-far-probes", far_up=tails(8), **PROBES),
    Case("tails-writes-far-probes", kind="write", far_down=tails(8), **PROBES),
    Case("starts-near", down=starts(8)),
    Case("starts-far", far_up=starts(8)),
    Case("starts-20seg-near", n=60, size=28_000, down=starts(5)),
    Case("starts-writes-far", kind="write", far_down=starts(8)),
    Case("starts-writes-near", kind="write", up=starts(8)),
    Case("acks-near", n=100, serve=const(60), size=4_000, down=losing(0.3, ("ack",))),
    Case("acks-of-client-near", think=const(60), up=losing(0.3, ("ack",))),
    Case("acks-of-client-far", think=const(300), n=40, far_down=losing(0.3, ("ack",))),
    Case("acks-of-server-far", serve=const(300), n=40, far_up=losing(0.3, ("ack",))),
    # What comes in order waits for what was lost before it.
    Case("pending-lost-near", serve=const(25), pending=5, size=1_000, down=interims(5)),
    Case("pending-lost-far", serve=const(25), pending=5, size=1_000, far_up=interims(5)),
    Case("4-outstanding-behind-a-loss-near", n=200, outstanding=4, size=1_000, serve=const(4), up=starts(20)),
    Case("4-outstanding-behind-a-loss-far", n=200, outstanding=4, size=1_000, serve=const(4), far_up=starts(20)),
    Case("8-outstanding-28k-requests-near", n=60, outstanding=8, size=28_000, serve=const(8), way=(0.1, 8), up=FIVE),
    Case("stamps-requests-near", up=FIVE, **STAMPS),
    Case("stamps-responses-far", far_up=FIVE, **STAMPS),
    Case("fast-both-near", n=200, size=8_000, up=losing(0.02), down=losing(0.02), **FAST),
    Case("fast-both-far", n=200, size=8_000, far_up=losing(0.02), far_down=losing(0.02), **FAST),
    Case("way-20ms-responses-near", way=(10, 0.05), down=losing(0.03), size=8_000),
    Case("way-20ms-responses-far", way=(0.05, 10), far_up=losing(0.03), size=8_000),
    Case("way-20ms-requests-far", way=(0.05, 10), far_down=FIVE),
    Case("way-20ms-requests-near", way=(10, 0.05), up=FIVE),
    Case("disk-requests-far", serve=disk(), far_down=losing(0.03)),
    Case("overtaken-0.3ms", way=(1, 1), size=28_000, down=overtaken(0.1, 0.3)),
    Case("overtaken-3ms", way=(1, 1), size=28_000, down=overtaken(0.05, 3)),
    Case("overtaken-3ms-far", way=(1, 1), size=28_000, far_up=overtaken(0.05, 3)),
    Case("overtaken-writes", way=(1, 1), kind="write", size=28_000, up=overtaken(0.05, 3)),
    Case("overtaken-1.5ms-silent", way=(2, 2), size=16_384, down=overtaken(0.02, 1.5), **SILENT),
    Case("overtaken-1.5ms-silent-far", way=(2, 2), size=16_384, far_up=overtaken(0.02, 1.5), **SILENT),
    Case("overtaken-1.5ms-silent-writes", way=(2, 2), kind="write", size=16_384, up=overtaken(0.02, 1.5), **SILENT),
    Case("overtaken-1.5ms-silent-writes-far", way=(2, 2), kind="write", size=16_384, far_down=overtaken(0.02, 1.5), **SILENT),
    Case("lost-silent-writes-far", way=(2, 2), kind="write", size=16_384, far_down=losing(0.02), **SILENT),
    Case("lost-silent-far", way=(2, 2), size=16_384, far_up=losing(0.02), **SILENT),
    Case("lost-silent", way=(2, 2), size=16_384, down=losing(0.02), **SILENT),
    Case("lost-silent-10mbit", way=(2, 2), size=16_384, down={"rate": 10_000_000, **losing(0.02)}, **SILENT),
    Case("doubled-near", up=doubled(0.1), down=doubled(0.1)),
    Case("doubled-far", far_up=doubled(0.1), far_down=doubled(0.1)),
    Case("4-outstanding-requests-near", n=200, outstanding=4, up=losing(0.03)),
    Case("4-outstanding-responses-far", n=200, outstanding=4, far_up=losing(0.03)),
]
