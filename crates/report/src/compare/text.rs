//! The comparison for people.

use super::Compared;
use super::doubts::doubts;
use super::words::{at_load, group_name, overall, parts, result, sentence, signed, value, worded};
use crate::figures::{Grouped, Percent};
use crate::table::{Column, Table};
use crate::text::{Look, note};
use crate::time::Short;
use std::io::{self, Write};
use wirewait_judge::compare::{
    BLOCKS, Basis, By, Effect, FEWEST, Figure, Group, KEPT, LEVEL, MATERIAL, OPEN_JOBS, Ratio, Side,
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
    let (all, digits) = (&compared.comparison.all, compared.digits);
    let of = |side: Option<&Side>, figure: Figure| side.and_then(|side| figure.of(side));
    let rows = ROWS.map(|(title, figure)| {
        let [was, is] = [all.base(), all.other(0)].map(|side| of(side, figure));
        (title, figure, was, is)
    });
    let some = |ratio: &Option<Ratio>| ratio.is_some_and(|ratio| ratio.part != 0);
    let rows: Vec<_> = rows
        .into_iter()
        .filter(|(.., was, is)| some(was) || some(is))
        .collect();
    let table = Table::over(&rows)
        .left("all requests", |(title, ..)| *title)
        .right("baseline", |(_, figure, was, _)| {
            value(digits, *figure, *was)
        })
        .right("other", |(_, figure, _, is)| value(digits, *figure, *is))
        .right("change", |(_, figure, ..)| {
            worded(*figure, all.change(0, *figure))
        })
        .table;
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
    let (all, digits) = (&compared.comparison.all, compared.digits);
    let of = |side: &Option<Side>, figure: Figure| {
        value(
            digits,
            figure,
            side.as_ref().and_then(|side| figure.of(side)),
        )
    };
    let change = |place: usize, figure: Figure| {
        let number = place.checked_sub(1);
        number.map_or_else(String::new, |number| signed(all.change(number, figure)))
    };
    let result = |place: usize| {
        let number = place.checked_sub(1);
        number.map_or_else(String::new, |number| overall(compared, number))
    };
    let places: Vec<_> = all.sides.iter().enumerate().collect();
    use Figure::{Elapsed, ResponseTime, Turnaround, WallThroughput};
    Table::over(&places)
        .left("configuration", |(place, _)| compared.name(*place))
        .column(
            Column::under("over elapsed time", "file data").rare(),
            |(_, side)| of(side, WallThroughput),
        )
        .column(
            Column::under("over elapsed time", "change").rare(),
            |(place, _)| change(*place, WallThroughput),
        )
        .under("response time", "mean", |(_, side)| of(side, ResponseTime))
        .under("response time", "change", |(place, _)| {
            change(*place, ResponseTime)
        })
        .under("turnaround", "mean", |(_, side)| of(side, Turnaround))
        .under("turnaround", "change", |(place, _)| {
            change(*place, Turnaround)
        })
        .left("result", |(place, _)| result(*place))
        .under("elapsed", "time", |(_, side)| of(side, Elapsed))
        .under("elapsed", "change", |(place, _)| change(*place, Elapsed))
        .right("requests", |(_, side)| of(side, Figure::Requests))
        .under("per request", "frames", |(_, side)| {
            of(side, Figure::FramesPerRequest)
        })
        .under("per request", "acks", |(_, side)| {
            of(side, Figure::AcksPerRequest)
        })
        .right("per second", |(_, side)| {
            of(side, Figure::TransactionsPerSecond)
        })
        .rare("unanswered", |(_, side)| some(of(side, Figure::Unanswered)))
        .rare("errors", |(_, side)| some(of(side, Figure::Errors)))
        .table
}

/// A count that should be rare.
fn some(count: String) -> Option<String> {
    Some(count).filter(|count| count != "0")
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
    let (comparison, digits) = (compared.comparison, compared.digits);
    let there = comparison.groups.iter();
    let there = there.filter(|group| group.base().is_some() || group.other(number).is_some());
    let there: Vec<&Group> = there.collect();
    let one = |side: Option<&Side>, figure: Figure| {
        value(digits, figure, side.and_then(|side| figure.of(side)))
    };
    let base = |group: &Group, figure| one(group.base(), figure);
    let other = |group: &Group, figure| one(group.other(number), figure);
    let change = |group: &Group, figure| signed(group.change(number, figure));
    let verdict = comparison.verdicts.get(number);
    let told = |group: &Group| match verdict.is_some_and(|v| v.differs_in_size(group)) {
        true => "other sizes".to_owned(),
        false => result(group, number),
    };
    // Of other groups it is a matter of how much was asked of them.
    let by_load = |text: String| (comparison.by == By::Load).then_some(text);
    use Figure::{
        AcksPerRequest, Errors, FramesPerRequest, Requests, ResponseTime, Throughput,
        TransactionsPerSecond, Turnaround, Unanswered, WallThroughput,
    };
    let table = Table::over(&there[..MOST_ROWS.min(there.len())])
        .left("name", |group| group_name(group))
        .under("requests", "base", |group| base(group, Requests))
        .under("requests", "other", |group| other(group, Requests))
        .under("mean response time", "base", |group| {
            base(group, ResponseTime)
        })
        .under("mean response time", "other", |group| {
            other(group, ResponseTime)
        })
        .under("mean response time", "change", |group| {
            change(group, ResponseTime)
        })
        .column(Column::left("result").rare(), |group| told(group))
        .under("mean turnaround", "base", |group| base(group, Turnaround))
        .under("mean turnaround", "other", |group| other(group, Turnaround))
        .under("mean turnaround", "change", |group| {
            change(group, Turnaround)
        })
        .rare_under("frames per request", "base", |group| {
            base(group, FramesPerRequest)
        })
        .rare_under("frames per request", "other", |group| {
            other(group, FramesPerRequest)
        })
        .rare_under("acks per request", "base", |group| {
            base(group, AcksPerRequest)
        })
        .rare_under("acks per request", "other", |group| {
            other(group, AcksPerRequest)
        })
        .rare_under("throughput", "base", |group| base(group, Throughput))
        .rare_under("throughput", "other", |group| other(group, Throughput))
        .rare_under("throughput", "change", |group| change(group, Throughput))
        .rare_under("over elapsed time", "base", |group| {
            by_load(base(group, WallThroughput))
        })
        .rare_under("over elapsed time", "other", |group| {
            by_load(other(group, WallThroughput))
        })
        .rare_under("over elapsed time", "change", |group| {
            by_load(change(group, WallThroughput))
        })
        .rare_under("per second", "base", |group| {
            by_load(base(group, TransactionsPerSecond))
        })
        .rare_under("per second", "other", |group| {
            by_load(other(group, TransactionsPerSecond))
        })
        .rare_under("per second", "change", |group| {
            by_load(change(group, TransactionsPerSecond))
        })
        .rare_under("unanswered", "base", |group| some(base(group, Unanswered)))
        .rare_under("unanswered", "other", |group| {
            some(other(group, Unanswered))
        })
        .rare_under("errors", "base", |group| some(base(group, Errors)))
        .rare_under("errors", "other", |group| some(other(group, Errors)))
        .table;
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
