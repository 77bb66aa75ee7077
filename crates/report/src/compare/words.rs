//! Figures, changes, verdicts and doubts of a comparison in words.

use super::Compared;
use super::further;
use super::headline::{blamed, by_active_time, by_load, by_work, only_idle, pauses, same_traffic};
use crate::escape::Escaped;
use crate::figures::{Command, Grouped, Milli, Percent, Rate, range};
use crate::table::NOTHING;
use crate::time::Digits;
use wirewait_judge::compare::{
    AtLoad, Basis, Better, Change, Conclusion, Confidence, CulpritTime, Effect, ErrorChange,
    FEWEST, Figure, Group, Key, LEVEL, MATERIAL, Ratio, Unit,
};

/// By which name a group is shown, and known to conditions.
#[must_use]
pub fn group_name(group: &Group) -> String {
    key_name(&group.key)
}

pub(super) fn key_name(key: &Key) -> String {
    match key {
        Key::All => "all".to_owned(),
        Key::Operation {
            protocol,
            command,
            code,
            kind,
        } => {
            let name = Command {
                name: command,
                code: *code,
            };
            match kind {
                wirewait_wire::Kind::Wait => format!("{protocol} {name} (wait)"),
                _ => format!("{protocol} {name}"),
            }
        }
        Key::Kind(kind) => kind.name().to_owned(),
        Key::Server(station) | Key::Client(station) => station.to_string(),
        Key::Share(share) => Escaped(share).to_string(),
        Key::File { share, path } => match share {
            Some(share) => format!("{} {}", Escaped(share), Escaped(path)),
            None => Escaped(path).to_string(),
        },
        Key::Stations { from, to } if from == to => stations(*from),
        Key::Stations { from, to } => format!("{from} to {to} stations"),
    }
}

/// A value in the unit of its figure.
pub(super) fn value(digits: Digits, figure: Figure, value: Option<Ratio>) -> String {
    let Some(value) = value else {
        return NOTHING.to_owned();
    };
    let scaled = |scale: u128| u64::try_from(value.scaled(scale)).unwrap_or(u64::MAX);
    match figure.unit() {
        Unit::Count | Unit::Bytes => Grouped(scaled(1)).to_string(),
        Unit::Nanoseconds => digits.span(scaled(1)),
        Unit::ByteRate => Rate(scaled(1_000_000_000)).to_string(),
        Unit::Rate => Milli(scaled(1_000_000_000_000)).to_string(),
        Unit::PerRequest => Milli(scaled(1000)).to_string(),
    }
}

/// From ten times the baseline on, per cents are no help.
pub(super) const MANIFOLD: i64 = 9000;

/// Multiples of the baseline, rounded half up to a tenth.
fn times(more: i64) -> String {
    let tenths = (more.unsigned_abs().saturating_add(1000) + 50) / 100;
    format!("{}.{}", Grouped(tenths / 10), tenths % 10)
}

/// A change with its sign: `+14.4 %`.
pub(super) fn signed(change: Option<Change>) -> String {
    match change {
        None => NOTHING.to_owned(),
        Some(Change::FromNothing) => "n/a".to_owned(),
        Some(Change::Thousandths(0)) => "0.0 %".to_owned(),
        Some(Change::Thousandths(n)) if n >= MANIFOLD => format!("x {}", times(n)),
        Some(Change::Thousandths(n)) => {
            let sign = if n < 0 { '-' } else { '+' };
            format!("{sign}{}", Percent(n.unsigned_abs(), 1000))
        }
    }
}

/// A change in words: `14.4 % slower`.
pub(super) fn worded(figure: Figure, change: Option<Change>) -> String {
    let n = match change {
        None => return NOTHING.to_owned(),
        Some(Change::FromNothing) => return "n/a (none before)".to_owned(),
        Some(Change::Thousandths(0)) => return "the same".to_owned(),
        Some(Change::Thousandths(n)) => n,
    };
    let (up, down) = match (figure.unit(), figure.better()) {
        (Unit::Nanoseconds, _) if figure == Figure::Elapsed => ("longer", "shorter"),
        (Unit::Nanoseconds, Better::Less) => ("slower", "faster"),
        _ => ("more", "less"),
    };
    if n >= MANIFOLD {
        let word = match figure.unit() {
            Unit::Nanoseconds => "long",
            _ => "much",
        };
        return format!("{} times as {word}", times(n));
    }
    let word = if n > 0 { up } else { down };
    format!("{} {word}", Percent(n.unsigned_abs(), 1000))
}

