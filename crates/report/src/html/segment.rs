//! How much of each segment was used.

use super::clock::Clock;
use super::markup::Page;
use super::svg::{self, Across, Scale};
use super::{ROWS, table};
use crate::about::About;
use crate::escape::Escaped;
use crate::figures::{BitRate, Grouped, Percent};
use crate::text;
use crate::time::Brief;
use wirewait_analysis::{Course, SIZES, SegmentRow, Snapshot};

/// Interfaces that are drawn.
const DRAWN: usize = 3;

const HEIGHT: i64 = 190;
const FLOOR: i64 = 166;
const TOP: i64 = 16;
const ROOM: i64 = FLOOR - TOP;

pub(super) fn segment(page: &mut Page, about: &About, snapshot: &Snapshot) {
    let interfaces = &snapshot.segment.interfaces;
    let used = || (0..).zip(interfaces).filter(|(_, row)| row.frames() > 0);
    for (n, row) in used().take(DRAWN) {
        let name = about.interfaces.get(n).and_then(|i| i.name.as_deref());
        let whose = match (interfaces.len(), name) {
            (1, _) => "the link".to_owned(),
            (_, Some(name)) => format!("interface {n} ({})", Escaped(name)),
            (_, None) => format!("interface {n}"),
        };
        let at = format!("/segment/interfaces/{n}");
        page.within("div", &[("class", &"pair"), ("data-json", &at)], |page| {
            if row.course.buckets.len() > 1 {
                course(page, n, &whose, row, snapshot);
            }
            sizes(page, n, &whose, row);
        });
    }
    table::more(page, used().count().saturating_sub(DRAWN));
    let loads = text::segment::table(about, snapshot);
    table::table(page, "What was carried", &loads, ROWS);
    let sizes = text::segment::sizes(snapshot);
    table::table(page, "Frames by size", &sizes, ROWS);
    table::more(page, loads.len().max(sizes.len()).saturating_sub(ROWS));
    super::capture::list(page, &text::segment::remarks(interfaces));
}

fn course(page: &mut Page, n: usize, whose: &str, row: &SegmentRow, snapshot: &Snapshot) {
    let Course {
        begins,
        width_ns,
        buckets,
    } = &row.course;
    let rate = |bytes: u64| BitRate::of(bytes, *width_ns).map_or(0, |rate| rate.0);
    let signed = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let most = buckets
        .iter()
        .map(|bucket| rate(bucket.bytes))
        .max()
        .unwrap_or(0);
    let up = Scale::linear(signed(most), ROOM);
    let value = |rate: i64| {
        let rate = rate.unsigned_abs();
        match row.speed {
            Some((speed, _)) => format!("{} ({})", BitRate(rate), Percent(rate, speed)),
            None => BitRate(rate).to_string(),
        }
    };
    let clock = Clock::new(snapshot, *begins, *width_ns, buckets.len());
    page.within("figure", &[], |page| {
        page.leaf(
            "figcaption",
            &[],
            format_args!(
                "Bits per second on {whose}{}, in steps of {}",
                if row.speed.is_some() {
                    " and how much of it is used"
                } else {
                    ""
                },
                Brief(*width_ns)
            ),
        );
        let words = format!("at most {} in one step", value(signed(most)));
        let title = format!("Use of {whose} over time");
        svg::picture(
            page,
            &format!("segment-{n}"),
            HEIGHT,
            (&title, &words),
            |page| {
                clock.draw(page, TOP, FLOOR);
                svg::levels(page, &up, FLOOR);
                for (n, bucket) in buckets.iter().enumerate().filter(|(_, b)| b.bytes > 0) {
                    let height = up.place(signed(rate(bucket.bytes))).max(1);
                    let (x, width) = clock.step(n);
                    svg::step(
                        page,
                        "step",
                        (x, FLOOR - height),
                        (width, height),
                        bucket.bytes,
                    );
                }
                svg::values(page, &up, FLOOR, value);
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

fn sizes(page: &mut Page, n: usize, whose: &str, row: &SegmentRow) {
    let classes = i64::try_from(row.sizes.len()).unwrap_or(1);
    let across = Scale::exact(0, classes, Across::WHOLE);
    let most = row.sizes.iter().copied().max().unwrap_or(0);
    let up = Scale::linear(i64::try_from(most).unwrap_or(i64::MAX), ROOM);
    page.within("figure", &[], |page| {
        page.leaf(
            "figcaption",
            &[],
            format_args!("Frames by size in bytes with check sequence, {whose}"),
        );
        let words = "the second table below has them in numbers";
        let title = format!("Frames by size on {whose}");
        svg::picture(
            page,
            &format!("sizes-of-{n}"),
            HEIGHT,
            (&title, words),
            |page| {
                svg::levels(page, &up, FLOOR);
                for (class, frames) in (0i64..).zip(row.sizes) {
                    let (from, to) = (across.place(class), across.place(class + 1));
                    let label = match usize::try_from(class).ok().and_then(|c| SIZES.get(c)) {
                        Some(size) => format!("≤{size}"),
                        None => "longer".to_owned(),
                    };
                    let middle = Across(from.midpoint(to));
                    svg::text(page, "tick", (middle, FLOOR + 17), "middle", &label);
                    if frames == 0 {
                        continue;
                    }
                    let height = up.place(i64::try_from(frames).unwrap_or(i64::MAX)).max(2);
                    let words = format!("{label} bytes: {} frames", Grouped(frames));
                    let size = (Across(to - from), height);
                    svg::bar(
                        page,
                        "bar",
                        (Across(from), FLOOR - height),
                        size,
                        (frames, &words),
                    );
                }
                svg::values(page, &up, FLOOR, |n| Grouped(n.unsigned_abs()).to_string());
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
