//! The tables of a comparison, for text and page.

use super::Compared;
use super::words::{group_name, overall, result, signed, value, worded};
use crate::table::{Column, Table};
use wirewait_judge::compare::{By, Confidence, Figure, Group, Ratio, Side, Unit};

/// Rows of a table of groups; the other formats have all.
const MOST_ROWS: usize = 50;

/// Two captures: one figure a line, under its heading.
pub(crate) fn figures_table(compared: &Compared<'_>) -> (String, Table) {
    const ROWS: [(&str, Figure); 30] = [
        ("requests", Figure::Requests),
        ("unanswered", Figure::Unanswered),
        ("errors", Figure::Errors),
        ("elapsed time", Figure::Elapsed),
        ("response time, mean", Figure::ResponseTime),
        ("response time, median", Figure::ResponseTimeP50),
        ("response time, 95 %", Figure::ResponseTimeP95),
        ("response time, 99 %", Figure::ResponseTimeP99),
        ("response time, longest", Figure::ResponseTimeMax),
        ("turnaround, mean", Figure::Turnaround),
        ("turnaround, median", Figure::TurnaroundP50),
        ("turnaround, 95 %", Figure::TurnaroundP95),
        ("turnaround, 99 %", Figure::TurnaroundP99),
        ("frames per request", Figure::FramesPerRequest),
        ("acknowledgements per request", Figure::AcksPerRequest),
        (
            "retransmissions per request",
            Figure::RetransmittedPerRequest,
        ),
        ("file data, bytes", Figure::DataBytes),
        ("throughput while data moves", Figure::Throughput),
        (
            "throughput with requests outstanding",
            Figure::BusyThroughput,
        ),
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
            match is_within_a_tick(compared, *figure, 0) {
                true => "within a clock tick".to_owned(),
                false => worded(*figure, all.change(0, *figure)),
            }
        })
        .table;
    let heading = format!("Baseline {}, other {}", compared.name(0), compared.name(1));
    (heading, table)
}

/// Whether a time of requests differs by no more than a tick of a clock, where single times cannot be compared.
fn is_within_a_tick(compared: &Compared<'_>, figure: Figure, number: usize) -> bool {
    let all = &compared.comparison.all;
    let sure = all.sure.get(number).map(|sure| sure.response_time);
    let of_requests = figure.unit() == Unit::Nanoseconds
        && !matches!(
            figure,
            Figure::Elapsed | Figure::JobTime | Figure::JobTimeP50 | Figure::JobTimeP95
        );
    match (sure, all.both(number, figure)) {
        (Some(Confidence::Coarse(tick)), Some((was, is))) if of_requests => {
            (was.number() - is.number()).abs() <= tick as f64
        }
        _ => false,
    }
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

/// When a column of a group is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WhenShown {
    Always,
    /// Where it has something in it.
    Any,
    /// Where it has more than zeros in it.
    Some,
    /// In groups by load.
    ByLoad,
}

const SIDES: &[&str] = &["base", "other"];
const CHANGE: &[&str] = &["base", "other", "change"];

/// Figures of a group: heading, when they are shown, and of which sides.
#[rustfmt::skip]
const GROUP_FIGURES: [(&str, Figure, WhenShown, &[&str]); 11] = [
    ("requests", Figure::Requests, WhenShown::Always, SIDES),
    ("mean response time", Figure::ResponseTime, WhenShown::Always, CHANGE),
    ("mean turnaround", Figure::Turnaround, WhenShown::Always, CHANGE),
    ("frames per request", Figure::FramesPerRequest, WhenShown::Any, SIDES),
    ("acks per request", Figure::AcksPerRequest, WhenShown::Any, SIDES),
    ("throughput while data moves", Figure::Throughput, WhenShown::Any, CHANGE),
    ("throughput over elapsed time", Figure::WallThroughput, WhenShown::ByLoad, CHANGE),
    ("transactions per second", Figure::TransactionsPerSecond, WhenShown::ByLoad, CHANGE),
    ("unanswered", Figure::Unanswered, WhenShown::Some, SIDES),
    ("errors", Figure::Errors, WhenShown::Some, SIDES),
    ("99 % of response times", Figure::ResponseTimeP99, WhenShown::Any, SIDES),
];
/// Figures that stand in front of the result.
const BEFORE_RESULT: usize = 2;

