"""A wire between two TAP devices that fails as it is given."""

import ctypes
import fcntl
import heapq
import os
import random
import select
import socket
import struct
import subprocess
import threading
import time

from verdict_lab.faults import CLIENT, NEIGHBOUR, NOBODY, SERVER

# The only control bit of a segment that acknowledges and does nothing else.
ACK = 0x10
# Status of an interim response ([MS-SMB2] 3.3.4.2), behind 4 bytes of length.
PENDING = b"\x03\x01\x00\x00"


def tap(namespace, addresses, neighbours=()):
    """A TAP device in a namespace, and its file."""
    subprocess.run(["ip", "netns", "add", namespace], check=True)
    libc, home = ctypes.CDLL(None, use_errno=True), os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(f"/var/run/netns/{namespace}", os.O_RDONLY)
    libc.setns(there, 0)
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    # TUNSETIFF with IFF_TAP and IFF_NO_PI.
    fcntl.ioctl(device, 0x400454CA, struct.pack("16sH", b"tap0", 0x1002))
    libc.setns(home, 0)
    run = ["ip", "-n", namespace]
    subprocess.run([*run, "addr", "add", f"{addresses[0]}/24", "dev", "tap0"], check=True)
    subprocess.run([*run, "addr", "add", f"{addresses[1]}/64", "dev", "tap0", "nodad"], check=True)
    for address in neighbours:
        subprocess.run([*run, "addr", "add", f"{address}/24", "dev", "tap0"], check=True)
    # Of all ways to answer a loss only this is on every Linux; one that paces (BBR) holds a response back for as long
    # as it pleases, which no log says.
    subprocess.run(["ip", "netns", "exec", namespace, "sysctl", "-qw", "net.ipv4.tcp_congestion_control=reno"], check=True)
    for link in ("lo", "tap0"):
        subprocess.run([*run, "link", "set", link, "up"], check=True)
    return device


def taps(client, server):
    """The clients' device and the server's."""
    devices = [tap(client, CLIENT, [NEIGHBOUR.format(21 + n) for n in range(15)]), tap(server, SERVER)]
    # Frames to whom nobody is are carried, too: a router or a bridge does not know.
    subprocess.run(["ip", "-n", client, "neigh", "add", NOBODY, "lladdr", "02:00:00:00:00:09", "dev", "tap0"],
                   check=True)
    return devices


def is_query(frame):
    """Whether a frame asks a name service (RFC 1002 4.2.1.1); only clients do."""
    return frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[36:38] == b"\x00\x89" and not frame[44] & 0x80


class Segment:
    """What the wire has to know of a frame that carries TCP."""

    def __init__(self, way, frame):
        if frame[12:14] == b"\x08\x00" and frame[23] == 6:
            at, ends = 14 + 20, [socket.inet_ntop(socket.AF_INET, frame[n:n + 4]) for n in (26, 30)]
            self.end = 14 + int.from_bytes(frame[16:18], "big")
        elif frame[12:14] == b"\x86\xdd" and frame[20] == 6:
            at, ends = 14 + 40, [socket.inet_ntop(socket.AF_INET6, frame[n:n + 16]) for n in (22, 38)]
            self.end = 54 + int.from_bytes(frame[18:20], "big")
        else:
            self.client = None
            return
        self.client = ends[way]
        # Ports and sequence number.
        self.name = frame[at:at + 8]
        self.connection = self.client, frame[at + 2 * way:at + 2 * way + 2]
        body = at + 4 * (frame[at + 12] >> 4)
        number = int.from_bytes(frame[at + 4:at + 8], "big")
        self.sent_to, self.acknowledges = number + self.end - body, int.from_bytes(frame[at + 8:at + 12], "big")
        self.data = self.end > body
        self.only_acks = not self.data and frame[at + 13] == ACK
        self.interim = way == 1 and frame[body + 4:body + 8] == b"\xfeSMB" and frame[body + 12:body + 16] == PENDING


def is_behind(number, other):
    """Whether a number of TCP is less than another one."""
    return 0 < (other - number) % 2**32 < 2**31


