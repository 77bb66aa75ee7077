//! `wirewait protocols`: what is understood, and by what it was checked.

use crate::args::{ListFormat, ProtocolsArgs};
use crate::failure::{Failure, Verdict};
use crate::output::Output;
use wirewait::{EVIDENCE, registry};
use wirewait_report::{Escaped, protocols};

pub(crate) fn run(args: &ProtocolsArgs) -> Result<Verdict, Failure> {
    let registry = registry();
    let known = protocols::find(registry.dissectors(), EVIDENCE, &args.names).map_err(|word| {
        Failure::Usage(format!(
            "no protocol is called {}; `wirewait protocols` lists all of them",
            Escaped(word)
        ))
    })?;
    let mut output = Output::open(&args.output, &[])?;
    let look = output.look();
    output.write(|out| match args.format {
        ListFormat::Text => protocols::text(out, &known, look),
        ListFormat::Json => protocols::json(out, &known),
    })?;
    output.finish()?;
    Ok(Verdict::Whole)
}
