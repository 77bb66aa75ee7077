//! Dates without a time zone, as the formats of the DOS age hold them.

use jiff::civil::Date;
use jiff::tz::Offset;

/// Which zone the local times of a file are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Zone {
    /// Seconds east of UTC, if the caller knows.
    pub(crate) offset: Option<i32>,
}

impl Zone {
    /// Nanoseconds since 1970 at which the clocks of this zone showed `civil`.
    pub(crate) fn nanos(self, civil: Civil) -> i64 {
        civil
            .seconds()
            .saturating_sub(i64::from(self.offset.unwrap_or(0)))
            .saturating_mul(1_000_000_000)
    }

    /// What the user of a file should know that gives `civil` as the time of its start.
    pub(crate) fn remarks(self, civil: Civil) -> Vec<String> {
        let mut remarks = Vec::new();
        if !civil.is_date() {
            remarks.push(format!(
                "says that it was captured on {}-{}-{}, which is no date: only the \
                 differences of its times are right",
                civil.year, civil.month, civil.day
            ));
        } else if self.offset.is_none() {
            remarks.push(
                "holds local times and not their time zone: they are taken as UTC and may \
                 be hours off, their differences are right; name the zone (--zone) to mend that"
                    .to_owned(),
            );
        }
        remarks
    }
}

/// A date and a time of day, as a clock on the wall shows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: u16,
    pub(crate) month: u16,
    pub(crate) day: u16,
    pub(crate) hour: u16,
    pub(crate) minute: u16,
    pub(crate) second: u16,
}

impl Civil {
    /// Whether there is such a day.
    fn is_date(self) -> bool {
        let year = i16::try_from(self.year);
        let (month, day) = (i8::try_from(self.month), i8::try_from(self.day));
        matches!((year, month, day), (Ok(year), Ok(month), Ok(day)) if Date::new(year, month, day).is_ok())
    }

    /// Seconds since 1970, read as UTC. What is out of range is carried over, as C's
    /// `mktime` does: the day before the first of a month is the last of the one before.
    fn seconds(self) -> i64 {
        // No field exceeds 16 bits: nothing here comes near the limits of 64.
        let months = i64::from(self.year) * 12 + i64::from(self.month) - 1;
        let year = i16::try_from(months.div_euclid(12));
        // A remainder of 12 fits.
        let month = months.rem_euclid(12) as i8 + 1;
        let first = year.ok().and_then(|year| Date::new(year, month, 1).ok());
        let first = first.and_then(|first| Offset::UTC.to_timestamp(first.into()).ok());
        // A `Timestamp` ends in 2262, long before the years that have no date here.
        first.map_or(i64::MAX, |first| {
            first.as_second()
                + (i64::from(self.day) - 1) * 86_400
                + i64::from(self.hour) * 3600
                + i64::from(self.minute) * 60
                + i64::from(self.second)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(year: u16, month: u16, day: u16) -> Civil {
        Civil {
            year,
            month,
            day,
            ..Civil::default()
        }
    }

    #[test]
    fn days_are_counted_as_everyone_does() {
        // Values of `date -u -d ... +%s`.
        for (civil, seconds) in [
            (date(1970, 1, 1), 0),
            (date(1969, 12, 31), -86_400),
            (date(2000, 2, 29), 951_782_400),
            (date(2000, 3, 1), 951_868_800),
            (date(1999, 1, 1), 915_148_800),
            (date(2100, 3, 1), 4_107_542_400),
            (date(2019, 12, 15), 1_576_368_000),
        ] {
            assert_eq!(civil.seconds(), seconds, "{civil:?}");
            assert!(civil.is_date());
        }
        let noon = Civil {
            hour: 12,
            minute: 34,
            second: 56,
            ..date(1970, 1, 2)
        };
        assert_eq!(noon.seconds(), 86_400 + 45_296);
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut last = date(1979, 12, 31).seconds();
        for year in 1980..2110 {
            for month in 1..=12 {
                for day in (1..=31).filter(|day| date(year, month, *day).is_date()) {
                    let seconds = date(year, month, day).seconds();
                    assert_eq!(seconds, last + 86_400, "{year}-{month}-{day}");
                    last = seconds;
                }
            }
        }
    }

    #[test]
    fn what_is_no_date_is_carried_over_and_remarked() {
        assert_eq!(date(1980, 0, 0).seconds(), date(1979, 11, 30).seconds());
        assert_eq!(date(2001, 14, 1).seconds(), date(2002, 2, 1).seconds());
        for wrong in [date(1980, 0, 0), date(2001, 2, 29), date(2001, 4, 31)] {
            let remarks = Zone { offset: Some(0) }.remarks(wrong);
            assert_eq!(remarks.len(), 1);
            assert!(remarks[0].contains("no date"), "{remarks:?}");
        }
        assert!(Zone::default().remarks(date(10_000, 1, 1))[0].contains("no date"));
        let largest = Civil {
            year: u16::MAX,
            month: u16::MAX,
            day: u16::MAX,
            hour: u16::MAX,
            minute: u16::MAX,
            second: u16::MAX,
        };
        assert_eq!(Zone::default().nanos(largest), i64::MAX);
    }

    #[test]
    fn a_zone_moves_the_moment() {
        let day = date(1970, 1, 2);
        let hour = 3600 * 1_000_000_000;
        let nanos = |offset| Zone { offset }.nanos(day);
        assert_eq!(nanos(None), 24 * hour);
        assert_eq!(nanos(Some(2 * 3600)), 22 * hour, "two hours east of UTC");
        assert_eq!(nanos(Some(-5 * 3600)), 29 * hour, "five hours west of it");
        assert_eq!(Zone::default().remarks(day).len(), 1);
        assert!(Zone { offset: Some(0) }.remarks(day).is_empty());
    }
}
