//! Throughput that falls for a while and comes back, though stations want as much as before.

use super::timeline::widened;
use wirewait_model::load::{
    DEPTH_PERCENT, Dip, Dips, ENOUGH_PER_BUCKET, Interval, NOISE_TIMES, Timeline,
};

/// Buckets on each side that make the median, and how many of them must be there.
const AROUND: usize = 100;
const ENOUGH_AROUND: usize = 10;
/// Buckets that a dip has at least. The loss may lie in one alone, but then it is cut in two
/// by chance as often as not.
const SHORTEST: usize = 2;
/// Fewest active stations in a dip, in percent of those around it: with fewer, demand was
/// lower.
const WANTED_PERCENT: u64 = 80;
/// Dips that are kept, the costliest.
const KEPT: usize = 50;

/// Looks for dips.
pub(super) fn find(line: &Timeline) -> Dips {
    let Some(line) = wide_enough(line) else {
        return Dips::default();
    };
    let lows = lows(&line.buckets);
    let mut dips: Vec<Dip> = Vec::new();
    let mut n = 0;
    while n < lows.len() {
        let end = low(&lows, n);
        if end.saturating_sub(n) >= SHORTEST
            && let Some(dip) = measure(&line, n, end)
        {
            dips.push(dip);
        }
        n = end.max(n + 1);
    }
    let sum = |f: fn(&Dip) -> i64| dips.iter().map(f).fold(0, i64::saturating_add);
    let (found, ns, cost_ns) = (dips.len() as u64, sum(|d| d.ns), sum(|d| d.cost_ns));
    dips.sort_by_key(|dip| (std::cmp::Reverse(dip.cost_ns), dip.start));
    dips.truncate(KEPT);
    dips.sort_by_key(|dip| dip.start);
    Dips {
        width_ns: Some(line.width_ns),
        dips,
        found,
        ns,
        cost_ns,
    }
}

/// The narrowest buckets that have enough responses.
fn wide_enough(line: &Timeline) -> Option<Timeline> {
    let mut line = line.clone();
    loop {
        let mut answered: Vec<u64> = line
            .buckets
            .iter()
            .filter(|b| is_load(b, &line))
            .map(|b| b.answered)
            .collect();
        if answered.len() < 2 * ENOUGH_AROUND + SHORTEST {
            return None;
        }
        if median(&mut answered)? >= ENOUGH_PER_BUCKET {
            return Some(line);
        }
        line = widened(&line, line.width_ns.checked_mul(10)?);
    }
}

/// Somebody was active most of the time.
fn is_load(bucket: &Interval, line: &Timeline) -> bool {
    i64::try_from(bucket.active_ns).unwrap_or(i64::MAX) >= line.width_ns / 2
}

/// Where the run of low buckets that begins here ends; here, if this one is not low. One
/// better bucket does not end it.
fn low(lows: &[bool], from: usize) -> usize {
    let is_low = |n: usize| lows.get(n).is_some_and(|low| *low);
    let mut end = from;
    while is_low(end) || (end > from && is_low(end + 1)) {
        end += 1;
    }
    end
}

/// Which buckets are low for those around them.
fn lows(buckets: &[Interval]) -> Vec<bool> {
    let active = |n: usize| buckets.get(n).filter(|b| b.active_ns > 0);
    // What those around moved, in order: from one bucket to the next one comes and one goes.
    let mut around: Vec<u64> = near(buckets, 0, AROUND).map(|b| b.data_bytes).collect();
    around.sort_unstable();
    let place = |around: &[u64], bytes: u64| around.partition_point(|other| *other < bytes);
    let lows = buckets.iter().enumerate().map(|(n, bucket)| {
        if let Some(comes) = active(n + AROUND) {
            around.insert(place(&around, comes.data_bytes), comes.data_bytes);
        }
        if let Some(gone) = n.checked_sub(AROUND + 1).and_then(active) {
            around.remove(place(&around, gone.data_bytes));
        }
        let Some(middle) = around.get(around.len().saturating_sub(1) / 2) else {
            return false;
        };
        bucket.active_ns > 0
            && is_deep(bucket.data_bytes, *middle, 0)
            && is_deep(bucket.data_bytes, *middle, noise(&around, *middle))
    });
    lows.collect()
}

