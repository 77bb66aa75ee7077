//! Single segments that are acknowledged one by one.
//!
//! A receiver may keep such an acknowledgement waiting, or leave it to the reading of a program. But where a message comes
//! over a slow line, each comes as long behind the one before as its segment takes there, and no program reads as evenly.

use wirewait_wire::Timestamp;

/// As many acknowledgements of a message in a row that come evenly show a line,
const EVEN: u32 = 8;
/// each as long behind the one before as all are on average, give or take this part of it.
const EVENLY: u64 = 8;
/// A segment of fewer bytes is not full.
const FULL: u32 = 1_200;
/// A segment that takes no longer is on no slow line, ns: a program may be as fast.
const LATE_NS: u64 = 100_000;

/// The latest acknowledgements of full segments of a message, one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SingleAnswers {
    at: Timestamp,
    /// How long each segment is.
    bytes: u32,
    count: u32,
    /// How long all of them took, ns.
    total: u64,
}

impl SingleAnswers {
    /// A segment of these bytes that was sent then is acknowledged now; 0 where there were several. How long 1,024 bytes
    /// take on the line, ns, if that came evenly behind others of its message; else 0.
    #[inline]
    pub(super) fn took(&mut self, [sent, now]: [Timestamp; 2], bytes: u32) -> u32 {
        // What was sent behind the acknowledgement before is mostly another message.
        if sent > self.at || bytes == 0 {
            (self.at, self.bytes, self.count, self.total) = (now, bytes, 0, 0);
            return 0;
        }
        self.behind(now, bytes)
    }

    #[cold]
    #[inline(never)]
    fn behind(&mut self, now: Timestamp, bytes: u32) -> u32 {
        let ns = u64::try_from(now.since(self.at)).unwrap_or(0);
        self.at = now;
        let full = bytes >= FULL && bytes == self.bytes;
        let mean = self.total / u64::from(self.count.max(1));
        // The last segment of a message may be shorter.
        let expected = mean.saturating_mul(bytes.into()) / u64::from(self.bytes.max(1));
        let near = ns.abs_diff(expected) <= expected / EVENLY && bytes <= self.bytes;
        let pace = mean.saturating_mul(1_024) / u64::from(self.bytes.max(1));
        let shows = near && self.count >= EVEN && mean >= LATE_NS;
        (self.count, self.total) = match (full, near) {
            (true, true) => (self.count.saturating_add(1), self.total.saturating_add(ns)),
            (true, false) => (1, ns),
            (false, _) => (0, 0),
        };
        self.bytes = bytes;
        match shows {
            true => u32::try_from(pace).unwrap_or(0),
            false => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments of 1,460 bytes that were all sent at 0, and acknowledged then, us: for which of them that came evenly.
    fn even(answers: &[(i64, i64, u32)]) -> Vec<u32> {
        let mut singles = SingleAnswers::default();
        let at = |us: i64| Timestamp::from_nanos(us * 1_000);
        let took = answers
            .iter()
            .map(|(sent, us, bytes)| singles.took([at(*sent), at(*us)], *bytes));
        took.collect()
    }

    /// 3 ms for 1,460 bytes: 2,104 us for 1,024. The first shows none, and eight more show it; a shorter one at the end,
    /// too, if it is as much sooner.
    #[test]
    fn eight_segments_that_come_evenly_show_a_line() {
        let mut answers: Vec<_> = (1..=11).map(|n| (1, 10_000 + n * 3_000, 1_460)).collect();
        answers.push((1, 44_500, 730));
        let took = even(&answers);
        assert_eq!(took[..9], [0; 9]);
        assert_eq!(took[9..], [2_104_109; 3]);
        // Kept waiting for a timer.
        answers[11].1 += 40_000;
        assert_eq!(even(&answers)[11], 0);
        // One that is late by half a millisecond, and what follows it.
        answers[9].1 += 500;
        assert_eq!(even(&answers)[9..], [0; 3]);
    }

    /// Each message of one segment is sent behind the acknowledgement before it, however evenly; and so near is no slow line.
    #[test]
    fn messages_are_no_segments_of_one() {
        let each: Vec<_> = (1..40)
            .map(|n| (n * 3_000 + 10, n * 3_000 + 500, 1_460))
            .collect();
        assert_eq!(even(&each), [0; 39]);
        let short: Vec<_> = (1..40).map(|n| (1, n * 3_000, 1_000)).collect();
        assert_eq!(even(&short), [0; 39]);
        let near: Vec<_> = (1..40).map(|n| (1, n * 90, 1_460)).collect();
        assert_eq!(even(&near), [0; 39]);
        let several: Vec<_> = (1..40).map(|n| (1, n * 3_000, 0)).collect();
        assert_eq!(even(&several), [0; 39]);
    }
}
