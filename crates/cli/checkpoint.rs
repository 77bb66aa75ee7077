//! `wirewait report --checkpoint`: a capture that is worked through in parts, each by a run of
//! its own, to the figures of one run over all its files.

mod part;
mod state;

use crate::args::ReportArgs;
use crate::failure::{Failure, say};
use crate::input::{Analysis, Damage, Input, Passed, Standing, options};
use crate::symptoms;
use part::Part;
use serde::{Deserialize, Serialize};
use state::State;
use std::path::{Path, PathBuf};
use wirewait_capture::{Interfaces, STEP_BACK};
use wirewait_engine::{Analyzer, Refused, Settings, Thresholds, registry};
use wirewait_report::{About, Escaped, Rfc3339};

/// What is kept beside the state of the analysis.
#[derive(Default, Serialize, Deserialize)]
struct Beside {
    /// Which frames were wanted, option by option, as they were written.
    wanted: Vec<(String, Option<String>)>,
    parts: Vec<Part>,
    /// As the user named them, for the report.
    names: Vec<String>,
    met: u32,
    interfaces: Interfaces,
    passed: Passed,
    damage: Damage,
}

/// Works the files that are new through, behind those that were worked through before. Unless it
/// is the end, what is known then is the new state.
pub(crate) fn run(args: &ReportArgs, path: &Path) -> Result<(Analysis, About), Failure> {
    let settings = args.analysis.settings();
    let thresholds = symptoms::thresholds(&args.symptoms);
    let state = State::read(path)?;
    let (analyzer, mut beside) = match &state.bytes {
        Some(bytes) => resume(path, bytes, settings, thresholds)?,
        None if args.input.files.is_empty() => {
            return Err(Failure::Usage(format!(
                "{}: there is no such checkpoint yet; name the files that it begins with",
                Escaped(&path.display().to_string())
            )));
        }
        None => {
            let analyzer = Analyzer::new(registry(), settings).judging_by(thresholds);
            (analyzer, Beside::default())
        }
    };
    let wanted = wanted(args);
    if state.bytes.is_some() {
        same(path, &beside.wanted, &wanted)?;
    }
    beside.wanted = wanted;
    let mut input = args.input.clone();
    let new = choose(args, path, &beside)?;
    input.files = new.iter().map(|(path, _)| path.clone()).collect();
    let mut standing = Standing {
        analyzer,
        met: beside.met,
        interfaces: beside.interfaces,
        passed: beside.passed,
        damage: beside.damage,
    };
    if !new.is_empty() {
        let mut input = Input::open(&input)?;
        input.ahead = args.threads.ahead();
        standing = input.go_on(standing, &mut (), false, |()| Ok(()), |_, _| {})?;
        for (path, part) in new {
            part.is_unchanged(&path)?;
            beside.names.push(path.display().to_string());
            beside.parts.push(part);
        }
        beside.met = standing.met;
        beside.passed = standing.passed;
        // Both are wanted once more.
        beside.interfaces = standing.interfaces.clone();
        beside.damage = standing.damage.clone();
        if !args.finish {
            let bytes = postcard::to_stdvec(&beside).map_err(|error| {
                Failure::Cannot(format!("the checkpoint cannot be written down: {error}"))
            })?;
            state.replace(path, &standing.analyzer.checkpoint(&bytes))?;
        }
    }
    if args.finish {
        standing.analyzer.finish(&mut ());
    }
    let analysis = standing.found();
    let mut about = analysis.about(&args.input);
    about.files = beside.names;
    Ok((analysis, about))
}

fn resume(
    path: &Path,
    bytes: &[u8],
    settings: Settings,
    thresholds: Thresholds,
) -> Result<(Analyzer, Beside), Failure> {
    let (analyzer, beside) = Analyzer::resume(registry(), settings, thresholds, bytes)
        .map_err(|refused| told(path, &refused))?;
    let beside = postcard::from_bytes(&beside)
        .map_err(|error| told(path, &Refused::Unreadable(error.to_string())))?;
    Ok((analyzer, beside))
}

