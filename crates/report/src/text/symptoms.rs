//! What is wrong, and how it was judged.

use super::short::on_files;
pub use super::subject::subject;
use super::why::{named, nearest, unreadable};
use super::{Look, entry, noted};
use crate::about::About;
use crate::escape::Escaped;
use crate::figures::{Grouped, InWireshark, Percent};
use crate::symptoms::Texts;
use crate::table::{NOTHING, Table};
use crate::time::{Digits, Rfc3339};
use std::io::{self, Write};
use wirewait_analysis::{
    Base, Limit, Mark, Rule, Sight, Sights, Snapshot, State, Symptom, Symptoms, Thresholds,
};

/// Symptoms of each kind that people see at once; programs get all of them.
const SHOWN: usize = 10;
/// Places that a row names.
const PLACES: usize = 2;
/// Names that are shown.
const NAMES: usize = 6;
/// Judgements below their thresholds that are explained when nobody asks for one of them.
const EXPLAINED: usize = 100;

/// What is said of costs that may be longer than the active time.
pub(crate) const OUTSIDE: &str = "costs of name lookups and of connections that are not open yet are outside the \
                                  active time; they stand last";

/// Writes the most expensive symptoms.
pub(super) fn symptoms(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    look: Look,
) -> io::Result<()> {
    let all = &snapshot.symptoms;
    let raised = all.raised().count();
    let withdrawn = all
        .found
        .iter()
        .filter(|s| matches!(s.state, State::Withdrawn(_)))
        .count();
    if raised + withdrawn == 0 {
        if snapshot.capture.frames == 0 {
            return Ok(());
        }
        writeln!(out)?;
        look.heading(out, "Symptoms: none")?;
        if let Some(nearest) = nearest(all, &about.texts) {
            noted!(out, look, "nearest: {nearest}")?;
        }
        return match unreadable(all) {
            Some(text) => noted!(out, look, "{text}"),
            None => Ok(()),
        };
    }
    writeln!(out)?;
    look.heading(out, "Symptoms")?;
    let kinds = by_rule(all);
    let table = table(&kinds, about, look.digits);
    if !table.is_empty() {
        table.write(out, look)?;
    }
    if all
        .raised()
        .any(|s| s.rule.outside_active_time() && s.hits.cost_ns > 0)
    {
        noted!(out, look, "{OUTSIDE}")?;
    }
    if let Some((first, entry)) = wirewait_judge::foremost(snapshot)
        .and_then(|first| Some((first, about.texts.of(first.rule.id)?)))
        && let Some(action) = entry.actions.first()
    {
        let title = about.texts.title(first.rule.id);
        noted!(out, look, "try first for \"{title}\": {action}")?;
    }
    if let Some(text) = unreadable(all) {
        noted!(out, look, "{text}")?;
    }
    let further: usize = kinds
        .iter()
        .map(|kind| kind.len().saturating_sub(SHOWN))
        .sum();
    let rest = [
        ((further as u64).saturating_add(all.more), "more"),
        (withdrawn as u64, "withdrawn for another cause"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, what)| format!("{} {what}", Grouped(n)))
    .collect::<Vec<_>>();
    let rest = match rest.is_empty() {
        true => String::new(),
        false => format!("{}; ", rest.join(", ")),
    };
    writeln!(
        out,
        "  {rest}`{}` shows how each was judged",
        on_files(about, "wirewait report --explain")
    )
}

/// Raised symptoms, those of one rule together; the most expensive rule first.
pub(crate) fn by_rule(all: &Symptoms) -> Vec<Vec<&Symptom>> {
    let mut groups: Vec<Vec<&Symptom>> = Vec::new();
    for symptom in all.raised() {
        match groups
            .iter_mut()
            .find(|group| group[0].rule.id == symptom.rule.id)
        {
            Some(group) => group.push(symptom),
            None => groups.push(vec![symptom]),
        }
    }
    groups
}