fn is_deep(value: u64, middle: u64, noise: u64) -> bool {
    let missing = u128::from(middle.saturating_sub(value));
    missing * 100 >= u128::from(middle) * u128::from(DEPTH_PERCENT)
        && missing > u128::from(noise) * u128::from(NOISE_TIMES)
}

/// The median deviation from the median.
fn noise(values: &[u64], middle: u64) -> u64 {
    let mut deviations: Vec<u64> = values.iter().map(|v| v.abs_diff(middle)).collect();
    median(&mut deviations).unwrap_or(0)
}

/// Buckets of a range in which somebody was active.
fn near(buckets: &[Interval], from: usize, to: usize) -> impl Iterator<Item = &Interval> {
    let to = to.min(buckets.len());
    buckets[from.min(to)..to].iter().filter(|b| b.active_ns > 0)
}

fn measure(line: &Timeline, from: usize, to: usize) -> Option<Dip> {
    let buckets = &line.buckets;
    let (before, after) = (from.saturating_sub(AROUND)..from, to..to + AROUND);
    let middle = |range: &std::ops::Range<usize>| {
        let mut bytes: Vec<u64> = near(buckets, range.start, range.end)
            .map(|b| b.data_bytes)
            .collect();
        // What is higher on one side only did not come back.
        (bytes.len() >= ENOUGH_AROUND)
            .then(|| median(&mut bytes))
            .flatten()
    };
    let around = middle(&before)?.min(middle(&after)?);
    let dip = &buckets[from..to.min(buckets.len())];
    let moved: u64 = dip.iter().map(|b| b.data_bytes).sum();
    let width = to.checked_sub(from)? as u64;
    let mean = moved / width;
    let sides: Vec<&Interval> = near(buckets, before.start, before.end)
        .chain(near(buckets, after.start, after.end))
        .collect();
    let bytes: Vec<u64> = sides.iter().map(|b| b.data_bytes).collect();
    let mut active: Vec<u64> = sides.iter().map(|b| b.active_ns).collect();
    let wanted = dip.iter().map(|b| b.active_ns).sum::<u64>() / width;
    if !is_deep(mean, around, noise(&bytes, around))
        || u128::from(wanted) * 100 < u128::from(median(&mut active)?) * u128::from(WANTED_PERCENT)
    {
        return None;
    }
    let missing = u128::from(around) * u128::from(width) - u128::from(moved);
    let per_second = |bytes: u64| {
        u64::try_from(
            u128::from(bytes) * 1_000_000_000 / line.width_ns.unsigned_abs().max(1) as u128,
        )
        .unwrap_or(u64::MAX)
    };
    Some(Dip {
        start: line.start.plus(line.width_ns.saturating_mul(from as i64)),
        ns: line.width_ns.saturating_mul(width as i64),
        bytes_per_second: per_second(mean),
        around_bytes_per_second: per_second(around),
        depth: u64::try_from(missing * 1000 / (u128::from(around) * u128::from(width)))
            .unwrap_or(1000),
        cost_ns: i64::try_from(missing * line.width_ns.unsigned_abs() as u128 / u128::from(around))
            .unwrap_or(i64::MAX),
        response_ns: mean_response(dip.iter()),
        around_response_ns: mean_response(sides.into_iter()),
    })
}

fn mean_response<'a>(buckets: impl Iterator<Item = &'a Interval>) -> Option<i64> {
    let (ns, n) = buckets.fold((0i128, 0u64), |(ns, n), b| {
        (ns + i128::from(b.response_ns), n + b.responses)
    });
    (n > 0).then(|| i64::try_from(ns / i128::from(n)).unwrap_or(i64::MAX))
}

