//! The command line.

use crate::compare::Configuration;
use crate::condition::{self, CONDITIONS};
use crate::config;
use crate::failure::{self, CODES, Failure};
use crate::limits;
use crate::live;
use crate::live::args::LiveArgs;
use crate::rights::RightsArgs;
use crate::screen::ScreenArgs;
use crate::symptoms;
use crate::when::{self, Moment, Span, Zone};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use wirewait::compare::Condition;
use wirewait::{Duplex, Settings, Threshold};
use wirewait_report::Escaped;
use wirewait_report::decode::Selector;
use wirewait_tui::Pace;

const AFTER_HELP: &str = "\
`wirewait` alone is short for `wirewait live`, `wirewait FILE...` for `wirewait report FILE...`; \
write ./report for a file that is called like a command. `-` is the standard input. What is to \
hold every time can be set in a configuration file or in the environment: --print-config shows \
how, `wirewait man` tells more.";

/// Says where a file server's wait is: in the client, the network or the server.
#[derive(Debug, Parser)]
#[command(
    name = "wirewait",
    version,
    about,
    override_usage = "wirewait <COMMAND> ...\n       wirewait FILE...",
    arg_required_else_help = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
struct Cli {
    /// Prints a configuration file with everything that can be set, what it is for, and what
    /// is set now
    #[arg(long)]
    print_config: bool,
    #[command(flatten)]
    rights: RightsArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The whole analysis of a capture (when no command is named)
    Report(ReportArgs),
    /// One row per transaction
    Transactions(TransactionsArgs),
    /// What changed against a baseline, and whether it is significant
    #[command(after_long_help = CONDITIONS)]
    Compare(CompareArgs),
    /// Sums of several analyses, from what `report --summary` wrote: days, sensors
    Merge(MergeArgs),
    /// The whole analysis on the screen: replays a capture by its own clock
    View(ViewArgs),
    /// Frames, decoded
    Decode(DecodeArgs),
    /// The same from an interface, while it happens
    #[command(after_long_help = live::args::more())]
    Live(LiveArgs),
    /// Performance Monitor's objects and counters, for every station on the wire
    Counters(CountersArgs),
    /// What is understood, and by what it was checked
    Protocols(ProtocolsArgs),
    /// Derives from a capture where the fields of DEC LAST stand
    LastCalibrate(CalibrateArgs),
    /// Completions of the command line for a shell
    Completions(CompletionsArgs),
    /// The manual: one page of everything, or a folder of pages
    Man(ManArgs),
    /// What --print-config prints.
    #[command(skip)]
    PrintConfig(String),
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Shape of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// Shows the frames of this conversation around its slowest request, in html and json;
    /// html shows that of the slowest request of all when none is named
    #[arg(long, value_name = "N")]
    pub(crate) conversation: Option<u64>,
    /// Writes what of the figures can be added to those of other captures into this file, as
    /// JSON; `wirewait merge` adds such files up
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    /// Works N captures through at the same time and prints their sums, as `merge` does. Files
    /// of one folder whose names differ only in _00001_20260101120000, as dumpcap and --save
    /// number them, are one capture; each other file is one of its own
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) parallel: Option<u16>,
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
    /// What `report --summary` or `merge --format json` wrote; the order does not matter
    #[arg(value_name = "SUMMARY", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Shape of the sums; json can be merged again
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TransactionsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Shape of the rows
    #[arg(long, value_enum, default_value_t = RowFormat::Text)]
    pub(crate) format: RowFormat,
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
    /// The baseline: a capture file, or several of one capture between commas; NAME=FILE calls
    /// it so
    #[arg(value_name = "BASE")]
    pub(crate) base: Configuration,
    /// What is compared with it, likewise
    #[arg(value_name = "OTHER", required = true)]
    pub(crate) others: Vec<Configuration>,
    /// What is compared with what [default: operation, or kind where the captures have hardly
    /// an operation in common]
    #[arg(long, value_enum)]
    pub(crate) by: Option<GroupBy>,
    /// Exit with code 4 if this holds for one of the others, such as 'response_time > +10%';
    /// may be given several times. --help explains it
    #[arg(long, value_name = "CONDITION", value_parser = condition::parse)]
    pub(crate) fail_if: Vec<Condition>,
    /// Shape of the comparison
    #[arg(long, value_enum, default_value_t = CompareFormat::Text)]
    pub(crate) format: CompareFormat,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Seconds of the capture in a second: 1, 10 ..., or max for as fast as it can be read
    #[arg(long, value_name = "N|max", default_value = "max")]
    pub(crate) speed: Speed,
    /// Begins standing still
    #[arg(long)]
    pub(crate) paused: bool,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) symptoms: SymptomArgs,
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
    /// Only these frames: 17, 17-20, 17-, or several of them (3,17-20); numbers as in Wireshark
    #[arg(short = 'F', long, value_name = "N[-M]", value_delimiter = ',')]
    pub(crate) frames: Vec<FrameRange>,
    /// Only the frames of this transaction, each with what it does in it; numbers as
    /// `transactions` shows them for the same --since, --until and --filter
    #[arg(long, value_name = "N")]
    pub(crate) transaction: Option<u64>,
    /// Only frames that fit: smb1, nbf, host 00-00-1b-12-34-56, src 10.0.0.1, dst port 445,
    /// command READ*, smb2.MessageId == 5, joined by and, or, not and ( )
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) show: Option<String>,
    /// Shape of the frames; json is one object per line
    #[arg(long, value_enum, default_value_t = DecodeFormat::Text)]
    pub(crate) format: DecodeFormat,
    /// Below each line, its layers with their fields, and the bytes
    #[arg(short, long, conflicts_with = "format")]
    pub(crate) detail: bool,
    /// Marks a layer or a field in the details and among the bytes: smb1, smb1.Command,
    /// "tcp.Source port"
    #[arg(long, value_name = "LAYER[.FIELD]", conflicts_with = "format")]
    pub(crate) select: Vec<Selector>,
    /// Times since the start of the capture, in UTC, or since the frame shown before
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
    /// Shape of the counters; pdh-csv is what Windows' own tools read. Long captures need a
    /// temporary file (in TMPDIR) for all but text
    #[arg(long, value_enum, default_value_t = CounterFormat::Text)]
    pub(crate) format: CounterFormat,
    /// From one reading of the counters to the next
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = when::lasting)]
    pub(crate) interval: Span,
    /// Refuses to write more than N values (times by counters) as csv, pdh-csv or json: one frame
    /// with a wrong time makes hundreds of millions
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub(crate) max_values: u64,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ProtocolsArgs {
    /// Only those called so: NetBEUI, NetWare, CIFS, LAN Manager
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Shape of the list
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
    /// For which shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Writes a page for the program and one for each command into this folder, which is made if
    /// it is not there
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ProfileArgs {
    /// Where the fields of DEC LAST stand, in place of the built-in table: what `last-calibrate`
    /// writes, mended by hand or not. `decode -d` shows the fields by it; no figure depends on it
    #[arg(long, value_name = "FILE")]
    pub(crate) last_profile: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct InputArgs {
    /// Capture files; several are one capture in time order
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct SelectArgs {
    /// Only frames from this moment on: seconds from the start (90, 2min), or
    /// 2026-11-20T07:00:00Z
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Moment>,
    /// Only frames before this moment
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<Moment>,
    /// Only frames that match, in the language of tcpdump ("host 10.0.0.1 and tcp port 445")
    #[cfg(feature = "libpcap")]
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) filter: Option<String>,
    /// Time zone of captures that hold local times (Sniffer, Network Monitor, LANalyzer): +01:00,
    /// -5
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    pub(crate) zone: Option<Zone>,
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct ThreadArgs {
    /// Threads: with 2, one reads frames and their layers ahead of the other, which analyses them.
    /// What comes out is the same. As many as there are processors, if it is not given
    #[arg(
        long,
        value_name = "1|2",
        value_parser = clap::value_parser!(u8).range(1..=2),
        hide_short_help = true
    )]
    threads: Option<u8>,
}

impl ThreadArgs {
    /// Whether a second thread reads ahead.
    pub(crate) fn ahead(self) -> bool {
        match self.threads {
            Some(threads) => threads > 1,
            None => std::thread::available_parallelism().is_ok_and(|n| n.get() > 1),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct AnalysisArgs {
    /// A request without answer is given up after this long
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = when::lasting)]
    timeout: Span,
    /// A longer pause between requests is a user who thinks, a shorter one a client at work
    #[arg(long, value_name = "DURATION", default_value = "500ms")]
    think: Span,
    /// A request that a server may keep waiting (a blocking lock) did wait if it is answered
    /// later than this
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "100ms",
        hide_short_help = true
    )]
    wait: Span,
    /// The same frame once more within this time is one frame that was captured twice
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "100us",
        value_parser = when::within_a_second,
        hide_short_help = true
    )]
    copies: Span,
    /// The same for packets with an identification of their own (IPv4)
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "50ms",
        value_parser = when::within_a_second,
        hide_short_help = true
    )]
    copies_identified: Span,
    /// Bits per second of the links, whatever the capture says of them: 10M, 100M, 1G, 16M, 56k
    #[arg(long, value_name = "RATE")]
    link_speed: Option<LinkSpeed>,
    /// Whether both directions of the links share one way (half: hub, coaxial cable, ring) or
    /// have one each (full: most switch ports)
    #[arg(long, value_enum, value_name = "HALF|FULL")]
    duplex: Option<Ways>,
    /// Show a number instead of each name of a user, share or file, the same for the same
    /// name
    #[arg(long)]
    pub(crate) private: bool,
    /// Table size limits: conversations, open_requests, conversation_requests, held_bytes,
    /// stream_bytes, rows, slowest, names; --print-config explains them. May be given several
    /// times
    #[arg(long, value_name = "NAME=N", value_parser = limits::parse, hide_short_help = true)]
    limit: Vec<limits::Set>,
}

