//! The comparison for people.

use super::Compared;
use super::doubts::doubts;
use super::words::{at_load, group_name, overall, parts, result, sentence, signed, value, worded};
use crate::figures::{Grouped, Percent};
use crate::table::{Column, NOTHING, Table};
use crate::text::{Look, note};
use crate::time::Short;
use std::io::{self, Write};
use wirewait_judge::compare::{
    BLOCKS, Basis, By, Effect, FEWEST, Figure, Group, KEPT, LEVEL, MATERIAL, OPEN_JOBS, Side,
};

/// Rows of a table of groups; the other formats have all.
const MOST_ROWS: usize = 50;

/// Writes the comparison.
///
/// # Errors
/// What `out` says.
pub fn text(out: &mut impl Write, compared: &Compared<'_>, look: Look) -> io::Result<()> {
    let others = compared.comparison.verdicts.len();
    if let Some(at) = compared.at {
        for number in 0..others {
            look.heading(out, &at_load(compared, number, at))?;
        }
        writeln!(out)?;
    }
    match others {
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
    let most = most_changed(compared);
    look.heading(out, &headline(compared))?;
    note(out, look, counted(compared))?;
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

/// The sentence on the only capture, or on the one that changed most.
pub(crate) fn headline(compared: &Compared<'_>) -> String {
    match (compared.comparison.verdicts.len(), most_changed(compared)) {
        (0 | 1, _) => sentence(compared, 0),
        (_, Some(number)) => sentence(compared, number),
        (n, None) => format!("None of {n} can be compared with {}.", compared.name(0)),
    }
}

/// How many of several captures are slower, faster and so on.
pub(crate) fn counted(compared: &Compared<'_>) -> String {
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
    format!(
        "This is the greatest change. Against {}: {}.",
        compared.name(0),
        counts.join(", ")
    )
}

/// The capture that changed most among those that did change: in what decides of each.
pub(crate) fn most_changed(compared: &Compared<'_>) -> Option<usize> {
    let verdicts = compared.comparison.verdicts.iter().enumerate();
    verdicts
        .filter_map(|(number, verdict)| {
            let (was, is) = match (verdict.basis, &verdict.work, verdict.active) {
                (Basis::Bytes, Some(work), _) => (work.other, work.base),
                (Basis::ActiveTime, _, Some(active)) => (active.base, active.other),
                _ => compared.comparison.all.both(number, Figure::ResponseTime)?,
            };
            let real = matches!(verdict.effect, Effect::Slower | Effect::Faster);
            // Ten times as slow is as much as ten times as fast.
            let times = (is.number().max(1e-12) / was.number().max(1e-12))
                .ln()
                .abs();
            Some((real, times, number))
        })
        .max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(b.2.cmp(&a.2)))
        .map(|(_, _, number)| number)
}

fn remarks(out: &mut impl Write, compared: &Compared<'_>, number: usize) -> io::Result<()> {
    let verdict = compared.comparison.verdicts.get(number);
    if let Some(line) = verdict.and_then(|verdict| parts(verdict, compared.digits)) {
        writeln!(out, "  {line}")?;
    }
    for line in doubts(compared, number) {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

fn figures(out: &mut impl Write, compared: &Compared<'_>, look: Look) -> io::Result<()> {
    let (heading, table) = figures_table(compared);
    look.heading(out, &heading)?;
    table.write(out, look)
}

/// Two captures: one figure a line, under its heading.
pub(crate) fn figures_table(compared: &Compared<'_>) -> (String, Table) {
    const ROWS: [(&str, Figure); 28] = [
        ("requests", Figure::Requests),
        ("unanswered", Figure::Unanswered),
        ("errors", Figure::Errors),
        ("elapsed time", Figure::Elapsed),
        ("response time, mean", Figure::ResponseTime),
        ("response time, median", Figure::ResponseTimeP50),
        ("response time, 95 %", Figure::ResponseTimeP95),
        ("response time, longest", Figure::ResponseTimeMax),
        ("turnaround, mean", Figure::Turnaround),
        ("turnaround, median", Figure::TurnaroundP50),
        ("turnaround, 95 %", Figure::TurnaroundP95),
        ("frames per request", Figure::FramesPerRequest),
        ("acknowledgements per request", Figure::AcksPerRequest),
        (
            "retransmissions per request",
            Figure::RetransmittedPerRequest,
        ),
        ("file data, bytes", Figure::DataBytes),
        ("throughput while data moves", Figure::Throughput),
        ("throughput while clients wait", Figure::BusyThroughput),
        (
            "throughput while clients are active",
            Figure::ActiveThroughput,
        ),
        ("throughput over elapsed time", Figure::WallThroughput),
        ("transactions per second", Figure::TransactionsPerSecond),
        ("jobs", Figure::Jobs),
        ("time of a job, mean", Figure::JobTime),
        ("time of a job, median", Figure::JobTimeP50),
        ("requests of a job", Figure::RequestsPerJob),
        ("peak throughput at a steady load", Figure::PeakThroughput),
        ("active stations at that peak", Figure::PeakStations),
        (
            "peak transactions per second at a steady load",
            Figure::PeakTransactions,
        ),
        (
            "active stations at that peak",
            Figure::PeakTransactionsStations,
        ),
    ];
    const COLUMNS: &[Column] = &[
        Column::left("all requests"),
        Column::right("baseline"),
        Column::right("other"),
        Column::right("change"),
    ];
    let (all, digits) = (&compared.comparison.all, compared.digits);
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
            value(digits, figure, was),
            value(digits, figure, is),
            worded(figure, all.change(0, figure)),
        ]);
    }
    let heading = format!("Baseline {}, other {}", compared.name(0), compared.name(1));
    (heading, table)
}

