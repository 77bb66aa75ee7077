//! The program: reads arguments, runs one command, turns its end into an exit code.

#![forbid(unsafe_code)]

mod args;
mod decode;
mod failure;
mod input;
mod last_calibrate;
mod last_profile;
mod output;
mod protocols;
mod report;
mod synth;
mod transactions;
mod when;

use args::Command;
use failure::{Failure, Verdict};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = args::parse(std::env::args_os());
    let result = match command {
        Command::Report(args) => report::run(&args),
        Command::Transactions(args) => transactions::run(&args),
        Command::Decode(args) => decode::run(&args),
        Command::Protocols(args) => protocols::run(&args),
        Command::Synth(args) => synth::run(&args),
        Command::LastCalibrate(args) => last_calibrate::run(&args),
    };
    match result {
        Ok(Verdict::Whole) | Err(Failure::NobodyReads) => ExitCode::SUCCESS,
        Ok(Verdict::Damaged) => ExitCode::from(3),
        Err(failure) => {
            // There is nobody left to tell if this fails.
            let _ = writeln!(std::io::stderr(), "wirewait: {failure}");
            ExitCode::from(failure.code())
        }
    }
}