/// What to do about a checkpoint that cannot be gone on with.
fn told(path: &Path, refused: &Refused) -> Failure {
    let name = path.display().to_string();
    let (name, refused_text) = (Escaped(&name), refused.to_string());
    let what = format!("{name}: {}", Escaped(&refused_text));
    match refused {
        Refused::Foreign => Failure::Usage(format!("{what}; name another file for --checkpoint")),
        Refused::Settings { .. } => Failure::Usage(format!(
            "{what}; give the options that it was begun with, or begin anew with another file for \
             --checkpoint"
        )),
        Refused::Schema(_) | Refused::Program(_) | Refused::Protocols => Failure::Cannot(format!(
            "{what}; go on with the program that wrote it, or begin anew: another file for \
             --checkpoint, and all capture files"
        )),
        Refused::Cut | Refused::Damaged | Refused::Unreadable(_) => Failure::Cannot(format!(
            "{what}; put a copy of it back, or begin anew: another file for --checkpoint, and all \
             capture files"
        )),
    }
}

/// Which frames are wanted, option by option.
fn wanted(args: &ReportArgs) -> Vec<(String, Option<String>)> {
    let select = &args.input.select;
    #[cfg(feature = "libpcap")]
    let filter = select.filter.clone();
    #[cfg(not(feature = "libpcap"))]
    let filter = None;
    let zone = select.zone.map(|zone| format!("{} s", zone.seconds_east));
    [
        ("--since", select.since.map(|moment| moment.to_string())),
        ("--until", select.until.map(|moment| moment.to_string())),
        ("--filter", filter),
        ("--zone", zone),
    ]
    .map(|(option, value)| (option.to_owned(), value))
    .into()
}

fn same(
    path: &Path,
    then: &[(String, Option<String>)],
    now: &[(String, Option<String>)],
) -> Result<(), Failure> {
    let Some((then, now)) = then.iter().zip(now).find(|(then, now)| then != now) else {
        return Ok(());
    };
    let say = |value: &Option<String>| match value {
        Some(value) => format!("\"{}\"", Escaped(value)),
        None => "not given".to_owned(),
    };
    Err(Failure::Usage(format!(
        "{}: the checkpoint was made with other frames: {} was {} then, and is {} now; give the \
         options that it was begun with, or begin anew with another file for --checkpoint",
        Escaped(&path.display().to_string()),
        Escaped(&now.0),
        say(&then.1),
        say(&now.1),
    )))
}

/// The files that are new, each with what it will be known by. They have to lie behind all that
/// was worked through: nothing can be merged into that any more.
fn choose(
    args: &ReportArgs,
    state: &Path,
    beside: &Beside,
) -> Result<Vec<(PathBuf, Part)>, Failure> {
    let (mut new, mut old) = (Vec::new(), Vec::new());
    for path in &args.input.files {
        let part = Part::of(path, &options(&args.input))?;
        if beside.parts.iter().any(|known| known.is_same(&part)) {
            old.push(path);
            continue;
        }
        let name = path.display().to_string();
        let name = Escaped(&name);
        if beside
            .parts
            .iter()
            .any(|known| known.has_grown(path, &part))
        {
            return Err(Failure::Usage(format!(
                "{name} has changed since it was worked through, and what was added cannot be \
                 read by itself; name files when they are complete, and begin anew: another file \
                 for --checkpoint, and all capture files"
            )));
        }
        if let (Some(first), Some(latest)) = (part.first, beside.passed.latest)
            && latest.since(first) > STEP_BACK
        {
            return Err(Failure::Usage(format!(
                "{name} begins at {}, before the end of what was worked through ({}); files have \
                 to come in the order of their times, and those that overlap in one run: leave \
                 it out, or begin anew with another file for --checkpoint",
                Rfc3339(first),
                Rfc3339(latest),
            )));
        }
        new.push((path.clone(), part));
    }
    let known = Escaped(&state.display().to_string()).to_string();
    match old.as_slice() {
        [] => {}
        [one] => say(&format!(
            "{} was worked through before ({known}) and is left out",
            Escaped(&one.display().to_string())
        )),
        [first, .., last] => say(&format!(
            "{} files were worked through before ({known}) and are left out, {} to {}",
            old.len(),
            Escaped(&first.display().to_string()),
            Escaped(&last.display().to_string())
        )),
    }
    Ok(new)
}
