//! What this program itself takes of the machine.

use std::time::Duration;

/// Processor time and memory; `None` where the system does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Own {
    /// Processor time since the start, of all threads.
    pub(crate) processor: Option<Duration>,
    /// Memory that is the program's alone, bytes: not what it shares with the system, such as
    /// the buffers of a capture.
    pub(crate) memory: Option<u64>,
    /// The most memory it ever had, bytes, shared memory included.
    pub(crate) peak: Option<u64>,
}

impl Own {
    /// As it stands.
    pub(crate) fn now() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self {
            processor: processor(),
            memory: kilobytes(&status, "RssAnon:"),
            peak: kilobytes(&status, "VmHWM:"),
        }
    }

    /// In words, as far as known.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> {
        let mib = |bytes: u64| (bytes + (1 << 19)) >> 20;
        [
            self.processor
                .map(|time| format!("{:.2} s of processor time", time.as_secs_f64())),
            self.peak.map(|bytes| {
                format!(
                    "{} MiB of memory at most, buffers of the system included",
                    mib(bytes)
                )
            }),
        ]
        .into_iter()
        .flatten()
    }
}

#[cfg(target_os = "linux")]
fn processor() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(
        u64::try_from(time.tv_sec).ok()?,
        u32::try_from(time.tv_nsec).ok()?,
    ))
}

#[cfg(not(target_os = "linux"))]
fn processor() -> Option<Duration> {
    None
}

/// A line of /proc/self/status, in bytes.
fn kilobytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_status() {
        let status = "VmHWM:\t   65536 kB\nRssAnon:\t    1024 kB\nRssFile:\t odd\n";
        assert_eq!(kilobytes(status, "RssAnon:"), Some(1 << 20));
        assert_eq!(kilobytes(status, "VmHWM:"), Some(64 << 20));
        assert_eq!(kilobytes(status, "RssFile:"), None);
        assert_eq!(kilobytes("", "VmHWM:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_program_takes_something() {
        let own = Own::now();
        assert!(own.processor.is_some() && own.memory > Some(0) && own.peak > Some(0));
        assert_eq!(own.words().count(), 2);
    }
}
