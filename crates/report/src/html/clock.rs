//! A scale of time since the capture began, with marks at times that people know.

use super::markup::Page;
use super::svg::{self, Across, Scale};
use crate::time::Brief;
use wirewait_analysis::Snapshot;
use wirewait_wire::Timestamp;

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// Steps above ten seconds; below, and above the last, they are decimal.
const STEPS: [i64; 12] = [
    20 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    20 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    6 * HOUR,
    12 * HOUR,
];

/// Time across a plot, in steps of one width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// From the first frame of the capture to the first step, ns.
    offset: i64,
    /// Width of a step, ns.
    width: i64,
    /// Of all steps together, ns.
    length: i64,
}

impl Clock {
    /// `steps` steps of `width_ns` nanoseconds, the first of which begins at `begins`.
    pub(super) fn new(snapshot: &Snapshot, begins: Timestamp, width_ns: i64, steps: usize) -> Self {
        let first = snapshot.capture.first;
        let steps = i64::try_from(steps).unwrap_or(i64::MAX);
        Self {
            offset: first.map_or(0, |first| begins.since(first)),
            width: width_ns,
            length: width_ns.saturating_mul(steps),
        }
    }

    /// A place by nanoseconds since the first step began.
    pub(super) fn place(&self, ns: i64) -> Across {
        Across(Scale::exact(0, self.length, Across::WHOLE).place(ns))
    }

    /// Where a step begins, and how wide it is.
    pub(super) fn step(&self, n: usize) -> (Across, Across) {
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        let begin = self.place(n.saturating_mul(self.width));
        let end = self.place(n.saturating_add(1).saturating_mul(self.width));
        (begin, Across(end.0 - begin.0))
    }

    /// Draws the marks between `top` and `floor`.
    pub(super) fn draw(&self, page: &mut Page, top: i64, floor: i64) {
        let ticks: Vec<(Across, String)> = self
            .ticks()
            .into_iter()
            .map(|(ns, label)| (self.place(ns.saturating_sub(self.offset)), label))
            .collect();
        svg::columns(page, &ticks, top, floor);
    }

    /// Times since the capture began, and how they are written.
    fn ticks(&self) -> Vec<(i64, String)> {
        let end = self.offset.saturating_add(self.length);
        let wanted = self.length / 5;
        let decimal = svg::nice(wanted.max(1));
        let step = match decimal {
            ..=10_000_000_000 => decimal,
            _ => {
                let known = STEPS.into_iter().find(|step| *step >= wanted);
                known.unwrap_or_else(|| svg::nice(wanted.div_euclid(24 * HOUR) + 1) * 24 * HOUR)
            }
        };
        let (unit, name) = match step {
            step if step % (24 * HOUR) == 0 => (24 * HOUR, "d"),
            step if step % HOUR == 0 => (HOUR, "h"),
            step if step % MINUTE == 0 => (MINUTE, "min"),
            _ => (0, ""),
        };
        let first = self.offset.div_euclid(step).saturating_mul(step);
        (0..8)
            .map(|n| first.saturating_add(step.saturating_mul(n)))
            .filter(|ns| (self.offset.max(0)..=end).contains(ns))
            .map(|ns| match ns.checked_div(unit) {
                Some(n) if n > 0 => (ns, format!("{n} {name}")),
                _ => (ns, Brief(ns).to_string()),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(offset: i64, length: i64) -> Vec<String> {
        let clock = Clock {
            offset,
            width: length,
            length,
        };
        clock.ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn marks_are_at_times_that_people_know() {
        assert_eq!(shown(0, 82 * SECOND), ["0", "20 s", "40 s", "60 s", "80 s"]);
        assert_eq!(
            shown(0, 250 * SECOND),
            ["0", "1 min", "2 min", "3 min", "4 min"]
        );
        assert_eq!(shown(0, 3 * HOUR), ["0", "1 h", "2 h", "3 h"]);
        assert_eq!(
            shown(0, 40_000_000),
            ["0", "10 ms", "20 ms", "30 ms", "40 ms"]
        );
        assert_eq!(
            shown(-5_000_000, 40_000_000),
            ["0", "10 ms", "20 ms", "30 ms"]
        );
        assert_eq!(
            shown(95 * SECOND, 10 * SECOND),
            ["96 s", "98 s", "100 s", "102 s", "104 s"]
        );
        assert_eq!(shown(0, 72 * HOUR), ["0", "1 d", "2 d", "3 d"]);
        assert!(shown(i64::MAX - 5, i64::MAX).len() <= 8);
        assert_eq!(shown(0, 0), ["0"]);
    }
}
