//! How service changes with the number of active stations and with the size of requests.

use super::markup::Page;
use super::svg::{self, Across, Scale};
use super::table;
use crate::columns::TimeColumn::{Max, Min, P50, P95};
use crate::figures::{Grouped, Milli, Rate};
use crate::table::{Filling, InCell, Table};
use crate::text::load::levels::{data, figures, is_curve, meanings, table as in_numbers};
use crate::text::load::sizes::{BREAKS, range};
use crate::time::{Brief, Digits, Short};
use wirewait_analysis::{Knee, LevelCurve, LevelRow, Load, LoadOf, SizeCurve, Snapshot};
use wirewait_wire::Kind;

/// Curves of each kind.
const CURVES: usize = 4;
/// Sizes on a curve fewer than which it is none.
const SIZES: usize = 3;
/// Points of a curve.
pub(super) const POINTS: usize = 200;

const HEIGHT: i64 = 200;
const FLOOR: i64 = 172;
const TOP: i64 = 16;
pub(super) const ROOM: i64 = FLOOR - TOP;

/// Whether there is something to draw.
pub(super) fn is_drawn(load: &Load) -> bool {
    load.levels.iter().any(is_curve) || load.sizes.iter().any(|c| c.sizes.len() >= SIZES)
}

pub(super) fn load(page: &mut Page, snapshot: &Snapshot) {
    let load = &snapshot.load;
    let curves = || (0..).zip(&load.levels).filter(|(_, curve)| is_curve(curve));
    for (n, curve) in curves().take(CURVES) {
        levels(page, (n, curve), snapshot);
    }
    table::more(page, curves().count().saturating_sub(CURVES));
    if curves().next().is_some() {
        for said in meanings(snapshot) {
            page.leaf("p", &[("class", &"note")], said);
        }
    }
    let sizes = || {
        (0..)
            .zip(&load.sizes)
            .filter(|(_, curve)| curve.sizes.len() >= SIZES)
    };
    // What breaks the trend is not hidden by what is busier.
    let mut broken: Vec<(usize, &SizeCurve)> = sizes().collect();
    broken.sort_by_key(|(_, curve)| curve.anomalies.is_empty());
    for (n, curve) in broken.iter().take(CURVES) {
        by_size(page, *n, curve);
    }
    table::more(page, broken.len().saturating_sub(CURVES));
}

fn levels(page: &mut Page, (n, curve): (usize, &LevelCurve), snapshot: &Snapshot) {
    let whose = match curve.of {
        LoadOf::Capture => "all servers".to_owned(),
        LoadOf::Server(server) => format!("server {server}"),
        LoadOf::Interface(number) => format!("interface {number}"),
    };
    let rows: Vec<&LevelRow> = curve.levels.iter().filter(|row| row.stations > 0).collect();
    let rows = rows.get(..POINTS.min(rows.len())).unwrap_or_default();
    let most = rows.iter().map(|row| row.stations).max().unwrap_or(1);
    let across = Scale::linear(i64::from(most), Across::WHOLE);
    page.leaf("h3", &[], format_args!("By active stations, {whose}"));
    if let Some(knee) = &curve.knee {
        page.leaf("p", &[], knee_words(knee));
    }
    match rows.iter().filter(|row| row.steady.ns == 0).count() {
        0 => {}
        ramps => page.leaf(
            "p",
            &[],
            format_args!(
                "{ramps} of {} points are ramps: that number of stations was active only for moments.",
                rows.len()
            ),
        ),
    }
    let at = format!("/load/levels/{n}");
    page.within("div", &[("class", &"pair"), ("data-json", &at)], |page| {
        let knee = curve
            .knee
            .map(|knee| Across(across.place(i64::from(knee.stations))));
        let place = |row: &LevelRow| Across(across.place(i64::from(row.stations)));
        let data = |row: &LevelRow| {
            figures(row)
                .throughput()
                .and_then(|n| i64::try_from(n).ok())
        };
        let plot = Plot {
            id: format!("levels-{n}-data"),
            title: format!("File data per second by active stations, {whose}"),
            caption: "File data per second".to_owned(),
            across: &across,
            up: Scale::linear(rows.iter().filter_map(|r| data(r)).max().unwrap_or(1), ROOM),
            knee,
            numbered: false,
        };
        let rate = |n: i64| Rate(n.unsigned_abs()).to_string();
        let points = rows.iter().filter_map(|row| Some((place(row), data(row)?)));
        plot.draw(page, rate, rate, &[("mid", "trace", points.collect())]);

        let response = |row: &LevelRow| figures(row).response_time.mean();
        let turnaround = |row: &LevelRow| figures(row).turnaround.mean();
        let all = rows.iter().flat_map(|row| [response(row), turnaround(row)]);
        let plot = Plot {
            id: format!("levels-{n}-times"),
            title: format!("Response time and turnaround by active stations, {whose}"),
            caption: "Mean response time (dots) and turnaround (rings)".to_owned(),
            across: &across,
            up: Scale::linear(all.flatten().max().unwrap_or(1), ROOM),
            knee,
            numbered: false,
        };
        let responses = rows
            .iter()
            .filter_map(|row| Some((place(row), response(row)?)));
        let turnarounds = rows
            .iter()
            .filter_map(|row| Some((place(row), turnaround(row)?)));
        plot.draw(
            page,
            |ns| Brief(ns).to_string(),
            |ns| Short(ns).to_string(),
            &[
                ("mid", "trace", responses.collect()),
                ("high", "trace2", turnarounds.collect()),
            ],
        );
    });
    let table = in_numbers(rows, (curve.of, snapshot), Digits::Three);
    table::numbers(
        page,
        &format!("By active stations in numbers, {whose}"),
        &table,
    );
}

