//! Servers that answer late, later, not at all, or no.

use super::evidence::{Against, Base, Book, Sight};
use super::page::Page;
use super::rule::{Limit, Rule, Severity, Whose};
use super::watchers::{Watcher, WatcherLook, operation, status};
use super::{Threshold, Thresholds};
use crate::{Flags, Mark, Outcome, Transaction, Turnaround};
use wirewait_wire::Kind;

pub(super) static SERVER_BUSY: Rule = Rule {
    id: "server_busy",
    severity: Severity::Symptom,
    whose: Whose::Server,
    counts: "requests to which the server first responded \"being processed\"",
    limit: Limit::Share {
        of: Base::Requests,
        percent: Threshold::Busy,
        minimum: Threshold::MinimumRequests,
        least: Threshold::LeastEvents,
    },
    costly: false,
    covers: &[],
};

pub(super) static SLOW_ANSWERS: Rule = Rule {
    id: "slow_answers",
    severity: Severity::Symptom,
    whose: Whose::Server,
    counts: "responses with a turnaround above slow_answer_ms",
    limit: Limit::Share {
        of: Base::Timed,
        percent: Threshold::SlowAnswers,
        minimum: Threshold::MinimumRequests,
        least: Threshold::LeastEvents,
    },
    costly: true,
    covers: &["fluctuating_server"],
};

pub(super) static SLOW_SERVER: Rule = Rule {
    id: "slow_server",
    severity: Severity::Diagnosis,
    whose: Whose::Server,
    counts: "responses, and their turnaround",
    limit: Limit::Mean {
        of: Base::Timed,
        at: Threshold::SlowServer,
        minimum: Threshold::MinimumRequests,
    },
    costly: false,
    covers: &["slow_answers", "fluctuating_server"],
};

pub(super) static UNANSWERED: Rule = Rule {
    id: "unanswered_requests",
    severity: Severity::Symptom,
    whose: Whose::Server,
    counts: "requests without a response",
    limit: Limit::Share {
        of: Base::Requests,
        percent: Threshold::Unanswered,
        minimum: Threshold::MinimumRequests,
        least: Threshold::LeastEvents,
    },
    costly: true,
    covers: &[],
};

pub(super) static NO_RESPONSE: Rule = Rule {
    id: "server_not_responding",
    severity: Severity::Diagnosis,
    whose: Whose::Server,
    counts: "requests repeated more than successive_repeats times, without a response",
    limit: Limit::Beyond(Threshold::Repeats),
    costly: false,
    covers: &["unanswered_requests"],
};

pub(super) static ONE_WAY: Rule = Rule {
    id: "one_way_traffic",
    severity: Severity::Diagnosis,
    whose: Whose::Pair,
    counts: "periods in which a client kept sending requests and received nothing",
    limit: Limit::Beyond(Threshold::OneWay),
    costly: false,
    covers: &[],
};

pub(super) static DENIED: Rule = Rule {
    id: "requests_denied",
    severity: Severity::Diagnosis,
    whose: Whose::Pair,
    counts: "requests that failed",
    limit: Limit::Share {
        of: Base::Work,
        percent: Threshold::Denied,
        minimum: Threshold::MinimumRequests,
        least: Threshold::LeastEvents,
    },
    costly: false,
    covers: &[],
};

/// Looks at how long things took, and so at all of them.
pub(super) static OF_ANY: &[Watcher] = &[Watcher {
    rule: &SLOW_ANSWERS,
    look: slow,
    word: operation,
}];

pub(super) static WATCHERS: &[Watcher] = &[
    Watcher {
        rule: &SERVER_BUSY,
        look: busy,
        word: operation,
    },
    Watcher {
        rule: &UNANSWERED,
        look: unanswered,
        word: operation,
    },
    Watcher {
        rule: &NO_RESPONSE,
        look: never_answered,
        word: operation,
    },
    Watcher {
        rule: &DENIED,
        look: denied,
        word: status,
    },
];

/// Whether a rule counts time of the server's.
pub(super) fn is_server(rule: &Rule) -> bool {
    let rules = [&SLOW_ANSWERS, &SERVER_BUSY];
    rules.into_iter().any(|of| std::ptr::eq(of, rule))
}

/// The turnaround that was the server's own, without what was spent behind other requests of
/// the same conversation, ns; of answers to requests for files, where it is known.
#[inline(always)]
pub(super) fn own_turnaround(t: &Transaction) -> Option<i64> {
    let work = !matches!(t.kind, Kind::Wait | Kind::Break | Kind::Session);
    let exact = t.turnaround.exact().filter(|_| work)?;
    if t.flags.is_incomplete() || guessed(t) || reads_pipe(t) {
        return None;
    }
    Some(t.service_ns.map_or(exact, |own| own.min(exact)))
}

