//! What clients do with files: the same ranges again, small steps, slow transfers, raw reads
//! that are refused.

use super::course::SymptomCourse;
use super::evidence::{Against, Base, Book, Sight};
use super::page::{Page, Whom};
use super::rule::{Limit, Rule, Severity, Whose};
use super::{Threshold, Thresholds, answers};
use crate::bounds::{Bound, Hits};
use crate::case::Case;
use crate::column::Column;
use crate::{Flags, Mark, Outcome, Transaction};
use std::collections::VecDeque;
use wirewait_wire::{Endpoint, Kind};

pub(super) static LOOP: Rule = Rule {
    id: "request_loops",
    severity: Severity::Diagnosis,
    whose: Whose::Pair,
    counts: "reads and writes of a range requested loop_times times or more, with nothing new",
    limit: Limit::Share {
        of: Base::Ranged,
        percent: Threshold::Loops,
        minimum: Threshold::MinimumRequests,
        least: Threshold::LeastEvents,
    },
    costly: false,
    covers: &["overlapping_reads"],
};

pub(super) static OVERLAP: Rule = Rule {
    id: "overlapping_reads",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "reads of bytes that the client had read before",
    limit: Limit::Share {
        of: Base::Reads,
        percent: Threshold::Overlap,
        minimum: Threshold::MinimumRequests,
        least: Threshold::LeastEvents,
    },
    costly: false,
    covers: &[],
};

pub(super) static SMALL_READS: Rule = Rule {
    id: "small_reads",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "sequential reads of at most small_read_bytes",
    limit: Limit::Share {
        of: Base::Reads,
        percent: Threshold::SmallReads,
        minimum: Threshold::SmallReadsMinimum,
        least: Threshold::LeastEvents,
    },
    costly: false,
    covers: &[],
};

pub(super) static SLOW_TRANSFER: Rule = Rule {
    id: "slow_transfer",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "transfers below slow_transfer_bytes_per_second",
    limit: Limit::Beyond(Threshold::SlowTransfer),
    costly: false,
    covers: &[],
};

pub(super) static RAW_DENIED: Rule = Rule {
    id: "raw_reads_denied",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "raw reads refused, of a range that an ordinary read then returned",
    limit: Limit::Share {
        of: Base::Raw,
        percent: Threshold::RawDenied,
        minimum: Threshold::MinimumRequests,
        least: Threshold::LeastEvents,
    },
    costly: false,
    covers: &[],
};

/// Ranges of a handle that are remembered.
const RANGES: usize = 8;
/// A longer pause ends a transfer, ns.
const PAUSE_NS: i64 = 500_000_000;

/// A range that was read or written.
#[derive(Clone, Copy, Debug)]
struct FileRange {
    write: bool,
    from: u64,
    to: u64,
    /// How often it was asked for, with nothing new in between.
    times: u64,
}

/// Reads, or writes, one behind the other.
#[derive(Clone, Copy, Debug)]
struct AccessRun {
    /// Client and server.
    between: (Endpoint, Endpoint),
    write: bool,
    first: Mark,
    last: Mark,
    /// Where the next one goes on.
    next: u64,
    bytes: u64,
}

/// What is done with one handle.
#[derive(Debug, Default)]
struct FileHandle {
    /// In the order in which they were asked for last.
    ranges: VecDeque<FileRange>,
    /// None of them ends behind.
    top: u64,
    run: Option<AccessRun>,
    /// It is one of a pipe.
    pipe: bool,
    /// A raw read that brought nothing: where, and what it was.
    refused: Option<(u64, Sight)>,
}

pub(super) struct Files {
    handles: Column<FileHandle>,
    pub(super) hits: Hits,
}

impl Files {
    pub(super) const fn new() -> Self {
        Self {
            handles: Column::new(),
            hits: Hits::NONE,
        }
    }

