//! The tests of a table's rows.

use super::serial::{self, Course};
use super::{Confidence, Group, Key, LEVEL, Side, Sure};
use std::collections::BTreeMap;
use wirewait_analysis::Sample;

/// The times of a capture's groups, in order.
pub(super) type Courses = BTreeMap<Key, Course>;

/// Makes the tests of a table. Where the times themselves were seen, `courses` has their order; `ticks` are those of
/// the clocks, ns.
pub(super) fn judge(groups: &mut [Group], courses: &[Courses], ticks: &[u64]) {
    let others = groups
        .first()
        .map_or(0, |group| group.sides.len().saturating_sub(1));
    let (none, unseen) = (Side::default(), Course::default());
    for number in 0..others {
        let tests: Vec<(Confidence, Confidence, Option<f64>)> = groups
            .iter()
            .map(|group| {
                let base = &group.base().unwrap_or(&none).samples;
                let other = &group.other(number).unwrap_or(&none).samples;
                let course = |place: usize| {
                    let of = courses.get(place).and_then(|of| of.get(&group.key));
                    of.unwrap_or(&unseen)
                };
                let (was, is) = (course(0), course(number + 1));
                let ticks = [0, number + 1].map(|place| ticks.get(place).copied());
                let tick = ticks.into_iter().flatten().max().unwrap_or(0);
                let tested =
                    |base: &Sample, other: &Sample, was: &[i64], is: &[i64]| match Confidence::of(
                        base, other,
                    ) {
                        Confidence::Tested(_) if hides(tick, base, other) => {
                            Confidence::Coarse(tick)
                        }
                        tested => tested.in_order(was, is),
                    };
                (
                    tested(
                        &base.turnaround,
                        &other.turnaround,
                        &was.turnaround,
                        &is.turnaround,
                    ),
                    tested(
                        &base.response_time,
                        &other.response_time,
                        &was.response_time,
                        &is.response_time,
                    ),
                    failures(&was.failed, &is.failed),
                )
            })
            .collect();
        let made = tests
            .iter()
            .filter(|(_, test, _)| test.p().is_some())
            .count();
        let level = LEVEL / made.max(1) as f64;
        for (group, (turnaround, response_time, failures)) in groups.iter_mut().zip(tests) {
            group.sure.push(Sure {
                turnaround,
                response_time,
                level,
                failures,
            });
        }
    }
}

/// The chance of the difference of the failures by what successive requests have in common.
fn failures(base: &[bool], other: &[bool]) -> Option<f64> {
    let [base, other] = [base, other].map(|of| -> Vec<f64> {
        let failed = of.iter().map(|failed| f64::from(u8::from(*failed)));
        failed.collect()
    });
    serial::followed(&base, &other)
}

/// Whether a tick is half of what the shorter ones take on average, or more, and the means differ by no more: each of
/// the times may be wrong by a tick, and all of them by the same.
fn hides(tick: u64, base: &Sample, other: &Sample) -> bool {
    let mean = |sample: &Sample| {
        let of = |(ns, count): &(i64, u64)| *ns as f64 * *count as f64;
        sample.values().iter().map(of).sum::<f64>() / sample.n().max(1) as f64
    };
    let (tick, was, is) = (tick as f64, mean(base), mean(other));
    tick > 0.0 && tick * 2.0 >= was.min(is) && (was - is).abs() <= tick
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 21 ms by a clock of 55 ms are 0 or 55.
    #[test]
    fn a_tick_hides_what_is_less() {
        let fine: Sample = (0..100).map(|n| 20_500_000 + n * 10_000).collect();
        let coarse: Sample = (0..100)
            .map(|n| if n % 5 < 2 { 55_000_000 } else { 0 })
            .collect();
        assert!(hides(55_000_000, &fine, &coarse));
        assert!(!hides(0, &fine, &coarse));
        assert!(!hides(1_000_000, &fine, &coarse));
        let slow: Sample = [110_000_000; 30].into_iter().collect();
        assert!(!hides(55_000_000, &fine, &slow), "89 ms more");
    }

    /// Twenty of 400 fail in one row, and none before: one event. Twenty that are far apart, and all of them, follow
    /// from nothing.
    #[test]
    fn failures_in_a_row_are_one_event() {
        let none = [false; 400];
        let row: Vec<bool> = (0..400).map(|at| (100..120).contains(&at)).collect();
        assert!(failures(&none, &row).is_some_and(|p| p > 0.2));
        let apart: Vec<bool> = (0..400).map(|at| at % 20 == 7).collect();
        assert_eq!(failures(&none, &apart), None);
        assert_eq!(failures(&none, &[true; 400]), None);
    }
}
