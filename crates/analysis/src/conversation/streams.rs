//! A conversation over byte streams: order, acknowledgements, repeats.

use super::{Conversation, filled, learn, remember};
use crate::flow::LostBefore;
use crate::lateness::Lateness;
use crate::message::Message;
use crate::packets::{self, SentPacket, SharedCounts};
use crate::piece::Piece;
use crate::stream::{ByteStream, Fate, Ordered};
use crate::world::{Event, Events, Limited, World};
use crate::{Assembled, Flags, Noticed, WHOLE_FRAME};
use wirewait_wire::{Facts, Stream, Timestamp};

/// Where the capture has no acknowledgements, missing data is waited for no longer than this, ns: a
/// lost segment is retransmitted sooner (RFC 6298: after 1 s, then 2 s).
const UNHEARD_NS: i64 = 5_000_000_000;

impl Conversation {
    /// This segment, which comes next, is a packet of these.
    #[inline]
    pub(crate) fn packet(
        &mut self,
        side: usize,
        (segment, facts): (&Stream, &Facts),
        piece: &Piece<'_>,
        counts: &mut SharedCounts,
    ) {
        if let Some(flow) = &mut self.flow {
            let packet = SentPacket {
                id: facts.packet_id,
                bytes: piece.length,
                // A station that opens connections with time stamps counts for each of them (Linux); one that has
                // one count for all opens them without (Windows).
                alone: side != self.between.server && segment.stamps.stamp().is_some(),
                flow_label: facts.flow_label,
                again: facts.packet_id.is_none()
                    && self
                        .streams
                        .as_ref()
                        .is_some_and(|s| s[side].has_come(segment.seq)),
            };
            let station = self.between.ends[side].station();
            let of_others = |missing| {
                packet
                    .id
                    .is_some_and(|id| counts.goes_on(station, id, missing))
            };
            if let Some(lost) = flow.recovers(side, &packet, piece.mark, of_others) {
                self.between.lost[side] = lost;
            }
        }
    }

    /// A segment of a byte stream. Says whether it is none of this conversation, which is over
    /// then: its ports were taken for [another one](Self::is_another), and how that was opened is
    /// not in the capture.
    #[must_use]
    pub(crate) fn segment(
        &mut self,
        side: usize,
        segment: &Stream,
        piece: &mut Piece<'_>,
        world: &World<'_>,
        events: &mut impl Events,
    ) -> bool {
        let mark = piece.mark;
        let pure = piece.length == 0 && !segment.syn && !segment.fin && !segment.rst;
        if segment.syn {
            self.opens(side, segment);
        }
        let told = self.watch(side, segment, piece, pure, events);
        let offers = self.offers.as_mut();
        if let Some((windows, mark)) = offers.and_then(|o| o.segment(side, segment, mark)) {
            self.notice(side, mark, (Noticed::Offered(windows), 0), events);
        }
        if segment.twice.is_some() {
            self.came_twice(side, segment, mark, events);
        }
        let moved = segment.ack.and_then(|ack| self.acknowledge(side, ack));
        if moved.is_some() {
            self.fill_gap(1 - side, world, events);
            let cuts = |ack| self.flow.as_ref().is_some_and(|flow| flow.cuts(side, ack));
            if !told && segment.ack.is_some_and(cuts) {
                events.tell(Event::PartAcknowledged);
            }
        }
        if piece.length > 0 {
            if self.ended.is_some() && self.comes_behind(side, segment.seq) {
                return true;
            }
            piece.stamp = segment.stamps.stamp();
            if let Some(stamp) = segment.stamps.stamp()
                && !self.assemblers[side].is_under_way()
            {
                let clocks = self.clocks.get_or_insert_default();
                let late = clocks[side].came(stamp, mark.at, world.tick_ns.get());
                if late != Lateness::NONE {
                    self.pairing.came_late(side, mark.frame, late);
                }
            }
            if let Some(streams) = &mut self.streams {
                let claimed = streams[side].claimed_since(segment.seq);
                let late_ns = claimed.map_or(0, |since| mark.at.since(since));
                // Sooner it was overtaken by the segment that said so.
                if late_ns >= packets::TIMER_NS {
                    self.between.lost[side] = LostBefore {
                        unsure: (mark.frame, mark.frame),
                        frame: mark.frame,
                        proved_ns: late_ns,
                        latest: mark.frame,
                        ..LostBefore::default()
                    };
                }
                let other = &streams[1 - side];
                piece.sent.covers = other.covered(segment.ack);
                self.between.held_back = other.lacks();
                self.between.seen_to = other.seen_to();
            }
            if self.data(side, segment, piece, world, events) {
                return true;
            }
        } else {
            if let Some(streams) = self.streams.as_mut().filter(|_| pure) {
                streams[side].claims(segment.seq, mark.at);
            }
            let owned = pure
                && moved.is_some_and(|(_, to)| {
                    self.credit(1 - side, to.saturating_sub(1), mark, events)
                });
            if !owned {
                self.pairing.control(WHOLE_FRAME, events);
            }
        }
        if let Some(moved) = moved {
            if pure && self.recent[1 - side].len() > 1 {
                self.reached_by(1 - side, moved, mark);
            }
            self.close_acknowledged(1 - side, world, events);
        }
        // Once: a repetition is not to cost a look at all that is open.
        if segment.fin && !std::mem::replace(&mut self.finished[side], true) {
            self.leaves(side, (segment.seq, piece.length), mark, world, events);
        }
        if segment.rst || segment.fin && self.finished == [true; 2] {
            self.is_over(side, segment, mark.at, world, events);
        }
        false
    }

