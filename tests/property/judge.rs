//! What became of the rows of a complete capture in one that was hurt.

use super::hurt::{Hurt, Wounded};
use std::collections::{BTreeMap, BTreeSet};
use wirewait::Driver;
use wirewait_analysis::{
    Analyzer, Assembled, Deed, Extent, Flags, Outcome, Settings, Sink, Snapshot, Transaction,
    Turnaround,
};
use wirewait_synth::OwnedFrame;

/// What says that a row is to be taken with care. Where neither numbers nor acknowledgements tell
/// which answer belongs to which request, but only their order, a lost frame cannot be seen at all:
/// every such row says so (`by_order`, `encrypted`), in the complete capture, too.
const DOUBTS: [Flags; 11] = [
    Flags::BY_ORDER,
    Flags::ENCRYPTED,
    Flags::AMBIGUOUS,
    Flags::MID_CAPTURE,
    Flags::CAPTURE_LOSS,
    Flags::SNAPPED,
    Flags::OUT_OF_ORDER,
    Flags::CLOCK_STEP,
    Flags::ONE_SIDED,
    Flags::OPEN_AT_END,
    Flags::SCATTERED,
];

fn doubted(t: &Transaction) -> bool {
    DOUBTS.iter().any(|flag| t.flags.contains(*flag))
}

/// Whether the complete capture does not know the times of this row either, because its clock was
/// set back within it. If one more stamp of it is wrong, nothing shows the step any more: there the
/// clock may as well have stood still for an hour and been set back behind it.
fn is_unknown(row: &Transaction, touched: bool) -> bool {
    touched && row.flags.contains(Flags::CLOCK_STEP)
}

/// Whether a frame before this row, or its first, was lost or moved.
fn hurt_before(row: &Transaction, wounded: &Wounded) -> bool {
    let first = row.request.or(row.response).map_or(0, |e| e.first.frame);
    let mut hurt = wounded.lost.iter().chain(&wounded.moved);
    hurt.any(|frame| *frame <= first)
}

/// Whether it is the rest of a response whose request was not captured, and is not all there in the
/// complete capture either.
fn is_rest(row: &Transaction) -> bool {
    row.outcome == Outcome::OrphanResponse && row.flags.contains(Flags::CAPTURE_LOSS)
}

/// Whether it has a doubt that the other has not.
fn doubted_beyond(t: &Transaction, other: &Transaction) -> bool {
    let mut doubts = DOUBTS.iter();
    doubts.any(|flag| t.flags.contains(*flag) && !other.flags.contains(*flag))
}

/// The complete capture.
pub(super) struct Complete {
    pub(super) frames: Vec<OwnedFrame>,
    pub(super) rows: Vec<Transaction>,
    /// What each frame did, by the number of the transaction.
    deeds: BTreeMap<u64, BTreeMap<u64, Deed>>,
    /// The transactions that a frame had to do with.
    by_frame: BTreeMap<u64, BTreeSet<u64>>,
    /// Copies of a mirror port, and what they are copies of: one is as good as the other.
    copies: BTreeMap<u64, u64>,
}

/// Copies are not farther apart than this, ns and frames. IPv4 numbers its packets: the same bytes
/// within 50 ms are the same packet. Of others only what comes at once is a copy.
const COPIES_NS: i64 = 1_000_000;
const COPIES_IPV4_NS: i64 = 50_000_000;
const COPIES: usize = 64;

fn copies(frames: &[OwnedFrame]) -> BTreeMap<u64, u64> {
    let mut copies = BTreeMap::new();
    for (n, frame) in frames.iter().enumerate() {
        let first = n.saturating_sub(COPIES);
        let ipv4 = frame.bytes.get(12..14) == Some(&[8, 0]);
        let ns = if ipv4 { COPIES_IPV4_NS } else { COPIES_NS };
        let near = |other: &&OwnedFrame| frame.at.since(other.at).abs() < ns;
        // A bridge to another kind of link writes the header below anew, and a switch that mirrors from afar (ERSPAN,
        // type II) all headers before the frame.
        let mirrored = ipv4 && frame.bytes.get(36..38) == Some(&[0x88, 0xbe]);
        let from = match (ipv4, mirrored) {
            (_, true) => 50,
            (true, false) => 14,
            (false, false) => 0,
        };
        let same =
            |other: &OwnedFrame| near(&other) && other.bytes.get(from..) == frame.bytes.get(from..);
        if let Some(found) = frames[first..n].iter().position(same) {
            let original = (first + found) as u64 + 1;
            let original = *copies.get(&original).unwrap_or(&original);
            copies.insert(n as u64 + 1, original);
        }
    }
    copies
}

