//! `wirewait-synth`: writes the capture that a scenario describes.

#![forbid(unsafe_code)]

use clap::Parser;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wirewait_capture::write::{PcapWriter, Precision};
use wirewait_synth::Scenario;
use wirewait_wire::LinkType;

/// Scenarios hold whole frames.
const SNAPLEN: u32 = 262_144;

/// Writes the capture that a scenario describes: frames with known answers
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    /// The scenario file; - for standard input
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// The capture to write: pcap if its name ends in .pcap, otherwise pcapng
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wirewait-synth: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    let name = args.scenario.display();
    let text = if args.scenario == Path::new("-") {
        io::read_to_string(io::stdin())
    } else {
        fs::read_to_string(&args.scenario)
    };
    let text = text.map_err(|error| format!("cannot read {name}: {error}"))?;
    let scenario = Scenario::parse(&name.to_string(), &text).map_err(|error| error.to_string())?;
    write(&args.output, &scenario)
        .map_err(|error| format!("cannot write {}: {error}", args.output.display()))
}

fn write(path: &Path, scenario: &Scenario) -> io::Result<()> {
    if path.extension().is_none_or(|extension| extension != "pcap") {
        return fs::write(path, scenario.pcapng());
    }
    let link = scenario.frames().first().map(|frame| frame.link);
    let out = BufWriter::new(fs::File::create(path)?);
    let link = link.unwrap_or(LinkType::ETHERNET);
    let mut writer = PcapWriter::new(out, link, Precision::Nanos, SNAPLEN)?;
    for frame in scenario.frames() {
        writer.frame(&frame.as_frame())?;
    }
    writer.finish()?.flush()
}
