//! The commands there are, and what each reads, prints and needs.

use crate::args::{
    BetweenArgs, CalibrateArgs, CompareArgs, CompareFormat, CompletionsArgs, CounterFormat,
    CountersArgs, DecodeArgs, DecodeFormat, InputArgs, ListFormat, LiveArgs, ManArgs, MergeArgs,
    OutputArgs, ProtocolsArgs, ReportArgs, ReportFormat, RightsArgs, RowFormat, SelectArgs,
    TransactionsArgs, ViewArgs,
};
use crate::failure::Failure;
use crate::gather::{gather, gather_named};
use crate::input::is_stdin;
use crate::live;
use crate::rights::Needs;
use crate::summaries;
use clap::{Parser, Subcommand};

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
    /// Join two captures of the same traffic, one at each end
    Between(BetweenArgs),
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

impl Command {
    /// Puts files in the place of folders, patterns and lists.
    pub(crate) fn gather(&mut self) -> Result<(), Failure> {
        let input = match self {
            Self::Report(args) => {
                gather(&mut args.input)?;
                // Of captures in or above the folder, an earlier run's sums are none.
                if let Some(folder) = args.summaries.as_ref().filter(|_| args.input.gathered) {
                    let files = &mut args.input.files;
                    files.retain(|file| !summaries::is_kept_in(folder, file));
                }
                return Ok(());
            }
            Self::Transactions(args) => &mut args.input,
            Self::View(args) => &mut args.input,
            Self::Decode(args) => &mut args.input,
            Self::Counters(args) => &mut args.input,
            Self::LastCalibrate(args) => &mut args.input,
            Self::Compare(args) => {
                let mut all = std::iter::once(&mut args.base).chain(&mut args.others);
                return all.try_for_each(gather_named);
            }
            Self::Between(args) => {
                gather_named(&mut args.first)?;
                return gather_named(&mut args.second);
            }
            Self::Merge(_)
            | Self::Live(_)
            | Self::Protocols(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::PrintConfig(_) => return Ok(()),
        };
        gather(input)
    }

    /// Which frames of files it takes.
    pub(crate) fn select(&self) -> Option<&SelectArgs> {
        match self {
            Self::Report(args) => Some(&args.input.select),
            Self::Transactions(args) => Some(&args.input.select),
            Self::Compare(args) => Some(&args.select),
            Self::Between(args) => Some(&args.select),
            Self::View(args) => Some(&args.input.select),
            Self::Decode(args) => Some(&args.input.select),
            Self::Counters(args) => Some(&args.input.select),
            Self::LastCalibrate(args) => Some(&args.input.select),
            Self::Live(_)
            | Self::Merge(_)
            | Self::Protocols(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::PrintConfig(_) => None,
        }
    }

    /// The text that it is going to print, if it prints one: where it goes to.
    pub(crate) fn printed(&self) -> Option<&OutputArgs> {
        let is_whole = |input: &InputArgs| !input.files.iter().any(|file| is_stdin(file));
        let (is_text, output) = match self {
            Self::Report(args) => (args.format == ReportFormat::Text, &args.output),
            Self::Transactions(args) => (
                is_whole(&args.input) && args.format == RowFormat::Text,
                &args.output,
            ),
            Self::Compare(args) => (args.format == CompareFormat::Text, &args.output),
            Self::Between(args) => (args.format == ListFormat::Text, &args.output),
            Self::Merge(args) => (args.format == ListFormat::Text, &args.output),
            Self::Decode(args) => (
                is_whole(&args.input) && args.format == DecodeFormat::Text,
                &args.output,
            ),
            Self::Counters(args) => (args.format == CounterFormat::Text, &args.output),
            Self::Protocols(args) => (args.format == ListFormat::Text, &args.output),
            Self::View(_)
            | Self::Live(_)
            | Self::LastCalibrate(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::PrintConfig(_) => return None,
        };
        is_text.then_some(output)
    }

    /// What it is going to read and write.
    pub(crate) fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        match self {
            Self::Report(args) => {
                needs.input(&args.input);
                needs.output(&args.output);
                needs.read(&args.profile.last_profile);
                needs.read(&args.symptoms.symptom_texts);
                needs.write(&args.summary);
                needs.make_folder("--summaries", &args.summaries);
            }
            Self::Transactions(args) => {
                needs.input(&args.input);
                needs.output(&args.output);
                needs.read(&args.profile.last_profile);
            }
            Self::Compare(args) => {
                let all = std::iter::once(&args.base).chain(&args.others);
                needs.files(all.flat_map(|one| &one.files));
                needs.output(&args.output);
                needs.select(&args.select);
                needs.read(&args.profile.last_profile);
            }
            Self::Between(args) => {
                needs.files(args.first.files.iter().chain(&args.second.files));
                needs.output(&args.output);
                needs.select(&args.select);
                needs.read(&args.profile.last_profile);
            }
            Self::Merge(args) => {
                needs.files(&args.files);
                needs.output(&args.output);
            }
            Self::View(args) => {
                needs.input(&args.input);
                needs.read(&args.profile.last_profile);
                needs.read(&args.symptoms.symptom_texts);
                needs.screen = true;
            }
            Self::Decode(args) => {
                needs.input(&args.input);
                needs.output(&args.output);
                needs.read(&args.profile.last_profile);
            }
            Self::Live(args) => return live::needs(args),
            Self::Counters(args) => {
                needs.input(&args.input);
                needs.output(&args.output);
                needs.read(&args.profile.last_profile);
                needs.scratch = args.format != CounterFormat::Text;
            }
            Self::LastCalibrate(args) => {
                needs.input(&args.input);
                needs.output(&args.output);
            }
            Self::Protocols(args) => needs.output(&args.output),
            // No capture is read.
            Self::Completions(_) | Self::Man(_) | Self::PrintConfig(_) => {}
        }
        needs
    }
}
