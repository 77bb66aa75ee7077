//! The arguments of `wirewait live`.

use super::{AnalysisArgs, OutputArgs, ProfileArgs, RIGHTS, ScreenArgs, SymptomArgs, TextArgs};
use crate::condition::{self, CaptureCondition};
use crate::size::Size;
use crate::when::{Span, Zone};
use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// Notes at the end of `live --help`.
pub(crate) fn more() -> String {
    format!("{CAPTURING}\n\n{RIGHTS}\n\n{ENDING}")
}

const CAPTURING: &str = "\
Capturing requires CAP_NET_RAW; without it, an error shows the `sudo setcap` line that grants it. \
Or another program captures: `dumpcap -i eth0 -w - | wirewait live -`. Once the interfaces are open, \
only the threads that copy frames keep CAP_NET_RAW, to reopen an interface that disappeared; they \
parse no frame.";

const ENDING: &str = "\
The first Ctrl-C (or SIGTERM, SIGHUP) ends the capture and prints the report; the second one ends \
the program at once. With --listen or --interval and without a terminal, SIGHUP reads the \
configuration and opens the file of rows again.

Conditions (--fail-if) are those of `report --help`: 'server % > 40', 'p99 > 50ms', 'turnaround.p95 of \
smb2 READ > 20ms', 'unanswered > 0'. A condition on a figure without data counts as held.";

#[derive(Debug, Args)]
pub(crate) struct LiveArgs {
    /// -: analyse the capture that another program writes to the standard input
    #[arg(value_name = "-", value_parser = only_stdin)]
    #[cfg_attr(feature = "libpcap", arg(conflicts_with = "interface"))]
    pub(crate) source: Option<PathBuf>,
    /// Interface; repeatable [default: the busiest interface]
    #[cfg(feature = "libpcap")]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) interface: Vec<String>,
    /// List the interfaces and exit
    #[cfg(feature = "libpcap")]
    #[arg(short = 'D', long, conflicts_with_all = ["source", "interface"])]
    pub(crate) list_interfaces: bool,
    /// Capture filter (pcap-filter syntax): 'host 10.0.0.1 and tcp port 445'
    #[cfg(feature = "libpcap")]
    #[arg(short, long, value_name = "EXPRESSION")]
    pub(crate) filter: Option<String>,
    /// Bytes captured per frame; below about 300, names and requests are cut off, and so is what begins behind the cut
    #[cfg(feature = "libpcap")]
    #[arg(long, hide_short_help = true, value_name = "BYTES", default_value_t = 65_535, value_parser = clap::value_parser!(u32).range(64..=262_144))]
    pub(crate) snaplen: u32,
    /// Kernel buffer per interface: 64M, 512K, 1G
    #[cfg(feature = "libpcap")]
    #[arg(
        long,
        hide_short_help = true,
        value_name = "BYTES",
        default_value = "64M"
    )]
    pub(crate) buffer: Buffer,
    /// Disable promiscuous mode
    #[cfg(feature = "libpcap")]
    #[arg(short = 'p', long, hide_short_help = true)]
    pub(crate) no_promiscuous: bool,
    /// Direction to capture: frames received (in), sent (out), or both
    #[cfg(feature = "libpcap")]
    #[arg(long, hide_short_help = true, value_enum, default_value_t = Way::Both)]
    pub(crate) direction: Way,
    /// Disable capture batching (higher CPU cost)
    #[cfg(feature = "libpcap")]
    #[arg(long, hide_short_help = true)]
    pub(crate) immediate: bool,
    /// Save all frames to a pcapng FILE; with --save-size or --save-time, to numbered files
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Maximum size of a saved file: 100M, 1G
    #[arg(long, value_name = "BYTES", requires = "save")]
    pub(crate) save_size: Option<FileSize>,
    /// Maximum duration of a saved file: 10min, 1h
    #[arg(long, value_name = "DURATION", requires = "save", value_parser = some_time)]
    pub(crate) save_time: Option<Span>,
    /// Number of saved files to keep; the oldest is deleted first
    #[arg(long, value_name = "N", requires = "save", value_parser = some_files)]
    pub(crate) save_files: Option<usize>,
    /// Capture for 10 seconds and report (--duration 10s)
    #[arg(long, conflicts_with = "duration")]
    pub(crate) once: bool,
    /// Stop after this time and report
    #[arg(long, value_name = "DURATION")]
    pub(crate) duration: Option<Span>,
    /// Stop after N frames and report
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,
    /// Format of the final report; ndjson writes one line per request as it completes, pcapng each
    /// frame
    #[arg(long, value_enum, default_value_t = LiveFormat::Text)]
    pub(crate) format: LiveFormat,
    /// With --format ndjson: figures of each interval of this length (10s, 1min) instead of requests
    #[arg(long, value_name = "DURATION", value_parser = seconds)]
    pub(crate) interval: Option<Span>,
    /// Metrics for Prometheus at http://ADDRESS:PORT/metrics, without the screen: 127.0.0.1:9464
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Exit with code 4 if the condition holds at the end, such as 'p99 > 50ms'; repeatable
    #[arg(long, value_name = "CONDITION", value_parser = condition::limit)]
    pub(crate) fail_if: Vec<CaptureCondition>,
    /// Time zone of a capture with local times on the standard input: +01:00, -5
    #[arg(
        long,
        hide_short_help = true,
        value_name = "ZONE",
        allow_hyphen_values = true,
        requires = "source"
    )]
    pub(crate) zone: Option<Zone>,
    #[command(flatten)]
    pub(crate) text: TextArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) symptoms: SymptomArgs,
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl LiveArgs {
    /// What is wrong with them together.
    pub(crate) fn mistake(&self) -> Option<&'static str> {
        if self.duration.is_some_and(|duration| duration.nanos == 0) {
            return Some("--duration has to be more than 0");
        }
        if self.interval.is_some() && self.format != LiveFormat::Ndjson {
            return Some("--interval: only for rows; add --format ndjson");
        }
        if self.symptoms.explain.is_some() && self.format != LiveFormat::Text {
            return Some("--explain: only for --format text; json and csv hold all judgements");
        }
        None
    }

    /// After how many nanoseconds it ends.
    pub(crate) fn length(&self) -> Option<u64> {
        const ONCE: Span = Span {
            nanos: 10_000_000_000,
        };
        let length = self.duration.or(self.once.then_some(ONCE))?;
        Some(length.nanos.unsigned_abs())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LiveFormat {
    Text,
    Json,
    Csv,
    Ndjson,
    /// Frames as they come, with comments on those that matter, for Wireshark
    Pcapng,
}

#[cfg(feature = "libpcap")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Way {
    Both,
    In,
    Out,
}

