//! The stations: how their response times compare, and all that is known of each.

use super::markup::Page;
use super::svg::{self, Across, Scale};
use super::{ROWS, table};
use crate::text;
use crate::time::{Brief, Digits, Short};
use wirewait_analysis::{Snapshot, StationRow};

/// Stations that are drawn.
const DRAWN: usize = 20;

/// Height of one of them.
const LANE: i64 = 34;

pub(super) fn stations(page: &mut Page, snapshot: &Snapshot) {
    let timed: Vec<(usize, &StationRow)> = snapshot
        .stations
        .iter()
        .enumerate()
        .filter(|(_, row)| row.response_time.n > 0)
        .collect();
    if timed.len() > 1 {
        plot(page, &timed);
    }
    let fairness = text::stations::fairness(&snapshot.fairness);
    if !fairness.is_empty() {
        page.within("ul", &[], |page| {
            for sentence in fairness {
                page.leaf("li", &[], sentence);
            }
        });
    }
    let rows = text::stations::table(snapshot, Digits::Three);
    table::table(page, "Stations", &rows, ROWS);
    table::more(
        page,
        snapshot.stations.len().saturating_sub(rows.len().min(ROWS)),
    );
}

fn plot(page: &mut Page, stations: &[(usize, &StationRow)]) {
    let shown = stations
        .get(..DRAWN.min(stations.len()))
        .unwrap_or_default();
    let times = || shown.iter().map(|(_, row)| &row.response_time);
    let least = times().map(|t| t.min).min().unwrap_or(1).max(1);
    let most = times().map(|t| t.max).max().unwrap_or(1);
    let across = Scale::logarithmic(least, most, Across::WHOLE);
    let floor = LANE * i64::try_from(shown.len()).unwrap_or(i64::MAX / LANE) + 4;
    page.within("figure", &[("data-json", &"/stations")], |page| {
        page.within("figcaption", &[], |page| {
            page.text(
                "Response time of the clients with the most net+server time: the line from its shortest to \
                 its longest request, a filled dot at its mean, a ring at its 95th percentile.",
            );
        });
        let words = "the table below has the same in numbers";
        let title = "Response times of stations";
        svg::picture(page, "stations-plot", floor + 24, (title, words), |page| {
            let ticks: Vec<(Across, String)> = across
                .ticks()
                .into_iter()
                .map(|ns| (Across(across.place(ns)), Brief(ns).to_string()))
                .collect();
            svg::columns(page, &ticks, 0, floor);
            for (lane, (_, row)) in (0..).zip(shown) {
                station(page, &across, lane * LANE, row);
            }
        });
        table::more(page, stations.len().saturating_sub(DRAWN));
    });
}

fn station(page: &mut Page, across: &Scale, top: i64, row: &StationRow) {
    let times = &row.response_time;
    let place = |ns: i64| Across(across.place(ns));
    let y = top + 24;
    svg::text(page, "halo", (Across(0), top + 14), "start", row.client);
    svg::line(page, "range", (place(times.min), y), (place(times.max), y));
    for end in [times.min, times.max] {
        svg::line(page, "range", (place(end), y - 4), (place(end), y + 4));
    }
    let words = |name: &str, ns: i64| format!("{} {name} {}", row.client, Short(ns));
    let p95 = words("95th percentile", times.p95);
    svg::dot(page, "high", (place(times.p95), y), (times.p95, &p95));
    if let Some(mean) = times.mean() {
        svg::dot(page, "mid", (place(mean), y), (mean, &words("mean", mean)));
    }
}
