//! Prints the three slowest operations of a capture: `cargo run --example headless FILE...`

use std::path::PathBuf;
use std::process::ExitCode;
use wirewait::{Settings, SourceError, analyse};
use wirewait_capture::{Options, open};

fn main() -> ExitCode {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match slowest(&files) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn slowest(files: &[PathBuf]) -> Result<(), SourceError> {
    let source = open(files, &Options::default())?;
    let mut settings = Settings::default();
    settings.slowest = 3;
    let snapshot = analyse(source, settings, &mut (), |damage| {
        eprintln!("{damage}");
    })?;
    for t in &snapshot.slowest {
        let (Some(ns), Some(request)) = (t.response_time_ns(), t.request) else {
            continue;
        };
        println!(
            "{} ns  {} {} by {}, frame {}",
            ns, t.protocol, t.operation.name, t.server, request.first.frame
        );
    }
    Ok(())
}
