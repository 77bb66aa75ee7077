//! Reads the command line: commands, short forms, and what to type instead of a mistake.

use crate::args::{LiveArgs, RightsArgs};
use crate::command::{Cli, Command};
use crate::config;
#[cfg(feature = "libpcap")]
use crate::extcap;
use crate::failure::{self, Failure};
use crate::help;
use crate::hints;
use crate::input::warn;
use crate::symptoms;
use crate::when::Moment;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource::DefaultValue;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::num::{IntErrorKind, ParseIntError};
use std::path::{Path, PathBuf};
use wirewait_report::Escaped;

/// Reads the arguments of the program, and what is set for it. Ends it after help, and after a
/// mistake in the arguments.
pub(crate) fn parse(
    args: impl Iterator<Item = OsString>,
) -> Result<(Command, RightsArgs), Failure> {
    let mut typed: Vec<OsString> = args.collect();
    // Help for `help` is the help.
    if typed.get(1).is_some_and(|word| word == "help")
        && typed
            .get(2)
            .is_some_and(|word| HELP.iter().any(|flag| word == flag))
    {
        typed.remove(1);
    }
    #[cfg(feature = "libpcap")]
    if let Some(asked) = extcap::asked(&typed) {
        match asked? {
            extcap::Asked::Print(text) => {
                return Ok((Command::PrintConfig(text), RightsArgs::default()));
            }
            extcap::Asked::Run(arguments) => typed = arguments,
        }
    }
    // The name alone opens the screen.
    if typed.len() == 1 && std::io::stdout().is_terminal() {
        typed.push("live".into());
    }
    let args = with_command(with_explained(typed.clone()));
    if args.len() > typed.len()
        && let Some(message) = mistyped(&typed)
    {
        return Err(Failure::Usage(message));
    }
    let settings = match asks_for_help(&args) {
        true => config::Settings::default(),
        false => {
            let read = config::Settings::read(&command(), &args, |name| std::env::var_os(name))?;
            if let Some(why) = read.denied() {
                warn(&format!(
                    "the configuration, if there is one, is left out: {why}; --no-config is silent"
                ));
            }
            config::mistyped(&args, std::env::vars_os())
                .iter()
                .for_each(|text| warn(text));
            read
        }
    };
    let implied = args.len() > typed.len();
    match try_parse(args, &settings) {
        Ok((mut command, wanted)) => {
            if implied && let Some(message) = late(&command) {
                return Err(Failure::Usage(message));
            }
            command.gather().map(|()| (command, wanted))
        }
        Err(error) => match instead(&error, &typed) {
            Some(message) => Err(Failure::Usage(message)),
            None => Err(exit(&error, &typed)),
        },
    }
}

/// Reads the arguments of `live` and the configuration again. The program goes on whatever is wrong
/// with them now.
pub(crate) fn live_again(typed: &[OsString]) -> Result<(config::Settings, LiveArgs), Failure> {
    let args = with_command(with_explained(typed.to_vec()));
    let settings = config::Settings::read(&command(), &args, |name| std::env::var_os(name))?;
    let (command, _) = try_parse(args, &settings)
        .map_err(|error| Failure::Usage(error.render().to_string().trim_end().to_owned()))?;
    match command {
        Command::Live(args) => Ok((settings, args)),
        _ => Err(Failure::Usage(
            "the arguments are those of another command".to_owned(),
        )),
    }
}

/// What to say where the name of a command stands among the files of the command that is implied.
fn late(command: &Command) -> Option<String> {
    let Command::Report(args) = command else {
        return None;
    };
    let known = Cli::command();
    let mut names = known.get_subcommands().map(clap::Command::get_name);
    let name = names.find(|name| {
        let path = Path::new(name);
        args.input.files.iter().any(|file| file == path) && !path.exists()
    })?;
    Some(format!(
        "there is no file \"{name}\"; the command {name} comes before its options: \
         wirewait {name} OPTIONS FILE"
    ))
}

