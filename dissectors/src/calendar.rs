//! Points in time as protocols write them, in words.

use std::fmt;

/// A time in 100 ns since 1601-01-01 UTC ([MS-DTYP] 2.3.3, FILETIME), as RFC 3339 has it.
/// 0 and the highest numbers are no times but words: "not given" and "leave as it is"
/// ([MS-FSCC] 2.4.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileTime(pub(crate) u64);

impl fmt::Display for FileTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const TICKS: u64 = 10_000_000;
        const DAY: u64 = 86_400;
        /// From 1601-01-01 to 1970-01-01.
        const DAYS_TO_1970: i64 = 134_774;
        match self.0 {
            0 => return f.write_str("not given"),
            u64::MAX => return f.write_str("leave as it is"),
            0xffff_ffff_ffff_fffe => return f.write_str("change no more"),
            // As long as a signed number can count.
            0x7fff_ffff_ffff_ffff => return f.write_str("never"),
            _ => {}
        }
        let (seconds, ticks) = (self.0 / TICKS, self.0 % TICKS);
        let second = seconds % DAY;
        // Less than 2^64 / 10^7 seconds: some 21 million days.
        let days = i64::try_from(seconds / DAY).unwrap_or(i64::MAX);
        let (year, month, day) = civil(days.saturating_sub(DAYS_TO_1970));
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{ticks:07}Z",
            second / 3600,
            second / 60 % 60,
            second % 60,
        )
    }
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
///
/// Counts in eras of 400 years (146,097 days) that begin on 1 March, so that the leap day
/// is the last of its year (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
pub(crate) fn civil(days: i64) -> (i64, i64, i64) {
    let days = days.saturating_add(719_468);
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_that_others_know() {
        for (ticks, text) in [
            // [MS-DTYP]: the epoch, and one tick behind it.
            (1, "1601-01-01T00:00:00.0000001Z"),
            (116_444_736_000_000_000, "1970-01-01T00:00:00.0000000Z"),
            // A leap day; counted from the epoch with another calendar.
            (125_963_015_999_999_999, "2000-02-29T12:39:59.9999999Z"),
            (0, "not given"),
            (u64::MAX, "leave as it is"),
            (0x7fff_ffff_ffff_ffff, "never"),
        ] {
            assert_eq!(FileTime(ticks).to_string(), text);
        }
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(47_540), (2100, 2, 28));
        assert_eq!(civil(47_541), (2100, 3, 1));
    }

    proptest! {
        #[test]
        fn any_number_is_shown(ticks: u64) {
            prop_assert!(!FileTime(ticks).to_string().is_empty());
        }
    }
}