#[derive(Default)]
struct Ears {
    rows: Vec<Transaction>,
    deeds: BTreeMap<u64, BTreeMap<u64, Deed>>,
}

impl Sink for Ears {
    fn transaction(&mut self, transaction: &Transaction) {
        self.rows.push(transaction.clone());
    }

    fn assembled(&mut self, message: &Assembled<'_>) {
        if let (true, Some((number, deed))) = (message.complete, message.deed) {
            for stretch in message.stretches {
                let deeds = self.deeds.entry(number).or_default();
                deeds.entry(stretch.frame).or_insert(deed);
            }
        }
    }

    fn did(&mut self, frame: u64, transaction: u64, deed: Deed) {
        let deeds = self.deeds.entry(transaction).or_default();
        deeds.entry(frame).or_insert(deed);
    }
}

impl Complete {
    pub(super) fn new(frames: Vec<OwnedFrame>) -> Self {
        let registry = wirewait_dissectors::registry();
        let mut analyzer = Analyzer::new(registry, Settings::default()).observed();
        let mut ears = Ears::default();
        for frame in &frames {
            analyzer.frame(&frame.as_frame(), &mut ears);
        }
        analyzer.finish(&mut ears);
        let Ears { rows, mut deeds } = ears;
        // Acknowledgements and upkeep say nothing of a row's times.
        for deeds in deeds.values_mut() {
            deeds.retain(|frame, deed| *frame > 0 && !matches!(deed, Deed::Ack | Deed::Control));
        }
        let mut by_frame: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        for (number, deeds) in &deeds {
            for frame in deeds.keys() {
                by_frame.entry(*frame).or_default().insert(*number);
            }
        }
        Self {
            copies: copies(&frames),
            frames,
            rows,
            deeds,
            by_frame,
        }
    }

    /// Whether both frames are of one transaction.
    fn together(&self, a: u64, b: u64) -> bool {
        let original = |frame: u64| *self.copies.get(&frame).unwrap_or(&frame);
        let of = |frame: u64| {
            self.by_frame
                .get(&frame)
                .or(self.by_frame.get(&original(frame)))
        };
        let (Some(a), Some(b)) = (of(a), of(b)) else {
            return false;
        };
        !a.is_disjoint(b)
    }

    fn original(&self, frame: u64) -> u64 {
        *self.copies.get(&frame).unwrap_or(&frame)
    }

    fn originals(&self, frames: Option<(u64, u64)>) -> Option<(u64, u64)> {
        frames.map(|(first, last)| (self.original(first), self.original(last)))
    }

    /// Whether the transaction that a lost frame belonged to has this response, and nothing in the
    /// frames tells it from another with the same identifier: datagrams are neither numbered nor
    /// acknowledged.
    fn is_undecidable(&self, t: &Transaction, response: u64, lost: &BTreeSet<u64>) -> bool {
        let plain = ["ipx", "udp", "idp", "nbipx", "nsp"].contains(&t.carrier);
        let owners = self.by_frame.get(&self.original(response));
        let mut owners = owners.into_iter().flatten();
        plain && owners.any(|owner| self.deeds[owner].keys().any(|frame| lost.contains(frame)))
    }
}

