//! `wirewait compare`: what changed against a baseline.

use crate::args::{CompareArgs, CompareFormat, GroupBy, NamedCapture};
use crate::failure::{Failure, Verdict, say};
use crate::input::{Input, is_stdin, warn};
use crate::last_profile;
use crate::output::Output;
use std::path::PathBuf;
use wirewait::compare::{AtLoad, By, Comparison, Values};
use wirewait_report::compare::{self as report, Compared};
use wirewait_report::html;

impl From<GroupBy> for By {
    fn from(by: GroupBy) -> Self {
        match by {
            GroupBy::Operation => Self::Operation,
            GroupBy::Kind => Self::Kind,
            GroupBy::Server => Self::Server,
            GroupBy::Client => Self::Client,
            GroupBy::Share => Self::Share,
            GroupBy::File => Self::File,
            GroupBy::Load => Self::Load,
        }
    }
}

pub(crate) fn run(args: &CompareArgs) -> Result<Verdict, Failure> {
    let wanted: Vec<&NamedCapture> = std::iter::once(&args.base).chain(&args.others).collect();
    let all_files: Vec<PathBuf> = wanted.iter().flat_map(|one| one.files.clone()).collect();
    if all_files.iter().filter(|file| is_stdin(file)).count() > 1 {
        return Err(Failure::Usage(
            "-: the standard input can be one capture only".to_owned(),
        ));
    }
    if args.format == CompareFormat::Html && Output::is_to_terminal(&args.output) {
        return Err(Failure::Usage(
            "--format html: the output is a terminal; write it to a file (-o compare.html) or \
             into a pipe"
                .to_owned(),
        ));
    }
    if args.analysis.private && matches!(args.by, Some(GroupBy::Share | GroupBy::File)) {
        return Err(Failure::Usage(
            "--private hides by which names shares and files are compared; leave it out".to_owned(),
        ));
    }
    let last = last_profile::read(&args.profile)?;
    let mut damaged = false;
    let (mut configurations, mut values) = (Vec::new(), Vec::new());
    for (one, name) in wanted.iter().zip(names(&wanted)) {
        let input = one.input(&args.select);
        let mut opened = Input::open(&input)?;
        opened.last.clone_from(&last);
        opened.threads = args.threads.count();
        let settings = args.analysis.settings();
        let mut times = Values::new(settings.think_ns);
        let analysis = opened.analyse(settings, &mut times, false, |_| Ok(()))?;
        values.push(times);
        damaged |= analysis.verdict() == Verdict::Damaged;
        configurations.push(report::Configuration {
            name,
            about: analysis.about(&input),
            snapshot: analysis.snapshot,
        });
    }
    let snapshots: Vec<_> = configurations.iter().map(|one| &one.snapshot).collect();
    let at = match (args.at_load, args.peak) {
        (Some(stations), _) => Some(AtLoad::Stations(stations)),
        (None, true) => Some(AtLoad::Peak),
        (None, false) => None,
    };
    let by = args.by.map(By::from);
    if args.at_load.is_some() && by.is_some_and(|by| by != By::Load) {
        return Err(Failure::Usage(
            "--at-load: the rows are those of --by load; leave --by out".to_owned(),
        ));
    }
    let comparison = Comparison::with(&snapshots, &values, by.or(at.map(|_| By::Load)));
    let compared = Compared {
        configurations: &configurations,
        comparison: &comparison,
        groups_wanted: args.by.is_some(),
        at,
        digits: args.precise.digits(),
    };
    let mut output = Output::open(&args.output, &all_files)?;
    let look = output.look();
    output.write(|out| match args.format {
        CompareFormat::Text => report::text(out, &compared, look),
        CompareFormat::Json => report::json(out, &compared),
        CompareFormat::Csv => report::csv(out, &compared),
        CompareFormat::Html => html::compare(out, &compared),
    })?;
    output.finish()?;
    let mut failed = false;
    for condition in &args.fail_if {
        for sentence in report::held(&compared, &values, condition) {
            failed = true;
            say(&sentence);
        }
    }
    Ok(match (failed, damaged) {
        (true, _) => Verdict::Held,
        (false, true) => Verdict::Damaged,
        (false, false) => Verdict::Whole,
    })
}

/// What the captures are called: as the user does, else as their files without the folders
/// that all have in common.
fn names(wanted: &[&NamedCapture]) -> Vec<String> {
    let folders = |name: &str| name.rfind('/').map_or(0, |at| at + 1);
    let plain: Vec<bool> = wanted.iter().map(|one| one.is_file_name()).collect();
    let short: Vec<&str> = wanted
        .iter()
        .zip(&plain)
        .map(|(one, plain)| {
            let from = if *plain { folders(&one.name) } else { 0 };
            one.name.get(from..).unwrap_or(&one.name)
        })
        .collect();
    let unique = |name: &str| short.iter().filter(|other| **other == name).count() == 1;
    let mut names = Vec::new();
    for (place, (one, name)) in wanted.iter().zip(&short).enumerate() {
        let mut name = if unique(name) {
            (*name).to_owned()
        } else {
            one.name.clone()
        };
        // The same one twice is still two rows.
        if names.contains(&name) {
            name = format!("{name} ({})", place + 1);
            let same = wanted
                .iter()
                .take(place)
                .any(|other| other.files == one.files);
            warn(match same {
                true => "one capture is named twice; it is compared with itself",
                false => "two captures have the same name; NAME=FILE gives each its own",
            });
        }
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_left_out_where_names_stay_different() {
        let called = |texts: &[&str]| {
            let all: Vec<NamedCapture> = texts.iter().map(|t| t.parse().unwrap()).collect();
            names(&all.iter().collect::<Vec<_>>())
        };
        assert_eq!(called(&["x/a.cap", "y/b.cap"]), ["a.cap", "b.cap"]);
        assert_eq!(called(&["x/a.cap", "y/a.cap"]), ["x/a.cap", "y/a.cap"]);
        assert_eq!(called(&["a.cap", "a.cap"]), ["a.cap", "a.cap (2)"]);
        assert_eq!(called(&["LAST=x/a.cap", "b.cap"]), ["LAST", "b.cap"]);
    }
}
