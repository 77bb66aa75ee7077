"""Family 7: transports without TCP."""

from . import nbipx, ncp, netbeui
from .cases import Case
from .family3 import losing
from .play import bimodal, const, disk, each
from .sim import MS


def netware(**settings):
    """The usual work over NCP."""
    def program(lab, case):
        for number, client in enumerate(lab.clients):
            session = ncp.Session(lab, client, lab.server, number=3 + number, **settings)
            lab.sim.process(ncp.work(session, case, lab))
    return program


def nbf(session=netbeui.Session, **settings):
    """The usual work over NetBEUI, or NetBIOS over IPX."""
    def program(lab, case):
        for client in lab.clients:
            lab.sim.process(netbeui.work(session(lab, client, lab.server, **settings), case, lab))
    return program


NBF = {"program": nbf(), "kind": netbeui.READ, "size": 4_000}
NBF_WRITE = {**NBF, "kind": netbeui.WRITE}
NBIPX = {"program": nbf(nbipx.Session), "kind": netbeui.READ, "size": 4_000}
NBIPX_WRITE = {**NBIPX, "kind": netbeui.WRITE}
NCP = {"program": netware(), "kind": ncp.READ, "size": 1_024}
FIVE = losing(0.05)


def losses(name, reads, writes=None):
    """Each twentieth request or response is lost, before or behind the middle."""
    found = [
        Case(f"{name}-lost-requests-near", **reads, up=FIVE),
        Case(f"{name}-lost-requests-far", **reads, far_down=FIVE),
        Case(f"{name}-lost-responses-near", **reads, down=FIVE),
        Case(f"{name}-lost-responses-far", **reads, far_up=FIVE),
    ]
    if writes:
        found += [
            Case(f"{name}-writes-lost-near", **writes, up=FIVE),
            Case(f"{name}-writes-lost-far", **writes, far_down=FIVE),
        ]
    return found


CASES = [
    Case("ncp-lan-server", **NCP, serve=const(5)),
    Case("ncp-lan-client", **NCP, serve=const(0.3), think=const(6)),
    Case("ncp-way-10ms", **NCP, serve=const(1), way=(2.5, 2.5)),
    Case("ncp-disk", **NCP, serve=disk()),
    Case("ncp-each20", **NCP, serve=each(20, 0.5, 80)),
    Case("ncp-bimodal-client-5ms", **NCP, serve=bimodal(0.3, 12), think=const(5)),
    Case("ncp-writes", **{**NCP, "kind": ncp.WRITE}, serve=const(3)),
    *losses("ncp", NCP),
    Case("ncp-busy-700ms", **{**NCP, "n": 30}, serve=const(700)),
    Case("ncp-busy-seldom-1500ms", **NCP, serve=each(20, 2, 1_500)),
    Case("ncp-lost-and-busy", **NCP, serve=each(10, 2, 700), far_up=FIVE),
    Case("ncp-4-clients-one-worker", **NCP, clients=4, workers=1, serve=const(3), places=("middle", "server")),
    Case("ncp-4mbit", **NCP, down={"rate": 4_000_000}),
    Case("burst-read-16k", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 60}),
    Case("burst-read-16k-way-5ms", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 60}, way=(2.5, 2.5)),
    Case("burst-read-16k-server-30ms", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 60}, serve=const(30)),
    Case("burst-read-16k-lost-near", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 60}, down=losing(0.02)),
    Case("burst-read-16k-lost-far", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 60}, far_up=losing(0.02)),
    Case("burst-read-16k-paced-2ms", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 40, "program": netware(gap=2 * MS)},
         serve=const(4)),
    Case("burst-write-16k-paced-2ms", **{**NCP, "kind": ncp.WRITE_BURST, "size": 16_384, "n": 40, "program": netware(gap=2 * MS)},
         serve=const(4)),
    Case("burst-write-16k", **{**NCP, "kind": ncp.WRITE_BURST, "size": 16_384, "n": 60}, serve=const(5)),
    Case("burst-write-16k-lost-near", **{**NCP, "kind": ncp.WRITE_BURST, "size": 16_384, "n": 60}, up=losing(0.02)),
    Case("burst-write-16k-lost-far", **{**NCP, "kind": ncp.WRITE_BURST, "size": 16_384, "n": 60}, far_down=losing(0.02)),
    Case("burst-read-4mbit", **{**NCP, "kind": ncp.READ_BURST, "size": 16_384, "n": 40}, down={"rate": 4_000_000}),
    Case("nbf-server", **NBF, serve=const(5)),
    Case("nbf-client", **NBF, serve=const(0.5), think=const(8)),
    Case("nbf-way-5ms", **NBF, serve=const(1), way=(2.5, 2.5)),
    Case("nbf-way-5ms-writes", **NBF_WRITE, serve=const(1), way=(2.5, 2.5)),
    Case("nbf-1frame-way-5ms", **{**NBF, "size": 1_000}, serve=const(1), way=(2.5, 2.5)),
    Case("nbf-disk", **NBF, serve=disk()),
    Case("nbf-acks-each", **{**NBF, "program": nbf(every=1)}, serve=const(3), way=(1, 1)),
    Case("nbf-think-100ms", **{**NBF, "n": 50}, serve=const(40), think=const(100)),
    Case("nbf-server-300ms", **{**NBF, "n": 30}, serve=const(300)),
    *losses("nbf", NBF, NBF_WRITE),
    Case("nbf-client-not-ready", **{**NBF, "n": 50, "program": nbf(stop=(60, 0.3), every=1, window=1)}),
    Case("nbf-server-not-ready", **{**NBF_WRITE, "n": 50, "program": nbf(stop=(60, 0.3), every=1, window=1)}),
    Case("nbf-window-1-late-acks", **{**NBF, "n": 50, "program": nbf(window=1)}),
    Case("nbf-4mbit", **NBF, down={"rate": 4_000_000}),
    Case("nbipx-server", **NBIPX, serve=const(5)),
    Case("nbipx-client", **NBIPX, serve=const(0.5), think=const(8)),
    Case("nbipx-way-5ms", **NBIPX, serve=const(1), way=(2.5, 2.5)),
    Case("nbipx-way-5ms-writes", **NBIPX_WRITE, serve=const(1), way=(2.5, 2.5)),
    Case("nbipx-server-300ms", **{**NBIPX, "n": 30}, serve=const(300)),
    *losses("nbipx", NBIPX, NBIPX_WRITE),
    Case("nbipx-4mbit", **NBIPX, down={"rate": 4_000_000}),
]
