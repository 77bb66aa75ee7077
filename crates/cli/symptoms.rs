//! What a user has to say about symptoms: thresholds, texts, and which to explain.

use crate::args::SymptomArgs;
use crate::failure::Failure;
use std::io;
use std::path::Path;
use wirewait::{Rule, Thresholds};
use wirewait_capture::{cannot_open, held};
use wirewait_report::Escaped;
use wirewait_report::config::{Mistake, nearest};
use wirewait_report::symptoms::{self, Texts};

/// The thresholds to judge by.
pub(crate) fn thresholds(args: &SymptomArgs) -> Thresholds {
    let mut thresholds = Thresholds::default();
    for (threshold, value) in &args.threshold {
        thresholds.set(*threshold, *value);
    }
    thresholds
}

/// Whether a word is the name or the title of a symptom, or near to a name.
pub(crate) fn is_named(word: &str) -> bool {
    let ids = symptoms::ids();
    symptoms::rule(word).is_ok() || nearest(word, ids.into_iter()).is_some()
}

/// What is said about them.
pub(crate) fn texts(args: &SymptomArgs) -> Result<Texts, Failure> {
    let mut texts = Texts::default();
    if let Some(path) = &args.symptom_texts {
        let text = read(path)?;
        texts
            .overlay(&text, &name(path))
            .map_err(|mistake| cannot(&mistake))?;
    }
    Ok(texts)
}

/// Which are to be explained, if any: all of them, or those of one rule.
pub(crate) fn explained(args: &SymptomArgs) -> Result<Option<Option<&'static Rule>>, Failure> {
    match args.explain.as_deref() {
        None => Ok(None),
        Some("") => Ok(Some(None)),
        Some(id) => symptoms::rule(id)
            .map(|rule| Some(Some(rule)))
            .map_err(|e| Failure::Usage(format!("--explain: {}", Escaped(&e)))),
    }
}

/// A file that cannot be read as texts is one that cannot be read.
fn cannot(mistake: &Mistake) -> Failure {
    Failure::Cannot(Escaped(&mistake.to_string()).to_string())
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

fn read(path: &Path) -> Result<String, Failure> {
    held::open(path)
        .and_then(io::read_to_string)
        .map_err(|error| {
            let why = cannot_open(&error);
            Failure::Cannot(format!("{}: {why}", Escaped(&name(path))))
        })
}
