//! A frame comes: it is counted, and finds its conversation by how its data is put in order.

use super::connections::{self, Stepping};
use super::{AnalyzerState, Arrival, SWEEP_NS};
use crate::arrivals::SentBytes;
use crate::books::Reporter;
use crate::clock::Seam;
use crate::duplicates::Before;
use crate::path::Paths;
use crate::piece::{Offload, Piece, Sent};
use crate::segment::{LONGEST, SegmentSizes};
use crate::table::TablePlace;
use crate::world::{Seen, Shared};
use crate::{Mark, Noticed, Sink, WHOLE_FRAME};
use wirewait_wire::{Carries, Connection, Frame, Order, Registry, Timestamp, Walk};

/// How a frame with a segment was cut on the wire, if it was several there: each part has headers like
/// its own.
#[cold]
#[inline(never)]
fn offload(
    frame: &Frame<'_>,
    walk: &Walk,
    (sizes, registry): (&mut SegmentSizes, &Registry),
) -> Offload {
    let Order::Stream(_) = walk.facts.order else {
        return Offload::default();
    };
    let parts = sizes.parts(frame, walk, registry);
    parts.map_or(Offload::default(), |(header, each)| Offload {
        header,
        each,
    })
}

impl AnalyzerState {
    pub(super) fn frame(
        &mut self,
        frame: &Frame<'_>,
        (walk, before, counted): (&Walk, &Before, Option<(u64, bool)>),
        paths: &mut Paths,
        common: &Shared,
        sink: &mut dyn Sink,
    ) {
        let registry = &common.registry;
        self.books.next_frame();
        self.clock(frame.at, common);
        let twice = before.is_twice(frame);
        let (bytes, framed) = match counted {
            Some(counted) => counted,
            None => self.segments.frame(frame, walk, twice, registry),
        };
        sink.captured(frame, if twice { 0 } else { bytes });
        if before.original.is_some() {
            if let Order::Stream(segment) = &walk.facts.order {
                self.books.arrivals.copy(SentBytes {
                    from: walk.facts.from,
                    to: walk.facts.to,
                    seq: segment.seq,
                });
            }
            if !self.clock.ticks.fine {
                self.clock.ticks.copied();
            }
            self.books.attribution.duplicates += 1;
            self.books.spending.copy(bytes);
        } else {
            let path = paths.of(walk, registry);
            let seen = Seen {
                mark: Mark {
                    frame: self.books.now(),
                    at: frame.at,
                },
                frame,
                walk,
                before: &before.packet,
                hops: before.hops,
                path,
                carrier: path.carrier,
                on_wire: if framed { bytes } else { 0 },
            };
            if seen.path.announces {
                self.books.routing.announced(&seen, registry);
            }
            if self.books.seen(&seen) {
                self.books.attribution.duplicates += 1;
                self.books.quality.beyond_routers += 1;
                self.books.spending.copy(bytes);
            } else {
                match self.dispatch(&seen, common, sink) {
                    Some(conversation) => {
                        let spending = &mut self.books.spending;
                        spending.frame(&seen, conversation, bytes, registry);
                    }
                    None => {
                        self.books.attribution.other += 1;
                        self.books.spending.elsewhere(bytes);
                        self.serves_else(&seen);
                    }
                }
            }
        }
        let now = self.clock.sure();
        // A stamp far off must not keep the sweeps waiting for it.
        if now.since(self.swept).unsigned_abs() >= SWEEP_NS {
            self.sweep(now, common, sink);
        }
    }

    /// A frame that is no part of a conversation: a client may have waited for it.
    // By itself, so that nothing of it is in the way of others.
    #[inline(never)]
    fn serves_else(&mut self, seen: &Seen<'_>) {
        let wait = self.services.frame(seen, &mut self.books.directory);
        if let Some(wait) = wait {
            self.books.waited_elsewhere(wait);
        }
    }

    fn clock(&mut self, at: Timestamp, common: &Shared) {
        let before = self.clock.count;
        if self.clock.frame(self.books.now(), at) {
            self.clock_is_wrong(before, common);
        }
        if !self.clock.ticks.fine {
            common.tick_ns.set(self.clock.ticks.ns().cast_signed());
        }
        self.latest = self.clock.high();
    }

