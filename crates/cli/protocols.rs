//! `wirewait protocols`: what is understood, and by what it was checked.

use crate::args::{ListFormat, ProtocolsArgs};
use crate::failure::{Failure, Verdict};
use crate::output::Output;
use wirewait_engine::registry;
use wirewait_report::protocols;

pub(crate) fn run(args: &ProtocolsArgs) -> Result<Verdict, Failure> {
    let registry = registry();
    let mut output = Output::open(&args.output, &[])?;
    let look = output.look();
    output.write(|out| match args.format {
        ListFormat::Text => protocols::text(out, registry.dissectors(), look),
        ListFormat::Json => protocols::json(out, registry.dissectors()),
    })?;
    output.flush()?;
    Ok(Verdict::Whole)
}