fn knee_words(knee: &Knee) -> String {
    format!(
        "Turnaround grows from {} stations on (the line in the plots): {} on average (n {}) against \
         {} (n {}) with {} or fewer.",
        knee.stations,
        Short(knee.grown_ns),
        Grouped(knee.grown_n),
        Short(knee.flat_ns),
        Grouped(knee.flat_n),
        knee.flat_to
    )
}

/// Adds the figures of a load.
pub(super) fn figures_of<'r, R>(
    table: Filling<'r, R>,
    of: impl Fn(&R) -> &LevelRow,
) -> Filling<'r, R> {
    let ramps = |row: &LevelRow| if row.steady.ns == 0 { "ramps only" } else { "" };
    table
        .right("for", |row| {
            Short(i64::try_from(figures(of(row)).ns).unwrap_or(i64::MAX))
        })
        .right("answered", |row| Grouped(figures(of(row)).answered))
        .right("file data", |row| data(figures(of(row))))
        .rare("without pauses", |row| {
            figures(of(row))
                .moved
                .closed_loop(of(row).stations)
                .map(Rate)
        })
        .under("mean", "response time", |row| {
            figures(of(row)).response_time.mean().map(Short)
        })
        .under("mean", "turnaround", |row| {
            figures(of(row)).turnaround.mean().map(Short)
        })
        .rare_left("", |row| ramps(of(row)))
}

fn by_size(page: &mut Page, n: usize, curve: &SizeCurve) {
    let kind = match curve.kind {
        Kind::Write => "Writes",
        _ => "Reads",
    };
    let whose = format!("{kind} by size, server {}", curve.server);
    let rows = curve
        .sizes
        .get(..POINTS.min(curve.sizes.len()))
        .unwrap_or_default();
    let bytes = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let (least, most) = (rows.first(), rows.last());
    let across = Scale::logarithmic(
        least.map_or(1, |row| bytes(row.to_bytes)),
        most.map_or(1, |row| bytes(row.to_bytes)),
        Across::WHOLE,
    );
    page.leaf("h3", &[], &whose);
    for anomaly in &curve.anomalies {
        let positive = |ns: i64| u64::try_from(ns).unwrap_or(0);
        let times = Milli::ratio(positive(anomaly.p50_ns), positive(anomaly.expected_ns));
        let examples = anomaly.examples.iter();
        let frames: Vec<String> = examples
            .map(|e| format!("{} to {}", e.request_frame, e.response_frame))
            .collect();
        page.leaf(
            "p",
            &[],
            format_args!(
                "{} bytes break the trend: {} (median of {}) where the other sizes say {}, {} times \
                 as long; frames {}.",
                range(anomaly.from_bytes, anomaly.to_bytes),
                Short(anomaly.p50_ns),
                Grouped(anomaly.n),
                Short(anomaly.expected_ns.max(0)),
                times.text(),
                frames.join(", ")
            ),
        );
    }
    let at = format!("/load/sizes/{n}");
    page.within("div", &[("data-json", &at)], |page| {
        let broken = |to: u64| curve.anomalies.iter().any(|a| a.to_bytes == to);
        let points = |wanted: bool| -> Vec<(Across, i64)> {
            rows.iter()
                .filter(|row| !wanted || broken(row.to_bytes))
                .map(|row| {
                    let x = Across(across.place(bytes(row.to_bytes)));
                    (x, row.response_time.p50)
                })
                .collect()
        };
        let highest = rows.iter().map(|row| row.response_time.p50).max();
        let plot = Plot {
            id: format!("sizes-{n}"),
            title: whose.clone(),
            caption: match curve.anomalies.is_empty() {
                true => "Median response time by bytes requested",
                false => {
                    "Median response time by bytes requested; a ring where the trend is broken"
                }
            }
            .to_owned(),
            across: &across,
            up: Scale::linear(highest.unwrap_or(1), ROOM),
            knee: None,
            numbered: false,
        };
        plot.draw(
            page,
            |ns| Brief(ns).to_string(),
            |ns| Short(ns).to_string(),
            &[
                ("mid", "trace", points(false)),
                ("high big", "", points(true)),
            ],
        );
    });
    let broken = |to: u64| curve.anomalies.iter().any(|a| a.to_bytes == to);
    let table = Table::over(rows)
        .right("bytes requested", |row| range(row.from_bytes, row.to_bytes))
        .right("answered", |row| Grouped(row.response_time.n))
        .times("response time", &[Min, P50, P95, Max], |row| {
            &row.response_time
        })
        .rare_left("", |row| if broken(row.to_bytes) { BREAKS } else { "" })
        .table;
    table::numbers(page, &format!("{whose}, in numbers"), &table);
}

