//! Whether frames came as far apart as the link makes them.

use super::Spacing;
use wirewait_wire::Timestamp;

/// Stamps may be off by so much, ns: most files count in microseconds.
const TOLERANCE_NS: i64 = 1000;

/// Time on the wire in units of 2^-16 ns.
const FRACTION: u32 = 16;

/// Time of one byte at this link speed, in units of 2^-16 ns; `None` at speed 0.
pub(super) fn byte_time(bits_per_second: u64) -> Option<u64> {
    (8_000_000_000u64 << FRACTION).checked_div(bits_per_second)
}

/// Time of `bytes` on the wire, ns, rounded down.
pub(super) fn wire_time_ns(bytes: u64, byte_time: u64) -> i64 {
    let time = (u128::from(bytes) * u128::from(byte_time)) >> FRACTION;
    i64::try_from(time).unwrap_or(i64::MAX)
}

/// Frames of one direction, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spaced {
    last: Option<Timestamp>,
    pub(super) found: Spacing,
}

impl Spaced {
    /// Counts a frame of `bytes` (C) that ended at `at`. Stamps are taken at the end of a frame, so
    /// between two of them lies the whole of the second.
    pub(super) fn add(&mut self, at: Timestamp, bytes: u64, byte_time: Option<u64>) {
        let last = self.last.replace(at);
        let (Some(last), Some(byte_time)) = (last, byte_time) else {
            return;
        };
        let apart = at.since(last);
        if apart >= 0 {
            self.found.pairs += 1;
            let needed = wire_time_ns(bytes, byte_time);
            self.found.too_close += u64::from(apart.saturating_add(TOLERANCE_NS) < needed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_take_the_time_that_their_bytes_take() {
        // Perf definitions, section 7: a frame of 64 bytes is 84 on the wire; at 10 Mbit/s
        // that is 67.2 µs, at 100 Mbit/s 6.72 µs.
        let ten = byte_time(10_000_000).unwrap();
        assert_eq!(wire_time_ns(84, ten), 67_200);
        assert_eq!(wire_time_ns(84, byte_time(100_000_000).unwrap()), 6720);
        let mut spaced = Spaced::default();
        for (at, bytes) in [
            (0, 84),        // the first has none before it
            (67_200, 84),   // back to back
            (133_400, 84),  // 1 µs short: the stamps may be off by that
            (199_599, 84),  // 1001 ns short
            (180_000, 84),  // the clock stepped back
            (2_000_000, 0), // far apart
        ] {
            spaced.add(Timestamp::from_nanos(at), bytes, Some(ten));
        }
        let found = spaced.found;
        assert_eq!((found.pairs, found.too_close), (4, 1));
    }

    #[test]
    fn without_a_speed_nothing_is_judged() {
        let mut spaced = Spaced::default();
        spaced.add(Timestamp::from_nanos(0), 1538, None);
        spaced.add(Timestamp::from_nanos(1), 1538, None);
        assert_eq!(spaced.found, Spacing::default());
        assert_eq!(byte_time(0), None);
    }
}
