//! The command line: commands and their options.

use crate::compare::Configuration;
use crate::condition;
use crate::limits;
use crate::live::args::LiveArgs;
use crate::rights::RightsArgs;
use crate::screen::ScreenArgs;
use crate::symptoms;
use crate::when::{self, Moment, Span, Zone};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use wirewait::compare::Condition;
use wirewait::{Duplex, Settings, Threshold};
use wirewait_report::Digits;
use wirewait_report::decode::Selector;
use wirewait_tui::Pace;

/// Shows where a file server's wait is: in the client, the network or the server
#[derive(Debug, Parser)]
#[command(
    name = "wirewait",
    version,
    about,
    override_usage = "wirewait <COMMAND> ...\n       wirewait FILE...",
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    /// Print a configuration file with all settings, their meaning and their present values
    #[arg(long, hide_short_help = true)]
    pub(crate) print_config: bool,
    #[command(flatten)]
    pub(crate) rights: RightsArgs,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Analyse captures (the default command)
    Report(ReportArgs),
    /// List every request with its response times and frames
    Transactions(TransactionsArgs),
    /// Compare captures with a baseline, with a significance test
    Compare(CompareArgs),
    /// Add up the summaries of several reports
    Merge(MergeArgs),
    /// Show captures on the screen, replayed by their own clock
    View(ViewArgs),
    /// Decode frames: summary, fields, bytes
    Decode(DecodeArgs),
    /// Capture and analyse live, on the screen or for scripts
    Live(LiveArgs),
    /// Print Performance Monitor's network counters for every station
    Counters(CountersArgs),
    /// List the protocols and how each was verified
    Protocols(ProtocolsArgs),
    /// Derive the field positions of DEC LAST from a capture
    LastCalibrate(CalibrateArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual, or write its pages to a folder
    Man(ManArgs),
    /// The text that --print-config prints.
    #[command(skip)]
    PrintConfig(String),
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Output format; the default follows the name of --output
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    #[command(flatten)]
    pub(crate) text: TextArgs,
    /// Conversation to draw as a ladder diagram (html, json) [default: that of the slowest request,
    /// html only]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) conversation: Option<u64>,
    /// Write the sums of this capture to FILE (JSON); `wirewait merge` adds such files up
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    /// Analyse N captures at the same time and print their sums, as `merge` does. Files of one
    /// folder whose names differ only in _00001_20260101120000 (dumpcap, --save) are one capture,
    /// every other file is a capture of its own
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) parallel: Option<u16>,
    /// With --parallel: keep the sums of each capture in FOLDER (made if missing), and take those
    /// that are there instead of analysing the capture again. After an interrupt, the same command
    /// goes on
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub(crate) summaries: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) symptoms: SymptomArgs,
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Summaries: output of `report --summary` or `merge --format json`, in any order
    #[arg(value_name = "SUMMARY", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Sums for each interval of this length (1h, 24h, 15min) of the UTC clock; a summary counts in
    /// the one in which it begins
    #[arg(long, value_name = "DURATION", value_parser = when::lasting)]
    pub(crate) by: Option<Span>,
    /// Output format; json can be merged again (with --by, the summary of each interval)
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
    #[command(flatten)]
    pub(crate) precise: PreciseArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TransactionsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Output format; the default follows the name of --output
    #[arg(long, value_enum, default_value_t = RowFormat::Text)]
    pub(crate) format: RowFormat,
    #[command(flatten)]
    pub(crate) precise: PreciseArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Baseline: FILE, FILE,FILE (one capture in several files), or NAME=FILE
    #[arg(value_name = "BASE")]
    pub(crate) base: Configuration,
    /// Captures to compare with the baseline, named in the same way
    #[arg(value_name = "OTHER", required = true)]
    pub(crate) others: Vec<Configuration>,
    /// Rows of the comparison [default: operation; kind if the captures share few operations]
    #[arg(long, value_enum)]
    pub(crate) by: Option<GroupBy>,
    /// Say first what changed while this number of stations was active; rows by load
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "peak")]
    pub(crate) at_load: Option<u32>,
    /// Say first what changed at the peaks, each capture at its own number of active stations
    #[arg(long)]
    pub(crate) peak: bool,
    /// Exit with code 4 if the condition holds for a capture, such as 'response_time > +10%';
    /// repeatable; --help describes the syntax
    #[arg(long, value_name = "CONDITION", value_parser = condition::parse)]
    pub(crate) fail_if: Vec<Condition>,
    /// Output format; the default follows the name of --output
    #[arg(long, value_enum, default_value_t = CompareFormat::Text)]
    pub(crate) format: CompareFormat,
    #[command(flatten)]
    pub(crate) precise: PreciseArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Replay speed: 1 (as captured), 10, or max
    #[arg(long, value_name = "N|max", default_value = "max")]
    pub(crate) speed: Speed,
    /// Start paused
    #[arg(long)]
    pub(crate) paused: bool,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) symptoms: SymptomArgs,
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
}

