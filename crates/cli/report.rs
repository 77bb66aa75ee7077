//! `wirewait report`: the whole analysis of a capture.

use crate::args::{ReportArgs, ReportFormat};
use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::last_profile;
use crate::output::Output;
use wirewait_report::{json, text};

pub(crate) fn run(args: &ReportArgs) -> Result<Verdict, Failure> {
    // No figure depends on it; a table that is named has to be one all the same.
    last_profile::read(&args.profile)?;
    let input = Input::open(&args.input)?;
    let settings = args.analysis.settings();
    let analysis = input.analyse(settings, &mut (), false, |_| Ok(()))?;
    let about = analysis.about(&args.input);
    let mut output = Output::open(&args.output, &args.input.files)?;
    let look = output.look();
    output.write(|out| match args.format {
        ReportFormat::Text => text::report(out, &about, &analysis.snapshot, look),
        ReportFormat::Json => json::report(out, &about, &analysis.snapshot),
    })?;
    output.flush()?;
    Ok(analysis.verdict())
}