/// The least that the server's own may have been where a repeated request makes it ambiguous, ns.
#[cold]
fn at_least(t: &Transaction) -> Option<i64> {
    let Turnaround::Between(low, _) = t.turnaround else {
        return None;
    };
    let work = !matches!(t.kind, Kind::Wait | Kind::Break | Kind::Session);
    let known = work && !t.flags.is_incomplete() && !guessed(t) && !reads_pipe(t);
    known.then(|| t.service_ns.map_or(low, |own| own.min(low)))
}

/// What waits by design and its response are no longer, with all headers, bytes. A granted lock has a body of 4 bytes and a request of
/// 24 for each range ([MS-SMB2] 2.2.26, 2.2.27); a notification has 12 and the name for each change, at most 522 for one name
/// (2.2.36, [MS-FSCC] 2.7.1), and comes with the first changes; what is read from a pipe is a fragment of DCE/RPC, less than 6 KiB.
const BY_DESIGN_BYTES: u64 = 8192;

/// Encrypted, and nothing tells whether it waits by design. What has this many bytes in either direction reads or writes a file.
pub(super) fn guessed(t: &Transaction) -> bool {
    t.flags.contains(Flags::ENCRYPTED)
        && t.kind == Kind::Other
        && t.request_bytes.max(t.response_bytes) <= BY_DESIGN_BYTES
}

/// A read from a pipe waits until something is written to it.
pub(super) fn reads_pipe(t: &Transaction) -> bool {
    t.work() == Kind::Read && in_pipe(t)
}

/// What is read and written has no place in a file.
pub(super) fn in_pipe(t: &Transaction) -> bool {
    t.place.as_ref().is_some_and(|place| place.pipes)
}

/// From the complete request to the first frame of the answer.
pub(super) fn turnaround(t: &Transaction) -> Option<Sight> {
    Some(Sight::between(t.request?.last, t.response?.first))
}

fn busy(t: &Transaction, thresholds: &Thresholds) -> Option<WatcherLook> {
    let interim = t.first_interim?;
    // Told to go on before the request was complete: that is no delay.
    t.first_interim_ns()?;
    if t.kind == Kind::Break {
        return None;
    }
    // Without an answer it cannot be told from "send the rest of the request".
    let response = t.response?;
    t.times()?;
    let wait = interim.until(response.first)?;
    if wait < thresholds.ns(Threshold::BusyLeast) {
        return None;
    }
    let sight = Sight::between(interim, response.first).costing(wait);
    Some(match t.kind {
        _ if reads_pipe(t) => WatcherLook::Against(Against::Pipe, sight),
        Kind::Wait => WatcherLook::Against(Against::ByDesign, sight),
        _ if guessed(t) => WatcherLook::Against(Against::Encrypted, sight),
        _ => WatcherLook::For(sight),
    })
}

/// Of a request that was repeated, the turnaround is at least this, where that is slow whichever copy was
/// answered; else as [`own_turnaround`], ns.
pub(super) fn own_at_least(t: &Transaction, thresholds: &Thresholds) -> Option<i64> {
    let Turnaround::Between(low, _) = t.turnaround else {
        return own_turnaround(t);
    };
    let own = at_least(t)?;
    (low.min(own) > thresholds.ns(Threshold::SlowAnswer)).then_some(own)
}

fn slow(t: &Transaction, thresholds: &Thresholds) -> Option<WatcherLook> {
    let whole = match t.turnaround {
        Turnaround::Between(low, _) => low,
        other => other.exact()?,
    };
    let limit = thresholds.ns(Threshold::SlowAnswer);
    if whole <= limit || matches!(t.kind, Kind::Break | Kind::Session) {
        return None;
    }
    let sight = turnaround(t)?;
    let doubtful = sight.costing(whole - limit);
    Some(match own_turnaround(t).or_else(|| at_least(t)) {
        Some(own) if own > limit => WatcherLook::For(sight.costing(own - limit)),
        Some(_) => WatcherLook::Against(Against::Pipelined, doubtful),
        None if reads_pipe(t) => WatcherLook::Against(Against::Pipe, doubtful),
        None if t.kind == Kind::Wait => WatcherLook::Against(Against::ByDesign, doubtful),
        None if guessed(t) => WatcherLook::Against(Against::Encrypted, doubtful),
        None if t.flags.contains(Flags::LIMITED) => {
            WatcherLook::Against(Against::Limited, doubtful)
        }
        None => WatcherLook::Against(Against::CaptureLoss, doubtful),
    })
}

