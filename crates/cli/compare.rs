//! `wirewait compare`: what changed against a baseline.

use crate::args::{CompareArgs, CompareFormat, GroupBy, InputArgs};
use crate::failure::{Failure, Verdict};
use crate::input::{Input, is_stdin, warn};
use crate::last_profile;
use crate::output::Output;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use wirewait::compare::{AtLoad, By, Comparison, Values};
use wirewait_report::compare::{self as report, Compared};
use wirewait_report::html;

/// One capture of a comparison, as it is named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Configuration {
    name: String,
    files: Vec<PathBuf>,
}

impl Configuration {
    /// The capture files.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }
}

impl FromStr for Configuration {
    type Err = String;

    /// `FILE`, `FILE,FILE`, `NAME=FILE,FILE`. What is called so as a whole is a file.
    fn from_str(text: &str) -> Result<Self, String> {
        let whole = |text: &str| !text.is_empty() && Path::new(text).exists();
        let (name, files) = match text.split_once('=') {
            Some((name, files)) if !whole(text) => (Some(name), files),
            _ => (None, text),
        };
        if name == Some("") {
            return Err("a name is missing before =; write NAME=FILE".to_owned());
        }
        let files: Vec<PathBuf> = if whole(files) {
            vec![files.into()]
        } else {
            files.split(',').map(PathBuf::from).collect()
        };
        if files.iter().any(|file| file.as_os_str().is_empty()) {
            return Err("a file name is missing; write FILE, FILE,FILE or NAME=FILE".to_owned());
        }
        Ok(Self {
            name: name.unwrap_or(text).to_owned(),
            files,
        })
    }
}

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
    let wanted: Vec<&Configuration> = std::iter::once(&args.base).chain(&args.others).collect();
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
        let input = InputArgs {
            files: one.files.clone(),
            files_from: None,
            gathered: false,
            select: args.select.clone(),
        };
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
        for judged in condition.judge(&comparison, report::group_name) {
            if let Some(sentence) = report::held(&compared, condition, &judged) {
                failed = true;
                crate::failure::say(&sentence);
            }
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
fn names(wanted: &[&Configuration]) -> Vec<String> {
    let folders = |name: &str| name.rfind('/').map_or(0, |at| at + 1);
    let plain: Vec<bool> = wanted.iter().map(|one| is_file_name(one)).collect();
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
            warn("one capture is named twice; it is compared with itself");
        }
        names.push(name);
    }
    names
}

/// Whether it is called by the name of its only file.
fn is_file_name(one: &Configuration) -> bool {
    matches!(one.files.as_slice(), [file] if file.as_os_str() == one.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Vec<PathBuf>) {
        let one: Configuration = text.parse().unwrap();
        (one.name, one.files)
    }

    #[test]
    fn captures_have_names_and_files() {
        let files = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(read("a.pcap"), ("a.pcap".into(), files(&["a.pcap"])));
        assert_eq!(
            read("before=a.pcap,b.pcap"),
            ("before".into(), files(&["a.pcap", "b.pcap"]))
        );
        assert_eq!(read("-"), ("-".into(), files(&["-"])));
        assert_eq!(read("QIO/WAKE=b"), ("QIO/WAKE".into(), files(&["b"])));
        for wrong in ["", "=a", "a=", "a,,b", "n=a,"] {
            assert!(wrong.parse::<Configuration>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_may_have_commas_and_equal_signs() {
        let folder = std::env::temp_dir();
        let odd = folder.join(format!("wirewait-odd,{}=x", std::process::id()));
        std::fs::write(&odd, b"").unwrap();
        let text = odd.to_str().unwrap();
        assert_eq!(read(text), (text.to_owned(), vec![odd.clone()]));
        let named = format!("n={text}");
        assert_eq!(read(&named), ("n".to_owned(), vec![odd.clone()]));
        std::fs::remove_file(odd).unwrap();
    }

    #[test]
    fn folders_are_left_out_where_names_stay_different() {
        let called = |texts: &[&str]| {
            let all: Vec<Configuration> = texts.iter().map(|t| t.parse().unwrap()).collect();
            names(&all.iter().collect::<Vec<_>>())
        };
        assert_eq!(called(&["x/a.cap", "y/b.cap"]), ["a.cap", "b.cap"]);
        assert_eq!(called(&["x/a.cap", "y/a.cap"]), ["x/a.cap", "y/a.cap"]);
        assert_eq!(called(&["a.cap", "a.cap"]), ["a.cap", "a.cap (2)"]);
        assert_eq!(called(&["LAST=x/a.cap", "b.cap"]), ["LAST", "b.cap"]);
    }
}
