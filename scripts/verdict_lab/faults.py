"""What goes wrong in each run, and what must be said of it."""

# Percent: an interval is narrower than this wherever the wire has evidence.
NARROW = 15
SERVER = ("10.77.0.1", "fd77::1")
CLIENT = ("10.77.0.2", "fd77::2")
# The further clients of a run with several.
NEIGHBOUR = "10.77.0.{}"
# An address that the wire carries frames to, and that nobody has.
NOBODY = "10.77.0.9"
# The share whose reads go to threads: what takes longer than 0.5 ms is first answered "pending".
DIRECT, THREADS = "lab", "threads"


class Client:
    """What one client does, and how long the way to it alone is."""

    def __init__(self, reads=60, think_us=0, way_ms=0, files=("even.bin",), size=4096, role="reader",
                 lookup_every=0):
        self.reads, self.think_us, self.way_ms, self.files = reads, think_us, way_ms, files
        self.size, self.role, self.lookup_every = size, role, lookup_every


class Fault:
    """What is wrong with the wire, the server and the clients of one run."""

    def __init__(self, name, dialect="768", sleep="0 1", think_us=0, way_ms=0.0, lost=(0, 0),
                 late=(0, 0), twice=(0, 0), bytes_per_s=0, size=4096, reads=120, acks=(0, 0), interims=0,
                 ipv6=False, share=DIRECT, names=NOBODY, lookup_every=0, clients=None,
                 quiet=False, seldom=False, first_lost=False, varies=None, bursts=None, role="reader"):
        self.name, self.dialect, self.sleep = name, dialect, sleep
        self.way_ms, self.lost, self.late, self.twice = way_ms, lost, late, twice
        self.bytes_per_s = bytes_per_s
        # Each frame is on its way between the first and the second number of ms besides, and none overtakes another.
        self.varies = varies
        # (from, late, on, each): frames from that end (0: the client) are `late` ms later in the first `on` of each `each` ms.
        self.bursts = bursts
        # Each nth acknowledgement without data, and each nth "pending", is lost, which costs nobody time.
        self.acks, self.interims = acks, interims
        self.ipv6, self.share, self.names = ipv6, share, names
        alone = Client(reads, think_us, 0, ("even.bin", "odd.bin"), size, role, lookup_every)
        self.clients = clients or [alone]
        # Nothing that matters was lost: no time may be booked as loss recovery.
        self.quiet = quiet
        # Losses spare a client's first request after its set-up, but here.
        self.first_lost = first_lost
        # Another fault shows nearly the same: made only where it is asked for.
        self.seldom = seldom
        self.server = SERVER[ipv6]
        self.addresses = [CLIENT[ipv6]]
        if clients:
            self.addresses = [NEIGHBOUR.format(21 + n) for n in range(len(clients))]

    @property
    def loses(self):
        """Frames with data are lost, or so late that they are taken for lost."""
        return any(self.lost) or self.late[1] > 2 * self.way_ms

    @property
    def alike(self):
        """Neither the server nor the clients treat one request, file or client otherwise than another."""
        sleeps = self.sleep.split()
        same = all(vars(client) == vars(self.clients[0]) for client in self.clients)
        return sleeps[1] == "1" and len(sleeps) == 2 and same

    def own_way(self, address):
        """One way between that client and where the ways of all meet and the clients' capture is made, ms."""
        for client, its in zip(self.clients, self.addresses):
            if its == address:
                return client.way_ms
        return 0

    def plan(self, client_conf):
        """What `work.py` reads."""
        clients = [{**vars(client), "source": address if len(self.clients) > 1 else None}
                   for client, address in zip(self.clients, self.addresses)]
        return {"server": self.server, "dialect": self.dialect, "share": self.share, "names": self.names,
                "client_conf": client_conf, "clients": clients}


def clients(n, others=None, **all_of_them):
    """So many clients that do the same, but those in `others`, by number."""
    return [Client(**{**all_of_them, **(others or {}).get(number, {})}) for number in range(n)]


