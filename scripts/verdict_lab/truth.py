"""Whose the time was, from the logs of server, clients and wire alone.

Each log says what was injected: at least that was so, and at most that and all that no log explains.
"""

# A pause in which a client counts as at work is no longer (verdict: `--think`).
THINK_NS = 500_000_000
WHO = ("client", "network", "server")
# Calls during which no request is outstanding.
NOT_SMB = ("lookup",)


class Mistaken(Exception):
    """The logs do not say what they must: nothing can be judged by them."""


def within(log, began, ended):
    return [item for item in log if began <= item[0] and item[1] <= ended]


def carried(frames, calls):
    """What the wire needed at least for requests and responses of calls: way and way back, alone and
    between both captures; how long after the first frame of each response its last one arrived; and how much
    longer than that least all frames together took.

    The least that any frame took is the wire's; what one took longer may be this machine's.
    """
    ways, varied = [], 0
    for way in (0, 1):
        its = [frame[1:] for frame in frames if frame[0] == way and any(a <= frame[1] <= b for _, a, b in calls)]
        varied += sum(went - came for came, went, _ in its)
        varied -= len(its) * min((went - came for came, went, _ in its), default=0)
        ways.append((min((went - came for came, went, _ in its), default=0), min((all_of for *_, all_of in its), default=0)))
    spreads = []
    for _, a, b in calls:
        arrived = [went for way, came, went, _ in frames if way == 1 and a <= came and went <= b]
        spreads.append(max(arrived) - min(arrived) if arrived else 0)
    return ways[0][0] + ways[1][0], ways[0][1] + ways[1][1], spreads, varied


def on_the_way(frames, call):
    """How long the frames of a call's request were on the wire, from the first to the last, and those of its response."""
    _, a, b = call
    its = [[frame for frame in frames if frame[0] == way and a <= frame[1] and frame[2] <= b] for way in (0, 1)]
    return sum(max(went for _, _, went, _ in of) - min(came for _, came, *_ in of) for of in its if of)


def lost_for(call, usual, lost):
    """At least that long did a lost frame delay a call."""
    _, began, ended = call
    at = [at for at in lost if began <= at <= ended]
    # Longer than three times the median, but nothing before it was lost.
    return max(0, min(ended - began - 3 * usual, ended - at[0])) if at else 0


