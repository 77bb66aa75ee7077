//! Conversations whose ends take turns: what each side said last, and whether it says it again.
//!
//! No acknowledgement and no number that is understood tells a repetition from a new request
//! that happens to ask for the same. While nothing came back, the same words are the same
//! request. After a response they are if the sender's time-out has passed, and if a field of the
//! header, or of the first bytes of the message, stayed the same that had changed with each new
//! request: the identifier by which the receiver tells them apart, wherever it stands.
//!
//! Where that identifier is known, it tells which request a message is about, and no turn counts.

use crate::duplicates::digest;
use std::collections::VecDeque;
use wirewait_wire::{Id, Placed, PlacedKind, Role, Timestamp};

/// Bytes of a header that are compared; one bit each.
const FRONT: usize = 64;
/// Bytes of a message that are compared.
const COMPARED: usize = 1024;
/// The first bytes of a message, one bit each: identifiers stand in front of what is asked for.
const HEAD: usize = 32;
/// Requests of one length in a row after which one of these bytes that was different in each is an identifier: what is asked
/// for differs, too.
const ENOUGH: u32 = 4;

/// Requests that are remembered by their identifiers.
const NAMED: usize = 64;

/// How a message stands to what its sender said before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Said {
    /// Something else; or the ends take no turns.
    #[default]
    New,
    /// The message before, repeated; recognised by its length where only that is known.
    Again,
    /// More, soon behind it.
    More,
}

/// What is remembered of a conversation of turns.
pub(crate) struct Turns {
    /// Who waits so long for an answer asks again, ns.
    patience_ns: i64,
    /// Whose message was the last.
    speaker: Option<usize>,
    voices: [Voice; 2],
    /// Those that go by an identifier, in the order in which they were asked.
    named: VecDeque<NamedRequest>,
}

/// A request, or a copy of one, that goes by an identifier.
struct NamedRequest {
    side: usize,
    id: Id,
    /// That of its first copy.
    first: Id,
    length: u32,
    /// The latest frame of it, and of its response.
    at: Timestamp,
    answered: Option<Timestamp>,
}

/// A message that says which request it is about.
pub(crate) struct NamedMessage {
    /// It asks, or answers.
    pub(crate) role: Role,
    /// The identifier of the first copy of the request.
    pub(crate) id: Id,
    pub(crate) said: Said,
    /// Which request it is about is known.
    pub(crate) known: bool,
}

/// How a message of a known identifier was read.
pub(crate) struct Heard {
    /// What was said by turn.
    pub(crate) said: Said,
    /// All of it is here: more of it is a copy.
    pub(crate) whole: bool,
    pub(crate) length: u32,
    pub(crate) at: Timestamp,
}

/// One side.
#[derive(Default)]
struct Voice {
    /// What is known of what is being said.
    placed: Placed,
    /// The header of it: what is compared of it, and how long it is.
    front: Vec<u8>,
    header: u32,
    /// Bytes of the message that is being said, and frames of it behind the first.
    wanted: u32,
    more: u32,
    last: Option<Spoken>,
    /// The bytes of the header that were different in every new message until now.
    fresh: Option<u64>,
    /// Likewise of the first bytes of the messages; and in how many.
    fresh_head: u32,
    compared: u32,
}

/// A message.
struct Spoken {
    digest: u64,
    length: u32,
    front: Vec<u8>,
    head: [u8; HEAD],
    at: Timestamp,
}

impl Voice {
    /// A new message of the same length as this one: which of its first bytes differ, too.
    fn compare_heads(&mut self, before: &[u8; HEAD], now: &[u8; HEAD]) {
        let changed = differing(before, now) as u32;
        self.fresh_head = changed
            & if self.compared == 0 {
                u32::MAX
            } else {
                self.fresh_head
            };
        self.compared = self.compared.saturating_add(1);
    }

    /// Whether the first bytes of messages have an identifier.
    fn has_identifier(&self) -> bool {
        self.compared >= ENOUGH && self.fresh_head != 0
    }
}

/// The first bytes of a message, with zeros behind a shorter one.
fn head(bytes: &[u8]) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    for (to, from) in head.iter_mut().zip(bytes) {
        *to = *from;
    }
    head
}

impl Turns {
    pub(crate) fn new(patience_ns: i64) -> Self {
        Self {
            patience_ns,
            speaker: None,
            voices: Default::default(),
            named: VecDeque::new(),
        }
    }

