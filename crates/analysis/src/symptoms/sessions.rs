//! Trouble with setting up connections, sessions and shares.

use super::evidence::{Against, Sight};
use super::page::Page;
use super::rule::{Limit, Rule, Severity, Whose};
use super::watchers::{Watcher, WatcherLook, operation, status};
use super::{Threshold, Thresholds};
use crate::case::Wait;
use crate::world::CutOff;
use crate::{Flags, Mark, Outcome, Transaction};
use wirewait_wire::{Effects, Kind};

pub(super) static LOGON_REFUSED: Rule = Rule {
    id: "logon_refused",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "refused log-ons and shares",
    limit: Limit::Count(Threshold::LogonRefused),
    costly: false,
    covers: &[],
};

pub(super) static SLOW_CONNECT: Rule = Rule {
    id: "slow_connect",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "steps of setting up a session that took longer than slow_connect_ms",
    limit: Limit::Beyond(Threshold::SlowConnect),
    costly: false,
    covers: &[],
};

pub(super) static NO_CONNECT: Rule = Rule {
    id: "no_connection",
    severity: Severity::Diagnosis,
    whose: Whose::Pair,
    counts: "steps of setting up a session without a response",
    limit: Limit::Count(Threshold::LeastEvents),
    costly: false,
    covers: &[],
};

pub(super) static LOOKUPS: Rule = Rule {
    id: "lookups_unanswered",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "name queries without a response",
    limit: Limit::Count(Threshold::LeastEvents),
    costly: true,
    covers: &[],
};

pub(super) static ABSENT_NAMES: Rule = Rule {
    id: "absent_names",
    severity: Severity::Symptom,
    whose: Whose::Client,
    counts: "lookups of names by broadcast, repeated and without a response",
    limit: Limit::Count(Threshold::AbsentNames),
    costly: false,
    covers: &[],
};

pub(super) static ABANDONED: Rule = Rule {
    id: "requests_abandoned",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "requests open for abandoned_after_ms when their client closed or aborted the connection",
    limit: Limit::Beyond(Threshold::Abandoned),
    costly: false,
    covers: &[],
};

pub(super) static RESET: Rule = Rule {
    id: "connection_reset",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "connections that the server closed or reset while a request was open, or reset within reset_after_ms of a response that was not acknowledged",
    limit: Limit::Beyond(Threshold::ResetAfter),
    costly: false,
    covers: &[],
};

/// From the request, or the end of the response, to the reset. A server that refuses to set up a session, or is done with it, may
/// reset its connection: the former is [`NO_CONNECT`].
pub(super) fn cut_off(
    wait: Wait<'_>,
    at: Mark,
    cut: CutOff,
    thresholds: &Thresholds,
) -> Option<WatcherLook> {
    let t = wait.case.transaction;
    let since = at.at.since(wait.began);
    if matches!(t.kind, Kind::Session | Kind::Break) {
        return None;
    }
    if cut.answered {
        let soon = since <= thresholds.ns(Threshold::ResetAfter) && t.kind != Kind::Wait;
        let sight = Sight::between(t.response?.last, at);
        return soon.then_some(WatcherLook::For(sight));
    }
    let sight = Sight::between(t.request?.first, at);
    let by_design = t.kind == Kind::Wait || super::answers::reads_pipe(t);
    Some(match cut.lacks {
        _ if by_design => WatcherLook::Against(Against::ByDesign, sight),
        true => WatcherLook::Against(Against::CaptureLoss, sight),
        false => WatcherLook::For(sight.costing(since)),
    })
}

/// From the request to the end of the connection, if the client waited long enough and for
/// something that does not wait by design.
pub(super) fn abandoned(wait: Wait<'_>, at: Mark, thresholds: &Thresholds) -> Option<Sight> {
    let t = wait.case.transaction;
    let waited = at.at.since(wait.began);
    let by_design = matches!(t.kind, Kind::Wait | Kind::Break) || super::answers::reads_pipe(t);
    if by_design || waited < thresholds.ns(Threshold::Abandoned) {
        return None;
    }
    Some(Sight::between(t.request?.first, at).costing(waited))
}

