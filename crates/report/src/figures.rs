//! How figures are written, and the few that are formed only when they are printed.

use std::fmt;
use wirewait_analysis::{Counts, FrameSums, OperationKey, WHOLE_FRAME};
use wirewait_wire::Kind;

/// A count with a comma at every third digit.
#[derive(Clone, Copy, Debug)]
pub struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

/// Thousandths as a decimal number, shown with three significant digits, and no more than three
/// behind the point: `0.667`, `1.03`, `1,235`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Milli(pub u64);

impl Milli {
    /// `part / whole`, rounded half up; `None` if `whole` is 0.
    #[must_use]
    pub fn ratio(part: u64, whole: u64) -> Option<Self> {
        if whole == 0 {
            return None;
        }
        let (part, whole) = (u128::from(part), u128::from(whole));
        let thousandths = (part * 2000 + whole) / (2 * whole);
        Some(Self(u64::try_from(thousandths).unwrap_or(u64::MAX)))
    }

    pub(crate) fn number(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl fmt::Display for Milli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("0"),
            n => significant(f, u128::from(n), 1000),
        }
    }
}

/// Writes `parts / unit` with three significant digits, rounded half up; below 1 with three behind
/// the point. `unit` is at least 1000, and the unit is not changed: `999.6` is `1,000`.
fn significant(f: &mut fmt::Formatter<'_>, parts: u128, unit: u128) -> fmt::Result {
    let rounded = |steps: u128| (parts.saturating_mul(2 * steps) + unit) / (2 * unit);
    for (steps, digits) in [(1000, 3), (100, 2), (10, 1)] {
        let n = rounded(steps);
        if n < 1000 {
            return write!(f, "{}.{:0digits$}", n / steps, n % steps);
        }
    }
    write!(
        f,
        "{}",
        Grouped(u64::try_from(rounded(1)).unwrap_or(u64::MAX))
    )
}

/// Frames, some of which may be shared out: `1,200`, `20.500`.
pub(crate) struct Frames(pub(crate) Milli);

impl fmt::Display for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Milli(thousandths) = self.0;
        write!(f, "{}", Grouped(thousandths / 1000))?;
        match thousandths % 1000 {
            0 => Ok(()),
            part => write!(f, ".{part:03}"),
        }
    }
}

/// A share of a whole in per cent, rounded half up to 0.1 %.
#[derive(Clone, Copy, Debug)]
pub struct Percent(pub u64, pub u64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Milli::ratio(self.0, self.1) {
            Some(Milli(tenths)) => write!(f, "{}.{} %", tenths / 10, tenths % 10),
            None => f.write_str("-"),
        }
    }
}

/// A part of a whole, with its share: `8 of 169 (4.7 %)`; a dash where there is nothing to divide by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartOf(pub(crate) u64, pub(crate) u64);

impl fmt::Display for PartOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(part, whole) = *self;
        match whole {
            0 => f.write_str("-"),
            _ => write!(
                f,
                "{} of {} ({})",
                Grouped(part),
                Grouped(whole),
                Percent(part, whole)
            ),
        }
    }
}

/// From one figure to another, with the unit once where it is the same: `45.8 to 48.9 %`,
/// `3.00 to 603 ms`, `981 µs to 1.20 ms`.
#[must_use]
pub fn range(low: &str, high: &str) -> String {
    let same = low.split_once(' ').zip(high.split_once(' '));
    match same.filter(|((_, unit), (_, other))| unit == other) {
        Some(((number, _), _)) => format!("{number} to {high}"),
        None => format!("{low} to {high}"),
    }
}

/// A data rate in decimal units, to three digits: `999 B/s`, `1.23 MB/s`.
#[derive(Clone, Copy, Debug)]
pub struct Rate(pub u64);

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            n @ 0..1000 => return write!(f, "{n} B/s"),
            1000..999_500 => (1000, "kB/s"),
            999_500..999_500_000 => (1_000_000, "MB/s"),
            _ => (1_000_000_000, "GB/s"),
        };
        significant(f, u128::from(self.0), unit)?;
        write!(f, " {name}")
    }
}

