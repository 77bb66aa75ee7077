//! The first line of a comparison by what decides it, and in whom the change is.

use super::Compared;
use super::words::{MANIFOLD, key_name, probability, stations, value, worded};
use crate::figures::{Command, Grouped, Percent};
use crate::table::NOTHING;
use wirewait_judge::compare::{
    ActiveTime, BLOCKS, Change, Conclusion, Confidence, Effect, EqualLoad, Figure, Key, LEVEL,
    MATERIAL, Ratio, Work,
};
use wirewait_judge::{Culprit, Finding};
use wirewait_wire::Kind;

/// The verdict on one capture that moves its data in requests of other sizes.
pub(super) fn by_work(
    compared: &Compared<'_>,
    number: usize,
    verdict: &Conclusion,
    work: &Work,
) -> String {
    let (name, base) = (compared.name(number + 1), compared.name(0));
    let figure = Figure::ActiveThroughput;
    let rate = |rate: Ratio| value(compared.digits, figure, Some(rate));
    let rates = match &work.equal_load {
        Some(load) => format!(
            "with as many stations active ({}) {name} moved {}",
            loads(load),
            worded(figure, Some(work.change()))
        ),
        None => format!(
            "for each active client {name} moved {}, {base} {}: {}",
            rate(work.other),
            rate(work.base),
            worded(figure, Some(work.change()))
        ),
    };
    let mut text = match (verdict.effect, work.confidence) {
        (Effect::TooFew, _) if verdict.pauses_moved => {
            format!(
                "Cannot tell: {rates}, but pauses that are idle time in one of the two make most of it."
            )
        }
        (effect @ (Effect::Slower | Effect::Faster), confidence) => {
            let word = match effect {
                Effect::Slower => "Slower",
                _ => "Faster",
            };
            format!(
                "{word}{}: {rates}, {}{}.",
                by_losses(verdict),
                sure(verdict, confidence),
                blamed(verdict)
            )
        }
        (Effect::TooFew, Confidence::TooFew(a, b)) => too_few_parts(&rates, a, b),
        (Effect::TooFew, confidence) => cannot_tell(&rates, confidence, verdict),
        (_, confidence) if confidence.p().is_some_and(|p| p < LEVEL) => {
            let least = Percent(MATERIAL.unsigned_abs(), 1000);
            let p = chance(confidence);
            format!(
                "No change: {rates} ({p}), and less than {least} does not count where sizes differ."
            )
        }
        (_, confidence) => {
            let p = chance(confidence);
            format!("No change: {rates}, which chance does as well ({p}).")
        }
    };
    if work.equal_load.is_some() {
        text.push_str(&format!(
            " At all loads together each active client moved {}, in {base} {}.",
            rate(work.other),
            rate(work.base)
        ));
    }
    text
}

/// The loads within which two captures are compared.
fn loads(load: &EqualLoad) -> String {
    let (from, to) = load.stations;
    match from == to {
        true => stations(to),
        false => format!("{from} to {to}"),
    }
}

/// That lost frames decided.
fn by_losses(verdict: &Conclusion) -> &'static str {
    match (&verdict.losses, verdict.effect) {
        (None, _) => "",
        (Some(_), Effect::Faster) => ", without lost frames",
        (Some(_), _) => ", by lost frames",
    }
}

/// What makes it more than chance.
fn sure(verdict: &Conclusion, confidence: Confidence) -> String {
    match &verdict.losses {
        Some(losses) => format!(
            "most of it loss recovery: something was retransmitted of {} of {} requests, of {} of {} in the \
             baseline ({})",
            Grouped(losses.other.repeated),
            Grouped(losses.other.answered),
            Grouped(losses.base.repeated),
            Grouped(losses.base.answered),
            probability(losses.p)
        ),
        None => format!("significant ({})", chance(confidence)),
    }
}

fn too_few_parts(what: &str, base: u64, other: u64) -> String {
    format!(
        "Cannot tell: {what}, but the captures can be cut into {other} and {base} parts, and a judgement \
         takes {BLOCKS} of each."
    )
}

/// A large difference that the test does not find.
fn cannot_tell(what: &str, confidence: Confidence, verdict: &Conclusion) -> String {
    let whose = match blamed(verdict).strip_prefix("; ") {
        Some(whose) => format!(" It is {whose}."),
        None => String::new(),
    };
    format!(
        "Cannot tell whether it is chance: {what}, but so unevenly that it may be ({}).{whose}",
        chance(confidence)
    )
}

/// The verdict on one capture by all of the time.
pub(super) fn by_active_time(
    compared: &Compared<'_>,
    number: usize,
    verdict: &Conclusion,
    active: &ActiveTime,
) -> String {
    let times = with_pauses(compared, number, active);
    let change = worded(Figure::ResponseTime, Some(active.change()));
    let what = match &active.equal_load {
        Some(load) => format!(
            "with as many stations active ({}) a request with the pause before it was {change}",
            loads(load)
        ),
        None => format!("{times}: {change}"),
    };
    let p = chance(verdict.confidence);
    let mut text = match (verdict.effect, verdict.confidence) {
        (effect @ (Effect::Slower | Effect::Faster), confidence) => format!(
            "{}{}: {what}, {}{}.",
            if effect == Effect::Slower {
                "Slower"
            } else {
                "Faster"
            },
            by_losses(verdict),
            sure(verdict, confidence),
            blamed(verdict)
        ),
        (Effect::TooFew, Confidence::TooFew(a, b)) => too_few_parts(&what, a, b),
        (Effect::TooFew, confidence) => cannot_tell(&what, confidence, verdict),
        (Effect::None, confidence) if confidence.p().is_some_and(|p| p < LEVEL) => format!(
            "No change: {what}, and less than {} does not count ({p}).",
            Percent(MATERIAL.unsigned_abs(), 1000)
        ),
        (Effect::None, _) => format!("No change: {what}, which chance does as well ({p})."),
    };
    if active.equal_load.is_some() {
        text.push_str(&format!(" At all loads together: {times}."));
    }
    // What changed is not what a request takes, or most of it is not.
    if let Some((was, is)) = compared.comparison.all.both(number, Figure::ResponseTime)
        && (is.number() - was.number()).abs() * 2.0
            < (active.other.number() - active.base.number()).abs()
    {
        let show = |ratio| value(compared.digits, Figure::ResponseTime, Some(ratio));
        text.push_str(&format!(
            " The requests themselves took {} (was {}).",
            show(is),
            show(was)
        ));
    }
    text
}