/// A query to a name service, repeated for this long. That it is not answered is no fault of a file
/// server. A client repeats it only where it received no response (RFC 1002, section 4.2.12 and 5.1.1.4), so that
/// one that was repeated needs neither its time-out nor anything else of the name service in the capture.
pub(super) fn lookup(t: &Transaction, repeated_ns: i64, page: &mut Page<'_>) {
    if t.outcome != Outcome::Unanswered {
        return;
    }
    let Some(request) = t.request else {
        return;
    };
    let sight = Sight::between(request.first, request.last);
    match super::answers::excuse(t) {
        Some(why @ (Against::OneSided | Against::EndOfCapture)) if t.copies < 2 => {
            page.oppose(&LOOKUPS, why, &sight);
        }
        _ => {
            // How long the client waited after the last time is not in the capture.
            let until = request.last.at.plus(repeated_ns);
            page.hit(&LOOKUPS, &sight.costing(repeated_ns).until(until));
            page.word(&LOOKUPS, t.operation.name);
            if t.flags.contains(Flags::REFUSED) {
                page.word(&LOOKUPS, "refused by ICMP");
            }
        }
    }
}

/// A query for a name that went to everyone, repeated for this long: nobody has the name. A client repeats it
/// only where it received no response (RFC 1002, section 5.1.1.4); where it did not, the response may have
/// passed by the capture. Whether a program waited for it is not in the capture: it costs nothing.
pub(super) fn absent(t: &Transaction, repeated_ns: i64, page: &mut Page<'_>) {
    let (Some(name), Some(request)) = (&t.sought, t.request) else {
        return;
    };
    if t.outcome != Outcome::Unanswered {
        return;
    }
    let sight = Sight::between(request.first, request.last);
    match super::answers::excuse(t) {
        Some(why @ (Against::OneSided | Against::EndOfCapture)) if t.copies < 2 => {
            page.oppose(&ABSENT_NAMES, why, &sight);
        }
        _ if t.copies < 2 => page.oppose(&ABSENT_NAMES, Against::OneSided, &sight),
        _ => {
            page.hit(&ABSENT_NAMES, &sight);
            page.name(&ABSENT_NAMES, name, repeated_ns);
        }
    }
}

pub(super) static WATCHERS: &[Watcher] = &[
    Watcher {
        rule: &LOGON_REFUSED,
        look: refused,
        word: status,
    },
    Watcher {
        rule: &SLOW_CONNECT,
        look: slow,
        word: operation,
    },
    Watcher {
        rule: &NO_CONNECT,
        look: unanswered,
        word: operation,
    },
];

/// Who calls a name that nobody has there tries another one, and a server refers to another port
/// (RFC 1002, section 4.3.4): both get in.
fn refused(t: &Transaction, _: &Thresholds) -> Option<WatcherLook> {
    let status = t
        .status
        .filter(|status| !status.ok && t.kind == Kind::Session)?;
    let sight = Sight::between(t.request?.first, t.response?.last);
    match status.failure {
        true => Some(WatcherLook::For(sight)),
        false if t.effects.has(Effects::SETS_UP) => {
            Some(WatcherLook::Against(Against::OtherDoor, sight))
        }
        false => None,
    }
}

fn slow(t: &Transaction, thresholds: &Thresholds) -> Option<WatcherLook> {
    let limit = thresholds.ns(Threshold::SlowConnect);
    let took = t.response_time_ns().filter(|_| t.kind == Kind::Session)?;
    let sight = Sight::between(t.request?.first, t.response?.last);
    (took > limit).then(|| WatcherLook::For(sight.costing(took - limit)))
}

/// Of those who ask about a session, or end one, there is a session.
fn unanswered(t: &Transaction, _: &Thresholds) -> Option<WatcherLook> {
    if t.outcome != Outcome::Unanswered || t.kind != Kind::Session || !t.effects.sets_up() {
        return None;
    }
    let request = t.request?;
    let sight = Sight::between(request.first, request.last);
    Some(match super::answers::excuse(t) {
        Some(why) => WatcherLook::Against(why, sight),
        None => WatcherLook::For(sight),
    })
}

#[cfg(test)]
mod tests;