/// How fast a capture is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Speed(pub(crate) Pace);

impl FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let times = text.strip_suffix('x').unwrap_or(text);
        match times.parse::<u32>() {
            Ok(times) if times > 0 => Ok(Self(Pace::Times(times))),
            _ if text == "max" => Ok(Self(Pace::Max)),
            _ => Err("write 1, 10 or another whole number, or max".to_owned()),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Frame numbers, as Wireshark shows them: 17, 17-20, 17-, or 3,17-20
    #[arg(short = 'F', long, value_name = "N[-M]", value_delimiter = ',')]
    pub(crate) frames: Vec<FrameRange>,
    /// Frames of this transaction, each with its role; numbered as by `transactions` with the same
    /// --since, --until and --filter
    #[arg(long, value_name = "N")]
    pub(crate) transaction: Option<u64>,
    /// Frames that match an expression: smb1, host 00-00-1b-12-34-56, src 10.0.0.1, dst port 445,
    /// command READ*, smb2.MessageId == 5; with and, or, not, ( )
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) show: Option<String>,
    /// Output format; json is one object per line, parquet and arrow one row per frame
    #[arg(long, value_enum, default_value_t = DecodeFormat::Text)]
    pub(crate) format: DecodeFormat,
    /// Print the fields of every layer, and the bytes
    #[arg(short, long, conflicts_with = "format")]
    pub(crate) detail: bool,
    /// Mark a layer or field in details and bytes: smb1, smb1.Command, "tcp.Source port"
    #[arg(long, value_name = "LAYER[.FIELD]", conflicts_with = "format")]
    pub(crate) select: Vec<Selector>,
    /// Time column: seconds since the first frame, UTC, or since the frame shown before
    #[arg(long, value_enum, default_value_t = TimeFormat::Relative)]
    pub(crate) time: TimeFormat,
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CountersArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Output format; Windows' own tools read pdh-csv. All but text may need a temporary file (in
    /// TMPDIR) for long captures
    #[arg(long, value_enum, default_value_t = CounterFormat::Text)]
    pub(crate) format: CounterFormat,
    /// Sample interval
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = when::lasting)]
    pub(crate) interval: Span,
    /// Stop with an error above N values (samples times counters) in all formats but text; one
    /// frame with a wrong time stamp makes hundreds of millions
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20_000_000,
        hide_short_help = true
    )]
    pub(crate) max_values: u64,
    #[command(flatten)]
    pub(crate) precise: PreciseArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ProtocolsArgs {
    /// Protocol names, also colloquial ones: NetBEUI, NetWare, CIFS, LAN Manager
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write one page per command to this folder, which is created if missing
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
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
    /// Threads: with 2, one beside the analysis reads ahead and makes the statistics, with 3 there
    /// is one for each; results are the same [default: as many as there are processors, 3 at most]
    #[arg(
        long,
        value_name = "1|2|3",
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

#[derive(Debug, Args)]
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
        hide_short_help = true
    )]
    think: Span,
    /// Blocking requests (locks) answered later than this count as waiting by design
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "100ms",
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ways {
    Half,
    Full,
}

/// A link speed as people write it: `10M`, `2.5G`, `56k`, `1200b`. A number alone could be bits or
/// megabits and is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkSpeed {
    bits_per_second: u64,
}

impl FromStr for LinkSpeed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = match text[number.len()..].trim() {
            "b" | "bps" | "bit/s" => Some(1),
            "k" | "K" => Some(1000),
            "M" | "m" => Some(1_000_000),
            "G" | "g" => Some(1_000_000_000),
            _ => None,
        };
        // Tenths will do: 2.5G, 1.5M.
        let (whole, tenth) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let whole = digits(whole).then(|| whole.parse::<u64>().ok()).flatten();
        let tenth = (digits(tenth) && tenth.len() == 1).then(|| tenth.parse::<u64>().ok());
        unit.zip(whole)
            .zip(tenth.flatten())
            .and_then(|((unit, whole), tenth)| {
                whole.checked_mul(unit)?.checked_add(tenth * unit / 10)
            })
            .filter(|bits_per_second| *bits_per_second > 0)
            .map(|bits_per_second| Self { bits_per_second })
            .ok_or_else(|| {
                match text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
                    true => format!(
                        "write the unit: {text}M (Mbit/s), {text}k (kbit/s) or {text}b (bit/s)"
                    ),
                    false => {
                        "write a rate in bits per second like 10M, 2.5G, 56k or 1200b".to_owned()
                    }
                }
            })
    }
}

