//! What had to be said twice.

use super::evidence::{Against, Base, Sight};
use super::page::Page;
use super::rule::{Limit, Rule, Severity, Whose};
use super::watchers::{Watcher, WatcherLook, operation};
use super::{Threshold, Thresholds, is_request};
use crate::account::Outstanding;
use crate::case::Wait;
use crate::{Mark, Outcome, Phase, Transaction, Turnaround};
use wirewait_wire::Timestamp;

pub(super) static REQUEST_REPEATED: Rule = Rule {
    id: "requests_repeated",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "requests that were seen more than once",
    limit: Limit::Share {
        of: Base::Requests,
        percent: Threshold::Repeated,
        minimum: Threshold::MinimumRequests,
        least: Threshold::LeastEvents,
    },
    costly: true,
    covers: &[],
};

pub(super) static TOO_MANY_REPEATS: Rule = Rule {
    id: "too_many_requests_repeated",
    severity: Severity::Diagnosis,
    whose: Whose::Pair,
    counts: "requests that were seen more than once",
    limit: Limit::Share {
        of: Base::Requests,
        percent: Threshold::TooManyRepeated,
        minimum: Threshold::MinimumRequests,
        least: Threshold::LeastEvents,
    },
    costly: false,
    covers: &["requests_repeated"],
};

pub(super) static NOT_RESPONDING: Rule = Rule {
    id: "station_not_responding",
    severity: Severity::Diagnosis,
    whose: Whose::Pair,
    counts: "requests repeated more than successive_repeats times before the response",
    limit: Limit::Beyond(Threshold::Repeats),
    costly: false,
    covers: &[],
};

pub(super) static IMPATIENT: Rule = Rule {
    id: "client_impatient",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "requests repeated although each copy got a response",
    limit: Limit::Count(Threshold::LeastEvents),
    costly: false,
    covers: &[],
};

pub(super) static ANSWER_RESENT: Rule = Rule {
    id: "frames_resent",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "requests that waited for retransmissions",
    limit: Limit::Share {
        of: Base::Requests,
        percent: Threshold::Repeated,
        minimum: Threshold::MinimumRequests,
        least: Threshold::LeastEvents,
    },
    costly: true,
    covers: &[],
};

pub(super) static TOO_MANY_RESENT: Rule = Rule {
    id: "too_many_frames_resent",
    severity: Severity::Diagnosis,
    whose: Whose::Pair,
    counts: "frames that repeat data",
    limit: Limit::Share {
        of: Base::Frames,
        percent: Threshold::Resent,
        minimum: Threshold::MinimumFrames,
        least: Threshold::LeastEvents,
    },
    costly: false,
    covers: &[],
};

/// Data that comes within a round trip is not a retransmission: its path was longer, or a queue let
/// others past. Receivers take it for a loss if it is late enough (RFC 5681, section 3.2).
pub(super) static OVERTAKEN: Rule = Rule {
    id: "frames_reordered",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "frames with data that frames sent after them overtook",
    limit: Limit::Share {
        of: Base::Frames,
        percent: Threshold::Reordered,
        minimum: Threshold::MinimumFrames,
        least: Threshold::LeastEvents,
    },
    costly: false,
    covers: &[],
};

pub(super) static WATCHERS: &[Watcher] = &[
    Watcher {
        rule: &REQUEST_REPEATED,
        look: repeated,
        word: operation,
    },
    Watcher {
        rule: &TOO_MANY_REPEATS,
        look: repeated,
        word: operation,
    },
    Watcher {
        rule: &NOT_RESPONDING,
        look: not_responding,
        word: operation,
    },
    Watcher {
        rule: &IMPATIENT,
        look: impatient,
        word: operation,
    },
];

/// From the first copy to the answer, or as far as the request goes.
fn asked(t: &Transaction) -> Option<Sight> {
    let request = t.request?;
    let end = t.response.map_or(request.last, |response| response.first);
    let lost = match t.turnaround {
        Turnaround::Between(low, high) => high.saturating_sub(low),
        _ => 0,
    };
    let until = match t.turnaround {
        Turnaround::Between(low, _) => end.at.plus(low.saturating_neg()),
        _ => end.at,
    };
    Some(
        Sight::between(request.first, end)
            .costing(lost)
            .until(until),
    )
}