/// What to say of a first word that is neither a command nor a file.
fn mistyped(typed: &[OsString]) -> Option<String> {
    let place = 1 + config::leading(typed.get(1..).unwrap_or_default());
    let word = typed.get(place)?.to_str()?;
    if !is_like_a_command(word) || Path::new(word).exists() {
        return None;
    }
    let command = Cli::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    let near = hints::meant(word, names.chain(["help"]));
    // With further words it is a file that is missing, unless those are files.
    let is_alone = || {
        let mut further = typed.iter().skip(place + 1);
        further.all(|word| Path::new(word).exists())
    };
    match near {
        Some(near) => Some(format!(
            "\"{word}\" is neither a command nor a file; did you mean `wirewait {near}`?"
        )),
        None if is_alone() => Some(format!(
            "\"{word}\" is neither a command nor a file; wirewait -h lists the commands"
        )),
        None => None,
    }
}

/// What to type instead of an option that another tool has.
fn instead(error: &clap::Error, typed: &[OsString]) -> Option<String> {
    if error.kind() == ErrorKind::ValueValidation {
        return no_number(error);
    }
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let place = 1 + config::leading(typed.get(1..).unwrap_or_default());
    let first = typed.get(place).and_then(|word| word.to_str());
    let known = Cli::command();
    let command = known
        .get_subcommands()
        .map(clap::Command::get_name)
        .find(|name| Some(*name) == first);
    let mut words = typed.iter().filter_map(|word| word.to_str());
    words.find(|word| word.starts_with(option.as_str()))?;
    let value = words.next().filter(|word| !word.starts_with('-'));
    hints::foreign(option, value, command.unwrap_or("report"))
}

/// What to type where an option takes a number; the library's words are not for users.
fn no_number(error: &clap::Error) -> Option<String> {
    let mistake = std::error::Error::source(error)?.downcast_ref::<ParseIntError>()?;
    let value = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(Escaped(text).to_string()),
        _ => None,
    };
    let (option, typed) = (
        value(ContextKind::InvalidArg)?,
        value(ContextKind::InvalidValue)?,
    );
    let name = option.split_whitespace().next().unwrap_or_default();
    Some(match mistake.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
            format!("{option}: the number {typed} is too large")
        }
        _ => format!("{option}: \"{typed}\" is not a whole number; type one: {name} 10"),
    })
}

/// Joins `--explain NAME` to `--explain=NAME`, if there is no such file and a symptom is called so.
fn with_explained(mut args: Vec<OsString>) -> Vec<OsString> {
    let behind = args
        .iter()
        .position(|arg| arg == "--explain")
        .map(|at| at + 1);
    if let Some(at) = behind
        && let Some(word) = args.get(at).and_then(|word| word.to_str())
        && symptoms::is_named(word)
        && !Path::new(word).exists()
    {
        let joined = format!("--explain={word}");
        args.remove(at);
        args[at - 1] = joined.into();
    }
    args
}

/// Shows help, or a mistake in the arguments, and ends the program, unless the help cannot be
/// written. What was typed cannot command the terminal that it is shown in.
fn exit(error: &clap::Error, typed: &[OsString]) -> Failure {
    let typed: Vec<_> = typed.iter().map(|arg| arg.to_string_lossy()).collect();
    if !typed.iter().any(|arg| arg.contains(Escaped::is_needed)) {
        let printed = error.print().and_then(|()| std::io::stdout().flush());
        return match printed {
            Err(failed) if !error.use_stderr() => Failure::writing("the standard output", &failed),
            _ => std::process::exit(error.exit_code()),
        };
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
    config::with_options(help::with_notes(Cli::command()))
}

/// A single word that may be a mistyped command; files tend to have dots and slashes.
fn is_like_a_command(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase())
}

/// Whether help is wanted, or the manual: a mistake in a configuration is not in their way.
fn asks_for_help(args: &[OsString]) -> bool {
    let mut typed = args.iter().skip(1).take_while(|arg| *arg != "--");
    let place = 1 + config::leading(args.get(1..).unwrap_or_default());
    let manual = ["completions", "help", "man"];
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
    let known = settings.defaults(command());
    let mut matches = known.clone().try_get_matches_from(args.clone())?;
    if let Some(format) = format_of_output(&known, &matches)? {
        args.insert(place + 1, format!("--format={format}").into());
        // Options that go with no format decide themselves what is written.
        matches = known.try_get_matches_from(args).unwrap_or(matches);
    }
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
    check(&command).map_err(|message| mistake(matches.subcommand_name(), &message))?;
    Ok((command, cli.rights))
}