#[derive(Debug, Args)]
pub(crate) struct SymptomArgs {
    /// Threshold of a symptom: slow_answer_ms=250 (listed by --print-config); repeatable
    #[arg(long, value_name = "NAME=N", value_parser = symptoms::threshold, hide_short_help = true)]
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
    #[arg(long, overrides_with = "short")]
    full: bool,
    /// Print one screen: verdict, symptoms, slowest requests (the default at a terminal)
    #[arg(long, overrides_with = "full")]
    short: bool,
    #[command(flatten)]
    pub(crate) precise: PreciseArgs,
}

/// How many digits people see.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct PreciseArgs {
    /// Print durations with all digits instead of three
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Text,
    Json,
    Csv,
    Html,
    /// The capture, with comments on the frames that matter, for Wireshark
    Pcapng,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    Text,
    Json,
    Csv,
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GroupBy {
    /// Operations of the same protocol and name
    Operation,
    /// Classes of operations: reads with reads, whatever the protocol
    Kind,
    /// Servers with the same address
    Server,
    /// Clients with the same address
    Client,
    /// Shares with the same name, whichever the server
    Share,
    /// Files with the same name on shares with the same name
    File,
    /// Times with the same number of active stations
    Load,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowFormat {
    Text,
    Ndjson,
    Csv,
    /// Apache Parquet, compressed with zstd
    #[cfg(feature = "columns")]
    Parquet,
    /// Apache Arrow's file format (Feather), compressed with zstd
    #[cfg(feature = "columns")]
    Arrow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CounterFormat {
    Text,
    Csv,
    PdhCsv,
    Json,
    /// Apache Parquet, compressed with zstd
    #[cfg(feature = "columns")]
    Parquet,
    /// Apache Arrow's file format (Feather), compressed with zstd
    #[cfg(feature = "columns")]
    Arrow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecodeFormat {
    Text,
    Json,
    /// Apache Parquet, compressed with zstd
    #[cfg(feature = "columns")]
    Parquet,
    /// Apache Arrow's file format (Feather), compressed with zstd
    #[cfg(feature = "columns")]
    Arrow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeFormat {
    Relative,
    Absolute,
    Delta,
}

/// Formats that are files of columns.
#[cfg(feature = "columns")]
macro_rules! in_columns {
    ($($kind:ty),+) => {$(
        impl $kind {
            /// The format of columns, if it is one.
            pub(crate) const fn columns(self) -> Option<wirewait_rows::Format> {
                match self {
                    Self::Parquet => Some(wirewait_rows::Format::Parquet),
                    Self::Arrow => Some(wirewait_rows::Format::Arrow),
                    _ => None,
                }
            }
        }
    )+};
}
#[cfg(feature = "columns")]
in_columns!(RowFormat, CounterFormat, DecodeFormat);

/// Frame numbers, counted from 1: `17`, `17-20`, `17-` (to the end).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrameRange(pub(crate) RangeInclusive<u64>);

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.parse::<u64>().ok().filter(|n| *n > 0);
        let first = number(first);
        let last = match last {
            "" => Some(u64::MAX),
            last => number(last),
        };
        match (first, last) {
            (Some(first), Some(last)) if first <= last => Ok(Self(first..=last)),
            _ => Err("write 17, 17-20 or 17-; the first frame is 1".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_of_links_are_written_as_people_name_them() {
        let speed = |text: &str| text.parse::<LinkSpeed>().ok().map(|s| s.bits_per_second);
        assert_eq!(speed("10M"), Some(10_000_000));
        assert_eq!(speed("2.5G"), Some(2_500_000_000));
        assert_eq!(speed("56 k"), Some(56_000));
        assert_eq!(speed("1200b"), Some(1200));
        assert_eq!(speed("9600 bps"), Some(9600));
        for text in [
            "",
            "0",
            "M",
            "1000",
            "10T",
            "fast",
            "1.25G",
            "-1",
            "99999999999999G",
        ] {
            assert_eq!(speed(text), None, "{text}");
        }
    }
}