fn repeated(t: &Transaction, _: &Thresholds) -> Option<WatcherLook> {
    (t.copies > 1 && is_request(t)).then_some(())?;
    // What it costs not to be answered is said elsewhere.
    let sight = asked(t).filter(|_| t.outcome == Outcome::Answered)?;
    Some(match t.turnaround {
        // The server said that it works on it: its client was impatient, and lost no time.
        Turnaround::Exact(_) if t.interims > 0 => WatcherLook::For(sight),
        Turnaround::Exact(_) => WatcherLook::Against(Against::Arrived, sight),
        _ => doubtful(sight),
    })
}

/// Nobody sends again within so short a time, ns.
const AT_ONCE: u64 = 1_000_000;

/// For it, unless the copy came too soon to be one.
fn doubtful(sight: Sight) -> WatcherLook {
    match sight.cost_ns {
        ..AT_ONCE => WatcherLook::Against(Against::Doubled, sight),
        _ => WatcherLook::For(sight),
    }
}

fn not_responding(t: &Transaction, thresholds: &Thresholds) -> Option<WatcherLook> {
    let often = u64::from(t.copies) > thresholds.get(Threshold::Repeats) + 1;
    if !often || t.outcome != Outcome::Answered {
        return None;
    }
    repeated(t, thresholds)
}

fn impatient(t: &Transaction, _: &Thresholds) -> Option<WatcherLook> {
    let each = t.copies > 1 && t.duplicate_responses > 0 && is_request(t);
    let sight = asked(t).filter(|_| each && t.outcome == Outcome::Answered)?;
    // A time that is exact has no copy before the response.
    Some(match t.turnaround {
        Turnaround::Exact(_) if t.interims == 0 => {
            WatcherLook::Against(Against::LostResponse, sight)
        }
        _ => WatcherLook::For(sight),
    })
}

/// Time that a request lost to retransmitted frames, where not the whole request was repeated.
pub(super) fn lost(t: &Transaction, outstanding: &Outstanding) -> Option<WatcherLook> {
    if t.copies > 1 || !is_request(t) {
        return None;
    }
    let mut at = outstanding.begin;
    let (mut lost, mut until) = (0i64, outstanding.begin);
    for (share, end) in outstanding.phases() {
        if end > at {
            if share == Phase::Retransmission {
                lost = lost.saturating_add(end.since(at));
                until = end;
            }
            at = end;
        }
    }
    let sight = Sight::between(t.request?.first, t.response?.last);
    (lost > 0).then(|| doubtful(sight.costing(lost).until(until)))
}

/// Time that a request lost because its response, complete already, was retransmitted, or because
/// the request was lost before the capture.
pub(super) fn lost_behind(wait: Wait<'_>, at: Timestamp) -> Option<WatcherLook> {
    let t = wait.case.transaction;
    if wait.anyone || !is_request(t) {
        return None;
    }
    let request = t.request?.first;
    let sight = Sight::between(request, t.response.map_or(request, |r| r.last));
    Some(doubtful(
        sight.costing(at.since(wait.began).max(0)).until(at),
    ))
}

/// Data was retransmitted, `after_ns` after it was sent last.
pub(super) fn resent(page: &mut Page<'_>, mark: Mark, after_ns: Option<i64>) {
    let look = match after_ns.map(u64::try_from) {
        // Where it is not known when it was sent before, nothing says that it was just now.
        Some(Ok(AT_ONCE..)) | None => WatcherLook::For(Sight::at(mark)),
        Some(_) => WatcherLook::Against(Against::Doubled, Sight::at(mark)),
    };
    page.count(Base::Frames, 1);
    page.look(&TOO_MANY_RESENT, &look);
}

#[cfg(test)]
mod tests;
