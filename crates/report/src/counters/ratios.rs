//! The ratios that the help texts of the counters told people to form by hand.

use super::table::{evaluate, sum};
use std::sync::OnceLock;

#[derive(Debug)]
pub(crate) struct Ratio {
    pub(crate) table: &'static str,
    pub(crate) name: &'static str,
    /// `%` for a share of a whole.
    pub(crate) unit: &'static str,
    numerator: Vec<(i64, String)>,
    denominator: Vec<(i64, String)>,
}

/// A ratio that has a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Formed {
    pub(crate) numerator: i128,
    pub(crate) denominator: i128,
}

const TABLE: &str = include_str!("ratios.csv");

/// All ratios, in the order of the table.
pub(crate) fn ratios() -> &'static [Ratio] {
    static RATIOS: OnceLock<Vec<Ratio>> = OnceLock::new();
    // A line that is none is missed by the test that counts them.
    RATIOS.get_or_init(|| TABLE.lines().skip(1).filter_map(Ratio::parse).collect())
}

/// Lines of the table that should be ratios.
#[cfg(test)]
pub(crate) fn lines() -> usize {
    TABLE.lines().count() - 1
}

impl Ratio {
    fn parse(line: &'static str) -> Option<Self> {
        let mut cells = line.split(',');
        let mut cell = || cells.next();
        Some(Self {
            table: cell()?,
            name: cell()?,
            unit: cell()?,
            numerator: sum(cell()?)?,
            denominator: sum(cell()?)?,
        })
    }

    /// Its value in these sums; `None` if there is nothing to divide by.
    pub(crate) fn form(&self, fields: &[&str], values: &[u64]) -> Option<Formed> {
        let formed = Formed {
            numerator: evaluate(&self.numerator, fields, values)?,
            denominator: evaluate(&self.denominator, fields, values)?,
        };
        (formed.denominator > 0).then_some(formed)
    }
}

impl Formed {
    /// The quotient; of a share, as a part of 1.
    pub(crate) fn value(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}
