//! The options of each command. They know no command: `command.rs` names them all.

mod capture;
mod formats;
mod groups;
mod live;
mod rights;
mod screen;
mod values;

pub(crate) use capture::NamedCapture;

pub(crate) use formats::{
    CompareFormat, CounterFormat, DecodeFormat, GroupBy, ListFormat, ReportFormat, RowFormat,
    TimeFormat,
};
pub(crate) use groups::{
    AnalysisArgs, InputArgs, OutputArgs, PreciseArgs, ProfileArgs, SelectArgs, SymptomArgs,
    TextArgs, ThreadArgs,
};
#[cfg(feature = "libpcap")]
pub(crate) use live::Way;
pub(crate) use live::{LiveArgs, LiveFormat, more as about_live};
pub(crate) use rights::{RIGHTS, RightsArgs};
pub(crate) use screen::ScreenArgs;
pub(crate) use values::{FrameRange, Speed};

use crate::condition::{self, CaptureCondition};
use crate::when::{self, Span};
use clap::Args;
use std::path::PathBuf;
use wirewait::compare::Condition;
use wirewait_report::decode::Selector;

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
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) conversation: Option<u64>,
    /// Exit with code 4 if the condition holds, such as 'server % > 40' or 'p95 > 3ms'; repeatable;
    /// --help describes the syntax
    #[arg(long, value_name = "CONDITION", value_parser = condition::limit)]
    pub(crate) fail_if: Vec<CaptureCondition>,
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
    /// Baseline: FILE, FILE,FILE (one capture in several files), or NAME=FILE; folders and quoted patterns
    /// stand for the files in them
    #[arg(value_name = "BASE")]
    pub(crate) base: NamedCapture,
    /// Captures to compare with the baseline, named in the same way
    #[arg(value_name = "OTHER", required = true)]
    pub(crate) others: Vec<NamedCapture>,
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
pub(crate) struct BetweenArgs {
    /// One capture: FILE, FILE,FILE (one capture in several files), or NAME=FILE; folders and quoted
    /// patterns stand for the files in them
    #[arg(value_name = "CAPTURE")]
    pub(crate) first: NamedCapture,
    /// The other capture of the same traffic, named in the same way; which is nearer to the clients
    /// is found out
    #[arg(value_name = "OTHER")]
    pub(crate) second: NamedCapture,
    /// Output format
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
    #[command(flatten)]
    pub(crate) precise: PreciseArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
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

#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Frame numbers, as Wireshark shows them: 17, 17-20, 17-, or 3,17-20
    #[arg(short = 'F', long, value_name = "N[-M]", value_delimiter = ',')]
    pub(crate) frames: Vec<FrameRange>,
    /// Frames of this transaction, each with its role; numbered as by `transactions` with the same
    /// --since, --until and --filter
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
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