SMB1, SMB2 = "NT LM 0.12", "528"
FAULTS = [
    Fault("none"),
    Fault("sleep-8ms", sleep="8000 1"),
    Fault("sleep-8ms-smb1", SMB1, sleep="8000 1"),
    Fault("sleep-8ms-smb2", SMB2, sleep="8000 1"),
    Fault("sleep-every-20th-80ms", sleep="80000 20"),
    Fault("sleep-one-file-20ms", sleep="20000 1 odd"),
    Fault("think-20ms", think_us=20_000),
    Fault("think-20ms-smb1", SMB1, think_us=20_000),
    Fault("think-5ms", think_us=5_000),
    Fault("way-0.2ms", way_ms=0.2),
    Fault("way-2ms", way_ms=2),
    Fault("way-2ms-smb1", SMB1, way_ms=2),
    Fault("way-10ms", way_ms=10),
    Fault("way-20ms", way_ms=20),
    Fault("varies-1.5-8ms", varies=(1.5, 8), size=8_000),
    Fault("varies-1.5-8ms-writes", varies=(1.5, 8), size=8_000, role="writer"),
    Fault("varies-0-20ms-short", varies=(0, 20), size=1_000),
    Fault("bursts-to-client-120ms", bursts=(1, 120, 300, 400), reads=2000, seldom=True),
    Fault("bursts-to-server-120ms", bursts=(0, 120, 300, 400), reads=2000, seldom=True),
    Fault("bursts-to-client-120ms-think-60ms", bursts=(1, 120, 300, 400), reads=80, think_us=60_000, seldom=True),
    Fault("bursts-to-server-120ms-sleep-60ms", bursts=(0, 120, 300, 400), reads=80, sleep="60000 1", seldom=True),
    Fault("think-120ms", think_us=120_000, reads=60),
    Fault("sleep-120ms", sleep="120000 1", reads=60),
    Fault("varies-1.5-8ms-sleep-30ms", varies=(1.5, 8), size=8_000, sleep="30000 1", seldom=True),
    Fault("lost-requests-2", lost=(0.02, 0)),
    Fault("lost-responses-2", lost=(0, 0.02)),
    Fault("lost-both-5", lost=(0.05, 0.05), reads=60),
    Fault("lost-requests-0.2", lost=(0.002, 0), reads=1000),
    Fault("lost-responses-0.2", lost=(0, 0.002), reads=1000),
    Fault("lost-requests-2-smb1", SMB1, lost=(0.02, 0)),
    Fault("late-1.5ms-way-4ms", way_ms=4, late=(0.05, 1.5), size=60_000),
    Fault("twice-5-way-2ms", way_ms=2, twice=(0.05, 0.05)),
    Fault("rate-4mbit", bytes_per_s=500_000, size=32_768, reads=60),
    Fault("rate-4mbit-smb1", SMB1, bytes_per_s=500_000, size=16_384, reads=60),
    # Two or three at once.
    Fault("sleep-8ms-way-2ms", sleep="8000 1", way_ms=2),
    Fault("sleep-8ms-think-2ms", sleep="8000 1", think_us=2_000),
    Fault("think-20ms-way-2ms", think_us=20_000, way_ms=2),
    Fault("think-4ms-way-10ms", think_us=4_000, way_ms=10),
    Fault("sleep-2ms-way-10ms", sleep="2000 1", way_ms=10),
    Fault("sleep-20ms-lost-2", sleep="20000 1", lost=(0.02, 0)),
    Fault("think-20ms-lost-1", think_us=20_000, lost=(0.01, 0)),
    Fault("sleep-4ms-think-20ms-way-2ms", sleep="4000 1", think_us=20_000, way_ms=2),
    Fault("sleep-350ms-lost-acks", sleep="350000 1", acks=(0, 3), reads=20, quiet=True),
    Fault("think-350ms-lost-acks", think_us=350_000, acks=(2, 0), size=1024, reads=20, quiet=True),
    # IPv6 numbers no packets: nothing then shows what was lost before the capture.
    Fault("none-ipv6", ipv6=True),
    Fault("sleep-8ms-ipv6", sleep="8000 1", ipv6=True),
    Fault("sleep-350ms-ipv6", sleep="350000 1", reads=20, ipv6=True),
    Fault("think-20ms-ipv6", think_us=20_000, ipv6=True),
    Fault("think-350ms-ipv6", think_us=350_000, reads=20, ipv6=True),
    Fault("way-2ms-ipv6", way_ms=2, ipv6=True),
    Fault("lost-requests-3-ipv6", lost=(0.03, 0), ipv6=True),
    Fault("lost-responses-3-ipv6", lost=(0, 0.03), ipv6=True),
    # Frames that are overtaken by more than a round trip: time stamps show it.
    Fault("late-8ms-way-1ms-ipv6", way_ms=1, late=(0.02, 8), size=60_000, ipv6=True, seldom=True),
    # A server that answers "pending".
    Fault("pending-8ms", sleep="8000 1", share=THREADS, quiet=True),
    Fault("pending-8ms-smb2", SMB2, sleep="8000 1", share=THREADS, quiet=True, seldom=True),
    Fault("pending-8ms-way-2ms", sleep="8000 1", share=THREADS, way_ms=2, quiet=True),
    Fault("pending-8ms-think-20ms", sleep="8000 1", share=THREADS, think_us=20_000, quiet=True),
    Fault("pending-350ms", sleep="350000 1", share=THREADS, reads=20, quiet=True),
    # Without the interim response, the server's TCP acknowledges the request alone, or the client sends it again.
    Fault("pending-350ms-lost-interims", sleep="350000 1", share=THREADS, interims=2, reads=24, quiet=True),
    Fault("pending-350ms-lost-interims-way-4ms", sleep="350000 1", share=THREADS, way_ms=4, interims=2, reads=24,
          quiet=True, seldom=True),
    Fault("pending-8ms-lost-2", sleep="8000 1", share=THREADS, lost=(0.02, 0.02)),
    # The second waits for a lock that the first holds: that is a wait by design, and no time of the server's.
    Fault("pending-lock", sleep="8000 1", clients=[
        Client(reads=12, think_us=300_000, role="holder"), Client(reads=12, role="waiter")]),
    # A name service that does not respond, or that has no such port.
    Fault("names-dead", lookup_every=15, sleep="8000 1", reads=60),
    Fault("names-dead-think-20ms", lookup_every=15, think_us=20_000, reads=60, seldom=True),
    Fault("names-refused", lookup_every=15, sleep="8000 1", reads=60, names=SERVER[0]),
    # Requests are lost at the end of pauses that are longer than the limit of thinking.
    Fault("lost-after-pauses", think_us=700_000, lost=(0.3, 0), first_lost=True, reads=25, seldom=True),
    Fault("lost-after-pauses-ipv6", think_us=700_000, lost=(0.3, 0), first_lost=True, reads=25, ipv6=True, seldom=True),
    # Several clients.
    Fault("2-clients-sleep-8ms", sleep="8000 1", clients=clients(2)),
    Fault("5-clients-one-file-60ms", sleep="60000 1 odd",
          clients=clients(5, {3: {"files": ("odd.bin",)}})),
    Fault("5-clients-way-5ms", way_ms=5, clients=clients(5)),
    Fault("10-clients-one-thinks", sleep="10000 1", seldom=True, clients=clients(10, {4: {"think_us": 300_000}}, reads=40)),
    Fault("10-clients-lost-requests-2", sleep="10000 1", lost=(0.02, 0), clients=clients(10, reads=40)),
    Fault("15-clients-sleep-30ms", sleep="30000 1", clients=clients(15, reads=40)),
    Fault("15-clients-one-way-40ms", clients=clients(15, {7: {"way_ms": 40.0}}, reads=40, think_us=40_000)),
    Fault("15-clients-one-file-200ms", sleep="200000 1 odd", seldom=True,
          clients=clients(15, {2: {"files": ("odd.bin",)}}, reads=30, think_us=20_000)),
    Fault("15-clients-each-its-own", sleep="100000 1 odd", clients=clients(
        15, {1: {"think_us": 150_000}, 5: {"files": ("odd.bin",)}, 9: {"way_ms": 20.0}}, reads=30, think_us=20_000)),
]