/// A probability to the digits that every machine agrees on.
pub(super) fn rounded(p: f64) -> f64 {
    format!("{p:.5e}").parse().unwrap_or(p)
}

/// A probability.
pub(super) fn probability(p: f64) -> String {
    if p < 0.0001 {
        "p < 0.0001".to_owned()
    } else if p >= 0.99995 {
        "p = 1".to_owned()
    } else {
        format!("p = {p:.4}")
    }
}

/// What is to be thought of a capture as a whole: one cell of a table.
pub(super) fn overall(compared: &Compared<'_>, number: usize) -> String {
    let verdicts = &compared.comparison.verdicts;
    let whole = verdicts.get(number);
    let too_small =
        |v: &&Conclusion| v.effect == Effect::None && v.confidence.p().is_some_and(|p| p < LEVEL);
    let decided = |v: &&Conclusion| v.basis != Basis::ResponseTime || too_small(v);
    let Some(verdict) = whole.filter(decided) else {
        return result(&compared.comparison.all, number);
    };
    let by = match verdict.basis {
        Basis::Bytes => " by bytes",
        Basis::ActiveTime => " with pauses",
        Basis::SameTraffic => return "same requests".to_owned(),
        Basis::Elapsed => return "cannot tell: idle".to_owned(),
        Basis::Succeeded | Basis::Operations => {
            let alike = verdict
                .errors
                .as_ref()
                .map(|errors| errors.succeeded.as_ref());
            let alike = alike.flatten().or(verdict.alike.as_ref());
            let (by, p) = (
                match verdict.basis {
                    Basis::Succeeded => "where it succeeds",
                    _ => "by operation",
                },
                alike.map_or_else(|| "no test".to_owned(), |alike| probability(alike.p)),
            );
            let word = match verdict.effect {
                Effect::Slower => "slower",
                Effect::Faster => "faster",
                Effect::None => "no change",
                Effect::TooFew => "cannot tell",
            };
            let errors = match &verdict.errors {
                Some(errors) if errors.rose() => "errors rose; ",
                Some(_) => "errors fell; ",
                None => "",
            };
            return format!("{errors}{word} {by}, {p}");
        }
        Basis::ResponseTime => "",
    };
    if let Some(losses) = &verdict.losses {
        let (word, p) = (verdict.effect.name(), probability(losses.p));
        return format!("{word} by lost frames, {p}");
    }
    let p = match verdict.confidence {
        Confidence::TooFew(a, b) => return format!("too few samples ({a}, {b})"),
        Confidence::Coarse(_) => return "clock too coarse".to_owned(),
        ref tested => tested.p().map_or_else(String::new, probability),
    };
    match verdict.effect {
        Effect::Slower => format!("slower{by}, {p}"),
        Effect::Faster => format!("faster{by}, {p}"),
        Effect::None => format!("no change{by}, {p}"),
        Effect::TooFew => format!("cannot tell{by}, {p}"),
    }
}