fn configurations(out: &mut impl Write, compared: &Compared<'_>, look: Look) -> io::Result<()> {
    look.heading(out, CONFIGURATIONS)?;
    configurations_table(compared).write(out, look)
}

pub(crate) const CONFIGURATIONS: &str = "Configurations, the baseline first";

/// Configurations as rows, as papers have them.
pub(crate) fn configurations_table(compared: &Compared<'_>) -> Table {
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
    let (all, digits) = (&compared.comparison.all, compared.digits);
    let mut table = Table::new(COLUMNS);
    for (place, side) in all.sides.iter().enumerate() {
        let of = |figure: Figure| {
            value(
                digits,
                figure,
                side.as_ref().and_then(|side| figure.of(side)),
            )
        };
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
                .map_or_else(String::new, |number| overall(compared, number)),
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
    table
}

fn groups(
    out: &mut impl Write,
    compared: &Compared<'_>,
    look: Look,
    number: usize,
) -> io::Result<()> {
    let (heading, table, more) = groups_table(compared, number);
    writeln!(out)?;
    look.heading(out, &heading)?;
    if compared.comparison.fell_back {
        writeln!(out, "  {FELL_BACK}")?;
    }
    if table.is_empty() {
        return writeln!(out, "  nothing");
    }
    table.write(out, look)?;
    match more {
        0 => Ok(()),
        more => writeln!(
            out,
            "  and {} more that took less time together; --format json or csv has all.",
            Grouped(more as u64)
        ),
    }
}

pub(crate) const FELL_BACK: &str =
    "By class of operation, as most requests have no counterpart of the same name.";

/// The groups of one capture against the baseline's: their heading, the first of them, and how many
/// more there are.
pub(crate) fn groups_table(compared: &Compared<'_>, number: usize) -> (String, Table, usize) {
    const COLUMNS: &[Column] = &[
        Column::left("name"),
        Column::under("requests", "base"),
        Column::under("requests", "other"),
        Column::under("mean response time", "base"),
        Column::under("mean response time", "other"),
        Column::under("mean response time", "change"),
        Column::left("result").rare(),
        Column::under("mean turnaround", "base"),
        Column::under("mean turnaround", "other"),
        Column::under("mean turnaround", "change"),
        Column::under("frames per request", "base").rare(),
        Column::under("frames per request", "other").rare(),
        Column::under("acks per request", "base").rare(),
        Column::under("acks per request", "other").rare(),
        Column::under("throughput", "base").rare(),
        Column::under("throughput", "other").rare(),
        Column::under("throughput", "change").rare(),
        Column::under("over elapsed time", "base").rare(),
        Column::under("over elapsed time", "other").rare(),
        Column::under("over elapsed time", "change").rare(),
        Column::under("per second", "base").rare(),
        Column::under("per second", "other").rare(),
        Column::under("per second", "change").rare(),
        Column::under("unanswered", "base").rare(),
        Column::under("unanswered", "other").rare(),
        Column::under("errors", "base").rare(),
        Column::under("errors", "other").rare(),
    ];
    let (comparison, digits) = (compared.comparison, compared.digits);
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
                value(digits, figure, side.and_then(|side| figure.of(side)))
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
        let verdict = comparison.verdicts.get(number);
        row.push(match verdict.is_some_and(|v| v.differs_in_size(group)) {
            true => "other sizes".to_owned(),
            false => result(group, number),
        });
        row.extend(of(Figure::Turnaround));
        row.extend(change(Figure::Turnaround));
        row.extend(of(Figure::FramesPerRequest));
        row.extend(of(Figure::AcksPerRequest));
        row.extend(of(Figure::Throughput));
        row.extend(change(Figure::Throughput));
        for figure in [Figure::WallThroughput, Figure::TransactionsPerSecond] {
            // Of the others it is a matter of how much was asked of them.
            if comparison.by == By::Load {
                row.extend(of(figure));
                row.extend(change(figure));
            } else {
                row.extend([NOTHING; 3].map(str::to_owned));
            }
        }
        row.extend(rare(Figure::Unanswered));
        row.extend(rare(Figure::Errors));
        table.row(row);
    }
    let by = comparison.by.name();
    let heading = format!(
        "By {by}: {} against {}",
        compared.name(number + 1),
        compared.name(0)
    );
    (heading, table, there.len().saturating_sub(MOST_ROWS))
}

