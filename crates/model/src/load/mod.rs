//! How service changes with the load, as it is shown: by the number of active stations, by the
//! size of requests, over time. Definitions: sections 8 and 9 of the performance definitions; S =
//! N x M / T after Poo and Tan.

mod level;
mod sizes;
mod timeline;

pub use level::{
    GROWN_PERCENT, Knee, LevelCurve, LevelFigures, LevelRow, LoadOf, Moved, STEADY_NS,
};
pub use sizes::{
    Anomaly, BREAKS_PERCENT, BREAKS_TIMES, ENOUGH_OF_A_SIZE, ENOUGH_SIZES, Example, SizeCurve,
    SizeRow,
};
pub use timeline::{DEPTH_PERCENT, Dip, Dips, ENOUGH_PER_BUCKET, Interval, NOISE_TIMES, Timeline};