    pub(super) fn closed(&mut self, case: Case<'_>, thresholds: &Thresholds, page: &mut Page<'_>) {
        let t = case.transaction;
        let Some(file) = t.file.filter(|_| !super::answers::in_pipe(t)) else {
            return;
        };
        let Some(place) = case.parties.handle() else {
            return;
        };
        if t.kind == Kind::Close {
            if let Some(mut handle) = self.handles.take(place) {
                handle.end_run(thresholds, page);
            }
            return;
        }
        if t.kind == Kind::Transaction {
            // Calls are made on pipes.
            self.handles.of(place).pipe = true;
            return;
        }
        let moves = matches!(t.kind, Kind::Read | Kind::Write);
        let Some(offset) = file
            .offset
            .filter(|_| moves && t.outcome == Outcome::Answered)
        else {
            return;
        };
        let handle = self.handles.of(place);
        if handle.pipe {
            return;
        }
        handle.raw(t, offset, page);
        if t.data_bytes > 0 {
            page.count(Base::Ranged, 1);
            if !handle.range(t, offset, thresholds, page) {
                self.hits.hit(Bound::Ranges);
            }
            handle.run(t, offset, thresholds, page);
        }
    }

    /// Transfers that go on, judged as far as they went: client, server and what was found.
    pub(super) fn open(
        &self,
        thresholds: &Thresholds,
        mut course: Option<&mut SymptomCourse>,
        found: &mut dyn FnMut((Endpoint, Endpoint), &Book),
    ) {
        let runs = self.handles.iter().filter_map(|(_, handle)| handle.run);
        for run in runs {
            let (client, server) = run.between;
            let mut book = Book::default();
            let mut page = Page {
                book: &mut book,
                of: Whom::Pair {
                    client: &client,
                    server: &server,
                },
                course: course.as_deref_mut(),
            };
            if run.judge(thresholds, &mut page) {
                found(run.between, &book);
            }
        }
    }
}

/// The whole of it, between the first frame of the request and the last of the response.
fn whole(t: &Transaction, (from, to): (Mark, Mark)) -> Sight {
    let ns = t.response_time_ns().unwrap_or(0);
    Sight::between(from, to).costing(ns)
}

/// What a small read costs because it is one: without what other symptoms say of it, which a larger one would cost as well.
fn round_trip(t: &Transaction, ends: (Mark, Mark), thresholds: &Thresholds) -> Sight {
    let sight = whole(t, ends);
    if t.copies > 1 {
        return sight.costing(0);
    }
    let slow = answers::own_turnaround(t).unwrap_or(0) - thresholds.ns(Threshold::SlowAnswer);
    let cost = i64::try_from(sight.cost_ns).unwrap_or(i64::MAX);
    sight.costing(cost - slow.max(0))
}

/// These two frames, where the capture has both.
fn ends(t: &Transaction) -> Option<(Mark, Mark)> {
    Some((t.request?.first, t.response?.last))
}

impl FileHandle {
    fn raw(&mut self, t: &Transaction, offset: u64, page: &mut Page<'_>) {
        let raw = t.flags.contains(Flags::RAW);
        if t.kind != Kind::Read || !raw && self.refused.is_none() {
            return;
        }
        let Some(ends) = ends(t) else {
            return;
        };
        let sight = whole(t, ends);
        if let Some((refused, earlier)) = self.refused.take() {
            if refused == offset && !raw && t.data_bytes > 0 {
                page.hit(&RAW_DENIED, &earlier);
            } else {
                page.oppose(&RAW_DENIED, Against::EndOfFile, &earlier);
            }
        }
        if raw && t.data_bytes == 0 {
            self.refused = Some((offset, sight));
        }
    }

