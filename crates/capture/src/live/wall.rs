//! Whether the system's clock was set: frames are stamped by it, and nothing else here goes by it.

use std::time::{Duration, Instant, SystemTime};

/// From so much on it is said; what keeps clocks right moves them by less at a time.
const STEP: Duration = Duration::from_secs(1);

/// Between two looks that are to be at the same moment no more may pass.
const AT_ONCE: Duration = Duration::from_millis(100);

/// How late it was by both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wall {
    wall: SystemTime,
    at: Instant,
}

impl Wall {
    pub(super) fn now() -> Self {
        Self {
            wall: SystemTime::now(),
            at: Instant::now(),
        }
    }

    /// What is to be said, if the clock was set since the last look.
    pub(super) fn look(&mut self) -> Option<String> {
        let before = Instant::now();
        let now = Self::now();
        // Who was stopped in between does not know how late it was.
        if now.at.duration_since(before) > AT_ONCE {
            return None;
        }
        self.go_on(now)
    }

    fn go_on(&mut self, now: Self) -> Option<String> {
        let earlier = std::mem::replace(self, now);
        let expected = earlier.wall + now.at.duration_since(earlier.at);
        let (by, way, effect) = match now.wall.duration_since(expected) {
            Ok(by) => (by, "ahead", "waits that were under way look longer by that"),
            Err(error) => (
                error.duration(),
                "back",
                "waits that were under way have no times",
            ),
        };
        (by >= STEP).then(|| {
            format!(
                "went {:.1} s {way} at once (it was set, or the machine slept), and the stamps of \
                 frames with it; {effect}",
                by.as_secs_f64()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_clock_that_is_set_is_told_once() {
        let begin = Wall::now();
        let mut wall = begin;
        let after = |seconds: u64| begin.at + Duration::from_secs(seconds);
        let mut look = |wall_after: Duration, seconds: u64| {
            wall.go_on(Wall {
                wall: begin.wall + wall_after,
                at: after(seconds),
            })
        };
        // As it should be, and a little off.
        assert_eq!(look(Duration::from_secs(1), 1), None);
        assert_eq!(look(Duration::from_millis(2_900), 2), None);
        let ahead = look(HOUR + Duration::from_secs(3), 3).unwrap();
        assert!(ahead.starts_with("went 3599.1 s ahead at once"), "{ahead}");
        assert_eq!(look(HOUR + Duration::from_secs(4), 4), None, "said once");
        let back = look(Duration::from_secs(5), 5).unwrap();
        assert!(back.starts_with("went 3600.0 s back at once"), "{back}");
        assert_eq!(look(Duration::from_secs(6), 6), None);
    }

    /// Half a minute in the background: both clocks went on.
    #[test]
    fn standing_still_is_no_step() {
        let begin = Wall::now();
        let mut wall = begin;
        let passed = Duration::from_secs(30);
        let now = Wall {
            wall: begin.wall + passed,
            at: begin.at + passed,
        };
        assert_eq!(wall.go_on(now), None);
        assert_eq!(Wall::now().look(), None);
    }
}