/// A mistake in the arguments of a command, with the usage of that command.
fn mistake(name: Option<&str>, message: &str) -> clap::Error {
    let mut all = command();
    all.build();
    let command = name.and_then(|name| all.find_subcommand(name)).cloned();
    command
        .unwrap_or(all)
        .error(ErrorKind::ValueValidation, message)
}

/// Endings of outputs, and the formats that they ask for. Text has none, or one of the last.
const ENDINGS: [(&str, &str); 13] = [
    ("html", "html"),
    ("htm", "html"),
    ("json", "json"),
    ("ndjson", "ndjson"),
    ("jsonl", "ndjson"),
    ("csv", "csv"),
    ("parquet", "parquet"),
    ("pcapng", "pcapng"),
    ("arrow", "arrow"),
    ("feather", "arrow"),
    ("txt", "text"),
    ("text", "text"),
    ("log", "text"),
];

/// The format that the name of the output asks for, if none is named.
fn format_of_output(
    known: &clap::Command,
    matches: &ArgMatches,
) -> Result<Option<&'static str>, clap::Error> {
    let Some((name, given)) = matches.subcommand() else {
        return Ok(None);
    };
    let has = |id: &str| given.ids().any(|known| known.as_str() == id);
    if !has("format") || !has("output") || given.value_source("format") != Some(DefaultValue) {
        return Ok(None);
    }
    let Some(output) = given.get_one::<PathBuf>("output") else {
        return Ok(None);
    };
    let ending = output.extension().and_then(|ending| ending.to_str());
    // Devices and pipes are called as they like.
    let is_other = output.metadata().is_ok_and(|known| !known.is_file());
    let Some(ending) = ending.filter(|_| !is_other) else {
        return Ok(None);
    };
    let ending = ending.to_ascii_lowercase();
    let asks = ENDINGS.iter().find(|(known, _)| *known == ending);
    let arg = known
        .find_subcommand(name)
        .and_then(|sub| sub.get_arguments().find(|arg| arg.get_id() == "format"));
    let formats: Vec<String> = arg
        .map(|arg| arg.get_possible_values())
        .unwrap_or_default()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();
    let shown = failure::shown(output);
    let is_written = |wanted: &str| formats.iter().any(|format| format == wanted);
    let message = match asks {
        Some((_, "text")) => return Ok(None),
        Some((_, wanted)) if is_written(wanted) => return Ok(Some(wanted)),
        Some((_, wanted)) => format!(
            "{shown}: `wirewait {name}` does not write {wanted}; name a file for {}, or choose \
             one with --format",
            formats.join(", ")
        ),
        None => {
            let endings: Vec<String> = ENDINGS
                .iter()
                .filter(|(_, format)| is_written(format))
                .map(|(ending, _)| format!(".{ending}"))
                .collect();
            let instead = match ending.as_str() {
                "pcap" | "cap" if is_written("pcapng") => {
                    "; captures are written as pcapng: name it .pcapng"
                }
                "pcap" | "cap" => "; captures are written by `wirewait live --save FILE.pcapng`",
                _ => "",
            };
            format!(
                "{shown}: `wirewait {name}` knows no format of this ending{instead}; endings are \
                 {}, or choose a format with --format",
                endings.join(", ")
            )
        }
    };
    Err(mistake(Some(name), &message))
}

/// Names the command `report` where none is named.
fn with_command(mut args: Vec<OsString>) -> Vec<OsString> {
    let known = |first: &OsString| {
        first == "--print-config"
            || first == "help"
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
    if let Command::Live(args) = command
        && let Some(mistake) = args.mistake()
    {
        return Err(mistake.to_owned());
    }
    let Some(select) = command.select() else {
        return Ok(());
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
    use crate::args::*;
    use wirewait::{Duplex, Settings};
    use wirewait_tui::Pace;

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
    fn links_have_speeds_and_ways() {
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