/// A row of the table.
enum SymptomLine<'s> {
    One(&'s Symptom),
    /// As many more of a kind.
    More(&'static Rule, usize),
}

fn table(kinds: &[Vec<&Symptom>], about: &About, digits: Digits) -> Table {
    let mut rows = Vec::new();
    for kind in kinds {
        rows.extend(
            kind.iter()
                .take(SHOWN)
                .map(|symptom| SymptomLine::One(symptom)),
        );
        if let (Some(first), more @ 1..) = (kind.first(), kind.len().saturating_sub(SHOWN)) {
            rows.push(SymptomLine::More(first.rule, more));
        }
    }
    let of_one = |row: &SymptomLine<'_>, cell: &dyn Fn(&Symptom) -> String| match row {
        SymptomLine::One(symptom) => cell(symptom),
        SymptomLine::More(..) => String::new(),
    };
    Table::over(&rows)
        .right("cost", |row| {
            of_one(row, &|symptom| cost_in(symptom, digits))
        })
        .left("symptom", |row| {
            let rule = match row {
                SymptomLine::One(symptom) => symptom.rule,
                SymptomLine::More(rule, _) => rule,
            };
            about.texts.title(rule.id).to_owned()
        })
        .left("of", |row| match row {
            SymptomLine::One(symptom) => subject(&symptom.subject),
            SymptomLine::More(_, n) => format!("{} more that cost less", Grouped(*n as u64)),
        })
        .left("how often", |row| {
            of_one(row, &|symptom| often_in(symptom, digits))
        })
        .left("frames", |row| {
            of_one(row, &|symptom| places(&symptom.hits, PLACES))
        })
        .table
}

/// Writes how each was judged, or those of one rule.
///
/// # Errors
/// What `out` says.
pub fn explain(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    only: Option<&Rule>,
    look: Look,
) -> io::Result<()> {
    let all = &snapshot.symptoms;
    let wanted: Vec<&Symptom> = all
        .found
        .iter()
        .filter(|s| only.is_none_or(|rule| rule.id == s.rule.id))
        .collect();
    let limit = if only.is_some() {
        usize::MAX
    } else {
        EXPLAINED
    };
    for (n, symptom) in wanted.iter().take(limit).enumerate() {
        if n > 0 {
            writeln!(out)?;
        }
        one(out, about, symptom, &all.thresholds, look)?;
    }
    let left = wanted.len().saturating_sub(limit) as u64;
    let timed = |rule: &Rule| {
        rule.limit
            .base()
            .is_some_and(|(base, _)| base == Base::Timed)
    };
    if only.is_none_or(timed)
        && let Some(text) = unreadable(all)
    {
        writeln!(out, "\nNot judged: {text}.")?;
    }
    match (wanted.is_empty(), left + all.more) {
        (true, _) => match only {
            Some(rule) => writeln!(
                out,
                "{}: not seen. It counts {} ({} = {}).",
                rule.id,
                rule.counts,
                rule.limit.threshold().name(),
                all.thresholds.get(rule.limit.threshold())
            ),
            None => writeln!(out, "No event of a symptom in this capture."),
        },
        (false, 0) => Ok(()),
        (false, n) => writeln!(
            out,
            "\n{} more that cost less; name one with --explain=NAME.",
            Grouped(n)
        ),
    }
}

