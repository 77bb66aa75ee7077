//! Several captures by load, as papers on file servers have them: how long a request takes by the number of active
//! stations, and by what is moved (delay and throughput).

use super::load::{POINTS, Plot, PlotSeries, ROOM, figures_of};
use super::markup::Page;
use super::svg::{Across, Scale};
use super::table;
use crate::figures::Rate;
use crate::table::Table;
use crate::text::load::levels::{figures, is_curve, stations};
use crate::time::{Brief, Short};
use wirewait_analysis::{LevelCurve, LevelRow, Load, LoadOf};

/// Captures whose curves are drawn, each with a mark of its own: the classes of its dots and of its lines.
const SERIES: [(&str, &str); 8] = [
    ("of1", "by1"),
    ("of2", "by2"),
    ("of3", "by3"),
    ("of4", "by4"),
    ("of5", "by5"),
    ("of6", "by6"),
    ("of7", "by7"),
    ("of8", "by8"),
];

/// A capture's name, and its load.
type NamedCurve<'a> = (&'a str, &'a LevelCurve);

/// The curves of several captures in two plots, and the figures of all of them, those of one load beside each other.
/// Nothing where no capture has more than one load.
pub(super) fn configurations(page: &mut Page, captures: &[(String, &Load)]) -> bool {
    let curves: Vec<NamedCurve<'_>> = captures
        .iter()
        .filter_map(|(name, load)| {
            let mut curves = load.levels.iter();
            let all = curves.find(|curve| curve.of == LoadOf::Capture)?;
            Some((name.as_str(), all))
        })
        .collect();
    if !curves.iter().any(|(_, curve)| is_curve(curve)) {
        return false;
    }
    key(page, &curves);
    page.within("div", &[("class", &"pair")], |page| {
        by_stations(page, &curves);
        by_throughput(page, &curves);
    });
    let mut rows: Vec<(usize, &str, &LevelRow)> = Vec::new();
    for (n, (name, curve)) in curves.iter().enumerate() {
        rows.extend(levels(curve).map(|row| (n, *name, row)));
    }
    rows.sort_by_key(|(n, _, row)| (row.stations, *n));
    let table = Table::over(&rows)
        .right("stations", |(.., row)| stations(row))
        .left("configuration", |(_, name, _)| (*name).to_owned());
    let table = figures_of(table, |(.., row)| row).table;
    table::table(
        page,
        "Configurations by active stations",
        &table,
        usize::MAX,
    );
    true
}

/// The loads of a curve that are shown.
fn levels(curve: &LevelCurve) -> impl Iterator<Item = &LevelRow> {
    let rows = curve.levels.iter().filter(|row| row.stations > 0);
    rows.take(POINTS)
}

/// Which number is which capture.
fn key(page: &mut Page, curves: &[NamedCurve<'_>]) {
    page.within("ol", &[("class", &"key")], |page| {
        for (name, _) in curves.iter().take(SERIES.len()) {
            page.leaf("li", &[], name);
        }
    });
}

fn by_stations(page: &mut Page, curves: &[NamedCurve<'_>]) {
    let point = |row: &LevelRow| {
        let ns = figures(row).response_time.mean()?;
        Some((i64::from(row.stations), ns))
    };
    let what = ("levels", "Mean response time by active stations");
    let along = |n: i64| n.to_string();
    draw(page, what, curves, point, along);
}

/// What is moved, or answered where no file data is, and how long a request takes then.
fn by_throughput(page: &mut Page, curves: &[NamedCurve<'_>]) {
    let moves = |curve: &LevelCurve| {
        let mut rows = levels(curve);
        rows.any(|row| figures(row).throughput().is_some_and(|n| n > 0))
    };
    let moved = |row: &LevelRow| {
        let rate = figures(row).throughput()?;
        Some((
            i64::try_from(rate).ok()?,
            figures(row).response_time.mean()?,
        ))
    };
    if curves.iter().any(|(_, curve)| moves(curve)) {
        let what = (
            "delay-throughput",
            "Mean response time by file data per second: more stations from point to point",
        );
        draw(page, what, curves, moved, |n| {
            Rate(n.unsigned_abs()).to_string()
        });
    }
}

/// One plot of all curves: a point for each load, joined in the order of loads.
fn draw(
    page: &mut Page,
    (id, title): (&str, &str),
    curves: &[NamedCurve<'_>],
    point: impl Fn(&LevelRow) -> Option<(i64, i64)>,
    along: impl Fn(i64) -> String,
) {
    let of = |curve: &LevelCurve| -> Vec<(i64, i64)> { levels(curve).filter_map(&point).collect() };
    let drawn: Vec<Vec<(i64, i64)>> = curves
        .iter()
        .take(SERIES.len())
        .map(|(_, curve)| of(curve))
        .collect();
    let most = |value: fn(&(i64, i64)) -> i64| drawn.iter().flatten().map(value).max().unwrap_or(1);
    let across = Scale::linear(most(|point| point.0), Across::WHOLE);
    let series: Vec<PlotSeries> = SERIES
        .iter()
        .zip(drawn.iter())
        .map(|((dots, lines), points)| {
            let place = |(x, ns): &(i64, i64)| (Across(across.place(*x)), *ns);
            (*dots, *lines, points.iter().map(place).collect())
        })
        .collect();
    let plot = Plot {
        id: id.to_owned(),
        title: title.to_owned(),
        caption: title.to_owned(),
        across: &across,
        up: Scale::linear(most(|point| point.1), ROOM),
        knee: None,
        numbered: true,
    };
    let value = |ns: i64| Brief(ns).to_string();
    let words = |ns: i64| Short(ns).to_string();
    plot.draw_along(page, along, value, words, &series);
}