    fn opens(&mut self, side: usize, segment: &Stream) {
        let Some(streams) = &mut self.streams else {
            return;
        };
        if !streams[side].is_started() {
            streams[side].start(segment.seq.wrapping_add(1));
            self.assemblers[side].restart();
            if let Some(ack) = segment.ack
                && !streams[1 - side].is_started()
            {
                streams[1 - side].start(ack);
                self.assemblers[1 - side].restart();
            }
            if !self.server_known {
                self.between.server = if segment.ack.is_some() {
                    side
                } else {
                    1 - side
                };
                self.server_known = true;
            }
        }
    }

    /// `side` acknowledges bytes of the other side.
    fn acknowledge(&mut self, side: usize, ack: u32) -> Option<(u64, u64)> {
        self.streams.as_mut()?[1 - side].acknowledge(ack)
    }

    /// Whether the other side has more of `side` than was captured.
    pub(super) fn is_ahead(&self, side: usize) -> bool {
        let streams = self.streams.as_ref();
        streams.is_some_and(|streams| streams[side].is_ahead())
    }

    fn fill_gap(&mut self, side: usize, world: &World<'_>, events: &mut impl Events) {
        while self
            .streams
            .as_ref()
            .is_some_and(|s| s[side].gap_is_acknowledged())
        {
            if !self.skip(side, Flags::CAPTURE_LOSS, world, events) {
                return;
            }
        }
    }

    /// New bytes, or old ones, or none of this conversation.
    fn data(
        &mut self,
        side: usize,
        segment: &Stream,
        piece: &mut Piece<'_>,
        world: &World<'_>,
        events: &mut impl Events,
    ) -> bool {
        let mark = piece.mark;
        let (seq, length) = (segment.seq, piece.length);
        let bytes = piece.bytes;
        if self.stall.is_some() {
            self.goes_on_behind(side, (mark, length), events);
        }
        // Most messages begin with their frame, and are all of what is sent.
        if (self.assemblers[side].is_under_way() || self.pairing.has_parts())
            && let Some(flow) = &self.flow
            && flow.has_stopped(side, mark.at)
        {
            self.stops_in_stream(side, segment, piece, world, events);
        }
        if mark.at.since(world.sure) > world.settings.timeout_ns {
            self.suspects(side, segment, mark, world);
        }
        let fate = self.order(side, world, events, |stream, out| {
            stream.segment(seq, piece, out)
        });
        self.keep_within_limits(side, mark.at.min(world.sure), world, events);
        let soon = self.watch_data(
            side,
            (seq, length, segment.stamps.stamp()),
            fate,
            mark,
            events,
        );
        match fate {
            Some(Fate::New | Fate::Overtaken { .. }) => {}
            Some(Fate::Foreign | Fate::Old { at: 0, end: 0 })
                if self.is_another(side, segment) || self.begins(bytes, world) =>
            {
                return true;
            }
            // Position 0 is before the first byte seen.
            Some(Fate::Old { at: 0, end: 0 }) => {
                self.pairing.began_late();
                self.pairing.control(WHOLE_FRAME, events);
            }
            None => self.pairing.control(WHOLE_FRAME, events),
            Some(Fate::Old { at, end }) => {
                if self.is_probe(side, length, end) {
                    self.pairing.control(WHOLE_FRAME, events);
                } else {
                    self.repeat_range(side, (at, end), (mark, soon), events);
                }
            }
            Some(Fate::HeldTwice) => {
                self.faults.retransmitted += 1;
                self.pairing.control(WHOLE_FRAME, events);
            }
            Some(Fate::Foreign) => self.pairing.control(WHOLE_FRAME, events),
        }
        false
    }

    pub(super) fn streams_next(&self, side: usize) -> u64 {
        self.assemblers[side].position()
    }

    /// Waits no longer for what is missing if too much is held back behind it, or nobody will ever
    /// acknowledge it.
    fn keep_within_limits(
        &mut self,
        side: usize,
        now: Timestamp,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        // One stretch of it makes room for the others.
        let mut first = true;
        loop {
            let held = self.streams.as_ref().map_or(0, |s| s[side].held_bytes());
            if held == 0 {
                return;
            }
            if self.between.one_sided && self.held_for(side, now) > UNHEARD_NS {
                self.skip(side, Flags::CAPTURE_LOSS, world, events);
                continue;
            }
            let limit = if held > world.settings.stream_bytes {
                Limited::StreamBytes
            } else if std::mem::take(&mut first) && world.held >= world.settings.held_bytes {
                Limited::HeldBytes
            } else {
                return;
            };
            events.tell(Event::Limited(limit));
            self.pairing.doubt();
            self.skip(side, Flags::LIMITED, world, events);
        }
    }

