//! Durations and moments, as they are typed.

use std::fmt;
use std::str::FromStr;
use wirewait::Timestamp;
use wirewait_report::Rfc3339;

/// A span of time: a decimal number and a unit, seconds if there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) nanos: i64,
}

const UNITS: [(&str, i64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("", 1_000_000_000),
];

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        UNITS
            .iter()
            .find(|(name, _)| *name == unit.trim())
            .and_then(|(_, nanos)| decimal(number, *nanos))
            .map(|nanos| Self { nanos })
            .ok_or_else(|| "write a duration like 30s, 1.5s, 500ms, 20us or 2min".to_owned())
    }
}

/// Reads a span of time with its unit: a number alone could be seconds or milliseconds and is refused.
pub(crate) fn with_unit(text: &str) -> Result<Span, String> {
    let span: Span = text.parse()?;
    let alone = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    match alone && span.nanos != 0 {
        true => Err(format!(
            "write the unit: {text}ms (milliseconds) or {text}s (seconds)"
        )),
        false => Ok(span),
    }
}

/// Reads a span of time that is not empty, with its unit.
pub(crate) fn lasting(text: &str) -> Result<Span, String> {
    let span = with_unit(text)?;
    match span.nanos {
        0 => Err("it has to be more than 0".to_owned()),
        _ => Ok(span),
    }
}

/// Reads a span of time of one second at most.
pub(crate) fn within_a_second(text: &str) -> Result<Span, String> {
    let span = with_unit(text)?;
    match span.nanos {
        0..=1_000_000_000 => Ok(span),
        _ => Err("it cannot be more than 1s".to_owned()),
    }
}

/// How far local time is ahead of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Zone {
    pub(crate) seconds_east: i32,
}

impl FromStr for Zone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (sign, rest) = match text.split_at_checked(1) {
            Some(("+", rest)) => (1, rest),
            Some(("-", rest)) => (-1, rest),
            _ if matches!(text, "UTC" | "Z") => (1, "0"),
            _ => (1, text),
        };
        let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
        let number = |text: &str, most| {
            let digits = text.bytes().all(|b| b.is_ascii_digit());
            text.parse::<i32>().ok().filter(|n| digits && *n <= most)
        };
        // The farthest there are: UTC-12 and UTC+14.
        match (number(hours, 14), number(minutes, 59)) {
            (Some(hours), Some(minutes)) => Ok(Self {
                seconds_east: sign * (hours * 3600 + minutes * 60),
            }),
            _ => Err("write a distance from UTC like +01:00, -5 or UTC".to_owned()),
        }
    }
}

/// `number` times `unit`, exactly; what is less than a nanosecond is dropped.
fn decimal(number: &str, unit: i64) -> Option<i64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let whole: i64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let mut nanos = whole.checked_mul(unit)?;
    let mut worth = unit;
    for digit in fraction.bytes() {
        // A nanosecond has no tenths, and a unit that is no power of ten (min, h) has
        // enough of them to come out exact.
        worth /= 10;
        nanos = nanos.checked_add(i64::from(digit - b'0').checked_mul(worth)?)?;
    }
    Some(nanos)
}

/// A point in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// On the clock of the capture.
    Absolute(Timestamp),
    /// This long after the first frame.
    AfterStart(Span),
}

impl Moment {
    /// The time it stands for in a capture that begins at `start`.
    pub(crate) fn in_capture(self, start: Timestamp) -> Timestamp {
        match self {
            Self::Absolute(at) => at,
            Self::AfterStart(span) => start.plus(span.nanos),
        }
    }
}

/// As it can be typed: seconds after the start, or RFC 3339.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absolute(at) => Rfc3339(*at).fmt(f),
            Self::AfterStart(Span { nanos }) => {
                let (seconds, fraction) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
                write!(f, "{seconds}.{fraction:09}")
            }
        }
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(span) = text.parse() {
            return Ok(Self::AfterStart(span));
        }
        text.parse::<jiff::Timestamp>()
            .ok()
            .and_then(|at| i64::try_from(at.as_nanosecond()).ok())
            .map(|nanos| Self::Absolute(Timestamp::from_nanos(nanos)))
            .ok_or_else(|| {
                "write seconds from the start of the capture (90, 1.5, 2min), or a time with \
                 its zone (2026-11-20T07:00:00Z)"
                    .to_owned()
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanos(text: &str) -> Option<i64> {
        text.parse::<Span>().ok().map(|span| span.nanos)
    }

    #[test]
    fn zones_count_east_of_utc() {
        let zone = |text: &str| text.parse::<Zone>().map(|z| z.seconds_east);
        assert_eq!(zone("+01:00"), Ok(3600));
        assert_eq!(zone("-5"), Ok(-18_000));
        assert_eq!(zone("-03:30"), Ok(-12_600));
        assert_eq!(zone("UTC"), Ok(0));
        for wrong in ["", "+", "CET", "+15", "1:60", "+-1", "1:2:3"] {
            assert!(zone(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_number_alone_is_no_limit() {
        assert_eq!(
            with_unit("2000").unwrap_err(),
            "write the unit: 2000ms (milliseconds) or 2000s (seconds)"
        );
        assert!(with_unit("0").is_ok() && with_unit("2s").is_ok());
        assert!(lasting("60").is_err() && within_a_second("0.5").is_err());
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(nanos("30"), Some(30_000_000_000));
        assert_eq!(nanos("1.5"), Some(1_500_000_000));
        assert_eq!(nanos(".25s"), Some(250_000_000));
        assert_eq!(nanos("500ms"), Some(500_000_000));
        assert_eq!(nanos("20 µs"), Some(20_000));
        assert_eq!(nanos("7us"), Some(7_000));
        assert_eq!(nanos("7ns"), Some(7));
        assert_eq!(nanos("2min"), Some(120_000_000_000));
        assert_eq!(nanos("1.25min"), Some(75_000_000_000));
        assert_eq!(nanos("0.000000001"), Some(1));
        assert_eq!(nanos("0.0000000019"), Some(1), "rounded down");
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in [
            "",
            ".",
            "s",
            "-1",
            "1.2.3",
            "1m",
            "one",
            "1e3",
            "9999999999999h",
            "1 2",
        ] {
            assert_eq!(nanos(text), None, "{text}");
        }
    }

    #[test]
    fn moments_are_relative_or_have_a_zone() {
        let start = Timestamp::from_parts(1_000, 0);
        let at = |text: &str| text.parse::<Moment>().map(|m| m.in_capture(start));
        assert_eq!(at("90"), Ok(Timestamp::from_parts(1_090, 0)));
        assert_eq!(at("1.5"), Ok(Timestamp::from_parts(1_001, 500_000_000)));
        assert_eq!(at("1970-01-01T00:00:01Z"), Ok(Timestamp::from_parts(1, 0)));
        assert_eq!(
            at("1970-01-01T02:00:01.000000005+02:00"),
            Ok(Timestamp::from_parts(1, 5))
        );
        for text in ["90.500000000", "2026-11-20T07:00:00.000000001Z"] {
            assert_eq!(text.parse::<Moment>().unwrap().to_string(), text);
        }
        assert!(at("2026-11-20T07:00:00").is_err(), "which zone?");
        assert!(at("3000-01-01T00:00:00Z").is_err(), "cannot be held");
        assert!(at("yesterday").is_err());
    }
}
