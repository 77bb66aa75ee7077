//! The comparison for people.

use super::Compared;
use super::doubts::doubts;
use super::tables::{configurations_table, figures_table, groups_table, loads_table};
use super::words::{at_load, parts, sentence};
use crate::figures::{Grouped, Percent};
use crate::table::Table;
use crate::text::{Look, note};
use crate::time::Short;
use std::io::{self, Write};
use wirewait_judge::compare::{
    BLOCKS, Basis, By, Effect, FEWEST, Figure, KEPT, LEVEL, MATERIAL, OPEN_JOBS, Side,
};

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
        if compared.comparison.by == By::Load {
            return listed(out, compared, look, loads_table(compared));
        }
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
            let within = match verdict.basis {
                Basis::Bytes => verdict.work.as_ref().and_then(|work| work.equal_load),
                Basis::ActiveTime => verdict.active.and_then(|active| active.equal_load),
                _ => verdict.by_load,
            };
            let alike = verdict
                .errors
                .as_ref()
                .and_then(|errors| errors.succeeded.as_ref());
            let (was, is) = match (verdict.basis, alike.or(verdict.alike.as_ref())) {
                (Basis::Succeeded | Basis::Operations, Some(alike)) => (alike.base, alike.other),
                _ => (was, is),
            };
            let real = matches!(verdict.effect, Effect::Slower | Effect::Faster)
                || verdict
                    .errors
                    .as_ref()
                    .is_some_and(|errors| errors.decides());
            // Ten times as slow is as much as ten times as fast.
            let all = is.number().max(1e-12) / was.number().max(1e-12);
            let times = within.map_or(all, |load| load.times).ln().abs();
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

fn configurations(out: &mut impl Write, compared: &Compared<'_>, look: Look) -> io::Result<()> {
    look.heading(out, CONFIGURATIONS)?;
    configurations_table(compared).write(out, look)
}

pub(crate) const CONFIGURATIONS: &str = "Configurations, the baseline first";

fn groups(
    out: &mut impl Write,
    compared: &Compared<'_>,
    look: Look,
    number: usize,
) -> io::Result<()> {
    listed(out, compared, look, groups_table(compared, number))
}

/// A table of groups, with its heading and how many more there are.
fn listed(
    out: &mut impl Write,
    compared: &Compared<'_>,
    look: Look,
    (heading, table, more): (String, Table, usize),
) -> io::Result<()> {
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
            "The first line is about the active time of the clients for each answered request: network \
             and server time, loss recovery, and their pauses that are not idle. It counts from {} on, if chance \
             alone makes such a difference less often than in {} (p, two-sided). The test deals the \
             parts of both captures out again, {BLOCKS} of each with as many responses; a few long requests \
             count as what they took. Where both pass through the same numbers of active stations, \
             parts are dealt out, and times compared, within each number.",
            Percent(MATERIAL.unsigned_abs(), 1000),
            Percent((LEVEL * 1000.0) as u64, 1000)
        ),
        format!(
            "Where that did not change, and in tables, single response times decide: the rank test of \
             Mann and Whitney, at the same level (in a table shared among its rows), and no surer than \
             the mean ranks of {BLOCKS} successive parts of each are. It takes {FEWEST} values on each side. Twice as much is never called chance: \"cannot tell\", or \"a few long ones\"."
        ),
        format!(
            "Where reads or writes are of other sizes and take half of the time or more, file data \
             per active time of the clients decides instead, if it changed by {} or more, by the test of \
             parts.",
            Percent(MATERIAL.unsigned_abs(), 1000)
        ),
        "Where another mix of operations, or errors, changed the mean request, requests of each operation are \
         compared with those of the same one, and of errors only what succeeded."
            .to_owned(),
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
