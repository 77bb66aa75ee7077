//! The tables of a comparison, for text and page.

use super::Compared;
use super::words::{group_name, overall, result, signed, value, worded};
use crate::table::{Column, Table};
use wirewait_judge::compare::{By, Figure, Group, Ratio, Side};

/// Rows of a table of groups; the other formats have all.
const MOST_ROWS: usize = 50;

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
        .rare_under("throughput while data moves", "base", |group| {
            base(group, Throughput)
        })
        .rare_under("throughput while data moves", "other", |group| {
            other(group, Throughput)
        })
        .rare_under("throughput while data moves", "change", |group| {
            change(group, Throughput)
        })
        .rare_under("throughput over elapsed time", "base", |group| {
            by_load(base(group, WallThroughput))
        })
        .rare_under("throughput over elapsed time", "other", |group| {
            by_load(other(group, WallThroughput))
        })
        .rare_under("throughput over elapsed time", "change", |group| {
            by_load(change(group, WallThroughput))
        })
        .rare_under("transactions per second", "base", |group| {
            by_load(base(group, TransactionsPerSecond))
        })
        .rare_under("transactions per second", "other", |group| {
            by_load(other(group, TransactionsPerSecond))
        })
        .rare_under("transactions per second", "change", |group| {
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