    /// What the clock showed is wrong, for this frame or the one before; it had stepped so often before.
    // By itself, so that nothing of it is in the way of frames.
    #[cold]
    #[inline(never)]
    fn clock_is_wrong(&mut self, steps_before: u64, common: &Shared) {
        common.steps.set(&self.clock.steps);
        if self.clock.count != steps_before {
            self.books.accounting.accounts.clock_stepped();
        }
        self.books.quality.clock_steps = self.clock.count;
        if let Some(seam) = self.clock.take_seam() {
            // Longer than clients wait, it was none.
            let silent = seam.to.since(seam.from);
            let unsure = !seam.proved && silent <= common.settings.timeout_ns;
            self.clock_was_set(&seam, unsure);
        }
    }

    /// Whether the clock seems to have been set before the latest frame: the next one tells.
    pub(super) fn suspect(&mut self, common: &Shared) {
        let suspect = common.suspect.take();
        if suspect != 0 && suspect == self.books.now() {
            self.suspected(suspect);
        }
    }

    /// No timer ran out: this frame is not what one sends, and none of those who waited has given up.
    #[cold]
    fn suspected(&mut self, frame: u64) {
        let goes_on = match self.waited_since.take() {
            // By the clock alone: longer than clients wait.
            None => true,
            Some((_, true)) => self.books.timer_at != frame,
            Some((since, false)) => {
                let mut conversations = self.conversations.iter();
                conversations.any(|(_, of)| of.goes_on_waiting(since, frame))
            }
        };
        if goes_on {
            self.clock.seems_set(frame);
        }
    }

    /// Since when a station waits for an answer that sends something when it has waited for long, if it is not longer than
    /// this; and whether it is one of a link.
    #[cold]
    pub(super) fn waits(&self, since: Timestamp) -> Option<(Timestamp, bool)> {
        let mut conversations = self.conversations.iter();
        self.waits_on_link(since).or_else(|| {
            let waits = conversations.any(|(_, of)| of.has_timer(since));
            waits.then_some((since, false))
        })
    }

    /// As for links alone.
    #[cold]
    pub(super) fn waits_on_link(&self, since: Timestamp) -> Option<(Timestamp, bool)> {
        let mut links = self.links.iter().filter_map(|(_, link)| link.as_deref());
        let waits = links.any(|link| link.has_timer(since));
        waits.then_some((since, true))
    }

    /// The clock was set, or may have been where that is unsure: all that waits goes on by the new one.
    #[cold]
    fn clock_was_set(&mut self, seam: &Seam, unsure: bool) {
        self.books.clock_was_set(seam, unsure);
        let later = seam.to.since(seam.from);
        // Set back, nobody is given up early.
        if later > 0 {
            for conversation in self.conversations.iter_mut() {
                conversation.clock_was_set(seam.from, later);
            }
        }
    }

    /// Hands the frame to its conversation, and gives the number of that, if it is not upkeep
    /// of none; `None` if it has none that is followed.
    fn dispatch(
        &mut self,
        seen: &Seen<'_>,
        common: &Shared,
        sink: &mut dyn Sink,
    ) -> Option<Option<u64>> {
        let (frame, walk) = (seen.frame, seen.walk);
        if let Order::Stream(segment) = &walk.facts.order {
            if let Some(number) = self.continues(seen, segment, common) {
                return Some(Some(number));
            }
            if segment.syn {
                self.sizes.opens(frame, walk, &common.registry);
            }
            let mut arrival = Arrival::of(seen, &mut self.sizes, common)?;
            return self.stream(&mut arrival, segment, common, sink);
        }
        let mut arrival = Arrival::of(seen, &mut self.sizes, common)?;
        match &walk.facts.order {
            Order::Stream(_) => None,
            Order::Numbered(numbered) => {
                let place = self.numbered(&mut arrival, numbered, common, sink);
                self.step(&arrival, None, common, sink);
                Some(place.and_then(|place| self.number(place)))
            }
            Order::None => match walk.facts.carries {
                Carries::Control => {
                    self.step(&arrival, None, common, sink);
                    self.books.attribution.control += WHOLE_FRAME;
                    Some(None)
                }
                Carries::Fragment => {
                    self.books.quality.fragments += 1;
                    None
                }
                Carries::Turn(turn) => {
                    let layer = walk.last()?;
                    let front = layer.start as usize..layer.payload as usize;
                    let front = frame.bytes.get(front).unwrap_or_default();
                    let bytes = walk.bytes(frame, layer);
                    let placed = common.registry.placed(layer.dissector, bytes);
                    self.turn(&arrival, turn, (front, placed), common, sink)
                }
                _ => {
                    let found = self.message(&arrival, None, common, sink);
                    self.step(&arrival, None, common, sink);
                    found.map(|(_, number)| Some(number))
                }
            },
        }
    }