/// Bits per second in decimal units, to three digits; whole numbers without a fraction:
/// `56 kbit/s`, `9.87 Mbit/s`.
#[derive(Clone, Copy, Debug)]
pub struct BitRate(pub u64);

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            n @ 0..1000 => return write!(f, "{n} bit/s"),
            1000..999_500 => (1000, "kbit/s"),
            999_500..999_500_000 => (1_000_000, "Mbit/s"),
            _ => (1_000_000_000, "Gbit/s"),
        };
        let bits = u128::from(self.0);
        // A link has a round speed.
        match (bits + unit / 200) / (unit / 100) {
            hundredths if hundredths % 100 == 0 => write!(f, "{}", hundredths / 100)?,
            _ => significant(f, bits, unit)?,
        }
        write!(f, " {name}")
    }
}

impl BitRate {
    /// The rate of `bytes` bytes in `ns` nanoseconds; `None` if no time passed.
    #[must_use]
    pub fn of(bytes: u64, ns: i64) -> Option<Self> {
        let ns = u128::try_from(ns).ok().filter(|ns| *ns > 0)?;
        let bits = u128::from(bytes) * 8 * 1_000_000_000 / ns;
        Some(Self(u64::try_from(bits).unwrap_or(u64::MAX)))
    }
}

/// The name of an operation; one without a name is told by its number.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// What the specification calls it, or `UNKNOWN`.
    pub name: &'static str,
    /// The protocol's number for it.
    pub code: u32,
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            "UNKNOWN" => f.pad(&format!("UNKNOWN_0x{:02X}", self.code)),
            name => f.pad(name),
        }
    }
}

/// An operation with its protocol: `smb2 READ`, and what carried it where that is not said elsewhere.
pub(crate) fn operation(of: &OperationKey) -> String {
    let command = Command {
        name: of.command,
        code: of.code,
    };
    match of.kind {
        Kind::Wait => format!("{} {command} (wait)", of.protocol),
        _ => format!("{} {command}", of.protocol),
    }
}

/// Mean frames on the wire per request that carry its messages, and that only acknowledge them: two
/// numbers that say different things (definitions, section 4).
#[must_use]
pub fn frames_per_request(frames: &FrameSums, counts: &Counts) -> (Option<Milli>, Option<Milli>) {
    // A response whose request was not captured is an exchange too, and its frames are in
    // the sums.
    let exchanges = counts.requests.saturating_add(counts.orphan_responses);
    (
        Milli::ratio(frames.data(), exchanges),
        Milli::ratio(frames.ack, exchanges),
    )
}

/// Whole and parts of frames: [`WHOLE_FRAME`]ths in thousandths, rounded half up.
pub(crate) fn frames(shares: u64) -> Milli {
    Milli::ratio(shares, WHOLE_FRAME).unwrap_or(Milli(0))
}

/// Frames as a display filter of Wireshark: `frame.number in {126, 168}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InWireshark(pub(crate) std::collections::BTreeSet<u64>);

impl fmt::Display for InWireshark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, frame) in self.0.iter().enumerate() {
            let before = if n == 0 { "frame.number in {" } else { ", " };
            write!(f, "{before}{frame}")?;
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_ranges_have_one_notation() {
        assert_eq!(PartOf(8, 1_690).to_string(), "8 of 1,690 (0.5 %)");
        assert_eq!(PartOf(0, 0).to_string(), "-");
        assert_eq!(range("45.8 %", "48.9 %"), "45.8 to 48.9 %");
        assert_eq!(range("981 µs", "1.20 ms"), "981 µs to 1.20 ms");
        assert_eq!(range("1", "2"), "1 to 2");
    }

    #[test]
    fn frames_are_a_display_filter() {
        let frames = [168, 126, 168].into_iter().collect();
        assert_eq!(
            InWireshark(frames).to_string(),
            "frame.number in {126, 168}"
        );
    }

