//! Values of options, as people write them.

use clap::ValueEnum;
use std::ops::RangeInclusive;
use std::str::FromStr;
use wirewait::Threshold;
use wirewait_report::symptoms;
use wirewait_tui::Pace;

/// How fast a capture is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Speed(pub(crate) Pace);

impl FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let times = text.strip_suffix('x').unwrap_or(text);
        match times.parse::<u32>() {
            Ok(times) if times > 0 => Ok(Self(Pace::Times(times))),
            _ if text == "max" => Ok(Self(Pace::Max)),
            _ => Err("write 1, 10 or another whole number, or max".to_owned()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ways {
    Half,
    Full,
}

/// A link speed as people write it: `10M`, `2.5G`, `56k`, `1200b`. A number alone could be bits or
/// megabits and is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkSpeed {
    pub(super) bits_per_second: u64,
}

impl FromStr for LinkSpeed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = match text[number.len()..].trim() {
            "b" | "bps" | "bit/s" => Some(1),
            "k" | "K" => Some(1000),
            "M" | "m" => Some(1_000_000),
            "G" | "g" => Some(1_000_000_000),
            _ => None,
        };
        // Tenths will do: 2.5G, 1.5M.
        let (whole, tenth) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let whole = digits(whole).then(|| whole.parse::<u64>().ok()).flatten();
        let tenth = (digits(tenth) && tenth.len() == 1).then(|| tenth.parse::<u64>().ok());
        unit.zip(whole)
            .zip(tenth.flatten())
            .and_then(|((unit, whole), tenth)| {
                whole.checked_mul(unit)?.checked_add(tenth * unit / 10)
            })
            .filter(|bits_per_second| *bits_per_second > 0)
            .map(|bits_per_second| Self { bits_per_second })
            .ok_or_else(|| {
                let zero = !number.is_empty() && number.bytes().all(|b| matches!(b, b'0' | b'.'));
                if zero {
                    return "no link has a speed of 0; leave the option out if it is not known"
                        .to_owned();
                }
                match text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
                    true => format!(
                        "write the unit: {text}M (Mbit/s), {text}k (kbit/s) or {text}b (bit/s)"
                    ),
                    false => {
                        "write a rate in bits per second like 10M, 2.5G, 56k or 1200b".to_owned()
                    }
                }
            })
    }
}

/// Frame numbers, counted from 1: `17`, `17-20`, `17-` (to the end).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrameRange(pub(crate) RangeInclusive<u64>);

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.parse::<u64>().ok().filter(|n| *n > 0);
        let first = number(first);
        let last = match last {
            "" => Some(u64::MAX),
            last => number(last),
        };
        match (first, last) {
            (Some(first), Some(last)) if first <= last => Ok(Self(first..=last)),
            _ => Err("write 17, 17-20 or 17-; the first frame is 1".to_owned()),
        }
    }
}

/// The threshold of a symptom: `NAME=N`.
pub(super) fn threshold(text: &str) -> Result<(Threshold, u64), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| "write NAME=N, such as slow_answer_ms=250".to_owned())?;
    symptoms::threshold(name, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_of_links_are_written_as_people_name_them() {
        let speed = |text: &str| text.parse::<LinkSpeed>().ok().map(|s| s.bits_per_second);
        assert_eq!(speed("10M"), Some(10_000_000));
        assert_eq!(speed("2.5G"), Some(2_500_000_000));
        assert_eq!(speed("56 k"), Some(56_000));
        assert_eq!(speed("1200b"), Some(1200));
        assert_eq!(speed("9600 bps"), Some(9600));
        for text in [
            "",
            "0",
            "M",
            "1000",
            "10T",
            "fast",
            "1.25G",
            "-1",
            "99999999999999G",
        ] {
            assert_eq!(speed(text), None, "{text}");
        }
    }
}
