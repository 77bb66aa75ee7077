//! The comparison for people.

use super::Compared;
use super::words::{doubts, group_name, parts, result, sentence, signed, value, worded};
use crate::figures::{Grouped, Percent};
use crate::table::{Column, NOTHING, Table};
use crate::text::Look;
use crate::time::Human;
use std::io::{self, Write};
use wirewait_judge::compare::{Effect, FEWEST, Figure, Group, LEVEL};

/// Rows of a table of groups; the other formats have all.
const MOST_ROWS: usize = 50;

/// Writes the comparison.
///
/// # Errors
/// What `out` says.
pub fn text(out: &mut impl Write, compared: &Compared<'_>, look: Look) -> io::Result<()> {
    match compared.comparison.verdicts.len() {
        0 | 1 => one(out, compared, look)?,
        n => several(out, compared, look, n)?,
    }
    reading(out, compared, look)
}

fn one(out: &mut impl Write, compared: &Compared<'_>, look: Look) -> io::Result<()> {
    look.heading(out, &sentence(compared, 0))?;
    remarks(out, compared, 0)?;
    writeln!(out)?;
    figures(out, compared, look)?;
    let all = compared.comparison.all.sides.iter().flatten();
    if all.into_iter().any(|side| side.counts.requests == 0) {
        return Ok(());
    }
    groups(out, compared, look, 0)
}

fn several(out: &mut impl Write, compared: &Compared<'_>, look: Look, n: usize) -> io::Result<()> {
    let verdicts = &compared.comparison.verdicts;
    let count = |effect| verdicts.iter().filter(|v| v.effect == effect).count();
    let counts: Vec<String> = [
        (Effect::Slower, "slower"),
        (Effect::Faster, "faster"),
        (Effect::None, "without a change"),
        (Effect::TooFew, "with too few samples"),
    ]
    .into_iter()
    .filter_map(|(effect, word)| match count(effect) {
        0 => None,
        some => Some(format!("{some} {word}")),
    })
    .collect();
    let most = most_changed(compared);
    let first = most.map_or_else(
        || format!("None of {n} can be compared with {}.", compared.name(0)),
        |number| sentence(compared, number),
    );
    look.heading(out, &first)?;
    writeln!(
        out,
        "  This is the greatest change. Against {}: {}.",
        compared.name(0),
        counts.join(", ")
    )?;
    if let Some(number) = most {
        remarks(out, compared, number)?;
    }
    writeln!(out)?;
    configurations(out, compared, look)?;
    for number in 0..n {
        let others = doubts(compared, number);
        if Some(number) == most || others.is_empty() {
            continue;
        }
        writeln!(out)?;
        writeln!(out, "  {}", compared.name(number + 1))?;
        for line in others {
            writeln!(out, "    {line}")?;
        }
    }
    if compared.groups_wanted {
        for number in 0..n {
            groups(out, compared, look, number)?;
        }
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "  For each of them by operation: add --by operation.")
}

/// The capture whose mean response time changed most among those that did change.
fn most_changed(compared: &Compared<'_>) -> Option<usize> {
    let verdicts = compared.comparison.verdicts.iter().enumerate();
    verdicts
        .filter_map(|(number, verdict)| {
            let (was, is) = compared.comparison.all.both(number, Figure::ResponseTime)?;
            let real = matches!(verdict.effect, Effect::Slower | Effect::Faster);
            // Ten times as slow is as much as ten times as fast.
            let times = (is.number().max(1.0) / was.number().max(1.0)).ln().abs();
            Some((real, times, number))
        })
        .max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(b.2.cmp(&a.2)))
        .map(|(_, _, number)| number)
}