fn reading(out: &mut impl Write, compared: &Compared<'_>, look: Look) -> io::Result<()> {
    writeln!(out)?;
    look.heading(out, "How to read it")?;
    for line in notes(compared) {
        note(out, look, line)?;
    }
    Ok(())
}

/// Whether a peak, which takes a steady load, is less than what there was on average.
fn is_below_mean(side: &Side) -> bool {
    [
        (Figure::PeakThroughput, Figure::WallThroughput),
        (Figure::PeakTransactions, Figure::TransactionsPerSecond),
    ]
    .into_iter()
    .filter_map(|(peak, mean)| Some((peak.of(side)?, mean.of(side)?)))
    .any(|(peak, mean)| peak.number() < mean.number())
}

/// How to read it, a paragraph each.
pub(crate) fn notes(compared: &Compared<'_>) -> Vec<String> {
    let settings = compared.settings();
    let mut notes = vec![
        format!(
            "The first line is about the active time of the clients for each answered request: what they \
             waited, what was lost, and their pauses that are not idle. It counts from {} on, if chance \
             alone makes such a difference less often than in {} (p, two-sided). The test deals the \
             parts of both captures out again, {BLOCKS} of each with as many responses; a few long waits \
             count as what they took.",
            Percent(MATERIAL.unsigned_abs(), 1000),
            Percent((LEVEL * 1000.0) as u64, 1000)
        ),
        format!(
            "Where that did not change, and in tables, single response times decide: the rank test of \
             Mann and Whitney, at the same level (in a table shared among its rows). It takes {FEWEST} \
             values on each side. Twice as much is never called chance: \"cannot tell\", or \"a few long ones\"."
        ),
        format!(
            "Where reads or writes are of other sizes and take half of the time or more, file data \
             per active time of the clients decides instead, if it changed by {} or more, by the test of \
             parts.",
            Percent(MATERIAL.unsigned_abs(), 1000)
        ),
        format!(
            "All requests together: times without waits by design, session set-up and breaks. \
             The time of a request ends after {} without a response; a pause of more than {} is \
             idle time.",
            Short(settings.timeout_ns),
            Short(settings.think_ns)
        ),
    ];
    let sides = || compared.comparison.all.sides.iter().flatten();
    if sides().any(|side| side.peak.is_some()) {
        notes.push(
            "A peak is what was moved, or answered, per second of elapsed time while the number of active \
             stations stayed the same for a second or more, with the number that moved or answered \
             most. The rate while clients are active leaves idle time out, and may be higher."
                .to_owned(),
        );
        let configurations = compared.comparison.all.sides.iter().enumerate();
        let below = configurations.filter(|(_, side)| side.as_ref().is_some_and(is_below_mean));
        for (n, _) in below {
            notes.push(format!(
                "In {} a peak is below the mean over elapsed time: load that changed within a second \
                 had more, and no peak.",
                compared.name(n)
            ));
        }
    }
    let jobs = || sides().filter_map(|side| side.jobs.as_ref());
    if jobs().any(|jobs| jobs.took.n > 0) {
        notes.push(
            "A job is two requests or more of a client for one file that move data, none after a \
             pause that is idle time, from the first request's first frame to the last response's \
             end."
                .to_owned(),
        );
    }
    if jobs().any(|jobs| jobs.cut > 0) {
        notes.push(format!(
            "More than {} jobs were under way at once: some count as two.",
            Grouped(OPEN_JOBS as u64)
        ));
    }
    if compared.comparison.drawn {
        notes.push(format!(
            "The times of {} transactions of a capture are kept; of more, those of operations are \
             rounded by 0.8 % at most, and those of shares and files are drawn evenly.",
            Grouped(KEPT as u64)
        ));
    }
    for one in compared.configurations {
        let row = &one.snapshot.capture;
        let mut line = format!(
            "{}: {} frames, quality {}",
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
        for (name, text) in one.about.selection.named() {
            line.push_str(&format!(
                "; {name} {} (only these frames)",
                crate::Escaped(text)
            ));
        }
        notes.push(line);
    }
    notes
}