    /// What is known of the message that `side` is saying.
    pub(crate) fn placed(&self, side: usize) -> Placed {
        self.voices[side].placed
    }

    /// Whether a frame, of either side, may be about the request that `side` is speaking of: it is not
    /// where both say which, and differ.
    pub(crate) fn may_be_about(&self, side: usize, frame: &Placed) -> bool {
        let own = self.placed(side).id;
        own.is_none() || frame.id.is_none() || own == frame.id
    }

    /// Which request a message of `side` is about, by its identifier.
    pub(crate) fn named(
        &mut self,
        side: usize,
        (id, placed): (Id, &Placed),
        heard: &Heard,
    ) -> NamedMessage {
        let known = |asker: usize| {
            let same = |request: &NamedRequest| request.side == asker && request.id == id;
            self.named.iter().rposition(same)
        };
        let (own, other) = (known(side), known(1 - side));
        let answers = match placed.kind {
            PlacedKind::Request => false,
            PlacedKind::Response => true,
            _ => other.is_some(),
        };
        if answers {
            return self.named_response((id, other), heard);
        }
        let soon = |before: Timestamp| heard.at.since(before) < self.patience_ns;
        let before = own.and_then(|at| self.named.get(at));
        let said = match before {
            Some(before) if !heard.whole && soon(before.at) => Said::More,
            Some(before) if before.length != heard.length => Said::New,
            Some(_) if placed.lasting || !heard.whole => Said::Again,
            None if placed.lasting || heard.said == Said::More => Said::New,
            _ => heard.said,
        };
        let latest = self.named.iter().rfind(|request| request.side == side);
        let first = match (said, before, latest) {
            (Said::More | Said::Again, Some(before), _) => before.first,
            (Said::Again, None, Some(latest)) => latest.first,
            _ => id,
        };
        match own.filter(|_| said != Said::New) {
            Some(at) => self.named[at].at = heard.at,
            None => self.remember(NamedRequest {
                side,
                id,
                first,
                length: heard.length,
                at: heard.at,
                answered: None,
            }),
        }
        NamedMessage {
            role: Role::Request,
            id: first,
            said,
            known: false,
        }
    }

    fn named_response(&mut self, (id, asked): (Id, Option<usize>), heard: &Heard) -> NamedMessage {
        let patience_ns = self.patience_ns;
        let request = asked.and_then(|at| self.named.get_mut(at));
        let known = request.is_some();
        let (first, said) = request.map_or((id, Said::New), |request| {
            let before = request.answered.replace(heard.at);
            let said = match before {
                Some(before) if !heard.whole && heard.at.since(before) < patience_ns => Said::More,
                Some(_) => Said::Again,
                None => Said::New,
            };
            (request.first, said)
        });
        NamedMessage {
            role: Role::Response,
            id: first,
            said,
            known,
        }
    }

    /// More messages of the request of `side` that was asked last go by this identifier, too.
    pub(crate) fn also_named(&mut self, side: usize, id: Id) {
        let latest = self.named.iter().rfind(|request| request.side == side);
        let Some((first, length, at)) = latest.map(|r| (r.first, r.length, r.at)) else {
            return;
        };
        self.remember(NamedRequest {
            side,
            id,
            first,
            length,
            at,
            answered: None,
        });
    }

    fn remember(&mut self, request: NamedRequest) {
        if self.named.len() >= NAMED {
            self.named.pop_front();
        }
        self.named.push_back(request);
    }

    /// `side` begins a message of `wanted` bytes behind this header.
    pub(crate) fn begins(&mut self, side: usize, front: &[u8], placed: Placed, wanted: u32) {
        let voice = &mut self.voices[side];
        voice.placed = placed;
        voice.front.clear();
        voice.front.extend(front.iter().take(FRONT));
        voice.header = u32::try_from(front.len()).unwrap_or(u32::MAX);
        voice.wanted = wanted;
        voice.more = 0;
    }

    /// A further frame of it. Its header is taken to be as long as that of the first: how
    /// many bytes that are more than the `own` ones that are known.
    pub(crate) fn goes_on(&mut self, side: usize, own: usize) -> u32 {
        let voice = &mut self.voices[side];
        voice.more = voice.more.saturating_add(1);
        self.beyond(side, own)
    }

    /// Bytes by which this side's headers are longer than `own`.
    pub(crate) fn beyond(&self, side: usize, own: usize) -> u32 {
        let own = u32::try_from(own).unwrap_or(u32::MAX);
        self.voices[side].header.saturating_sub(own)
    }

