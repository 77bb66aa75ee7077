//! One row for each group and capture, as RFC 4180 has it.

use super::Compared;
use super::json::{column, number, plain};
use super::words::{group_name, result, rounded};
use crate::cells::CsvRow;
use std::io::{self, Write};
use wirewait_judge::compare::{Change, Figure, Group};

/// Writes a header, the rows of everything together, then those of the groups.
///
/// # Errors
/// What `out` says.
pub fn csv(out: &mut impl Write, compared: &Compared<'_>) -> io::Result<()> {
    let mut row = CsvRow::new();
    for title in ["by", "group", "configuration", "baseline"] {
        row.value(title);
    }
    for figure in Figure::ALL {
        row.value(column(figure));
    }
    for figure in Figure::ALL {
        row.value(format_args!("{}_change_percent", plain(figure)));
    }
    for title in ["turnaround_p", "response_time_p", "result"] {
        row.value(title);
    }
    row.end(out)?;
    let comparison = compared.comparison;
    let mut rows = |by: &str, group: &Group| {
        for place in 0..group.sides.len() {
            if cells(&mut row, compared, by, group, place) {
                row.end(out)?;
            }
        }
        Ok(())
    };
    rows("all", &comparison.all)?;
    let by = comparison.by.name();
    comparison
        .groups
        .iter()
        .try_for_each(|group| rows(by, group))
}

/// The cells of a group in one of the captures, if it is there.
fn cells(row: &mut CsvRow, compared: &Compared<'_>, by: &str, group: &Group, place: usize) -> bool {
    let Some(Some(side)) = group.sides.get(place) else {
        return false;
    };
    let number_of = place.checked_sub(1);
    // What is compared and the configurations have names of somebody's choice.
    row.text(by);
    row.text(&group_name(group));
    row.text(&compared.name(place));
    row.value(place == 0);
    for figure in Figure::ALL {
        row.optional(figure.of(side).map(|value| number(figure, value)));
    }
    for figure in Figure::ALL {
        let change = number_of.and_then(|number| group.change(number, figure));
        row.optional(match change {
            Some(Change::Thousandths(n)) => Some(percent(n)),
            Some(Change::FromNothing) | None => None,
        });
    }
    let sure = number_of.and_then(|number| group.sure.get(number));
    for confidence in [
        sure.map(|sure| sure.turnaround),
        sure.map(|sure| sure.response_time),
    ] {
        let p = confidence.and_then(|confidence| confidence.p());
        row.optional(p.map(|p| format!("{:e}", rounded(p))));
    }
    row.optional(number_of.map(|number| result(group, number)));
    true
}

/// Tenths of a percent.
fn percent(n: i64) -> String {
    let sign = if n < 0 { "-" } else { "" };
    format!("{sign}{}.{}", n.unsigned_abs() / 10, n.unsigned_abs() % 10)
}
