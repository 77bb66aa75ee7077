//! The program: reads arguments, runs one command, turns its end into an exit code.

#![forbid(unsafe_code)]

mod annotate;
mod args;
mod between;
#[cfg(feature = "columns")]
mod columns;
mod command;
mod compare;
mod completions;
mod condition;
mod config;
mod counters;
mod decode;
#[cfg(feature = "libpcap")]
mod extcap;
mod failure;
mod gather;
mod help;
mod hints;
mod input;
mod judged;
mod last_calibrate;
mod last_profile;
mod limits;
mod live;
mod man;
mod merge;
mod output;
mod own;
mod pager;
mod parallel;
mod parse;
mod protocols;
mod replacement;
mod report;
mod rights;
mod saver;
mod signals;
mod size;
mod summaries;
mod symptoms;
mod transactions;
mod view;
mod watch;
mod when;

use args::RightsArgs;
use command::Command;
use failure::{Failure, Verdict};
use output::Output;
use rights::Rights;
use std::process::ExitCode;

fn main() -> ExitCode {
    signals::survive_file_limits();
    let ended =
        parse::parse(std::env::args_os()).and_then(|(command, wanted)| run(&command, &wanted));
    pager::wait();
    match ended {
        Ok(Verdict::Whole) | Err(Failure::NobodyReads) => ExitCode::SUCCESS,
        Ok(Verdict::Damaged) => ExitCode::from(3),
        Ok(Verdict::Held) => ExitCode::from(4),
        Err(failure) => {
            failure::say(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}

/// Runs a command, without rights from where it reads anything.
fn run(command: &Command, wanted: &RightsArgs) -> Result<Verdict, Failure> {
    #[cfg(all(target_os = "linux", feature = "libpcap"))]
    if matches!(command, Command::Live(args) if args.source.is_none() && !args.list_interfaces) {
        rights::become_capable();
    }
    if let Command::Report(args) = command {
        // Before its outputs are opened.
        report::check(args)?;
    }
    let printed = command.printed().filter(|_| !wanted.print_rights);
    if printed.is_some_and(|output| !output.no_pager && Output::is_to_terminal(output)) {
        pager::start();
    }
    let mut rights = Rights::of(command.needs(), wanted)?;
    // Interfaces need them a little longer; completions and the manual are written, and nothing is
    // read.
    let later = matches!(
        command,
        Command::Live(_) | Command::Man(_) | Command::Completions(_)
    );
    if !later {
        rights.give_up_all()?;
        if rights.are_asked_for() {
            return output::print(&rights.in_force());
        }
    }
    match command {
        Command::Report(args) => report::run(args),
        Command::Transactions(args) => transactions::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Between(args) => between::run(args),
        Command::Merge(args) => merge::run(args),
        Command::View(args) => view::run(args),
        Command::Decode(args) => decode::run(args),
        Command::Live(args) => live::run(args, rights, parse::live_again),
        Command::Counters(args) => counters::run(args),
        Command::Protocols(args) => protocols::run(args),
        Command::LastCalibrate(args) => last_calibrate::run(args),
        Command::Completions(args) => completions::run(args, parse::command()),
        Command::Man(args) => man::run(args, parse::command()),
        Command::PrintConfig(text) => output::print(text),
    }
}
