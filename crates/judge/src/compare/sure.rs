//! The tests of a table's rows.

use super::serial::Course;
use super::{Confidence, Group, Key, LEVEL, Side, Sure};
use std::collections::BTreeMap;

/// The times of a capture's groups, in order.
pub(super) type Courses = BTreeMap<Key, Course>;

/// Makes the tests of a table. Where the times themselves were seen, `courses` has their order.
pub(super) fn judge(groups: &mut [Group], courses: &[Courses]) {
    let others = groups
        .first()
        .map_or(0, |group| group.sides.len().saturating_sub(1));
    let (none, unseen) = (Side::default(), Course::default());
    for number in 0..others {
        let tests: Vec<(Confidence, Confidence)> = groups
            .iter()
            .map(|group| {
                let base = &group.base().unwrap_or(&none).samples;
                let other = &group.other(number).unwrap_or(&none).samples;
                let course = |place: usize| {
                    let of = courses.get(place).and_then(|of| of.get(&group.key));
                    of.unwrap_or(&unseen)
                };
                let (was, is) = (course(0), course(number + 1));
                (
                    Confidence::of(&base.turnaround, &other.turnaround)
                        .in_order(&was.turnaround, &is.turnaround),
                    Confidence::of(&base.response_time, &other.response_time)
                        .in_order(&was.response_time, &is.response_time),
                )
            })
            .collect();
        let made = tests.iter().filter(|(_, test)| test.p().is_some()).count();
        let level = LEVEL / made.max(1) as f64;
        for (group, (turnaround, response_time)) in groups.iter_mut().zip(tests) {
            group.sure.push(Sure {
                turnaround,
                response_time,
                level,
            });
        }
    }
}
