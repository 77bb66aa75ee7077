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
        enough: u64 = ENOUGH,
        /// Jain's index; null with less than two stations.
        response_time: Option<Jain>,
        throughput: Option<Jain>,
        least_normalised_mean: Option<f64> = found.least.map(millionths),
        most_normalised_mean: Option<f64> = found.most.map(millionths),
        /// Normalised mean from which a station starves: a multiple of the mean of all stations.
        starves_from: f64 = STARVES_PERCENT as f64 / 100.0,
        starving: Vec<Starving>,
    }

    struct Jain of index: &Index {
        stations: u64,
        index: f64 = millionths(index.millionths),
    }

    struct Starving of row: &wirewait_analysis::Starving {
        client: String,
        normalised_mean: f64 = millionths(row.normalised_mean),
        n: u64,
    }
}
