//! What this program itself takes, as Linux tells it.

use std::fs::read_to_string;
use std::time::{Duration, Instant};
use wirewait_tui::Own;

/// The system counts hundredths of a second: less than this would be guessed.
const OFTEN_ENOUGH: Duration = Duration::from_secs(1);

/// A clock tick of `/proc`, in milliseconds: USER_HZ is 100 on every machine that Linux runs on.
const TICK_MS: u64 = 10;

/// Looks at itself now and then.
#[derive(Debug, Default)]
pub(super) struct Mirror {
    seen: Option<(Instant, u64)>,
    own: Own,
}

impl Mirror {
    /// What it takes; measured again when a second has passed. Zeros where the system does not
    /// tell.
    pub(super) fn look(&mut self, now: Instant) -> Own {
        let passed = self.seen.map(|(at, _)| now.duration_since(at));
        if passed.is_some_and(|passed| passed < OFTEN_ENOUGH) {
            return self.own;
        }
        let Some(ticks) = read_to_string("/proc/self/stat")
            .ok()
            .and_then(|s| ticks(&s))
        else {
            return self.own;
        };
        if let (Some(passed), Some((_, before))) = (passed, self.seen) {
            let busy_ms = ticks.saturating_sub(before).saturating_mul(TICK_MS);
            let share = u128::from(busy_ms) * 1_000_000 / passed.as_micros().max(1);
            self.own.cpu_thousandths = u32::try_from(share).unwrap_or(u32::MAX);
        }
        self.seen = Some((now, ticks));
        if let Ok(status) = read_to_string("/proc/self/status") {
            self.own.memory_bytes = anonymous(&status).unwrap_or(0);
        }
        self.own
    }
}

/// Clock ticks in the program and in the system on its behalf: fields 14 and 15 (proc(5)).
fn ticks(stat: &str) -> Option<u64> {
    // The name of the program may hold anything, blanks and brackets too.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    user.checked_add(system)
}

/// Memory that is not that of files, bytes.
fn anonymous(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|l| l.strip_prefix("RssAnon:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_is_read_as_proc_5_describes_it() {
        let stat = "4711 (a ) b) S 1 4711 4711 0 -1 4194560 120 0 0 0 250 130 7 9 20 0 4 0 99";
        assert_eq!(ticks(stat), Some(380));
        assert_eq!(ticks("4711 (a) S 1 2"), None);
        assert_eq!(ticks(""), None);
        let status =
            "Name:\twirewait\nVmRSS:\t  9000 kB\nRssAnon:\t    5120 kB\nRssFile:\t 80 kB\n";
        assert_eq!(anonymous(status), Some(5120 * 1024));
        assert_eq!(anonymous("Name:\tx\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn work_is_seen() {
        let mut mirror = Mirror::default();
        let begin = Instant::now();
        let first = mirror.look(begin);
        assert_eq!(first.cpu_thousandths, 0, "nothing to compare with yet");
        assert!(first.memory_bytes > 100_000, "{first:?}");
        let mut sum = 0u64;
        while begin.elapsed() < Duration::from_millis(300) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        // As if a second had passed: 300 ms of work, less what others took, and what the other
        // tests did.
        let own = mirror.look(begin + Duration::from_secs(1));
        assert!(own.cpu_thousandths >= 20, "{own:?}");
    }
}