/// How many rows came out how.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// All of whose frames are there, untouched.
    pub(super) rows: u64,
    /// The same as in the complete capture, and no doubt more.
    pub(super) exact: u64,
    /// Flagged.
    pub(super) flagged: u64,
    /// Frames were moved or stamped wrong, but are there: the same, or flagged.
    pub(super) touched: u64,
    pub(super) touched_exact: u64,
    /// Only the order tells which answer is whose.
    pub(super) guessed: u64,
    /// Datagrams with the same identifier, of one of which the request was lost.
    pub(super) undecidable: u64,
    /// Of which nothing is shown: what went before it, and was lost or came behind it, tells what
    /// it is.
    pub(super) absent: u64,
}

impl Tally {
    pub(super) fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.exact += other.exact;
        self.flagged += other.flagged;
        self.touched += other.touched;
        self.touched_exact += other.touched_exact;
        self.guessed += other.guessed;
        self.undecidable += other.undecidable;
        self.absent += other.absent;
    }
}

/// A row by its frames: of the request, of the response, and what it does.
type Key = (Option<(u64, u64)>, Option<(u64, u64)>, u32, bool);

struct Hurts {
    rows: Vec<Transaction>,
    /// Transactions by the frames that they had to do with, numbered as in the complete capture.
    by_frame: BTreeMap<u64, BTreeSet<u64>>,
    snapshot: Snapshot,
    /// Numbers in the complete capture, by the numbers in this one.
    numbers: Vec<u64>,
}

impl Hurts {
    fn extent(&self, extent: Option<Extent>) -> Option<(u64, u64)> {
        let of = |frame: u64| self.numbers[frame as usize - 1];
        extent.map(|e| (of(e.first.frame), of(e.last.frame)))
    }
}

/// Whether it has its answer. One whose request to give it up is lost is not cancelled.
fn is_answered(t: &Transaction) -> bool {
    matches!(t.outcome, Outcome::Answered | Outcome::Cancelled) && t.response.is_some()
}

fn own(extent: Option<Extent>) -> Option<(u64, u64)> {
    extent.map(|e| (e.first.frame, e.last.frame))
}

/// The times that a row shows.
fn times(t: &Transaction) -> (Option<i64>, Option<i64>, Option<i64>, Turnaround) {
    (
        t.response_time_ns(),
        t.request_transfer_ns(),
        t.response_transfer_ns(),
        t.turnaround,
    )
}