# Symptoms of which a fault must raise one, at which end, judged by hand; whatever else is raised is in the
# table. (On a busy machine, a late response in between hides a period.)
# Nothing else has to: 8 and 20 ms of a server are below what "slow responses" are (100 ms), losses are
# few, and a client that thinks, or a long way, is healthy.
RAISED = {
    ("sleep-every-20th-80ms", "client"): {"fluctuating_server", "regular_slow_answers"},
    ("sleep-every-20th-80ms", "server"): {"fluctuating_server", "regular_slow_answers"},
    # At the server, its segments are still in order.
    ("late-1.5ms-way-4ms", "client"): {"frames_reordered"},
}
RAISED.update({
    (name, end): symptoms
    for end in ("client", "server")
    for name, symptoms in (
        ("sleep-350ms-lost-acks", {"slow_server"}),
        ("sleep-350ms-ipv6", {"slow_server"}),
        ("pending-350ms", {"slow_server"}),
        ("pending-350ms-lost-interims", {"slow_server"}),
        ("pending-350ms-lost-interims-way-4ms", {"slow_server"}),
        ("5-clients-one-file-60ms", {"starving_client"}),
        ("15-clients-one-file-200ms", {"starving_client"}),
        ("15-clients-each-its-own", {"starving_client"}),
        ("names-dead", {"lookups_unanswered"}),
        ("names-dead-think-20ms", {"lookups_unanswered"}),
        ("names-refused", {"lookups_unanswered"}),
    )
})

