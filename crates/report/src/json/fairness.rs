//! Key `fairness`.

use super::common::millionths;
use crate::document::documents;
use wirewait_analysis::{ENOUGH, Index, STARVES_PERCENT};

documents! {
    pub(super) struct Fairness of found: &wirewait_analysis::Fairness {
        /// Stations with at least `enough` response times.
        judged_stations: u64 = found.judged,
        /// Stations with fewer.
        other_stations: u64 = found.not_judged,
        /// Response times from which on a station is judged.
        enough: u64 = ENOUGH,
        /// Jain's index; null with less than two stations.
        response_time: Option<Jain>,
        /// Jain's index of file data per second; null with less than two stations.
        throughput: Option<Jain>,
        /// The least mean relative to that of all stations.
        least_normalised_mean: Option<f64> = found.least.map(millionths),
        /// The greatest mean relative to that of all stations.
        most_normalised_mean: Option<f64> = found.most.map(millionths),
        /// Normalised mean from which a station starves: a multiple of the mean of all stations.
        starves_from: f64 = STARVES_PERCENT as f64 / 100.0,
        /// Stations that starve.
        starving: Vec<Starving>,
    }

    struct Jain of index: &Index {
        /// Stations in it.
        stations: u64,
        /// 1 where all are alike, 1 / `stations` where one has everything.
        index: f64 = millionths(index.millionths),
    }

    struct Starving of row: &wirewait_analysis::Starving {
        /// The client.
        client: String,
        /// Its mean relative to that of all stations.
        normalised_mean: f64 = millionths(row.normalised_mean),
        /// Its response times.
        n: u64,
    }
}