    /// How long bytes are held back, ns.
    fn held_for(&mut self, side: usize, now: Timestamp) -> i64 {
        let streams = self.streams.as_mut();
        let since = streams.and_then(|streams| streams[side].held_since());
        since.map_or(0, |since| now.since(since))
    }

    /// Waits no longer for what is missing, for the reason that the flag says.
    pub(super) fn skip(
        &mut self,
        side: usize,
        why: Flags,
        world: &World<'_>,
        events: &mut impl Events,
    ) -> bool {
        let mut any = false;
        self.order(side, world, events, |stream, out| {
            stream.skip(why, &mut |o| {
                any = true;
                out(o);
            });
        });
        any
    }

    /// Runs something on a byte stream and takes what comes out of it in order.
    fn order<R>(
        &mut self,
        side: usize,
        world: &World<'_>,
        events: &mut impl Events,
        run: impl FnOnce(&mut ByteStream, &mut dyn FnMut(Ordered<'_>)) -> R,
    ) -> Option<R> {
        let Self {
            between,
            server_known,
            streams,
            framer,
            assemblers,
            recent,
            pairing,
            faults,
            offers,
            ..
        } = self;
        let streams = streams.as_mut()?;
        let other_is_ahead = streams[1 - side].is_ahead();
        let stream = &mut streams[side];
        let framer = (*framer)?;
        let assembler = &mut assemblers[side];
        let held = stream.held_bytes();
        let result = run(stream, &mut |ordered| {
            let gaps = &mut faults.gaps;
            let malformed = &mut faults.malformed;
            if let Ordered::Piece(piece) = &ordered
                && piece.late_ns > 0
            {
                between.was_missing(side, piece.mark, piece.late_ns);
            }
            let mut out = |message: Message<'_>| {
                learn(between, server_known, side, message.exchange.as_deref());
                *malformed += u64::from(message.malformed);
                events.tell(Event::Protocol(framer));
                if let Some(id) = message.dissector {
                    events.tell(Event::Protocol(id));
                }
                let transaction = pairing.message(side, &message, between, world, events);
                if message.tally.frames >= filled::FRAMES {
                    filled::watch(side, &message, offers.as_deref(), between, events);
                }
                remember(&mut recent[side], &message, transaction, pairing);
                if world.observed {
                    pairing.tell(&message, Some(framer), events);
                }
            };
            match ordered {
                Ordered::Piece(piece) => {
                    let (lost, from, now) =
                        (assembler.is_lost(), assembler.position(), piece.mark.at);
                    assembler.in_room(&world.rooms, |assembler| {
                        assembler.stream(piece, framer, &world.registry, &mut out);
                    });
                    if lost && from > 0 {
                        // Responses may have been among what was passed over.
                        let passed = (assembler.passed_to(), Flags::CAPTURE_LOSS);
                        pairing.missed(side, passed, now, between, world, events);
                    }
                }
                Ordered::Break => {
                    *gaps += 1;
                    assembler.abandon();
                }
                Ordered::Gap(n, mark, why) => {
                    *gaps += u64::from(why == Flags::CAPTURE_LOSS);
                    assembler.gap(n, (mark, why), &world.registry, &mut out);
                    let end = assembler.position();
                    if other_is_ahead {
                        // Responses are missing as well, though nothing came behind them yet.
                        pairing.awaits(1 - side);
                    }
                    pairing.missed(side, (end, why), mark.at, between, world, events);
                    pairing.lacks_requests(side, why, between);
                }
            }
        });
        let now_held = stream.held_bytes();
        if held != now_held {
            // Both are far below what is held in all streams.
            events.tell(Event::Held(now_held as isize - held as isize));
        }
        let loose = assembler.take_loose();
        if loose > 0 {
            events.tell(Event::Control(loose));
        }
        if let Some(so_far) = assembler.so_far(&world.registry) {
            events.tell(Event::Assembled(&Assembled {
                framer: Some(framer),
                ..so_far
            }));
        }
        Some(result)
    }

    /// Closes the answered transactions whose answers, from `side`, are acknowledged.
    fn close_acknowledged(&mut self, side: usize, world: &World<'_>, events: &mut impl Events) {
        if self.pairing.is_idle() {
            return;
        }
        let Some(streams) = &self.streams else {
            return;
        };
        let acked = streams[side].acked();
        let recent = &self.recent[side];
        self.pairing
            .close_acknowledged(side, &self.between, world, events, |serial| {
                recent
                    .iter()
                    .rev()
                    .find(|r| r.transaction == serial)
                    .is_none_or(|r| r.end <= acked)
            });
    }
}
