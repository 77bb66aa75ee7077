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
    #[inline]
    pub const fn since(self, earlier: Self) -> i64 {
        match self.0.checked_sub(earlier.0) {
            Some(nanos) => nanos,
            None => saturated(self.0),
        }
    }

    /// This moment, `nanos` nanoseconds later (earlier if negative).
    #[must_use]
    #[inline]
    pub const fn plus(self, nanos: i64) -> Self {
        match self.0.checked_add(nanos) {
            Some(at) => Self(at),
            None => Self(saturated(nanos)),
        }
    }
}

/// The farthest number on this side of zero. Times are subtracted many times a frame, and only those of damaged
/// records come here: a branch that is never taken costs a third of a choice between both.
#[cold]
#[inline(never)]
const fn saturated(towards: i64) -> i64 {
    if towards < 0 { i64::MIN } else { i64::MAX }
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
        let (first, last) = (Timestamp(i64::MIN), Timestamp(i64::MAX));
        assert_eq!(last.since(first), i64::MAX);
        assert_eq!(first.since(last), i64::MIN);
        assert_eq!(Timestamp(-2).since(last), i64::MIN);
        assert_eq!(Timestamp(0).since(first), i64::MAX);
        assert_eq!(last.plus(1), last);
        assert_eq!(first.plus(-1), first);
    }
}
