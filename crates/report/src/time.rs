//! Points in time and durations, from integers to text.

use serde::{Serialize, Serializer};
use std::fmt;
use wirewait_wire::{Timestamp, civil};

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400;

/// A time stamp as RFC 3339 has it, in UTC with 9 digits: `2026-11-20T07:00:00.000000001Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rfc3339(pub Timestamp);

impl Rfc3339 {
    /// Characters of every time that a [`Timestamp`] can hold.
    pub(crate) const LEN: usize = 30;

    /// Without the zeros behind its last digit: what `--since` takes as well.
    pub(crate) fn short(self) -> String {
        let whole = self.to_string();
        let short = whole.trim_end_matches('Z').trim_end_matches('0');
        format!("{}Z", short.trim_end_matches('.'))
    }

    /// Without allocation: this is in every row of every export.
    fn digits(self) -> [u8; Self::LEN] {
        let nanos = self.0.as_nanos();
        let seconds = nanos.div_euclid(SECOND);
        let (year, month, day) = civil(seconds.div_euclid(DAY));
        let second = seconds.rem_euclid(DAY);
        let mut text = *b"0000-00-00T00:00:00.000000000Z";
        put(&mut text[0..4], year);
        put(&mut text[5..7], month);
        put(&mut text[8..10], day);
        put(&mut text[11..13], second / 3600);
        put(&mut text[14..16], second / 60 % 60);
        put(&mut text[17..19], second % 60);
        put(&mut text[20..29], nanos.rem_euclid(SECOND));
        text
    }
}

impl fmt::Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Digits and separators only.
        f.write_str(std::str::from_utf8(&self.digits()).unwrap_or_default())
    }
}

#[cfg(test)]
crate::schema::written_as!(= Rfc3339, String);

impl Serialize for Rfc3339 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Writes the last digits of a non-negative number, right-aligned.
fn put(field: &mut [u8], mut value: i64) {
    for digit in field.iter_mut().rev() {
        // A remainder of 10 fits.
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

/// A duration for people: rounded half up to 1 µs, in µs, ms or s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Human(pub i64);

impl fmt::Display for Human {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Half up means towards later, for negative times too (perf definitions, 11).
        let micros = self.0.saturating_add(500).div_euclid(1000);
        let sign = if micros < 0 { "-" } else { "" };
        match micros.unsigned_abs() {
            n @ 0..1000 => write!(f, "{sign}{n} µs"),
            n @ 1000..1_000_000 => write!(f, "{sign}{}.{:03} ms", n / 1000, n % 1000),
            n => write!(f, "{sign}{}.{:06} s", n / 1_000_000, n % 1_000_000),
        }
    }
}

/// A duration where there is little room: three digits, rounded half up, in µs, ms or s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Short(pub i64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let ns = self.0.unsigned_abs();
        // Each bound is the first value that three digits of the unit before would round past.
        let (unit, name) = match ns {
            0..999_500 => (1000, "µs"),
            999_500..999_500_000 => (1_000_000, "ms"),
            _ => (1_000_000_000, "s"),
        };
        let rounded = |step: u64| ns.saturating_add(step / 2) / step;
        let hundredths = rounded(unit / 100);
        if unit == 1000 {
            return write!(f, "{sign}{} {name}", rounded(unit));
        }
        if hundredths < 1000 {
            return write!(
                f,
                "{sign}{}.{:02} {name}",
                hundredths / 100,
                hundredths % 100
            );
        }
        match rounded(unit / 10) {
            tenths @ ..1000 => write!(f, "{sign}{}.{} {name}", tenths / 10, tenths % 10),
            _ => write!(f, "{sign}{} {name}", crate::figures::Grouped(rounded(unit))),
        }
    }
}

/// How many digits of a duration people see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digits {
    /// Three significant digits, as [`Short`].
    #[default]
    Three,
    /// All digits down to 1 µs, as [`Human`].
    All,
}

impl Digits {
    /// The duration in text.
    #[must_use]
    pub fn time(self, ns: i64) -> String {
        match self {
            Self::Three => Short(ns).to_string(),
            Self::All => Human(ns).to_string(),
        }
    }

    /// A count of nanoseconds in text.
    #[must_use]
    pub fn span(self, ns: u64) -> String {
        self.time(i64::try_from(ns).unwrap_or(i64::MAX))
    }
}

/// A duration of few digits, without zeros at its end: `1.5 ms`, `20 s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Brief(pub(crate) i64);

