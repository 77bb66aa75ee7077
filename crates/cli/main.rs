//! The program: reads arguments, runs one command, turns its end into an exit code.

#![forbid(unsafe_code)]

mod ahead;
mod args;
mod compare;
mod completions;
mod condition;
mod config;
mod counters;
mod decode;
mod failure;
mod input;
mod last_calibrate;
mod last_profile;
mod limits;
mod live;
mod man;
mod merge;
mod output;
mod own;
mod parallel;
mod protocols;
mod replacement;
mod report;
mod rights;
mod saver;
mod screen;
mod signals;
mod size;
mod symptoms;
mod synth;
mod transactions;
mod view;
mod watch;
mod when;

use args::Command;
use failure::{Failure, Verdict};
use std::process::ExitCode;

fn main() -> ExitCode {
    signals::survive_file_limits();
    let result = args::parse(std::env::args_os()).and_then(|command| match command {
        Command::Report(args) => report::run(&args),
        Command::Transactions(args) => transactions::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::View(args) => view::run(&args),
        Command::Decode(args) => decode::run(&args),
        Command::Live(args) => live::run(&args),
        Command::Counters(args) => counters::run(&args),
        Command::Protocols(args) => protocols::run(&args),
        Command::Synth(args) => synth::run(&args),
        Command::LastCalibrate(args) => last_calibrate::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
        Command::PrintConfig(text) => output::print(&text),
    });
    match result {
        Ok(Verdict::Whole) | Err(Failure::NobodyReads) => ExitCode::SUCCESS,
        Ok(Verdict::Damaged) => ExitCode::from(3),
        Ok(Verdict::Held) => ExitCode::from(4),
        Err(failure) => {
            failure::say(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}
