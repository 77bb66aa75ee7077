//! A conversation, frame by frame, around one of its transactions: what a ladder diagram shows.
//!
//! Which frames a transaction has is known only when it is over, so the capture is read again:
//! first [`Choice`] finds the transaction, then [`Climb`] gathers the frames. It keeps a fixed
//! number of them and counts what it leaves out.

use crate::decode::Tree;
use crate::escape::Escaped;
use std::collections::VecDeque;
use std::fmt;
use wirewait_analysis::{Analyzer, Assembled, Deed, Mark, Settings, Sink, Transaction};
use wirewait_wire::{Depth, Frame, Kind, OwnedFrame, Registry, Timestamp, Walk};

/// Frames kept in front of the transaction, and behind it.
const AROUND: usize = 6;
/// Frames kept of each part of a transaction at its beginning, and as many at its end.
const HALF: usize = 12;
/// So long after the answer nothing is told of its frames any more, ns.
const SETTLED_NS: i64 = 3_000_000_000;
/// What was captured of a frame is kept so far: headers, not data.
const KEPT_BYTES: usize = 512;

/// Finds the transaction of a conversation that is worth a look: the slowest that did not
/// wait by design; if none was answered, the first.
#[derive(Clone, Debug)]
pub struct Choice {
    conversation: u64,
    chosen: Option<Transaction>,
}

impl Choice {
    /// In the conversation with this number.
    #[must_use]
    pub fn of(conversation: u64) -> Self {
        Self {
            conversation,
            chosen: None,
        }
    }

    /// What was found.
    #[must_use]
    pub fn chosen(self) -> Option<Transaction> {
        self.chosen
    }
}

/// How much worth a look a transaction is; waits by design are as good as unanswered.
fn worth(transaction: &Transaction) -> Option<i64> {
    let time = transaction.response_time_ns();
    time.filter(|_| transaction.kind != Kind::Wait)
}

impl Sink for Choice {
    fn transaction(&mut self, transaction: &Transaction) {
        if transaction.conversation != self.conversation {
            return;
        }
        let better = self.chosen.as_ref().is_none_or(|chosen| {
            let rank = |t: &Transaction| (worth(t), std::cmp::Reverse(t.number));
            rank(transaction) > rank(chosen)
        });
        if better {
            self.chosen = Some(transaction.clone());
        }
    }
}

/// Frames of a conversation, around one of its transactions.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// The transaction.
    pub transaction: Transaction,
    /// Frames of the conversation before the first one shown.
    pub earlier: u64,
    /// The frames, in the order of the capture.
    pub rungs: Vec<Rung>,
}

impl Ladder {
    /// The first frame of the transaction.
    #[must_use]
    pub fn begin(&self) -> Option<Mark> {
        let t = &self.transaction;
        t.request.or(t.response).map(|extent| extent.first)
    }

    /// From there to this frame, ns.
    #[must_use]
    pub fn since_begin(&self, rung: &Rung) -> i64 {
        self.begin().map_or(0, |begin| rung.at.since(begin.at))
    }
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rung {
    /// Frames of the conversation left out between the one before and this.
    pub left_out: u64,
    /// Its number in the capture.
    pub frame: u64,
    /// Its time.
    pub at: Timestamp,
    /// Whether the client sent it.
    pub from_client: bool,
    /// Its length on the wire, bytes.
    pub bytes: u32,
    /// What it did, in which transactions; those of the transaction first.
    pub deeds: Vec<(u64, Deed)>,
    /// What its innermost layers say; not yet safe for a terminal.
    pub words: String,
}

/// Gathers the frames of a ladder.
pub struct Climb {
    registry: Registry,
    analyzer: Analyzer,
    heard: HeardFrame,
    walk: Walk,
    number: u64,
    /// Names are hidden.
    private: bool,
}

/// What stands in place of a frame's words where names are hidden.
const HIDDEN: &str = "hidden (--private)";

impl fmt::Debug for Climb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Climb")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

impl Climb {
    /// For this transaction. Both registries have the dissectors with which it was found, and
    /// the settings are the same.
    #[must_use]
    pub fn new(
        transaction: Transaction,
        settings: Settings,
        registry: Registry,
        for_analysis: Registry,
    ) -> Self {
        Self {
            registry,
            analyzer: Analyzer::new(for_analysis, settings).observed(),
            heard: HeardFrame::new(transaction),
            walk: Walk::default(),
            number: 0,
            private: settings.private,
        }
    }

    /// Takes in the next frame of the capture.
    pub fn pass(&mut self, frame: &Frame<'_>) {
        self.number += 1;
        // As deep as conversations are told apart.
        self.registry.walk(frame, Depth::Handover, &mut self.walk);
        let ends = (self.walk.facts.from, self.walk.facts.to);
        let t = &self.heard.transaction;
        let from_client = ends.0 == t.client;
        let extents = [t.request, t.response].into_iter().flatten();
        // A question to all (who has this name?) has another destination.
        let named = extents
            .flat_map(|extent| [extent.first.frame, extent.last.frame])
            .any(|frame| frame == self.number);
        if named || ends == (t.client, t.server) || ends == (t.server, t.client) {
            self.heard.keep(self.number, frame, from_client);
        }
        self.analyzer.frame(frame, &mut self.heard);
        self.heard.now = frame.at;
    }