    #[test]
    fn counts_are_grouped() {
        let shown = |n| Grouped(n).to_string();
        assert_eq!(shown(0), "0");
        assert_eq!(shown(999), "999");
        assert_eq!(shown(1000), "1,000");
        assert_eq!(shown(123_456), "123,456");
        assert_eq!(shown(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn ratios_are_rounded_half_up_and_without_a_whole_there_is_none() {
        assert_eq!(Milli::ratio(1, 0), None);
        assert_eq!(Milli::ratio(2, 3), Some(Milli(667)));
        assert_eq!(Milli::ratio(1, 2000), Some(Milli(1)));
        assert_eq!(Milli::ratio(1, 2001), Some(Milli(0)));
        assert_eq!(
            Milli::ratio(u64::MAX, 1),
            Some(Milli(u64::MAX)),
            "saturates"
        );
        let milli = |n| Milli(n).to_string();
        assert_eq!(
            [0, 7, 667, 999, 1000, 1034, 1035, 9994, 9995, 99_949, 99_950].map(milli),
            [
                "0", "0.007", "0.667", "0.999", "1.00", "1.03", "1.04", "9.99", "10.0", "99.9",
                "100"
            ]
        );
        assert_eq!([999_499, 1_234_567].map(milli), ["999", "1,235"]);
        assert_eq!(Frames(Milli(1_200_000)).to_string(), "1,200");
        assert_eq!(Frames(Milli(1_020_050)).to_string(), "1,020.050");
        assert_eq!(Percent(1, 8).to_string(), "12.5 %");
        assert_eq!(Percent(0, 0).to_string(), "-");
    }

    #[test]
    fn rates_have_decimal_units() {
        let shown = |n| Rate(n).to_string();
        assert_eq!(shown(999), "999 B/s");
        assert_eq!(shown(1000), "1.00 kB/s");
        assert_eq!(shown(1_074_700), "1.07 MB/s");
        assert_eq!(shown(38_270), "38.3 kB/s");
        assert_eq!(shown(999_499), "999 kB/s");
        assert_eq!(shown(999_500), "1.00 MB/s");
        assert_eq!(shown(999_499_999), "999 MB/s");
        assert_eq!(shown(999_500_000), "1.00 GB/s");
        assert_eq!(shown(12_500_000_000), "12.5 GB/s");
    }

    #[test]
    fn bit_rates_are_those_of_links() {
        let shown = |n| BitRate(n).to_string();
        assert_eq!(shown(300), "300 bit/s");
        assert_eq!(shown(56_000), "56 kbit/s");
        assert_eq!(shown(9_870_000), "9.87 Mbit/s");
        assert_eq!(shown(98_765_000), "98.8 Mbit/s");
        assert_eq!(shown(999_995_000), "1 Gbit/s");
        assert_eq!(shown(2_500_000_000), "2.50 Gbit/s");
        let of = |bytes, ns| BitRate::of(bytes, ns).map(|rate| rate.0);
        assert_eq!(of(1538, 10_000_000), Some(1_230_400));
        assert_eq!(of(1538, 0), None);
    }

    #[test]
    fn an_unknown_operation_is_told_by_its_number() {
        let shown = |name, code| Command { name, code }.to_string();
        assert_eq!(shown("READ", 8), "READ");
        assert_eq!(shown("UNKNOWN", 0xf), "UNKNOWN_0x0F");
        assert_eq!(shown("UNKNOWN", 0x2222), "UNKNOWN_0x2222");
    }

    #[test]
    fn frames_per_request_are_two_numbers() {
        let frames = FrameSums {
            request: 10,
            interim: 1,
            response: 31,
            ack: 16,
            control: 99,
            retransmitted: 99,
            offloaded: 0,
        };
        let counts = Counts {
            requests: 10,
            ..Counts::default()
        };
        let both = frames_per_request(&frames, &counts);
        assert_eq!(both, (Some(Milli(4200)), Some(Milli(1600))));
        // One of the frames was 45 on the wire (definitions, section 4).
        let frames = FrameSums {
            offloaded: 44,
            ..frames
        };
        let both = frames_per_request(&frames, &counts);
        assert_eq!(both, (Some(Milli(8600)), Some(Milli(1600))));
    }
}