/// What is to be thought of a group's response time: one cell of a table.
pub(super) fn result(group: &Group, number: usize) -> String {
    let side = |side: Option<&wirewait_judge::compare::Side>| side.is_some();
    match (side(group.base()), side(group.other(number))) {
        (true, true) => {}
        (true, false) => return "only in the baseline".to_owned(),
        (false, true) => return "not in the baseline".to_owned(),
        (false, false) => return NOTHING.to_owned(),
    }
    let Some(sure) = group.sure.get(number) else {
        return NOTHING.to_owned();
    };
    if let Some(errors) = ErrorChange::of(group, number) {
        return further::errors_cell(&errors);
    }
    match sure.response_time {
        Confidence::TooFew(0, 0) if matches!(group.key, Key::Stations { .. }) => NOTHING.to_owned(),
        Confidence::TooFew(a, b) => format!("too few samples ({a}, {b})"),
        Confidence::Coarse(_) => "clock too coarse".to_owned(),
        Confidence::Blocks(test) => probability(test.p),
        Confidence::Tested(test) => {
            let (p, slower) = (probability(test.p), test.greater() > 0.5);
            let change = group.change(number, Figure::ResponseTime);
            // The test is of all requests; a few very long ones decide the mean beside it.
            let against =
                matches!(change, Some(Change::Thousandths(n)) if n != 0 && (n < 0) == slower);
            match (test.p < sure.level, slower) {
                (true, true) if against => format!("mostly slower, {p}"),
                (true, false) if against => format!("mostly faster, {p}"),
                (true, true) => format!("slower, {p}"),
                (true, false) => format!("faster, {p}"),
                _ if is_manifold(change) => format!("a few long ones, {p}"),
                (false, _) if test.p < 0.99995 => format!("may be chance, {p}"),
                (false, _) => format!("no change, {p}"),
            }
        }
    }
}

/// Twice as much or half as much: a difference that is there, whatever the ranks say.
fn is_manifold(change: Option<Change>) -> bool {
    match change {
        Some(Change::Thousandths(n)) => n >= 1000 || n <= -500,
        Some(Change::FromNothing) => true,
        None => false,
    }
}

/// The verdict on one capture: errors first, then what became of the work, then what that hides.
pub(super) fn sentence(compared: &Compared<'_>, number: usize) -> String {
    let Some(verdict) = compared.comparison.verdicts.get(number) else {
        return String::new();
    };
    let mut all: Vec<String> = verdict.errors.iter().map(further::errors).collect();
    all.push(plainly(compared, number));
    all.extend(further::hidden(compared, verdict));
    all.join(" ")
}

fn plainly(compared: &Compared<'_>, number: usize) -> String {
    let (name, base) = (compared.name(number + 1), compared.name(0));
    let Some(verdict) = compared.comparison.verdicts.get(number) else {
        return String::new();
    };
    let all = &compared.comparison.all;
    match (verdict.basis, &verdict.work, verdict.active) {
        (Basis::Bytes, Some(work), _) => return by_work(compared, number, verdict, work),
        (Basis::ActiveTime, _, Some(active)) => {
            return by_active_time(compared, number, verdict, &active);
        }
        (Basis::SameTraffic, _, active) => return same_traffic(compared, number, active),
        (Basis::Elapsed, ..) => return only_idle(compared, number),
        _ => {}
    }
    match (verdict.basis, &verdict.errors, &verdict.alike) {
        (Basis::Succeeded, Some(errors), _) => {
            return further::by_succeeded(compared, number, verdict, errors);
        }
        (Basis::Operations, _, Some(alike)) => {
            return further::by_operations(compared, number, verdict, alike);
        }
        (Basis::Operations, _, None) => return further::other_operations(),
        _ => {}
    }
    let Some((was, is)) = all.both(number, Figure::ResponseTime) else {
        let answered = |side: Option<&wirewait_judge::compare::Side>| {
            side.is_some_and(|side| side.response_time.n > 0)
        };
        let without = match (answered(all.base()), answered(all.other(number))) {
            (false, false) => "neither has an".to_owned(),
            (false, true) => format!("{base} has no"),
            _ => format!("{name} has no"),
        };
        return format!(
            "Nothing to compare between {name} and {base}: {without} answered request to a file \
             server."
        );
    };
    let change = was.change(is);
    let times = format!(
        "a request took {} in {name}, {} in {base}",
        value(compared.digits, Figure::ResponseTime, Some(is)),
        value(compared.digits, Figure::ResponseTime, Some(was)),
    );
    let percent = worded(Figure::ResponseTime, Some(change));
    if let (Effect::None, Some(load)) = (verdict.effect, &verdict.by_load) {
        return by_load(&format!("{times}: {percent}"), load);
    }
    match (verdict.effect, verdict.confidence) {
        (Effect::TooFew, Confidence::TooFew(a, b)) => format!(
            "Cannot tell: {times} ({percent}), but of {b} and {a} requests, and a judgement takes \
             {FEWEST} of each."
        ),
        (Effect::TooFew, Confidence::Coarse(tick)) => format!(
            "Cannot tell: {times} ({percent}), but a clock ticks each {}.",
            compared.digits.span(tick)
        ),
        (effect @ (Effect::Slower | Effect::Faster), Confidence::Tested(test)) => {
            let slower = effect == Effect::Slower;
            let word = if slower { "Slower" } else { "Faster" };
            // A few very long requests decide the mean; the test is of all of them.
            let typical = all.both(number, Figure::ResponseTimeP50).filter(|_| {
                let against = |n: i64| n != 0 && (n < 0) == slower;
                matches!(change, Change::Thousandths(n) if against(n))
            });
            let (times, percent) = match typical {
                Some((was, is)) => (
                    format!(
                        "the median request took {} in {name}, {} in {base}",
                        value(compared.digits, Figure::ResponseTimeP50, Some(is)),
                        value(compared.digits, Figure::ResponseTimeP50, Some(was)),
                    ),
                    worded(Figure::ResponseTimeP50, Some(was.change(is))),
                ),
                None => (times, percent),
            };
            let mut text = format!(
                "{word}: {times}: {percent}, significant ({})",
                probability(test.p)
            );
            text.push_str(&blamed(verdict));
            text.push('.');
            text
        }
        (_, confidence) => {
            let p = confidence
                .p()
                .map_or_else(|| "no test".to_owned(), probability);
            let mut text = match change {
                Change::Thousandths(0) => format!("No change: {times} ({p})."),
                _ if confidence.p().is_some_and(|p| p < LEVEL) => format!(
                    "No change: {times}: {percent}, and less than {} does not count ({p}).",
                    Percent(MATERIAL.unsigned_abs(), 1000)
                ),
                _ => format!("No change: {times}: {percent}, no more than chance ({p})."),
            };
            text.push_str(&pauses(verdict).unwrap_or_default());
            text
        }
    }
}

