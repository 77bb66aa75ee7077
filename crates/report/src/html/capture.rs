//! What is known of the capture.

use super::ROWS;
use super::markup::Page;
use crate::about::About;
use crate::figures::Grouped;
use crate::text;
use crate::time::{Rfc3339, Short};
use askama::Template;
use wirewait_analysis::Snapshot;
use wirewait_wire::Timestamp;

pub(super) fn capture(page: &mut Page, about: &About, snapshot: &Snapshot) {
    let grade = snapshot.capture.grade.name();
    let mut entries = text::capture::entries(about, snapshot);
    // The user's own list of files may be long.
    let files = entries.iter().filter(|(name, _)| *name == "file").count();
    if files > ROWS {
        entries.drain(ROWS..files);
        let more = format!("and {} more files", Grouped((files - ROWS) as u64));
        entries.insert(ROWS, ("", more));
    }
    let entries: Vec<(&str, &str)> = entries
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    page.template(&ListPart {
        entries,
        graded: Some((text::capture::QUALITY, grade)),
    });
    if !snapshot.protocols.is_empty() {
        let protocols = snapshot.protocols.iter();
        let protocols = protocols.map(|(name, count)| format!("{name} {}", Grouped(*count)));
        page.template(&ProtocolsPart {
            protocols: protocols.collect(),
        });
    }
}

/// Names and what they stand for; a nameless one goes on from the one before.
#[derive(Template)]
#[template(path = "list.html")]
struct ListPart<'a> {
    entries: Vec<(&'a str, &'a str)>,
    /// The name of the entry that is a grade, and the grade.
    graded: Option<(&'a str, &'a str)>,
}

impl ListPart<'_> {
    /// The grade, if this is its entry.
    fn grade(&self, name: &str) -> Option<&str> {
        self.graded
            .filter(|(of, _)| *of == name)
            .map(|(_, grade)| grade)
    }
}

#[derive(Template)]
#[template(path = "protocols.html")]
struct ProtocolsPart {
    protocols: Vec<String>,
}

/// How long a capture is, and how good.
#[derive(Template)]
#[template(path = "extent.html")]
struct ExtentPart<'a> {
    /// Which one, if there are several.
    of: Option<&'a str>,
    extent: String,
    grade: Option<&'a str>,
}

/// What was captured, in one line: the list further down says more.
pub(super) fn headline(page: &mut Page, snapshot: &Snapshot) {
    page.template(&ExtentPart {
        of: None,
        extent: extent(snapshot),
        grade: text::capture::grade(&snapshot.capture),
    });
}

/// Writes how long one of several captures is, and how good.
pub(super) fn line(page: &mut Page, name: &str, snapshot: &Snapshot) {
    page.template(&ExtentPart {
        of: Some(name),
        extent: extent(snapshot),
        grade: text::capture::grade(&snapshot.capture),
    });
}

/// How many frames there are, from when to when.
fn extent(snapshot: &Snapshot) -> String {
    let capture = &snapshot.capture;
    let frames = Grouped(capture.frames);
    match (capture.first, capture.last) {
        (Some(first), Some(last)) => format!(
            "{frames} frames; {} to {} UTC ({})",
            seconds(first),
            seconds(last),
            Short(i64::try_from(capture.elapsed_ns).unwrap_or(i64::MAX))
        ),
        _ => format!("{frames} frames"),
    }
}

/// Day and time to the second.
fn seconds(at: Timestamp) -> String {
    let text = Rfc3339(at).to_string();
    text[..19].replace('T', " ")
}

/// Names and what they stand for; a nameless one goes on from the one before.
pub(super) fn list(page: &mut Page, entries: &[(impl AsRef<str>, String)]) {
    let entries = entries.iter();
    page.template(&ListPart {
        entries: entries
            .map(|(name, value)| (name.as_ref(), value.as_str()))
            .collect(),
        graded: None,
    });
}
