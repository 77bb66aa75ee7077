//! The load over time: how long servers took, how much they moved, how many stations were active.

use super::clock::Clock;
use super::markup::Page;
use super::svg::{self, Across, Scale};
use super::{ROWS, table};
use crate::figures::{Milli, Percent, Rate};
use crate::text;
use crate::time::{Brief, Digits, Rfc3339, Short};
use wirewait_analysis::{Dip, Interval, Load, Snapshot, Timeline};

const HEIGHT: i64 = 190;
const FLOOR: i64 = 166;
const TOP: i64 = 16;
const ROOM: i64 = FLOOR - TOP;

/// Whether there is enough of it to be drawn.
pub(super) fn is_drawn(load: &Load) -> bool {
    load.timeline.buckets.len() > 1
}

pub(super) fn timeline(page: &mut Page, snapshot: &Snapshot) {
    let line = &snapshot.load.timeline;
    let frame = Frame::of(line, snapshot);
    page.leaf(
        "p",
        &[("class", &"note")],
        format_args!(
            "In steps of {}, from {} on. JSON has the numbers (load.timeline).",
            Brief(line.width_ns),
            Rfc3339(line.start)
        ),
    );
    page.within("p", &[("class", &"note zoom")], |page| {
        page.within("label", &[], |page| {
            page.void("input", &[("type", &"checkbox"), ("id", &"zoom")]);
            page.text(" Zoom: eight times as wide, scrolled sideways");
        });
    });
    times(page, &frame);
    page.within("div", &[("class", &"pair")], |page| {
        if line.buckets.iter().any(|bucket| bucket.data_bytes > 0) {
            throughput(page, &frame, &snapshot.load.dips.dips);
        }
        stations(page, &frame);
    });
    let dips = text::load::over_time::dips_table(snapshot, Digits::Three);
    if !dips.is_empty() {
        page.leaf("h3", &[], "Dips in throughput");
        table::table(page, "Dips in throughput", &dips, ROWS);
        let found = usize::try_from(snapshot.load.dips.found).unwrap_or(usize::MAX);
        table::more(page, found.saturating_sub(dips.len()));
    }
}

/// What all plots share.
struct Frame<'a> {
    line: &'a Timeline,
    clock: Clock,
}

impl<'a> Frame<'a> {
    fn of(line: &'a Timeline, snapshot: &Snapshot) -> Self {
        let steps = line.buckets.len();
        Self {
            line,
            clock: Clock::new(snapshot, line.start, line.width_ns, steps),
        }
    }

