//! Puts the bytes of one direction of a byte stream in order.
//!
//! Segments that come early are held back, within bounds, until what is missing comes or
//! the other side acknowledges it although it was never captured. Positions are counted
//! in 64 bits from the first byte seen, so that sequence numbers may wrap.

mod continuing;
mod held;

use crate::piece::Piece;
use crate::{Flags, Mark};
use held::{Held, HeldBack};
use wirewait_wire::Timestamp;

/// A sequence number farther away than this belongs to another incarnation, or is nonsense.
const FAR: u32 = 1 << 26;
/// A number this far before the first byte that was seen is none of a segment that was overtaken
/// when the capture began: no window is as large.
const BEFORE: u64 = 1 << 24;
/// This number of segments in a row, far away but consecutive, is where the connection goes on: the
/// capture missed a long stretch of it.
const STRAYS: u32 = 3;
/// As many acknowledgements at once show how long a round trip takes: one may have been late itself.
const SEVERAL: u8 = 4;
const NOT_AT_ONCE: (u8, i64) = (0, i64::MAX);

/// What became of a segment's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// At least some were new.
    New,
    /// They fill a gap, sooner than their sender can have heard of it, or by their packet's number sent before
    /// those behind: these overtook them.
    Overtaken {
        /// Since the first of those came, ns.
        late_ns: i64,
    },
    /// All of them had been seen, from this position on.
    Old {
        /// Position of the first of them.
        at: u64,
        /// Position behind the last.
        end: u64,
    },
    /// All of them are held back already.
    HeldTwice,
    /// It cannot belong to this stream.
    Foreign,
}

/// What comes out, in order.
pub(crate) enum Ordered<'a> {
    /// Bytes.
    Piece(&'a Piece<'a>),
    /// A number of bytes is missing: they were never captured, or are not waited for any longer.
    /// The flag says which.
    Gap(u64, Mark, Flags),
    /// A stretch of unknown length was never captured.
    Break,
}

/// One direction of a byte stream.
pub(crate) struct ByteStream {
    /// Sequence number of position 0.
    origin: u32,
    /// Position of the next byte in order.
    next: u64,
    /// What the other side has acknowledged.
    acked: u64,
    held: HeldBack,
    started: bool,
    /// Where the latest segment from far away ended, and how many followed each other.
    stray: (u32, u32),
    /// The shortest time in which its sender acknowledged what it was sent, ns: a round trip, as
    /// seen from the capture.
    reacts_ns: Option<i64>,
    /// Of that what it cannot have kept waiting, and how often it was seen.
    at_once: (u8, i64),
    /// How far its sender said to be when nothing behind what is missing had come, and when.
    claimed: Option<(u64, Timestamp)>,
    /// Where its sender said that it ends; the greatest number until then.
    end: u64,
}

impl Default for ByteStream {
    fn default() -> Self {
        Self::new()
    }
}

impl ByteStream {
    pub(crate) fn new() -> Self {
        Self {
            origin: 0,
            next: 0,
            acked: 0,
            held: HeldBack::default(),
            started: false,
            stray: (0, 0),
            reacts_ns: None,
            at_once: NOT_AT_ONCE,
            claimed: None,
            end: u64::MAX,
        }
    }

    /// Whether the first sequence number is known.
    pub(crate) fn is_started(&self) -> bool {
        self.started
    }

    /// Whether bytes were seen.
    pub(crate) fn is_under_way(&self) -> bool {
        self.next > 0 || !self.held.is_empty()
    }

    /// As when it was new.
    #[inline]
    pub(crate) fn restart(&mut self) {
        let Self {
            origin,
            next,
            acked,
            held,
            started,
            stray,
            reacts_ns,
            at_once,
            claimed,
            end,
        } = self;
        held.clear();
        (*origin, *next, *acked) = (0, 0, 0);
        *started = false;
        *stray = (0, 0);
        (*reacts_ns, *claimed) = (None, None);
        *end = u64::MAX;
        *at_once = NOT_AT_ONCE;
    }

    /// The stream's first byte has this sequence number.
    pub(crate) fn start(&mut self, seq: u32) {
        self.restart();
        self.origin = seq;
        self.started = true;
    }

