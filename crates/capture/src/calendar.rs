//! Dates without a time zone, as the formats of the DOS age hold them.

use wirewait_wire::Timestamp;

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
    /// The date and the time of day in UTC.
    pub(crate) fn of_utc(at: Timestamp) -> Self {
        let seconds = at.as_nanos().div_euclid(1_000_000_000);
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        // As in `seconds`, backwards: days from 1 March of the year 0, years from March on.
        let days = days + 719_468;
        let (cycle, of_cycle) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let of_four_years = of_cycle - of_cycle / 1460 + of_cycle / 36_524 - of_cycle / 146_096;
        let year = of_four_years / 365;
        let day = of_cycle - (year * 365 + year / 4 - year / 100);
        let month = (day * 5 + 2) / 153;
        let january = month >= 10;
        // The years of a `Timestamp` are 1677 to 2262; the other fields are smaller.
        Self {
            year: (cycle * 400 + year + i64::from(january)) as u16,
            month: (if january { month - 9 } else { month + 3 }) as u16,
            day: (day - (month * 153 + 2) / 5 + 1) as u16,
            hour: (second / 3600) as u16,
            minute: (second / 60 % 60) as u16,
            second: (second % 60) as u16,
        }
    }

    /// Whether there is such a day.
    fn is_date(self) -> bool {
        let multiple_of = |years| self.year.is_multiple_of(years);
        let leap = multiple_of(4) && (!multiple_of(100) || multiple_of(400));
        let days = match self.month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => 0,
        };
        (1..=days).contains(&self.day)
    }

    /// Seconds since 1970, read as UTC. What is out of range is carried over, as C's
    /// `mktime` does: the day before the first of a month is the last of the one before.
    fn seconds(self) -> i64 {
        // No field exceeds 16 bits: nothing here comes near the limits of 64.
        let months = i64::from(self.year) * 12 + i64::from(self.month) - 1;
        // Years from March on, so that the leap day is the last of its year.
        let shifted = months - 2;
        let (year, month) = (shifted.div_euclid(12), shifted.rem_euclid(12));
        let (cycle, of_cycle) = (year.div_euclid(400), year.rem_euclid(400));
        let leap_days = of_cycle / 4 - of_cycle / 100;
        let days = cycle * 146_097
            + of_cycle * 365
            + leap_days
            // Days of the months before, March being the first: 31, 30, 31, 30, 31, ...
            + (month * 153 + 2) / 5
            + i64::from(self.day)
            - 1
            // From 1 March of the year 0 to 1 January 1970.
            - 719_468;
        days * 86_400
            + i64::from(self.hour) * 3600
            + i64::from(self.minute) * 60
            + i64::from(self.second)
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
                    let morning = Timestamp::from_parts(seconds + 3661, 999_999_999);
                    let told = Civil {
                        hour: 1,
                        minute: 1,
                        second: 1,
                        ..date(year, month, day)
                    };
                    assert_eq!(Civil::of_utc(morning), told);
                    last = seconds;
                }
            }
        }
    }

    #[test]
    fn a_time_before_1970_has_a_date_too() {
        let last = Civil {
            hour: 23,
            minute: 59,
            second: 59,
            ..date(1969, 12, 31)
        };
        assert_eq!(Civil::of_utc(Timestamp::from_nanos(-1)), last);
        // `date -u -d @-9223372037`, the first second of a `Timestamp`.
        let first = Civil::of_utc(Timestamp::from_nanos(i64::MIN));
        assert_eq!((first.year, first.month, first.day), (1677, 9, 21));
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
