//! What plots are drawn with: scales in whole numbers, ticks that people know, and shapes
//! whose horizontal places are shares of the width, so that a plot fits a telephone and a
//! wide screen with letters of the same size.

use super::markup::Page;
use std::fmt::{self, Display};

/// A horizontal place: ten-thousandths of the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Across(pub(super) i64);

impl Across {
    /// All of the width.
    pub(super) const WHOLE: i64 = 10_000;
}

impl Display for Across {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let n = self.0.unsigned_abs();
        match n % 100 {
            0 => write!(f, "{sign}{}%", n / 100),
            part => write!(f, "{sign}{}.{part:02}%", n / 100),
        }
    }
}

/// From values to places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    from: i64,
    to: i64,
    logarithmic: bool,
    /// The place of `to`; that of `from` is 0.
    length: i64,
}

impl Scale {
    /// From 0 to the tick at or above `max`.
    pub(super) fn linear(max: i64, length: i64) -> Self {
        let step = nice(max.max(1).saturating_add(3) / 4);
        let steps = max.max(1).saturating_add(step - 1) / step;
        Self {
            from: 0,
            to: steps.saturating_mul(step),
            logarithmic: false,
            length,
        }
    }

    /// From exactly `from` to exactly `to`.
    pub(super) fn exact(from: i64, to: i64, length: i64) -> Self {
        Self {
            from,
            to: to.max(from.saturating_add(1)),
            logarithmic: false,
            length,
        }
    }

    /// Of powers of ten, from the one at or below `min` to the one at or above `max`.
    pub(super) fn logarithmic(min: i64, max: i64, length: i64) -> Self {
        let mut from = 1i64;
        while from.saturating_mul(10) <= min {
            from *= 10;
        }
        let mut to = from.saturating_mul(10);
        while to < max {
            to = to.saturating_mul(10);
        }
        Self {
            from,
            to,
            logarithmic: true,
            length,
        }
    }

    /// Where a value is; values outside are at the ends.
    pub(super) fn place(&self, value: i64) -> i64 {
        let value = value.clamp(self.from, self.to);
        let (part, whole) = if self.logarithmic {
            let log = |n: i64| i128::from(log2(n.unsigned_abs()));
            (log(value) - log(self.from), log(self.to) - log(self.from))
        } else {
            let from = i128::from(self.from);
            (i128::from(value) - from, i128::from(self.to) - from)
        };
        let place = (part * i128::from(self.length) * 2 + whole).div_euclid(2 * whole.max(1));
        i64::try_from(place).unwrap_or(self.length)
    }

    /// The values worth a line: five or so steps of a linear scale, the powers of ten of a
    /// logarithmic one.
    pub(super) fn ticks(&self) -> Vec<i64> {
        if self.logarithmic {
            return std::iter::successors(Some(self.from), |n| n.checked_mul(10))
                .take_while(|n| *n <= self.to)
                .collect();
        }
        let step = nice((self.to.saturating_sub(self.from).saturating_add(3)) / 4);
        (0..=5)
            .map(|n| self.from.saturating_add(step.saturating_mul(n)))
            .filter(|n| *n <= self.to)
            .collect()
    }
}

