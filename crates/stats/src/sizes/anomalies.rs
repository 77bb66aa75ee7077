//! Sizes whose response time breaks the trend of the others.
//!
//! The trend is a straight line through the median response times of all sizes: the median of
//! the slopes between each two of them, and the median of what is left (Theil and Sen). It is
//! not moved by less than about a quarter of the sizes, so nothing has to be known of where
//! an anomaly may lie.

use wirewait_model::load::{
    Anomaly, BREAKS_PERCENT, BREAKS_TIMES, ENOUGH_OF_A_SIZE, ENOUGH_SIZES, SizeRow,
};

/// If more than one in this many sizes breaks the trend, there is no trend.
const BREAKS_ONE_OF: usize = 4;

/// Sizes that break the trend. A greater size must keep to it and take less: beyond the
/// greatest there is no telling.
pub(super) fn find(sizes: &[SizeRow]) -> Vec<Anomaly> {
    let known: Vec<&SizeRow> = sizes
        .iter()
        .filter(|row| row.response_time.n >= ENOUGH_OF_A_SIZE)
        .collect();
    if known.len() < ENOUGH_SIZES {
        return Vec::new();
    }
    let points: Vec<(i128, i128)> = known
        .iter()
        .map(|row| (i128::from(row.to_bytes), i128::from(row.response_time.p50)))
        .collect();
    let Some(trend) = Trend::through(&points) else {
        return Vec::new();
    };
    let breaks: Vec<bool> = points
        .iter()
        .map(|point| trend.is_broken_by(*point))
        .collect();
    if breaks.iter().filter(|b| **b).count() > known.len() / BREAKS_ONE_OF {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (n, row) in known.iter().enumerate().filter(|(n, _)| breaks[*n]) {
        let next = (n + 1..known.len()).find(|n| !breaks[*n]).map(|n| known[n]);
        let Some(next) = next.filter(|next| next.response_time.p50 < row.response_time.p50) else {
            continue;
        };
        found.push(Anomaly {
            from_bytes: row.from_bytes,
            to_bytes: row.to_bytes,
            n: row.response_time.n,
            p50_ns: row.response_time.p50,
            expected_ns: i64::try_from(trend.at(points[n].0)).unwrap_or(i64::MAX),
            next: (next.to_bytes, next.response_time.p50),
            examples: row.slowest.clone(),
        });
    }
    found
}

/// Parts of a nanosecond in which slopes are kept.
const FINE: i128 = 1 << 20;

struct Trend {
    /// Fine nanoseconds per byte.
    slope: i128,
    /// Fine nanoseconds at no bytes.
    base: i128,
    /// The median deviation, ns.
    noise: i128,
}

impl Trend {
    fn through(points: &[(i128, i128)]) -> Option<Self> {
        let mut slopes = Vec::new();
        for (n, a) in points.iter().enumerate() {
            for b in &points[n + 1..] {
                slopes.push(((b.1 - a.1) * FINE).checked_div(b.0 - a.0)?);
            }
        }
        let slope = median(slopes)?;
        let base = median(points.iter().map(|p| p.1 * FINE - slope * p.0).collect())?;
        let mut trend = Self {
            slope,
            base,
            noise: 0,
        };
        trend.noise = median(points.iter().map(|p| (p.1 - trend.at(p.0)).abs()).collect())?;
        Some(trend)
    }

    fn at(&self, bytes: i128) -> i128 {
        (self.base + self.slope * bytes) / FINE
    }

    fn is_broken_by(&self, (bytes, ns): (i128, i128)) -> bool {
        // A trend that says nothing, or less, is no measure.
        let expected = self.at(bytes).max(1);
        ns * 100 >= expected * i128::from(BREAKS_PERCENT)
            && ns - expected > self.noise * i128::from(BREAKS_TIMES)
    }
}

/// The lower one of the two in the middle.
fn median(mut values: Vec<i128>) -> Option<i128> {
    let middle = values.len().checked_sub(1)? / 2;
    Some(*values.select_nth_unstable(middle).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_model::load::Example;
    use wirewait_model::{Spread, Times};

    fn size(bytes: u64, us: i64, n: u64) -> SizeRow {
        let ns = us * 1000;
        SizeRow {
            from_bytes: bytes,
            to_bytes: bytes,
            response_time: Times {
                n,
                min: ns,
                p50: ns,
                p90: ns,
                p95: ns,
                p99: ns,
                max: ns,
                total: i128::from(ns) * i128::from(n),
            },
            turnaround: Spread::default(),
            data_bytes: bytes * n,
            slowest: vec![Example {
                transaction: 7,
                request_frame: 11,
                response_frame: 12,
                response_ns: ns,
            }],
        }
    }

    /// 5 ms and 1 us per byte; what is said of 1500 bytes is another matter.
    fn curve(at_1500: i64) -> Vec<SizeRow> {
        let sizes = [750, 1500, 3000, 6000, 12_000, 18_000, 30_000, 39_000];
        sizes
            .iter()
            .map(|bytes| match bytes {
                1500 => size(1500, at_1500, 20),
                bytes => size(*bytes, 5000 + *bytes as i64, 20),
            })
            .collect()
    }

    /// Poo and Tan, figure 10: reads of 1.5 kbyte take longer than those of 39 kbyte.
    #[test]
    fn the_anomaly_is_found_without_being_told_where_to_look() {
        let found = find(&curve(50_000));
        assert_eq!(found.len(), 1);
        let anomaly = &found[0];
        assert_eq!((anomaly.from_bytes, anomaly.to_bytes), (1500, 1500));
        assert_eq!((anomaly.n, anomaly.p50_ns), (20, 50_000_000));
        // 5 ms + 1500 us, as the other sizes say: a line goes through them exactly.
        assert_eq!(anomaly.expected_ns, 6_500_000);
        assert_eq!(anomaly.next, (3000, 8_000_000));
        assert_eq!(anomaly.examples[0].request_frame, 11);
    }

    #[test]
    fn what_keeps_to_the_trend_is_no_anomaly() {
        assert_eq!(find(&curve(6_500)), []);
        assert_eq!(find(&curve(9_500)), [], "46 % above it");
    }

    /// 1350 to 1650 bytes, of which those that just do not fit a packet are slow.
    #[test]
    fn several_neighbours_may_break_it() {
        let sizes: Vec<SizeRow> = (0..13)
            .map(|n| 1350 + n * 25)
            .map(|bytes| match bytes {
                1475..=1525 => size(bytes, 60_000, 15),
                bytes => size(bytes, 5000 + bytes as i64, 15),
            })
            .collect();
        let found: Vec<u64> = find(&sizes).iter().map(|a| a.to_bytes).collect();
        assert_eq!(found, [1475, 1500, 1525]);
    }

    /// A jump that stays is a step of the trend, and the greatest size has nothing beyond it.
    #[test]
    fn a_step_and_the_greatest_size_are_none() {
        let mut sizes = curve(6_500);
        sizes[7] = size(39_000, 200_000, 20);
        assert_eq!(find(&sizes), []);
        sizes[6] = size(30_000, 190_000, 20);
        assert_eq!(find(&sizes), []);
    }

    #[test]
    fn too_few_sizes_or_samples_say_nothing() {
        let mut sizes = curve(50_000);
        sizes[1].response_time.n = 9;
        assert_eq!(find(&sizes), []);
        assert_eq!(find(&curve(50_000)[..4]), []);
        assert_eq!(find(&[]), []);
        // Two of five.
        let mut half = curve(6_500);
        half.truncate(5);
        (half[1], half[2]) = (size(1500, 50_000, 20), size(3000, 50_000, 20));
        assert_eq!(find(&half), []);
        let same = [
            size(5, 1, 20),
            size(5, 2, 20),
            size(5, 3, 20),
            size(5, 4, 20),
            size(5, 5, 20),
        ];
        assert_eq!(find(&same), [], "nothing to make a slope of");
    }
}
