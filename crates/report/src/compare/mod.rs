//! Several captures against one of them: in words and tables, as JSON, as CSV.

mod csv;
mod json;
mod text;
mod words;

pub use csv::csv;
pub use json::{SCHEMA, json};
pub use text::text;
pub use words::{group_name, held};

use crate::about::About;
use wirewait_analysis::compare::Comparison;
use wirewait_analysis::{Settings, Snapshot};

/// One capture of a comparison.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// What it is called in tables and sentences.
    pub name: String,
    /// Its files and what was wrong with them.
    pub about: About,
    /// Its figures.
    pub snapshot: Snapshot,
}

/// A comparison and what was compared: the baseline first.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// The captures.
    pub configurations: &'a [Configuration],
    /// What came out.
    pub comparison: &'a Comparison,
    /// The user asked for groups of a certain kind: they are shown for each capture.
    pub groups_wanted: bool,
}

impl Compared<'_> {
    /// What the capture at this place is called, the baseline's being 0.
    fn name(&self, place: usize) -> String {
        self.configurations
            .get(place)
            .map_or_else(String::new, |one| crate::Escaped(&one.name).to_string())
    }

    /// All captures were analysed with the same settings.
    fn settings(&self) -> Settings {
        self.configurations
            .first()
            .map_or_else(Settings::default, |one| one.snapshot.settings)
    }
}