class Truth:
    """One client's timeline: ns of active time, of it `low[who]` at least whose, and `waiting` by design."""

    def __init__(self, calls, slept, frames, lost, held, varies):
        calls = [call for call in calls if call[0] not in NOT_SMB]
        reads = [call for call in calls if call[0] in ("read", "write")]
        pauses = [b[1] - a[2] for a, b in zip(calls, calls[1:])]
        if any(0.9 * THINK_NS < pause < THINK_NS for pause in pauses):
            raise Mistaken("a pause is as long as the limit of thinking")
        began, ended = calls[0][1], calls[-1][2]
        self.idle = sum(pause for pause in pauses if pause >= THINK_NS)
        # A lock that another holds is waited for at least as long as that one has it.
        self.waiting = [0, 0]
        for what, a, b in calls:
            if what == "lock":
                self.waiting[0] += sum(max(0, min(b, end) - max(a, start)) for start, end in held)
                self.waiting[1] += b - a
        self.active = [ended - began - self.idle - self.waiting[side] for side in (1, 0)]
        # One that holds a lock does not read.
        usual = sorted(b - a for _, a, b in reads)[len(reads) // 2] if reads else 0
        self.reads, self.opens = len(reads), sum(call[0] == "open" for call in calls)
        self.took = sum(b - a for what, a, b in calls if what in ("read", "write", "open"))
        self.slept = sum(b - a for a, b in within(slept, began, ended))
        way, between, spreads, self.varied = carried(frames, reads)
        self.way, self.between = way * len(reads), between * len(reads)
        self.low = {
            "client": sum(pause for pause in pauses if pause < THINK_NS),
            # From the first frame of a response to its last is transfer of the response.
            "network": self.way + sum(max(spread, lost_for(call, usual, lost))
                                      for call, spread in zip(reads, spreads)),
            "server": self.slept,
        }
        if varies:
            # What each frame took was meant.
            self.low["network"] = sum(on_the_way(frames, call) for call in reads)
        # Without set-up, whose calls take what they take.
        begun = [a for what, a, _ in calls if what not in ("set-up", "open")][0]
        later = [b[1] - a[2] for a, b in zip(calls, calls[1:]) if a[1] >= begun]
        idle = sum(pause for pause in later if pause >= THINK_NS)
        self.at_work = [ended - begun - idle - self.waiting[1], self.active[1]]


def shares(truths):
    """At least, and at most, ns of client, network and server, and the least and the most active time."""
    active = [sum(truth.active[side] for truth in truths) for side in (0, 1)]
    low = {who: sum(truth.low[who] for truth in truths) for who in WHO}
    everything = sum(low.values())
    if everything > active[1]:
        raise Mistaken("the logs explain more time than there was")
    return active, {who: (low[who], active[1] - everything + low[who]) for who in WHO}


def percent(truths):
    """The same as percent of active time. Whatever the active time was, its least is the most of it."""
    active, ns = shares(truths)
    return {who: (100 * ns[who][0] / active[1], 100 * ns[who][1] / active[1]) for who in WHO}


def all_of(fault, calls, slept, log):
    """The truth of each client, in the order of the fault's clients."""
    truths = []
    for address, its in zip(fault.addresses, calls):
        # Ranges of time in which somebody else surely had the lock.
        held = []
        for other in calls:
            if other is not its:
                taken = [call for call in other if call[0] in ("lock", "unlock")]
                held += [(a[2], b[1]) for a, b in zip(taken, taken[1:]) if a[0] == "lock"]
        truths.append(Truth(
            its,
            [(a, b) for a, b, client in slept if client == address],
            [frame[1:] for frame in log["carried"] if frame[0] == address],
            [at for client, at, interim in log["lost"] if client == address and not interim],
            held, fault.varies or fault.bursts))
    if sum(truth.slept for truth in truths) + 1 < sum(b - a for a, b, _ in slept):
        raise Mistaken("a sleep of the server is no client's")
    return truths


def jain(values):
    if not any(values):
        return 1.0
    return sum(values) ** 2 / (len(values) * sum(value * value for value in values))


def fairness(bounds):
    """The least and the greatest index of values between bounds.

    The index is the squared cosine of the angle with (1, 1, ...): its least is at a corner; where it is
    greatest, each value is as near to a common level as its bounds allow.
    """
    least = min(jain([pair[number >> n & 1] for n, pair in enumerate(bounds)])
                for number in range(1 << len(bounds)))
    low, high = min(pair[0] for pair in bounds), max(pair[1] for pair in bounds)
    levels = [low + (high - low) * step / 2000 for step in range(2001)]
    most = max(jain([min(max(level, a), b) for a, b in bounds]) for level in levels)
    return least, most


def response_times(truths, end):
    """Bounds of each client's mean response time, at one end of the wire."""
    bounds = []
    for truth in truths:
        n = truth.reads + truth.opens
        inside = truth.between if end == "client" else 0
        bounds.append(((truth.slept + inside) / n, (truth.took - truth.way + inside) / n))
    return bounds


def starving(bounds, factor):
    """Whose value is `factor` of the mean, or more: those who surely are, and those who may be."""
    sure, may = set(), set()
    for n, (low, high) in enumerate(bounds):
        others = [sum(pair[side] for m, pair in enumerate(bounds) if m != n) for side in (0, 1)]
        if low * len(bounds) > factor * (low + others[1]):
            sure.add(n)
        if high * len(bounds) >= factor * (high + others[0]):
            may.add(n)
    return sure, may
