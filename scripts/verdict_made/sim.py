"""Virtual time, stations, the links between them, and captures along the way.

All stations hang on one point in the middle. Each has a link there, of two ways. A capture is made at any station or in
the middle; it notes each frame as it passes. Messages note when their first byte, and all of their bytes, passed
each place: the truth is computed from that, in the simulation's own time, and never from stamps.
"""

import heapq
import random

US, MS, S = 1_000, 1_000_000, 1_000_000_000
MIDDLE = "middle"


class Sim:
    """What happens when, in nanoseconds."""

    def __init__(self, seed):
        self.now, self.heap, self.number = 0, [], 0
        self.rng = random.Random(seed)
        self.events = 0

    def at(self, time, what):
        """Do `what` at a time."""
        self.number += 1
        heapq.heappush(self.heap, (max(int(time), self.now), self.number, what))

    def after(self, wait, what):
        """Do `what` when `wait` is over."""
        self.at(self.now + wait, what)

    def run(self, until=3_600 * S):
        """Until nothing is left to do."""
        while self.heap and self.heap[0][0] <= until:
            self.now, _, what = heapq.heappop(self.heap)
            self.events += 1
            if self.events > 3_000_000:
                raise RuntimeError("the simulation does not end")
            what()

    def process(self, steps):
        """A program: a generator that yields how long it waits, or a `Done` that it waits for."""
        def step(value=None):
            try:
                wait = steps.send(value)
            except StopIteration:
                return
            if isinstance(wait, Done):
                wait.then(step)
            else:
                self.after(wait, step)
        self.after(0, step)


class Done:
    """Something that a program can wait for."""

    def __init__(self):
        self.done, self.value, self.waiting = False, None, []

    def then(self, what):
        """Call `what` with the value, now or when it is there."""
        if self.done:
            what(self.value)
        else:
            self.waiting.append(what)

    def set(self, value=None):
        """It happened."""
        if self.done:
            return
        self.done, self.value = True, value
        for what in self.waiting:
            what(value)


class Message:
    """Bytes that mean something as a whole, and when they passed each place of a capture."""

    def __init__(self, data, owner=None):
        self.data, self.size, self.owner = data, len(data), owner
        self.first, self.full, self.cover = {}, {}, {}
        # Since when all of it is ready and waits for an acknowledgement of what was sent before it (Nagle).
        self.held = None

    def seen(self, place, low, high, now):
        """The bytes from `low` to `high` passed the place."""
        self.first.setdefault(place, now)
        if place not in self.full:
            self.cover[place] = join(self.cover.get(place, []), low, high)
            if self.cover[place] == [(0, self.size)]:
                self.full[place] = now


def join(cover, low, high):
    """Ranges with a further one."""
    cover = sorted(cover + [(low, high)])
    joined = [cover[0]]
    for one, other in cover[1:]:
        if one <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(other, joined[-1][1]))
        else:
            joined.append((one, other))
    return joined


class Stream:
    """One direction of a connection of TCP at a place: a message is whole there when all before it passed as well."""

    def __init__(self, place, first):
        self.place, self.cover, self.ends = place, [(first, first)], {}

    def pass_by(self, seq, end, parts, now):
        """A segment passes."""
        self.cover = join(self.cover, seq, end)
        for message, low, high in parts:
            message.first.setdefault(self.place, now)
            self.ends.setdefault(message, seq + message.size - low)
            seq += high - low
        for message, end in list(self.ends.items()):
            if end <= self.cover[0][1]:
                message.full.setdefault(self.place, now)
                del self.ends[message]


class Frame:
    """A frame: its bytes, what it carries of messages, and what a loss may go by; `stream` is (an end of TCP, number, bytes)."""

    def __init__(self, raw, target, parts=(), kind="", again=False, packet=None, stream=None):
        self.raw, self.target, self.parts, self.stream = raw, target, parts, stream
        self.kind, self.again, self.packet = kind, again, packet