    /// Leaves the next frame of the capture out of everything but the numbers of frames.
    pub fn skip(&mut self) {
        self.number += 1;
        self.analyzer.skip();
    }

    /// Nothing will be added any more.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.heard.is_done()
    }

    /// The ladder.
    #[must_use]
    pub fn finish(mut self) -> Ladder {
        if !self.heard.is_done() {
            self.analyzer.finish(&mut self.heard);
        }
        let HeardFrame {
            transaction, parts, ..
        } = self.heard;
        let earlier = parts[0].left_out;
        let mut rungs: Vec<Rung> = Vec::new();
        for (n, part) in parts.into_iter().enumerate() {
            let head = part.head.into_iter().map(|kept| (0, kept));
            // What is left out of a part lies between its beginning and its end.
            let gap = if n == 0 { 0 } else { part.left_out };
            let tail = part.tail.into_iter().enumerate();
            let tail = tail.map(|(n, kept)| (if n == 0 { gap } else { 0 }, kept));
            for (left_out, kept) in head.chain(tail) {
                let frame = kept.frame.as_frame();
                self.registry.walk(&frame, Depth::Full, &mut self.walk);
                let mut words = String::new();
                if self.private {
                    // They would name users, shares and files.
                    words.push_str(HIDDEN);
                } else {
                    let tree = Tree::of_frame(&self.registry, &frame, &self.walk);
                    // Writing to a string does not fail.
                    let _ = tree.words(&mut words);
                }
                let mut deeds = kept.deeds.clone();
                deeds.sort_by_key(|(number, deed)| (*number != transaction.number, *number, *deed));
                rungs.push(Rung {
                    left_out,
                    frame: kept.number,
                    at: frame.at,
                    from_client: kept.from_client,
                    bytes: frame.wire_len,
                    deeds,
                    words: Escaped(&words).to_string(),
                });
            }
        }
        Ladder {
            transaction,
            earlier,
            rungs,
        }
    }
}

/// A frame of a ladder.
struct LadderFrame {
    number: u64,
    frame: OwnedFrame,
    from_client: bool,
    deeds: Vec<(u64, Deed)>,
}

/// Frames that lie side by side in time: the first few, and the last few.
#[derive(Default)]
struct LadderPart {
    first: usize,
    last: usize,
    head: Vec<LadderFrame>,
    tail: VecDeque<LadderFrame>,
    left_out: u64,
}

impl LadderPart {
    fn new(first: usize, last: usize) -> Self {
        Self {
            first,
            last,
            ..Self::default()
        }
    }

    fn is_full(&self) -> bool {
        self.head.len() >= self.first && self.last == 0
    }

    fn push(&mut self, kept: LadderFrame) {
        if self.head.len() < self.first {
            self.head.push(kept);
            return;
        }
        self.tail.push_back(kept);
        if self.tail.len() > self.last {
            self.tail.pop_front();
            self.left_out += 1;
        }
    }

    fn find(&mut self, number: u64) -> Option<&mut LadderFrame> {
        let all = self.head.iter_mut().chain(&mut self.tail);
        all.into_iter().find(|kept| kept.number == number)
    }
}

/// What is gathered, and what the analysis tells of it.
struct HeardFrame {
    transaction: Transaction,
    /// Before the request, the request, until the answer, the answer, behind it.
    parts: [LadderPart; 5],
    /// The last frame of each part but the last.
    ends: [u64; 4],
    /// The end of the transaction.
    over: Option<Timestamp>,
    closed: bool,
    now: Timestamp,
}

impl HeardFrame {
    fn new(transaction: Transaction) -> Self {
        let (request, response) = (transaction.request, transaction.response);
        let begin = request.or(response).map_or(1, |extent| extent.first.frame);
        let asked = request.map_or(begin, |extent| extent.last.frame);
        // Without an answer the wait for it has no end.
        let answer = response.map_or(u64::MAX, |extent| extent.first.frame);
        let last = transaction.raw_end.map_or(0, |mark| mark.frame);
        let end = response.map_or(u64::MAX, |extent| extent.last.frame.max(last));
        let over = response.map(|extent| extent.last.at);
        Self {
            ends: [
                begin.saturating_sub(1),
                asked,
                answer.saturating_sub(1),
                end,
            ],
            parts: [
                LadderPart::new(0, AROUND),
                LadderPart::new(HALF, HALF),
                LadderPart::new(HALF, HALF),
                LadderPart::new(HALF, HALF),
                LadderPart::new(AROUND, 0),
            ],
            over,
            transaction,
            closed: false,
            now: Timestamp::default(),
        }
    }

