//! Time stamps as pcapng counts them: in any power of ten or two of a second.

use wirewait_wire::Timestamp;

/// How a time stamp of an interface counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    unit: Unit,
    /// Seconds to be added (`if_tsoffset`).
    offset: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// 10^-9 or longer: nanoseconds of a tick.
    Nanos(u32),
    /// Shorter than 10^-9: ticks of a nanosecond.
    PerNano(u64),
    /// A power of two: 2^-n of a second.
    Binary(u8),
    /// So short that no 64-bit count of it reaches a nanosecond.
    Nothing,
}

impl Clock {
    /// That of an interface which does not say.
    pub(crate) const MICROSECONDS: Self = Self {
        unit: Unit::Nanos(1000),
        offset: 0,
    };

    /// From `if_tsresol`: the top bit chooses the base, the rest is the exponent.
    pub(crate) fn new(resolution: u8, offset: i64) -> Self {
        let exponent = resolution & 0x7f;
        let unit = if resolution & 0x80 != 0 {
            Unit::Binary(exponent)
        } else if exponent <= 9 {
            Unit::Nanos(10_u32.pow(9 - u32::from(exponent)))
        } else {
            10_u64
                .checked_pow(u32::from(exponent) - 9)
                .map_or(Unit::Nothing, Unit::PerNano)
        };
        Self { unit, offset }
    }

    /// The moment at which the count was `ticks`, to the nanosecond (rounded down).
    #[inline]
    pub(crate) fn at(&self, ticks: u64) -> Timestamp {
        // At most 2^64 * 2^30: 128 bits hold every product.
        let nanos = match self.unit {
            Unit::Nanos(length) => u128::from(ticks) * u128::from(length),
            Unit::PerNano(count) => u128::from(ticks / count),
            Unit::Binary(exponent) => (u128::from(ticks) * 1_000_000_000) >> exponent,
            Unit::Nothing => 0,
        };
        // Both summands are below 2^94 in size.
        let nanos = nanos as i128 + i128::from(self.offset) * 1_000_000_000;
        moment(nanos)
    }
}

/// Nanoseconds since 1970, or the end of time that is nearer.
#[inline]
pub(crate) fn moment(nanos: i128) -> Timestamp {
    Timestamp::from_nanos(i64::try_from(nanos).unwrap_or(if nanos < 0 {
        i64::MIN
    } else {
        i64::MAX
    }))
}
