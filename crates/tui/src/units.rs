//! How quantities are written: the words are those of the text report.

use wirewait_report::words::{Milli, Rate};

/// Units of rates and sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// Bytes in powers of 1000, as the text report has them.
    #[default]
    Bytes,
    /// Bits in powers of 1000, as links have them.
    Bits,
    /// Bytes in powers of 1024.
    Binary,
}

impl Units {
    /// All of them, in the order in which a key changes them.
    pub const ALL: [Self; 3] = [Self::Bytes, Self::Bits, Self::Binary];

    /// The name by which they are chosen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Bits => "bits",
            Self::Binary => "binary",
        }
    }

    pub(crate) fn next(self) -> Self {
        let at = Self::ALL.iter().position(|u| *u == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// Bytes per second.
    pub(crate) fn rate(self, bytes: u64) -> String {
        match self {
            Self::Bytes => Rate(bytes).to_string(),
            Self::Bits => {
                let bits = bytes.saturating_mul(8);
                scaled(bits, 1000, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s"])
            }
            Self::Binary => scaled(bytes, 1024, &["B/s", "KiB/s", "MiB/s", "GiB/s"]),
        }
    }

    /// Bytes.
    pub(crate) fn size(self, bytes: u64) -> String {
        match self {
            Self::Bytes => scaled(bytes, 1000, &["B", "kB", "MB", "GB"]),
            Self::Bits => scaled(
                bytes.saturating_mul(8),
                1000,
                &["bit", "kbit", "Mbit", "Gbit"],
            ),
            Self::Binary => scaled(bytes, 1024, &["B", "KiB", "MiB", "GiB"]),
        }
    }
}

/// With three significant digits beyond the smallest unit, rounded half up.
fn scaled(n: u64, step: u64, names: &[&str; 4]) -> String {
    let mut unit = 1u64;
    for (i, name) in names.iter().enumerate() {
        let whole = (u128::from(n) * 2 + u128::from(unit)) / (2 * u128::from(unit));
        let last = i + 1 == names.len();
        if last || whole < u128::from(step) {
            if unit == 1 {
                return format!("{n} {name}");
            }
            let shown = Milli::ratio(n, unit).unwrap_or(Milli(0));
            return format!("{shown} {name}");
        }
        unit *= step;
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_sizes_are_written_in_the_chosen_units() {
        let rate = |n| Units::ALL.map(|units| units.rate(n));
        assert_eq!(rate(999), ["999 B/s", "7.99 kbit/s", "999 B/s"]);
        assert_eq!(rate(125_000), ["125 kB/s", "1.00 Mbit/s", "122 KiB/s"]);
        assert_eq!(
            rate(u64::MAX)[2],
            "17,179,869,184 GiB/s",
            "nothing overflows"
        );
        let size = |n| Units::ALL.map(|units| units.size(n));
        assert_eq!(size(0), ["0 B", "0 bit", "0 B"]);
        assert_eq!(size(1024), ["1.02 kB", "8.19 kbit", "1.00 KiB"]);
        // Rounding up to the next unit.
        assert_eq!(size(999_499)[0], "999 kB");
        assert_eq!(size(999_500)[0], "1.00 MB");
        assert_eq!(size(1_048_575)[2], "1.00 MiB");
        assert_eq!(size(38_270)[0], "38.3 kB");
    }
}
