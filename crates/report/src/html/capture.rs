//! What is known of the capture.

use super::ROWS;
use super::markup::Page;
use crate::about::About;
use crate::figures::Grouped;
use crate::text;
use crate::time::{Rfc3339, Short};
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
    page.within("dl", &[], |page| {
        groups(page, &entries, |page, name, value| match name {
            text::capture::QUALITY => page.within("dd", &[], |page| {
                let class = format!("grade {grade}");
                page.leaf("strong", &[("class", &class)], value);
            }),
            _ => page.leaf("dd", &[], value),
        });
    });
    if !snapshot.protocols.is_empty() {
        page.within("details", &[], |page| {
            page.leaf("summary", &[], "Frames that contain a protocol");
            page.within("ul", &[("class", &"key")], |page| {
                for (name, count) in &snapshot.protocols {
                    page.leaf("li", &[], format_args!("{name} {}", Grouped(*count)));
                }
            });
        });
    }
}

/// What was captured, in one line: the list further down says more.
pub(super) fn headline(page: &mut Page, snapshot: &Snapshot) {
    let grade = snapshot.capture.grade.name();
    page.within("p", &[("class", &"note")], |page| {
        extent(page, snapshot);
        page.text("; quality of the capture: ");
        let class = format!("grade {grade}");
        page.leaf("a", &[("href", &"#capture"), ("class", &class)], grade);
    });
}

/// Writes how long one of several captures is, and how good.
pub(super) fn line(page: &mut Page, name: &str, snapshot: &Snapshot) {
    let grade = snapshot.capture.grade.name();
    page.within("p", &[("class", &"note")], |page| {
        page.text(format_args!("{name}: "));
        extent(page, snapshot);
        page.text("; quality of the capture: ");
        let class = format!("grade {grade}");
        page.leaf("strong", &[("class", &class)], grade);
    });
}

/// How many frames there are, from when to when.
fn extent(page: &mut Page, snapshot: &Snapshot) {
    let capture = &snapshot.capture;
    page.text(format_args!("{} frames", Grouped(capture.frames)));
    if let (Some(first), Some(last)) = (capture.first, capture.last) {
        page.text(format_args!(
            "; {} to {} UTC ({})",
            seconds(first),
            seconds(last),
            Short(i64::try_from(capture.elapsed_ns).unwrap_or(i64::MAX))
        ));
    }
}

/// Day and time to the second.
fn seconds(at: Timestamp) -> String {
    let text = Rfc3339(at).to_string();
    text[..19].replace('T', " ")
}

/// Names and what they stand for; a nameless one goes on from the one before.
pub(super) fn list(page: &mut Page, entries: &[(impl AsRef<str>, String)]) {
    page.within("dl", &[], |page| {
        groups(page, entries, |page, _, value| page.leaf("dd", &[], value));
    });
}

fn groups(
    page: &mut Page,
    entries: &[(impl AsRef<str>, String)],
    mut value: impl FnMut(&mut Page, &str, &str),
) {
    for (name, text) in entries {
        let name = name.as_ref();
        if !name.is_empty() {
            page.leaf("dt", &[], name);
        }
        value(page, name, text);
    }
}
