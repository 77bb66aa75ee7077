"""Whose the time was, as verdict.md defines it, from the record of the simulation.

The window is that of a capture: from where the first request passes the place to where the last response is whole there. Within it
each moment of a client belongs to its oldest outstanding request; what nobody waited in is the client's up to the think limit,
and idle beyond. Where the definition leaves two readings there are two numbers, and the truth is any between them.
"""

from .sim import MS

LIMIT = 500 * MS
WHO = ("client", "network", "server")


class Shares:
    """Nanoseconds of client, network and server, at least and at most."""

    def __init__(self):
        self.low, self.high = dict.fromkeys(WHO, 0), dict.fromkeys(WHO, 0)

    def add(self, who, low, high=None):
        """Some time; `high` where it is not the same in all readings."""
        high = low if high is None else high
        self.low[who] += min(low, high)
        self.high[who] += max(low, high)

    def active(self):
        """The active time at least and at most."""
        return sum(self.low.values()), sum(self.high.values())

    def percent(self):
        """Intervals in percent of the active time."""
        least = {}
        for who in WHO:
            others_high = sum(self.high[one] for one in WHO if one != who)
            others_low = sum(self.low[one] for one in WHO if one != who)
            low = 100 * self.low[who] / max(1, self.low[who] + others_high)
            least[who] = (low, 100 * self.high[who] / max(1, self.high[who] + others_low))
        return least


def overlap(low, high, other_low, other_high):
    """How long both stretches last together."""
    return max(0, min(high, other_high) - max(low, other_low))


def of(lab, place, since=0, until=None):
    """The truth of a capture at a place, of all clients that it sees; requests from `since` until `until` count.

    Where it is open whether something is a request of its own (an oplock that is given back), both readings are."""
    readings = []
    for optional in (False, True) if any(one.extra.get("optional") for one in lab.requests) else (False,):
        shares = Shares()
        for client in lab.clients:
            if place in ("middle", client.name) or not place.startswith("client"):
                of_client(shares, lab, client, place, since, until, optional)
        readings.append(shares)
    shares = Shares()
    for who in WHO:
        shares.low[who] = min(one.low[who] for one in readings)
        shares.high[who] = max(one.high[who] for one in readings)
    return shares


def of_client(shares, lab, client, place, since, until, optional):
    """One client's timeline."""
    mine = [one for one in lab.requests if one.client is client and place in one.message.first
            and one.message.first[place] >= since and one.response and place in one.response.full
            and (until is None or one.message.first[place] < until) and (optional or not one.extra.get("optional"))]
    waits = [one for one in mine if one.waiting]
    mine = sorted((one for one in mine if not one.waiting), key=lambda one: one.message.first[place])
    if not mine:
        return
    cursor, before = mine[0].message.first[place], None
    for one in mine:
        begins, ends = one.message.first[place], one.response.full[place]
        if begins > cursor:
            gap(shares, lab, place, cursor, begins, before, one, waits, mine)
            cursor, before = begins, None
        if ends > cursor:
            of_slice(shares, lab, place, cursor, ends, one, before)
            cursor, before = ends, one
    # What waits by design behind everything else, and what the client did before that.
    last = max(waits, key=lambda one: one.response.full[place], default=None)
    if last and last.response.full[place] > cursor:
        gap(shares, lab, place, cursor, last.response.full[place] + 1, before, last, waits, mine)


def gap(shares, lab, place, begins, ends, before, after, waits, mine):
    """Nothing was outstanding at this place."""
    # In truth, the client's is what lies between all responses that it had and the next request.
    had = max((one.response.full[one.client.name] for one in mine
               if one.response.full[place] <= begins and one.client.name in one.response.full), default=begins)
    # A wait by design that ends here divides this time; one that goes on did not keep the client from its next request.
    pieces = [(begins, ends)]
    for low, high in sorted((one.message.first[place], one.response.full[place]) for one in waits):
        if begins < high < ends:
            last = pieces.pop()
            pieces += [(last[0], max(last[0], low)), (max(last[0], high), last[1])]
    open_waits = any(one.message.first[place] <= begins and one.response.full[place] >= ends for one in waits)
    client_from, client_to = had, after.extra.get("asked", after.message.first[after.client.name])
    for low, high in pieces:
        own = overlap(low, high, client_from, client_to)
        if high - low > LIMIT and not (lab.late_proved and own < LIMIT):
            if own < LIMIT and not open_waits:
                shares.add("client", 0, own)
            shares.add("network", 0, high - low - own)
        else:
            shares.add("client", own)
            shares.add("network", high - low - own)


def of_slice(shares, lab, place, begins, ends, one, before):
    """A stretch of one request's."""
    server = one.server.name
    # What its link does not let go yet it has done; and what is ready, and waits for an acknowledgement, is not worked on.
    came, sent = one.message.full[server], one.extra.get("done", one.response.first[server])
    sent = sent if one.response.held is None else min(sent, one.response.held)
    took = ends - begins
    if before is not None and before.server is one.server:
        # By the server's clock: as much earlier as the response's way to this place is long, and no time-out is a way.
        ways = [other.response.first[place] - other.response.first[server] for other in lab.requests
                if other.server is one.server and other.response and place in other.response.first]
        readings = []
        for way in (min(ways), one.response.first[place] - sent, before.response.full[place] - before.response.full[server]
                    if server in before.response.full else 0):
            readings.append(overlap(begins - max(0, way), ends - max(0, way), came, sent))
        low, high = min(readings), max(readings)
    else:
        low = high = overlap(begins, ends, came, sent)
    low_client = high_client = 0
    # What lies within the server's stretch and was another client's (it gave an oplock back).
    for start, end in one.extra.get("waited_for_client", ()):
        both = overlap(max(begins, came), min(ends, sent), start, end)
        low, high, low_client, high_client = low - both, high - both, low_client + both, high_client + both
        # The ways of the break are the network's.
        low, high = max(0, low - one.extra["break_ways"]), max(0, high - one.extra["break_ways"])
    # A stall may count when it was, or when this place saw it: as much later as the way is long.
    own, most = {"client": 0, "server": 0}, {"client": 0, "server": 0}
    for station, message in ((one.client, one.message), (one.server, one.response)):
        way = message.first[place] - message.first[station.name]
        for start, end, surely in station.stalls:
            both = [max(0, overlap(begins, ends, start + late, end + late)
                        - overlap(max(begins, came), min(ends, sent), start + late, end + late)) for late in (0, way)]
            own[station.side] += min(both) if surely else 0
            most[station.side] += max(both)
    low, high = low + own["server"], high + most["server"]
    low_client, high_client = low_client + own["client"], high_client + most["client"]
    shares.add("network", max(0, took - high - high_client), max(0, took - low - low_client))
    if one.extra.get("never"):
        # The client that does not answer, or the server that waits for it.
        high, low_client = high + high_client, 0
    shares.add("server", low, high)
    shares.add("client", low_client, high_client)