/// All captures by load in one table, those of one load beside each other, as papers have it: its heading, the first rows,
/// and how many more there are.
pub(crate) fn loads_table(compared: &Compared<'_>) -> (String, Table, usize) {
    use Figure::{Requests, ResponseTime, TransactionsPerSecond, Turnaround, WallThroughput};
    let digits = compared.digits;
    let rows: Vec<(&Group, usize)> = compared
        .comparison
        .groups
        .iter()
        .flat_map(|group| {
            let there = group.sides.iter().enumerate();
            there.filter_map(move |(place, side)| side.as_ref().map(|_| (group, place)))
        })
        .collect();
    let one = |(group, place): &(&Group, usize), figure: Figure| {
        let side = group.sides.get(*place).and_then(Option::as_ref);
        value(digits, figure, side.and_then(|side| figure.of(side)))
    };
    let change = |(group, place): &(&Group, usize), figure: Figure| {
        let number = place.checked_sub(1);
        number.map_or_else(String::new, |number| signed(group.change(number, figure)))
    };
    let most = MOST_ROWS.saturating_mul(compared.configurations.len().max(1));
    let table = Table::over(&rows[..most.min(rows.len())])
        .left("load", |(group, _)| group_name(group))
        .left("configuration", |(_, place)| compared.name(*place))
        .right("requests", |row| one(row, Requests))
        .under("response time", "mean", |row| one(row, ResponseTime))
        .under("response time", "change", |row| change(row, ResponseTime))
        .under("turnaround", "mean", |row| one(row, Turnaround))
        .under("turnaround", "change", |row| change(row, Turnaround))
        .under("over elapsed time", "file data", |row| {
            one(row, WallThroughput)
        })
        .under("over elapsed time", "change", |row| {
            change(row, WallThroughput)
        })
        .right("requests/s", |row| one(row, TransactionsPerSecond))
        .table;
    let heading = format!("By load, the baseline ({}) first", compared.name(0));
    (heading, table, rows.len().saturating_sub(most))
}

/// The groups of one capture against the baseline's: their heading, the first of them, and how many
/// more there are.
pub(crate) fn groups_table(compared: &Compared<'_>, number: usize) -> (String, Table, usize) {
    let (comparison, digits) = (compared.comparison, compared.digits);
    let there = comparison.groups.iter();
    let there = there.filter(|group| group.base().is_some() || group.other(number).is_some());
    let there: Vec<&Group> = there.collect();
    let verdict = comparison.verdicts.get(number);
    let told = |group: &Group| match verdict.is_some_and(|v| v.differs_in_size(group)) {
        true => "other sizes".to_owned(),
        false => result(group, number),
    };
    let one = |side: Option<&Side>, figure: Figure| {
        value(digits, figure, side.and_then(|side| figure.of(side)))
    };
    let cell = |group: &Group, figure: Figure, title: &str| match title {
        "base" => one(group.base(), figure),
        "other" => one(group.other(number), figure),
        _ => signed(group.change(number, figure)),
    };
    let is_shown = |shown: WhenShown, text: &str| match shown {
        // Of other groups it is a matter of how much was asked of them.
        WhenShown::ByLoad => comparison.by == By::Load,
        WhenShown::Some => text != "0",
        WhenShown::Always | WhenShown::Any => true,
    };
    let first = &there[..MOST_ROWS.min(there.len())];
    let mut filling = Table::over(first).path("name", |group| group_name(group));
    for (n, (group, figure, shown, titles)) in GROUP_FIGURES.into_iter().enumerate() {
        if n == BEFORE_RESULT {
            filling = filling.rare_left("result", |group| told(group));
        }
        for title in titles {
            let column = Column {
                rare: shown != WhenShown::Always,
                ..Column::under(group, title)
            };
            filling = filling.column(column, |group| {
                Some(cell(group, figure, title)).filter(|text| is_shown(shown, text))
            });
        }
    }
    let table = filling.table;
    let by = comparison.by.name();
    let heading = format!(
        "By {by}: {} against {}",
        compared.name(number + 1),
        compared.name(0)
    );
    (heading, table, there.len().saturating_sub(MOST_ROWS))
}
