//! The only clock there is: the time stamp of a frame.

/// A point in time: nanoseconds since 1970-01-01 00:00:00 UTC.
///
/// Covers the years 1677 to 2262; conversions from wider values saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From nanoseconds since the epoch.
    #[must_use]
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// From whole seconds since the epoch and nanoseconds into that second.
    /// `nanos` may exceed a second (a damaged record); the result saturates.
    #[must_use]
    pub const fn from_parts(seconds: i64, nanos: u32) -> Self {
        Self(
            seconds
                .saturating_mul(1_000_000_000)
                .saturating_add(nanos as i64),
        )
    }

    /// Nanoseconds since the epoch.
    #[must_use]
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// Nanoseconds from `earlier` to `self`; negative if `self` is the earlier one.
    #[must_use]
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// This moment, `nanos` nanoseconds later (earlier if negative).
    #[must_use]
    pub const fn plus(self, nanos: i64) -> Self {
        Self(self.0.saturating_add(nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_exact_and_saturate() {
        let a = Timestamp::from_parts(1_700_000_000, 999_999_999);
        let b = Timestamp::from_parts(1_700_000_001, 0);
        assert_eq!(b.since(a), 1);
        assert_eq!(a.since(b), -1);
        assert_eq!(a.plus(1), b);
        assert_eq!(
            Timestamp::from_parts(i64::MAX, 5).as_nanos(),
            i64::MAX,
            "a damaged record does not wrap"
        );
    }
}