fn one(
    out: &mut impl Write,
    about: &About,
    symptom: &Symptom,
    thresholds: &Thresholds,
    look: Look,
) -> io::Result<()> {
    let rule = symptom.rule;
    let title = format!(
        "{} ({}) of {}: {}",
        rule.id,
        rule.severity.name(),
        subject(&symptom.subject),
        judged(&symptom.state, &about.texts)
    );
    look.heading(out, &title)?;
    let texts = about.texts.of(rule.id);
    if let Some(texts) = texts {
        writeln!(out, "  {}", texts.description)?;
    }
    let hits = &symptom.hits;
    let or = rule.costly.then(|| {
        let notable = wirewait_analysis::Threshold::NotableCost;
        format!("or {} = {}", notable.name(), thresholds.get(notable))
    });
    let mut cost = cost_in(symptom, look.digits);
    if rule.outside_active_time() && hits.cost_ns > 0 {
        cost.push_str(", outside the active time");
    }
    let ends = hits.first.zip(hits.last);
    let end = |mark: Mark| format!("frame {}, {}", mark.frame, Rfc3339(mark.at));
    let words = symptom.words.iter();
    let words: Vec<String> = words
        .map(|(word, times)| format!("{word} {}", Grouped(*times)))
        .collect();
    let sights = || {
        let kept = hits.kept();
        InWireshark(
            kept.flat_map(|sight| [sight.from.frame, sight.to.frame])
                .collect(),
        )
        .to_string()
    };
    for (title, text) in [
        ("for", Some(counted_in(symptom, thresholds, look.digits))),
        ("window", super::why::window(symptom)),
        ("threshold", Some(threshold(&rule.limit, thresholds))),
        ("", or),
        ("cost", Some(cost)),
        ("from", ends.map(|(first, _)| end(first))),
        ("to", ends.map(|(_, last)| end(last))),
        ("mostly", (!words.is_empty()).then(|| words.join(", "))),
        ("names", names(symptom)),
        ("lasted", lasted_in(symptom, look.digits)),
        ("frames", (hits.count > 0).then(|| places(hits, usize::MAX))),
        ("Wireshark", (hits.count > 0).then(sights)),
    ] {
        if let Some(text) = text {
            entry(out, title, text)?;
        }
    }
    for (n, (why, sights)) in symptom.against.iter().enumerate() {
        let title = if n == 0 { "against" } else { "" };
        entry(
            out,
            title,
            format_args!(
                "{}: {} (frames {})",
                match sights.count {
                    1 => "once".to_owned(),
                    n => format!("{} times", Grouped(n)),
                },
                why.text(),
                places(sights, PLACES)
            ),
        )?;
    }
    entry(out, "check", check(about, symptom))?;
    let texts = texts.filter(|_| symptom.state == State::Raised);
    for (title, lines) in [
        ("causes", texts.map(|t| &t.causes)),
        ("try", texts.map(|t| &t.actions)),
    ] {
        for (n, line) in lines.into_iter().flatten().enumerate() {
            entry(out, if n == 0 { title } else { "" }, line)?;
        }
    }
    Ok(())
}

/// How a symptom was judged, in a few words.
#[must_use]
pub fn judged(state: &State, texts: &Texts) -> String {
    match state {
        State::Raised => "raised".to_owned(),
        State::Withdrawn(why) => format!("withdrawn, {}", why.text()),
        State::Covered(by) => format!("covered by \"{}\"", texts.title(by)),
        State::Below => "below the threshold".to_owned(),
        State::TooFew => "too few to judge".to_owned(),
    }
}

/// From where on it is one: the thresholds, with their values.
#[must_use]
pub fn threshold(limit: &Limit, thresholds: &Thresholds) -> String {
    let value = |t: wirewait_analysis::Threshold| format!("{} = {}", t.name(), thresholds.get(t));
    let mut text = value(limit.threshold());
    if let Some((base, minimum)) = limit.base() {
        text.push_str(&format!(" of {}, {}", base.text(), value(minimum)));
    }
    if let Limit::Share { least, .. } = limit {
        text.push_str(&format!(", {}", value(*least)));
    }
    text
}

/// The command that shows the frames.
fn check(about: &About, symptom: &Symptom) -> String {
    let against = symptom.against.iter().flat_map(|(_, sights)| sights.kept());
    let mut frames: Vec<u64> = symptom
        .hits
        .kept()
        .chain(against)
        .flat_map(|sight| [sight.from.frame, sight.to.frame])
        .collect();
    frames.sort_unstable();
    frames.dedup();
    let frames: Vec<String> = frames.iter().map(u64::to_string).collect();
    let files = match about.files.as_slice() {
        [file] if !file.contains([' ', '\'', '"']) => crate::Escaped(file).to_string(),
        _ => "FILE...".to_owned(),
    };
    format!("wirewait decode {files} -F {}", frames.join(","))
}