/// Values over a scale of numbers, joined by lines.
pub(super) struct Plot<'a> {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) caption: String,
    pub(super) across: &'a Scale,
    pub(super) up: Scale,
    /// Where a line stands from the floor to the top.
    pub(super) knee: Option<Across>,
    /// Each series has its number at its end.
    pub(super) numbered: bool,
}

/// A class of dots, a class of lines between them (none without), and the points.
pub(super) type PlotSeries = (&'static str, &'static str, Vec<(Across, i64)>);

impl Plot<'_> {
    /// `value` writes the values of the axis, which are round, and `words` those of points.
    fn draw(
        &self,
        page: &mut Page,
        value: impl Fn(i64) -> String,
        words: impl Fn(i64) -> String,
        series: &[PlotSeries],
    ) {
        let along = |n: i64| Grouped(n.unsigned_abs()).to_string();
        self.draw_along(page, along, value, words, series);
    }

    /// As [`Self::draw`]; `along` writes the values of the scale below.
    pub(super) fn draw_along(
        &self,
        page: &mut Page,
        along: impl Fn(i64) -> String,
        value: impl Fn(i64) -> String,
        words: impl Fn(i64) -> String,
        series: &[PlotSeries],
    ) {
        let highest = series
            .iter()
            .flat_map(|(.., points)| points)
            .max_by_key(|p| p.1);
        let most = highest.map_or_else(String::new, |(_, n)| format!("at most {}", words(*n)));
        page.within("figure", &[], |page| {
            page.leaf("figcaption", &[], &self.caption);
            svg::picture(page, &self.id, HEIGHT, (&self.title, &most), |page| {
                let ticks: Vec<(Across, String)> = self
                    .across
                    .ticks()
                    .into_iter()
                    .map(|n| (Across(self.across.place(n)), along(n)))
                    .collect();
                svg::columns(page, &ticks, TOP, FLOOR);
                svg::levels(page, &self.up, FLOOR);
                if let Some(x) = self.knee {
                    svg::line(page, "knee", (x, TOP), (x, FLOOR));
                }
                for (number, (dots, lines, points)) in (1..).zip(series) {
                    let place = |(x, n): &(Across, i64)| (*x, FLOOR - self.up.place(*n));
                    for pair in points.windows(2).filter(|_| !lines.is_empty()) {
                        svg::line(page, lines, place(&pair[0]), place(&pair[1]));
                    }
                    for point in points {
                        let shown = words(point.1);
                        svg::dot(page, dots, place(point), (point.1, &shown));
                    }
                    if let Some((x, y)) = points.last().map(place).filter(|_| self.numbered) {
                        svg::text(page, "halo strong", (x, y - 8), "middle", number as u64);
                    }
                }
                svg::values(page, &self.up, FLOOR, &value);
                svg::line(
                    page,
                    "axis",
                    (Across(0), FLOOR),
                    (Across(Across::WHOLE), FLOOR),
                );
            });
        });
    }
}