fn with_pauses(compared: &Compared<'_>, number: usize, active: &ActiveTime) -> String {
    let show = |ratio| value(compared.digits, Figure::ResponseTime, Some(ratio));
    format!(
        "with the clients' pauses a request took {} in {}, {} in {}",
        show(active.other),
        compared.name(number + 1),
        show(active.base),
        compared.name(0)
    )
}

/// The verdict on one capture of the baseline's traffic.
pub(super) fn same_traffic(
    compared: &Compared<'_>,
    number: usize,
    active: Option<ActiveTime>,
) -> String {
    let mut text = "No change: both are of the same requests, captured at two places".to_owned();
    if let Some(active) = active {
        text.push_str(&format!("; {}", with_pauses(compared, number, &active)));
    }
    text.push('.');
    if let Some((was, is)) = compared.comparison.all.both(number, Figure::ResponseTime)
        && was != is
    {
        let show = |ratio| value(compared.digits, Figure::ResponseTime, Some(ratio));
        text.push_str(&format!(
            " The requests themselves took {} (was {}): the way between the two places is part of one.",
            show(is),
            show(was)
        ));
    }
    text
}

/// The verdict on one capture that took another time for the same work, and only idle time differs.
pub(super) fn only_idle(compared: &Compared<'_>, number: usize) -> String {
    let all = &compared.comparison.all;
    let show = |figure, ratio| value(compared.digits, figure, Some(ratio));
    let both = |figure| {
        let (was, is) = all.both(number, figure)?;
        Some((show(figure, is), show(figure, was)))
    };
    let (name, base) = (compared.name(number + 1), compared.name(0));
    let nothing = || (NOTHING.to_owned(), NOTHING.to_owned());
    let (is, was) = both(Figure::Elapsed).unwrap_or_else(nothing);
    let (took, before) = both(Figure::ResponseTime).unwrap_or_else(nothing);
    format!(
        "Cannot tell: the same work took {is} by the clock in {name}, {was} in {base}: {}, all in pauses \
         that count as idle. Users rested, or requests were lost before the capture. The requests \
         themselves took {took} (was {before}).",
        worded(Figure::Elapsed, all.change(number, Figure::Elapsed))
    )
}

/// The verdict on one capture whose response times another load changed.
pub(super) fn by_load(times: &str, load: &EqualLoad) -> String {
    format!(
        "No change: {times}, but with as many stations active ({}) {} ({}): another load, and no other service.",
        loads(load),
        worded(Figure::ResponseTime, Some(load.slower())),
        probability(load.p)
    )
}

fn chance(confidence: Confidence) -> String {
    let p = confidence.p();
    p.map_or_else(|| "no test".to_owned(), probability)
}

/// That another time passed between the requests, if it matters.
pub(super) fn pauses(verdict: &Conclusion) -> Option<String> {
    let client = verdict
        .parts
        .iter()
        .find(|part| part.culprit == Culprit::Client)?;
    let all: f64 = verdict.parts.iter().map(|part| part.base.number()).sum();
    let change = client.base.change(client.other);
    let matters = (client.other.number() - client.base.number()).abs() * 10.0 >= all;
    matters.then(|| match change {
        Change::Thousandths(n) if n < 0 => format!(
            " {} less time passed between the requests.",
            Percent(n.unsigned_abs(), 1000)
        ),
        Change::Thousandths(n) if n < MANIFOLD => format!(
            " {} more time passed between the requests.",
            Percent(n.unsigned_abs(), 1000)
        ),
        _ => " Far more time passed between the requests.".to_owned(),
    })
}

/// A group in a sentence.
pub(super) fn operation(key: &Key) -> String {
    match key {
        // "LAST MESSAGE" is a protocol's, the last message is not.
        Key::Operation {
            protocol,
            command: name,
            code,
            kind,
        } if *kind != Kind::Wait => {
            let (protocol, code) = (protocol.to_uppercase(), *code);
            format!("{protocol} {}", Command { name, code })
        }
        _ => key_name(key),
    }
}

/// In whom most of the change is, and in what; nothing where that cannot be said.
pub(super) fn blamed(verdict: &Conclusion) -> String {
    let most = verdict.most.as_ref();
    let most = most.map_or_else(String::new, |key| {
        format!(", most of it in {}", operation(key))
    });
    let (whose, capture) = match verdict.finding {
        Finding::None => return most,
        Finding::Named(Culprit::Client) => ("the clients, between their requests", None),
        Finding::Named(Culprit::Network) => ("the network", None),
        Finding::Named(Culprit::Server) => ("the server", None),
        Finding::Either(Culprit::Client, Culprit::Network) => {
            ("the clients or the network", Some("clients"))
        }
        Finding::Either(Culprit::Client, _) => ("the clients or the server", None),
        Finding::Either(..) => ("the network or the server", Some("server")),
    };
    let capture = capture.map_or_else(String::new, |at| {
        format!(" (only captures at the {at} can tell)")
    });
    format!("; mostly {whose}{capture}{most}")
}
