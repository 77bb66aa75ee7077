//! `wirewait synth`: makes a capture with known answers from a scenario.

use crate::args::SynthArgs;
use crate::failure::{Failure, Verdict, shown};
use crate::input::is_stdin;
use crate::output::Output;
use std::io::{self, Write};
use wirewait_capture::held;
use wirewait_capture::write::{PcapWriter, Precision};
use wirewait_engine::LinkType;
use wirewait_report::Escaped;
use wirewait_synth::Scenario;

/// Scenarios hold whole frames.
const SNAPLEN: u32 = 262_144;

pub(crate) fn run(args: &SynthArgs) -> Result<Verdict, Failure> {
    let name = shown(&args.scenario);
    let text = if is_stdin(&args.scenario) {
        io::read_to_string(io::stdin())
    } else {
        held::open(&args.scenario).and_then(io::read_to_string)
    }
    .map_err(|error| Failure::Cannot(format!("cannot read {name}: {error}")))?;
    let scenario = Scenario::parse(&name, &text)
        .map_err(|error| Failure::Cannot(Escaped(&error.to_string()).to_string()))?;
    let mut output = Output::file(&args.output, std::slice::from_ref(&args.scenario))?;
    if args
        .output
        .extension()
        .is_some_and(|extension| extension == "pcap")
    {
        output.write(|out| pcap(out, &scenario))?;
    } else {
        output.write(|out| out.write_all(&scenario.pcapng()))?;
    }
    output.finish()?;
    Ok(Verdict::Whole)
}

fn pcap(out: &mut impl Write, scenario: &Scenario) -> io::Result<()> {
    let link = scenario
        .frames()
        .first()
        .map_or(LinkType::ETHERNET, |frame| frame.link);
    let mut writer = PcapWriter::new(out, link, Precision::Nanos, SNAPLEN)?;
    for frame in scenario.frames() {
        writer.frame(&frame.as_frame())?;
    }
    writer.finish().map(|_| ())
}