fn remarks(out: &mut impl Write, compared: &Compared<'_>, number: usize) -> io::Result<()> {
    let verdict = compared.comparison.verdicts.get(number);
    if let Some(line) = verdict.and_then(parts) {
        writeln!(out, "  {line}")?;
    }
    for line in doubts(compared, number) {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

/// Two captures: one figure a line.
fn figures(out: &mut impl Write, compared: &Compared<'_>, look: Look) -> io::Result<()> {
    const ROWS: [(&str, Figure); 19] = [
        ("requests", Figure::Requests),
        ("unanswered", Figure::Unanswered),
        ("errors", Figure::Errors),
        ("elapsed time", Figure::Elapsed),
        ("response time, mean", Figure::ResponseTime),
        ("  median", Figure::ResponseTimeP50),
        ("  95 %", Figure::ResponseTimeP95),
        ("  longest", Figure::ResponseTimeMax),
        ("turnaround, mean", Figure::Turnaround),
        ("  median", Figure::TurnaroundP50),
        ("  95 %", Figure::TurnaroundP95),
        ("frames per request", Figure::FramesPerRequest),
        ("  acknowledgements", Figure::AcksPerRequest),
        ("  sent again", Figure::RetransmittedPerRequest),
        ("file data, bytes", Figure::DataBytes),
        ("  while it moves", Figure::Throughput),
        ("  while clients wait", Figure::BusyThroughput),
        ("  over elapsed time", Figure::WallThroughput),
        ("transactions per second", Figure::TransactionsPerSecond),
    ];
    const COLUMNS: &[Column] = &[
        Column::left("all requests"),
        Column::right("baseline"),
        Column::right("other"),
        Column::right("change"),
    ];
    look.heading(
        out,
        &format!("Baseline {}, other {}", compared.name(0), compared.name(1)),
    )?;
    let all = &compared.comparison.all;
    let mut table = Table::new(COLUMNS);
    for (title, figure) in ROWS {
        let of = |side: Option<&wirewait_judge::compare::Side>| side.and_then(|s| figure.of(s));
        let (was, is) = (of(all.base()), of(all.other(0)));
        let nothing = |ratio: Option<wirewait_judge::compare::Ratio>| {
            ratio.is_none_or(|ratio| ratio.part == 0)
        };
        if nothing(was) && nothing(is) {
            continue;
        }
        table.row(vec![
            title.to_owned(),
            value(figure, was),
            value(figure, is),
            worded(figure, all.change(0, figure)),
        ]);
    }
    table.write(out, look)
}

/// Configurations as rows, as papers have them.
fn configurations(out: &mut impl Write, compared: &Compared<'_>, look: Look) -> io::Result<()> {
    const COLUMNS: &[Column] = &[
        Column::left("configuration"),
        Column::under("over elapsed time", "file data").rare(),
        Column::under("over elapsed time", "change").rare(),
        Column::under("response time", "mean"),
        Column::under("response time", "change"),
        Column::under("turnaround", "mean"),
        Column::under("turnaround", "change"),
        Column::left("result"),
        Column::under("elapsed", "time"),
        Column::under("elapsed", "change"),
        Column::right("requests"),
        Column::under("per request", "frames"),
        Column::under("per request", "acks"),
        Column::right("per second"),
        Column::right("unanswered").rare(),
        Column::right("errors").rare(),
    ];
    look.heading(out, "Configurations, the baseline first")?;
    let all = &compared.comparison.all;
    let mut table = Table::new(COLUMNS);
    for (place, side) in all.sides.iter().enumerate() {
        let of = |figure: Figure| value(figure, side.as_ref().and_then(|side| figure.of(side)));
        let change = |figure: Figure| match place.checked_sub(1) {
            Some(number) => signed(all.change(number, figure)),
            None => String::new(),
        };
        let rare = |figure: Figure| match of(figure).as_str() {
            "0" => NOTHING.to_owned(),
            some => some.to_owned(),
        };
        table.row(vec![
            compared.name(place),
            of(Figure::WallThroughput),
            change(Figure::WallThroughput),
            of(Figure::ResponseTime),
            change(Figure::ResponseTime),
            of(Figure::Turnaround),
            change(Figure::Turnaround),
            place
                .checked_sub(1)
                .map_or_else(String::new, |number| result(all, number)),
            of(Figure::Elapsed),
            change(Figure::Elapsed),
            of(Figure::Requests),
            of(Figure::FramesPerRequest),
            of(Figure::AcksPerRequest),
            of(Figure::TransactionsPerSecond),
            rare(Figure::Unanswered),
            rare(Figure::Errors),
        ]);
    }
    table.write(out, look)
}

/// The groups of one capture against the baseline's.
fn groups(
    out: &mut impl Write,
    compared: &Compared<'_>,
    look: Look,
    number: usize,
) -> io::Result<()> {
    const COLUMNS: &[Column] = &[
        Column::left("name"),
        Column::under("requests", "base"),
        Column::under("requests", "other"),
        Column::under("mean response time", "base"),
        Column::under("mean response time", "other"),
        Column::under("mean response time", "change"),
        Column::left("result"),
        Column::under("mean turnaround", "base"),
        Column::under("mean turnaround", "other"),
        Column::under("mean turnaround", "change"),
        Column::under("frames per request", "base"),
        Column::under("frames per request", "other"),
        Column::under("acks per request", "base"),
        Column::under("acks per request", "other"),
        Column::under("throughput", "base").rare(),
        Column::under("throughput", "other").rare(),
        Column::under("throughput", "change").rare(),
        Column::under("unanswered", "base").rare(),
        Column::under("unanswered", "other").rare(),
        Column::under("errors", "base").rare(),
        Column::under("errors", "other").rare(),
    ];
    let comparison = compared.comparison;
    let mut table = Table::new(COLUMNS);
    let there: Vec<&Group> = comparison
        .groups
        .iter()
        .filter(|group| group.base().is_some() || group.other(number).is_some())
        .collect();
    for group in there.iter().take(MOST_ROWS) {
        let (base, other) = (group.base(), group.other(number));
        let of = |figure: Figure| {
            let one = |side: Option<&wirewait_judge::compare::Side>| {
                value(figure, side.and_then(|side| figure.of(side)))
            };
            [one(base), one(other)]
        };
        let rare = |figure: Figure| {
            of(figure).map(|text| {
                if text == "0" {
                    NOTHING.to_owned()
                } else {
                    text
                }
            })
        };
        let change = |figure: Figure| [signed(group.change(number, figure))];
        let mut row = vec![group_name(group)];
        row.extend(of(Figure::Requests));
        row.extend(of(Figure::ResponseTime));
        row.extend(change(Figure::ResponseTime));
        row.push(result(group, number));
        row.extend(of(Figure::Turnaround));
        row.extend(change(Figure::Turnaround));
        row.extend(of(Figure::FramesPerRequest));
        row.extend(of(Figure::AcksPerRequest));
        row.extend(of(Figure::Throughput));
        row.extend(change(Figure::Throughput));
        row.extend(rare(Figure::Unanswered));
        row.extend(rare(Figure::Errors));
        table.row(row);
    }
    writeln!(out)?;
    let by = comparison.by.name();
    look.heading(
        out,
        &format!(
            "By {by}: {} against {}",
            compared.name(number + 1),
            compared.name(0)
        ),
    )?;
    if comparison.fell_back {
        writeln!(
            out,
            "  By class of operation, as most requests have no counterpart of the same name."
        )?;
    }
    if table.is_empty() {
        return writeln!(out, "  nothing");
    }
    table.write(out, look)?;
    match there.len().saturating_sub(MOST_ROWS) {
        0 => Ok(()),
        more => writeln!(
            out,
            "  and {} more that took less time together; --format json or csv has all.",
            Grouped(more as u64)
        ),
    }
}

/// How to read it.
fn reading(out: &mut impl Write, compared: &Compared<'_>, look: Look) -> io::Result<()> {
    let settings = compared.settings();
    writeln!(out)?;
    look.heading(out, "How to read it")?;
    writeln!(
        out,
        "  A difference counts when the rank test of Mann and Whitney on the single response times \
         finds it less likely"
    )?;
    writeln!(
        out,
        "  than {} by chance (p, two-sided; in a table of several rows shared among them). It \
         takes {FEWEST} values on each side.",
        Percent((LEVEL * 1000.0) as u64, 1000)
    )?;
    writeln!(
        out,
        "  All requests together: times without waits by design, session set-up and breaks. The \
         time of a request ends after"
    )?;
    writeln!(
        out,
        "  {} without an answer; a pause of more than {} is idle time.",
        Human(settings.timeout_ns),
        Human(settings.think_ns)
    )?;
    for one in compared.configurations {
        let row = &one.snapshot.capture;
        let mut line = format!(
            "  {}: {} frames, quality {}",
            crate::Escaped(&one.name),
            Grouped(row.frames),
            row.grade.name()
        );
        for reason in row
            .reasons
            .iter()
            .filter(|r| r.grade != wirewait_analysis::Grade::Good)
        {
            line.push_str(&format!("; {} {}", Grouped(reason.count), reason.text));
        }
        writeln!(out, "{line}")?;
        for (name, text) in one.about.selection.named() {
            writeln!(
                out,
                "    {name} {} (only these frames)",
                crate::Escaped(text)
            )?;
        }
    }
    Ok(())
}