/// The lower one of the two in the middle.
fn median(values: &mut [u64]) -> Option<u64> {
    if values.is_empty() {
        return None;
    }
    let middle = (values.len() - 1) / 2;
    Some(*values.select_nth_unstable(middle).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::Timestamp;

    const WIDTH: i64 = 100_000_000;

    /// One station, always active: the number of reads of 4 KiB in each 100 ms.
    fn line(reads: impl IntoIterator<Item = u64>) -> Timeline {
        Timeline {
            width_ns: WIDTH,
            start: Timestamp::from_parts(1000, 0),
            buckets: reads
                .into_iter()
                .map(|n| Interval {
                    answered: n,
                    data_bytes: n * 4096,
                    responses: n,
                    response_ns: if n == 0 { 0 } else { WIDTH },
                    active_ns: WIDTH as u64,
                    stations: 1,
                    ..Interval::default()
                })
                .collect(),
        }
    }

    /// 50 reads in each 100 ms; from 6.0 s to 7.5 s only 30.
    fn wells() -> Vec<u64> {
        (0..120)
            .map(|n| {
                if (60..75).contains(&n) {
                    30
                } else {
                    50 + n % 2
                }
            })
            .collect()
    }

    /// Wells: by 30 to 50 % for one to two seconds.
    #[test]
    fn a_dip_is_found_timed_and_measured() {
        let dips = find(&line(wells()));
        assert_eq!((dips.width_ns, dips.found), (Some(WIDTH), 1));
        let dip = dips.dips[0];
        assert_eq!(dip.start, Timestamp::from_parts(1006, 0));
        assert_eq!(dip.ns, 1_500_000_000);
        // 300 reads of 4096 bytes per second instead of 500; the median of 50 and 51 is 50.
        assert_eq!(dip.bytes_per_second, 300 * 4096);
        assert_eq!(dip.around_bytes_per_second, 500 * 4096);
        assert_eq!(dip.depth, 400);
        // 20 of 50 reads are missing in each of 15 buckets: 300 reads at 500 a second.
        assert_eq!(dip.cost_ns, 600_000_000);
        assert_eq!(dip.response_ns, Some(WIDTH * 15 / 450));
        assert_eq!((dips.ns, dips.cost_ns), (dip.ns, dip.cost_ns));
    }

    #[test]
    fn under_ten_percent_is_none() {
        let reads = (0..120).map(|n| if (60..75).contains(&n) { 46 } else { 50 });
        assert_eq!(find(&line(reads)).dips, []);
    }

    #[test]
    fn what_does_not_come_back_is_no_dip() {
        let steps = (0..200).map(|n| if n < 100 { 50 } else { 25 });
        assert_eq!(find(&line(steps)).dips, []);
        let up = (0..200).map(|n| if n < 100 { 25 } else { 50 });
        assert_eq!(find(&line(up)).dips, []);
    }

    #[test]
    fn a_station_that_wants_nothing_is_no_dip() {
        let mut idle = line(wells());
        for bucket in &mut idle.buckets[60..75] {
            bucket.active_ns /= 2;
        }
        assert_eq!(find(&idle).dips, []);
    }

    #[test]
    fn what_varies_much_has_no_dips() {
        let reads = (0..200).map(|n| [50, 20, 80, 35, 65][n % 5]);
        assert_eq!(find(&line(reads)).dips, []);
    }

    #[test]
    fn narrow_buckets_are_widened_until_there_is_enough_in_them() {
        // Two reads in each 100 ms, one from 6 s to 12 s: found in buckets of a second.
        let reads = (0..400).map(|n| if (150..210).contains(&n) { 1 } else { 2 });
        let dips = find(&line(reads));
        assert_eq!(dips.width_ns, Some(1_000_000_000));
        assert_eq!(dips.dips[0].start, Timestamp::from_parts(1015, 0));
        assert_eq!((dips.dips[0].ns, dips.dips[0].depth), (6_000_000_000, 500));
    }

    /// By the definition: each bucket by the median of all around it.
    #[test]
    fn lows_are_below_the_median_around_them() {
        let mut buckets =
            line((0..450).map(|n| if n / 12 % 8 == 0 { 60 } else { 100 + n % 7 })).buckets;
        for n in (0..450).filter(|n| n % 11 < 3) {
            buckets[n].active_ns = 0;
        }
        let expected: Vec<bool> = (0..450usize)
            .map(|n| {
                let mut around: Vec<u64> = near(&buckets, n.saturating_sub(AROUND), n + AROUND + 1)
                    .map(|b| b.data_bytes)
                    .collect();
                let middle = median(&mut around).unwrap();
                let noise = noise(&around, middle);
                buckets[n].active_ns > 0 && is_deep(buckets[n].data_bytes, middle, noise)
            })
            .collect();
        assert!(expected.contains(&true) && expected.contains(&false));
        assert_eq!(lows(&buckets), expected);
    }

    #[test]
    fn too_little_says_nothing() {
        assert_eq!(find(&Timeline::default()), Dips::default());
        assert_eq!(find(&line([50; 8])), Dips::default());
        assert_eq!(find(&line([0; 100])), Dips::default());
    }
}
