//! Options that several commands have.

use super::values::{LinkSpeed, Ways, threshold};
use crate::limits;
use crate::when::{self, Moment, Span, Zone};
use clap::Args;
use std::path::PathBuf;
use wirewait::{Duplex, Settings, Threshold};
use wirewait_report::Digits;

#[derive(Clone, Debug, Args)]
pub(crate) struct ProfileArgs {
    /// Field positions of DEC LAST, as `last-calibrate` writes them: `decode -d` shows fields by
    /// them, and sure ones decide which messages belong together
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) last_profile: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct InputArgs {
    /// Capture files, archives (tar, zip), folders, or quoted patterns ("cap/**/*.pcap"); all of
    /// them are one capture in time order
    #[arg(value_name = "FILE", required_unless_present = "files_from")]
    pub(crate) files: Vec<PathBuf>,
    /// Also read the files that this list names, one on each line or separated by zero bytes;
    /// `-` reads the list from the standard input
    #[arg(long, value_name = "LIST")]
    pub(crate) files_from: Option<PathBuf>,
    /// The files come from a folder, a pattern or a list: those that are no captures are listed
    /// and skipped.
    #[arg(skip)]
    pub(crate) gathered: bool,
    /// Folders, patterns and lists that they come from.
    #[arg(skip)]
    pub(crate) places: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct SelectArgs {
    /// Ignore frames before WHEN: time from the start (90, 2min) or 2026-11-20T07:00:00Z
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Moment>,
    /// Ignore frames from WHEN on
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<Moment>,
    /// Capture filter (pcap-filter syntax): 'host 10.0.0.1 and tcp port 445'
    #[cfg(feature = "libpcap")]
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) filter: Option<String>,
    /// Time zone of captures with local times (Sniffer, Network Monitor, LANalyzer): +01:00, -5
    #[arg(
        long,
        value_name = "ZONE",
        allow_hyphen_values = true,
        hide_short_help = true
    )]
    pub(crate) zone: Option<Zone>,
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct ThreadArgs {
    /// Threads: with 2, one beside the analysis reads ahead, keeps accounts and makes the statistics;
    /// with more, one reads ahead and the others do the rest; results are the same [default: as many as
    /// there are processors, 4 at most]
    #[arg(
        long,
        value_name = "1|2|3|4",
        value_parser = clap::value_parser!(u8).range(1..=wirewait::MOST_THREADS as i64),
        hide_short_help = true
    )]
    threads: Option<u8>,
}

impl ThreadArgs {
    /// How many there are.
    pub(crate) fn count(self) -> usize {
        match self.threads {
            Some(threads) => usize::from(threads),
            None => std::thread::available_parallelism()
                .map_or(1, |n| n.get().min(wirewait::MOST_THREADS)),
        }
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct AnalysisArgs {
    /// Count a request as unanswered after this time
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "60s",
        value_parser = when::lasting,
        hide_short_help = true
    )]
    timeout: Span,
    /// Pauses longer than this count as think time, shorter ones as client time
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "500ms",
        value_parser = when::with_unit,
        hide_short_help = true
    )]
    think: Span,
    /// Blocking requests (locks) answered later than this count as waiting by design
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "100ms",
        value_parser = when::with_unit,
        hide_short_help = true
    )]
    wait: Span,
    /// Identical frames within this time count as duplicates (mirror ports)
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "100us",
        value_parser = when::within_a_second,
        hide_short_help = true
    )]
    copies: Span,
    /// Identical packets with an IPv4 identification within this time count as duplicates
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "50ms",
        value_parser = when::within_a_second,
        hide_short_help = true
    )]
    copies_identified: Span,
    /// Link speed in bits per second, instead of that in the capture: 10M, 100M, 1G
    #[arg(long, value_name = "RATE")]
    link_speed: Option<LinkSpeed>,
    /// Duplex mode of the links: half (hub, coaxial cable, ring) or full (switch port)
    #[arg(long, value_enum, value_name = "HALF|FULL", hide_short_help = true)]
    duplex: Option<Ways>,
    /// Replace names of users, shares and files by numbers
    #[arg(long)]
    pub(crate) private: bool,
    /// Table size limits: conversations, open_requests, conversation_requests, held_bytes,
    /// stream_bytes, rows, slowest, names (described by --print-config); repeatable
    #[arg(long, value_name = "NAME=N", value_parser = limits::parse, hide_short_help = true)]
    limit: Vec<limits::Set>,
}

impl AnalysisArgs {
    /// The settings of the analysis.
    pub(crate) fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.timeout_ns = self.timeout.nanos;
        settings.think_ns = self.think.nanos;
        settings.wait_ns = self.wait.nanos;
        settings.duplicate_ns = self.copies.nanos;
        settings.duplicate_id_ns = self.copies_identified.nanos;
        limits::apply(&self.limit, &mut settings);
        settings.link_speed = self.link_speed.map(|speed| speed.bits_per_second);
        settings.duplex = self.duplex.map(|ways| match ways {
            Ways::Half => Duplex::Half,
            Ways::Full => Duplex::Full,
        });
        settings.private = self.private;
        settings
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct SymptomArgs {
    /// Threshold of a symptom: slow_answer_ms=250 (listed by --print-config); repeatable
    #[arg(long, value_name = "NAME=N", value_parser = threshold, hide_short_help = true)]
    pub(crate) threshold: Vec<(Threshold, u64)>,
    /// Texts of symptoms instead of the built-in ones (TOML: a section per symptom, such as
    /// [slow_server], with title = "...")
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) symptom_texts: Option<PathBuf>,
    /// Show how symptoms were judged: evidence for and against, frames; one of them with
    /// --explain=slow_server
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) explain: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Write to FILE instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Do not start $PAGER (less) for text at a terminal
    #[arg(long, hide_short_help = true)]
    pub(crate) no_pager: bool,
}

/// How the text of a report looks.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct TextArgs {
    /// Print all tables (the default unless the output is a terminal)
    #[arg(long, conflicts_with = "short")]
    full: bool,
    /// Print one screen: verdict, symptoms, slowest requests (the default at a terminal)
    #[arg(long)]
    short: bool,
    #[command(flatten)]
    pub(crate) precise: PreciseArgs,
}

/// How many digits people see.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct PreciseArgs {
    /// Print durations to 1 µs instead of with three digits
    #[arg(long)]
    precise: bool,
}

impl TextArgs {
    /// Whether one screen is enough.
    pub(crate) fn is_short(self, terminal: bool) -> bool {
        self.short || terminal && !self.full
    }
}

impl PreciseArgs {
    /// How many digits durations have.
    pub(crate) fn digits(self) -> Digits {
        match self.precise {
            true => Digits::All,
            false => Digits::Three,
        }
    }
}