pub(super) fn stations(n: u32) -> String {
    match n {
        1 => "1 station".to_owned(),
        n => format!("{n} stations"),
    }
}

/// A capture against the baseline at the load that is asked for.
pub(crate) fn at_load(compared: &Compared<'_>, number: usize, at: AtLoad) -> String {
    let (name, base) = (compared.name(number + 1), compared.name(0));
    let show = |figure, ratio| value(compared.digits, figure, Some(ratio));
    let verdict = compared.comparison.verdicts.get(number);
    // Requests of other sizes are not counted against each other.
    let by_bytes = verdict.is_some_and(|verdict| verdict.work.is_some());
    match at {
        AtLoad::Stations(n) => {
            let mut groups = compared.comparison.groups.iter();
            let group = groups.find(|group| group.has_stations(n));
            let has = |place: usize| {
                let side = group.and_then(|group| group.sides.get(place)?.as_ref());
                side.is_some_and(|side| side.counts.answered > 0)
            };
            let never = [(0, &base), (number + 1, &name)];
            if let Some((_, name)) = never.into_iter().find(|(place, _)| !has(*place)) {
                let never = match n {
                    1 => "no station was ever active alone".to_owned(),
                    n => format!("{} were never active together", stations(n)),
                };
                return format!(
                    "Cannot tell: in {name} {never} for a second; --by load shows the numbers that were."
                );
            }
            let change = |verb: &str, figure: Figure, unit: &str| {
                let (was, is) = group?.both(number, figure)?;
                Some(format!(
                    "{verb} {}{unit}, {} in {base}: {}",
                    show(figure, is),
                    show(figure, was),
                    worded(figure, Some(was.change(is)))
                ))
            };
            let parts = [
                change("moved", Figure::WallThroughput, ""),
                change("answered", Figure::TransactionsPerSecond, " requests/s"),
                change("took", Figure::ResponseTime, " for a request"),
            ];
            let parts = parts.into_iter().take(if by_bytes { 1 } else { 3 });
            let parts: Vec<String> = parts.flatten().collect();
            format!("With {} active {name} {}.", stations(n), parts.join("; "))
        }
        AtLoad::Peak => {
            let all = &compared.comparison.all;
            let peak = |verb: &str, figure: Figure, at: Figure, unit: &str| {
                let ((was, is), (before, now)) = (all.both(number, figure)?, all.both(number, at)?);
                let with = |n: Ratio| stations(u32::try_from(n.scaled(1)).unwrap_or(u32::MAX));
                Some(format!(
                    "{verb} {}{unit} with {}, {} with {} in {base}: {}",
                    show(figure, is),
                    with(now),
                    show(figure, was),
                    with(before),
                    worded(figure, Some(was.change(is)))
                ))
            };
            let (bytes, requests) = (Figure::PeakThroughput, Figure::PeakTransactions);
            let parts = [
                peak("moved", bytes, Figure::PeakStations, ""),
                peak(
                    "answered",
                    requests,
                    Figure::PeakTransactionsStations,
                    " requests/s",
                ),
            ];
            let parts = parts.into_iter().take(if by_bytes { 1 } else { 2 });
            let parts: Vec<String> = parts.flatten().collect();
            match parts.is_empty() {
                true => format!(
                    "Cannot tell: {name} or {base} has no load that was steady for long enough."
                ),
                false => format!("At its peak {name} {}.", parts.join("; ")),
            }
        }
    }
}

