//! Whether all stations are served alike.

use crate::{ENOUGH, StationRow};
use wirewait_wire::Endpoint;

/// A station starves when its mean response time is at least this percentage of the mean of all
/// stations.
pub const STARVES_PERCENT: u64 = 150;

/// Jain's index of fairness: the square of the sum over n times the sum of squares. 1 when
/// all have the same, 1 / n when one has all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index {
    /// Stations it is over.
    pub stations: u64,
    /// The index in millionths.
    pub millionths: u64,
}

impl Index {
    /// Over at least two values, not all 0.
    fn over(values: &[u64]) -> Option<Self> {
        let n = values.len() as u128;
        // So that no square is too large: the index does not depend on the unit.
        let shift = values.iter().max()?.checked_ilog2()?.saturating_sub(40);
        let values = values.iter().map(|v| u128::from(*v >> shift));
        let (sum, squares) = values.fold((0u128, 0u128), |(sum, squares), v| {
            (sum + v, squares + v * v)
        });
        let (top, below) = (sum * sum, n * squares);
        (n >= 2 && below > 0).then(|| Self {
            stations: n as u64,
            // Rounded half up; the index is at most 1.
            millionths: ((top / below) * 1_000_000
                + ((top % below) * 2_000_000 + below) / (2 * below)) as u64,
        })
    }
}

/// A station that is served worse than the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starving {
    /// Which.
    pub client: Endpoint,
    /// Its mean response time relative to the mean of all stations, in millionths.
    pub normalised_mean: u64,
    /// Response times that is the mean of.
    pub n: u64,
}

/// Whether all stations are served alike, judged over those with [`ENOUGH`] response times.
/// Stations that ask for different things are not alike, however fair the server is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fairness {
    /// Stations with enough response times.
    pub judged: u64,
    /// Stations with fewer.
    pub not_judged: u64,
    /// Over their mean response times; `None` with less than two stations.
    pub response_time: Option<Index>,
    /// Over file data per second of busy time and client work, of those that moved data.
    pub throughput: Option<Index>,
    /// The lowest normalised mean of the stations judged, in millionths.
    pub least: Option<u64>,
    /// The highest.
    pub most: Option<u64>,
    /// Those whose normalised mean is [`STARVES_PERCENT`] or more; the worst first.
    pub starving: Vec<Starving>,
}

impl Fairness {
    /// Judges the stations.
    #[must_use]
    pub(crate) fn among(stations: &[StationRow]) -> Self {
        let (judged, others): (Vec<&StationRow>, Vec<&StationRow>) = stations
            .iter()
            .filter(|row| row.response_time.n > 0)
            .partition(|row| row.response_time.n >= ENOUGH);
        let alone = judged.len() < 2;
        let normalised = judged.iter().filter_map(|row| row.normalised_mean);
        let mut starving: Vec<Starving> = judged
            .iter()
            .filter_map(|row| {
                Some(Starving {
                    client: row.client,
                    normalised_mean: row.normalised_mean?,
                    n: row.response_time.n,
                })
            })
            .filter(|row| !alone && row.normalised_mean >= STARVES_PERCENT * 10_000)
            .collect();
        starving.sort_by_key(|row| (std::cmp::Reverse(row.normalised_mean), row.client));
        let means: Vec<u64> = judged
            .iter()
            .filter_map(|row| u64::try_from(row.response_time.mean()?).ok())
            .collect();
        let rates: Vec<u64> = judged.iter().filter_map(|row| rate(row)).collect();
        Self {
            judged: judged.len() as u64,
            not_judged: others.len() as u64,
            response_time: Index::over(&means),
            throughput: Index::over(&rates),
            least: normalised.clone().min(),
            most: normalised.max(),
            starving,
        }
    }
}

/// File data per second of the time in which the station was at work, bytes.
fn rate(row: &StationRow) -> Option<u64> {
    let ns = u128::from(row.busy_ns) + u128::from(row.client_ns);
    let rate = (u128::from(row.moving_bytes) * 1_000_000_000).checked_div(ns)?;
    u64::try_from(rate).ok().filter(|rate| *rate > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn station(n: u8, mean_ms: i64, times: u64, normalised: u64) -> StationRow {
        let mut row = StationRow::default();
        row.client = Endpoint::mac([2, 0, 0, 0, 0, n]);
        row.servers = 1;
        row.response_time.n = times;
        row.response_time.total = i128::from(mean_ms) * 1_000_000 * i128::from(times);
        row.normalised_mean = Some(normalised);
        row.busy_ns = mean_ms.unsigned_abs() * 1_000_000 * times;
        (row.data_bytes, row.moving_bytes) = (1200 * times, 1000 * times);
        row
    }

    /// Means of 10, 10 and 40 ms: (60)^2 / (3 x (100 + 100 + 1600)) = 3600 / 5400 = 2/3.
    /// Throughputs of 100, 100 and 25 kB/s: 225^2 / (3 x 20625) = 50625 / 61875 = 9/11.
    #[test]
    fn by_hand() {
        let rows = [
            station(1, 40, 100, 2_000_000),
            station(2, 10, 100, 500_000),
            station(3, 10, 100, 500_000),
            station(4, 900, 19, 45_000_000),
        ];
        let fairness = Fairness::among(&rows);
        assert_eq!((fairness.judged, fairness.not_judged), (3, 1));
        let index = |millionths| {
            Some(Index {
                stations: 3,
                millionths,
            })
        };
        assert_eq!(fairness.response_time, index(666_667));
        assert_eq!(fairness.throughput, index(818_182));
        assert_eq!(
            (fairness.least, fairness.most),
            (Some(500_000), Some(2_000_000))
        );
        assert_eq!(
            fairness.starving,
            [Starving {
                client: rows[0].client,
                normalised_mean: 2_000_000,
                n: 100
            }]
        );
    }

    #[test]
    fn one_station_is_neither_fair_nor_not() {
        let fairness = Fairness::among(&[station(1, 40, 100, 2_000_000)]);
        assert_eq!((fairness.response_time, fairness.throughput), (None, None));
        assert_eq!(fairness.starving, []);
        assert_eq!(Fairness::among(&[]), Fairness::default());
    }

    proptest! {
        /// Between 1 / n and 1, the same in any unit as far as it is told apart.
        #[test]
        fn the_index_is_a_share(values in prop::collection::vec(1u64..u64::MAX, 2..50)) {
            let index = Index::over(&values).unwrap();
            prop_assert!(index.millionths <= 1_000_000);
            prop_assert!(index.millionths + 1 >= 1_000_000 / values.len() as u64);
            let same = Index::over(&vec![values[0]; values.len()]).unwrap();
            prop_assert_eq!(same.millionths, 1_000_000);
        }
    }
}
