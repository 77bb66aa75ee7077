//! `wirewait last-calibrate`: what a capture says of the layout of DEC LAST.

use crate::args::CalibrateArgs;
use crate::failure::{Failure, Verdict, shown};
use crate::input::Input;
use crate::output::Output;
use std::io::Write;
use std::path::Path;
use wirewait::last::Calibration;
use wirewait::{Choice, Depth, Walk, registry};

pub(crate) fn run(args: &CalibrateArgs) -> Result<Verdict, Failure> {
    let input = Input::open(&args.input)?;
    let mut output = Output::open(&args.output, &args.input.files)?;
    let registry = registry();
    let mut walk = Walk::default();
    let mut calibration = Calibration::new();
    let mut number = 0;
    let verdict = input.each_frame(|selection, frame| {
        number += 1;
        let choice = selection.choose(frame);
        if choice == Choice::Take {
            registry.walk(frame, Depth::Full, &mut walk);
            let ends = (walk.facts.from, walk.facts.to);
            for span in walk.spans() {
                if registry.dissector(span.dissector).name == "last" {
                    calibration.take(number, frame.at, ends, walk.bytes(frame, *span));
                }
            }
        }
        Ok(choice)
    })?;
    if calibration.messages() == 0 {
        return Err(Failure::Cannot(
            "no message of DEC LAST (EtherType 8041) in it: there is nothing to derive from"
                .to_owned(),
        ));
    }
    let names: Vec<String> = args
        .input
        .files
        .iter()
        .map(|file| {
            let name = file.file_name().unwrap_or(file.as_os_str());
            shown(Path::new(name))
        })
        .collect();
    let file = names.join(" and ");
    let table = calibration.findings(&file).profile(&file);
    output.write(|out| out.write_all(table.as_bytes()))?;
    output.finish()?;
    Ok(verdict)
}