/// The time that somebody lost by it.
#[must_use]
pub fn cost(symptom: &Symptom) -> String {
    cost_in(symptom, Digits::Three)
}

/// [`cost`], with as many digits.
pub(super) fn cost_in(symptom: &Symptom, digits: Digits) -> String {
    match symptom.hits.cost_ns {
        0 => NOTHING.to_owned(),
        ns => digits.span(ns),
    }
}

/// `8 of 28 (28.6 %)`, `mean 120 ms of 28`, `3`.
#[must_use]
pub fn often(symptom: &Symptom) -> String {
    often_in(symptom, Digits::Three)
}

/// What was counted, and how often.
#[must_use]
pub fn counted(symptom: &Symptom, thresholds: &Thresholds) -> String {
    counted_in(symptom, thresholds, Digits::Three)
}

fn counted_in(symptom: &Symptom, thresholds: &Thresholds, digits: Digits) -> String {
    let counts = named(symptom.rule.counts, thresholds);
    match (symptom.hits.count, symptom.of) {
        (_, None) if super::why::transfers(symptom).is_some() => {
            format!("{}: {counts}", often_in(symptom, digits))
        }
        (1, None) => format!("once: {counts}"),
        _ => format!("{} {counts}", often_in(symptom, digits)),
    }
}

/// Names that were looked for, the most frequent first.
#[must_use]
pub fn names(symptom: &Symptom) -> Option<String> {
    let mut rest = symptom.hits.count;
    let mut names = Vec::new();
    for (name, times) in symptom.names.iter().take(NAMES) {
        names.push(format!("{} {}", Escaped(name), Grouped(*times)));
        rest = rest.saturating_sub(*times);
    }
    if rest > 0 {
        names.push(format!("others {}", Grouped(rest)));
    }
    (!symptom.names.is_empty()).then(|| names.join(", "))
}

/// How long each lasted, where that is no cost.
#[must_use]
pub fn lasted(symptom: &Symptom) -> Option<String> {
    lasted_in(symptom, Digits::Three)
}

fn lasted_in(symptom: &Symptom, digits: Digits) -> Option<String> {
    let mean = symptom.lasted_ns.checked_div(symptom.hits.count)?;
    (mean > 0).then(|| {
        format!(
            "mean {} from the first to the last query",
            digits.span(mean)
        )
    })
}

/// [`often`], with durations of as many digits.
pub(super) fn often_in(symptom: &Symptom, digits: Digits) -> String {
    let count = Grouped(symptom.hits.count);
    match (symptom.rule.limit, symptom.of) {
        (Limit::Mean { .. }, Some(of)) => {
            let mean = symptom.hits.total_ns.checked_div(of);
            let mean = mean.map(|ns| digits.span(ns));
            match mean {
                Some(mean) => format!("mean {mean} of {}", Grouped(of)),
                None => Grouped(of).to_string(),
            }
        }
        (_, Some(of)) => format!(
            "{count} of {} ({})",
            Grouped(of),
            Percent(symptom.hits.count, of)
        ),
        (_, None) => match (symptom.every, super::why::transfers(symptom)) {
            (Some(every), _) => format!("{count}, one in {}", Grouped(every)),
            (None, Some(transfers)) => transfers,
            (None, None) => count.to_string(),
        },
    }
}

/// The most expensive of those that are kept, at most `most`, in the order of the capture.
pub(crate) fn costliest(sights: &Sights, most: usize) -> Vec<&Sight> {
    let mut kept: Vec<&Sight> = sights.kept().collect();
    kept.sort_by_key(|sight| (std::cmp::Reverse(sight.cost_ns), sight.from.frame));
    kept.truncate(most);
    kept.sort_by_key(|sight| (sight.from.frame, sight.to.frame));
    kept
}