    /// Whether a message of which `got` bytes have come is whole.
    pub(crate) fn is_whole(&self, side: usize, got: u64) -> bool {
        got >= u64::from(self.voices[side].wanted)
    }

    /// Whether a message that ends with `got` bytes lacks more than the headers of its further
    /// frames may have been overrated by.
    pub(crate) fn is_lost(&self, side: usize, got: u64) -> bool {
        let voice = &self.voices[side];
        let overrated = u64::from(voice.more) * u64::from(voice.header);
        got.saturating_add(overrated) < u64::from(voice.wanted)
    }

    /// `side` has said this, of which the beginning is known.
    pub(crate) fn said(&mut self, side: usize, bytes: &[u8], length: u32, at: Timestamp) -> Said {
        let answered = self.speaker.replace(side) != Some(side);
        let voice = &mut self.voices[side];
        let now = Spoken {
            digest: digest(&bytes[..bytes.len().min(COMPARED)], length.into()),
            length,
            front: voice.front.clone(),
            head: head(bytes),
            at,
        };
        let mut said = Said::New;
        if let Some(before) = voice.last.take() {
            let same = (before.digest, before.length) == (now.digest, now.length);
            let changed = differing(&before.front, &now.front);
            let unchanged = voice.fresh.is_some_and(|fresh| fresh & !changed != 0);
            let late = at.since(before.at) >= self.patience_ns;
            if same && (!answered || late && (unchanged || voice.has_identifier())) {
                said = Said::Again;
            } else if before.length == length {
                // Messages of different lengths differ in their headers for that alone.
                voice.fresh = Some(voice.fresh.unwrap_or(u64::MAX) & changed);
                // The same words so late may be a repetition before any was recognised.
                if !(same && late) {
                    voice.compare_heads(&before.head, &now.head);
                }
            }
        }
        voice.last = Some(now);
        said
    }

    /// `side` has sent something of which only the length is known.
    pub(crate) fn uttered(&mut self, side: usize, length: u32, at: Timestamp) -> Said {
        let answered = self.speaker.replace(side) != Some(side);
        let voice = &mut self.voices[side];
        let before = voice.last.as_ref().filter(|_| !answered);
        let said = match before {
            Some(before) if at.since(before.at) < self.patience_ns => Said::More,
            Some(before) if before.length == length => Said::Again,
            _ => Said::New,
        };
        // Its parts come one after the other.
        let length = match (said, before) {
            (Said::More, Some(before)) => before.length,
            _ => length,
        };
        voice.last = Some(Spoken {
            digest: 0,
            length,
            front: Vec::new(),
            head: [0; HEAD],
            at,
        });
        said
    }
}