/// The least of 1, 2, 5, 10, 20, 50 and so on that is no less than `n`.
pub(super) fn nice(n: i64) -> i64 {
    let mut power = 1i64;
    loop {
        for digit in [1, 2, 5] {
            let step = power.saturating_mul(digit);
            if step >= n {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// The logarithm to base 2 in 65,536ths, rounded down; of 0 it is that of 1. In whole numbers,
/// so that it is the same on every machine.
fn log2(n: u64) -> u64 {
    let whole = n.max(1).ilog2();
    // Between 1 and 2, in 2^-63.
    let mut rest = n.max(1) << (63 - whole);
    let mut log = u64::from(whole);
    for _ in 0..16 {
        let square = (u128::from(rest) * u128::from(rest)) >> 63;
        log <<= 1;
        if square >> 64 != 0 {
            log |= 1;
            rest = (square >> 1) as u64;
        } else {
            rest = square as u64;
        }
    }
    log
}

/// A picture with what it shows in words. `id` is its own in the document; the
/// description says what a reader would take from it.
pub(super) fn picture(
    page: &mut Page,
    id: &str,
    height: i64,
    (title, description): (&str, &str),
    inside: impl FnOnce(&mut Page),
) {
    let (title_id, description_id) = (format!("{id}-title"), format!("{id}-text"));
    let both = format!("{title_id} {description_id}");
    page.within(
        "svg",
        &[
            ("class", &"plot"),
            ("role", &"img"),
            ("aria-labelledby", &both),
            ("width", &"100%"),
            ("height", &height),
        ],
        |page| {
            page.leaf("title", &[("id", &title_id)], title);
            page.leaf("desc", &[("id", &description_id)], description);
            inside(page);
        },
    );
}

/// Horizontal lines of a plot; `y` of the lowest is `floor`.
pub(super) fn levels(page: &mut Page, scale: &Scale, floor: i64) {
    for tick in scale.ticks() {
        let y = floor - scale.place(tick);
        line(page, "grid", (Across(0), y), (Across(Across::WHOLE), y));
    }
}

/// The values of these lines, at the left of the plot; above the lines and over what is drawn where the page is narrow.
/// The floor has none.
pub(super) fn values(page: &mut Page, scale: &Scale, floor: i64, label: impl Fn(i64) -> String) {
    for tick in scale.ticks().into_iter().skip(1) {
        let y = floor - scale.place(tick);
        text(page, "tick level", (Across(0), y - 3), "start", label(tick));
    }
}

/// Vertical marks below a plot with their values.
pub(super) fn columns(page: &mut Page, ticks: &[(Across, String)], top: i64, floor: i64) {
    for (at, label) in ticks {
        line(page, "grid", (*at, top), (*at, floor + 4));
        let anchor = match at.0 {
            ..500 => "start",
            500..9500 => "middle",
            _ => "end",
        };
        text(page, "tick", (*at, floor + 17), anchor, label);
    }
}

/// A straight line.
pub(super) fn line(page: &mut Page, class: &str, from: (Across, i64), to: (Across, i64)) {
    page.shape(
        "line",
        &[
            ("class", &class),
            ("x1", &from.0),
            ("y1", &from.1),
            ("x2", &to.0),
            ("y2", &to.1),
        ],
    );
}

/// Words; `anchor` says which end of them is at `at`.
pub(super) fn text(
    page: &mut Page,
    class: &str,
    at: (Across, i64),
    anchor: &str,
    words: impl Display,
) {
    page.leaf(
        "text",
        &[
            ("class", &class),
            ("x", &at.0),
            ("y", &at.1),
            ("text-anchor", &anchor),
        ],
        words,
    );
}

/// A bar that stands for `value`, with `words` as its tooltip.
pub(super) fn bar(
    page: &mut Page,
    class: &str,
    at: (Across, i64),
    size: (Across, i64),
    (value, words): (impl Display, &dyn Display),
) {
    page.within("rect", &rect(&class, &at, &size, &value), |page| {
        page.leaf("title", &[], words);
    });
}

/// A dot that stands for `value`, likewise.
pub(super) fn dot(
    page: &mut Page,
    class: &str,
    (x, y): (Across, i64),
    (value, words): (impl Display, &dyn Display),
) {
    page.within(
        "circle",
        &[
            ("class", &class),
            ("cx", &x),
            ("cy", &y),
            ("r", &if class.contains("big") { 7 } else { 4 }),
            ("data-n", &value),
        ],
        |page| page.leaf("title", &[], words),
    );
}

/// A bar among many: it has a value, but no words.
pub(super) fn step(
    page: &mut Page,
    class: &str,
    at: (Across, i64),
    size: (Across, i64),
    value: u64,
) {
    page.shape("rect", &rect(&class, &at, &size, &value));
}

fn rect<'a>(
    class: &'a &str,
    (x, y): &'a (Across, i64),
    (width, height): &'a (Across, i64),
    value: &'a dyn Display,
) -> [(&'static str, &'a dyn Display); 6] {
    [
        ("class", class),
        ("x", x),
        ("y", y),
        ("width", width),
        ("height", height),
        ("data-n", value),
    ]
}

/// A dot among many, at a mean: it has a sum, and of how many that is.
pub(super) fn point(
    page: &mut Page,
    (class, radius): (&str, i64),
    (x, y): (Across, i64),
    (sum, n): (i64, u64),
) {
    page.shape(
        "circle",
        &[
            ("class", &class),
            ("cx", &x),
            ("cy", &y),
            ("r", &radius),
            ("data-n", &sum),
            ("data-of", &n),
        ],
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_numbers_that_people_know() {
        for (n, step) in [(0, 1), (1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (21, 50)] {
            assert_eq!(nice(n), step, "{n}");
        }
        assert_eq!(Scale::linear(0, 100).ticks(), [0, 1]);
        assert_eq!(Scale::linear(7, 100).ticks(), [0, 2, 4, 6, 8]);
        assert_eq!(
            Scale::linear(1234, 100).ticks(),
            [0, 500, 1000, 1500],
            "up to the tick above"
        );
        assert_eq!(Scale::linear(i64::MAX, 100).place(i64::MAX), 100);
        assert_eq!(
            Scale::logarithmic(1500, 90_000, 9).ticks(),
            [1000, 10_000, 100_000]
        );
        assert_eq!(Scale::logarithmic(0, 0, 9).ticks(), [1, 10]);
        assert!(Scale::logarithmic(1, i64::MAX, 9).ticks().len() < 20);
    }

    #[test]
    fn logarithms_are_those_of_the_floating_point_library() {
        assert_eq!(log2(0), 0);
        for n in [1u64, 2, 3, 10, 1000, 65_535, 1_000_000_007, u64::MAX] {
            let theirs = (n as f64).log2() * 65_536.0;
            let ours = log2(n) as f64;
            assert!((theirs - ours).abs() < 2.0, "{n}: {ours} for {theirs}");
        }
    }

    #[test]
    fn places_are_in_proportion() {
        let linear = Scale::exact(100, 300, 10_000);
        let places = [0, 100, 150, 300, 999].map(|n| linear.place(n));
        assert_eq!(places, [0, 0, 2500, 10_000, 10_000]);
        let decades = Scale::logarithmic(1000, 1_000_000, 300);
        let places = [1, 1000, 10_000, 31_623, 1_000_000].map(|n| decades.place(n));
        assert_eq!(places, [0, 0, 100, 150, 300]);
        assert_eq!(Scale::exact(5, 5, 100).place(5), 0, "no length is no trap");
    }

    #[test]
    fn shares_of_the_width_have_two_places() {
        let shown = [0, 1, 50, 1234, 10_000, -250].map(|n| Across(n).to_string());
        assert_eq!(shown, ["0%", "0.01%", "0.50%", "12.34%", "100%", "-2.50%"]);
    }
}