/// `251>282, 300`: from which frame to which.
#[must_use]
pub fn places(sights: &Sights, most: usize) -> String {
    let kept = costliest(sights, most);
    let mut shown: Vec<String> = kept
        .iter()
        .map(|sight| match (sight.from.frame, sight.to.frame) {
            (from, to) if from == to => from.to_string(),
            (from, to) => format!("{from}>{to}"),
        })
        .collect();
    if shown.is_empty() {
        return NOTHING.to_owned();
    }
    if sights.count > shown.len() as u64 {
        shown.push("...".to_owned());
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn how_each_was_judged() {
        let about = crate::text::tests::about();
        let text = written(|out| explain(out, &about, &samples::snapshot(), None, Look::FILE));
        crate::golden::check("explain.txt", &text);
    }

    #[test]
    fn one_kind_alone() {
        let about = About {
            files: vec!["a.pcap".to_owned()],
            ..About::default()
        };
        let snapshot = samples::snapshot();
        let text = |id: &str| {
            let rule = crate::symptoms::rule(id).unwrap();
            written(|out| explain(out, &about, &snapshot, Some(rule), Look::FILE))
        };
        let repeated = text("requests_repeated");
        assert!(
            repeated.starts_with("requests_repeated (symptom) of 10.0.0.9 at 10.0.0.1: raised\n")
        );
        assert!(repeated.contains("wirewait decode a.pcap -F 7,251,282,300,310\n"));
        assert_eq!(
            text("slow_transfer"),
            "slow_transfer: not seen. It counts transfers below \
             slow_transfer_bytes_per_second (slow_transfer_bytes_per_second = 50000).\n"
        );
    }

    #[test]
    fn how_slow_a_transfer_was() {
        let mut snapshot = samples::snapshot();
        let symptom = &mut snapshot.symptoms.found[0];
        symptom.rule = crate::symptoms::rule("slow_transfer").unwrap();
        (symptom.of, symptom.bytes_per_second) = (None, Some(32_524));
        assert_eq!(often(symptom), "2, one at 32.5 kB/s");
        let thresholds = Thresholds::default();
        let text = counted(symptom, &thresholds);
        assert_eq!(text, "2, one at 32.5 kB/s: transfers below 50,000 bytes/s");
        symptom.hits = symptom.hits.kept().take(1).copied().collect();
        assert_eq!(often(symptom), "1 at 32.5 kB/s");
        let text = crate::words::why(symptom, &thresholds);
        assert_eq!(
            text,
            "once (32.5 kB/s where it cost most) beyond the threshold: 50,000 bytes/s (slow_transfer_bytes_per_second)"
        );
    }

    /// 13 of one kind leave room for the other kind behind them.
    #[test]
    fn ten_of_each_kind_at_most_and_the_rest_counted() {
        let about = About::default();
        let mut snapshot = samples::snapshot();
        let one = snapshot.symptoms.found[0].clone();
        let mut other = one.clone();
        other.rule = crate::symptoms::rule("requests_denied").unwrap();
        snapshot.symptoms.found = vec![one; 13];
        snapshot.symptoms.found.push(other);
        let text = written(|out| symptoms(out, &about, &snapshot, Look::FILE));
        assert_eq!(text.matches("Slow server  ").count(), 11);
        let rows: Vec<&str> = text.lines().collect();
        assert!(rows[13].contains("Slow server"), "{text}");
        assert!(rows[13].contains("3 more that cost less"), "{text}");
        assert!(rows[14].contains("Too many requests refused"), "{text}");
        assert!(text.contains("try first for \"Slow server\": "), "{text}");
        assert!(
            text.contains("\n  3 more; `wirewait report --explain FILE`"),
            "{text}"
        );
        snapshot.symptoms.found.clear();
        let nothing = written(|out| symptoms(out, &about, &snapshot, Look::FILE));
        assert_eq!(nothing, "\nSymptoms: none\n");
    }
}
