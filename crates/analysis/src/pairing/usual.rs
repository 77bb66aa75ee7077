//! How long requests take that are asked once, by which that of a repeated one is judged.

/// Fewer do not show it.
const LEAST: u32 = 4;
/// The latest of them are looked at: as many, and those before.
const ROUND: u32 = 64;
/// By chance, one response in this number comes right behind a copy that nothing else asked for.
pub(super) const RIGHT_BEHIND: i64 = 16;
/// And where it is not known how long others take, one in this number.
const AT_ONCE: i64 = 256;
/// The response to a copy takes as many times the longest of others at most.
const LONGER: i64 = 3;
/// A server of which some response takes this part of the time between copies may be slower at times.
const SLOW: i64 = 4;

/// The turnarounds of requests that were asked once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UsualTurnarounds {
    count: u32,
    /// The longest of this round, and of the one before, ns.
    longest: [i64; 2],
}

impl UsualTurnarounds {
    /// One took so long, ns.
    #[inline]
    pub(super) fn took(&mut self, ns: i64) {
        self.count = self.count.wrapping_add(1);
        self.longest[0] = self.longest[0].max(ns);
        if self.count.is_multiple_of(ROUND) {
            self.longest = [0, self.longest[0]];
        }
    }

    /// Whether a response that came `behind` the last copy of its request, ns, and `all` that time behind the first, is the
    /// one to the copy: it came right behind it, as soon as others come behind their requests, and the server was not known to
    /// take anything like that long.
    #[cold]
    #[inline(never)]
    pub(super) fn answers_copy(&self, behind: i64, all: i64) -> bool {
        let copied = all.saturating_sub(behind);
        let longest = self.longest[0].max(self.longest[1]);
        if self.count < LEAST {
            return behind.saturating_mul(AT_ONCE) <= copied;
        }
        behind.saturating_mul(RIGHT_BEHIND) <= copied
            && behind <= longest.saturating_mul(LONGER)
            && longest.saturating_mul(SLOW) <= copied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After that number of requests of 5 ms, and one of this length, ms: whether a response so long behind a copy at
    /// 500 ms, us, is the one to that.
    fn answers(times: u32, one: i64, behind: i64) -> bool {
        let mut usual = UsualTurnarounds::default();
        for _ in 0..times {
            usual.took(5_000);
        }
        usual.took(one * 1_000);
        usual.answers_copy(behind, 500_000 + behind)
    }

    #[test]
    fn a_response_to_a_copy_comes_as_soon_as_others() {
        assert!(answers(20, 5, 5_000));
        assert!(answers(20, 5, 15_000));
        assert!(!answers(20, 5, 16_000), "a server that took 516");
        assert!(answers(20, 125, 31_250));
        assert!(!answers(20, 125, 31_251), "not right behind it");
        assert!(!answers(20, 126, 5_000), "it may have taken 505");
        assert!(answers(3, 5, 5_000));
        assert!(!answers(2, 5, 5_000), "too few");
        assert!(answers(2, 5, 1_953), "at once");
        assert!(!answers(2, 5, 1_954));
    }

    #[test]
    fn what_was_long_ago_is_forgotten() {
        let mut usual = UsualTurnarounds::default();
        usual.took(400);
        for _ in 0..126 {
            usual.took(5);
        }
        assert!(!usual.answers_copy(5, 505));
        usual.took(5);
        assert!(usual.answers_copy(5, 505));
    }
}