    /// Whether what is remembered tells if it repeats something.
    // Each read and write goes through it once.
    #[inline(always)]
    fn range(
        &mut self,
        t: &Transaction,
        offset: u64,
        thresholds: &Thresholds,
        page: &mut Page<'_>,
    ) -> bool {
        let write = t.kind == Kind::Write;
        let end = offset.saturating_add(t.data_bytes);
        let Some(ends) = ends(t) else {
            return true;
        };
        // Most show nothing.
        let sight = || whole(t, ends);
        // Who reads at once from where he wrote, at the very beginning, talks to a pipe.
        if !write
            && offset == 0
            && self.ranges.back().is_some_and(|r| r.write)
            && self.ranges.iter().all(|r| r.from == 0)
        {
            self.pipe = true;
            return true;
        }
        let touches = |r: &FileRange| r.from < end && offset < r.to;
        let (mut same, mut before) = (None, false);
        let mut told = true;
        if offset < self.top {
            told = self.ranges.len() < RANGES;
            for (at, range) in self.ranges.iter().enumerate() {
                if touches(range) {
                    told = true;
                    before |= !range.write;
                    if (range.write, range.from, range.to) == (write, offset, end) {
                        same = Some(at);
                    }
                }
            }
        }
        let follows = self
            .ranges
            .back()
            .is_some_and(|r| !r.write && r.to == offset);
        let mut times = 1;
        if let Some(range) = same.and_then(|at| self.ranges.remove(at)) {
            times = range.times + 1;
            if times >= thresholds.get(Threshold::LoopTimes).max(2) {
                page.hit(&LOOP, &sight());
            }
        }
        if write {
            if before {
                // What was read there is no longer known.
                self.ranges.retain(|r| r.write || !touches(r));
            }
        } else {
            page.count(Base::Reads, 1);
            if before {
                page.hit(&OVERLAP, &sight());
            }
            if t.data_bytes <= thresholds.get(Threshold::SmallRead) {
                if follows {
                    page.hit(&SMALL_READS, &round_trip(t, ends, thresholds));
                } else {
                    page.oppose(&SMALL_READS, Against::Scattered, &sight());
                }
            }
        }
        if self.ranges.len() >= RANGES {
            self.ranges.pop_front();
        }
        self.top = self.top.max(end);
        self.ranges.push_back(FileRange {
            write,
            from: offset,
            to: end,
            times,
        });
        told
    }

    #[inline(always)]
    fn run(&mut self, t: &Transaction, offset: u64, thresholds: &Thresholds, page: &mut Page<'_>) {
        let (Some(request), Some(response)) = (t.request, t.response) else {
            return;
        };
        let write = t.kind == Kind::Write;
        let next = offset.saturating_add(t.data_bytes);
        if let Some(run) = &mut self.run
            && run.write == write
            && run.next == offset
            && run.last.until(request.first).unwrap_or(0) <= PAUSE_NS
        {
            run.next = next;
            run.bytes = run.bytes.saturating_add(t.data_bytes);
            run.last = response.last;
            return;
        }
        self.end_run(thresholds, page);
        self.run = Some(AccessRun {
            between: (t.client.station(), t.server.station()),
            write,
            first: request.first,
            last: response.last,
            next,
            bytes: t.data_bytes,
        });
    }

    /// Judges the transfer that ends.
    fn end_run(&mut self, thresholds: &Thresholds, page: &mut Page<'_>) {
        if let Some(run) = self.run.take() {
            run.judge(thresholds, page);
        }
    }
}

impl AccessRun {
    /// Whether it was slow; says so.
    fn judge(&self, thresholds: &Thresholds, page: &mut Page<'_>) -> bool {
        let lasted = self.first.until(self.last).unwrap_or(0);
        let floor = u128::from(thresholds.get(Threshold::SlowTransfer).max(1));
        // As long as it may take at that rate.
        let allowed = u128::from(self.bytes) * 1_000_000_000 / floor;
        let beyond = u128::try_from(lasted).map_or(0, |ns| ns.saturating_sub(allowed));
        let slow = beyond > 0
            && lasted >= thresholds.ns(Threshold::TransferTime)
            && self.bytes >= thresholds.get(Threshold::TransferSize);
        if slow {
            let cost = i64::try_from(beyond).unwrap_or(i64::MAX);
            let sight = Sight::between(self.first, self.last).costing(cost);
            page.hit(&SLOW_TRANSFER, &sight);
            let word = if self.write { "writing" } else { "reading" };
            page.word(&SLOW_TRANSFER, word);
        }
        slow
    }
}

#[cfg(test)]
mod tests;