    /// Position of a sequence number near the next byte; `None` far away from it or before
    /// the beginning.
    pub(crate) fn position(&self, seq: u32) -> Option<u64> {
        // Truncation intended: sequence numbers are positions modulo 2^32.
        let near = self.origin.wrapping_add(self.next as u32);
        let distance = seq.wrapping_sub(near) as i32;
        if distance.unsigned_abs() > FAR {
            return None;
        }
        self.next.checked_add_signed(i64::from(distance))
    }

    /// Whether no byte of this stream can have this number.
    #[cold]
    pub(crate) fn is_elsewhere(&self, seq: u32) -> bool {
        let distance = seq.wrapping_sub(self.origin.wrapping_add(self.next as u32)) as i32;
        let near = distance.unsigned_abs() <= FAR;
        self.started && !(near && u64::from(distance.unsigned_abs()) <= self.next + BEFORE)
    }

    /// Whether it is far before what was seen, where a connection never comes again. What is far
    /// behind may be where it goes on after a stretch that the capture lacks.
    #[cold]
    pub(crate) fn is_behind(&self, seq: u32) -> bool {
        let next = self.origin.wrapping_add(self.next as u32);
        self.is_elsewhere(seq) && (seq.wrapping_sub(next) as i32) < 0
    }

    /// Position of the next byte in order.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// What the other side has acknowledged, as a position.
    pub(crate) fn acked(&self) -> u64 {
        self.acked
    }

    /// How far an acknowledgement says that the other side got; everything if that is not known.
    #[inline]
    pub(crate) fn covered(&self, ack: Option<u32>) -> u64 {
        let known = ack.filter(|_| self.started);
        known.and_then(|ack| self.position(ack)).unwrap_or(u64::MAX)
    }

    /// Whether the byte with this number came before.
    pub(crate) fn has_come(&self, seq: u32) -> bool {
        self.position(seq).is_none_or(|at| at < self.next)
    }

    /// Whether bytes are held back.
    pub(crate) fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Whether bytes are missing before some that came, or that the other side has.
    #[inline]
    pub(crate) fn lacks(&self) -> bool {
        !self.held.is_empty() || self.acked > self.next
    }

    /// Whether the other side has bytes that did not come.
    #[inline]
    pub(crate) fn is_ahead(&self) -> bool {
        self.acked > self.next
    }

    /// Whether bytes are missing, also those that only its sender says to have sent.
    pub(crate) fn is_missing(&self) -> bool {
        self.lacks() || self.claimed.is_some_and(|(to, _)| to > self.next)
    }

    /// Up to where bytes came, if some behind that are missing; else all of them.
    #[inline]
    pub(crate) fn seen_to(&self) -> u64 {
        if self.lacks() { self.next } else { u64::MAX }
    }

    /// Takes note of an acknowledgement; says from where to where it moved on.
    pub(crate) fn acknowledge(&mut self, seq: u32) -> Option<(u64, u64)> {
        let position = self.position(seq)?.min(self.end);
        if !self.started || position <= self.acked {
            return None;
        }
        let before = std::mem::replace(&mut self.acked, position);
        Some((before, position))
    }

    /// Its sender ends it behind this segment, which has `length` bytes. The number behind the last byte is no byte's.
    pub(crate) fn ends(&mut self, seq: u32, length: u32) {
        let at = self.position(seq).filter(|_| self.started);
        self.end = at.map_or(u64::MAX, |at| at.saturating_add(length.into()));
    }

    /// Its sender sent a segment without data, whose number says how far it is.
    #[inline]
    pub(crate) fn claims(&mut self, seq: u32, now: Timestamp) {
        // Truncation intended: sequence numbers are positions modulo 2^32.
        if self.origin.wrapping_add(self.next as u32) != seq && self.claimed.is_none() {
            let further = self.position(seq).filter(|at| *at > self.next);
            let claimed = further.filter(|_| self.started && self.held.is_empty());
            self.claimed = claimed.map(|at| (at, now));
        }
    }

