"""TCP as current systems do it, as far as its timing shows in a capture.

Handshake, slow start, delayed, quick and late acknowledgements, Nagle, SACK with D-SACK, fast retransmit, tail-loss probe,
time-outs that double, windows that close, and probes of those. Sequence numbers do not wrap, and nothing is ever closed.
"""

from .segment import ACK, PSH, SYN, Flying, Segment, frame
from .sim import MS, US


class Tcp:
    """One end of a connection. `on_bytes(data)` gets what the program reads."""

    def __init__(self, station, port, style):
        self.station, self.sim, self.port, self.style = station, station.sim, port, style
        self.peer, self.on_bytes, self.on_open = None, None, None
        first = self.sim.rng.randrange(1 << 20, 1 << 28)
        self.una = self.nxt = self.first = first
        self.out, self.spans = bytearray(), []
        self.flying, self.cwnd, self.ssthresh, self.recover = [], style.window * style.mss, 1 << 40, None
        self.peer_window, self.most_window, self.srtt, self.var = 1 << 16, 1 << 16, None, 0
        self.rto, self.timer, self.blocked, self.probed = style.rto_min, 0, False, False
        self.rcv, self.early, self.unread, self.edge = None, {}, bytearray(), 0
        self.owed, self.owed_since, self.delack_run, self.ack_run = 0, None, 0, None
        self.reading, self.read_run, self.closed_since, self.persists = True, False, None, 0
        self.stamp_base, self.echo = self.sim.rng.randrange(1 << 28), 0
        self.syn_sent = 0

    # Setting up.

    def connect(self, peer):
        """Open the connection to the other end, which listens."""
        self.peer, peer.peer = peer, self
        for end in (self, peer):
            end.station.takers[end.port, end.peer.station.name, end.peer.port] = end.take
        self.rcv = None
        self.put(Segment(self.first, 0, SYN, self.first_window()), "syn")
        self.nxt = self.una = self.first + 1

    def first_window(self):
        """The window in the handshake, which is not scaled."""
        return min(65_535, self.style.buffer)

    def take(self, frame):
        """A frame that may be for this end."""
        packet = frame.packet
        if not isinstance(packet, tuple) or packet[0] is not self:
            return False
        self.segment(packet[1])
        return True

    # Sending.

    def send(self, message, low=0, high=None):
        """A program writes a message, or a part of it."""
        high = message.size if high is None else high
        start = self.nxt + len(self.out)
        self.spans.append((start, start + high - low, message, low))
        self.out += message.data[low:high]
        self.push()

    def push(self):
        """Send what may be sent."""
        mss = self.style.mss
        self.blocked = False
        while True:
            pipe = sum(one.end - one.seq for one in self.flying if not one.sacked and not one.lost)
            lost = next((one for one in self.flying if one.lost and not one.sacked), None)
            if lost:
                if pipe and pipe + lost.end - lost.seq > self.cwnd:
                    return
                self.again(lost)
                continue
            if not self.out or self.rcv is None:
                return
            size = min(mss, len(self.out))
            if pipe and pipe + size > self.cwnd:
                self.blocked = "congestion"
                return
            room = self.una + self.peer_window - self.nxt
            if size > room:
                if room >= self.most_window // 2 and room > 0:
                    size = room
                else:
                    if not self.flying:
                        self.persist()
                    return
            if self.style.nagle and size < mss and self.flying:
                self.blocked = "nagle"
                for start, _, message, _ in self.spans:
                    if start >= self.nxt and message.held is None:
                        message.held = self.sim.now
                return
            data = bytes(self.out[:size])
            del self.out[:size]
            one = Flying(self.nxt, self.nxt + size, self.sim.now)
            self.flying.append(one)
            self.nxt += size
            if len(self.flying) == 1 or not self.timer_on():
                self.start_timer()
            self.data(one.seq, data)
            if self.style.tlp and not self.out:
                self.probe_later()

    def data(self, seq, data, again=False):
        """A segment with data goes out; it carries what is to be acknowledged."""
        flags = ACK | (PSH if not self.out or any(end == seq + len(data) for _, end, *_ in self.spans) else 0)
        self.acked()
        parts = [(message, low + max(seq, start) - start, low + min(seq + len(data), end) - start)
                 for start, end, message, low in self.spans if start < seq + len(data) and end > seq]
        self.put(Segment(seq, self.rcv, flags, self.window(), data), "data", parts, again)

    def again(self, one):
        """Send once more."""
        one.lost, one.again, one.sent = False, True, self.sim.now
        self.data(one.seq, self.kept(one.seq, one.end), True)
        self.start_timer()

    def kept(self, low, high):
        """Bytes that were sent before."""
        found = bytearray()
        for start, end, message, offset in self.spans:
            if start < high and end > low:
                found += message.data[offset + max(low, start) - start:offset + min(high, end) - start]
        return bytes(found)

    def timer_on(self):
        return self.timer % 2 == 1

    def start_timer(self):
        """The retransmission time-out runs from now on."""
        self.timer += 2 if self.timer_on() else 1
        run = self.timer
        self.sim.after(self.rto, lambda: self.expired(run))

    def stop_timer(self):
        self.timer += 1 if self.timer_on() else 0

    def expired(self, run):
        """Nothing was acknowledged in time."""
        if run != self.timer or not self.flying:
            return
        self.rto = min(2 * self.rto, 60_000 * MS)
        self.ssthresh, self.cwnd = max(self.cwnd // 2, 2 * self.style.mss), self.style.mss
        self.recover = self.nxt
        for one in self.flying:
            one.lost = not one.sacked
        self.timer += 1
        self.push()

    def probe_later(self):
        """A tail-loss probe: RFC 8985, 7."""
        if self.srtt is None or not self.flying:
            return
        wait = 2 * self.srtt + (self.style.rto_min if len(self.flying) == 1 else 0)
        last = self.flying[-1]
        run = last.sent

        def probe():
            if self.flying and self.flying[-1] is last and last.sent == run and not self.recover and not last.sacked:
                self.again(last)
        if wait < self.rto:
            self.sim.after(max(wait, 10 * MS), probe)

    def persist(self):
        """The other end's window is closed: probe it, at intervals that double."""
        self.persists += 1
        run, una = self.persists, self.una

        def probe(wait):
            if run == self.persists and self.una == una and self.out and not self.flying:
                self.put(Segment(self.nxt - 1, self.rcv, ACK, self.window()), "probe")
                self.sim.after(2 * wait, lambda: probe(2 * wait))
        self.sim.after(self.rto, lambda: probe(self.rto))

    def keep_alive(self):
        """Ask whether the other end is there."""
        self.put(Segment(self.nxt - 1, self.rcv, ACK, self.window()), "probe")

    # Receiving.

    def segment(self, seg):
        """A segment came."""
        if seg.flags & SYN:
            self.opened(seg)
            return
        if seg.stamp and seg.seq <= self.rcv:
            self.echo = seg.stamp[0]
        self.acknowledged(seg)
        if seg.data:
            self.got(seg)
        elif seg.seq == self.rcv - 1:
            self.ack_soon()
        self.push()

    def opened(self, seg):
        """The handshake."""
        self.peer_window = self.most_window = seg.window
        self.rcv, self.edge = seg.seq + 1, seg.seq + 1 + self.first_window()
        if seg.stamp:
            self.echo = seg.stamp[0]
        if seg.flags & ACK:
            self.measured(self.sim.now - self.syn_sent)
            self.sim.after(self.stack(), self.put_ack)
            if self.on_open:
                self.sim.after(20 * US + self.stack(), self.on_open)
        else:
            self.sim.after(self.stack(), self.answer_syn)

    def answer_syn(self):
        self.put(Segment(self.first, self.rcv, SYN | ACK, self.first_window()), "syn")
        self.nxt = self.una = self.first + 1

    def acknowledged(self, seg):
        """What the other end says that it has, and how much more it takes."""
        moved = seg.ack > self.una
        window = seg.window << (self.style.scale if self.peer.style.scale else 0)
        self.peer_window, self.most_window = window, max(self.most_window, window)
        for low, high in seg.sack:
            for one in self.flying:
                one.sacked |= low <= one.seq and one.end <= high
        if moved:
            gone = [one for one in self.flying if one.end <= seg.ack]
            self.flying = [one for one in self.flying if one.end > seg.ack]
            if gone and not any(one.again for one in gone):
                self.measured(self.sim.now - gone[-1].sent)
            if self.recover is None or self.cwnd < self.ssthresh:
                # In segments, as Linux counts: a short one opens the window by a whole one.
                self.cwnd += max(seg.ack - self.una, self.style.mss) if self.cwnd < self.ssthresh else 0
            self.una = max(self.una, seg.ack)
            if self.recover is not None and self.una >= self.recover:
                self.recover = None
            self.spans = [span for span in self.spans if span[1] > self.una]
            self.rto = self.time_out()
            if self.flying:
                self.start_timer()
            else:
                self.stop_timer()
        self.find_lost()

    def find_lost(self):
        """Three segments that came behind one say that it is lost; so does one that was sent much later, with RACK."""
        behind = 0
        latest = max((one.sent for one in self.flying if one.sacked), default=0)
        for one in reversed(self.flying):
            if one.sacked:
                behind += 1
            elif not one.again and not one.lost:
                old = self.style.tlp and self.srtt and latest > one.sent + self.srtt // 4
                if behind >= 3 or old:
                    one.lost = True
                    if self.recover is None:
                        self.recover = self.nxt
                        self.ssthresh = self.cwnd = max(self.cwnd // 2, 2 * self.style.mss)

    def measured(self, took):
        """A round trip."""
        if took is None:
            return
        if self.srtt is None:
            self.srtt, self.var = took, took // 2
        else:
            self.var = (3 * self.var + abs(self.srtt - took)) // 4
            self.srtt = (7 * self.srtt + took) // 8
        self.rto = self.time_out()

    def time_out(self):
        return self.style.rto_min if self.srtt is None else self.srtt + max(self.style.rto_min, 4 * self.var)

    def got(self, seg):
        """Data came."""
        if seg.end <= self.rcv:
            self.ack_soon([(seg.seq, seg.end)])
            return
        if seg.seq > self.rcv:
            self.early[seg.seq] = seg
            self.ack_soon()
            return
        filled = bool(self.early)
        new = seg.data[self.rcv - seg.seq:]
        self.rcv += len(new)
        while True:
            more = next((one for one in self.early.values() if one.seq <= self.rcv), None)
            if more is None:
                break
            del self.early[more.seq]
            if more.end > self.rcv:
                new += more.data[self.rcv - more.seq:]
                self.rcv = more.end
        self.unread += new
        if self.owed_since is None:
            self.owed_since = self.sim.now
        self.owed += len(new)
        window = self.window()
        if window < self.style.mss and self.closed_since is None:
            self.closed_since = self.sim.now
        if filled or self.style.ack == "quick" or self.owed > self.style.mss and self.style.ack == "delayed":
            self.ack_soon()
        elif window == 0 or self.style.ack == "full" and self.owed >= 2 * self.style.mss:
            self.ack_soon()
        else:
            self.delay()
        self.read_later()

    def delay(self):
        """An acknowledgement may wait: for data to ride on, for the program, or for its time to be over."""
        self.delack_run += 1
        run, since = self.delack_run, self.owed_since

        def over():
            if run == self.delack_run and self.owed and self.owed_since == since:
                # Behind a loss the sender may send one segment, and waits for this as well: the loss's or the receiver's.
                if self.peer.blocked:
                    self.station.stalls.append((since, self.sim.now, self.peer.blocked == "nagle"))
                self.put_ack()
        self.sim.at(since + self.style.delack, over)

    def read_later(self):
        """The program is told, and reads."""
        if self.read_run or not self.reading:
            return
        wait = self.style.read_delay() if self.style.read_delay else 0
        if not wait:
            self.read()
            return
        self.read_run = True

        def read():
            self.read_run = False
            self.read()
        self.sim.after(wait, read)

    def read(self):
        """The program reads all there is."""
        if not self.reading or not self.unread:
            return
        left = self.edge - self.rcv
        data, self.unread = bytes(self.unread), bytearray()
        if self.closed_since is not None:
            self.station.stalls.append((self.closed_since, self.sim.now, True))
            self.closed_since = None
            self.ack_soon()
        elif 2 * left <= self.style.buffer and self.window() >= 2 * left:
            self.ack_soon()
        elif self.style.ack == "read" and self.owed:
            self.ack_soon()
        self.on_bytes(data)

    def read_again(self):
        """The program, which had stopped, goes on reading."""
        self.reading = True
        self.read()

    def window(self):
        """How much more this end takes; an edge that was told is never taken back."""
        if self.rcv is None:
            return 0
        room = max(0, self.style.buffer - len(self.unread) - sum(len(one.data) for one in self.early.values()))
        if room < min(self.style.mss, self.style.buffer // 2):
            room = 0
        unit = 1 << self.style.scale
        self.edge = max(self.edge, self.rcv + min(room, 65_535 << self.style.scale) // unit * unit)
        return (self.edge - self.rcv) // unit * unit

    def ack_soon(self, twice=()):
        """An acknowledgement by itself, as soon as the system gets to it."""
        run = self.ack_run = object()

        def now():
            if self.ack_run is run:
                self.put_ack(twice)
        self.sim.after(self.stack(), now)

    def put_ack(self, twice=()):
        blocks = list(twice) if self.style.sack and self.style.dsack else []
        if self.style.sack:
            ranges = []
            for one in sorted(self.early.values(), key=lambda each: each.seq):
                if ranges and ranges[-1][1] == one.seq:
                    ranges[-1] = (ranges[-1][0], one.end)
                else:
                    ranges.append((one.seq, one.end))
            blocks += ranges[:3]
        self.acked()
        self.put(Segment(self.nxt, self.rcv, ACK, self.window(), sack=blocks), "ack")

    def acked(self):
        """All that came is acknowledged by what goes out now."""
        self.owed, self.owed_since, self.ack_run = 0, None, None
        self.delack_run += 1

    def stack(self):
        """How long the system takes for something by itself."""
        return int(self.sim.rng.uniform(*self.style.stack) * US)

    # On the wire.

    def put(self, seg, kind, parts=(), again=False):
        """Out on the wire."""
        if seg.flags & SYN:
            self.syn_sent = self.sim.now
        self.station.send(frame(self, seg, kind, parts, again))