/// Analyses the hurt capture, and judges it by the complete one. What is wrong is told to `wrong`,
/// and to `doubted` which rows say that they may be, with the flags that they did not have.
pub(super) fn judge(
    complete: &Complete,
    wounded: &Wounded,
    how: Hurt,
    wrong: &mut dyn FnMut(&str, String),
    in_doubt: &mut dyn FnMut(&str, String),
) -> Tally {
    let registry = wirewait_dissectors::registry();
    let analyzer = Analyzer::new(registry, Settings::default()).observed();
    let mut driver = Driver::new(analyzer);
    let mut ears = Ears::default();
    for (_, frame) in &wounded.frames {
        driver.frame(&frame.as_frame(), &mut ears);
    }
    driver.finish(&mut ears);
    let numbers: Vec<u64> = wounded.frames.iter().map(|(number, _)| *number).collect();
    let mut by_frame: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for (number, deeds) in &ears.deeds {
        for frame in deeds.keys().filter(|frame| **frame > 0) {
            let frame = numbers[*frame as usize - 1];
            by_frame.entry(frame).or_default().insert(*number);
        }
    }
    let hurt = Hurts {
        rows: ears.rows,
        by_frame,
        snapshot: driver.snapshot(),
        numbers,
    };
    negatives(&hurt, wrong);
    let mut tally = Tally::default();
    for t in &hurt.rows {
        tally.undecidable += u64::from(strangers(complete, &hurt, t, wounded, wrong));
    }
    let mut by_key: BTreeMap<Key, Vec<&Transaction>> = BTreeMap::new();
    let mut by_request: BTreeMap<(u64, u32), Vec<&Transaction>> = BTreeMap::new();
    let mut by_response: BTreeMap<u64, Vec<&Transaction>> = BTreeMap::new();
    for t in &hurt.rows {
        let (request, response) = (hurt.extent(t.request), hurt.extent(t.response));
        let (request, response) = (complete.originals(request), complete.originals(response));
        let key = (request, response, t.code, is_answered(t));
        by_key.entry(key).or_default().push(t);
        if let Some((first, _)) = request {
            by_request.entry((first, t.code)).or_default().push(t);
        }
        if let Some((first, _)) = response {
            by_response.entry(first).or_default().push(t);
        }
    }
    let doubtful: BTreeSet<u64> = hurt
        .rows
        .iter()
        .filter(|t| doubted(t))
        .map(|t| t.number)
        .collect();
    for row in &complete.rows {
        let Some(deeds) = complete.deeds.get(&row.number).filter(|d| !d.is_empty()) else {
            continue;
        };
        // Who is not answered waits until he is given up. A message without bytes has no deed.
        let ends = [own(row.request), own(row.response)].into_iter().flatten();
        let ends = ends.flat_map(|(first, last)| [first, last]);
        let frames: BTreeSet<u64> = ends.chain(deeds.keys().copied()).collect();
        if !frames.is_disjoint(&wounded.lost) {
            continue;
        }
        let (first, last) = (*frames.first().unwrap(), *frames.last().unwrap());
        let span = (first, row.response.map_or(u64::MAX, |_| last));
        let stepped = wounded.steps_within(span);
        if stepped && how == Hurt::Forward {
            continue;
        }
        let touched = stepped || !frames.is_disjoint(&wounded.moved);
        let extents = (
            complete.originals(own(row.request)),
            complete.originals(own(row.response)),
        );
        let key = (extents.0, extents.1, row.code, is_answered(row));
        let same = by_key.get(&key).into_iter().flatten();
        // The copy of a mirror port is as good, and a little later.
        let copied = |t: &&&Transaction| {
            hurt.extent(t.request) != own(row.request)
                || hurt.extent(t.response) != own(row.response)
        };
        let same = same.filter(|t| times(t) == times(row) || copied(t));
        let same = same.filter(|t| t.status == row.status);
        let exact = same.clone().any(|t| !doubted_beyond(t, row));
        let flagged = !exact && {
            let others = match (row.request, row.response) {
                (Some(r), _) => by_request.get(&(complete.original(r.first.frame), row.code)),
                (None, Some(r)) => by_response.get(&complete.original(r.first.frame)),
                (None, None) => None,
            };
            // Or its request counts as a copy of another one, which is flagged.
            let first = row.request.or(row.response).map(|e| e.first.frame);
            let merged = first.and_then(|first| hurt.by_frame.get(&first));
            // Or its response belongs to one that is flagged, or to none, as is said there.
            let answers = row.response.map(|e| complete.original(e.first.frame));
            let answers = answers.and_then(|first| by_response.get(&first));
            let answers = answers.into_iter().flatten().map(|t| &t.number);
            let mut merged = merged.into_iter().flatten().chain(answers);
            others.into_iter().flatten().any(|t| doubted(t))
                || same.clone().next().is_some()
                || merged.any(|number| doubtful.contains(number))
        };
        if !exact {
            let found = match own(row.request) {
                Some((first, _)) => by_request.get(&(first, row.code)),
                None => own(row.response).and_then(|(first, _)| by_response.get(&first)),
            };
            let found = found.into_iter().flatten();
            // It got the response of one whose request is lost: the same as below.
            let found_undecidable = found.clone().any(|t| {
                let response = hurt.extent(t.response);
                response.is_some_and(|(first, _)| complete.is_undecidable(t, first, &wounded.lost))
            });
            let found: Vec<String> = found
                .map(|t| shown(t, hurt.extent(t.request), hurt.extent(t.response)))
                .collect();
            let first = own(row.request).or(own(row.response)).map_or(0, |e| e.0);
            let last = own(row.response)
                .or(own(row.request))
                .map_or(first, |e| e.1);
            let line = format!(
                "{}: {found:?} {}",
                shown(row, own(row.request), own(row.response)),
                wounded.near((first, last))
            );
            if flagged {
                in_doubt(if touched { "touched" } else { "untouched" }, line);
            } else if frames
                .iter()
                .all(|frame| !hurt.by_frame.contains_key(frame))
                && (hurt_before(row, wounded) || is_rest(row))
            {
                tally.absent += 1;
            } else if is_unknown(row, touched) || found_undecidable {
                tally.undecidable += 1;
            } else if row.carrier != "last" {
                wrong("neither the same nor flagged", line);
            }
        }
        // Nothing tells a repeated request of DEC LAST from a new one with the same words.
        let flags = row.flags;
        let by_order = flags.contains(Flags::BY_ORDER) || flags.contains(Flags::ENCRYPTED);
        if by_order || row.carrier == "last" {
            tally.guessed += 1;
        } else if touched {
            tally.touched += 1;
            tally.touched_exact += u64::from(exact);
        } else {
            tally.rows += 1;
            tally.exact += u64::from(exact);
            tally.flagged += u64::from(flagged);
        }
    }
    tally
}