class Owed:
    """Requests that were lost with an acknowledgement that their client owed, as the capture at the server shows it.

    There, one packet of the client is missing, and it may have been the acknowledgement: whether the client waited for a
    timer or thought is not to be seen. So it is where the server sent its data again in the meantime.
    """

    def __init__(self):
        self.sent_to, self.acknowledged, self.again, self.lost = {}, {}, {}, {}

    def response(self, segment, at):
        """The server sends data."""
        to = self.sent_to.get(segment.connection)
        if to is None or is_behind(to, segment.sent_to):
            self.sent_to[segment.connection] = segment.sent_to
        else:
            self.again[segment.connection] = at

    def loses(self, segment, at):
        self.lost.setdefault((segment.client, segment.name), at)

    def arrives(self, segment, at):
        """A frame of a client. Returns how long a request that was lost is open, ns."""
        before = self.acknowledged.get(segment.connection)
        lost = self.lost.pop((segment.client, segment.name), None) if segment.data else None
        self.acknowledged[segment.connection] = segment.acknowledges
        if lost is None:
            return 0
        owed = before is not None and is_behind(before, self.sent_to.get(segment.connection, before))
        return at - lost if owed or self.again.get(segment.connection, 0) > lost else 0


class Acknowledgements:
    """How long clients take to acknowledge data by nothing but that, as far as no timer of theirs keeps it waiting."""

    # The shortest timer of an acknowledgement (Linux' TCP_DELACK_MIN), ns.
    TIMER = 40_000_000

    def __init__(self):
        self.there = {}

    def data(self, segment, at):
        """Data is at its client."""
        self.there[segment.connection, segment.sent_to % 2**32] = at

    def come(self, segment, at):
        """A client acknowledges. Returns how long after the data was there, ns; `None` where a timer ran."""
        there = self.there.pop((segment.connection, segment.acknowledges), None)
        return at - there if segment.only_acks and there is not None and at - there < self.TIMER else None


class Frame:
    """A frame that is carried, and where it is."""

    TO_THE_WIRE, ON_THE_WIRE, FROM_THE_WIRE = range(3)

    def __init__(self, way, frame, segment, came):
        self.way, self.bytes, self.segment, self.came = way, frame, segment, came
        self.entered, self.left, self.leg, self.logged = came, came, None, True


