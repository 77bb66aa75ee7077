//! How turnaround and response times are spread.

use super::markup::Page;
use super::svg::{self, Across, Scale};
use super::table;
use crate::figures::Grouped;
use crate::table::Table;
use crate::time::Brief;
use wirewait_analysis::{Bucket, Distributions, Histogram, STEPS_NS};

/// Servers that have plots of their own.
const SERVERS: usize = 5;

/// Least number of steps that a plot has room for, so that a single one is not a wall.
const ROOM: usize = 18;

const HEIGHT: i64 = 210;
const FLOOR: i64 = 185;
const TOP: i64 = 16;

pub(super) fn distributions(page: &mut Page, all: &Distributions) {
    page.leaf(
        "p",
        &[("class", &"note")],
        "How many requests took how long; each bar is a step of a logarithmic scale. Waits by \
         design are left out.",
    );
    page.within("div", &[("class", &"pair")], |page| {
        both(
            page,
            ("all", "all servers"),
            "/distribution",
            &all.turnaround,
            &all.response_time,
        );
    });
    if all.servers.len() > 1 {
        page.within("details", &[], |page| {
            page.leaf("summary", &[], "Each server");
            for (n, row) in all.servers.iter().take(SERVERS).enumerate() {
                let at = format!("/distribution/servers/{n}");
                page.leaf("h3", &[], format_args!("Server {}", row.server));
                page.within("div", &[("class", &"pair")], |page| {
                    both(
                        page,
                        (&n.to_string(), &format!("server {}", row.server)),
                        &at,
                        &row.turnaround,
                        &row.response_time,
                    );
                });
            }
            table::more(page, all.servers.len().saturating_sub(SERVERS));
        });
    }
}

/// One of the two times of several captures side by side, in the same room.
pub(super) fn side_by_side<'a>(
    page: &mut Page,
    (id, title): (&str, &str),
    captures: impl Iterator<Item = (String, &'a Histogram)>,
) {
    let captures: Vec<(String, &Histogram)> = captures.collect();
    let steps: Vec<Bucket> = captures.iter().flat_map(|(_, h)| h.buckets()).collect();
    let window = window(&steps);
    let class = if id == "turnaround" { "bar2" } else { "bar" };
    page.leaf("h3", &[], title);
    page.within("div", &[("class", &"pair")], |page| {
        for (n, (name, histogram)) in captures.iter().enumerate() {
            let id = format!("spread-{n}-{id}");
            page.within("figure", &[], |page| {
                let of = Grouped(histogram.n());
                page.leaf("figcaption", &[], format_args!("{name}: {of} requests"));
                let title = format!("{title}, {name}");
                plot(page, &id, class, &title, histogram, window.clone());
                numbers(page, &format!("{title}, in numbers"), histogram);
            });
        }
    });
}

fn both(
    page: &mut Page,
    (id, whose): (&str, &str),
    at: &str,
    turnaround: &Histogram,
    response: &Histogram,
) {
    // The same room for both, so that they can be compared.
    let steps: Vec<Bucket> = turnaround.buckets().chain(response.buckets()).collect();
    let window = window(&steps);
    for (name, title, class, histogram) in [
        ("turnaround", "Server turnaround", "bar2", turnaround),
        ("response_time", "Response time", "bar", response),
    ] {
        let id = format!("spread-{id}-{name}");
        page.within(
            "figure",
            &[("data-json", &format_args!("{at}/{name}"))],
            |page| {
                let n = Grouped(histogram.n());
                page.leaf("figcaption", &[], format_args!("{title} of {n} requests"));
                plot(page, &id, class, title, histogram, window.clone());
                numbers(page, &format!("{title} in numbers, {whose}"), histogram);
            },
        );
    }
}

/// Which step a bucket is.
fn step(bucket: &Bucket) -> usize {
    bucket
        .from_ns
        .map_or(0, |from| STEPS_NS.partition_point(|bound| *bound <= from))
}