    /// Each bucket with where it begins and how wide it is.
    fn buckets(&self) -> impl Iterator<Item = (Across, Across, &'a Interval)> + '_ {
        let buckets = self.line.buckets.iter().enumerate();
        buckets.map(|(n, bucket)| {
            let (x, width) = self.clock.step(n);
            (x, width, bucket)
        })
    }
}

/// A plot over time, which scrolls where it is wider than the page, of this part of the JSON report.
fn figure(page: &mut Page, json: &'static str, body: impl FnOnce(&mut Page)) {
    page.within(
        "figure",
        &[("class", &"wide"), ("tabindex", &0), ("data-json", &json)],
        body,
    );
}

/// Numerator and denominator of a mean, and its rounded value.
fn mean(sum: i64, n: u64) -> Option<i64> {
    let n = i64::try_from(n).ok().filter(|n| *n > 0)?;
    Some(sum.saturating_add(n / 2) / n)
}

fn times(page: &mut Page, frame: &Frame<'_>) {
    let buckets = || frame.line.buckets.iter();
    let turnaround = |b: &Interval| mean(b.turnaround_ns, b.turnarounds);
    let response = |b: &Interval| mean(b.response_ns, b.responses);
    let all = || {
        buckets()
            .flat_map(|b| [turnaround(b), response(b)])
            .flatten()
    };
    let (Some(least), Some(most)) = (all().min(), all().max()) else {
        return;
    };
    let up = Scale::logarithmic(least.max(1), most, ROOM);
    let words = format!(
        "means of steps lie between {} and {}",
        Short(least),
        Short(most)
    );
    figure(page, "/load/timeline", |page| {
        page.leaf(
            "figcaption",
            &[],
            "Mean server turnaround (rings) and mean response time (dots) of the requests \
             answered in each step",
        );
        let title = "Turnaround and response time over time";
        svg::picture(page, "over-time-means", HEIGHT, (title, &words), |page| {
            frame.clock.draw(page, TOP, FLOOR);
            svg::levels(page, &up, FLOOR);
            for (from, width, bucket) in frame.buckets() {
                let x = Across(from.0 + width.0 / 2);
                for (class, mean, sum, n) in [
                    (
                        ("core", 2),
                        response(bucket),
                        bucket.response_ns,
                        bucket.responses,
                    ),
                    (
                        ("ring", 4),
                        turnaround(bucket),
                        bucket.turnaround_ns,
                        bucket.turnarounds,
                    ),
                ] {
                    if let Some(mean) = mean {
                        svg::point(page, class, (x, FLOOR - up.place(mean)), (sum, n));
                    }
                }
            }
            svg::values(page, &up, FLOOR, |ns| Brief(ns).to_string());
            svg::line(
                page,
                "axis",
                (Across(0), FLOOR),
                (Across(Across::WHOLE), FLOOR),
            );
        });
    });
}

fn throughput(page: &mut Page, frame: &Frame<'_>, dips: &[Dip]) {
    let line = frame.line;
    let most = line.buckets.iter().map(|b| b.data_bytes).max().unwrap_or(0);
    let rate = |bytes: u64| Rate(per_second(bytes, line.width_ns));
    let up = Scale::linear(signed(per_second(most, line.width_ns)), ROOM);
    figure(page, "/load", |page| {
        page.within("figcaption", &[], |page| {
            page.text("File data per second");
            if !dips.is_empty() {
                page.text("; dips in it are marked above, each with the time that it cost");
            }
        });
        let words = format!("the most in one step is {}", rate(most));
        let title = "File data over time";
        svg::picture(page, "over-time-data", HEIGHT, (title, &words), |page| {
            frame.clock.draw(page, TOP, FLOOR);
            svg::levels(page, &up, FLOOR);
            for (from, width, bucket) in frame.buckets().filter(|(_, _, b)| b.data_bytes > 0) {
                let height = up.place(signed(per_second(bucket.data_bytes, line.width_ns)));
                let height = height.max(1);
                let place = (from, FLOOR - height);
                svg::step(page, "step", place, (width, height), bucket.data_bytes);
            }
            for dip in dips {
                let begin = dip.start.since(line.start);
                let (from, to) = (
                    frame.clock.place(begin),
                    frame.clock.place(begin.saturating_add(dip.ns)),
                );
                page.within("g", &[("data-n", &dip.cost_ns)], |page| {
                    page.leaf("title", &[], dip_words(dip));
                    svg::line(
                        page,
                        "dip",
                        (from, TOP - 8),
                        (Across(to.0.max(from.0 + 30)), TOP - 8),
                    );
                });
            }
            svg::values(page, &up, FLOOR, |n| Rate(n.unsigned_abs()).to_string());
            svg::line(
                page,
                "axis",
                (Across(0), FLOOR),
                (Across(Across::WHOLE), FLOOR),
            );
        });
    });
}

fn dip_words(dip: &Dip) -> String {
    format!(
        "{} for {}, cost {}",
        Percent(dip.depth, 1000),
        Short(dip.ns),
        Short(dip.cost_ns)
    )
}

fn stations(page: &mut Page, frame: &Frame<'_>) {
    let line = frame.line;
    let most = line.buckets.iter().map(|b| b.stations).max().unwrap_or(0);
    // In thousandths of a station.
    let up = Scale::linear(i64::from(most).saturating_mul(1000), ROOM);
    let whole = line.width_ns.unsigned_abs();
    figure(page, "/load/timeline", |page| {
        page.leaf(
            "figcaption",
            &[],
            "Active stations: mean (bar) and maximum (line) of each step",
        );
        let words = format!("at most {most} stations were active at once");
        let title = "Active stations over time";
        svg::picture(
            page,
            "over-time-stations",
            HEIGHT,
            (title, &words),
            |page| {
                frame.clock.draw(page, TOP, FLOOR);
                svg::levels(page, &up, FLOOR);
                for (from, width, bucket) in frame.buckets().filter(|(_, _, b)| b.stations > 0) {
                    let mean = Milli::ratio(bucket.active_ns, whole).map_or(0, |mean| mean.0);
                    let height = up.place(signed(mean)).max(1);
                    let size = (width, height);
                    svg::step(page, "step", (from, FLOOR - height), size, bucket.active_ns);
                    let y = FLOOR - up.place(i64::from(bucket.stations).saturating_mul(1000));
                    svg::line(page, "most", (from, y), (Across(from.0 + width.0), y));
                }
                svg::values(page, &up, FLOOR, |n| match n % 1000 {
                    0 => (n / 1000).to_string(),
                    _ => String::new(),
                });
                svg::line(
                    page,
                    "axis",
                    (Across(0), FLOOR),
                    (Across(Across::WHOLE), FLOOR),
                );
            },
        );
    });
}

fn per_second(bytes: u64, width_ns: i64) -> u64 {
    let width = u128::from(width_ns.unsigned_abs());
    let rate = (u128::from(bytes) * 1_000_000_000).checked_div(width);
    u64::try_from(rate.unwrap_or(0)).unwrap_or(u64::MAX)
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