fn shown(t: &Transaction, request: Option<(u64, u64)>, response: Option<(u64, u64)>) -> String {
    format!(
        "{} {} {request:?} {response:?} {} {:?} {:?}",
        t.carrier,
        t.operation.name,
        t.outcome.name(),
        times(t),
        t.flags.names().collect::<Vec<_>>()
    )
}

/// No response is given to another request without a word. Whether one is, and nothing tells.
fn strangers(
    complete: &Complete,
    hurt: &Hurts,
    t: &Transaction,
    wounded: &Wounded,
    wrong: &mut dyn FnMut(&str, String),
) -> bool {
    let (Some(request), Some(response)) = (hurt.extent(t.request), hurt.extent(t.response)) else {
        return false;
    };
    let mut rows = complete.rows.iter();
    let known =
        complete.together(request.0, response.0) && complete.together(request.1, response.1);
    if known
        || doubted(t)
        || t.carrier == "last"
        || rows.any(|row| own(row.request) == Some(request) && own(row.response) == Some(response))
    {
        return false;
    }
    let undecidable = complete.is_undecidable(t, response.0, &wounded.lost);
    if !undecidable {
        let shown = shown(t, Some(request), Some(response));
        let near = wounded.near((request.0, response.1));
        wrong("another's response", format!("{shown} {near}"));
    }
    undecidable
}

/// No time is negative, in rows or in the report.
fn negatives(hurt: &Hurts, wrong: &mut dyn FnMut(&str, String)) {
    for t in &hurt.rows {
        let (low, high) = match t.turnaround {
            Turnaround::Between(low, high) => (Some(low), Some(high)),
            other => (other.exact(), None),
        };
        let times = [
            low,
            high,
            t.response_time_ns(),
            t.request_transfer_ns(),
            t.response_transfer_ns(),
            t.first_interim_ns(),
            t.service_ns,
        ];
        if times.into_iter().flatten().any(|ns| ns < 0) {
            let frames = (hurt.extent(t.request), hurt.extent(t.response));
            wrong("negative in a row", shown(t, frames.0, frames.1));
        }
    }
    let mut out = Vec::new();
    let about = wirewait_report::About::default();
    wirewait_report::json::report(&mut out, &about, &hurt.snapshot).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
    below_zero(&document, &mut String::new(), wrong);
}

fn below_zero(value: &serde_json::Value, path: &mut String, wrong: &mut dyn FnMut(&str, String)) {
    let length = path.len();
    match value {
        // A clock that was set back.
        serde_json::Value::Number(_) if path == "/capture/quality/clock_set/by_ns" => {}
        serde_json::Value::Number(n) if n.as_f64().is_some_and(|n| n < 0.0) => {
            wrong("negative in the report", format!("{path} {n}"));
        }
        serde_json::Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                path.push_str(&format!("/{n}"));
                below_zero(item, path, wrong);
                path.truncate(length);
            }
        }
        serde_json::Value::Object(items) => {
            for (name, item) in items {
                path.push('/');
                path.push_str(name);
                below_zero(item, path, wrong);
                path.truncate(length);
            }
        }
        _ => {}
    }
}