    /// The number of a conversation.
    pub(super) fn number(&mut self, place: TablePlace) -> Option<u64> {
        let conversation = self.conversations.get_mut(place)?;
        Some(conversation.named().0)
    }

    /// What the frame does to its connection, if it does anything.
    #[inline]
    pub(super) fn step(
        &mut self,
        arrival: &Arrival<'_>,
        place: Option<TablePlace>,
        common: &Shared,
        sink: &mut dyn Sink,
    ) {
        let facts = arrival.facts;
        let Some(connection) = connections::step(facts.connection, &facts.order) else {
            return;
        };
        self.steps(arrival, connection, (place, common), sink);
    }

    #[inline(never)]
    fn steps(
        &mut self,
        arrival: &Arrival<'_>,
        connection: Connection,
        (place, common): (Option<TablePlace>, &Shared),
        sink: &mut dyn Sink,
    ) {
        let facts = arrival.facts;
        let place = place.or_else(|| {
            let known = self
                .conversations
                .find_side(&arrival.path.conversation, || arrival.key());
            known.ok().map(|(place, _)| place)
        });
        let known = place.and_then(|place| self.conversations.get_mut(place));
        let known = known.map(|conversation| conversation.named());
        let notices = self.connections.step(&Stepping {
            connection,
            mark: arrival.piece.mark,
            from: facts.from,
            to: facts.to,
            carrier: known.map_or(arrival.carrier, |(_, carrier)| carrier),
            conversation: known.map(|(number, _)| number),
        });
        for notice in notices.into_iter().flatten() {
            self.books.noticed(&notice, arrival.path, sink);
            if let Order::Numbered(_) = facts.order
                && matches!(notice.what, Noticed::Closed | Noticed::Aborted)
            {
                self.session_is_over(arrival, common, sink);
            }
        }
    }

    /// A station ended a session of a link: it waits for nothing in it any more.
    #[cold]
    fn session_is_over(&mut self, arrival: &Arrival<'_>, common: &Shared, sink: &mut dyn Sink) {
        let world = self.world(common);
        let known = &arrival.path.conversation;
        let Ok((place, side)) = self.conversations.find_side(known, || arrival.key()) else {
            return;
        };
        if let Some(conversation) = self.conversations.get_mut(place) {
            let now = arrival.piece.mark.at;
            let mut events = Reporter::new(&mut self.books, arrival.path, sink);
            conversation.end(now, Some(side), &world, &mut events);
        }
    }
}

impl<'a> Arrival<'a> {
    /// What this frame brings.
    // Part of both ways of a frame.
    #[inline(always)]
    fn of(seen: &Seen<'a>, sizes: &mut SegmentSizes, common: &Shared) -> Option<Self> {
        let (frame, walk) = (seen.frame, seen.walk);
        let (input, at) = match walk.message {
            Some(span) => (walk.bytes(frame, span), span.start),
            None => (walk.payload(frame), walk.last()?.payload),
        };
        Some(Self {
            facts: &walk.facts,
            path: seen.path,
            next: &walk.next,
            carrier: seen.carrier,
            piece: Piece {
                bytes: input.bytes,
                length: input.length,
                mark: seen.mark,
                at,
                share: (0, input.length),
                hops: walk.facts.hops,
                resent: None,
                late_ns: 0,
                held_ns: 0,
                sent: Sent::UNKNOWN,
                packet: walk.facts.packet_id,
                stamp: None,
                offload: match frame.wire_len > LONGEST {
                    true => offload(frame, walk, (sizes, &common.registry)),
                    false => Offload::default(),
                },
            },
            message: walk.message.map(|span| span.dissector),
            layer: walk.last()?.dissector,
        })
    }
}