impl AnalysisArgs {
    /// The settings of the analysis.
    pub(crate) fn settings(&self) -> Settings {
        let mut settings = Settings {
            timeout_ns: self.timeout.nanos,
            think_ns: self.think.nanos,
            wait_ns: self.wait.nanos,
            duplicate_ns: self.copies.nanos,
            duplicate_id_ns: self.copies_identified.nanos,
            ..Settings::default()
        };
        for limit in &self.limit {
            limit.apply(&mut settings);
        }
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

/// A bit rate as links are named by it: `10M`, `2.5G`, `56k`, bits per second without a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkSpeed {
    bits_per_second: u64,
}

impl FromStr for LinkSpeed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = match text[number.len()..].trim() {
            "" => Some(1),
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
            .ok_or_else(|| "write a rate in bits per second like 10M, 2.5G or 56k".to_owned())
    }
}

#[derive(Debug, Args)]
pub(crate) struct SymptomArgs {
    /// A threshold of symptoms other than the built-in one: slow_answer_ms=250; --print-config
    /// tells which there are. May be given several times
    #[arg(long, value_name = "NAME=N", value_parser = symptoms::threshold)]
    pub(crate) threshold: Vec<(Threshold, u64)>,
    /// What is said about symptoms in place of the built-in texts: a section `slow_server`, and lines like
    /// title = "..."
    #[arg(long, value_name = "FILE")]
    pub(crate) symptom_texts: Option<PathBuf>,
    /// How each symptom was judged, for and against, with the frames to look at; of one kind only
    /// with --explain=slow_server
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) explain: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Write to this file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Text,
    Json,
    Csv,
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    Text,
    Json,
    Csv,
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowFormat {
    Text,
    Ndjson,
    Csv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CounterFormat {
    Text,
    Csv,
    PdhCsv,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecodeFormat {
    Text,
    Json,
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

/// Reads the arguments of the program, and what is set for it. Ends it after help, and after a
/// mistake in the arguments.
pub(crate) fn parse(
    args: impl Iterator<Item = OsString>,
) -> Result<(Command, RightsArgs), Failure> {
    let mut typed: Vec<OsString> = args.collect();
    // Whoever types only the name wants to see something.
    if typed.len() == 1 && std::io::stdout().is_terminal() {
        typed.push("live".into());
    }
    let args = with_command(typed.clone());
    if let ([_, word], true) = (typed.as_slice(), args != typed)
        && word.to_str().is_some_and(is_like_a_command)
        && !Path::new(word).exists()
    {
        let message = format!("{word:?} is neither a command nor a file");
        exit(
            &Cli::command().error(ErrorKind::InvalidSubcommand, message),
            &typed,
        );
    }
    let settings = match asks_for_help(&args) {
        true => config::Settings::default(),
        false => config::Settings::read(&command(), &args, |name| std::env::var_os(name))?,
    };
    match try_parse(args, &settings) {
        Ok(parsed) => Ok(parsed),
        Err(error) => exit(&error, &typed),
    }
}

/// Shows help, or a mistake in the arguments, and ends the program. What was typed cannot command
/// the terminal that it is shown in.
fn exit(error: &clap::Error, typed: &[OsString]) -> ! {
    let typed: Vec<_> = typed.iter().map(|arg| arg.to_string_lossy()).collect();
    if !typed.iter().any(|arg| arg.contains(Escaped::is_needed)) {
        error.exit();
    }
    let mut text = error.render().to_string();
    let parts = |arg| -> Vec<&str> {
        let arg: &str = arg;
        std::iter::once(arg).chain(arg.split('=').skip(1)).collect()
    };
    for part in typed.iter().flat_map(|arg| parts(arg)) {
        if part.contains(Escaped::is_needed) {
            let harmless = Escaped(part).to_string();
            // Colours are taken away with whatever looks like them.
            let plain = anstream::adapter::strip_str(part).to_string();
            text = text.replace(part, &harmless).replace(&plain, &harmless);
        }
    }
    failure::tell(&text);
    std::process::exit(error.exit_code())
}

/// All commands and options there are.
pub(crate) fn command() -> clap::Command {
    let codes = CODES.map(|(code, meaning)| format!("{code} {meaning}"));
    let help = format!("{AFTER_HELP}\n\nExit codes: {}.", codes.join("; "));
    config::with_options(Cli::command().after_help(help))
}

/// A single word that may be a mistyped command; files tend to have dots and slashes.
fn is_like_a_command(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase())
}

/// Whether help is wanted, or the manual: a mistake in a configuration is not in their way.
fn asks_for_help(args: &[OsString]) -> bool {
    let mut typed = args.iter().skip(1).take_while(|arg| *arg != "--");
    let place = 1 + config::leading(args.get(1..).unwrap_or_default());
    let manual = ["completions", "man"];
    args.get(place)
        .is_some_and(|word| manual.iter().any(|name| word == name))
        || typed.any(|arg| HELP.iter().any(|flag| arg == flag))
}

const HELP: [&str; 4] = ["-h", "--help", "-V", "--version"];

pub(crate) fn try_parse(
    mut args: Vec<OsString>,
    settings: &config::Settings,
) -> Result<(Command, RightsArgs), clap::Error> {
    let place = 1 + config::leading(args.get(1..).unwrap_or_default());
    settings.named(&command(), &mut args, place);
    let matches = settings.defaults(command()).try_get_matches_from(args)?;
    let cli = Cli::from_arg_matches(&matches)?;
    if cli.print_config {
        let text = config::template(&command(), settings);
        return Ok((Command::PrintConfig(text), cli.rights));
    }
    let wrong = |kind, message: &str| Cli::command().error(kind, message);
    let missing = || {
        wrong(
            ErrorKind::MissingSubcommand,
            "a command or a file is missing",
        )
    };
    let command = cli.command.ok_or_else(missing)?;
    check(&command).map_err(|message| wrong(ErrorKind::ValueValidation, &message))?;
    Ok((command, cli.rights))
}

/// Names the command `report` where none is named.
fn with_command(mut args: Vec<OsString>) -> Vec<OsString> {
    let known = |first: &OsString| {
        first == "--print-config"
            || HELP.iter().any(|flag| first == flag)
            || Cli::command()
                .get_subcommands()
                .any(|c| first == c.get_name())
    };
    let place = 1 + config::leading(args.get(1..).unwrap_or_default());
    if args.get(place).is_some_and(|first| !known(first)) {
        args.insert(place, "report".into());
    }
    args
}

/// What one value alone does not show.
fn check(command: &Command) -> Result<(), String> {
    let select = match command {
        Command::Report(args) => &args.input.select,
        Command::Transactions(args) => &args.input.select,
        Command::Compare(args) => &args.select,
        Command::View(args) => &args.input.select,
        Command::Decode(args) => &args.input.select,
        Command::Counters(args) => &args.input.select,
        Command::LastCalibrate(args) => &args.input.select,
        Command::Live(args) => {
            let mistake = args.mistake();
            return mistake.map_or(Ok(()), |mistake| Err(mistake.to_owned()));
        }
        Command::Merge(_)
        | Command::Protocols(_)
        | Command::Completions(_)
        | Command::Man(_)
        | Command::PrintConfig(_) => return Ok(()),
    };
    let empty = match (select.since, select.until) {
        (Some(Moment::Absolute(since)), Some(Moment::Absolute(until))) => since >= until,
        (Some(Moment::AfterStart(since)), Some(Moment::AfterStart(until))) => {
            since.nanos >= until.nanos
        }
        _ => false,
    };
    if empty {
        return Err("--until has to be later than --since".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Command, ErrorKind> {
        let args = std::iter::once("wirewait").chain(args.iter().copied());
        let args = with_command(args.map(OsString::from).collect());
        let parsed = try_parse(args, &config::Settings::default());
        parsed
            .map(|(command, _)| command)
            .map_err(|error| error.kind())
    }

    fn report(args: &[&str]) -> ReportArgs {
        match parse(args) {
            Ok(Command::Report(args)) => args,
            other => panic!("{args:?} is {other:?}"),
        }
    }

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn speeds_of_links_are_written_as_people_name_them() {
        let speed = |text: &str| text.parse::<LinkSpeed>().ok().map(|s| s.bits_per_second);
        assert_eq!(speed("10M"), Some(10_000_000));
        assert_eq!(speed("2.5G"), Some(2_500_000_000));
        assert_eq!(speed("56 k"), Some(56_000));
        assert_eq!(speed("1200"), Some(1200));
        for text in [
            "",
            "0",
            "M",
            "10T",
            "fast",
            "1.25G",
            "-1",
            "99999999999999G",
        ] {
            assert_eq!(speed(text), None, "{text}");
        }
        let settings = report(&["--link-speed", "16M", "--duplex", "half", "a"]);
        let settings = settings.analysis.settings();
        assert_eq!(settings.link_speed, Some(16_000_000));
        assert_eq!(settings.duplex, Some(Duplex::Half));
    }

    #[test]
    fn files_alone_are_a_report() {
        let args = report(&["a.pcap", "report", "-"]);
        assert_eq!(
            args.input.files,
            ["a.pcap", "report", "-"].map(PathBuf::from)
        );
        assert_eq!(args.format, ReportFormat::Text);
        let args = report(&["--format", "json", "a.pcap"]);
        assert_eq!(args.input.files, [PathBuf::from("a.pcap")]);
        assert_eq!(args.format, ReportFormat::Json);
        assert_eq!(
            report(&["./decode"]).input.files,
            [PathBuf::from("./decode")]
        );
        assert_eq!(report(&["-"]).input.files, [PathBuf::from("-")]);
        assert_eq!(report(&["report", "a"]).input.files, [PathBuf::from("a")]);
    }

    #[test]
    fn without_arguments_there_is_help() {
        let nothing = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
        assert_eq!(parse(&[]).unwrap_err(), nothing);
        assert_eq!(parse(&["--help"]).unwrap_err(), ErrorKind::DisplayHelp);
        assert_eq!(parse(&["-V"]).unwrap_err(), ErrorKind::DisplayVersion);
        assert_eq!(
            parse(&["report"]).unwrap_err(),
            ErrorKind::MissingRequiredArgument
        );
    }

    #[test]
    fn every_command_is_in_the_help() {
        let help = Cli::command().render_long_help().to_string();
        for present in [
            "report",
            "transactions",
            "compare",
            "merge",
            "view",
            "decode",
            "counters",
            "live",
            "protocols",
        ] {
            assert!(help.contains(&format!("  {present} ")), "{present}\n{help}");
        }
    }

    #[test]
    fn the_settings_come_from_the_arguments() {
        let settings = report(&["a", "--timeout", "5s", "--think", "250ms"])
            .analysis
            .settings();
        assert_eq!(settings.timeout_ns, 5_000_000_000);
        assert_eq!(settings.think_ns, 250_000_000);
        assert_eq!(report(&["a"]).analysis.settings(), Settings::default());
        let invalid = ErrorKind::ValueValidation;
        assert_eq!(parse(&["a", "--timeout", "0"]).unwrap_err(), invalid);
        assert_eq!(parse(&["a", "--timeout", "soon"]).unwrap_err(), invalid);
    }

    #[test]
    fn counters_need_an_interval_of_some_length() {
        let Ok(Command::Counters(args)) = parse(&["counters", "a", "--format", "pdh-csv"]) else {
            panic!("counters is a command");
        };
        assert_eq!(args.format, CounterFormat::PdhCsv);
        let invalid = ErrorKind::ValueValidation;
        assert_eq!(
            parse(&["counters", "a", "--interval", "0"]).unwrap_err(),
            invalid
        );
    }

    #[test]
    fn a_time_window_has_to_have_a_length() {
        let args = report(&["a", "--since", "1.5", "--until", "2026-11-20T07:00:00Z"]);
        assert_eq!(
            args.input.select.since,
            Some(Moment::AfterStart("1.5".parse().unwrap()))
        );
        assert!(matches!(args.input.select.until, Some(Moment::Absolute(_))));
        let invalid = ErrorKind::ValueValidation;
        assert_eq!(
            parse(&["a", "--since", "2", "--until", "2"]).unwrap_err(),
            invalid
        );
        assert_eq!(
            parse(&["decode", "a", "--since", "2", "--until", "1"]).unwrap_err(),
            invalid
        );
    }

    #[test]
    fn frame_numbers_count_from_one() {
        let range = |text: &str| text.parse::<FrameRange>().map(|range| range.0);
        assert_eq!(range("17"), Ok(17..=17));
        assert_eq!(range("17-20"), Ok(17..=20));
        assert_eq!(range("17-"), Ok(17..=u64::MAX));
        for wrong in ["", "0", "-", "-3", "5-4", "0-4", "a", "1-2-3", "1 - 2"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_replay_has_a_speed() {
        let speed = |text: &str| match parse(&["view", "a", "--speed", text]) {
            Ok(Command::View(args)) => Ok(args.speed.0),
            Ok(other) => panic!("{other:?}"),
            Err(kind) => Err(kind),
        };
        assert_eq!(speed("1"), Ok(Pace::Times(1)));
        assert_eq!(speed("10x"), Ok(Pace::Times(10)));
        assert_eq!(speed("max"), Ok(Pace::Max));
        for wrong in ["0", "1.5", "fast", "99999999999", ""] {
            assert_eq!(speed(wrong), Err(ErrorKind::ValueValidation), "{wrong}");
        }
        let Ok(Command::View(args)) = parse(&["view", "a"]) else {
            panic!("view is a command");
        };
        assert_eq!((args.speed.0, args.paused), (Pace::Max, false));
    }
}
