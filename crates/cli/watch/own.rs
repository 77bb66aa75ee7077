//! What this program itself takes, for the screen.

use crate::own::Own as Measured;
use std::time::{Duration, Instant};
use wirewait_tui::Own;

/// A share of less than this would jump about.
const OFTEN_ENOUGH: Duration = Duration::from_secs(1);

/// Looks at itself now and then.
#[derive(Debug, Default)]
pub(super) struct Mirror {
    seen: Option<(Instant, Duration)>,
    own: Own,
}

impl Mirror {
    /// What it takes; measured again when a second has passed. Zeros where the system does not
    /// tell.
    pub(super) fn look(&mut self, now: Instant) -> Own {
        let passed = self.seen.map(|(at, _)| now.duration_since(at));
        if passed.is_none_or(|passed| passed >= OFTEN_ENOUGH) {
            self.see(now, passed, Measured::now());
        }
        self.own
    }

    fn see(&mut self, now: Instant, passed: Option<Duration>, measured: Measured) {
        self.own.memory_bytes = measured.memory.unwrap_or(0);
        let Some(processor) = measured.processor else {
            return;
        };
        if let (Some(passed), Some((_, before))) = (passed, self.seen) {
            let busy = processor.saturating_sub(before).as_nanos();
            let share = busy * 1000 / passed.as_nanos().max(1);
            self.own.cpu_thousandths = u32::try_from(share).unwrap_or(u32::MAX);
        }
        self.seen = Some((now, processor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_that_of_the_time_since_the_last_look() {
        let begin = Instant::now();
        let mut mirror = Mirror::default();
        let measured = |ms: u64| Measured {
            processor: Some(Duration::from_millis(ms)),
            memory: Some(5 << 20),
            peak: None,
        };
        mirror.see(begin, None, measured(400));
        assert_eq!(mirror.own.cpu_thousandths, 0, "nothing to compare with yet");
        assert_eq!(mirror.own.memory_bytes, 5 << 20);
        // 300 ms of work in 2 s.
        let two = Duration::from_secs(2);
        mirror.see(begin + two, Some(two), measured(700));
        assert_eq!(mirror.own.cpu_thousandths, 150);
        assert_eq!(mirror.look(begin + two).cpu_thousandths, 150);
    }
}