class Way:
    """One direction of a link: it delays, queues, drops, doubles, and lets some frames be overtaken.

    `delay` says how long a frame is on its way; none overtakes another unless `late` gives it more. `drop(frame)` and
    `twice(frame)` decide on single frames. With a rate in bits a second frames queue; those beyond `queue` bytes are dropped, and
    shorter ones are padded to `least`.
    """

    def __init__(self, sim, delay, rate=0, queue=None, drop=None, late=None, twice=None, least=0):
        self.sim, self.delay, self.rate, self.queue, self.least = sim, delay, rate, queue, least
        self.drop, self.late, self.twice = drop, late, twice
        self.free, self.last = 0, 0

    def send(self, frame, arrive):
        """Carry the frame."""
        now = self.sim.now
        if self.drop and self.drop(frame):
            return
        leaves = now
        if self.rate:
            if self.queue is not None and (self.free - now) * self.rate / 8 / S > self.queue:
                return
            leaves = max(now, self.free) + (max(len(frame.raw), self.least) + 24) * 8 * S // self.rate
            self.free = leaves
        there = max(leaves + int(self.delay(now)), self.last + 1_000)
        later = int(self.late(frame)) if self.late else 0
        if not later:
            self.last = there
        self.sim.at(there + later, lambda: arrive(frame))
        if self.twice and self.twice(frame):
            self.sim.at(there + later + 5_000, lambda: arrive(frame))


class Tap:
    """A capture: all frames that pass a place, whole and with the time."""

    def __init__(self, sim, place):
        self.sim, self.place, self.frames, self.streams = sim, place, [], {}

    def note(self, frame, pad=True):
        """The frame passes. A sender's own frames are captured before they are padded."""
        raw = frame.raw.ljust(60, b"\0") if pad else frame.raw
        self.frames.append((self.sim.now, raw, frame))
        if frame.stream:
            end, seq, size = frame.stream
            stream = self.streams.setdefault(end, Stream(self.place, end.peer.first + 1))
            stream.pass_by(seq, seq + size, frame.parts, self.sim.now)
            return
        for message, low, high in frame.parts:
            message.seen(self.place, low, high, self.sim.now)


class Net:
    """The stations and the middle."""

    def __init__(self, sim):
        self.sim, self.stations = sim, {}
        self.middle = Tap(sim, MIDDLE)

    def pass_on(self, frame):
        """A frame is in the middle."""
        self.middle.note(frame)
        for name, station in self.stations.items():
            if frame.target == name or frame.target is None and station is not frame.packet:
                station.down.send(frame, station.arrived)


class Station:
    """A client or a server: its addresses, its link, its capture, and who takes frames."""

    def __init__(self, net, name, number, side, up, down):
        self.net, self.sim, self.name, self.side = net, net.sim, name, side
        self.up, self.down = up, down
        self.mac = bytes([2, 0, 0, 0, 0, number])
        self.ip = bytes([10, 9, 0, number])
        self.tap = Tap(net.sim, name)
        self.takers, self.packets, self.free = {}, 1_000 * number, -1_000
        # (from, to, surely): stretches of a transfer in which all waited for this station.
        self.stalls = []
        net.stations[name] = self

    def send(self, frame):
        """Put a frame on the link: one after the other, so that no two have one stamp."""
        self.free = max(self.sim.now, self.free + 1_000)
        if self.free > self.sim.now:
            self.sim.at(self.free, lambda: self.out(frame))
        else:
            self.out(frame)

    def out(self, frame):
        """The frame leaves."""
        self.tap.note(frame, pad=False)
        self.up.send(frame, self.net.pass_on)

    def arrived(self, frame):
        """A frame comes from the link."""
        self.tap.note(frame)
        for taker in list(self.takers.values()):
            if taker(frame):
                return

    def next_packet(self):
        """The identification of the next IP packet."""
        self.packets = (self.packets + 1) & 0xFFFF
        return self.packets
