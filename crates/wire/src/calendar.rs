//! Points in time as protocols write them, in words.

use std::fmt;

/// A time in 100 ns since 1601-01-01 UTC ([MS-DTYP] 2.3.3, FILETIME), as RFC 3339 has it.
/// 0 and the highest numbers are no times but words: "not given" and "leave as it is"
/// ([MS-FSCC] 2.4.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileTime(
    /// The ticks.
    pub u64,
);

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

/// Seconds since 1970-01-01, in the sender's local time; 0 and the highest number are no
/// times but words ([MS-CIFS] 2.2.1.4.3, UTIME).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalSeconds(
    /// The seconds.
    pub u32,
);

impl fmt::Display for LocalSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => return f.write_str("not given"),
            u32::MAX => return f.write_str("leave as it is"),
            _ => {}
        }
        let (day, second) = (self.0 / 86_400, self.0 % 86_400);
        let (year, month, day) = civil(day.into());
        write!(
            f,
            "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} local",
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    }
}

/// A date as DOS writes it: year since 1980, month and day, in 7, 4 and 5 bits
/// ([MS-CIFS] 2.2.1.4.1, SMB_DATE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DosDate(
    /// The bits.
    pub u16,
);

impl fmt::Display for DosDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = (self.0 >> 9, self.0 >> 5 & 15, self.0 & 31);
        write!(f, "{:04}-{month:02}-{day:02}", 1980 + year)
    }
}

/// A time of day as DOS writes it: hour, minute and half the second, in 5, 6 and 5 bits
/// ([MS-CIFS] 2.2.1.4.2, SMB_TIME).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DosTime(
    /// The bits.
    pub u16,
);

impl fmt::Display for DosTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hours, minutes, pairs) = (self.0 >> 11, self.0 >> 5 & 63, self.0 & 31);
        write!(f, "{hours:02}:{minutes:02}:{:02}", 2 * pairs)
    }
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
///
/// Counts in eras of 400 years (146,097 days) that begin on 1 March, so that the leap day
/// is the last of its year (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
#[must_use]
pub fn civil(days: i64) -> (i64, i64, i64) {
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

    #[test]
    fn any_number_is_shown() {
        for ticks in (0..64).flat_map(|n| [1 << n, u64::MAX >> n, u64::MAX << n]) {
            assert!(!FileTime(ticks).to_string().is_empty());
        }
    }

    #[test]
    fn times_of_dos_and_seconds() {
        assert_eq!(
            LocalSeconds(951_827_696).to_string(),
            "2000-02-29 12:34:56 local"
        );
        assert_eq!(LocalSeconds(0).to_string(), "not given");
        assert_eq!(LocalSeconds(u32::MAX).to_string(), "leave as it is");
        // 1998-05-12: 18 << 9 | 5 << 5 | 12; 17:03:58: 17 << 11 | 3 << 5 | 29.
        assert_eq!(DosDate(0x24ac).to_string(), "1998-05-12");
        assert_eq!(DosTime(0x887d).to_string(), "17:03:58");
        assert_eq!(DosDate(0xffff).to_string(), "2107-15-31");
    }
}
