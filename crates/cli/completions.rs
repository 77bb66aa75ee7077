//! `wirewait completions`: the command line, for shells that complete it.

use crate::args::CompletionsArgs;
use crate::failure::{Failure, Verdict};
use crate::output::Output;
use std::io::Write;

pub(crate) fn run(args: &CompletionsArgs, command: &mut clap::Command) -> Result<Verdict, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, command, "wirewait", &mut text);
    let mut output = Output::open(&args.output, &[])?;
    output.write(|out| out.write_all(&text))?;
    output.finish()?;
    Ok(Verdict::Whole)
}