    fn keep(&mut self, number: u64, frame: &Frame<'_>, from_client: bool) {
        let part = self
            .ends
            .iter()
            .position(|end| number <= *end)
            .unwrap_or(self.ends.len());
        if self.parts[part].is_full() {
            return;
        }
        let head = frame.bytes.len().min(KEPT_BYTES);
        let bytes = frame.bytes.get(..head).unwrap_or_default();
        self.parts[part].push(LadderFrame {
            number,
            frame: OwnedFrame::from(&Frame { bytes, ..*frame }),
            from_client,
            deeds: Vec::new(),
        });
    }

    fn is_done(&self) -> bool {
        let settled = self
            .over
            .is_some_and(|over| self.now.since(over) > SETTLED_NS);
        self.closed && settled
    }

    fn note(&mut self, number: u64, deed: (u64, Deed)) {
        let kept = self.parts.iter_mut().find_map(|part| part.find(number));
        if let Some(kept) = kept.filter(|kept| !kept.deeds.contains(&deed)) {
            kept.deeds.push(deed);
        }
    }
}

impl Sink for HeardFrame {
    fn transaction(&mut self, transaction: &Transaction) {
        self.closed |= transaction.number == self.transaction.number;
    }

    fn assembled(&mut self, message: &Assembled<'_>) {
        if let Some(deed) = message.deed {
            for stretch in message.stretches.iter().filter(|s| s.frame > 0) {
                self.note(stretch.frame, deed);
            }
        }
    }

    fn did(&mut self, frame: u64, transaction: u64, deed: Deed) {
        self.note(frame, (transaction, deed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use wirewait_wire::LinkType;

    #[test]
    fn the_slowest_that_was_answered_is_chosen() {
        let mut choice = Choice::of(3);
        let (unanswered, slow) = (samples::unanswered(), samples::answered());
        choice.transaction(&unanswered);
        assert_eq!(choice.clone().chosen().unwrap().number, unanswered.number);
        choice.transaction(&slow);
        // Slower, but it was to wait; as slow, but later; in another conversation.
        for (number, kind, conversation) in [
            (50, Kind::Wait, 3),
            (51, Kind::Read, 3),
            (52, Kind::Read, 4),
        ] {
            let mut other = samples::answered();
            (other.number, other.kind, other.conversation) = (number, kind, conversation);
            choice.transaction(&other);
        }
        assert_eq!(choice.chosen().unwrap().number, slow.number);
        assert!(Choice::of(9).chosen().is_none());
    }

    fn frame(at: Timestamp) -> Frame<'static> {
        Frame {
            at,
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: 60,
            bytes: &[0; 60],
        }
    }

    /// Frames 17-18 ask and 20-23 answer in [`samples::answered`]; here the answer ends with
    /// frame 1000.
    fn heard(frames: std::ops::RangeInclusive<u64>) -> HeardFrame {
        let mut transaction = samples::answered();
        transaction.response.as_mut().unwrap().last = samples::mark(1000, 5000);
        let mut heard = HeardFrame::new(transaction);
        for number in frames {
            heard.keep(number, &frame(samples::at(0)), true);
        }
        heard
    }

    #[test]
    fn a_long_answer_keeps_its_ends_and_counts_the_rest() {
        let mut heard = heard(1..=2000);
        let kept: Vec<Vec<u64>> = heard
            .parts
            .iter()
            .map(|part| {
                part.head
                    .iter()
                    .chain(&part.tail)
                    .map(|k| k.number)
                    .collect()
            })
            .collect();
        assert_eq!(kept[0], [11, 12, 13, 14, 15, 16]);
        assert_eq!(kept[1], [17, 18]);
        assert_eq!(kept[2], [19]);
        let answer: Vec<u64> = (20..32).chain(989..=1000).collect();
        assert_eq!(kept[3], answer);
        assert_eq!(kept[4], [1001, 1002, 1003, 1004, 1005, 1006]);
        let left_out: Vec<u64> = heard.parts.iter().map(|part| part.left_out).collect();
        assert_eq!(left_out, [10, 0, 0, 1000 - 19 - 24, 0]);
        heard.note(500, (12, Deed::Response));
        heard.note(20, (12, Deed::Response));
        heard.note(20, (12, Deed::Response));
        assert_eq!(heard.parts[3].head[0].deeds, [(12, Deed::Response)], "once");
    }

    #[test]
    fn without_an_answer_the_wait_goes_on_to_the_end() {
        let mut heard = HeardFrame::new(samples::unanswered());
        for number in 1..=500 {
            heard.keep(number, &frame(samples::at(0)), false);
        }
        assert_eq!(heard.parts[2].tail.back().unwrap().number, 500);
        heard.transaction(&samples::unanswered());
        heard.now = samples::at(1_000_000_000);
        assert!(!heard.is_done(), "there is no end to be past");
    }

    #[test]
    fn it_is_done_a_while_after_the_answer() {
        let mut heard = heard(1..=20);
        heard.now = samples::at(4_000_000);
        assert!(!heard.is_done(), "not closed");
        heard.transaction(&samples::answered());
        assert!(heard.is_done());
        heard.now = samples::at(2_000_000);
        assert!(!heard.is_done(), "an acknowledgement may still come");
    }
}