impl fmt::Display for Brief {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let n = self.0.unsigned_abs();
        let (unit, name) = match n {
            0 => return f.write_str("0"),
            1..1000 => (1, "ns"),
            1000..1_000_000 => (1000, "µs"),
            1_000_000..1_000_000_000 => (1_000_000, "ms"),
            _ => (1_000_000_000, "s"),
        };
        let fraction = format!("{:09}", (n % unit) * (1_000_000_000 / unit));
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{sign}{} {name}", n / unit),
            fraction => write!(f, "{sign}{}.{fraction} {name}", n / unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(seconds: i64, nanos: u32) -> String {
        Rfc3339(Timestamp::from_parts(seconds, nanos)).to_string()
    }

    #[test]
    fn a_short_stamp_has_no_zeros_at_its_end() {
        let short = |seconds, nanos| Rfc3339(Timestamp::from_parts(seconds, nanos)).short();
        assert_eq!(short(1_700_000_000, 0), "2023-11-14T22:13:20Z");
        assert_eq!(short(1_700_000_000, 10_000_000), "2023-11-14T22:13:20.01Z");
        assert_eq!(short(0, 1), "1970-01-01T00:00:00.000000001Z");
    }

    #[test]
    fn leap_years_and_the_days_around_them() {
        assert_eq!(text(0, 0), "1970-01-01T00:00:00.000000000Z");
        assert_eq!(
            text(951_782_399, 999_999_999),
            "2000-02-28T23:59:59.999999999Z"
        );
        assert_eq!(text(951_782_400, 0), "2000-02-29T00:00:00.000000000Z");
        assert_eq!(text(951_868_800, 1), "2000-03-01T00:00:00.000000001Z");
        assert_eq!(text(4_107_542_400, 0), "2100-03-01T00:00:00.000000000Z");
        assert_eq!(text(4_107_542_399, 0), "2100-02-28T23:59:59.000000000Z");
        assert_eq!(text(1_709_210_096, 500), "2024-02-29T12:34:56.000000500Z");
    }

    #[test]
    fn times_before_1970() {
        assert_eq!(text(-1, 999_999_999), "1969-12-31T23:59:59.999999999Z");
        assert_eq!(
            Rfc3339(Timestamp::from_nanos(i64::MIN)).to_string(),
            "1677-09-21T00:12:43.145224192Z"
        );
        assert_eq!(
            Rfc3339(Timestamp::from_nanos(i64::MAX)).to_string(),
            "2262-04-11T23:47:16.854775807Z"
        );
    }

    #[test]
    fn agrees_with_jiff_on_days_of_six_centuries() {
        // A prime step of a little more than a day meets all months, and all times of day.
        let mut nanos = i64::MIN;
        let mut compared = 0;
        while let Some(next) = nanos.checked_add(87_178_291_199_123) {
            nanos = next;
            let theirs = jiff::Timestamp::from_nanosecond(i128::from(nanos)).unwrap();
            let ours = Rfc3339(Timestamp::from_nanos(nanos));
            assert_eq!(ours.to_string(), format!("{theirs:.9}"));
            compared += 1;
        }
        assert!(compared > 200_000, "{compared}");
    }

    #[test]
    fn short_durations_have_three_digits() {
        let shown = |ns| Short(ns).to_string();
        assert_eq!(shown(0), "0 µs");
        assert_eq!(shown(499), "0 µs");
        assert_eq!(shown(999_499), "999 µs");
        assert_eq!(shown(999_500), "1.00 ms");
        assert_eq!(shown(9_994_999), "9.99 ms");
        assert_eq!(shown(9_995_000), "10.0 ms");
        assert_eq!(shown(99_949_999), "99.9 ms");
        assert_eq!(shown(99_950_000), "100 ms");
        assert_eq!(shown(999_500_000), "1.00 s");
        assert_eq!(shown(-81_726_683_000), "-81.7 s");
        assert_eq!(shown(86_400_000_000_000), "86,400 s");
        assert_eq!(shown(i64::MIN), "-9,223,372,037 s");
    }

    #[test]
    fn brief_durations_have_no_zeros_at_their_end() {
        let shown = [
            0,
            7,
            1500,
            20_000,
            1_000_000,
            1_050_000_000,
            -90_000_000_000,
        ]
        .map(|ns| Brief(ns).to_string());
        assert_eq!(
            shown,
            ["0", "7 ns", "1.5 µs", "20 µs", "1 ms", "1.05 s", "-90 s"]
        );
    }

    #[test]
    fn durations_are_rounded_half_up_to_a_microsecond() {
        let shown = |ns| Human(ns).to_string();
        assert_eq!(shown(0), "0 µs");
        assert_eq!(shown(499), "0 µs");
        assert_eq!(shown(500), "1 µs");
        assert_eq!(shown(999_499), "999 µs");
        assert_eq!(shown(999_500), "1.000 ms");
        assert_eq!(shown(12_345_678), "12.346 ms");
        assert_eq!(shown(999_999_500), "1.000000 s");
        assert_eq!(shown(61_000_000_000), "61.000000 s");
        assert_eq!(shown(-1500), "-1 µs");
        assert_eq!(shown(-2_000_000), "-2.000 ms");
        assert_eq!(shown(i64::MAX), "9223372036.854775 s");
    }
}
