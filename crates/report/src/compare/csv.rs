//! One row for each group and capture, as RFC 4180 has it.

use super::Compared;
use super::json::{column, number, plain};
use super::words::{group_name, result, rounded};
use crate::cells;
use std::io::{self, Write};
use wirewait_judge::compare::{Change, Figure, Group};

/// Columns of names, in front of those of figures.
const NAMES: usize = 3;

/// Writes a header, the rows of everything together, then those of the groups.
///
/// # Errors
/// What `out` says.
pub fn csv(out: &mut impl Write, compared: &Compared<'_>) -> io::Result<()> {
    let mut titles: Vec<String> = ["by", "group", "configuration", "baseline"]
        .map(String::from)
        .into();
    titles.extend(Figure::ALL.map(column));
    titles.extend(Figure::ALL.map(|figure| format!("{}_change_percent", plain(figure))));
    titles.extend(["turnaround_p", "response_time_p", "result"].map(String::from));
    line(out, titles)?;
    let comparison = compared.comparison;
    rows(out, compared, "all", &comparison.all)?;
    for group in &comparison.groups {
        rows(out, compared, comparison.by.name(), group)?;
    }
    Ok(())
}

fn rows(out: &mut impl Write, compared: &Compared<'_>, by: &str, group: &Group) -> io::Result<()> {
    for (place, side) in group.sides.iter().enumerate() {
        let Some(side) = side else {
            continue;
        };
        let number_of = place.checked_sub(1);
        let mut cells = vec![
            by.to_owned(),
            group_name(group),
            compared.name(place),
            (place == 0).to_string(),
        ];
        cells.extend(Figure::ALL.map(|figure| {
            figure
                .of(side)
                .map_or_else(String::new, |value| number(figure, value).to_string())
        }));
        cells.extend(Figure::ALL.map(|figure| {
            match number_of.and_then(|number| group.change(number, figure)) {
                Some(Change::Thousandths(n)) => {
                    let sign = if n < 0 { "-" } else { "" };
                    format!("{sign}{}.{}", n.unsigned_abs() / 10, n.unsigned_abs() % 10)
                }
                Some(Change::FromNothing) | None => String::new(),
            }
        }));
        let sure = number_of.and_then(|number| group.sure.get(number));
        for confidence in [
            sure.map(|sure| sure.turnaround),
            sure.map(|sure| sure.response_time),
        ] {
            let p = confidence.and_then(|confidence| confidence.p());
            cells.push(p.map_or_else(String::new, |p| format!("{:e}", rounded(p))));
        }
        cells.push(number_of.map_or_else(String::new, |number| result(group, number)));
        line(out, cells)?;
    }
    Ok(())
}

fn line(out: &mut impl Write, cells: Vec<String>) -> io::Result<()> {
    for (n, text) in cells.iter().enumerate() {
        if n > 0 {
            out.write_all(b",")?;
        }
        // What is compared and the configurations have names of somebody's choice; changes are
        // numbers, and may be negative.
        match n {
            0..NAMES => cells::text(out, text)?,
            _ => cells::number(out, text)?,
        }
    }
    out.write_all(b"\r\n")
}