    /// Since when its sender said to have sent these bytes, where they come only now.
    #[inline]
    pub(crate) fn claimed_since(&mut self, seq: u32) -> Option<Timestamp> {
        let (to, since) = self.claimed?;
        let at = self.position(seq)?;
        if self.next >= to {
            self.claimed = None;
        }
        (at == self.next && at < to).then_some(since)
    }

    /// Its sender acknowledged something after this time, and did so `at_once`.
    pub(crate) fn reacted(&mut self, after_ns: i64, at_once: bool) {
        let shortest = self.reacts_ns.map_or(after_ns, |ns| ns.min(after_ns));
        self.reacts_ns = Some(shortest);
        if at_once {
            let (seen, shortest) = self.at_once;
            self.at_once = (seen.saturating_add(1), shortest.min(after_ns));
        }
    }

    /// The shortest time in which its sender acknowledged at once what it was sent, ns, if it did so several times: a
    /// round trip.
    #[cold]
    pub(crate) fn round_trip_ns(&self) -> Option<i64> {
        let (seen, shortest) = self.at_once;
        (seen >= SEVERAL).then_some(shortest)
    }

    /// The shortest time in which its sender acknowledged what it was sent, ns.
    #[cold]
    pub(crate) fn reacts_ns(&self) -> i64 {
        self.reacts_ns.unwrap_or(0)
    }

    /// Bytes of memory that are held back.
    pub(crate) fn held_bytes(&self) -> usize {
        self.held.bytes()
    }

    /// Since when bytes are held back.
    pub(crate) fn held_since(&mut self) -> Option<Timestamp> {
        self.held.since()
    }

    /// Whether bytes are held back behind a gap that the other side has acknowledged.
    pub(crate) fn gap_is_acknowledged(&self) -> bool {
        self.held.first().is_some_and(|(at, _)| at <= self.acked)
    }