# Symptoms that a fault may raise, judged by hand on the captures of all faults: which faults, and why it is right to say them of
# those. One that is raised of another fault is wrong. What no fault of the table raises is below its threshold, rightly: 8 and 20 ms
# of a server are less than "slow responses" are (100 ms), the losses of 60 requests are few, and a client that thinks, a long way,
# one that varies, and frames that come twice are none of the network's or the server's troubles.
MAY_BE_RAISED = {
    "slow_server": (lambda fault: int(fault.sleep.split()[0]) >= 100_000, "the server sleeps for 100 ms or more"),
    "slow_answers": (lambda fault: int(fault.sleep.split()[0]) >= 60_000, "some of its responses take as long"),
    "server_busy": (lambda fault: fault.share == THREADS, "the server says \"pending\""),
    "fluctuating_server": (lambda fault: not fault.alike, "it sleeps for some files or requests alone"),
    "regular_slow_answers": (lambda fault: not fault.alike, "it sleeps for each nth request"),
    "starving_client": (lambda fault: not fault.alike, "one client's file, or its way, takes longer"),
    "slow_transfer": (lambda fault: any(client.way_ms >= 20 for client in fault.clients), "one client's way takes longer"),
    "frames_resent": (lambda fault: fault.loses, "requests waited for what was lost"),
    "too_many_frames_resent": (lambda fault: fault.loses or any(fault.acks) or fault.interims,
                               "what was lost, or its acknowledgement, was sent again"),
    "requests_repeated": (lambda fault: fault.loses or fault.interims,
                          "requests were lost behind the client's capture, or what would have acknowledged them"),
    "too_many_requests_repeated": (lambda fault: fault.loses or fault.interims, "likewise"),
    "frames_reordered": (lambda fault: fault.late[0], "frames are late, and others overtake them"),
    "lookups_unanswered": (lambda fault: any(client.lookup_every for client in fault.clients), "nobody has the name"),
    "overlapping_reads": (lambda fault: any(client.size > 4096 for client in fault.clients),
                          "each read begins 4,096 bytes behind the one before"),
}

# Rows that are known to be wrong, and why. One that is right must leave this list.
SHORT = {}

# Rows that may be too wide, and why. None is: what a row has no evidence of, `judge.evidence` says by rules.
MAY_BE_WIDE = {}

# What says that requests waited for frames that were lost, and what says that something was sent again: no
# symptom of a run in which nothing that matters was lost.
LOSSES = ("frames_resent", "too_many_frames_resent", "too_many_requests_repeated", "requests_repeated")
