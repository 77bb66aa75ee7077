"""What captures do to frames: from (time, bytes, frame) as they passed to (time, bytes, length on the wire) in the file."""

import random

from .sim import MS, S


def plain(frames):
    """Nothing."""
    return [(time, raw, len(raw)) for time, raw, _ in frames]


def missed(part, what):
    """A part of such frames is not in the capture; `what` gets the frame and the lab."""
    def fault(frames, lab):
        rng = random.Random(5)
        return plain([one for one in frames if not (what(one[2], lab) and one[0] > (lab.began or 0) and rng.random() < part)])
    return fault


def from_client(frame, lab):
    """A frame with data from a client."""
    return frame.kind == "data" and frame.target == lab.servers[0].name


def from_server(frame, lab):
    """A frame with data from a server."""
    return frame.kind == "data" and frame.target != lab.servers[0].name


def acknowledgement(frame, _):
    """One without data."""
    return frame.kind == "ack"


def any_frame(*_):
    """All frames."""
    return True


def hole(low, high):
    """All frames between two parts of the capture are missed."""
    def fault(frames, _):
        return plain([one for place, one in enumerate(frames) if not low * len(frames) <= place < high * len(frames)])
    return fault


def cut(size):
    """Frames are cut."""
    return lambda frames, _: [(time, raw[:size], len(raw)) for time, raw, _ in frames]


def copies(after):
    """Each frame twice: the mirror of two ports."""
    def fault(frames, _):
        both = plain(frames) + [(time + after, raw, len(raw)) for time, raw, _ in frames]
        return sorted(both, key=lambda one: one[0])
    return fault


def coarse(tick):
    """A clock that counts in larger steps."""
    return lambda frames, _: [(time // tick * tick, raw, len(raw)) for time, raw, _ in frames]


def bursts(within):
    """Frames that follow each other that soon have the stamp of the first: a driver that takes several at a time."""
    def fault(frames, _):
        made, stamp, before = [], None, None
        for time, raw, _ in frames:
            stamp = time if before is None or time - before > within else stamp
            before = time
            made.append((stamp, raw, len(raw)))
        return made
    return fault


def jump(by, where, direction=None):
    """The clock is set before a frame: the first with data of a direction behind that part of the capture."""
    def fault(frames, lab):
        start = int(where * len(frames))
        place = next(number for number in range(start, len(frames))
                     if direction is None or direction(frames[number][2], lab))
        return [(time + (by if number >= place else 0), raw, len(raw)) for number, (time, raw, _) in enumerate(frames)]
    return fault


def one_direction(keep):
    """Only the frames of one direction; acknowledgements without data count as their sender's."""
    def fault(frames, lab):
        to_server = keep == "client"
        return plain([one for one in frames if (one[2].target == lab.servers[0].name) == to_server])
    return fault


def drift(per_s):
    """A clock that is fast."""
    return lambda frames, _: [(time + time * per_s // S, raw, len(raw)) for time, raw, _ in frames]


__all__ = ["MS"]