class Wire(threading.Thread):
    """Carries frames between two TAP devices, captures at both, and logs what it does to them."""

    def __init__(self, devices, reads):
        """While the file `reads` is there, frames are lost, late, or come twice."""
        super().__init__(daemon=True)
        self.reads = reads
        self.devices, self.fault, self.files, self.lock = devices, None, None, threading.Lock()
        self.log, self.free = None, [0.0, 0.0]

    def begin(self, fault, folder):
        with self.lock:
            self.fault = fault
            self.log = {"lost": [], "lost_acks": 0, "lost_interims": 0, "interims": 0, "late": 0, "twice": 0,
                        "requests_again": 0, "owed": [], "acks": [], "carried": [], "queries": {"client": {}, "server": {}}, "refused": 0}
            self.arrived, self.begun, self.sent, self.files = set(), set(), set(), []
            for end in ("client", "server"):
                file = open(f"{folder}/{fault.name}-at-{end}.pcap", "wb")
                file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
                self.files.append(file)
            self.chance, self.acks, self.free = random.Random(fault.name), [0, 0], [0.0, 0.0]
            self.latest, self.owed, self.acknowledgements = [0.0, 0.0], Owed(), Acknowledgements()

    def end(self):
        with self.lock:
            for file in self.files:
                file.close()
            self.files = None
            return self.log

    def capture(self, end, frame, at):
        if self.log and is_query(frame):
            # One lookup keeps its port and its number.
            times = self.log["queries"][("client", "server")[end]]
            times.setdefault(f"{frame[34:36].hex()}-{frame[42:44].hex()}", []).append(at)
        if self.files:
            self.files[end].write(struct.pack("<IIII", at // 10**9, at % 10**9, len(frame), len(frame)) + frame)

    def run(self):
        # Stations do not keep a wire waiting for the processor.
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -20)
        waiting, self.number = [], 0
        poll = select.poll()
        for device in self.devices:
            poll.register(device, select.POLLIN)
        while True:
            left = max(0.0, waiting[0][0] - time.monotonic()) if waiting else 0.2
            # What is due within the grain of the timer is waited for awake.
            poll.poll(0 if left < 0.0015 else (left - 0.001) * 1000)
            with self.lock:
                for way, device in enumerate(self.devices):
                    while True:
                        try:
                            frame = os.read(device, 65536)
                        except BlockingIOError:
                            break
                        self.comes(waiting, way, frame)
                while waiting and waiting[0][0] <= time.monotonic():
                    self.goes_on(waiting, heapq.heappop(waiting)[2])

    def own(self, segment):
        """How long a client's frames are on its own way, between it and where all clients' ways meet, s."""
        return self.fault.own_way(segment.client) / 1000 if self.fault and segment.client else 0

    def later(self, waiting, due, frame):
        self.number += 1
        heapq.heappush(waiting, (due, self.number, frame))

    def comes(self, waiting, way, frame):
        carried = Frame(way, frame, Segment(way, frame), time.time_ns())
        own = 0 if way else self.own(carried.segment)
        if own:
            carried.leg = Frame.TO_THE_WIRE
            self.later(waiting, time.monotonic() + own, carried)
        else:
            self.enters(waiting, carried)

    def enters(self, waiting, carried):
        """It is where its end's capture is made, and goes to the other."""
        carried.entered = time.time_ns()
        self.capture(carried.way, carried.bytes, carried.entered)
        if self.log and carried.way == 0 and carried.segment.client and carried.segment.data:
            self.log["requests_again"] += carried.segment.name in self.sent
            self.sent.add(carried.segment.name)
        if self.log and carried.way == 1 and carried.segment.client and carried.segment.data:
            self.owed.response(carried.segment, carried.entered)
        if self.log and carried.way == 0 and carried.segment.client:
            took = self.acknowledgements.come(carried.segment, carried.entered)
            self.log["acks"] += [(carried.segment.client, took)] if took is not None else []
        for copy, due in enumerate(self.fate(carried.way, carried.bytes, carried.segment, carried.entered)):
            again = Frame(carried.way, carried.bytes, carried.segment, carried.came)
            # Only the first copy's times are logged.
            again.entered, again.logged, again.leg = carried.entered, copy == 0, Frame.ON_THE_WIRE
            self.later(waiting, due, again)

    def goes_on(self, waiting, carried):
        if carried.leg == Frame.TO_THE_WIRE:
            self.enters(waiting, carried)
            return
        now = time.time_ns()
        if carried.leg == Frame.ON_THE_WIRE:
            carried.left = now
            self.capture(1 - carried.way, carried.bytes, now)
            if self.log and carried.way == 0 and carried.segment.client:
                if open_ns := self.owed.arrives(carried.segment, now):
                    self.log["owed"].append((carried.segment.client, open_ns))
            if self.log and carried.way == 1 and carried.segment.client and carried.segment.data:
                self.acknowledgements.data(carried.segment, now)
            own = self.own(carried.segment) if carried.way else 0
            if own:
                carried.leg = Frame.FROM_THE_WIRE
                self.later(waiting, time.monotonic() + own, carried)
                return
        os.write(self.devices[1 - carried.way], carried.bytes)
        segment = carried.segment
        if self.files and carried.logged and segment.client and segment.data and not segment.interim:
            # What was sent again although it had arrived is not logged.
            if (carried.way, segment.name) in self.arrived:
                return
            self.arrived.add((carried.way, segment.name))
            self.log["carried"].append((segment.client, carried.way, carried.came, now, carried.left - carried.entered))

    def fate(self, way, frame, segment, came):
        """When a frame arrives at the other end; several times, or never."""
        fault, now = self.fault, time.monotonic()
        if segment.client is None or fault is None:
            if self.log and way == 1 and frame[12:14] == b"\x08\x00" and frame[23] == 1 and frame[34:36] == b"\x03\x03":
                self.log["refused"] += 1
            return [now]
        due = now + fault.way_ms / 1000
        if fault.bytes_per_s:
            begins = max(due, self.free[way])
            self.free[way] = begins + len(frame) / fault.bytes_per_s
            due = self.free[way]
        at_work = os.path.exists(self.reads)
        if fault.varies:
            low, high = fault.varies
            due += (self.chance.uniform(low, high) if at_work else low) / 1000
            due = self.latest[way] = max(due, self.latest[way])
        if fault.bursts:
            of, late_ms, on_ms, each_ms = fault.bursts
            if at_work and way == of and now * 1000 % each_ms < on_ms:
                due += late_ms / 1000
            due = self.latest[way] = max(due, self.latest[way])
        if not at_work:
            return [due]
        if segment.interim:
            self.log["interims"] += 1
            if fault.interims and self.log["interims"] % fault.interims == 0:
                self.log["lost_interims"] += 1
                return []
        first = way == 0 and segment.data and segment.client not in self.begun
        if first:
            self.begun.add(segment.client)
        spared = first and not fault.first_lost
        if segment.data and self.chance.random() < fault.lost[way] and not spared:
            self.log["lost"].append((segment.client, came, segment.interim))
            if way == 0:
                self.owed.loses(segment, came)
            return []
        if segment.only_acks and fault.acks[way]:
            self.acks[way] += 1
            if self.acks[way] % fault.acks[way] == 0:
                self.log["lost_acks"] += 1
                return []
        if segment.data and self.chance.random() < fault.late[0]:
            self.log["late"] += 1
            due += fault.late[1] / 1000
        if segment.data and self.chance.random() < fault.twice[way]:
            self.log["twice"] += 1
            return [due, due + 0.0003]
        return [due]