/// Where the time for a request went, then and now: one line. A part that may be more or less is a range, unless both
/// bounds read alike.
pub(crate) fn parts(verdict: &Conclusion, digits: Digits) -> Option<String> {
    let (parts, of, scale) = match &verdict.work {
        Some(work) => (&work.parts, "for each megabyte of file data", 1_000_000),
        None => (&verdict.parts, "per answered request", 1),
    };
    if parts.is_empty() {
        return None;
    }
    let ns = |ratio: Ratio| {
        let scaled = Ratio {
            part: ratio.part.saturating_mul(scale),
            ..ratio
        };
        value(digits, Figure::ResponseTime, Some(scaled))
    };
    // A table of parts shows one bound of each; a reader of this line knows no other.
    let shown = |[low, high]: [Ratio; 2]| {
        let (low, high) = (ns(low), ns(high));
        match low == high {
            true => low,
            false => range(&low, &high),
        }
    };
    let each = |part: &CulpritTime| {
        format!(
            "{} {} (was {})",
            part.culprit.name(),
            shown(part.other_bounds),
            shown(part.base_bounds)
        )
    };
    let parts: Vec<String> = parts.iter().map(each).collect();
    Some(format!("Active time {of}: {}.", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use wirewait_analysis::Snapshot;
    use wirewait_judge::Culprit;
    use wirewait_judge::compare::Comparison;

    /// Parts of the active time of each request, ns: bounds that are 1 of 100 apart, too.
    #[test]
    fn a_part_is_one_number_only_where_both_bounds_read_alike() {
        let snapshot = samples::snapshot();
        let both: [&Snapshot; 2] = [&snapshot, &snapshot];
        let comparison = Comparison::of(&both, None);
        let mut verdict = comparison.verdicts[0].clone();
        let each = |ns: u64| Ratio {
            part: u128::from(ns),
            of: 1,
        };
        let bounds = [
            (Culprit::Client, [4_770_000, 4_774_000]),
            (Culprit::Network, [88_000_000, 89_000_000]),
            (Culprit::Server, [700_000, 1_500_000]),
        ];
        assert_eq!(verdict.parts.len(), bounds.len());
        for (part, (culprit, of)) in verdict.parts.iter_mut().zip(bounds) {
            assert_eq!(part.culprit, culprit);
            part.other_bounds = of.map(each);
            part.base_bounds = [0, 0].map(each);
        }
        assert_eq!(
            parts(&verdict, Digits::Three).unwrap(),
            "Active time per answered request: client 4.77 ms (was 0 µs), network 88.0 to 89.0 ms (was 0 µs), \
             server 700 µs to 1.50 ms (was 0 µs)."
        );
        let precise = parts(&verdict, Digits::All).unwrap();
        assert!(
            precise.contains("client 4.770 to 4.774 ms (was 0 µs)"),
            "{precise}"
        );
    }
}
