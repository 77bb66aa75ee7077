//! When the screen is fed: as often as the user wants it, and less often where it costs too much.

use std::time::{Duration, Instant};

/// Feeds may take one part in this number of parts of the time.
const SHARE: u32 = 20;

/// Never rarer than this, however long it takes.
const RAREST: Duration = Duration::from_secs(10);

/// Beats, and knows how long making a feed took.
#[derive(Debug)]
pub(super) struct Pulse {
    next: Instant,
    /// From one feed to the next, where that costs little.
    wanted: Duration,
    every: Duration,
    /// It was said that feeds are rarer.
    rare: bool,
}

impl Pulse {
    pub(super) fn new(now: Instant, wanted: Duration) -> Self {
        Self {
            next: now,
            wanted,
            every: wanted,
            rare: false,
        }
    }

    /// When the next feed is due.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// The next feed is due at once.
    pub(super) fn hurry(&mut self, now: Instant) {
        self.next = self.next.min(now);
    }

    /// No feed could be made; the next one is due as if it had been.
    pub(super) fn skipped(&mut self, now: Instant) {
        self.next = now + self.every;
    }

    /// A feed was made, and took so long. Says what the user should know of that.
    pub(super) fn made(&mut self, now: Instant, took: Duration) -> Option<String> {
        let wanted = took.saturating_mul(SHARE);
        // Down at once, up bit by bit: one feed that was held up by others says little.
        self.every = match wanted > self.every {
            true => (self.every + wanted) / 2,
            false => wanted,
        }
        .clamp(self.wanted, RAREST.max(self.wanted));
        self.next = now + self.every;
        let rare = self.every >= 4 * self.wanted;
        if rare == self.rare {
            return None;
        }
        self.rare = rare;
        Some(match rare {
            true => format!(
                "putting the figures together takes {} ms: they are renewed every {}.{} s",
                took.as_millis(),
                self.every.as_secs(),
                self.every.subsec_millis() / 100
            ),
            false => "the figures are renewed as often as before again".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY: Duration = ms(250);

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn what_is_cheap_is_done_four_times_a_second() {
        let begin = Instant::now();
        let mut pulse = Pulse::new(begin, EVERY);
        assert_eq!(pulse.next(), begin);
        // 5 % of 250 ms is 12.5 ms.
        assert_eq!(pulse.made(begin, ms(12)), None);
        assert_eq!(pulse.next(), begin + EVERY);
        pulse.hurry(begin + ms(100));
        assert_eq!(pulse.next(), begin + ms(100));
    }

    #[test]
    fn what_costs_more_than_a_twentieth_is_done_less_often_and_said_once() {
        let begin = Instant::now();
        let mut pulse = Pulse::new(begin, EVERY);
        // 100 ms are 5 % of 2 s: half the way there, (250 + 2000) / 2.
        let said = pulse.made(begin, ms(100)).unwrap();
        assert!(
            said.contains("100 ms") && said.contains("every 1.1 s"),
            "{said}"
        );
        assert_eq!(pulse.next(), begin + ms(1125));
        for _ in 0..20 {
            assert_eq!(pulse.made(begin, ms(100)), None);
        }
        assert!(pulse.next() > begin + ms(1990), "as good as there");
        // However long it takes, the screen does not stand still.
        pulse.made(begin, Duration::from_secs(60));
        pulse.made(begin, Duration::from_secs(60));
        assert_eq!(pulse.next(), begin + RAREST);
        assert!(pulse.made(begin, ms(1)).unwrap().contains("again"));
        assert_eq!(pulse.next(), begin + EVERY);
    }

    #[test]
    fn who_wants_it_rarely_has_it_rarely() {
        let begin = Instant::now();
        let minute = Duration::from_secs(60);
        let mut pulse = Pulse::new(begin, minute);
        assert_eq!(pulse.made(begin, ms(900)), None);
        assert_eq!(pulse.next(), begin + minute);
    }
}