/// Which bytes differ, one bit each.
fn differing(one: &[u8], other: &[u8]) -> u64 {
    let longest = one.len().max(other.len()).min(FRONT);
    (0..longest)
        .filter(|at| one.get(*at) != other.get(*at))
        .fold(0, |mask, at| mask | 1 << at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn ask(turns: &mut Turns, ms: i64, front: [u8; 3], words: &[u8]) -> Said {
        turns.begins(0, &front, Placed::default(), words.len() as u32);
        let at = Timestamp::from_nanos(ms * 1_000_000);
        turns.said(0, words, words.len() as u32, at)
    }

    fn answer(turns: &mut Turns, ms: i64) {
        turns.begins(1, &[0; 3], Placed::default(), 2);
        let at = Timestamp::from_nanos(ms * 1_000_000);
        assert_eq!(turns.said(1, b"ok", 2, at), Said::New);
    }

    #[test]
    fn the_same_before_an_answer_is_a_repetition() {
        let mut turns = Turns::new(SECOND);
        assert_eq!(ask(&mut turns, 0, [0, 1, 1], b"read"), Said::New);
        assert_eq!(ask(&mut turns, 1, [0, 2, 1], b"read"), Said::Again);
        assert_eq!(ask(&mut turns, 2, [0, 3, 2], b"rear"), Said::New);
    }

    #[test]
    fn the_same_behind_an_answer_is_one_if_its_identifier_stays() {
        let mut turns = Turns::new(SECOND);
        ask(&mut turns, 0, [0, 1, 1], b"read");
        answer(&mut turns, 1);
        // Two that differ: bytes 1 and 2 of the header are different in every new one.
        assert_eq!(ask(&mut turns, 2, [0, 2, 2], b"next"), Said::New);
        answer(&mut turns, 3);
        assert_eq!(ask(&mut turns, 2003, [0, 3, 2], b"next"), Said::Again);
        answer(&mut turns, 2004);
        assert_eq!(
            ask(&mut turns, 4003, [0, 4, 3], b"next"),
            Said::New,
            "polls"
        );
        answer(&mut turns, 4004);
        assert_eq!(ask(&mut turns, 4005, [0, 5, 3], b"next"), Said::New, "soon");
    }

    #[test]
    fn where_nothing_was_learnt_the_same_is_asked_anew() {
        let mut turns = Turns::new(SECOND);
        ask(&mut turns, 0, [0, 1, 1], b"poll");
        answer(&mut turns, 1);
        assert_eq!(ask(&mut turns, 5000, [0, 2, 2], b"poll"), Said::New);
        answer(&mut turns, 5001);
        // Now both bytes are known to change.
        assert_eq!(ask(&mut turns, 9000, [0, 3, 2], b"poll"), Said::Again);
    }

    /// Headers in which nothing ever changes; the first byte of what is asked is a number, or always the same.
    #[test]
    fn an_identifier_may_stand_in_the_message() {
        let said = |numbers: [u8; 6], ms: i64| {
            let mut turns = Turns::new(SECOND);
            let mut said = Vec::new();
            for (nth, number) in (0..).zip(numbers) {
                let at = ms * nth;
                // What is read differs in the last two, or not.
                let mut words = [b'r'; 40];
                (words[0], words[39]) = (number, number.max(5));
                said.push(ask(&mut turns, at, [0; 3], &words));
                answer(&mut turns, at + 1);
            }
            said
        };
        let new = [Said::New; 6];
        let mut last_again = new;
        last_again[5] = Said::Again;
        assert_eq!(said([1, 2, 3, 4, 5, 5], 2_000).as_slice(), last_again);
        assert_eq!(said([1, 2, 3, 4, 5, 6], 2_000).as_slice(), new);
        assert_eq!(said([1, 2, 3, 4, 5, 5], 500).as_slice(), new, "soon");
        assert_eq!(said([1, 2, 3, 4, 4, 5], 2_000).as_slice(), new, "too few");
        assert_eq!(said([1, 2, 3, 3, 4, 4], 500).as_slice(), new, "none");
        assert_eq!(said([0; 6], 2_000).as_slice(), new, "polls");
    }

    /// What is read stands behind what numbers a request.
    #[test]
    fn what_is_asked_for_is_no_identifier() {
        let mut turns = Turns::new(SECOND);
        for (nth, offset) in (0..).zip([0, 1, 2, 3, 4, 5, 5, 6]) {
            let mut words = [b'r'; 40];
            words[HEAD] = offset;
            let said = ask(&mut turns, 2_000 * nth, [0; 3], &words);
            assert_eq!(said, Said::New, "{nth}");
            answer(&mut turns, 2_000 * nth + 1);
        }
    }

    #[test]
    fn lengths_are_not_taken_for_identifiers() {
        let mut turns = Turns::new(SECOND);
        ask(&mut turns, 0, [4, 1, 9], b"read");
        answer(&mut turns, 1);
        ask(&mut turns, 2, [5, 2, 9], b"write");
        answer(&mut turns, 3);
        assert_eq!(ask(&mut turns, 3000, [5, 3, 9], b"write"), Said::New);
    }

    #[test]
    fn what_cannot_be_read_is_told_by_time_and_length() {
        let mut turns = Turns::new(SECOND);
        let mut say = |side, ms: i64, length| {
            turns.uttered(side, length, Timestamp::from_nanos(ms * 1_000_000))
        };
        assert_eq!(say(0, 0, 100), Said::New);
        assert_eq!(say(0, 1, 50), Said::More);
        assert_eq!(say(0, 2001, 100), Said::Again);
        assert_eq!(say(1, 2002, 100), Said::New);
        assert_eq!(say(0, 2003, 100), Said::New);
        assert_eq!(say(0, 9000, 90), Said::New, "another request");
    }

    #[test]
    fn further_frames_have_headers_too() {
        let mut turns = Turns::new(SECOND);
        turns.begins(1, &[0; 20], Placed::default(), 3000);
        assert_eq!(turns.goes_on(1, 2), 18);
        assert!(!turns.is_whole(1, 2999) && turns.is_whole(1, 3000));
        assert!(!turns.is_lost(1, 2980), "their headers may be shorter");
        assert!(turns.is_lost(1, 2979));
    }
}