/// The steps that are shown: those with something in them and, where they are few, some around.
fn window(buckets: &[Bucket]) -> std::ops::Range<usize> {
    let first = buckets.iter().map(step).min().unwrap_or(0);
    let end = buckets.iter().map(step).max().unwrap_or(0) + 1;
    let missing = ROOM.saturating_sub(end - first);
    let first = first.saturating_sub(missing / 2);
    first..(first + ROOM).max(end).min(STEPS_NS.len() + 1)
}

fn plot(
    page: &mut Page,
    id: &str,
    class: &str,
    title: &str,
    histogram: &Histogram,
    window: std::ops::Range<usize>,
) {
    let most = histogram.buckets().max_by_key(|bucket| bucket.n);
    let words = most.map_or_else(
        || "none".to_owned(),
        |bucket| {
            format!(
                "most requests, {}, took {}",
                Grouped(bucket.n),
                extent(&bucket)
            )
        },
    );
    let highest = most.map_or(1, |bucket| i64::try_from(bucket.n).unwrap_or(i64::MAX));
    let up = Scale::linear(highest, FLOOR - TOP);
    let across = Scale::exact(
        i64::try_from(window.start).unwrap_or(0),
        i64::try_from(window.end).unwrap_or(i64::MAX),
        Across::WHOLE,
    );
    let place = |step: usize| Across(across.place(i64::try_from(step).unwrap_or(i64::MAX)));
    svg::picture(page, id, HEIGHT, (title, &words), |page| {
        svg::columns(page, &ticks(&window, place), TOP, FLOOR);
        svg::levels(page, &up, FLOOR);
        for bucket in histogram.buckets().filter(|bucket| bucket.n > 0) {
            let (x, end) = (place(step(&bucket)), place(step(&bucket) + 1));
            // What is there is seen.
            let height = up.place(i64::try_from(bucket.n).unwrap_or(i64::MAX)).max(2);
            let words = format!("{}: {}", extent(&bucket), Grouped(bucket.n));
            svg::bar(
                page,
                class,
                (x, FLOOR - height),
                (Across(end.0 - x.0), height),
                (bucket.n, &words),
            );
        }
        svg::values(page, &up, FLOOR, |n| Grouped(n.unsigned_abs()).to_string());
        svg::line(
            page,
            "axis",
            (Across(0), FLOOR),
            (Across(Across::WHOLE), FLOOR),
        );
    });
}

/// The powers of ten between steps; with few of them, halves as well.
fn ticks(
    window: &std::ops::Range<usize>,
    place: impl Fn(usize) -> Across,
) -> Vec<(Across, String)> {
    let bounds = |digits: &[i64]| -> Vec<(Across, String)> {
        (window.start + 1..window.end)
            .filter_map(|step| Some((step, *STEPS_NS.get(step - 1)?)))
            .filter(|(_, ns)| {
                let mut digit = *ns;
                while digit >= 10 {
                    digit /= 10;
                }
                // 1.5 is no round number.
                let round =
                    [1, 2, 5].into_iter().any(|d| d == digit) && !ns.to_string().starts_with("15");
                round && digits.contains(&digit)
            })
            .map(|(step, ns)| (place(step), Brief(ns).to_string()))
            .collect()
    };
    let tens = bounds(&[1]);
    if tens.len() < 2 {
        bounds(&[1, 5])
    } else {
        tens
    }
}

fn extent(bucket: &Bucket) -> String {
    match (bucket.from_ns, bucket.below_ns) {
        (Some(from), Some(below)) => format!("{} to {}", Brief(from), Brief(below)),
        (Some(from), None) => format!("{} or more", Brief(from)),
        (None, Some(below)) => format!("less than {}", Brief(below)),
        (None, None) => "any time".to_owned(),
    }
}

fn numbers(page: &mut Page, caption: &str, histogram: &Histogram) {
    let bound = |ns: Option<i64>| ns.map_or_else(String::new, |ns| Brief(ns).to_string());
    let rows: Vec<Bucket> = histogram.buckets().filter(|bucket| bucket.n > 0).collect();
    let table = Table::over(&rows)
        .right("from", |bucket| bound(bucket.from_ns))
        .right("below", |bucket| bound(bucket.below_ns))
        .right("requests", |bucket| Grouped(bucket.n))
        .table;
    table::numbers(page, caption, &table);
}
