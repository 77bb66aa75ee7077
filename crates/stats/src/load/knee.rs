//! Where turnaround starts to grow with the number of stations.

use wirewait_model::ENOUGH;
use wirewait_model::load::{GROWN_PERCENT, Knee, LevelRow};

/// The knee of steady levels with [`ENOUGH`] turnarounds each; `None` where there are fewer
/// than three of these, or no growth.
pub(super) fn find(levels: &[LevelRow]) -> Option<Knee> {
    let means: Vec<(&LevelRow, i64)> = levels
        .iter()
        .filter(|row| row.stations > 0 && row.steady.turnaround.n >= ENOUGH)
        .filter_map(|row| Some((row, row.steady.turnaround.mean()?)))
        .collect();
    if means.len() < 3 {
        return None;
    }
    (1..means.len()).find_map(|n| {
        let (below, above) = means.split_at(n);
        let (least, flat_ns) = below.iter().min_by_key(|(_, ns)| *ns)?;
        let limit = i128::from((*flat_ns).max(1)) * i128::from(GROWN_PERCENT);
        let grown = |ns: i64| i128::from(ns) * 100 >= limit;
        if !above.iter().all(|(_, ns)| grown(*ns)) {
            return None;
        }
        let (row, grown_ns) = above.first()?;
        Some(Knee {
            flat_to: below.last()?.0.stations,
            stations: row.stations,
            flat_ns: *flat_ns,
            flat_n: least.steady.turnaround.n,
            grown_ns: *grown_ns,
            grown_n: row.steady.turnaround.n,
            wire_bytes_per_second: row.steady.wire(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_model::Spread;

    fn level(stations: u32, ns: i64, n: u64) -> LevelRow {
        let mut row = LevelRow {
            stations,
            stations_to: stations,
            ..LevelRow::default()
        };
        row.steady.turnaround = Spread {
            n,
            min: ns,
            max: ns,
            total: i128::from(ns) * i128::from(n),
        };
        row
    }

    /// 1 ms up to 9 stations, then 1.5 ms and more: it grows from 15 on, 9 is the last flat.
    #[test]
    fn it_is_where_growth_begins_and_does_not_end() {
        let ms = [(3, 1000), (6, 1040), (9, 1000), (15, 1500), (21, 2300)];
        let levels: Vec<LevelRow> = ms.iter().map(|(n, us)| level(*n, us * 1000, 30)).collect();
        let knee = find(&levels).unwrap();
        assert_eq!((knee.flat_to, knee.stations), (9, 15));
        assert_eq!((knee.flat_ns, knee.grown_ns), (1_000_000, 1_500_000));
        assert_eq!((knee.flat_n, knee.grown_n), (30, 30));
        assert_eq!(knee.wire_bytes_per_second, None);
    }

    #[test]
    fn one_slow_level_is_no_knee() {
        let levels = [level(1, 100, 30), level(2, 200, 30), level(3, 100, 30)];
        assert_eq!(find(&levels), None);
    }

    #[test]
    fn without_three_samples_there_is_none() {
        assert_eq!(find(&[level(1, 100, 30), level(2, 900, 30)]), None);
        let small = [level(1, 100, 30), level(2, 900, 19), level(3, 900, 30)];
        assert_eq!(find(&small), None);
        assert_eq!(find(&[]), None);
    }
}
