//! Key `fairness`.

use serde::Serialize;
use wirewait_analysis::{ENOUGH, Index, STARVES_PERCENT, Snapshot};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Fairness {
    /// Stations with at least `enough` response times.
    judged_stations: u64,
    /// Stations with fewer.
    other_stations: u64,
    enough: u64,
    /// Jain's index; null with less than two stations.
    response_time: Option<Jain>,
    throughput: Option<Jain>,
    least_normalised_mean: Option<f64>,
    most_normalised_mean: Option<f64>,
    /// Normalised mean from which a station starves: a multiple of the mean of all stations.
    starves_from: f64,
    starving: Vec<Starving>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Jain {
    stations: u64,
    index: f64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Starving {
    client: String,
    normalised_mean: f64,
    n: u64,
}

pub(super) fn fairness(snapshot: &Snapshot) -> Fairness {
    let found = &snapshot.fairness;
    let jain = |index: Index| Jain {
        stations: index.stations,
        index: ratio(index.millionths),
    };
    Fairness {
        judged_stations: found.judged,
        other_stations: found.not_judged,
        enough: ENOUGH,
        response_time: found.response_time.map(jain),
        throughput: found.throughput.map(jain),
        least_normalised_mean: found.least.map(ratio),
        most_normalised_mean: found.most.map(ratio),
        starves_from: STARVES_PERCENT as f64 / 100.0,
        starving: found
            .starving
            .iter()
            .map(|row| Starving {
                client: row.client.to_string(),
                normalised_mean: ratio(row.normalised_mean),
                n: row.n,
            })
            .collect(),
    }
}

pub(super) fn ratio(millionths: u64) -> f64 {
    millionths as f64 / 1e6
}
