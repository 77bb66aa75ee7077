"""What a scenario is, and how one is run: the usual program of clients, which most of them use with other settings."""

from . import faults, smb2, truth
from .play import Lab, Server, const
from .segment import Style
from .sim import MS, US

KINDS = {"read": smb2.READ, "write": smb2.WRITE, "info": smb2.INFO, "query": smb2.QUERY}
PLACES = ("client", "middle", "server")


class Case:
    """A scenario: settings of the usual program, or a program of its own.

    `way` is how long a frame takes from the client to the middle and from there to the server, ms. `up`, `down` (between
    client and middle), `far_up`, `far_down` (between server and middle: "up" is what the server sends) replace a way by
    other arguments of `Way`; functions in them get the random source first. `slack`: points by which a truth may be
    outside its interval, where a capture lacks frames. `late_proved`: the wire shows how late responses came, so that a pause is
    no longer than its client's. `narrow` names the places where the wire has evidence of everything.
    """

    def __init__(self, name, n=100, kind="read", size=4_000, serve=const(2), think=const(1), way=(0.05, 0.05), up=None,
                 down=None, far_up=None, far_down=None, mine=None, its=None, outstanding=1, connections=1, clients=1,
                 workers=0, pending=None, stop=None, stop_request=None, places=PLACES, narrow="", fault=None, late_start=False,
                 program=None, tweak=None, unknown=False, slack=0, late_proved=False, note=""):
        self.__dict__.update({key: value for key, value in locals().items() if key != "self"})
        self.family = 0


def way_of(lab, ms, more):
    """Arguments of a `Way`: a constant time, with a few microseconds of a switch, or what the scenario says."""
    made = {"delay": lambda now: ms * MS + lab.rng.uniform(0, 3) * US}
    for key, value in (more or {}).items():
        made[key] = value(lab.rng) if callable(value) else value
    return made


def run(case):
    """The lab after the simulation, and when the work began."""
    lab = Lab(f"{case.family} {case.name}")
    lab.late_proved = case.late_proved
    near, far = case.way
    for _ in range(case.clients):
        lab.station("client", way_of(lab, near, case.up), way_of(lab, near, case.down))
    station = lab.station("server", way_of(lab, far, case.far_up), way_of(lab, far, case.far_down))
    pending = case.pending * MS if case.pending else None
    quick = const(0.2)(lab.rng)
    slow = case.serve(lab.rng)
    lab.began = None
    server = Server(lab, station, lambda one: slow(one) if lab.began is not None and one.kind not in
                    (smb2.NEGOTIATE, smb2.SETUP, smb2.TREE, smb2.CREATE, smb2.BREAK, smb2.CLOSE) else quick(one),
                    case.workers, pending, case.stop and case.stop(lab.rng))
    lab.server = server
    if case.program:
        case.program(lab, case)
    else:
        for client in lab.clients:
            usual(lab, case, client)
    if case.tweak:
        case.tweak(lab)
    lab.sim.run()
    return lab


def styles(lab, case):
    """How both ends do TCP; functions among the settings get the random source."""
    made = []
    for settings in (case.mine, case.its):
        settings = dict(settings or {})
        if "read_delay" in settings:
            settings["read_delay"] = settings["read_delay"](lab.rng)
        made.append(Style(**settings))
    return made


def usual(lab, case, client):
    """Requests of one kind, a number of them outstanding, with a time to think before each."""
    links = [lab.connect(client, lab.server, *styles(lab, case)) for _ in range(case.connections)]
    think = case.think(lab.rng)
    state = {"left": case.n}

    def work(link):
        while state["left"] > 0:
            state["left"] -= 1
            yield int(think())
            kind, size, *more = pick(lab, case)
            yield link.ask(kind, size, stop=case.stop_request and case.stop_request(lab.rng)).answered

    def begin():
        for link in links:
            yield from link.open()
        lab.began = lab.sim.now if lab.began is None else lab.began
        for place in range(case.outstanding):
            lab.sim.process(work(links[place % len(links)]))
    lab.sim.process(begin())


def pick(lab, case):
    """What to ask for next: one kind, or a mixture by weight."""
    if isinstance(case.kind, str):
        return KINDS[case.kind], case.size
    kinds = [each for each in case.kind]
    kind, size, _ = lab.rng.choices(kinds, [weight for *_, weight in kinds])[0]
    return KINDS[kind], size


def captures(case):
    """(place, frames, truth) of each capture of the scenario."""
    lab = run(case)
    for place in case.places:
        since = lab.began if case.late_start else 0
        frames = [one for one in lab.tap(place).frames if one[0] >= since]
        frames = case.fault(frames, lab) if case.fault else faults.plain(frames)
        yield place, frames, truth.of(lab, place, since)