/// What speaks against it that a request was not answered.
pub(super) fn excuse(t: &Transaction) -> Option<Against> {
    [
        (Flags::ONE_SIDED, Against::OneSided),
        (Flags::OPEN_AT_END, Against::EndOfCapture),
        (Flags::CAPTURE_LOSS, Against::CaptureLoss),
    ]
    .into_iter()
    .find(|(flag, _)| t.flags.contains(*flag))
    .map(|(_, why)| why)
}

fn unanswered(t: &Transaction, _: &Thresholds) -> Option<WatcherLook> {
    let waits = matches!(t.kind, Kind::Wait | Kind::Break);
    if t.outcome != Outcome::Unanswered || waits {
        return None;
    }
    let request = t.request?;
    let sight = Sight::between(request.first, request.last);
    // That its client went away is said of the client. One that asked repeatedly had waited.
    let went = t.flags.contains(Flags::ABANDONED) && t.copies < 2;
    Some(match excuse(t).or(went.then_some(Against::Abandoned)) {
        Some(why) => WatcherLook::Against(why, sight),
        None => WatcherLook::For(sight),
    })
}

/// Answers may be among what the capture missed. Those who asked again had none.
pub(super) fn doubt(book: &mut Book) {
    for rule in [&UNANSWERED, &ONE_WAY] {
        if book.known(rule).is_some_and(|cell| cell.hits.count > 0) {
            let cell = book.cell(rule);
            let hits = std::mem::take(&mut cell.hits);
            cell.against.push((Against::CaptureLoss, hits));
        }
    }
}

fn never_answered(t: &Transaction, thresholds: &Thresholds) -> Option<WatcherLook> {
    // Whom the server told that it works on it has a response.
    let repeated = u64::from(t.copies) > thresholds.get(Threshold::Repeats) + 1 && t.interims == 0;
    unanswered(t, thresholds).filter(|_| repeated)
}

fn denied(t: &Transaction, _: &Thresholds) -> Option<WatcherLook> {
    let status = t.status?;
    // That a lock is taken is an answer; a client that asks for it repeatedly is refused all the same.
    let refused = t.kind == Kind::Lock && !status.ok;
    let failed = (status.failure || refused) && t.outcome == Outcome::Answered;
    if !failed || matches!(t.kind, Kind::Session | Kind::Wait | Kind::Break) {
        return None;
    }
    let sight = Sight::between(t.request?.first, t.response?.last);
    Some(WatcherLook::For(
        sight.costing(t.response_time_ns().unwrap_or(0)),
    ))
}

/// Requests in a row of one client at one server that were not answered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Silence {
    run: Option<SlowRun>,
    /// When the latest request that was answered began.
    answered: Option<Mark>,
}

#[derive(Clone, Copy, Debug)]
struct SlowRun {
    first: Mark,
    last: Mark,
    requests: u64,
    excuse: Option<Against>,
    said: bool,
}

impl Silence {
    pub(super) fn closed(&mut self, t: &Transaction, page: &mut Page<'_>, thresholds: &Thresholds) {
        let Some(request) = t.request else {
            return;
        };
        let (first, last) = (request.first, request.last);
        if t.outcome != Outcome::Unanswered {
            self.answered = Some(match self.answered {
                Some(mark) if mark.frame > first.frame => mark,
                _ => first,
            });
            if self.run.is_some_and(|run| run.first.frame < first.frame) {
                self.run = None;
            }
            return;
        }
        let waits = matches!(t.kind, Kind::Wait | Kind::Break);
        if waits || self.answered.is_some_and(|mark| mark.frame > first.frame) {
            return;
        }
        let run = self.run.get_or_insert(SlowRun {
            first,
            last,
            requests: 0,
            excuse: None,
            said: false,
        });
        run.requests += 1;
        let went = t.flags.contains(Flags::ABANDONED);
        run.excuse = run
            .excuse
            .or(excuse(t))
            .or(went.then_some(Against::Abandoned));
        if last.frame > run.last.frame {
            run.last = last;
        }
        let lasted = run.first.until(run.last).unwrap_or(0);
        let enough = run.requests >= thresholds.get(Threshold::OneWay)
            && lasted >= thresholds.ns(Threshold::OneWayTime);
        if enough && !run.said {
            run.said = true;
            let sight = Sight::between(run.first, run.last).costing(lasted);
            match run.excuse {
                Some(why) => page.oppose(&ONE_WAY, why, &sight),
                None => page.hit(&ONE_WAY, &sight),
            }
        }
    }
}

#[cfg(test)]
mod tests;