    /// Takes a segment in; hands on what is in order.
    pub(crate) fn segment(
        &mut self,
        seq: u32,
        piece: &mut Piece<'_>,
        out: &mut dyn FnMut(Ordered<'_>),
    ) -> Fate {
        if !self.started {
            self.start(seq);
        }
        let length = u64::from(piece.length);
        // A segment that begins before the first byte ever seen is old as far as that.
        let distance = seq.wrapping_sub(self.origin.wrapping_add(self.next as u32)) as i32;
        let at = match self.position(seq) {
            Some(at) => at,
            None if !self.goes_on(seq, piece.length) => {
                // Before the first byte that was seen, or far from everything.
                let before = distance.unsigned_abs() <= FAR && distance < 0;
                return if before {
                    Fate::Old { at: 0, end: 0 }
                } else {
                    Fate::Foreign
                };
            }
            None => {
                self.skip(Flags::CAPTURE_LOSS, out);
                out(Ordered::Break);
                // Truncation intended: sequence numbers are positions modulo 2^32.
                self.origin = seq.wrapping_sub(self.next as u32);
                self.acked = self.next;
                self.next
            }
        };
        let end = at.saturating_add(length);
        if end <= self.next {
            return Fate::Old { at, end };
        }
        if at > self.next && at <= self.acked && self.held.is_empty() {
            // What lies between was acknowledged, but never captured.
            out(Ordered::Gap(
                at - self.next,
                piece.mark,
                Flags::CAPTURE_LOSS,
            ));
            self.next = at;
        }
        piece.sent.late = end <= self.acked;
        let old = u32::try_from(self.next.saturating_sub(at)).unwrap_or(u32::MAX);
        if old > 0 {
            *piece = cut(*piece, old, piece.length - old.min(piece.length));
        }
        let at = at.max(self.next);
        if at == self.next && self.held.is_empty() {
            self.next = end;
            piece.share = (0, piece.length);
            out(Ordered::Piece(piece));
            return Fate::New;
        }
        let mut overtaken = None;
        if at == self.next
            && let Some(first) = self.held.since()
        {
            let late_ns = piece.mark.at.since(first).max(0);
            let soon = self.reacts_ns.is_some_and(|ns| late_ns < ns);
            if soon || self.held.is_overtaken(piece, self.reacts_ns) {
                overtaken = Some(late_ns);
            } else {
                piece.late_ns = late_ns;
            }
        }
        let came = piece.mark.at;
        let fate = self.hold(at, *piece);
        self.drain(Some(came), out);
        match (fate, overtaken) {
            (Fate::New, Some(late_ns)) => Fate::Overtaken { late_ns },
            (fate, _) => fate,
        }
    }

    /// Gives up waiting for what is missing before the bytes held back, for the reason that
    /// the flag says.
    pub(crate) fn skip(&mut self, why: Flags, out: &mut dyn FnMut(Ordered<'_>)) {
        if let Some((at, mark)) = self.held.first() {
            let gap = at.saturating_sub(self.next);
            if gap > 0 {
                out(Ordered::Gap(gap, mark, why));
                self.next = at;
            }
            self.drain(None, out);
        }
    }

    /// Whether this segment from far away is where the connection goes on.
    fn goes_on(&mut self, seq: u32, length: u32) -> bool {
        let (expected, count) = self.stray;
        let count = if count > 0 && seq == expected {
            count + 1
        } else {
            1
        };
        let found = count >= STRAYS;
        self.stray = (seq.wrapping_add(length), if found { 0 } else { count });
        found
    }

    /// Holds back what of these bytes is not held back yet.
    fn hold(&mut self, at: u64, mut piece: Piece<'_>) -> Fate {
        let end = at + u64::from(piece.length);
        let mut ranges = Vec::new();
        let mut from = at;
        for (held_at, held) in self.held.overlapping(at, end) {
            if held_at > from {
                ranges.push((from, held_at));
            }
            held.resent = Some(piece.mark);
            from = held_at + u64::from(held.length);
        }
        if from < end {
            ranges.push((from, end));
        }
        let fresh = ranges.iter().map(|(a, b)| b - a).sum::<u64>();
        if fresh == 0 {
            return Fate::HeldTwice;
        }
        let of = u32::try_from(fresh).unwrap_or(u32::MAX);
        let mut done = 0;
        for (a, b) in ranges {
            let (Ok(skip), Ok(length)) = (u32::try_from(a - at), u32::try_from(b - a)) else {
                continue;
            };
            let part = cut(piece, skip, length);
            let held = Held {
                bytes: part.bytes.to_vec(),
                length,
                mark: piece.mark,
                place: part.at,
                share: (done, of),
                hops: piece.hops,
                resent: piece.resent,
                late_ns: std::mem::take(&mut piece.late_ns),
                sent: piece.sent,
                packet: piece.packet,
                stamp: piece.stamp,
                offload: piece.offload,
            };
            self.held.insert(a, held);
            done += length;
        }
        Fate::New
    }

    /// Hands on what is held back and now in order, since what was missing came, if it did.
    fn drain(&mut self, came: Option<Timestamp>, out: &mut dyn FnMut(Ordered<'_>)) {
        while let Some((at, held)) = self.held.take_first(self.next) {
            self.next = at + u64::from(held.length);
            out(Ordered::Piece(&Piece {
                bytes: &held.bytes,
                length: held.length,
                mark: held.mark,
                at: held.place,
                share: held.share,
                hops: held.hops,
                resent: held.resent,
                late_ns: held.late_ns,
                held_ns: came.map_or(0, |came| came.since(held.mark.at).max(0)),
                sent: held.sent,
                packet: held.packet,
                stamp: held.stamp,
                offload: held.offload,
            }));
        }
    }
}

/// `length` bytes from `skip` on.
fn cut(piece: Piece<'_>, skip: u32, length: u32) -> Piece<'_> {
    let bytes = piece.bytes.get(skip as usize..).unwrap_or_default();
    Piece {
        bytes: &bytes[..bytes.len().min(length as usize)],
        length,
        at: piece.at.saturating_add(skip),
        ..piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_acknowledgements_at_once_show_a_round_trip() {
        let mut stream = ByteStream::new();
        for ns in [900, 500, 700] {
            stream.reacted(ns, true);
        }
        stream.reacted(100, false);
        assert_eq!(stream.round_trip_ns(), None);
        stream.reacted(600, true);
        assert_eq!(stream.round_trip_ns(), Some(500));
        stream.restart();
        assert_eq!(stream.round_trip_ns(), None);
    }

    fn feed(stream: &mut ByteStream, frame: u64, seq: u32, bytes: &[u8], log: &mut String) -> Fate {
        feed_packet(stream, (frame, None), seq, bytes, log)
    }

    fn feed_packet(
        stream: &mut ByteStream,
        (frame, packet): (u64, Option<u16>),
        seq: u32,
        bytes: &[u8],
        log: &mut String,
    ) -> Fate {
        feed_piece(stream, piece((frame, packet), bytes), seq, log)
    }

    fn piece((frame, packet): (u64, Option<u16>), bytes: &[u8]) -> Piece<'_> {
        Piece {
            bytes,
            length: bytes.len() as u32,
            mark: Mark {
                frame,
                at: Timestamp::from_nanos(frame as i64),
            },
            at: 0,
            share: (0, 0),
            hops: None,
            resent: None,
            late_ns: 0,
            held_ns: 0,
            sent: crate::piece::Sent::UNKNOWN,
            packet,
            stamp: None,
            offload: crate::piece::Offload::default(),
        }
    }

    fn feed_piece(
        stream: &mut ByteStream,
        mut piece: Piece<'_>,
        seq: u32,
        log: &mut String,
    ) -> Fate {
        stream.segment(seq, &mut piece, &mut |o| match o {
            Ordered::Piece(p) => {
                log.push_str(&format!("{}:", p.mark.frame));
                log.push_str(&String::from_utf8_lossy(p.bytes));
                log.push_str(if p.resent.is_some() { "* " } else { " " });
            }
            Ordered::Gap(n, ..) => log.push_str(&format!("[{n}] ")),
            Ordered::Break => log.push_str("[break] "),
        })
    }

    #[test]
    fn early_segments_wait_and_overlaps_are_cut() {
        let (mut s, mut log) = (ByteStream::new(), String::new());
        s.start(u32::MAX - 1);
        assert_eq!(feed(&mut s, 1, u32::MAX - 1, b"ab", &mut log), Fate::New);
        assert_eq!(feed(&mut s, 2, 3, b"fg", &mut log), Fate::New);
        assert_eq!(feed(&mut s, 3, 1, b"def", &mut log), Fate::New);
        assert_eq!(log, "1:ab ");
        assert_eq!(feed(&mut s, 4, 0, b"cdefgh", &mut log), Fate::New);
        assert_eq!(log, "1:ab 4:c 3:de* 2:fg* 4:h ");
        assert_eq!(
            feed(&mut s, 5, 0, b"cd", &mut log),
            Fate::Old { at: 2, end: 4 }
        );
    }

    #[test]
    fn what_was_acknowledged_but_never_seen_is_a_gap() {
        let (mut s, mut log) = (ByteStream::new(), String::new());
        s.start(100);
        feed(&mut s, 1, 100, b"ab", &mut log);
        feed(&mut s, 2, 105, b"fg", &mut log);
        assert!(!s.gap_is_acknowledged());
        assert_eq!(s.acknowledge(107), Some((0, 7)));
        assert!(s.gap_is_acknowledged());
        let mut gaps = Vec::new();
        s.skip(Flags::CAPTURE_LOSS, &mut |o| match o {
            Ordered::Gap(n, ..) => gaps.push(n),
            Ordered::Piece(p) => gaps.push(u64::from(p.length)),
            Ordered::Break => {}
        });
        assert_eq!(gaps, [3, 2]);
        assert_eq!(s.acknowledge(107), None);
    }

    #[test]
    fn a_connection_goes_on_far_away_when_three_segments_say_so() {
        let (mut s, mut log) = (ByteStream::new(), String::new());
        s.start(0);
        feed(&mut s, 1, 0, b"ab", &mut log);
        assert_eq!(feed(&mut s, 2, 1 << 30, b"x", &mut log), Fate::Foreign);
        assert_eq!(feed(&mut s, 3, 1 << 31, b"cd", &mut log), Fate::Foreign);
        assert_eq!(
            feed(&mut s, 4, (1 << 31) + 2, b"ef", &mut log),
            Fate::Foreign
        );
        assert_eq!(feed(&mut s, 5, (1 << 31) + 4, b"gh", &mut log), Fate::New);
        assert_eq!(feed(&mut s, 6, (1 << 31) + 6, b"ij", &mut log), Fate::New);
        assert_eq!(log, "1:ab [break] 5:gh 6:ij ");
    }

    /// Its sender never acknowledged anything within 10 ns: what fills a gap after 9 was overtaken;
    /// after 10, or where nothing is known, it may be a retransmission.
    #[test]
    fn what_fills_a_gap_within_a_round_trip_was_overtaken() {
        let fill = |reactions: &[i64], after: u64| {
            let (mut s, mut log) = (ByteStream::new(), String::new());
            s.start(0);
            for ns in reactions {
                s.reacted(*ns, false);
            }
            feed(&mut s, 1, 0, b"ab", &mut log);
            assert_eq!(feed(&mut s, 100, 4, b"ef", &mut log), Fate::New);
            let fate = feed(&mut s, 100 + after, 2, b"cd", &mut log);
            assert_eq!(log, format!("1:ab {}:cd 100:ef ", 100 + after));
            fate
        };
        assert_eq!(fill(&[30, 10, 20], 9), Fate::Overtaken { late_ns: 9 });
        assert_eq!(fill(&[30, 10, 20], 10), Fate::New);
        assert_eq!(fill(&[], 1), Fate::New);
    }

    /// Its sender acknowledges within 10 ns, and the gap is filled after 50. The packet behind the gap had the number
    /// 3: what fills it was sent before that if its number is 2, and behind it if it is 4. At most 16
    /// packets overtake one.
    #[test]
    fn what_was_sent_before_what_came_was_overtaken() {
        let fill = |behind: Option<u16>, packet: Option<u16>| {
            let (mut s, mut log) = (ByteStream::new(), String::new());
            s.start(0);
            s.reacted(10, false);
            feed_packet(&mut s, (1, Some(1)), 0, b"ab", &mut log);
            feed_packet(&mut s, (100, behind), 4, b"ef", &mut log);
            feed_packet(&mut s, (110, behind.map(|n| n + 1)), 6, b"gh", &mut log);
            feed_packet(&mut s, (150, packet), 2, b"cd", &mut log)
        };
        let overtaken = Fate::Overtaken { late_ns: 50 };
        assert_eq!(fill(Some(3), Some(2)), overtaken);
        assert_eq!(fill(Some(3), Some(5)), Fate::New, "sent again");
        assert_eq!(fill(Some(3), Some(3)), Fate::New);
        assert_eq!(
            fill(Some(3), Some(u16::MAX)),
            overtaken,
            "numbers start again"
        );
        assert_eq!(fill(Some(20), Some(4)), overtaken);
        assert_eq!(fill(Some(20), Some(3)), Fate::New, "17 before");
        assert_eq!([fill(None, Some(2)), fill(Some(3), None)], [Fate::New; 2]);
        let behind = |segments: u32| {
            let (mut s, mut log) = (ByteStream::new(), String::new());
            s.start(0);
            for n in 1..=segments {
                let packet = Some(3 + n as u16);
                feed_packet(&mut s, (100, packet), 2 * n, b"ef", &mut log);
            }
            feed_packet(&mut s, (150, Some(3)), 0, b"cd", &mut log)
        };
        assert_eq!(behind(64), overtaken);
        assert_eq!(behind(65), Fate::New, "more than overtake one");
    }

    /// No packet has a number. The clock of the stamps ticks each 1,000 ns, which a first hole shows; its sender
    /// acknowledges within 2,000 ns at least, or within 1,999. A gap is filled 5,000 ns after what is behind it came.
    #[test]
    fn time_stamps_show_what_was_sent_before_what_came() {
        let fill = |reacts: i64, ticks: u32, behind: u32, stamp: u32| {
            let (mut s, mut log) = (ByteStream::new(), String::new());
            s.start(0);
            s.reacted(reacts, false);
            let mut feed = |frame: u64, stamp: u32, seq: u32| {
                let piece = Piece {
                    stamp: std::num::NonZeroU32::new(stamp),
                    ..piece((frame, None), b"ab")
                };
                feed_piece(&mut s, piece, seq, &mut log)
            };
            feed(1_000, behind.wrapping_sub(ticks), 2);
            feed(1_000, behind.wrapping_sub(ticks), 0);
            let ns = u64::from(ticks) * 1_000;
            feed(1_000 + ns, behind, 6);
            feed(6_000 + ns, stamp, 4)
        };
        let overtaken = Fate::Overtaken { late_ns: 5_000 };
        assert_eq!(fill(1_999, 100, 700, 699), overtaken, "sent before");
        assert_eq!(fill(1_999, 100, 700, 701), Fate::New, "sent again");
        assert_eq!(fill(2_000, 100, 700, 700), overtaken, "in the same tick");
        assert_eq!(fill(1_999, 100, 700, 700), Fate::New, "or not");
        assert_eq!(
            fill(2_000, 99, 700, 700),
            Fate::New,
            "nothing shows the tick"
        );
        assert_eq!(fill(1_999, 100, 700, 0), Fate::New, "no stamp");
        assert_eq!(
            fill(1_999, 100, 3, u32::MAX),
            overtaken,
            "stamps start again"
        );
    }

    /// Bytes 2 to 4 were sent before 20, when their sender said to be behind them, and come at 500.
    #[test]
    fn a_segment_without_data_says_how_far_its_sender_is() {
        let (mut s, mut log) = (ByteStream::new(), String::new());
        let ns = Timestamp::from_nanos;
        s.start(u32::MAX);
        feed(&mut s, 1, u32::MAX, b"ab", &mut log);
        // A keep-alive, and an acknowledgement in its turn.
        s.claims(0, ns(5));
        s.claims(1, ns(10));
        assert_eq!(s.claimed_since(1), None);
        s.claims(3, ns(20));
        s.claims(3, ns(30));
        assert_eq!(s.claimed_since(3), None, "what comes behind is new");
        assert_eq!(s.claimed_since(1), Some(ns(20)));
        feed(&mut s, 500, 1, b"cd", &mut log);
        assert_eq!(s.claimed_since(3), None);
        assert_eq!(log, "1:ab 500:cd ");
    }

    /// Held back since 100 behind what came at 150 only, a segment was in order 50 ns after it had come; where the gap
    /// is given up, nobody knows.
    #[test]
    fn what_is_held_back_says_for_how_long() {
        let held = |fill: bool| {
            let (mut s, mut log, mut held) = (ByteStream::new(), String::new(), Vec::new());
            s.start(0);
            feed(&mut s, 100, 2, b"cd", &mut log);
            let mut out = |o: Ordered<'_>| {
                if let Ordered::Piece(piece) = o {
                    held.push((piece.mark.frame, piece.held_ns));
                }
            };
            match fill {
                true => {
                    s.segment(0, &mut piece((150, None), b"ab"), &mut out);
                }
                false => s.skip(Flags::CAPTURE_LOSS, &mut out),
            }
            held
        };
        assert_eq!(held(true), [(150, 0), (100, 50)]);
        assert_eq!(held(false), [(100, 0)]);
    }

    #[test]
    fn what_is_held_counts_with_its_keeping() {
        let (mut s, mut log) = (ByteStream::new(), String::new());
        s.start(0);
        for i in 0..10_000u32 {
            feed(&mut s, 1, 2 + i * 2, b"x", &mut log);
        }
        let each = s.held_bytes() / 10_000;
        assert!((64..400).contains(&each), "{each} bytes for one");
        let mut bytes = 0;
        while s.held_bytes() > 0 {
            s.skip(Flags::LIMITED, &mut |o| match o {
                Ordered::Gap(n, _, why) => {
                    assert_eq!((n, why), (if bytes == 0 { 2 } else { 1 }, Flags::LIMITED));
                }
                Ordered::Piece(p) => bytes += p.length,
                Ordered::Break => panic!("nothing was skipped but bytes"),
            });
        }
        assert_eq!(bytes, 10_000);
        assert_eq!(feed(&mut s, 1, 0x8000_0000, b"x", &mut log), Fate::Foreign);
    }
}