/// The size of a buffer.
#[cfg(feature = "libpcap")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Buffer {
    pub(crate) bytes: u32,
}

#[cfg(feature = "libpcap")]
impl FromStr for Buffer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        bytes(text)
            .and_then(|bytes| u32::try_from(bytes).ok())
            .filter(|bytes| (1 << 16..=1 << 30).contains(bytes))
            .map(|bytes| Self { bytes })
            .ok_or_else(|| "write a size from 64K to 1G, like 64M".to_owned())
    }
}

/// The size of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileSize {
    pub(crate) bytes: u64,
}

impl FromStr for FileSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        bytes(text)
            .filter(|bytes| *bytes >= 1 << 16)
            .map(|bytes| Self { bytes })
            .ok_or_else(|| "write a size from 64K on, like 100M or 2G".to_owned())
    }
}

fn bytes(text: &str) -> Option<u64> {
    text.parse::<Size>().ok().map(|size| size.bytes)
}

fn some_time(text: &str) -> Result<Span, String> {
    let span: Span = text.parse()?;
    match span.nanos {
        0 => Err("it has to be more than 0".to_owned()),
        _ => Ok(span),
    }
}

/// The length of an interval: figures are taken at the end of each.
fn seconds(text: &str) -> Result<Span, String> {
    let span: Span = text.parse()?;
    match span.nanos {
        1_000_000_000..=86_400_000_000_000 => Ok(span),
        _ => Err("write a duration from 1s to 24h".to_owned()),
    }
}

fn some_files(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(files) if files > 0 => Ok(files),
        _ => Err("write a number from 1 on".to_owned()),
    }
}

fn only_stdin(text: &str) -> Result<PathBuf, String> {
    if text == "-" {
        return Ok(text.into());
    }
    Err("write -i NAME for an interface, and `wirewait report FILE` for a file".to_owned())
}

/// A condition that needs nothing to compare with.
/// An address with a port, as `--listen` takes it.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let port = |ip: std::net::IpAddr| SocketAddr::new(ip, 9464).to_string();
        let example = text
            .parse()
            .map_or_else(|_| "127.0.0.1:9464".to_owned(), port);
        format!("write an IP address and a port: {example}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "libpcap")]
    #[test]
    fn sizes_of_buffers_have_bounds() {
        let bytes = |text: &str| text.parse::<Buffer>().ok().map(|buffer| buffer.bytes);
        assert_eq!(bytes("64M"), Some(64 << 20));
        assert_eq!(bytes("64 KiB"), Some(1 << 16));
        assert_eq!(bytes("1G"), Some(1 << 30));
        assert_eq!(bytes("100000"), Some(100_000));
        // As every other size: exactly what is written.
        assert_eq!(bytes("1.5M"), Some(3 << 19));
        for text in ["", "M", "63K", "2G", "5G", "-1M", "1T", "1.55M"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_of_files_may_be_large() {
        let bytes = |text: &str| text.parse::<FileSize>().ok().map(|size| size.bytes);
        assert_eq!(bytes("100M"), Some(100 << 20));
        assert_eq!(bytes("8G"), Some(8 << 30));
        for text in ["", "0", "1K", "-1M", "99999999999G"] {
            assert_eq!(bytes(text), None, "{text}");
        }
        assert!(some_time("0").is_err() && some_files("0").is_err());
    }

    #[test]
    fn intervals_have_bounds() {
        let nanos = |text: &str| seconds(text).ok().map(|span| span.nanos);
        assert_eq!(nanos("1"), Some(1_000_000_000));
        assert_eq!(nanos("24h"), Some(86_400_000_000_000));
        for text in ["0", "999ms", "25h", "-1s", "soon"] {
            assert_eq!(nanos(text), None, "{text}");
        }
    }

    #[test]
    fn conditions_compare_with_a_limit_only() {
        assert!(condition::limit("p99 > 50ms").is_ok());
        assert!(
            condition::limit("p99 > +10%")
                .unwrap_err()
                .contains("limit")
        );
        assert!(condition::limit("p99").is_err());
    }
}
