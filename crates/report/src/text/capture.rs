//! What to know about the capture.

use super::{Look, entry};
use crate::about::{About, Origin, service};
use crate::escape::Escaped;
use crate::figures::{Frames, Grouped, Milli, Percent, frames};
use crate::time::{Digits, Rfc3339};
use std::io::{self, Write};
use wirewait_analysis::{CaptureRow, Grade, Snapshot};

/// What is known of the input, by name; nothing for what goes on from the line before.
pub(crate) fn entries(about: &About, snapshot: &Snapshot) -> Vec<(&'static str, String)> {
    entries_in(about, snapshot, Digits::Three)
}

/// [`entries`], with durations of as many digits.
fn entries_in(about: &About, snapshot: &Snapshot, digits: Digits) -> Vec<(&'static str, String)> {
    let row = &snapshot.capture;
    let mut entries: Vec<(&'static str, String)> = Vec::new();
    for file in &about.files {
        let name = match about.origin {
            Origin::Files => "file",
            Origin::Interfaces => "interface",
        };
        entries.push((name, Escaped(file).to_string()));
    }
    for (name, text) in about.selection.named() {
        entries.push((name, format!("{} (only these frames)", Escaped(text))));
    }
    let (total, bytes) = (Grouped(row.frames), Grouped(row.bytes));
    entries.push(("size", format!("{total} frames, {bytes} bytes as recorded")));
    if let (Some(first), Some(last)) = (row.first, row.last) {
        let length = digits.span(row.elapsed_ns);
        let (first, last) = (Rfc3339(first), Rfc3339(last));
        entries.push(("time", format!("{first} to {last}, {length}")));
    }
    entries.push(("dropped", dropped(about)));
    if let Some(n) = about.not_saved().filter(|n| *n > 0) {
        entries.push((
            "not saved",
            format!(
                "{} received frames are missing from the {}",
                Grouped(n),
                match about.files.len() {
                    1 => "file",
                    _ => "files",
                }
            ),
        ));
    }
    for sentence in &about.damage {
        entries.push(("damage", Escaped(sentence).to_string()));
    }
    if let Some(grade) = grade(row) {
        entries.push((QUALITY, grade.to_owned()));
    }
    for reason in &row.reasons {
        let times = Grouped(reason.count);
        entries.push((
            "",
            format!("{}: {} ({times})", remark(reason.grade), reason.text),
        ));
    }
    let parts = &snapshot.attribution;
    if parts.transactions == 0 && !about.tcp_ports.is_empty() {
        let ports = about.tcp_ports.iter().map(|(port, frames)| {
            let frames = match frames {
                1 => "1 frame".to_owned(),
                n => format!("{} frames", Grouped(*n)),
            };
            match service(*port) {
                Some(service) => format!("{port} ({service}) {frames}"),
                None => format!("{port} {frames}"),
            }
        });
        let ports: Vec<String> = ports.collect();
        let read = "wirewait reads SMB (445, 139) and NCP (524)";
        entries.push(("TCP ports", format!("{}; {read}", ports.join(", "))));
    }
    for (n, (name, count)) in [
        ("transactions", frames(parts.transactions)),
        ("control", frames(parts.control)),
        ("other traffic", Milli(parts.other.saturating_mul(1000))),
        ("duplicates", Milli(parts.duplicates.saturating_mul(1000))),
    ]
    .into_iter()
    .enumerate()
    {
        let title = if n == 0 { "frames of" } else { "" };
        let share = Percent(count.0, row.frames.saturating_mul(1000));
        let count = Frames(count);
        entries.push((title, format!("{name} {count} ({share})")));
    }
    let followed = Grouped(row.conversations);
    entries.push((
        "followed",
        match row.evicted {
            0 => format!("conversations: {followed}"),
            n => format!(
                "conversations: {followed}; {} of them were evicted early, as more than {} were open",
                Grouped(n),
                Grouped(snapshot.settings.conversations as u64)
            ),
        },
    ));
    entries
}

/// What was lost, in all and where.
fn dropped(about: &About) -> String {
    let counted = match about.origin {
        Origin::Files => "counted by the capturing program",
        Origin::Interfaces => "counted by the system",
    };
    let n = match about.dropped() {
        None => return "unknown: not stated in the file".to_owned(),
        Some(0) => return format!("none, {counted}"),
        Some(n) => n,
    };
    let mut text = format!("{} frames, {counted}", Grouped(n));
    if about.interfaces.len() > 1 {
        let each: Vec<String> = about
            .interfaces
            .iter()
            .filter_map(|one| {
                let name = Escaped(one.name.as_deref().unwrap_or("unnamed"));
                Some(format!("{} on {name}", Grouped(one.dropped?)))
            })
            .collect();
        text.push_str(&format!(": {}", each.join(", ")));
    }
    text
}

/// How good the capture is; none where nothing was captured and nothing is missing.
pub(crate) fn grade(row: &CaptureRow) -> Option<&'static str> {
    let judged = row.frames > 0 || !row.reasons.is_empty();
    judged.then(|| row.grade.name())
}

/// The name of the entry that is a grade.
pub(crate) const QUALITY: &str = "quality";

pub(super) fn capture(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    look: Look,
) -> io::Result<()> {
    look.heading(out, "Capture")?;
    for (name, value) in entries_in(about, snapshot, look.digits) {
        match name {
            QUALITY => entry(out, name, look.grade(snapshot.capture.grade))?,
            name => entry(out, name, value)?,
        }
    }
    Ok(())
}

pub(super) fn protocols(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    if snapshot.protocols.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Frames that contain a protocol")?;
    let mut line = String::from(" ");
    for (name, count) in &snapshot.protocols {
        let item = format!(" {name} {}", Grouped(*count));
        if line.len() > 1 && line.len() + item.len() + 1 > look.width {
            writeln!(out, "{line}")?;
            line = String::from(" ");
        }
        if line.len() > 1 {
            line.push(' ');
        }
        line.push_str(&item);
    }
    writeln!(out, "{line}")
}

/// What does no harm to the grade is only worth a note.
const fn remark(grade: Grade) -> &'static str {
    match grade {
        Grade::Good => "note",
        Grade::Fair | Grade::Poor => grade.name(),
    }
}
